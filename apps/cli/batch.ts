import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type Command, Option } from 'commander'
import * as O from 'fp-ts/lib/Option.js'
import { readLines } from '../../adapters/shared/file-lines.js'
import { AGAIN_STATES, type AgainState } from '../../core/batches/again.js'
import { MAX_BATCH_LINES } from '../../core/batches/batch.js'
import { RESULT_STATES, type ResultState } from '../../core/batches/results.js'
import type { BatchCommand, ReadLines } from '../../core/batches/use-cases.js'
import { addedView, batchView, preflightView, type PreflightView, type ShownBatchView, shownBatchView } from '../../core/batches/view.js'
import { BATCH_RESULTS_CSV_HEADER, batchResultCsvLine, batchResultView } from '../../core/explanations/batch-results.js'
import { isBatchId, type WorkspaceId } from '../../core/kernel/ids.js'
import { parseMicros } from '../../core/kernel/money.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import { DEFAULT_LANGUAGE, type IdempotencyKey } from '../../core/messages/message.js'
import { priceBy } from '../../core/money/rate-card.js'
import { type Batching, makeBatching } from '../../core/batching.js'
import type { SenderId } from '../../core/senders/sender.js'
import { everyItem } from '../server/summary.js'
import { commandLine, idempotencyKey, jsonOption, limit, limitOption, moment, senderOption, WORKSPACE } from './arguments.js'
import { unwrapBatch } from './batch-failures.js'
import { type Opened, withStorage } from './cli-config.js'
import { fail, type JsonFlag, print, remark, table, unwrap, UsageError } from './output.js'
import type { Shell } from './shell.js'

const BATCH = 'the id of the batch'
const BATCH_EXAMPLE = 'bat_0199c3a87c2e7b1f9d5a4e6b8c0d2f44'

type CreateOptions = JsonFlag & {
  readonly template: string; readonly language: string; readonly sender?: SenderId; readonly name?: string; readonly sendAt?: number
  readonly until?: number; readonly firstWave?: number; readonly wait?: number; readonly from?: string
  readonly states: ReadonlyArray<AgainState>; readonly confirm?: boolean; readonly idempotencyKey?: IdempotencyKey
}

