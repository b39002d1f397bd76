import type { Command } from 'commander'
import * as O from 'fp-ts/lib/Option.js'
import { formatMicros, type Balance } from '../../core/money.js'
import { balanceView, entryView } from '../../adapters/koa/views.js'
import { credit, jsonOption, limitOption, reference } from './arguments.js'
import { amount, iso, print, table } from './output.js'
import { everyItem } from './pages.js'
import { done, refuse } from './refusal.js'
import { withStorage, workspaceNamed } from './setting.js'

type Json = { readonly json?: boolean }

/** `postern wallet …`: the prepaid balances. */
export const addWalletCommands = (program: Command): void => {
  const wallet = program.command('wallet').description('the prepaid balances')

  wallet.command('top-up')
    .description('add money to a wallet')
    .argument('<workspace>', "the workspace's id")
    .argument('<amount>', 'a decimal number, such as 12.34', credit)
    .option('--reference <text>', 'what names this top-up; the same reference credits once', reference)
    .addOption(jsonOption())
    .action((workspace: string, micros: bigint, options: Json & { readonly reference?: string }) => topUp(workspace, micros, options))

  wallet.command('show')
    .description('show the balance of a wallet')
    .argument('<workspace>', "the workspace's id")
    .addOption(jsonOption())
    .action((workspace: string, options: Json) => show(workspace, options))

  wallet.command('statement')
    .description('show what became of the money, newest first')
    .argument('<workspace>', "the workspace's id")
    .addOption(limitOption())
    .addOption(jsonOption())
    .action((workspace: string, options: Json & { readonly limit?: number }) => statement(workspace, options))

  wallet.command('audit')
    .description("check every workspace's books; exit status 1 if any is off")
    .addOption(jsonOption())
    .action((options: Json) => audit(options))
}

const topUp = (workspace: string, micros: bigint, options: Json & { readonly reference?: string }): Promise<void> =>
  withStorage(async (storage) => {
    const { id } = await workspaceNamed(storage, workspace)
    const { uuidv7 } = await import('uuidv7')
    const balance = await done(storage.ledger.topUp({ workspace: id, micros, reference: options.reference ?? uuidv7(), at: Date.now() }))
    print(options, balanceView(balance), () => shown(balance))
  })

const show = (workspace: string, options: Json): Promise<void> =>
  withStorage(async (storage) => {
    const { id } = await workspaceNamed(storage, workspace)
    const balance = O.toUndefined(await done(storage.ledger.balance(id))) ?? refuse('The workspace has no wallet.')
    print(options, balanceView(balance), () => shown(balance))
  })

const statement = (workspace: string, options: Json & { readonly limit?: number }): Promise<void> =>
  withStorage(async (storage) => {
    const { id, currency } = await workspaceNamed(storage, workspace)
    const entries = await everyItem((query) => storage.ledger.statement(id, query), options.limit)
    print(options, entries.map(entryView), () =>
      entries.length === 0
        ? ['Nothing has moved in this wallet yet.']
        : table(
            ['AT', 'KIND', currency, 'FOR'],
            entries.map((entry) => [iso(entry.at), entry.kind, formatMicros(entry.micros), entry.message ?? entry.reference ?? '']),
          ),
    )
  })

const audit = (options: Json): Promise<void> =>
  withStorage(async (storage) => {
    const { workspaces, broken } = await done(storage.ledger.audit())
    const recategorised = await done(storage.messageLog.recategorised())
    print(options, { workspaces, broken, recategorised }, () => [
      ...(broken.length === 0
        ? [`The books of ${workspaces === 1 ? 'one workspace' : `${workspaces} workspaces`} are exact.`]
        : broken.map(({ workspace, fault }) => `${workspace}: ${fault}`)),
      ...recategorised.map(({ workspace, charged, reported, messages }) =>
        `${workspace}: the platform bills ${messages} of its messages as ${reported}, which were charged as ${charged}`),
    ])
    if (broken.length > 0) process.exitCode = 1
  })

const shown = ({ available, held, currency }: Balance): ReadonlyArray<string> => [
  `available  ${amount(available, currency)}`,
  `held       ${amount(held, currency)}`,
]
