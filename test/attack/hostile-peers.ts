import type { Socket } from 'node:net'
import { openSocket } from './raw-socket.js'

/** A kind of peer that occupies the gateway without asking for anything of use. */
export type HostileKind = {
  readonly name: string
  /** Which part of the connections these peers make, where each of them costs its own machine much, too; all where not given. */
  readonly share?: number
  /** Whether these peers hold a connection and ask for no work: idle ones, slow headers, slow bodies, notifications without a signature. */
  readonly holds?: true
  /** Whether a thousand of these peers ask for more work than one processor does, whatever each request costs. */
  readonly isBusy?: true
  /** What a peer does on a connection that has just been opened; the connection is opened again when the gateway has closed it. */
  readonly attack: (socket: Socket, key: string) => void
}

/** Peers that are at work. */
export type HostilePeers = {
  /** How many connections were opened, and how many of them the gateway ended. */
  readonly counts: () => { readonly opened: number; readonly ended: number }
  readonly stop: () => void
}

const MIB = 1_024 * 1_024
/** How often a peer does its next thing on average: send a byte, ask again, or connect again. */
const PAUSE_MS = 1_000

/** Peers are programs of their own, so they do not all do their next thing in the same millisecond. */
const pauseMs = (): number => PAUSE_MS * (0.5 + Math.random())

/** Of a thousand peers this many send 140 whole notifications a second, 420 MiB. */
const SHARE_OF_WHOLE = 0.14

const HEAD = 'Host: gateway\r\nContent-Type: application/json\r\n'
const WEBHOOK = `POST /webhooks/platform HTTP/1.1\r\n${HEAD}`
const SEND = `POST /v1/messages/send-text HTTP/1.1\r\n${HEAD}`
const FORM = 'POST /console/workspaces/ws_1/send HTTP/1.1\r\nHost: gateway\r\nOrigin: http://gateway\r\nContent-Type: application/x-www-form-urlencoded\r\n'
const SIGNATURE = `X-Hub-Signature-256: sha256=${'a'.repeat(64)}\r\n`
const BLOCK = Buffer.alloc(64 * 1_024, 'x')

const drip = (socket: Socket, text: () => string): void => {
  const timer = setInterval(() => socket.write(text()), pauseMs())
  socket.once('close', () => clearInterval(timer))
}

/** Writes a head and so many bytes of a body, as fast as they are taken. */
const writeBody = (socket: Socket, head: string, bytes: number, done: () => void): void => {
  socket.write(head)
  let left = bytes
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      const block = BLOCK.subarray(0, Math.min(left, BLOCK.length))
      left -= block.length
      if (!socket.write(block)) return void socket.once('drain', more)
    }
    if (left === 0) done()
  }
  more()
}

const nothing = (): void => undefined

/** A body that is announced with so many bytes and arrives, but for the last one, and then a byte of nothing at all. */
const stalled = (head: string, bytes: number): HostileKind['attack'] => (socket) =>
  writeBody(socket, `${head}Content-Length: ${bytes}\r\n\r\n`, bytes - 1, nothing)

/** The same request again and again, a pause after the one before it was answered. */
const repeated = (request: string): HostileKind['attack'] => (socket) => {
  socket.write(request)
  let tail = ''
  socket.on('data', (chunk: Buffer) => {
    tail = `${tail}${chunk.toString('latin1')}`.slice(-4_096)
    if (!/HTTP\/1\.1 \d{3}/.test(tail)) return
    tail = ''
    setTimeout(() => { if (!socket.destroyed) socket.write(request) }, pauseMs()).unref()
  })
}

/** Asks for much and reads none of it. */
const unread: HostileKind['attack'] = (socket) => {
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: gateway\r\n\r\n'.repeat(100))
}

