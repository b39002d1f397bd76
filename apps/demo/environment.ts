import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { RateCard } from '../../core/money/rate-card.js'
import type { Postern } from '../../core/postern.js'
import { type Config, type Env, readConfig } from '../server/config.js'
import { makeLog } from '../server/log.js'
import { loadRateCards } from '../server/rate-card.js'
import { serve } from '../server/serve.js'
import { type Simulator, startSimulator } from '../simulator/simulator.js'
import { skipWindows } from './printer.js'
import { sendRequest } from './request.js'
import { type Receiver, startReceiver } from './steps.js'

/** A gateway, a simulator of the platform and an application, connected over HTTP, with an empty database. */
export type Environment = {
  readonly gatewayUrl: string
  readonly simulatorUrl: string
  readonly simulator: Pick<Simulator, 'remember'>
  /** The application to which events can be delivered. */
  readonly receiver: Receiver
  /** The environment with which the operator's commands reach the same database. */
  readonly env: Env
  readonly storage: KnexStorage
  /** The file of the database. */
  readonly file: string
  /** The gateway's use cases. */
  readonly postern: Postern
  readonly card: RateCard
  /** Something to close with everything else. */
  readonly onClose: (close: () => Promise<unknown>) => void
  /** Stops everything and removes the database. */
  readonly close: () => Promise<void>
}

/** The ports in the README's commands, so that a reader can run them against the demonstration. */
const [GATEWAY_PORT, SIMULATOR_PORT] = [3_000, 4_010]

/** The port of the sign-in link, so that the link stays the same from one run to the next. */
export const DASHBOARD_PORT = 3_001

/** Starts a server on a port, or on any free port if that port is taken. */
export const onPort = async <A>(port: number, start: (port: number) => Promise<A>): Promise<A> => {
  try {
    return await start(port)
  } catch {
    return start(0)
  }
}

/** Starts everything in a new folder and with new secrets, on the ports that the README names if these are requested and free. */
export const openEnvironment = async ({ usesKnownPorts }: { readonly usesKnownPorts: boolean }): Promise<Environment> => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-demo-'))
  const closing: Array<() => Promise<unknown>> = [() => rm(folder, { recursive: true, force: true })]
  const closeAll = async (): Promise<void> => {
    for (const step of closing.reverse()) await step()
  }
  let closed: Promise<void> | undefined
  // Ctrl-C may arrive while the demonstration ends by itself; then both wait for the same `close`.
  const close = (): Promise<void> => (closed ??= closeAll())
  try {
    const [secret = '', verifyToken = '', appSecret = ''] = Array.from({ length: 3 }, () => randomBytes(24).toString('hex'))
    const file = join(folder, 'postern.db')
    const simulator = await onPort(usesKnownPorts ? SIMULATOR_PORT : 0, (port) =>
      startSimulator({ port, onSkip: (ms) => skipWindows(file, ms) }))
    closing.push(() => simulator.close())
    const receiver = await startReceiver()
    closing.push(() => receiver.close())
    const env: Env = {
      DATABASE_URL: `sqlite:${file}`, POSTERN_SECRET: secret, MESSAGE_CONTENT: 'keep',
      PLATFORM_URL: simulator.url, PLATFORM_VERIFY_TOKEN: verifyToken, PLATFORM_APP_SECRET: appSecret,
      // The application runs on this machine, and a gateway does not deliver to this machine unless it is allowed.
      EVENTS_ALLOW: '127.0.0.0/8',
    }
    const cards = await loadRateCards(undefined)
    if (E.isLeft(cards)) throw new Error(cards.left.join(' '))
    const config = configOf(env)
    const gateway = await onPort(usesKnownPorts ? GATEWAY_PORT : 0, (port) =>
      serve({ ...config, http: { ...config.http, port } }, cards.right, makeLog('silent')))
    closing.push(gateway.stop)
    const webhook = { url: `${gateway.url}/webhooks/platform`, appSecret, verifyToken }
    await sendRequest({ method: 'POST', url: `${simulator.url}/_simulator/webhook`, body: webhook })
    return {
      gatewayUrl: gateway.url,
      simulatorUrl: simulator.url,
      simulator,
      file,
      receiver,
      env,
      storage: gateway.storage,
      postern: gateway.postern,
      card: cards.right[0],
      onClose: (step) => void closing.push(step),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const configOf = (env: Env): Config => {
  const config = readConfig(env)
  if (E.isLeft(config)) throw new Error(config.left.join(' '))
  return config.right
}
