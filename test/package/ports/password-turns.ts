import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PasswordTurn, PasswordTurns, TooManyRequests, TurnOf } from '../../../core/ports/password-turns.js'

const crowded: TooManyRequests = { _tag: 'TooManyRequests', limit: 'all', retryAfterSeconds: 1 }

export const passwordTurns = (underWay: Map<string, PasswordTurn>): PasswordTurns => ({
  take: (of: TurnOf): TE.TaskEither<TooManyRequests, PasswordTurn> => {
    if (underWay.has(of._tag)) return TE.left(crowded)
    const turn: PasswordTurn = { end: (_wasRight: boolean) => void underWay.delete(of._tag) }
    underWay.set(of._tag, turn)
    return TE.right(turn)
  },
})