/** Every kind; each is made with many connections, alone and together with the others. */
export const HOSTILE_KINDS: ReadonlyArray<HostileKind> = [
  { name: 'idle', holds: true, attack: nothing },
  { name: 'half open', attack: (socket) => socket.end('GET /health/live HTTP/1.1\r\nHost: gateway\r\n') },
  { name: 'slow headers', holds: true, attack: (socket) => {
    socket.write(`${SEND}X-Slow: `)
    drip(socket, () => 'x')
  } },
  { name: 'slow body with a key', holds: true, attack: (socket, key) => {
    socket.write(`${SEND}Authorization: Bearer ${key}\r\nContent-Length: 200000\r\n\r\n{"to":"`)
    drip(socket, () => '1')
  } },
  { name: 'stalled body with a key', attack: (socket, key) => stalled(`${SEND}Authorization: Bearer ${key}\r\n`, 250_000)(socket, key) },
  { name: 'stalled body without a key', attack: stalled(SEND, 250_000) },
  { name: 'stalled form of the console', attack: stalled(FORM, 64 * 1_024) },
  { name: 'stalled notification, unsigned', holds: true, attack: stalled(WEBHOOK, 3 * MIB) },
  { name: 'stalled notification, falsely signed', attack: stalled(`${WEBHOOK}${SIGNATURE}`, 3 * MIB) },
  {
    name: 'whole notification, unsigned',
    share: SHARE_OF_WHOLE,
    attack: (socket) => writeBody(socket, `${WEBHOOK}Content-Length: ${3 * MIB}\r\n\r\n`, 3 * MIB, nothing),
  },
  {
    name: 'whole notification, falsely signed',
    share: SHARE_OF_WHOLE,
    attack: (socket) => writeBody(socket, `${WEBHOOK}${SIGNATURE}Content-Length: ${3 * MIB}\r\n\r\n`, 3 * MIB, nothing),
  },
  { name: 'chunks without end', attack: (socket) => {
    socket.write(`${WEBHOOK}Transfer-Encoding: chunked\r\n\r\n`)
    drip(socket, () => `1000\r\n${'x'.repeat(4_096)}\r\n`)
  } },
  { name: 'large headers', attack: repeated(`GET /health/live HTTP/1.1\r\nHost: gateway\r\nX-Large: ${'x'.repeat(12_000)}\r\n\r\n`) },
  { name: 'answers that are not read', isBusy: true, attack: unread },
  { name: 'readiness again and again', attack: repeated('GET /health/ready HTTP/1.1\r\nHost: gateway\r\n\r\n') },
  { name: 'metrics again and again', attack: repeated('GET /metrics HTTP/1.1\r\nHost: gateway\r\n\r\n') },
  { name: 'the contract again and again', attack: repeated('GET /docs HTTP/1.1\r\nHost: gateway\r\n\r\n') },
  { name: 'the sign-in again and again', attack: repeated('GET /console/sign-in HTTP/1.1\r\nHost: gateway\r\n\r\n') },
]

/** Starts so many peers of a kind at most. */
export const startHostilePeers = (url: string, key: string, { attack, share = 1 }: HostileKind, most: number): HostilePeers => {
  const count = Math.ceil(most * share)
  const open = new Set<Socket>()
  let [opened, ended, stopped] = [0, 0, false]
  const begin = (): void => {
    if (stopped) return
    const socket = openSocket(url)
    open.add(socket)
    opened += 1
    if (attack !== nothing) socket.once('connect', () => attack(socket, key))
    if (attack !== unread) socket.on('data', nothing)
    socket.once('end', () => socket.destroy())
    socket.once('close', () => {
      open.delete(socket)
      if (stopped) return
      ended += 1
      setTimeout(begin, pauseMs()).unref()
    })
  }
  for (let n = 0; n < count; n += 1) setTimeout(begin, PAUSE_MS * Math.random()).unref()
  return {
    counts: () => ({ opened, ended }),
    stop: () => {
      stopped = true
      for (const socket of open) socket.destroy()
    },
  }
}
