import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { readConfig, type Config, type Env } from '../server/config.js'
import { makeLog } from '../server/log.js'
import { loadRateCard } from '../server/rate-card.js'
import { serve } from '../server/serve.js'
import { startSimulator } from '../simulator/simulator.js'
import { perform } from './request.js'

/** A gateway and a stand-in for the platform, talking to each other over HTTP, on an empty database. */
export type Stage = {
  readonly gatewayUrl: string
  readonly simulatorUrl: string
  /** What the operator's commands need to reach the same database. */
  readonly env: Env
  readonly storage: KnexStorage
  /** Stops everything and removes the database. */
  readonly strike: () => Promise<void>
}

/** Sets the stage: a folder of its own, fresh secrets, free ports. */
export const setStage = async (): Promise<Stage> => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-demo-'))
  const closing: Array<() => Promise<unknown>> = [() => rm(folder, { recursive: true, force: true })]
  const strikeNow = async (): Promise<void> => {
    for (const close of closing.reverse()) await close()
  }
  let striking: Promise<void> | undefined
  // Ctrl-C can come while the story ends by itself; both wait for the same end.
  const strike = (): Promise<void> => (striking ??= strikeNow())
  try {
    const [secret = '', verifyToken = '', appSecret = ''] = Array.from({ length: 3 }, () => randomBytes(24).toString('hex'))
    const simulator = await startSimulator({ port: 0 })
    closing.push(() => simulator.close())
    const env: Env = {
      DATABASE_URL: `sqlite:${join(folder, 'postern.db')}`, POSTERN_SECRET: secret, PORT: '0',
      PLATFORM_URL: simulator.url, PLATFORM_VERIFY_TOKEN: verifyToken, PLATFORM_APP_SECRET: appSecret,
    }
    const card = await loadRateCard(undefined)
    if (E.isLeft(card)) throw new Error(card.left.join(' '))
    const gateway = await serve(configOf(env), card.right, makeLog('silent'))
    closing.push(gateway.stop)
    const webhook = { url: `${gateway.url}/webhooks/platform`, appSecret, verifyToken }
    await perform({ method: 'POST', url: `${simulator.url}/_simulator/webhook`, body: webhook })
    return { gatewayUrl: gateway.url, simulatorUrl: simulator.url, env, storage: gateway.storage, strike }
  } catch (error) {
    await strike()
    throw error
  }
}

const configOf = (env: Env): Config => {
  const config = readConfig(env)
  if (E.isLeft(config)) throw new Error(config.left.join(' '))
  return config.right
}
