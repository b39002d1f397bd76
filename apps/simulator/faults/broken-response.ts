import type { IncomingMessage, ServerResponse } from 'node:http'
import { abandon, type Reply, write } from '../http.js'
import type { SimulatorState } from '../state.js'
import type { BrokenResponse } from './faults.js'

const DRIP_PARTS = 40

/** Answers as the fault says: with a wrong response, a late response, or none. */
export const sendBrokenResponse = (
  how: BrokenResponse, state: SimulatorState, request: IncomingMessage, response: ServerResponse, reply: Reply,
): void => {
  const { drip, late } = state.settings().delays
  switch (how) {
    case 'hang': return
    case 'reset': case 'resetEarly': return abandon(request, 'reset')
    case 'close': return abandon(request, 'close')
    case 'html502': return write(response, page(502, 'Bad Gateway'))
    case 'html503': return write(response, page(503, 'Service Unavailable'))
    case 'garbage': return write(response, { ...reply, status: 200, body: '\u0000\ufffd{]for (;;);' })
    case 'empty': return write(response, { ...reply, status: 200, body: '' })
    case 'error': return write(response, reply)
    case 'late': return state.timers.after(late, () => write(response, reply))
    case 'truncated': return truncate(request, response, reply)
    case 'drip': {
      response.writeHead(reply.status, { ...reply.headers, 'content-length': String(Buffer.byteLength(reply.body)) })
      const body = Buffer.from(reply.body)
      return sendInParts(state, response, body, Math.max(1, Math.ceil(body.length / DRIP_PARTS)), drip / DRIP_PARTS)
    }
  }
}

const page = (status: number, title: string): Reply => ({
  status, headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!DOCTYPE html><html><head><title>${status} ${title}</title></head><body><h1>${title}</h1></body></html>`,
})

/** The headers announce the whole body; only half of it is sent. */
const truncate = (request: IncomingMessage, response: ServerResponse, { headers, body }: Reply): void => {
  response.writeHead(200, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
  response.write(body.slice(0, body.length / 2), () => abandon(request, 'close'))
}

const sendInParts = (state: SimulatorState, response: ServerResponse, rest: Buffer, size: number, pauseMs: number): void => {
  if (rest.length <= size) return void response.end(rest)
  response.write(rest.subarray(0, size))
  state.timers.after(pauseMs, () => sendInParts(state, response, rest.subarray(size), size, pauseMs))
}
