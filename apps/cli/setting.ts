import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { RateCard } from '../../core/rate-card.js'
import { isWorkspaceId, type Workspace } from '../../core/workspace.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Config } from '../server/config.js'
import { done, refuse } from './refusal.js'

/** The configuration, decoded; a line for each variable that is wrong ends the command. */
export const configuration = async (): Promise<Config> => {
  const { readConfig } = await import('../server/config.js')
  const config = readConfig(process.env)
  return E.isRight(config) ? config.right : refuse(config.left.join('\n'))
}

/** The rate card the configuration names. */
export const rateCard = async (config: Config): Promise<RateCard> => {
  const { loadRateCard } = await import('../server/rate-card.js')
  const card = await loadRateCard(config.rateCard)
  return E.isRight(card) ? card.right : refuse(card.left.join('\n'))
}

/** Does something with the database, which has to be up to date, and closes it whatever comes. */
export const withStorage = async <A>(use: (storage: KnexStorage, config: Config) => Promise<A>): Promise<A> => {
  const config = await configuration()
  const { openStorage } = await import('../../adapters/knex/index.js')
  const storage = openStorage({ url: config.databaseUrl, secret: config.secret })
  try {
    const { ready, reasons } = await storage.readiness()
    if (!ready) return refuse(`${reasons.join('; ')}; see that DATABASE_URL is right and run \`postern migrate\`.`)
    return await use(storage, config)
  } finally {
    await storage.close()
  }
}

/** The workspace an argument names. */
export const workspaceNamed = async (storage: KnexStorage, id: string): Promise<Workspace> => {
  const found = isWorkspaceId(id) ? await done(storage.workspaces.find(id)) : O.none
  return O.isSome(found) ? found.value : refuse(`There is no workspace ${JSON.stringify(id)}; \`postern workspace list\` shows them.`)
}
