import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PlatformUnreachable } from '../errors.js'
import type { WorkspaceId } from '../workspace.js'

export type { PlatformUnreachable } from '../errors.js'
export type { WorkspaceId } from '../workspace.js'

/** Limits how many sends are under way at once, so that a send that starts has its full time at the platform. */
export interface Admission {
  /**
   * Admits a send, or lets it wait for another one to end.
   *
   * Right: the send is admitted, until its permit is released. `PlatformUnreachable`: it waited too long, or too many wait already; a
   * send that waits is refused for one of a workspace with fewer. Workspaces whose sends wait take turns.
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
