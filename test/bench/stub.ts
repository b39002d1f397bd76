import { createServer } from 'node:http'
import { answerQuestions, listenAndAnnounce } from './answering.js'

/** A platform that accepts everything, as cheaply as it can be done; asked anything, it tells how many sends it has taken. */
let taken = 0

/** The platform's ids are in no order, and ids in order would make an index of them look cheaper than it is. */
const scattered = (count: number): string => (Math.imul(count, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')

const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => {
    taken += 1
    const body = `{"messaging_product":"whatsapp","contacts":[{"input":"+15550100001","wa_id":"15550100001"}],"messages":[{"id":"wamid.HBgL${scattered(taken)}"}]}`
    response.writeHead(200, { 'Content-Type': 'application/json; charset=UTF-8', 'Content-Length': body.length })
    response.end(body)
  })
})
// Never closes an idle connection, so that no relay loses a request to a connection that is just being closed.
server.keepAliveTimeout = 0
listenAndAnnounce(server)
answerQuestions(async () => taken)