/** `postern batch …`: many messages of one template. */
export const addBatchCommands = (program: Command, shell: Shell): void => {
  const batch = program.command('batch').description('many messages of one template: a draft is checked, confirmed with its total, and sent within the limits')

  batch.command('create')
    .description(`make a draft from a file of up to ${MAX_BATCH_LINES} recipients, or with --from of those of an earlier batch; nothing is sent until it is confirmed`)
    .argument('<workspace>', WORKSPACE)
    .argument('[file]', 'a CSV (.csv) or NDJSON file (.ndjson) of recipients; the head of a CSV names the columns, such as to, body.1 and timezone')
    .requiredOption('--template <name>', 'the name of the template')
    .option('--language <code>', 'the language of the template', DEFAULT_LANGUAGE)
    .addOption(senderOption())
    .option('--name <text>', 'a name for people')
    .addOption(new Option('--send-at <time>', 'the time before which nothing is sent (ISO 8601)').argParser(moment))
    .addOption(new Option('--until <time>', 'the time from which nothing is sent (ISO 8601)').argParser(moment))
    .addOption(new Option('--first-wave <n>', 'send to this many recipients first, and wait then').argParser(limit))
    .addOption(new Option('--wait <seconds>', 'how long the others wait after the first wave (default: 3600)').argParser(limit))
    .option('--from <batch>', 'instead of a file: recipients of this earlier batch, with what their lines said')
    .addOption(new Option('--states <states>', `which recipients of --from, separated by commas: ${AGAIN_STATES.join(', ')}`)
      .argParser(againStatesOf).default(['failed'], 'failed'))
    .option('--confirm', 'confirm it at once, whatever it costs')
    .addOption(new Option('--idempotency-key <key>', 'a name for this request: if it is repeated with the same file and options, it makes no other batch')
      .argParser(idempotencyKey))
    .addOption(jsonOption())
    .action((workspace: string, file: string | undefined, options: CreateOptions) => create(shell, workspace, file, options))

  batch.command('list')
    .description('list the batches of a workspace, newest first')
    .argument('<workspace>', WORKSPACE)
    .addOption(limitOption())
    .addOption(jsonOption())
    .action((workspace: string, options: JsonFlag & { readonly limit?: number }) => list(shell, workspace, options))

  batch.command('show')
    .description('show a batch, the states of its lines, and when it is expected to end')
    .argument('<batch>', BATCH)
    .addOption(jsonOption())
    .action((id: string, options: JsonFlag) => withBatch(shell, id, (batching, command) => showOne(shell, batching, command, options)))

  batch.command('preflight')
    .description('check each line, and show what the batch costs, what is left out and why, and how long it takes')
    .argument('<batch>', BATCH)
    .addOption(jsonOption())
    .action((id: string, options: JsonFlag) => withBatch(shell, id, async (batching, command) => {
      const view = preflightView(await unwrapBatch(batching.preflight(command)))
      print(shell, options, view, () => preflightLines(id, view))
    }))

  batch.command('confirm')
    .description('reserve the total and send the batch')
    .argument('<batch>', BATCH)
    .requiredOption('--total <amount>', 'the total that `postern batch preflight` shows')
    .addOption(jsonOption())
    .action((id: string, { total, ...options }: JsonFlag & { readonly total: string }) => confirm(shell, id, total, options))

  for (const [name, description] of [
    ['pause', 'stop sending the lines of a batch; lines that are queued already wait, too'],
    ['resume', 'send the lines of a paused batch, or end the wait after its first wave'],
    ['cancel', 'send nothing more of a batch, and release what is still reserved for it'],
  ] as const) {
    batch.command(name).description(description).argument('<batch>', BATCH).addOption(jsonOption())
      .action((id: string, options: JsonFlag) => withBatch(shell, id, async (batching, command) => {
        await unwrapBatch(batching[name](command))
        await showOne(shell, batching, command, options)
      }))
  }

  batch.command('results')
    .description('print the result of each line, with why, what to do, and what was charged')
    .argument('<batch>', BATCH)
    .option('--states <states>', `only lines in these states, separated by commas: ${RESULT_STATES.join(', ')}`, statesOf)
    .addOption(new Option('--format <format>', 'the format of the lines').choices(['csv', 'ndjson']).default('csv'))
    .addOption(jsonOption())
    .action((id: string, options: ResultOptions) => results(shell, id, options))
}

type ResultOptions = JsonFlag & { readonly states?: ReadonlyArray<ResultState>; readonly format: 'csv' | 'ndjson' }

const statesOf = (text: string): ReadonlyArray<ResultState> => text.split(',').map((name) =>
  RESULT_STATES.find((state) => state === name.trim()) ?? fail(`${name} is not a state; states are ${RESULT_STATES.join(', ')}.`))

const againStatesOf = (text: string): ReadonlyArray<AgainState> => text.split(',').map((name) =>
  AGAIN_STATES.find((state) => state === name.trim()) ?? fail(`${name} is not one of ${AGAIN_STATES.join(', ')}.`))

const create = async (shell: Shell, workspace: string, file: string | undefined, options: CreateOptions): Promise<void> => {
  const { template, language, sender, name, sendAt, until, firstWave, wait = 3_600, confirm: confirms, from, states } = options
  const { idempotencyKey: key } = options
  if ((file === undefined) === (from === undefined)) throw new UsageError('Name either a file of recipients, or an earlier batch with --from.')
  if (from !== undefined && !isBatchId(from)) throw new UsageError(`${from} is not the id of a batch, such as ${BATCH_EXAMPLE}.`)
  const type = file === undefined ? undefined : /\.csv$/.test(file) ? 'csv' : /\.(ndjson|jsonl)$/.test(file) ? 'ndjson' : undefined
  if (file !== undefined && type === undefined) throw new UsageError('The name of the file must end in .csv or .ndjson.')
  await withStorage(shell, async (opened) => {
    const { id } = await unwrap(opened.postern.workspaces.findWorkspace(workspace))
    const [batching, by] = [batchingOver(opened), commandLine()]
    const parts = {
      sender, name, templateName: template, language, confirms,
      timing: { ...(sendAt !== undefined && { sendAt }), ...(until !== undefined && { until }) },
      ...(firstWave !== undefined && { firstWave: { recipients: firstWave, waitMs: wait * SECOND_MS } }),
      ...(from !== undefined && { from: { batch: from, states } }),
    }
    const { isReplayed, ...added } = await unwrapBatch(batching.submit({
      by, workspace: id, ...parts, ...(key !== undefined && { claim: { key, request: await requestOf(parts, file) } }),
      ...(file !== undefined && type !== undefined && {
        linesOf: (form) => counted(shell, options, readLines(createReadStream(file), type, form)),
      }),
    }))
    const view = addedView(added)
    print(shell, options, view, () => [
      isReplayed
        ? `Batch ${view.id} was made by an earlier request with this key, and is ${view.state}.`
        : view.total === null
        ? `Batch ${view.id} is a draft with ${recipientsOf(view.recipients)}, of which ${view.unreadable} cannot be read.`
        : `Batch ${view.id} is confirmed: ${view.sendable} of ${recipientsOf(view.recipients)}, for ${view.total} ${view.currency}.`,
      ...view.problems.map(({ line, column, message }) => `Line ${line}${column === null ? '' : `, ${column}`}: ${message}`),
      ...(view.total === null ? [`Check it with \`postern batch preflight ${view.id}\`.`] : []),
    ])
  }, 'needed')
}

