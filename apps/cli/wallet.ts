import { type Command, Option } from 'commander'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Balance, balanceView, CATEGORIES, formatMicros, reportedCategory } from '../../core/kernel/money.js'
import {
  type Billed, isFreeType, type MessageLog, otherwiseBilled, recategorised, reportedType, sumBilled,
} from '../../core/messages/message-log.js'
import type { MessageRecord } from '../../core/messages/message.js'
import { type Entry, entryView } from '../../core/money/ledger.js'
import { type AlertState, alertsView, NO_ALERTS } from '../../core/money/wallet.js'
import { commandLine, correction, credit, jsonOption, limit, limitOption, reasonOf, threshold, WORKSPACE } from './arguments.js'
import { type Opened, withStorage, withWorkspace } from './cli-config.js'
import { lostLines, lostView, readLost } from './message.js'
import { allItems, amount, fail, FaultFound, iso, type JsonFlag, print, table, unwrap } from './output.js'
import type { Shell } from './shell.js'

/** The charged and the billed amounts, the first messages that differ, and how many more differ. */
export type Billing = { readonly billed: ReadonlyArray<Billed>; readonly differences: ReadonlyArray<MessageRecord>; readonly more: number }

/** Compares the charged amounts with those that the platform reports, in all workspaces; lists at most `limit` messages that differ. */
export const compareBilling = async (messageLog: Pick<MessageLog, 'billed' | 'list'>, limit: number): Promise<Billing> => {
  // The comparison does not show senders, so their sums are put together.
  const billed = sumBilled((await unwrap(messageLog.billed())).map(({ sender: _, ...entry }) => entry))
  const differing = billed.filter((entry) => otherwiseBilled(entry) > 0)
  const differences: MessageRecord[] = []
  for (const workspace of [...new Set(differing.map((entry) => entry.workspace))].sort()) {
    if (differences.length === limit) break
    differences.push(
      ...await allItems((page) => messageLog.list(workspace, { ...page, billedOtherwise: true }), limit - differences.length),
    )
  }
  const all = differing.reduce((sum, entry) => sum + otherwiseBilled(entry), 0)
  // A report may arrive after the messages were counted.
  return { billed, differences, more: Math.max(0, all - differences.length) }
}

/** The comparison as `--json` prints it. */
export const billingView = ({ billed, differences, more }: Billing) => ({
  billed: billed.map(({ workspace, currency, charged, reported = null, type = null, messages, free, micros }) =>
    ({ workspace, currency, charged, reported, type, messages, free, amount: formatMicros(micros) })),
  differences: differences.map(({ id, workspace, price, pricing }) => ({
    id, workspace, charged: price.category, reported: reportedCategory(pricing) ?? null, type: reportedType(pricing) ?? null,
    price: formatMicros(price.micros), currency: price.currency,
  })),
  more_differences: more,
})

/** The comparison for people: a table for each currency, then the messages that differ. */
export const billingLines = ({ billed, differences, more }: Billing): ReadonlyArray<string> => [
  ...[...new Set(billed.map(({ currency }) => currency))].sort()
    .flatMap((currency) => ['', ...categoryTable(currency, billed.filter((entry) => entry.currency === currency))]),
  ...(differences.length === 0
    ? []
    : ['', 'The platform bills these messages differently from what was charged:', ...differences.map(differenceLine)]),
  ...(more === 0 ? [] : [`and ${more} more; --limit lists more of them`]),
]

const categoryTable = (currency: string, billed: ReadonlyArray<Billed>): ReadonlyArray<string> => {
  const seen = new Set<string>(billed.flatMap(({ charged, reported }) => (reported === undefined ? [charged] : [charged, reported])))
  const categories = [...CATEGORIES.filter((category) => seen.delete(category)), ...[...seen].sort()]
  const count = (isCounted: (entry: Billed) => boolean): string =>
    String(billed.filter(isCounted).reduce((sum, { messages }) => sum + messages, 0))
  return table(
    ['CATEGORY', 'CHARGED', currency, 'PLATFORM BILLS', 'PLATFORM: FREE', 'NOT REPORTED'],
    categories.map((category) => [
      category,
      count(({ charged }) => charged === category),
      formatMicros(billed.filter(({ charged }) => charged === category).reduce((sum, { micros }) => sum + micros, 0n)),
      count(({ reported, type }) => reported === category && !isFreeType(type)),
      count(({ reported, type }) => reported === category && isFreeType(type)),
      count(({ charged, reported }) => charged === category && reported === undefined),
    ]),
  )
}

