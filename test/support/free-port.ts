import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * A free port below the range of outgoing connections; otherwise an outgoing connection could take the port while the server is down.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(15_000, 30_000)
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
