import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SECOND_MS } from '../../core/time.js'

/** Where a server listens; port 0 takes a free one. */
export type Address = { readonly host: string; readonly port: number }

/** Answers a request; done once the answer is in the server's hands. Never rejects. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** A server that listens. */
export type Listening = {
  /** The address it is reached at, without a trailing slash. */
  readonly url: string
  readonly port: number
  /**
   * Takes no new work and waits for what is under way, so many milliseconds at most; the rest is cut off.
   *
   * Right after the last answer its connection is closed. Answers how many were cut off.
   */
  readonly stop: (timeoutMs: number) => Promise<number>
  /** Waits until every request is done with, those that were cut off too. */
  readonly idle: () => Promise<void>
}

/**
 * Proxies keep idle connections for 60 seconds as a rule; a server that closes first loses requests on their way to it.
 * The other limits end clients that send their request too slowly on purpose.
 */
const LIMITS: ServerOptions = {
  keepAliveTimeout: 75 * SECOND_MS,
  headersTimeout: 20 * SECOND_MS,
  requestTimeout: 60 * SECOND_MS,
  connectionsCheckingInterval: 5 * SECOND_MS,
}

/** Serves HTTP at an address. Rejects with a sentence where it cannot listen there. */
export const listen = async (handle: Handle, address: Address): Promise<Listening> => {
  const underWay = new Map<ServerResponse, Promise<void>>()
  let stopping = false
  const server = createServer(LIMITS, (request, response) => {
    if (stopping) response.setHeader('Connection', 'close')
    underWay.set(response, handle(request, response).finally(() => underWay.delete(response)))
  })
  await bound(server, address)
  const { port } = server.address() as AddressInfo

  return {
    url: `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${port}`,
    port,
    stop: async (timeoutMs) => {
      stopping = true
      for (const response of underWay.keys()) if (!response.headersSent) response.setHeader('Connection', 'close')
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      let cut = 0
      const timer = setTimeout(() => {
        cut = underWay.size
        server.closeAllConnections()
      }, timeoutMs)
      await closed
      clearTimeout(timer)
      return cut
    },
    idle: async () => {
      await Promise.all(underWay.values())
    },
  }
}

const bound = (server: Server, { host, port }: Address): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Error(sentenceOf(error, host, port))))
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })

const sentenceOf = ({ code }: NodeJS.ErrnoException, host: string, port: number): string => {
  switch (code) {
    case 'EADDRINUSE': return `Port ${port} on ${host} is in use already; choose another one.`
    case 'EACCES': return `Port ${port} on ${host} is not allowed to this user; choose one above 1023.`
    case 'EADDRNOTAVAIL': case 'ENOTFOUND': return `This machine has no address ${host}; set HOST to one it has.`
    case undefined: default: return `Listening on ${host}, port ${port}, failed: ${code ?? 'no reason given'}.`
  }
}