const differenceLine = ({ id, workspace, price, pricing }: MessageRecord): string =>
  `${id} of ${workspace}: charged ${amount(price.micros, price.currency)} as ${price.category}; the platform reports ` +
  [reportedCategory(pricing), reportedType(pricing)].filter((word) => word !== undefined).join(', ')

type TopUpOptions = JsonFlag & { readonly reference?: string }
type AdjustOptions = JsonFlag & { readonly note: string; readonly reference?: string }
type AuditOptions = JsonFlag & { readonly limit: number }
type StatementOptions = JsonFlag & { readonly limit?: number }

/** `postern wallet …`: the prepaid balances. */
export const addWalletCommands = (program: Command, shell: Shell): void => {
  const wallet = program.command('wallet').description('the prepaid balances')

  wallet.command('top-up')
    .description('add money to a wallet')
    .argument('<workspace>', WORKSPACE)
    .argument('<amount>', 'a decimal number, such as 12.34', credit)
    .option('--reference <text>', 'a reference for this top-up, such as an invoice number; a repeated reference is credited only once')
    .addOption(jsonOption())
    .action((workspace: string, micros: bigint, options: TopUpOptions) => topUp(shell, workspace, micros, options))

  wallet.command('adjust')
    .description('correct a balance by a positive or negative amount, for example after a mistyped top-up')
    .argument('<workspace>', WORKSPACE)
    .argument('<amount>', 'a decimal number, such as -12.34', correction)
    .requiredOption('--note <text>', 'the reason, kept in the statement')
    .option('--reference <text>', 'a reference for this correction; a repeated reference is applied only once')
    .addOption(jsonOption())
    .action((workspace: string, micros: bigint, options: AdjustOptions) => adjust(shell, workspace, micros, options))

  wallet.command('alert')
    .description('set the low-balance threshold, or off; below it Postern sends an event, writes a log line and an audit entry')
    .argument('<workspace>', WORKSPACE)
    .argument('<amount>', 'a decimal number, such as 10.00, or off', threshold)
    .addOption(jsonOption())
    .action((workspace: string, amount: ReturnType<typeof threshold>, options: JsonFlag) => setAlert(shell, workspace, amount, options))

  wallet.command('show')
    .description('show the balance of a wallet and its alerts')
    .argument('<workspace>', WORKSPACE)
    .addOption(jsonOption())
    .action((workspace: string, options: JsonFlag) => show(shell, workspace, options))

  wallet.command('statement')
    .description('show the wallet statement, newest first')
    .argument('<workspace>', WORKSPACE)
    .addOption(limitOption())
    .addOption(jsonOption())
    .action((workspace: string, options: StatementOptions) => statement(shell, workspace, options))

  wallet.command('audit')
    .description("check every workspace's books, compare what was charged with what the platform bills, and list messages that the database has lost; exit status 1 if a book is wrong or a message lost")
    .addOption(new Option(
      '--limit <n>', 'the maximum number of messages that the platform bills differently, and of lost messages, to list',
    ).argParser(limit).default(20))
    .addOption(jsonOption())
    .action((options: AuditOptions) => audit(shell, options))
}

const topUp = (shell: Shell, idOrName: string, micros: bigint, { reference, ...options }: TopUpOptions): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern }, { id: workspace }) => {
    const { isNew, ...balance } = await unwrap(
      postern.money.topUp({ by: commandLine(), workspace, micros, ...(reference !== undefined && { reference }) }),
    )
    const said = isNew ? `${formatMicros(micros)} ${balance.currency} was added.` : `Nothing was added: the reference ${reference ?? ''} was already credited.`
    print(shell, options, { ...balanceView(balance), added: isNew }, () => [said, ...balanceLines(balance)])
  })

