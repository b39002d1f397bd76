import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import * as O from 'fp-ts/lib/Option.js'
import type { CustomerId } from '../../core/customers/customer.js'
import type { WindowClock } from '../../core/customers/window.js'
import { balanceView, formatMicros } from '../../core/kernel/money.js'
import type { MessageLog, StaleMessage } from '../../core/messages/message-log.js'
import {
  MESSAGE_STATES, type MessageId, type MessageRecord, type MessageState, messageView, type PlatformId,
} from '../../core/messages/message.js'
import { type Cost, type CostSource, costView } from '../../core/money/usage.js'
import type { LostCount, LostMessage, LostMessages } from '../../core/reports/status.js'
import type { SenderId } from '../../core/senders/sender.js'
import { printable } from '../server/summary.js'
import { commandLine, credit, customer, jsonOption, limit, limitOption, reasonOf, senderOption, WORKSPACE } from './arguments.js'
import { withStorage, withWorkspace } from './cli-config.js'
import { allItems, amount, fail, iso, type JsonFlag, print, table, unwrap, UsageError } from './output.js'
import type { Shell } from './shell.js'

type Storage = { readonly messageLog: Pick<MessageLog, 'stale' | 'find'>; readonly windowClock: Pick<WindowClock, 'now'> }

/** The oldest messages of unknown outcome of all workspaces, including those that reconciliation has not marked yet. */
export const unconfirmedMessages = async (
  { messageLog, windowClock }: Storage, unconfirmedAfterMs: number, limit: number,
): Promise<ReadonlyArray<MessageRecord>> => {
  const now = windowClock.now()
  const stale: ReadonlyArray<StaleMessage> = [
    ...(await unwrap(messageLog.stale({ state: 'unconfirmed', before: now + 1, limit }))),
    ...(await unwrap(messageLog.stale({ state: 'pending', before: now - unconfirmedAfterMs, limit }))),
  ]
  const oldest = stale.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)
  const messages: MessageRecord[] = []
  for (const { workspace, id } of oldest) {
    const message = O.toUndefined(await unwrap(messageLog.find(workspace, { id })))
    if (message !== undefined) messages.push(message)
  }
  return messages
}

/** The lost messages that have to be settled: how many each workspace has, and the first of them. */
export type Lost = { readonly counts: ReadonlyArray<LostCount>; readonly messages: ReadonlyArray<LostMessage> }

/** Reads the lost messages of all workspaces; lists at most `limit`. */
export const readLost = async (lostMessages: Pick<LostMessages, 'counts' | 'list'>, limit: number): Promise<Lost> => {
  const counts = await unwrap(lostMessages.counts())
  return { counts, messages: counts.length === 0 ? [] : await allItems((page) => lostMessages.list(page), limit) }
}

/** The lost messages as `--json` prints them. */
export const lostView = ({ counts, messages }: Lost) => ({
  lost: counts,
  lost_messages: messages.map(({
    workspace, message, platformId, phoneNumberId, to = null, state, category = null, billable = null, firstAt, lastAt,
  }) => ({
    workspace, id: message, platform_id: platformId, phone_number_id: phoneNumberId, to, state, category, billable, first_at: iso(firstAt),
    last_at: iso(lastAt),
  })),
  more_lost_messages: moreOf({ counts, messages }),
})

/** The lost messages for people; nothing if there are none. */
export const lostLines = ({ counts, messages }: Lost): ReadonlyArray<string> => (counts.length === 0 ? [] : [
  '',
  'The platform has these messages, but the database does not, for example after a failover that lost commits. Nothing was charged for them:',
  ...counts.map(({ workspace, messages: count }) => `${workspace}: ${count === 1 ? 'one message' : `${count} messages`}`),
  ...table(
    ['WORKSPACE', 'ID', 'PLATFORM ID', 'TO', 'STATE', 'CATEGORY', 'BILLED', 'FIRST', 'LAST'],
    messages.map(({ workspace, message, platformId, to = '-', state, category = '-', billable, firstAt, lastAt }) =>
      [
        workspace, message, platformId, to, state, printable(category), billable === undefined ? '-' : billable ? 'yes' : 'no',
        iso(firstAt), iso(lastAt),
      ]),
  ),
  ...(moreOf({ counts, messages }) === 0 ? [] : [`and ${moreOf({ counts, messages })} more; --limit lists more of them`]),
  'Settle each with `postern message settle-lost`.',
])

