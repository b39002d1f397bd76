import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { Workspace, WorkspaceId } from '../workspace.js'

export type { PortFailure } from '../errors.js'
export type { Workspace, WorkspaceId } from '../workspace.js'

/** The tenants. */
export interface Workspaces {
  /** Makes a workspace with an empty wallet in its currency. Making the same one again changes nothing. */
  readonly create: (workspace: Workspace) => TaskEither<PortFailure, void>
  /** One workspace; none where there is none of that id. */
  readonly find: (id: WorkspaceId) => TaskEither<PortFailure, Option<Workspace>>
  /** Every workspace, oldest first. */
  readonly list: () => TaskEither<PortFailure, ReadonlyArray<Workspace>>
}
