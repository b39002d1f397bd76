import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** All ports are below the range for outgoing connections; otherwise an outgoing connection could use the port while the server is down. */
const FIRST = 15_000

/** Test processes that run concurrently use separate ranges, and a process never returns a port twice, so a returned port stays free. */
const RANGE = 1_500
const RANGES = 10
const first = FIRST + (Number(process.env['MOCHA_WORKER_ID'] ?? 0) % RANGES) * RANGE
let offset = randomInt(RANGE)

/** A free port. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    offset = (offset + 1) % RANGE
    const port = first + offset
    const probe = createServer()
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => { resolve(false) })
      probe.listen(port, '127.0.0.1', () => { resolve(true) })
    })
    if (!free) continue
    await new Promise((resolve) => { probe.close(resolve) })
    return port
  }
}
