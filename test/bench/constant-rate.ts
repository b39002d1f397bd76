import { connect, type Socket } from 'node:net'
import { percentile, type Load, type LoadRequest, type LoadResult } from './load-result.js'

const TICK_MS = 1
const DRAIN_MS = 10_000

/**
 * Sends requests at a constant rate, independent of their responses. A request's latency counts from the time at which it was due, so it includes
 * the wait for a free connection.
 *
 * autocannon's own limit lets each connection send its share of a whole second together, which measures a burst and not a rate.
 */
export const runAtRate = async ({ url, connections, seconds, requests }: Load, perSecond: number): Promise<LoadResult> => {
  const { hostname, port } = new URL(url)
  const wire = requests.map((request) => wireOf(hostname, request))
  const idle: Connection[] = await Promise.all(Array.from({ length: connections }, () => openConnection(hostname, Number(port))))
  const all = [...idle]
  const latencies: number[] = []
  const waiting: number[] = []
  let due = 0
  let sent = 0
  let answered = 0
  let failed = 0

  const begun = performance.now()
  const total = Math.round(perSecond * seconds)
  await new Promise<void>((resolve) => {
    const ticking = setInterval(() => {
      const now = performance.now()
      for (; due < total && (due * 1_000) / perSecond <= now - begun; due += 1) waiting.push(now)
      sendWaiting()
      const isLate = now - begun > seconds * 1_000 + DRAIN_MS
      if (answered + failed < total && !isLate) return
      clearInterval(ticking)
      resolve()
    }, TICK_MS)
  })
  for (const connection of all) connection.socket.destroy()
  return {
    succeeded: answered, failed: total - answered, perSecond: answered / seconds,
    p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99),
  }

  function sendWaiting(): void {
    while (waiting.length > 0) {
      const connection = idle.shift()
      if (connection === undefined) return
      const since = waiting.shift() ?? 0
      const bytes = wire[sent % wire.length] ?? Buffer.alloc(0)
      sent += 1
      void connection.ask(bytes).then((status) => {
        if (status === 200) answered += 1
        else failed += 1
        latencies.push(performance.now() - since)
        idle.push(connection)
        sendWaiting()
      })
    }
  }
}

type Connection = { readonly socket: Socket; readonly ask: (wire: Buffer) => Promise<number> }

const wireOf = (host: string, { method, path, headers, body = '' }: LoadRequest): Buffer => {
  const lines = Object.entries({ Host: host, ...headers, 'Content-Length': Buffer.byteLength(body) })
    .map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** A connection that sends one request at a time; the result is the status, 0 if the connection broke. */
const openConnection = (host: string, port: number): Promise<Connection> =>
  new Promise((resolve, reject) => {
    let settle: (status: number) => void = () => undefined
    let received = ''
    const socket = connect({ host, port, noDelay: true })
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const head = received.indexOf('\r\n\r\n')
      const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1]
      if (head < 0 || length === undefined || received.length < head + 4 + Number(length)) return
      const status = Number(received.slice(9, 12))
      received = ''
      settle(status)
    })
    socket.on('close', () => settle(0))
    socket.once('error', reject)
    socket.once('connect', () => resolve({
      socket,
      ask: (wire) => new Promise((answered) => {
        settle = answered
        if (socket.destroyed) answered(0)
        else socket.write(wire)
      }),
    }))
  })
