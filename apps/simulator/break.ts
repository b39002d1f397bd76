import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Breakage } from './faults.js'
import { write, type Reply } from './http.js'
import type { World } from './world.js'

const DRIPS = 40

/** Answers in the way that the fault says, which may be not at all. */
export const answerBroken = (
  how: Breakage, world: World, request: IncomingMessage, response: ServerResponse, reply: Reply,
): void => {
  const { drip, late } = world.settings().delays
  switch (how) {
    case 'hang': return
    case 'reset': case 'resetEarly': return void request.socket.resetAndDestroy()
    case 'close': return void request.socket.destroy()
    case 'html502': return write(response, page(502, 'Bad Gateway'))
    case 'html503': return write(response, page(503, 'Service Unavailable'))
    case 'garbage': return write(response, { ...reply, status: 200, body: '\u0000\ufffd{]for (;;);' })
    case 'empty': return write(response, { ...reply, status: 200, body: '' })
    case 'error': return write(response, reply)
    case 'late': return world.timers.after(late, () => write(response, reply))
    case 'truncated': return truncate(request, response, reply)
    case 'drip': {
      response.writeHead(reply.status, { ...reply.headers, 'content-length': String(Buffer.byteLength(reply.body)) })
      const body = Buffer.from(reply.body)
      return trickle(world, response, body, Math.max(1, Math.ceil(body.length / DRIPS)), drip / DRIPS)
    }
  }
}

const page = (status: number, title: string): Reply => ({
  status, headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!DOCTYPE html><html><head><title>${status} ${title}</title></head><body><h1>${title}</h1></body></html>`,
})

/** The headers promise the whole body; half of it comes. */
const truncate = (request: IncomingMessage, response: ServerResponse, { headers, body }: Reply): void => {
  response.writeHead(200, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
  response.write(body.slice(0, body.length / 2), () => request.socket.destroy())
}

const trickle = (world: World, response: ServerResponse, rest: Buffer, size: number, pauseMs: number): void => {
  if (rest.length <= size) return void response.end(rest)
  response.write(rest.subarray(0, size))
  world.timers.after(pauseMs, () => trickle(world, response, rest.subarray(size), size, pauseMs))
}
