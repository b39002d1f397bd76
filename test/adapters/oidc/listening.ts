import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on a free port of this machine. */
export type Listening = AsyncDisposable & { readonly url: string }

/** Starts a server; `handlerOf` gets its address, which providers have to know. */
export const listenOnLoopback = async (handlerOf: (url: string) => RequestListener): Promise<Listening> => {
  let handler: RequestListener = (_, response) => response.writeHead(503).end()
  const server = createServer((request, response) => handler(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  handler = handlerOf(url)
  return {
    url,
    [Symbol.asyncDispose]: () => new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    }),
  }
}
