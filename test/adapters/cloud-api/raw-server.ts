import { createServer, type Socket } from 'node:net'
import { listening } from '../../support/listening.js'

/** A server that reads whole requests off a socket and lets a test write every byte that it answers. */
export type RawServer = {
  readonly url: string
  /** How many requests arrived whole. */
  readonly arrived: () => number
  /** How many connections were opened. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/** Answers one request; `nth` counts the requests of its connection from 1. */
export type Respond = (socket: Socket, nth: number) => void | Promise<void>

const BODY = '{"messages":[{"id":"wamid.1"}]}'

/** An answer that accepts a message and says nothing of closing the connection. */
export const ACCEPTED = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`

/** Opens a server. Requests that arrive on a connection which the server has ended are not answered. */
export const openRawServer = async (respond: Respond): Promise<RawServer> => {
  let arrived = 0
  let connections = 0
  const { url, close } = await listening(createServer((socket) => {
    connections += 1
    socket.on('error', () => undefined)
    let unread = ''
    let nth = 0
    socket.on('data', (chunk) => {
      unread += chunk.toString('latin1')
      for (let end = endOfRequest(unread); end !== undefined; end = endOfRequest(unread)) {
        unread = unread.slice(end)
        arrived += 1
        nth += 1
        if (socket.writable) void respond(socket, nth)
      }
    })
  }))
  return { url, arrived: () => arrived, connections: () => connections, close }
}

/** Where the first whole request of a text ends; `undefined` where there is none. */
const endOfRequest = (text: string): number | undefined => {
  const head = text.indexOf('\r\n\r\n')
  const length = Number(/\r\ncontent-length: ([0-9]+)\r\n/i.exec(text)?.[1] ?? 0)
  return head !== -1 && text.length >= head + 4 + length ? head + 4 + length : undefined
}
