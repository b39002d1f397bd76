import * as E from 'fp-ts/lib/Either.js'
import type { InvalidName } from './invalid.js'
import type { Currency } from './money.js'
import { parseName } from './name.js'
import type { Instant } from './time.js'

/** A workspace's id: `ws_` and 32 lowercase hexadecimal digits of a UUIDv7. */
export type WorkspaceId = string & { readonly WorkspaceId: unique symbol }

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

const FORM = /^ws_[0-9a-f]{32}$/

/** Whether a text has the form of a workspace's id; whether that workspace exists is for `Workspaces` to say. */
export const isWorkspaceId = (text: string): text is WorkspaceId => FORM.test(text)

/** The workspace id made of a UUID; its dashes are dropped. */
export const workspaceIdOf = (uuid: string): WorkspaceId => `ws_${uuid.replaceAll('-', '')}` as WorkspaceId

/** Reads a workspace's name. A name that looks like an id is refused, since commands take either. */
export const parseWorkspaceName = (text: string): E.Either<InvalidName, string> =>
  /^ws_/.test(text.trim()) ? E.left({ _tag: 'InvalidName', reason: 'a name that begins with ws_ would be mistaken for an id' }) : parseName(text)