/** What is equal exactly for equal requests. */
const requestOf = async (parts: object, file: string | undefined): Promise<string> => {
  const hash = createHash('sha256')
  if (file !== undefined) for await (const chunk of createReadStream(file)) hash.update(chunk as Uint8Array)
  return JSON.stringify([parts, hash.digest('hex')])
}

const PROGRESS_EVERY = 10_000

/** The same lines; on a terminal it says how many were read. */
async function* counted(shell: Shell, options: JsonFlag, lines: ReadLines): ReturnType<typeof readLines<never>> {
  let count = 0
  for await (const line of lines) {
    count += 1
    if (count % PROGRESS_EVERY === 0) remark(shell, options, `${count} lines`)
    yield line as never
  }
}

const list = (shell: Shell, workspace: string, { limit: most, ...options }: JsonFlag & { readonly limit?: number }): Promise<void> =>
  withStorage(shell, async (opened) => {
    const { id } = await unwrap(opened.postern.workspaces.findWorkspace(workspace))
    const batching = batchingOver(opened)
    const found = await everyItem((page) => unwrapBatch(batching.list({ ...page, by: commandLine(), workspace: id })), most)
    const views = found.map(batchView)
    print(shell, options, views, () => (views.length === 0
      ? ['There is no batch; `postern batch create` makes one.']
      : table(['ID', 'NAME', 'TEMPLATE', 'STATE', 'RECIPIENTS', 'TOTAL', 'CREATED'], views.map((view) => [
        view.id, view.name ?? '', view.template_name, stateOf(view),
        String(view.sendable ?? ''), view.total === null ? '' : `${view.total} ${view.currency}`, view.created_at,
      ]))))
  }, 'needed')

const confirm = (shell: Shell, id: string, total: string, options: JsonFlag): Promise<void> => {
  const micros = parseMicros(total)
  if (micros._tag === 'Left') throw new UsageError('--total is not an amount such as 12.34.')
  return withBatch(shell, id, async (batching, command) => {
    await unwrapBatch(batching.confirm({ ...command, total: micros.right }))
    await showOne(shell, batching, command, options)
  })
}

const results = (shell: Shell, id: string, { states, format, json }: ResultOptions): Promise<void> =>
  withBatch(shell, id, async (batching, command) => {
    const isCsv = format === 'csv' && json !== true
    const { results: lines } = await unwrapBatch(batching.readResults({ ...command, states }))
    if (isCsv) shell.stdout.write(BATCH_RESULTS_CSV_HEADER)
    for await (const line of lines) {
      const result = await unwrap(line)
      shell.stdout.write(isCsv ? batchResultCsvLine(result) : `${JSON.stringify(batchResultView(result))}\n`)
    }
  })

const stateOf = ({ state, paused_because: why }: Pick<ShownBatchView, 'paused_because' | 'state'>): string =>
  (why === null ? state : `${state} (${why})`)

const showOne = async (shell: Shell, batching: Batching, command: BatchCommand, options: JsonFlag): Promise<void> => {
  const view = shownBatchView(await unwrapBatch(batching.show(command)))
  print(shell, options, view, () => shownLines(view))
}

