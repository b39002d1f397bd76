import * as E from 'fp-ts/lib/Either.js'
import type { RateCards } from '../../core/rate-card.js'
import { makeFindWorkspace } from '../../core/use-cases/find-workspace.js'
import type { Workspace } from '../../core/workspace.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Config } from '../server/config.js'
import { fail, unwrap } from './error-messages.js'

/** The configuration, decoded; a line for each variable that is wrong ends the command. */
export const loadConfig = async (): Promise<Config> => {
  const { readConfig } = await import('../server/config.js')
  const config = readConfig(process.env)
  return E.isRight(config) ? config.right : fail(config.left.join('\n'))
}

/** The rate cards the configuration names. */
export const rateCardsOf = async (config: Config): Promise<RateCards> => {
  const { loadRateCards } = await import('../server/rate-card-file.js')
  const cards = await loadRateCards(config.rateCard)
  return E.isRight(cards) ? cards.right : fail(cards.left.join('\n'))
}

/** Opens the database, which has to be up to date, for one use, and closes it afterwards. */
export const withStorage = async <A>(use: (storage: KnexStorage, config: Config) => Promise<A>): Promise<A> => {
  const config = await loadConfig()
  const { openStorage } = await import('../../adapters/knex/index.js')
  const storage = openStorage({ url: config.databaseUrl, secret: config.secret })
  try {
    const diagnosis = await storage.diagnosis()
    if (diagnosis !== undefined) return fail(`The database cannot be used: ${diagnosis.fault}. ${diagnosis.remedy}`)
    return await use(storage, config)
  } finally {
    await storage.close()
  }
}

/** Opens the database for one use of a workspace, which is given by its id or its name. */
export const withWorkspace = <A>(
  idOrName: string, use: (storage: KnexStorage, workspace: Workspace, config: Config) => Promise<A>,
): Promise<A> =>
  withStorage(async (storage, config) => use(storage, await unwrap(makeFindWorkspace(storage)(idOrName)), config))
