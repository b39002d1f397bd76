import type { MemberId, Role } from './member.js'
import type { Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/** What a request may be allowed to do: send, read, see templates, manage events, answer customers. */
export const SCOPES = ['send', 'read', 'templates', 'events', 'answer'] as const

/** One thing that a request may be allowed to do. */
export type Scope = (typeof SCOPES)[number]

/** The API key that a request acts for: its workspace, the key's id, and what the key allows. */
export type KeyPrincipal = {
  readonly _tag: 'Key'
  readonly workspace: WorkspaceId
  readonly key: string
  readonly scopes: ReadonlyArray<Scope>
  /** What the key is for. */
  readonly name?: string
  /** When the key ends; it has no end where this is absent. */
  readonly expiresAt?: Instant
  /** The most that messages sent with the key may cost in a day (UTC), in micros of the wallet's currency; without it there is no limit. */
  readonly spendingLimit?: bigint
  /** The id of the first key of its rotations, for which its spending counts; the key's own where this is absent. */
  readonly spendingId?: string
}

/** A person who is signed in: an operator may act in every workspace, others in those where they have a role. */
export type MemberPrincipal = {
  readonly _tag: 'Member'
  readonly member: MemberId
  readonly email: string
  readonly isOperator: boolean
  readonly roles: ReadonlyMap<WorkspaceId, Role>
}

/** A person with a shell on the server; `user` is the account of the operating system. */
export type CommandLine = { readonly _tag: 'CommandLine'; readonly user?: string }

/** The gateway itself, or the app that embeds the core. */
export type System = { readonly _tag: 'System' }

/** On whose behalf something is done. */
export type Principal = KeyPrincipal | MemberPrincipal | CommandLine | System

/** Who acts, and from which network address where it is known. */
export type Actor = { readonly principal: Principal; readonly address?: string }

/** The gateway itself, or the app that embeds the core: it may do everything. */
export const SYSTEM: Actor = { principal: { _tag: 'System' } }