/** A status may be stored after the messages were counted. */
const moreOf = ({ counts, messages }: Lost): number =>
  Math.max(0, counts.reduce((sum, { messages: count }) => sum + count, 0) - messages.length)

type ListOptions = JsonFlag & {
  readonly to?: CustomerId; readonly state?: MessageState; readonly sender?: SenderId; readonly limit?: number
}
type ResolveOptions = JsonFlag & { readonly note: string }
type SettleLostOptions = JsonFlag & {
  readonly workspace: string
  readonly charge?: bigint
  readonly waive?: boolean
  readonly note: string
}
type UnconfirmedOptions = JsonFlag & { readonly limit: number }

/** `postern message …`: sent messages and their status. */
export const addMessageCommands = (program: Command, shell: Shell): void => {
  const message = program.command('message').description('sent messages and their status')

  message.command('list')
    .description('show the messages of a workspace, newest first')
    .argument('<workspace>', WORKSPACE)
    .option('--to <customer>', 'only those to the customer of this number or user id', customer)
    .option('--state <state>', `only those in this state: ${MESSAGE_STATES.join(', ')}`, state)
    .addOption(senderOption('all senders if omitted'))
    .addOption(limitOption())
    .addOption(jsonOption())
    .action((workspace: string, options: ListOptions) => list(shell, workspace, options))

  message.command('show')
    .description('show one message with its history and its error')
    .argument('<message>', "the message's id")
    .addOption(jsonOption())
    .action((id: string, options: JsonFlag) => show(shell, id, options))

  message.command('unconfirmed')
    .description('list messages of all workspaces whose outcome is unknown, oldest first')
    .option('--limit <n>', 'the maximum number', limit, 1_000)
    .addOption(jsonOption())
    .action((options: UnconfirmedOptions) => unconfirmed(shell, options))

  message.command('cancel')
    .description('cancel a queued message, so that it is not sent, and release its price')
    .argument('<message>', "the message's id")
    .addOption(jsonOption())
    .action((id: string, options: JsonFlag) => cancel(shell, id, options))

  message.command('resolve')
    .description("settle an unconfirmed message by hand, after checking it in the platform's own console")
    .argument('<message>', "the message's id")
    .addArgument(new Argument('<outcome>', 'sent: its price is charged; not-sent: its price is refunded').choices(['sent', 'not-sent']))
    .requiredOption('--note <text>', 'the reason, kept in the statement of the wallet')
    .addOption(jsonOption())
    .action((id: string, outcome: 'sent' | 'not-sent', options: ResolveOptions) => resolve(shell, id, outcome, options))

  message.command('settle-lost')
    .description('settle a message that the platform has and the database has lost, as `postern wallet audit` lists them')
    .argument('<message>', "the platform's id of the message, or Postern's")
    .requiredOption('--workspace <workspace>', WORKSPACE)
    .addOption(new Option('--charge <amount>', 'charge the wallet this amount, a decimal number such as 0.0625').argParser(credit))
    .addOption(new Option('--waive', 'charge nothing').conflicts('charge'))
    .requiredOption('--note <text>', 'the reason, kept in the statement of the wallet and in the audit log')
    .addOption(jsonOption())
    .action((id: string, options: SettleLostOptions) => settleLost(shell, id, options))
}

const list = (shell: Shell, idOrName: string, { to, state: of, sender: named, limit: most, ...options }: ListOptions): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern }, { id }) => {
    const sender = named && await unwrap(postern.messages.filterBySender({ workspace: id, sender: named }))
    const messages = await allItems((query) => postern.messages.listMessages(id, { ...query, to, state: of, sender }), most)
    print(shell, options, messages.map(messageView), () => messages.length === 0 ? ['No messages found.'] : messageTable(messages))
  })

const show = (shell: Shell, id: string, options: JsonFlag): Promise<void> =>
  withStorage(shell, async ({ postern }) => {
    const message = await unwrap(postern.messages.findMessage(id))
    const cost = postern.money.costOf(message)
    print(shell, options, { ...messageView(message), ...costView(message, cost) }, () => messageLines(message, cost))
  }, 'needed')

const unconfirmed = (shell: Shell, { limit: most, ...options }: UnconfirmedOptions): Promise<void> =>
  withStorage(shell, async ({ storage, config: { limits } }) => {
    const messages = await unconfirmedMessages(storage, limits.unconfirmedAfterMs, most)
    print(shell, options, messages.map((message) => ({ workspace: message.workspace, ...messageView(message) })), () =>
      messages.length === 0
        ? ['No unconfirmed messages.']
        : table(
            ['WORKSPACE', 'ID', 'AT', 'STATE', 'TO', 'KIND', 'PRICE'],
            messages.map((message) => [message.workspace, ...messageCells(message)]),
          ),
    )
  })

