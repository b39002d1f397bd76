import type { Act } from './act.js'
import type { JsonObject } from './json.js'
import type { MemberId } from './member.js'
import type { Actor } from './principal.js'
import type { Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/** An audit entry's id: `aud_` and 32 lowercase hexadecimal digits of a UUIDv7, so ids are in the order of time. */
export type AuditId = string & { readonly AuditId: unique symbol }

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

/** The form of an audit entry's id. */
export const AUDIT_ID_FORM = /^aud_[0-9a-f]{32}$/

/** Whether a text has the form of an audit entry's id. */
export const isAuditId = (text: string): text is AuditId => AUDIT_ID_FORM.test(text)

/** The audit id made of a UUIDv7; its dashes are dropped. */
export const auditIdOf = (uuid: string): AuditId => `aud_${uuid.replaceAll('-', '')}` as AuditId
