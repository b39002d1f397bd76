import { createServer } from 'node:http'
import { serveRequests, listenAndAnnounce } from './ipc-server.js'

/**
 * A stub of the platform that accepts every message at minimal cost, after a number of milliseconds if one is given.
 *
 * A request over IPC returns the number of messages.
 */
const delayMs = Number(process.argv[2] ?? 0)
let taken = 0

/** The platform's ids are in random order; ordered ids would make their index cheaper than it is. */
const scattered = (count: number): string => (Math.imul(count, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')

const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => {
    // A gateway also reads the health of its numbers.
    if (request.method === 'GET') {
      response.writeHead(404, { 'Content-Length': 0 })
      response.end()
      return
    }
    taken += 1
    const body = `{"messaging_product":"whatsapp","contacts":[{"input":"+15550100001","wa_id":"15550100001"}],"messages":[{"id":"wamid.HBgL${scattered(taken)}"}]}`
    const answer = (): void => {
      response.writeHead(200, { 'Content-Type': 'application/json; charset=UTF-8', 'Content-Length': body.length })
      response.end(body)
    }
    if (delayMs === 0) answer()
    else setTimeout(answer, delayMs)
  })
})
// Idle connections stay open, so that no relay sends a request on a closing connection.
server.keepAliveTimeout = 0
void listenAndAnnounce(server)
serveRequests(async () => taken)
