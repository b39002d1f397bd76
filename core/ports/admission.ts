import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PlatformUnreachable } from '../errors.js'
import type { WorkspaceId } from '../workspace.js'

export type { PlatformUnreachable } from '../errors.js'
export type { WorkspaceId } from '../workspace.js'

/** Limits how many sends run at once, so that each has the platform's full timeout. */
export interface Admission {
  /**
   * Admits a send, or lets it wait until another one ends.
   *
   * Right: the send is admitted until its permit is released. `PlatformUnreachable`: it waited too long, or too many sends wait. If
   * too many wait, a waiting send is refused in favour of one of a workspace with fewer. Workspaces whose sends wait take turns.
   */
  readonly admit: (workspace: WorkspaceId) => TaskEither<PlatformUnreachable, Permit>
  /** Whether a send would be admitted without waiting. */
  readonly hasRoom: () => boolean
}

/** The right to one send. */
export type Permit = {
  /** Ends the send, so that another one is admitted. Releasing again changes nothing. */
  readonly release: () => void
}
