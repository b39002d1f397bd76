import { Readable } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import { CONSENT_STATUSES, type Consents, type ConsentStatus, type ListedConsent } from '../../../core/consent/consent.js'
import { type ImportedConsents, MAX_PROBLEMS } from '../../../core/consent/import.js'
import { CONSENT_COLUMNS, CONSENTS_CSV_HEADER, exportedLine } from '../../../core/consent/lines.js'
import { describeCause, type PortFailure } from '../../../core/kernel/failure.js'
import { type LineProblem, type LinesType, MAX_LINES } from '../../../core/kernel/lines.js'
import type { Page } from '../../../core/kernel/page.js'
import { readLines } from '../../shared/file-lines.js'
import { LINES_FAILURES } from '../body.js'
import { CSV_TYPE, Lines, linesFailure, NDJSON_TYPE, type ReadingLines } from '../lines-body.js'
import { headerRefs } from '../openapi-types.js'
import { keyedOperation, served, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import type { Reply } from '../reply.js'
import type { Log } from '../request.js'
import { array, count, described, fields, named, type NoFields, record, string, type TypeOf, word } from '../schema.js'

const LineProblemView = named('LineProblem', fields({
  line: described(count, 'The number of the line in the file; the head of a CSV is line 1.'),
  code: described(string(), 'For programs, such as `invalid_phone_number` or `number_in_scientific_notation`.'),
  message: described(string(), 'What is wrong, and what to do.'),
}, { column: described(string(), 'The name of the column or field, if the problem is about one.') }))

const Imported = named('ImportedConsents', record({
  lines: described(count, 'How many lines of data were read.'),
  changed: described(count, 'How many of them changed what was known of a customer.'),
  refused: described(count, 'How many of them were left out because of a problem.'),
  problems: described(array(LineProblemView), `The first ${MAX_PROBLEMS} problems, and why the rest of the file could not be read.`),
}))

/** A problem as a reply shows it. */
const problemView = ({ line, column, code, message }: LineProblem): TypeOf<typeof LineProblemView> =>
  ({ line, ...(column !== undefined && { column }), code, message })

const EXAMPLE: TypeOf<typeof Imported> = {
  lines: 2, changed: 1, refused: 1,
  problems: [{
    line: 3, column: 'to', code: 'number_in_scientific_notation',
    message: 'to is a number such as 4.91512E+12, in which the last digits are lost; format the column as text in the spreadsheet, enter the numbers again, and export the file again',
  }],
}

const CSV_EXAMPLE = `${CONSENT_COLUMNS.join()}\n+49 151 23456789,marketing,granted,newsletter form,2026-11-03T09:12:00Z,\n4.91512E+12,marketing,granted,,,\n`

const NDJSON_EXAMPLE = `${JSON.stringify({
  to: '+49 151 23456789', of: 'marketing', status: 'granted', source: 'newsletter form', at: '2026-11-03T09:12:00Z',
})}\n`

const EXAMPLES = { csv: { summary: 'CSV', value: CSV_EXAMPLE }, ndjson: { summary: 'NDJSON', value: NDJSON_EXAMPLE } }

/** `POST /consents` */
export const importConsents = workspaceOperation({
  id: 'importConsents',
  method: 'post',
  path: '/consents',
  part: 'consent',
  act: 'consent.record',
  tag: 'Reading',
  summary: 'Import consents',
  description:
    `Records what customers allowed or stopped, from a file of up to ${MAX_LINES} lines: \`text/csv\` with the columns ${CONSENT_COLUMNS.map((name) => `\`${name}\``).join(', ')}, of which \`to\`, `
      + '`of` and `status` are required, or `application/x-ndjson` with the same fields. A line without `at` counts from now, and one without `source` has the source `import`. Lines with a problem are '
      + 'left out. The file is recorded while it arrives, so a request that breaks off has recorded a part of it: send it again, since lines that are known change nothing.',
  body: { codec: Lines, forms: false, isLines: true, examples: EXAMPLES },
  reply: { description: 'What was recorded.', codec: Imported, example: EXAMPLE },
  failures: LINES_FAILURES,
  run: async (
    { postern: { consent } }: UseCases, { workspace, by, body: { type, bytes, failure } }: WorkspaceRequest<NoFields, ReadingLines>,
  ) => {
    const imported = await served(consent).importConsents({ by, workspace, read: (form) => readLines(bytes, type, form) })
    if (E.isRight(imported)) return E.right({ value: importedView(imported.right) })
    const { left } = imported
    return E.left(left._tag === 'LinesIncomplete' ? linesFailure(failure()) ?? NOT_RECEIVED : left)
  },
})

