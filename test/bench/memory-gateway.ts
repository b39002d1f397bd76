import * as E from 'fp-ts/lib/Either.js'
import { createServer, type RequestListener } from 'node:http'
import { compiled } from '../support/compiled.js'
import { serveRequests, listenAndAnnounce } from './ipc-server.js'
import { checkBooks } from './database.js'
import { makeTenants } from './tenants.js'
import type * as memory from '../../adapters/memory/index.js'
import type * as configuring from '../../apps/server/config.js'
import type * as containing from '../../apps/server/container.js'
import type * as logging from '../../apps/server/log.js'
import type * as pricing from '../../apps/server/rate-card-file.js'

/**
 * The compiled gateway over storage in memory, which `postern serve` does not offer.
 *
 * A reset makes new storage with a number of workspaces and answers with them; a check runs the audit.
 */
export type MemoryRequest = { readonly reset: number } | 'check'

const { makeContainer, HTTP_APP, STORAGE } = (await import(compiled('apps/server/container.js'))) as typeof containing
const { readConfig } = (await import(compiled('apps/server/config.js'))) as typeof configuring
const { loadRateCards } = (await import(compiled('apps/server/rate-card-file.js'))) as typeof pricing
const { makeLog } = (await import(compiled('apps/server/log.js'))) as typeof logging
const { makeMemoryStorage } = (await import(compiled('adapters/memory/index.js'))) as typeof memory

const config = readConfig(process.env)
const cards = await loadRateCards(undefined)
if (E.isLeft(config) || E.isLeft(cards)) throw new Error('the configuration of the bench is invalid')

const begin = (): { readonly handle: RequestListener; readonly storage: ReturnType<typeof makeMemoryStorage> } => {
  const storage = makeMemoryStorage()
  const container = makeContainer(config.right, cards.right, makeLog('info'))
  container.rebind(STORAGE).toConstantValue({
    ...storage,
    migrate: async () => ({ from: 0, to: 0 }),
    diagnosis: async () => undefined, tryDatabaseHosts: async () => [], readiness: async () => ({ ready: true, reasons: [] }),
    gateways: { note: async () => undefined, remove: async () => undefined, list: async () => [] },
    senderFault: async () => undefined, lowestBalances: async () => [],
    removeExpiredClaims: async () => 0,
    lease: async () => true,
    close: async () => undefined,
  })
  const handle = container.get(HTTP_APP).callback()
  return { storage, handle: (request, response) => void handle(request, response) }
}

let gateway = begin()
listenAndAnnounce(createServer((request, response) => gateway.handle(request, response)))
serveRequests(async (asked) => {
  const request = asked as MemoryRequest
  if (request === 'check') return checkBooks(gateway.storage)
  gateway = begin()
  return makeTenants(gateway.storage, request.reset)
})
