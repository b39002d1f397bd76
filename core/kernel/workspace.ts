import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { PortFailure } from './failure.js'
import type { WorkspaceId } from './ids.js'
import type { Currency } from './money.js'
import type { MakeOutboxEntries } from './outbox.js'
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

/** A workspace to be created. */
export type NewWorkspace = Omit<Workspace, 'archivedAt'>

/** Reads a workspace's name. A name that looks like an id is refused, because commands accept both. */
export const parseWorkspaceName = (text: string): E.Either<InvalidName, string> =>
  /^ws_/.test(text.trim())
    ? E.left({ _tag: 'InvalidName', reason: 'a name must not begin with ws_, because it would look like an id' })
    : parseName(text)

/** The workspaces of a gateway; each has its own messages, money and keys. */
export interface Workspaces {
  /**
   * Creates a workspace with an empty wallet in its currency. Creating the same workspace again changes nothing.
   *
   * If it was created, `outboxEntries` is called, and its entries are stored in the same step.
   */
  readonly create: (workspace: NewWorkspace, outboxEntries?: MakeOutboxEntries<NewWorkspace>) => Promise<E.Either<PortFailure, void>>
  /** One workspace; none if no workspace has that id. */
  readonly find: (id: WorkspaceId) => Promise<E.Either<PortFailure, Option<Workspace>>>
  /** The workspaces with a given name, oldest first, including archived ones. Names may be any texts and are compared exactly. */
  readonly named: (name: string) => Promise<E.Either<PortFailure, ReadonlyArray<Workspace>>>
  /** Every workspace, oldest first, including archived ones. */
  readonly list: () => Promise<E.Either<PortFailure, ReadonlyArray<Workspace>>>
  /**
   * Renames a workspace; other workspaces may have the same name. `UnknownWorkspace`: no workspace has that id. `outboxEntries` is called
   * if the workspace exists.
   */
  readonly rename: (
    id: WorkspaceId, name: string, outboxEntries?: MakeOutboxEntries<WorkspaceId>,
  ) => Promise<E.Either<UnknownWorkspace | PortFailure, void>>
  /**
   * Archives a workspace. Archiving it again keeps the first date. `UnknownWorkspace`: no workspace has that id.
   *
   * Its money, messages and sender stay as they are, and running sends are still settled. The access table then allows only reading. Its keys stop
   * working: a `KeyStore` of the same storage returns `UnknownApiKey` from the very next call on. An app with its own key store has to revoke them.
   *
   * `outboxEntries` is called if there is such a workspace.
   */
  readonly archive: (
    id: WorkspaceId, at: Instant, outboxEntries?: MakeOutboxEntries<WorkspaceId>,
  ) => Promise<E.Either<UnknownWorkspace | PortFailure, void>>
}
