import type { Command } from 'commander'
import type { Currency } from '../../core/money.js'
import { workspaceIdOf, type Workspace } from '../../core/workspace.js'
import { currency, jsonOption, name } from './arguments.js'
import { iso, print, table } from './output.js'
import { done, refuse } from './refusal.js'
import { rateCard, withStorage } from './setting.js'

type CreateOptions = { readonly currency?: Currency; readonly json?: boolean }

/** `postern workspace …`: the tenants. */
export const addWorkspaceCommands = (program: Command): void => {
  const workspace = program.command('workspace').description('the tenants')

  workspace.command('create')
    .description('make a workspace with an empty wallet')
    .argument('<name>', 'a name for people', name)
    .option('--currency <code>', "the wallet's currency; the rate card's where it is not given", currency)
    .addOption(jsonOption())
    .action((called: string, options: CreateOptions) => create(called, options))

  workspace.command('list')
    .description('show every workspace, oldest first')
    .addOption(jsonOption())
    .action((options: { readonly json?: boolean }) => list(options))
}

/** A wallet in a currency without prices could never pay for anything. */
const create = (called: string, options: CreateOptions): Promise<void> =>
  withStorage(async (storage, config) => {
    const card = await rateCard(config)
    const wanted = options.currency ?? card.currency
    if (wanted !== card.currency) refuse(`The rate card's prices are in ${card.currency}, so a workspace in ${wanted} could send nothing.`)
    const { uuidv7 } = await import('uuidv7')
    const made: Workspace = { id: workspaceIdOf(uuidv7()), name: called, currency: wanted, createdAt: Date.now() }
    await done(storage.workspaces.create(made))
    print(options, shown(made), () => [`Workspace ${made.id} (${made.name}) is made; its wallet is in ${made.currency} and empty.`])
  })

const list = (options: { readonly json?: boolean }): Promise<void> =>
  withStorage(async (storage) => {
    const workspaces = await done(storage.workspaces.list())
    print(options, workspaces.map(shown), () =>
      workspaces.length === 0
        ? ['There is no workspace yet; `postern workspace create NAME` makes one.']
        : table(['ID', 'CURRENCY', 'CREATED', 'NAME'], workspaces.map((one) => [one.id, one.currency, iso(one.createdAt), one.name])),
    )
  })

const shown = ({ id, name: called, currency: of }: Workspace) => ({ id, name: called, currency: of })
