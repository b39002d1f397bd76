import type { Server } from 'node:http'
import { listening } from '../support/listening.js'

/** Writes the address of this process to standard output, for the parent process. */
export const announce = (url: string): void => void process.stdout.write(`${JSON.stringify({ msg: 'listening', url })}\n`)

/** Listens on a free port of the loopback and writes the address. */
export const listenAndAnnounce = async (server: Server): Promise<void> => announce((await listening(server)).url)

/** Answers requests of the parent process over IPC; this process ends when the parent does. */
export const serveRequests = (answer: (request: unknown) => Promise<unknown>): void => {
  process.on('message', (message) => {
    const { id, request } = message as { readonly id: number; readonly request: unknown }
    answer(request).then(
      (value) => process.send?.({ id, value }),
      (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.message : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit())
  // Without this handler, the signal would end the process before it writes its CPU profile.
  process.once('SIGTERM', () => process.exit())
}
