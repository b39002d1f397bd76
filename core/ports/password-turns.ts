import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { TooManyRequests } from '../limiter.js'

export type { TooManyRequests } from '../limiter.js'

/** Limits how many passwords are computed with at once, so that a flood of sign-ins keeps neither people out nor messages waiting. */
export interface PasswordTurns {
  /**
   * Waits for a turn. Right: the turn, until it is ended. `TooManyRequests`: it waited too long, or too many wait.
   *
   * Those who are known and strangers have turns of their own, so neither wait for the other. Of those who wait the one who asked least of late has the next turn, and
   * if too many wait one who asked most is refused.
   */
  readonly take: (of: TurnOf) => TaskEither<TooManyRequests, PasswordTurn>
}

/** Who asks: one who is known by a device or a session, by a name; or a stranger, by the network. */
export type TurnOf = { readonly _tag: 'Known'; readonly name: string } | { readonly _tag: 'Stranger'; readonly network: string }

/** The right to compute with one password. */
export type PasswordTurn = {
  /** Ends the turn, so that the next one begins; ending it again changes nothing. `wasRight`: it does not count as asked for. */
  readonly end: (wasRight: boolean) => void
}
