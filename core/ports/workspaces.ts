import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, UnknownWorkspace } from '../errors.js'
import type { Along } from '../event.js'
import type { Instant } from '../time.js'
import type { NewWorkspace, Workspace, WorkspaceId } from '../workspace.js'

export type { PortFailure, UnknownWorkspace } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export type { Instant } from '../time.js'
export type { NewWorkspace, Workspace, WorkspaceId } from '../workspace.js'

/** The workspaces of a gateway; each has its own messages, money and keys. */
export interface Workspaces {
  /**
   * Makes a workspace with an empty wallet in its currency. Making the same one again changes nothing.
   *
   * `along` is called where it is made, and what it makes is stored in the same step.
   */
  readonly create: (workspace: NewWorkspace, along?: Along<NewWorkspace>) => TaskEither<PortFailure, void>
  /** One workspace; none if no workspace has that id. */
  readonly find: (id: WorkspaceId) => TaskEither<PortFailure, Option<Workspace>>
  /** The workspaces of a name, oldest first, archived ones too. Names are any texts and compare exactly. */
  readonly named: (name: string) => TaskEither<PortFailure, ReadonlyArray<Workspace>>
  /** Every workspace, oldest first, archived ones too. */
  readonly list: () => TaskEither<PortFailure, ReadonlyArray<Workspace>>
  /** Gives a workspace another name, which others may have too. `UnknownWorkspace`: no workspace has that id. `along` is called where there is one. */
  readonly rename: (id: WorkspaceId, name: string, along?: Along<WorkspaceId>) => TaskEither<UnknownWorkspace | PortFailure, void>
  /**
   * Ends the use of a workspace. Archiving again keeps the first moment. `UnknownWorkspace`: no workspace has that id.
   *
   * Its money, messages and sender stay as they are, and running sends are still settled. By the table of access only reading is left. Its keys stop
   * working: a `KeyStore` of the same storage answers `UnknownApiKey` from the very next call on. An app with a key store of its own revokes them.
   *
   * `along` is called where there is such a workspace.
   */
  readonly archive: (id: WorkspaceId, at: Instant, along?: Along<WorkspaceId>) => TaskEither<UnknownWorkspace | PortFailure, void>
}
