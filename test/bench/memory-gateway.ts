import { createServer, type RequestListener } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { makeMemoryStorage } from '../../adapters/memory/index.js'
import { readConfig } from '../../apps/server/config.js'
import { HTTP_APP, makeContainer, STORAGE } from '../../apps/server/container.js'
import { logOutput, makeLog } from '../../apps/server/log.js'
import { loadRateCards } from '../../apps/server/rate-card.js'
import { checkBooks } from './check-books.js'
import { listenAndAnnounce, serveRequests } from './ipc-server.js'
import { makeTenants } from './tenants.js'

/**
 * The gateway over storage in memory, which `postern serve` does not offer.
 *
 * A reset creates new storage with a number of workspaces and returns them; a check runs the audit.
 */
export type MemoryRequest = { readonly reset: number } | 'check'

const config = readConfig(process.env)
const cards = await loadRateCards(undefined)
if (E.isLeft(config) || E.isLeft(cards)) throw new Error('the configuration of the bench is invalid')

const output = logOutput(process.stdout)

const begin = (): { readonly handle: RequestListener; readonly storage: ReturnType<typeof makeMemoryStorage> } => {
  const storage = makeMemoryStorage()
  const container = makeContainer(config.right, cards.right, makeLog('info', output))
  container.rebind(STORAGE).toConstantValue({
    ...storage,
    reading: storage,
    migrate: async () => ({ from: 0, to: 0 }),
    diagnosis: async () => undefined, tryDatabaseHosts: async () => [], readiness: async () => ({ ready: true, reasons: [] }),
    gateways: { note: async () => undefined, remove: async () => undefined, list: async () => [] },
    senderFault: async () => undefined, lowestBalances: async () => [],
    removeExpiredClaims: async () => 0, addUpLedgers: async () => true, compareNames: async () => true, installation: async () => 'bench',
    close: async () => undefined,
  })
  const handle = container.get(HTTP_APP).callback()
  return { storage, handle: (request, response) => void handle(request, response) }
}

let gateway = begin()
void listenAndAnnounce(createServer((request, response) => gateway.handle(request, response)))
serveRequests(async (asked) => {
  const request = asked as MemoryRequest
  if (request === 'check') return checkBooks(gateway.storage)
  gateway = begin()
  return makeTenants(gateway.storage, request.reset)
})