const recipientsOf = (count: number): string => (count === 1 ? '1 recipient' : `${count} recipients`)

const shownLines = (view: ShownBatchView): ReadonlyArray<string> => [
  `Batch ${view.id}${view.name === null ? '' : ` (${view.name})`}: ${stateOf(view)}.`,
  `Template ${view.template_name} in ${view.language}, through ${view.sender}, ${recipientsOf(view.recipients)}.`,
  ...(view.total === null ? [] : [`Total ${view.total} ${view.currency}: charged ${view.price}, reserved ${view.held}.`]),
  ...table(
    ['STATE', 'LINES'], Object.entries(view.counts).filter(([, count]) => count > 0).map(([state, count]) => [state, String(count)]),
  ),
  ...(view.failures.length === 0 ? [] : table(
    ['FAILED WITH', 'LINES', 'SEND AGAIN?'],
    view.failures.map(({ code, count, may_help_again: may }) => [String(code), String(count), may ? 'may help' : 'no']),
  )),
  ...brakeLines(view.brake_level),
  ...dayLines(view.days ?? []),
  ...(view.expected_end === null ? [] : [`It is expected to end at ${view.expected_end}, at ${view.rate} messages a second.`]),
]

/** How near the brake is, if any message failed. */
const brakeLines = (level: ShownBatchView['brake_level']): ReadonlyArray<string> => {
  if (level === null || level.code === null) return []
  const { code, failures, messages, pauses_at: pausesAt } = level
  const among = messages === 1 ? 'The only message so far' : `${failures} of the last ${messages} messages`
  return [`${among} failed with ${code}${pausesAt === null ? '' : `; at ${pausesAt} the batch pauses`}.`]
}

/** The days of a batch that takes several. */
const dayLines = (days: ShownBatchView['days'] & {}): ReadonlyArray<string> =>
  (days.length < 2 ? [] : table(['FROM', 'RECIPIENTS'], days.map(({ from, recipients }) => [from, String(recipients)])))

const preflightLines = (id: string, view: PreflightView): ReadonlyArray<string> => [
  `${view.sendable} of ${recipientsOf(view.recipients)} can be sent to, for ${view.total} ${view.currency}; ${view.available_after} ${view.currency} are left then.`,
  ...table(
    ['MARKET', 'RECIPIENTS', 'PRICE'], view.by_market.map(({ market, recipients, price }) => [market ?? '-', String(recipients), price]),
  ),
  ...(view.problems.length === 0 ? [] : table(
    ['LEFT OUT BECAUSE OF', 'RECIPIENTS', 'LINES'],
    view.problems.map(({ code, count, lines }) => [code, String(count), `${lines.join(', ')}${count > lines.length ? ', …' : ''}`]),
  )),
  ...view.warnings.map(warningLine),
  ...dayLines(view.days),
  `${view.days_needed === 1 ? 'It' : `The limits let it take at least ${view.days_needed} days, so it`} ends at ${view.earliest_end} at the earliest.`,
  `Send it with \`postern batch confirm ${id} --total ${view.total}\`.`,
]

const warningLine = ({ code, ...fields }: PreflightView['warnings'][number]): string =>
  [`Warning: ${code}`, ...Object.entries(fields).map(([name, value]) => `${name}=${value}`)].join(' ')

/** Opens the database for one use of a batch. */
const withBatch = (shell: Shell, id: string, use: (batching: Batching, command: BatchCommand) => Promise<void>): Promise<void> => {
  if (!isBatchId(id)) throw new UsageError(`${id} is not the id of a batch, such as ${BATCH_EXAMPLE}.`)
  return withStorage(shell, async (opened) => {
    const owner: O.Option<WorkspaceId> = await unwrap(opened.storage.batches.ownerOf(id))
    if (O.isNone(owner)) return fail(`There is no batch ${id}.`)
    return use(batchingOver(opened), { by: commandLine(), workspace: owner.value, batch: id })
  }, 'needed')
}

/** The batches over the database. A gateway sends them. */
const batchingOver = ({ settings, storage }: Opened): Batching =>
  makeBatching(storage, {
    ...settings, priceOf: priceBy(settings.rateCard), retryLater: () => undefined,
  }) ?? fail('This storage has no batches.')
