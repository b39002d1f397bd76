import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Says where this process listens, to whoever started it. */
export const announce = (url: string): void => void process.stdout.write(`${JSON.stringify({ msg: 'listening', url })}\n`)

/** Listens on a free port of the loopback, and says where. */
export const listenAndAnnounce = (server: Server): void => {
  server.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
}

/** Answers the questions of whoever started this process, which ends when that one does. */
export const answerQuestions = (answer: (question: unknown) => Promise<unknown>): void => {
  process.on('message', (message) => {
    const { id, question } = message as { readonly id: number; readonly question: unknown }
    answer(question).then(
      (value) => process.send?.({ id, value }),
      (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.message : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit())
  // Left to itself the signal would end the process without its CPU profile.
  process.once('SIGTERM', () => process.exit())
}
