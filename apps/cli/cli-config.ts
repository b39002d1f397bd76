import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import type { RateCards } from '../../core/money/rate-card.js'
import type { AdministrationPorts } from '../../core/ports.js'
import type { Administration } from '../../core/postern.js'
import type { AdministrationSettings } from '../../core/settings.js'
import type { Config } from '../server/config.js'
import { fail, StorageFailed, unwrap } from './output.js'
import type { Shell } from './shell.js'

/** The configuration, decoded. If a variable is wrong, the command ends with one line for each wrong variable. */
export const loadConfig = async ({ env }: Shell): Promise<Config> => {
  const { readConfig } = await import('../server/config.js')
  const config = readConfig(env)
  return E.isRight(config) ? config.right : fail(config.left.join('\n'))
}

/** The rate cards that the configuration names. */
export const rateCardsOf = async (config: Config): Promise<RateCards> => {
  const { loadRateCards } = await import('../server/rate-card.js')
  const cards = await loadRateCards(config.rateCard)
  return E.isRight(cards) ? cards.right : fail(cards.left.join('\n'))
}

/** Ends a command that would store something encrypted, if `POSTERN_SECRET` is not set. */
export const requireSecret = ({ secret }: Config, encrypted: string): void => {
  if (secret === undefined) fail(`POSTERN_SECRET is not set; it encrypts ${encrypted}. Set it to the same secret as for the gateway.`)
}

/** The use cases and ports of a command while the database is open. */
export type Opened = {
  readonly storage: KnexStorage
  /** The use cases of operators. At the command line, the operator's claims about senders are trusted, because an operator can see every workspace anyway. */
  readonly postern: Administration
  /** The ports from which other use cases can be made. */
  readonly ports: AdministrationPorts
  readonly settings: AdministrationSettings
  readonly config: Config
}

/** Opens the database, which has to be up to date, for one use, and closes it after that use. A use that needs prices asks for the rate cards. */
export const withStorage = async <A>(
  shell: Shell, use: (opened: Opened) => Promise<A>, pricesAre: 'needed' | 'not needed' = 'not needed',
): Promise<A> => {
  const config = await loadConfig(shell)
  const cards = pricesAre === 'needed' ? await rateCardsOf(config) : undefined
  const [
    { openStorage, sayFault }, { knownFault }, { SecretUnusable }, { machine }, { makeAdministration }, { cardAt },
  ] = await Promise.all(
    [
      import('../../adapters/knex/index.js'), import('../../adapters/knex/engine/faults.js'), import('../../adapters/knex/secret-box.js'),
      import('../../adapters/machine/machine.js'), import('../../core/postern.js'), import('../../core/money/rate-card.js'),
    ],
  )
  const storage = openStorage({ url: config.databaseUrl, secret: config.secret, broker: config.events.brokerUrl !== undefined })
  const rateCard = (at = Date.now()) => {
    if (cards === undefined) throw new TypeError('this command did not ask for prices')
    return cardAt(cards, at)
  }
  try {
    const diagnosis = await storage.diagnosis()
    if (diagnosis !== undefined) return fail(sayFault(diagnosis))
    // A command reads over the connection that it writes over: a second one would take longer to open than the command takes.
    const ports: AdministrationPorts = { ...storage, reading: undefined, senderVerification: 'trusted' }
    const settings = {
      ...machine, ...config.limits, portfolioLimit: config.portfolioLimit, rateCard,
      ...(config.senderLimit !== undefined && {
        senderLimit: { perSecond: config.senderLimit, maxWaitMs: 0, wait: async () => undefined },
      }),
    }
    return await use({ storage, postern: makeAdministration(ports, settings), ports, settings, config })
  } catch (error) {
    if (!(error instanceof StorageFailed)) throw error
    if (error.cause instanceof SecretUnusable) return fail(secretSentence(error.cause.message))
    const known = knownFault(config.databaseUrl, error.cause)
    return fail(known === undefined ? error.message : sayFault(known))
  } finally {
    await storage.close()
  }
}

const secretSentence = (fault: string): string =>
  `${fault.slice(0, 1).toUpperCase()}${fault.slice(1)}. Set that secret again, or store new ones with \`postern sender set\` and \`postern endpoint rotate\`.`

/** Opens the database for one use of a workspace, which is given by its id or its name. */
export const withWorkspace = <A>(
  shell: Shell, idOrName: string, use: (opened: Opened, workspace: Workspace) => Promise<A>, pricesAre?: 'needed' | 'not needed',
): Promise<A> =>
  withStorage(shell, async (opened) => use(opened, await unwrap(opened.postern.workspaces.findWorkspace(idOrName))), pricesAre)
