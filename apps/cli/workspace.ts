import { type Command, Option } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Currency } from '../../core/kernel/money.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import { formatMarkup, type Pricing, pricingView } from '../../core/money/pricing.js'
import { commandLine, currency, jsonOption, markup, WORKSPACE } from './arguments.js'
import { withStorage, withWorkspace } from './cli-config.js'
import { fail, iso, type JsonFlag, print, table, unwrap } from './output.js'
import type { Shell } from './shell.js'

type CreateOptions = JsonFlag & { readonly currency?: Currency; readonly again?: boolean }
type SetOptions = JsonFlag & { readonly markup?: bigint | 'off'; readonly rateCard?: string; readonly marketingNeedsConsent?: 'on' | 'off' }
type RenameOptions = JsonFlag & { readonly again?: boolean }

/** `postern workspace …`: the tenants. */
export const addWorkspaceCommands = (program: Command, shell: Shell): void => {
  const workspace = program.command('workspace').description('the tenants')

  workspace.command('create')
    .description('create a workspace with an empty wallet')
    .argument('<name>', 'a name for people')
    .option('--currency <code>', "the wallet's currency (default: the currency of the rate card)", currency)
    .option('--again', 'create it even if another workspace has the same name')
    .addOption(jsonOption())
    .action((name: string, options: CreateOptions) => create(shell, name, options))

  workspace.command('list')
    .description('show every workspace, oldest first')
    .addOption(jsonOption())
    .action((options: JsonFlag) => list(shell, options))

  workspace.command('rename')
    .description('rename a workspace')
    .argument('<workspace>', WORKSPACE)
    .argument('<name>', 'its new name')
    .option('--again', 'use the name even if another workspace has it')
    .addOption(jsonOption())
    .action((workspace: string, name: string, options: RenameOptions) => rename(shell, workspace, name, options))

  workspace.command('set')
    .description('set how a workspace is priced, and whether marketing messages need consent; without an option, show both')
    .argument('<workspace>', WORKSPACE)
    .addOption(
      new Option('--markup <percent>', 'the rate card with a markup, such as 20%, or `off`: the rate card itself').argParser(markup),
    )
    .addOption(
      new Option('--marketing-needs-consent <on|off>', 'send marketing messages only to customers who allowed them').choices(['on', 'off']),
    )
    .addOption(new Option('--rate-card <file>', 'rate cards of its own, in the form of RATE_CARD').conflicts('markup'))
    .addOption(jsonOption())
    .action((workspace: string, options: SetOptions) => set(shell, workspace, options))

  workspace.command('archive')
    .description('archive a workspace: its keys stop working; its balance and messages are kept')
    .argument('<workspace>', WORKSPACE)
    .addOption(jsonOption())
    .action((workspace: string, options: JsonFlag) => archive(shell, workspace, options))
}

const create = (shell: Shell, name: string, options: CreateOptions): Promise<void> =>
  withStorage(shell, async ({ postern }) => {
    const made = await unwrap(postern.workspaces.createWorkspace({
      by: commandLine(), name, ...(options.currency && { currency: options.currency }), ...(options.again && { again: options.again }),
    }))
    print(shell, options, workspaceView(made), () => [`Workspace ${made.id} (${made.name}) is created; its wallet is empty, in ${made.currency}.`])
  }, 'needed')

const list = (shell: Shell, options: JsonFlag): Promise<void> =>
  withStorage(shell, async ({ storage }) => {
    const workspaces = await unwrap(storage.workspaces.list())
    print(shell, options, workspaces.map(workspaceView), () =>
      workspaces.length === 0
        ? ['There is no workspace yet; `postern workspace create NAME` creates one.']
        : table(
            ['ID', 'CURRENCY', 'CREATED', 'ARCHIVED', 'NAME'],
            workspaces.map((one) => [one.id, one.currency, iso(one.createdAt), iso(one.archivedAt) ?? '-', one.name]),
          ),
    )
  })

const rename = (shell: Shell, idOrName: string, name: string, { again, ...options }: RenameOptions): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern }, workspace) => {
    const renamed = await unwrap(
      postern.workspaces.renameWorkspace({ by: commandLine(), workspace: workspace.id, name, ...(again && { again }) }),
    )
    print(shell, options, workspaceView({ ...workspace, name: renamed }), () => [`Workspace ${workspace.id} is now named ${renamed}.`])
  })

const set = (
  shell: Shell, idOrName: string, { markup: ppm, rateCard: file, marketingNeedsConsent: needs, ...options }: SetOptions,
): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern }, { id: workspace }) => {
    if (needs !== undefined) {
      const { setMarketingConsent } = postern.consent ?? fail('This storage keeps no consent.')
      await unwrap(setMarketingConsent({ by: commandLine(), workspace, needsConsent: needs === 'on' }))
    }
    const marked = ppm === undefined || ppm === 'off' ? undefined : { _tag: 'Markup' as const, ppm }
    const pricing = file === undefined ? marked : await cardsIn(file)
    const isShown = ppm === undefined && file === undefined
    const priced = isShown
      ? O.toUndefined(await unwrap(postern.money.showPricing(workspace)))
      : await unwrap(postern.money.setPricing({ by: commandLine(), workspace, pricing }))
    const needsConsent = postern.consent && (await unwrap(postern.consent.showSettings(workspace))).marketingNeedsConsent
    const view = { id: workspace, ...pricingView(priced), ...(needsConsent !== undefined && { marketing_needs_consent: needsConsent }) }
    print(shell, options, view, () => [
      `Workspace ${workspace} pays ${inWords(priced)}.`,
      ...(needsConsent === undefined
        ? []
        : [`Marketing messages are sent ${needsConsent ? 'only to customers who allowed them' : 'to all customers who did not stop them'}.`]),
    ])
  }, 'needed')

const cardsIn = async (file: string): Promise<Pricing> => {
  const { loadRateCards } = await import('../server/rate-card.js')
  const cards = await loadRateCards(file, '--rate-card')
  return E.isLeft(cards) ? fail(cards.left.join(' ')) : { _tag: 'OwnCards', cards: cards.right }
}

const inWords = (pricing: Pricing | undefined): string => {
  if (pricing === undefined) return 'the prices of the rate card'
  return pricing._tag === 'Markup'
    ? `the prices of the rate card and ${formatMarkup(pricing.ppm)}`
    : `the prices of its own rate card, from ${pricing.cards.map(({ effective }) => effective).toSorted().join(', ')}`
}

const archive = (shell: Shell, idOrName: string, options: JsonFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern, storage }, workspace) => {
    await unwrap(postern.workspaces.archiveWorkspace({ by: commandLine(), workspace: workspace.id }))
    const archived = O.getOrElse(() => workspace)(await unwrap(storage.workspaces.find(workspace.id)))
    print(shell, options, workspaceView(archived), () => [`Workspace ${workspace.id} (${workspace.name}) is archived; its keys no longer work.`])
  })

const workspaceView = ({ id, name, currency: of, archivedAt }: Workspace) => ({
  id, name, currency: of, ...(archivedAt !== undefined && { archived_at: iso(archivedAt) }),
})
