import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { PortFailure } from './failure.js'
import type { WorkspaceId } from './ids.js'
import type { Currency } from './money.js'
import type { EntriesOf } from './outbox.js'
import { type InvalidName, parseName } from './text.js'
import type { Instant } from './time.js'

/** The workspace does not exist. */
export type UnknownWorkspace = { readonly _tag: 'UnknownWorkspace' }

/** The tenant: owns API keys, a wallet, a sender and messages. */
export type Workspace = {
  readonly id: WorkspaceId
  readonly name: string
  readonly currency: Currency
  readonly createdAt: Instant
  /** When an operator archived it; absent while it is in use. */
  readonly archivedAt?: Instant
}

/** A workspace as it is made. */
export type NewWorkspace = Omit<Workspace, 'archivedAt'>

/** Reads a workspace's name. A name that looks like an id is refused, since commands take either. */
export const parseWorkspaceName = (text: string): E.Either<InvalidName, string> =>
  /^ws_/.test(text.trim()) ? E.left({ _tag: 'InvalidName', reason: 'a name that begins with ws_ would be mistaken for an id' }) : parseName(text)

/** The workspaces of a gateway; each has its own messages, money and keys. */
export interface Workspaces {
  /**
   * Makes a workspace with an empty wallet in its currency. Making the same one again changes nothing.
   *
   * `entriesOf` is called where it is made, and what it makes is stored in the same step.
   */
  readonly create: (workspace: NewWorkspace, entriesOf?: EntriesOf<NewWorkspace>) => Promise<E.Either<PortFailure, void>>
  /** One workspace; none if no workspace has that id. */
  readonly find: (id: WorkspaceId) => Promise<E.Either<PortFailure, Option<Workspace>>>
  /** The workspaces of a name, oldest first, archived ones too. Names are any texts and compare exactly. */
  readonly named: (name: string) => Promise<E.Either<PortFailure, ReadonlyArray<Workspace>>>
  /** Every workspace, oldest first, archived ones too. */
  readonly list: () => Promise<E.Either<PortFailure, ReadonlyArray<Workspace>>>
  /** Gives a workspace another name, which others may have too. `UnknownWorkspace`: no workspace has that id. `entriesOf` is called where there is one. */
  readonly rename: (id: WorkspaceId, name: string, entriesOf?: EntriesOf<WorkspaceId>) => Promise<E.Either<UnknownWorkspace | PortFailure, void>>
  /**
   * Ends the use of a workspace. Archiving again keeps the first moment. `UnknownWorkspace`: no workspace has that id.
   *
   * Its money, messages and sender stay as they are, and running sends are still settled. By the table of access only reading is left. Its keys stop
   * working: a `KeyStore` of the same storage answers `UnknownApiKey` from the very next call on. An app with a key store of its own revokes them.
   *
   * `entriesOf` is called where there is such a workspace.
   */
  readonly archive: (id: WorkspaceId, at: Instant, entriesOf?: EntriesOf<WorkspaceId>) => Promise<E.Either<UnknownWorkspace | PortFailure, void>>
}
