import { setTimeout as delay } from 'node:timers/promises'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Readiness } from '../../adapters/koa/index.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import { shareResult } from './share-result.js'

const DEADLINE_MS = 4 * SECOND_MS

type CheckedStorage = Pick<KnexStorage, 'readiness' | 'senderFault'>

/** Ready means that the database answers, is up to date, and its stored senders can be read. The answer is kept for one second. */
export const gatewayReadiness = (storage: CheckedStorage): (() => Promise<Readiness>) =>
  shareResult(SECOND_MS, () => Promise.race([check(storage), late()]))

const check = async (storage: CheckedStorage): Promise<Readiness> => {
  const database = await storage.readiness()
  if (!database.ready) return database
  const fault = await storage.senderFault()
  return fault === undefined ? database : { ready: false, reasons: [fault] }
}

const late = (): Promise<Readiness> => delay(DEADLINE_MS, { ready: false, reasons: ['the database does not answer'] }, { ref: false })
