import type { AuditId, MemberId, WorkspaceId } from './ids.js'
import type { JsonObject } from './json.js'
import type { Instant } from './time.js'

/** The roles of a member in a workspace; the role that may do most comes first. */
export const ROLES = ['owner', 'developer', 'viewer'] as const

/** The role of a member in a workspace. */
export type Role = (typeof ROLES)[number]

/** An email address as `parseEmail` returns it: lower case, without spaces around it. */
export type Email = string & { readonly Email: unique symbol }

/** Whether a text is a role. */
export const isRole = (text: string): text is Role => (ROLES as ReadonlyArray<string>).includes(text)

/** Everything that a person, a key or the command line may be allowed to do. The names of acts that only show something end in `.view`. */
export const ACTS = [
  'workspace.create', 'workspace.view', 'workspace.rename', 'workspace.archive', 'workspace.set_prices', 'sender.assign', 'sender.remove',
  'sender.set_default', 'sender.replace', 'sender.view', 'key.mint',
  'key.rotate', 'key.revoke', 'wallet.view', 'wallet.top_up', 'wallet.adjust', 'wallet.set_alert', 'window.record',
  'message.send', 'message.view', 'message.mark_read', 'message.cancel', 'message.resolve', 'message.settle_lost', 'message.reconcile',
  'attachment.view',
  'endpoint.add', 'endpoint.change', 'endpoint.remove', 'endpoint.rotate_secret', 'endpoint.test', 'event.view', 'event.redeliver',
  'alert.set_channel',
  'template.view', 'template.sync', 'customer.view', 'customer.erase', 'consent.record', 'consent.set_words',
  'workspace.set_consent', 'member.view', 'member.invite', 'member.remove', 'audit.view',
  'batch.view', 'batch.create', 'batch.change', 'batch.confirm', 'batch.pause', 'batch.resume', 'batch.cancel',
  'queue.view', 'queue.hold', 'queue.resume', 'health.view', 'app.add', 'app.rotate', 'app.remove',
] as const

/** Something that a principal may be allowed to do. */
export type Act = (typeof ACTS)[number]

/** Whether an act only shows something. */
export const isView = (act: Act): boolean => act.endsWith('.view')

/** The scopes of a key: send, read, see templates, manage events, answer customers. */
export const SCOPES = ['send', 'read', 'templates', 'events', 'answer'] as const

/** A scope of a key. */
export type Scope = (typeof SCOPES)[number]

/** The API key that a request acts for: its workspace, the key's id, and what the key allows. */
export type KeyPrincipal = {
  readonly _tag: 'Key'
  readonly workspace: WorkspaceId
  readonly key: string
  readonly scopes: ReadonlyArray<Scope>
  /** The purpose of the key. */
  readonly name?: string
  /** When the key expires; absent if it does not expire. */
  readonly expiresAt?: Instant
  /** The maximum cost of the messages sent with the key in a day (UTC), in micros of the wallet's currency; without it there is no limit. */
  readonly spendingLimit?: bigint
  /** The id of the first key of its rotations, under which its spending is counted; if absent, the key's own id. */
  readonly spendingId?: string
}

/** A person who is signed in. An operator may act in every workspace, other people in the workspaces in which they have a role. */
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

/** Who acts, and from which network address, if it is known. */
export type Actor = { readonly principal: Principal; readonly address?: string }

/** The gateway itself, or the app that embeds the core: it may do everything. */
export const SYSTEM: Actor = { principal: { _tag: 'System' } }

/** Acts of people on their own sign-in, and the gateway's entries about a wallet; these need no role. */
export const UNGUARDED_ACTS = [
  'member.sign_in', 'member.sign_out', 'member.end_sessions', 'member.set_password', 'member.accept_invitation', 'wallet.low',
  'wallet.exhausted', 'retention.run',
] as const

/** The act in an audit entry. */
export type AuditedAct = Act | (typeof UNGUARDED_ACTS)[number]

/** Who acted, as it is stored: a member with their email at that time, an API key, the command line, or the gateway itself. */
export type AuditActor =
  | { readonly type: 'member'; readonly id: MemberId; readonly email: string }
  | { readonly type: 'key'; readonly id: string }
  | { readonly type: 'command_line'; readonly user?: string }
  | { readonly type: 'system' }
  /** A person who tried to sign in and could not; `email` is the given text, if it has the form of an email address. */
  | { readonly type: 'unknown'; readonly email?: string }

/** One act: who did it, when, on what, from where, and its result. It never contains a secret, a key, a token or the text of a message. */
export type AuditEntry = {
  readonly id: AuditId
  readonly at: Instant
  readonly by: AuditActor
  /** The network address that it came from, if it came over a network. */
  readonly address?: string
  readonly act: AuditedAct
  readonly outcome: 'done' | 'refused'
  /** The workspace that it concerns; absent for acts on all workspaces, such as creating one. */
  readonly workspace?: WorkspaceId
  /** The object of the act, such as a key's id, an endpoint's id or an email. */
  readonly subject?: string
  /** Further details: amounts as decimal strings, names, or the reason of a refusal. */
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
