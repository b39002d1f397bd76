import { Readable } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import type { NoSuchBatch } from '../../../core/batches/batch.js'
import { type BatchResults, type ReadResults, RESULT_STATES, type ResultState } from '../../../core/batches/results.js'
import { BATCH_RESULTS_CSV_HEADER, batchResultCsvLine, batchResultView } from '../../../core/explanations/batch-results.js'
import type { BatchId } from '../../../core/kernel/ids.js'
import { describeCause } from '../../../core/kernel/failure.js'
import type { LinesType } from '../../../core/kernel/lines.js'
import { BatchName } from '../codecs.js'
import { CSV_TYPE, NDJSON_TYPE } from '../lines-body.js'
import { headerRefs } from '../openapi-types.js'
import { keyedOperation, served, type UseCases, type WorkspaceRequest } from '../operation.js'
import { missingThing, type NotFound, type Reply } from '../reply.js'
import type { Log } from '../request.js'
import { described, parsed, word } from '../schema.js'

type Parameters = { readonly id: BatchId; readonly format?: LinesType; readonly states?: ReadonlyArray<ResultState> }

type ResultsError = Exclude<Awaited<ReturnType<ReadResults>> extends E.Either<infer Failure, unknown> ? Failure : never, NoSuchBatch>

const States = parsed<ReadonlyArray<ResultState>>(
  { type: 'string', examples: ['failed,refused'] }, `states of ${RESULT_STATES.join(', ')}, separated by commas`, (text) => {
    const names = text.split(',').map((name) => name.trim())
    const states = names.flatMap((name) => RESULT_STATES.find((state) => state === name) ?? [])
    return states.length === names.length ? states : undefined
  },
)

/** `GET /batches/{id}/results` */
export const getBatchResults = keyedOperation({
  id: 'getBatchResults',
  method: 'get',
  path: '/batches/{id}/results',
  part: 'batches',
  tag: 'Reading',
  act: 'batch.view',
  summary: 'Download the results of a batch',
  description:
    'A line for each recipient, in the order of the file: its state, and if it was left out, refused or failed, why, and what to do; what was charged, the ids of its message, when it reached its '
      + 'states, when the customer last wrote since, and since when the customer has stopped messages. The lines are sent while they are read. If they cannot be read to the end, the connection is '
      + 'broken off: a reply that ends normally is complete.',
  pathParameters: { id: BatchName },
  query: {
    format: described(word<LinesType>({ csv: '', ndjson: '' }), 'The format of the lines; `csv` if omitted.'),
    states: described(States, `Only lines in these states, separated by commas: ${RESULT_STATES.map((state) => `\`${state}\``).join(', ')}.`),
  },
  replies: {
    200: {
      description: 'The lines.', headers: headerRefs(),
      content: {
        [CSV_TYPE]: { schema: { type: 'string', description: `CSV with the columns ${BATCH_RESULTS_CSV_HEADER.trimEnd()}.` } },
        [NDJSON_TYPE]: { schema: { type: 'string', description: 'On each line a JSON object with these fields.' } },
      },
    },
  },
  failures: { NotFound: true },
  run: async (
    { postern }: UseCases, { workspace, by, requestId, parameters: { id, format = 'csv', states } }: WorkspaceRequest<Parameters>, log: Log,
  ): Promise<E.Either<ResultsError | NotFound, Reply>> => {
    const read = await served(postern.batches).readResults({ by, workspace, batch: id, states })
    if (E.isLeft(read)) {
      return E.left(read.left._tag === 'NoSuchBatch' ? missingThing(`This workspace has no batch ${read.left.id}`) : read.left)
    }
    const onBroken = (cause: unknown): void => log('warn', 'export_broken', { request_id: requestId, cause: describeCause(cause) })
    return E.right({
      status: 200,
      headers: { 'Content-Type': format === 'csv' ? `${CSV_TYPE}; charset=utf-8` : NDJSON_TYPE, 'Cache-Control': 'private, no-store' },
      body: Readable.from(textOf(format, read.right), { objectMode: false }).on('error', onBroken),
    })
  },
})

/** How many characters are sent together, about. */
const CHUNK = 16_384

/** The lines. It rejects if they cannot be read to their end, which breaks the connection off. */
async function* textOf(format: LinesType, { results }: BatchResults): AsyncGenerator<string> {
  let text = format === 'csv' ? BATCH_RESULTS_CSV_HEADER : ''
  for await (const result of results) {
    if (E.isLeft(result)) throw new Error('The results could not be read to their end', { cause: result.left })
    text += format === 'csv' ? batchResultCsvLine(result.right) : `${JSON.stringify(batchResultView(result.right))}\n`
    if (text.length < CHUNK) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}
