import { createServer } from 'node:http'
import { listenAndAnnounce, serveRequests } from './ipc-server.js'

/**
 * The application of the bench: accepts every event at minimal cost, without checking the signature. Requests under `/dead` never get a response.
 *
 * A request over IPC returns the arrivals since the last one: the number of events for each path, and the arrival time of each event of a customer's message.
 */
export type Arrivals = {
  readonly counts: Readonly<Record<string, number>>
  readonly received: ReadonlyArray<readonly [id: string, at: number]>
}

let counts = new Map<string, number>()
let received: Array<readonly [string, number]> = []

const RECEIVED = /"type":"message\.received".*?"data":\{"id":"([^"]+)"/

const server = createServer((request, response) => {
  const { url = '' } = request
  if (url.startsWith('/dead')) return void request.resume()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.once('end', () => {
    const id = RECEIVED.exec(Buffer.concat(chunks).toString('latin1'))?.[1]
    if (id !== undefined) received.push([id, performance.timeOrigin + performance.now()])
    counts.set(url, (counts.get(url) ?? 0) + 1)
    response.writeHead(204).end()
  })
})
server.keepAliveTimeout = 0
void listenAndAnnounce(server)
serveRequests(async (): Promise<Arrivals> => {
  const arrivals = { counts: Object.fromEntries(counts), received }
  counts = new Map()
  received = []
  return arrivals
})