const adjust = (shell: Shell, idOrName: string, micros: bigint, { note, reference, ...options }: AdjustOptions): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern }, { id: workspace }) => {
    const balance = await unwrap(
      postern.money.adjustWallet({ by: commandLine(), workspace, micros, note, ...(reference !== undefined && { reference }) }),
    )
    print(shell, options, balanceView(balance), () => balanceLines(balance))
  })

const setAlert = (shell: Shell, idOrName: string, amount: ReturnType<typeof threshold>, options: JsonFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern, storage }, { id: workspace }) => {
    await unwrap(postern.money.setWalletAlert({ by: commandLine(), workspace, threshold: amount === 'off' ? undefined : amount }))
    await printWallet(shell, storage, workspace, options)
  })

const show = (shell: Shell, idOrName: string, options: JsonFlag): Promise<void> =>
  withWorkspace(shell, idOrName, ({ storage }, { id }) => printWallet(shell, storage, id, options))

const printWallet = async (
  shell: Shell, { ledger, walletAlerts }: Opened['storage'], workspace: WorkspaceId, options: JsonFlag,
): Promise<void> => {
  const balance = O.toUndefined(await unwrap(ledger.balance(workspace))) ?? fail('The workspace has no wallet.')
  const alerts = O.toUndefined(await unwrap(walletAlerts.alertsOf(workspace))) ?? NO_ALERTS
  print(
    shell, options, { ...balanceView(balance), ...alertsView(alerts) }, () => [...balanceLines(balance), ...alertLines(alerts, balance)],
  )
}

const statement = (shell: Shell, idOrName: string, options: StatementOptions): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ storage: { ledger } }, { id, currency }) => {
    const entries = await allItems((query) => ledger.statement(id, query), options.limit)
    print(shell, options, entries.map(entryView), () =>
      entries.length === 0
        ? ['The wallet has no entries yet.']
        : table(
            ['AT', 'KIND', currency, 'FOR'],
            entries.map((entry) => [iso(entry.at), entry.kind, formatMicros(entry.micros), purposeOf(entry)]),
          ),
    )
  })

/** The message of an entry with the note and the error that explain it, or the note or reference of an entry without a message. */
const purposeOf = ({ message, note, reference, error }: Entry): string => {
  if (message === undefined) return note ?? reference ?? ''
  const reasons = [note ?? '', reasonOf(error)].filter((reason) => reason !== '')
  return reasons.length === 0 ? message : `${message} (${reasons.join('; ')})`
}

const audit = (shell: Shell, { limit: most, ...options }: AuditOptions): Promise<void> =>
  withStorage(shell, async ({ postern, storage: { messageLog, lostMessages } }) => {
    const { workspaces, broken } = await unwrap(postern.money.auditBooks())
    const billing = await compareBilling(messageLog, most)
    const lost = await readLost(lostMessages, most)
    const elsewhere = recategorised(billing.billed)
    print(shell, options, { workspaces, broken, recategorised: elsewhere, ...billingView(billing), ...lostView(lost) }, () => [
      ...(broken.length === 0
        ? [`The books of ${workspaces === 1 ? 'one workspace' : `${workspaces} workspaces`} are exact.`]
        : broken.map(({ workspace, fault }) => `${workspace}: ${fault}`)),
      ...elsewhere.map(({ workspace, charged, reported, messages }) =>
        `${workspace}: the platform bills ${messages} of its messages as ${reported}, which were charged as ${charged}`),
      ...billingLines(billing),
      ...lostLines(lost),
    ])
    if (broken.length > 0 || lost.counts.length > 0) throw new FaultFound()
  })

const balanceLines = ({ available, held, currency }: Balance): ReadonlyArray<string> => [
  `available  ${amount(available, currency)}`,
  `held       ${amount(held, currency)}`,
]

const alertLines = ({ threshold: least, lowSince, exhaustedSince }: AlertState, { currency }: Balance): ReadonlyArray<string> => [
  `threshold  ${least === undefined ? 'none' : amount(least, currency)}`,
  ...(lowSince === undefined ? [] : [`low since  ${iso(lowSince)}`]),
  ...(exhaustedSince === undefined ? [] : [`exhausted  ${iso(exhaustedSince)}`]),
]
