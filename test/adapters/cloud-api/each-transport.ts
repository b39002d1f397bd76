import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import { type ClosableTransport, CONNECTION_REST_MS, type HttpRequest, type TransportResult } from '../../../adapters/cloud-api/transport.js'
import { makeUndiciTransport } from '../../../adapters/cloud-api/undici-transport.js'
import { listening } from '../../support/listening.js'
import { type Network, openNetwork } from './network.js'

export const SECRET = 'EAAG-secret-token'

export const to = (origin: string, change: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST', origin, path: '/v25.0/42/messages', timeoutMs: 5_000, body: '{"to":"+4915112345678","text":"Grüße"}',
  headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }, ...change,
})

/** Lets Node.js read and write what is ready. */
export const aTurnLater = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** Waits until the connections of answers that came before may be used again. */
export const untilRested = async (): Promise<void> => {
  await delay(2 * CONNECTION_REST_MS)
  await aTurnLater()
}

export const tagAndCause = (result: TransportResult): string =>
  result._tag === 'Answered' ? 'Answered' : `${result._tag}: ${result.cause.message}`

/** A transport, a real HTTP server for it, and a server that speaks whatever bytes a test says. */
export type TransportWorld = {
  readonly transport: ClosableTransport
  readonly network: Network
  /** Speaks once the first bytes of a request are there. Resolves to host and port. */
  readonly speaking: (speak: (socket: Socket) => void) => Promise<string>
}

/** Runs tests for each transport; `world()` is the current test's. */
export const describeTransports = (what: string, tests: (world: () => TransportWorld) => void): void => {
  for (const [name, makeTransport] of [['got', makeGotTransport], ['undici', makeUndiciTransport]] as const) {
    describe(`the ${name} transport ${what}`, () => {
      let world: TransportWorld
      let closeRaw: () => Promise<void>

      beforeEach(async () => {
        closeRaw = () => Promise.resolve()
        const speaking: TransportWorld['speaking'] = async (speak) => {
          const { port, close } = await listening(
            createServer((socket) => socket.on('error', () => undefined).once('data', () => speak(socket))),
          )
          closeRaw = close
          return `127.0.0.1:${port}`
        }
        world = { transport: makeTransport(), network: await openNetwork(), speaking }
      })

      afterEach(async () => {
        await world.transport.close()
        await world.network.close()
        await closeRaw()
      })

      tests(() => world)
    })
  }
}