const cancel = (shell: Shell, id: string, options: JsonFlag): Promise<void> =>
  withStorage(shell, async ({ postern: { messages, queue } }) => {
    const { workspace, id: message } = await unwrap(messages.findMessage(id))
    const canceled = await unwrap((queue ?? fail('This storage has no queue.')).cancelQueued({ by: commandLine(), workspace, message }))
    print(shell, options, messageView(canceled), () => messageLines(canceled))
  })

const resolve = (shell: Shell, id: string, outcome: 'sent' | 'not-sent', { note, ...options }: ResolveOptions): Promise<void> =>
  withStorage(shell, async ({ postern: { messages } }) => {
    const { workspace, id: message } = await unwrap(messages.findMessage(id))
    const resolved = await unwrap(
      messages.resolveMessage({ by: commandLine(), workspace, message, outcome: outcome === 'sent' ? 'sent' : 'not_sent', note }),
    )
    print(shell, options, messageView(resolved), () => messageLines(resolved))
  })

const settleLost = async (
  shell: Shell, id: string, { workspace: idOrName, charge: micros, waive, note, ...options }: SettleLostOptions,
): Promise<void> => {
  if (micros === undefined && waive !== true) throw new UsageError('Give --charge with an amount, or --waive.')
  await withWorkspace(shell, idOrName, async ({ postern }, { id: workspace }) => {
    const { message, balance } = await unwrap(postern.messages.settleLostMessage({
      by: commandLine(), workspace, id: id as PlatformId | MessageId, ...(micros !== undefined && { micros }), note,
    }))
    print(
      shell, options,
      { id: message.message, platform_id: message.platformId, charged: formatMicros(micros ?? 0n), ...balanceView(balance) }, () => [
        `${message.message} is settled; ${micros === undefined ? 'nothing was' : `${amount(micros, balance.currency)} were`} charged.`,
        `${amount(balance.available, balance.currency)} are available.`,
      ],
    )
  })
}

const messageTable = (messages: ReadonlyArray<MessageRecord>): ReadonlyArray<string> =>
  table(
    ['ID', 'AT', 'STATE', 'TO', 'KIND', 'PRICE', 'REASON'], messages.map((message) => [...messageCells(message), reasonOf(message.error)]),
  )

const messageCells = ({ id, createdAt, state: at, to, templateName, kind, price }: MessageRecord): ReadonlyArray<string> => [
  id, iso(createdAt), at, to, templateName ?? kind, amount(price.micros, price.currency),
]

const SOURCES: Readonly<Record<CostSource, string>> = { card: 'rate card', report: "platform's report" }

const messageLines = (message: MessageRecord, cost?: Cost): ReadonlyArray<string> => {
  const { id, workspace, sender, platformId, kind, summary, metadata, templateName, language, to, price, error, history } = message
  return [
    ...[
      ['id', id], ['workspace', workspace], ['platform id', platformId ?? '-'],
      ['kind', templateName === undefined ? summary ?? kind : `${kind} ${templateName} (${language ?? '-'})`],
      ...(sender === undefined ? [] : [['sender', sender]]), ['to', to], ['state', message.state],
      ['price', `${formatMicros(price.micros)} ${price.currency}, ${price.category}`],
      ...(cost === undefined ? [] : [['cost', `${formatMicros(cost.micros)} ${price.currency}, from the ${SOURCES[cost.knownFrom]}`]]),
      ...(metadata === undefined ? [] : [['metadata', JSON.stringify(metadata)]]),
      ...(error === undefined ? [] : [['reason', reasonOf(error)], ['error', JSON.stringify(error)]]),
    ].map(([name = '', value = '']) => `${name.padEnd(11)}  ${value}`),
    ...history.map((entry, index) => `${(index === 0 ? 'history' : '').padEnd(11)}  ${iso(entry.at)}  ${entry.state}`),
  ]
}

const state = (text: string): MessageState => {
  const known = MESSAGE_STATES.find((one) => one === text)
  if (known === undefined) throw new InvalidArgumentError(`it must be one of ${MESSAGE_STATES.join(', ')}.`)
  return known
}
