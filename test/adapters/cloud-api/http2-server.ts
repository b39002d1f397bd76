import { once } from 'node:events'
import { createSecureServer, type Http2Server, type SecureServerOptions, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import type { ClosableTransport, TransportOptions } from '../../../adapters/cloud-api/transport.js'
import { makeUndiciTransport } from '../../../adapters/cloud-api/undici-transport.js'
import { untrustedCertificate } from './untrusted-certificate.js'

/** What a server does with a call whose whole request it has read. */
export type Respond = (stream: ServerHttp2Stream, nth: number) => void

/** A server that speaks HTTP/2 over TLS, and counts. */
export type TestServer = {
  readonly url: string
  readonly server: Http2Server
  /** The bodies of the calls that arrived whole, in their order. */
  readonly arrived: ReadonlyArray<string>
  /** The connections on which HTTP/2 was spoken. */
  readonly sessions: ReadonlyArray<ServerHttp2Session>
  /** Every connection's socket, whatever is spoken on it. */
  readonly sockets: ReadonlyArray<Socket>
  respond: Respond
  /** Ends all connections and refuses new ones. */
  readonly stop: () => Promise<void>
}

export const BODY = '{"messages":[{"id":"wamid.1"}]}'

/** Answers as the platform does. */
export const accept: Respond = (stream) => {
  stream.respond({ ':status': 200, 'content-type': 'application/json' })
  stream.end(BODY)
}

/** Never answers. */
export const hold: Respond = () => undefined

/** The tests' servers and transports, which `closeAll` closes. */
export const makeFixture = (makeTransport: typeof makeGotTransport) => {
  const closers: (() => Promise<unknown>)[] = []
  return {
    serve: async (options: SecureServerOptions = {}): Promise<TestServer> => {
      const arrived: string[] = []
      const sessions: ServerHttp2Session[] = []
      const sockets: Socket[] = []
      const server = createSecureServer({ ...untrustedCertificate, ...options })
      const stop = async (): Promise<void> => {
        for (const socket of sockets) socket.destroy()
        if (!server.listening) return
        server.close()
        await once(server, 'close')
      }
      const world: TestServer = { url: '', server, arrived, sessions, sockets, respond: accept, stop }
      server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => undefined)))
      server.on('session', (session) => sessions.push(session.on('error', () => undefined)))
      server.on('stream', (stream: ServerHttp2Stream) => {
        stream.on('error', () => undefined)
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          arrived.push(Buffer.concat(chunks).toString())
          world.respond(stream, arrived.length)
        })
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      closers.push(stop)
      return Object.assign(world, { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` })
    },
    open: (options: TransportOptions = {}): ClosableTransport => {
      const transport = makeTransport({ http2: true, ca: untrustedCertificate.cert, ...options })
      closers.push(transport.close)
      return transport
    },
    closeAll: async (): Promise<void> => {
      for (const close of closers.splice(0).reverse()) await close()
    },
  }
}

/** Runs tests with each transport; `fixture` is closed after every test. */
export const describeHttp2 = (what: string, tests: (fixture: ReturnType<typeof makeFixture>) => void): void => {
  for (const [name, makeTransport] of [['got', makeGotTransport], ['undici', makeUndiciTransport]] as const) {
    describe(`the ${name} transport ${what}`, () => {
      const fixture = makeFixture(makeTransport)
      afterEach(() => fixture.closeAll())
      tests(fixture)
    })
  }
}