const NOT_RECEIVED = { _tag: 'BodyTooSlow' } as const

const importedView = ({ problems, ...counts }: ImportedConsents): TypeOf<typeof Imported> =>
  ({ ...counts, problems: problems.map(problemView) })

const TYPES: Readonly<Record<LinesType, string>> = { csv: `${CSV_TYPE}; charset=utf-8`, ndjson: NDJSON_TYPE }

const EXPORT_QUERY = {
  format: described(word<LinesType>({ csv: '', ndjson: '' }), 'The format of the lines; `csv` if omitted.'),
  status: described(word<ConsentStatus>({ granted: '', withdrawn: '' }), 'Only consents of this status.'),
}

type ExportQuery = { readonly format?: LinesType; readonly status?: ConsentStatus }

/** `GET /consents` */
export const exportConsents = keyedOperation({
  id: 'exportConsents',
  method: 'get',
  path: '/consents',
  part: 'consent',
  act: 'customer.view',
  tag: 'Reading',
  summary: 'Export consents',
  description:
    `All that customers allowed (\`${CONSENT_STATUSES[0]}\`) or stopped (\`${CONSENT_STATUSES[1]}\`), a line for each customer and topic, in a form that can be imported. The lines are sent while they are `
      + 'read. If they cannot be read to the end, the connection is broken off: a reply that ends normally is complete. Erased persons are not in it.',
  query: EXPORT_QUERY,
  replies: {
    200: {
      description: 'The lines.', headers: headerRefs(),
      content: {
        [CSV_TYPE]: { schema: { type: 'string', description: `CSV with the columns ${CONSENT_COLUMNS.join(', ')}.` } },
        [NDJSON_TYPE]: { schema: { type: 'string', description: `On each line a JSON object with the fields ${CONSENT_COLUMNS.join(', ')}.` } },
      },
    },
  },
  failures: {},
  run: async (
    { postern: { consent } }: UseCases,
    { workspace, requestId, parameters: { format = 'csv', status } }: WorkspaceRequest<ExportQuery>,
    log: Log,
  ): Promise<E.Either<PortFailure, Reply>> => {
    const { listConsents } = served(consent)
    const query = { status, limit: PAGE }
    const first = await listConsents(workspace, query)
    if (E.isLeft(first)) return first
    const onBroken = (cause: unknown): void => log('warn', 'export_broken', { request_id: requestId, cause: describeCause(cause) })
    return E.right({
      status: 200, headers: { 'Content-Type': TYPES[format], 'Cache-Control': 'private, no-store' },
      body: Readable.from(textOf(format, first.right, (cursor) => listConsents(workspace, { ...query, cursor })), { objectMode: false })
        .on('error', onBroken),
    })
  },
})

/** How many consents are read together. */
const PAGE = 500

/** The lines of all pages. It rejects if a page cannot be read, which breaks the connection off. */
async function* textOf(
  format: LinesType, first: Page<ListedConsent>, read: (cursor: string) => ReturnType<Consents['list']>,
): AsyncGenerator<string> {
  if (format === 'csv') yield CONSENTS_CSV_HEADER
  for (let page = first; ;) {
    if (page.items.length > 0) yield page.items.map((item) => exportedLine(format, item)).join('')
    if (page.next === undefined) return
    const next = await read(page.next)
    if (E.isLeft(next)) throw new Error('The consents could not be read to their end', { cause: next.left })
    page = next.right
  }
}
