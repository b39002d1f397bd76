import { TookTooLong } from './within.js'

/** The broker has said that it reads nothing at the moment. */
export class Blocked extends Error {}

const ACCESS_REFUSED = 403
const PRECONDITION_FAILED = 406

/** What is wrong, in a sentence. The library's messages are not shown, because they may name addresses. */
export const failureSentence = (error: unknown): string => {
  if (error instanceof Blocked) return 'The broker is short of memory or disk and takes no events'
  if (error instanceof TookTooLong) return 'The broker did not confirm the event in time'
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === ACCESS_REFUSED || isRefusedHandshake(error)) return 'The broker refuses the credentials, or does not let this user publish events'
  if (code === PRECONDITION_FAILED) return 'The broker has an exchange of that name that is not a durable topic exchange'
  return 'The broker cannot be reached, or did not take the event'
}

/** The library gives no code to what ends the handshake. */
const isRefusedHandshake = (error: unknown): boolean => error instanceof Error && /ACCESS.REFUSED/.test(error.message)
