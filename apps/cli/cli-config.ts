import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Auditing } from '../../core/access/acting.js'
import type { Emission } from '../../core/kernel/outbox.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import type { RateCards } from '../../core/money/rate-card.js'
import { makeFindWorkspace } from '../../core/workspaces/use-cases.js'
import type { Config } from '../server/config.js'
import { fail, unwrap } from './output.js'
import type { Shell } from './shell.js'

/** The configuration, decoded; a line for each variable that is wrong ends the command. */
export const loadConfig = async ({ env }: Shell): Promise<Config> => {
  const { readConfig } = await import('../server/config.js')
  const config = readConfig(env)
  return E.isRight(config) ? config.right : fail(config.left.join('\n'))
}

/** The rate cards the configuration names. */
export const rateCardsOf = async (config: Config): Promise<RateCards> => {
  const { loadRateCards } = await import('../server/rate-card.js')
  const cards = await loadRateCards(config.rateCard)
  return E.isRight(cards) ? cards.right : fail(cards.left.join('\n'))
}

/** Ends a command that would store something encrypted, if `POSTERN_SECRET` is not set. */
export const requireSecret = ({ secret }: Config, encrypted: string): void => {
  if (secret === undefined) fail(`POSTERN_SECRET is not set; it encrypts ${encrypted}, and the gateway needs the same one.`)
}

/** The database, what makes the events of an operator's acts, and what notes them. */
export type CliStorage = KnexStorage & { readonly events: Emission; readonly audit: Auditing }

/** Opens the database, which has to be up to date, for one use, and closes it afterwards. */
export const withStorage = async <A>(shell: Shell, use: (storage: CliStorage, config: Config) => Promise<A>): Promise<A> => {
  const config = await loadConfig(shell)
  const [{ openStorage }, { emissionOf }, { auditingOf }] = await Promise.all([
    import('../../adapters/knex/index.js'), import('../server/deps.js'), import('../server/deps.js'),
  ])
  const storage = openStorage({ url: config.databaseUrl, secret: config.secret, broker: config.events.brokerUrl !== undefined })
  try {
    const diagnosis = await storage.diagnosis()
    if (diagnosis !== undefined) return fail(`The database cannot be used: ${diagnosis.fault}. ${diagnosis.remedy}`)
    return await use({ ...storage, events: emissionOf(storage), audit: auditingOf(storage) }, config)
  } finally {
    await storage.close()
  }
}

/** Opens the database for one use of a workspace, which is given by its id or its name. */
export const withWorkspace = <A>(
  shell: Shell, idOrName: string, use: (storage: CliStorage, workspace: Workspace, config: Config) => Promise<A>,
): Promise<A> =>
  withStorage(shell, async (storage, config) => use(storage, await unwrap(makeFindWorkspace(storage)(idOrName)), config))
