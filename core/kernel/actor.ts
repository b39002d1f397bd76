import type { AuditId, MemberId, WorkspaceId } from './ids.js'
import type { JsonObject } from './json.js'
import type { Instant } from './time.js'

/** What a member may be in a workspace, from the one who may do most. */
export const ROLES = ['owner', 'developer', 'viewer'] as const

/** What a member is in a workspace. */
export type Role = (typeof ROLES)[number]

/** An email address as `parseEmail` gives it: lower case, without spaces around it. */
export type Email = string & { readonly Email: unique symbol }

/** Whether a text is a role. */
export const isRole = (text: string): text is Role => (ROLES as ReadonlyArray<string>).includes(text)

/** Everything that a person, a key or the command line may be allowed to do. What only shows something ends in `.view`. */
export const ACTS = [
  'workspace.create', 'workspace.view', 'workspace.rename', 'workspace.archive', 'sender.assign', 'sender.remove', 'key.mint',
  'key.rotate', 'key.revoke', 'wallet.top_up', 'wallet.adjust', 'wallet.set_alert', 'window.record',
  'message.send', 'message.resolve', 'message.settle_lost', 'message.reconcile', 'endpoint.add', 'endpoint.change', 'endpoint.remove', 'endpoint.rotate_secret',
  'endpoint.test', 'event.redeliver', 'template.sync', 'customer.erase', 'member.view', 'member.invite',
  'member.remove', 'audit.view', 'health.view',
] as const

/** Something that a principal may be allowed to do. */
export type Act = (typeof ACTS)[number]

/** Whether an act only shows something. */
export const isView = (act: Act): boolean => act.endsWith('.view')

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

/** What people do with their own sign-in, and what the gateway notes of a wallet; these need no role. */
export const UNGUARDED_ACTS = [
  'member.sign_in', 'member.sign_out', 'member.end_sessions', 'member.set_password', 'member.accept_invitation', 'wallet.low', 'wallet.exhausted',
  'retention.run',
] as const

/** What an audit entry says was done. */
export type AuditedAct = Act | (typeof UNGUARDED_ACTS)[number]

/** Who acted, as it is stored: a member with the email of that moment, an API key, the command line, or the gateway itself. */
export type AuditActor =
  | { readonly type: 'member'; readonly id: MemberId; readonly email: string }
  | { readonly type: 'key'; readonly id: string }
  | { readonly type: 'command_line'; readonly user?: string }
  | { readonly type: 'system' }
  /** Someone who tried to sign in and could not; `email` is what was given, where it has the form of an email address. */
  | { readonly type: 'unknown'; readonly email?: string }

/** One act: by whom, when, on what, from where, and what came of it. It never has a secret, a key, a token or the text of a message. */
export type AuditEntry = {
  readonly id: AuditId
  readonly at: Instant
  readonly by: AuditActor
  /** The network address it came from, where it came over a network. */
  readonly address?: string
  readonly act: AuditedAct
  readonly outcome: 'done' | 'refused'
  /** The workspace that it concerns; none for acts on all, such as making a workspace. */
  readonly workspace?: WorkspaceId
  /** What it was done on, such as a key's id, an endpoint's id or an email. */
  readonly subject?: string
  /** What else is worth knowing: amounts as decimal strings, names, or why it was refused. */
  readonly details?: JsonObject
}

/** The actor of an entry. */
export const auditActorOf = ({ principal }: Actor): AuditActor => {
  switch (principal._tag) {
    case 'Member':
      return { type: 'member', id: principal.member, email: principal.email }
    case 'Key':
      return { type: 'key', id: principal.key }
    case 'CommandLine':
      return { type: 'command_line', ...(principal.user !== undefined && { user: principal.user }) }
    case 'System':
      return { type: 'system' }
  }
}
