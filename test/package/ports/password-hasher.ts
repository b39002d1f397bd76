import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PasswordHasher, PortFailure } from '../../../core/ports/password-hasher.js'

const down: PortFailure = { _tag: 'PortFailure', port: 'PasswordHasher', cause: 'down' }

export const passwordHasher: PasswordHasher = {
  hash: (password: string): TE.TaskEither<PortFailure, string> => TE.right(password),
  verify: (_password: string, _digest: string | undefined): TE.TaskEither<PortFailure, boolean> => TE.left(down),
}
