import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A network before an HTTP server, in which each request takes a random time. */
export type LateNetwork = { readonly url: string; readonly close: () => Promise<void> }

/** Starts a network before the server of a URL, which delays each request by up to a number of milliseconds. The responses are not delayed. */
export const openLateNetwork = async (to: string, maxDelayMs: number): Promise<LateNetwork> => {
  const { hostname, port } = new URL(to)
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const chunks: Array<Buffer> = []
    incoming.on('data', (chunk: Buffer) => { chunks.push(chunk) })
    incoming.on('end', () => {
      void delay(Math.random() * maxDelayMs).then(() => {
        const forwarded = request({ hostname, port, method, path: url, headers, agent }, (response) => {
          outgoing.writeHead(response.statusCode ?? 502, response.headers)
          response.pipe(outgoing)
        })
        forwarded.on('error', () => { outgoing.destroy() })
        forwarded.end(Buffer.concat(chunks))
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
