import type { Currency } from './money.js'
import type { Instant } from './time.js'

/** A workspace's id: `ws_` and 32 lowercase hexadecimal digits of a UUIDv7. */
export type WorkspaceId = string & { readonly WorkspaceId: unique symbol }

/** The tenant: owns API keys, a wallet, a sender and messages. */
export type Workspace = {
  readonly id: WorkspaceId
  readonly name: string
  readonly currency: Currency
  readonly createdAt: Instant
}

const FORM = /^ws_[0-9a-f]{32}$/

/** Whether a text has the form of a workspace's id; whether that workspace exists is for `Workspaces` to say. */
export const isWorkspaceId = (text: string): text is WorkspaceId => FORM.test(text)

/** The workspace id made of a UUID; its dashes are dropped. */
export const workspaceIdOf = (uuid: string): WorkspaceId => `ws_${uuid.replaceAll('-', '')}` as WorkspaceId
