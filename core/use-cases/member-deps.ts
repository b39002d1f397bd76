import * as E from 'fp-ts/lib/Either.js'
import { auditActorOf, type AuditEntry } from '../audit-entry.js'
import type { PortFailure } from '../errors.js'
import type { AlongEntry } from '../event.js'
import { parseEmail, type Member } from '../member.js'
import type { MemberPrincipal } from '../principal.js'
import type { Digest } from '../session.js'
import type { Clock } from '../time.js'
import type { ActDeps } from './acting.js'

/** What the use cases of members have in common: the audit log, the clock, and how a token becomes what is stored of it. */
export type MemberDeps = ActDeps & {
  /** The SHA-256 digest of a text. */
  readonly digestOf: (text: string) => Digest
  readonly now: Clock
}

/** An entry of what people do with their own sign-in, which need no role; none without an audit log. */
export const ownEntry = ({ audit }: ActDeps, entry: Omit<AuditEntry, 'id' | 'at'>): ReadonlyArray<AlongEntry & AuditEntry> =>
  (audit === undefined ? [] : [{ id: audit.newAuditId(), at: audit.now(), ...entry }])

/** Appends the entry of what was refused, and answers with the refusal; a `PortFailure` is no refusal and has no entry. */
export const noteRefusal = async <Failure extends { readonly _tag: string }>(
  deps: ActDeps, failure: Failure, entry: Omit<AuditEntry, 'id' | 'at' | 'outcome'>,
): Promise<E.Either<Failure | PortFailure, never>> => {
  if (deps.audit === undefined || failure._tag === 'PortFailure') return E.left(failure)
  const refusal = { ...entry, outcome: 'refused' as const, details: { ...entry.details, reason: failure._tag } }
  const appended = await deps.audit.auditLog.append(ownEntry(deps, refusal))()
  return E.isLeft(appended) ? appended : E.left(failure)
}

/** Someone who is not signed in, with the email that was given if it has the form of one: a password in the wrong field stays out of the audit log. */
export const someone = (given: string | undefined): Pick<AuditEntry, 'by'> => {
  const email = parseEmail(given ?? '')
  return { by: { type: 'unknown', ...(E.isRight(email) && { email: email.right }) } }
}

/** What a member may do. */
export const principalOf = ({ id, email, isOperator, roles }: Member): MemberPrincipal => ({ _tag: 'Member', member: id, email, isOperator, roles })

/** The member who acts, and from where. */
export const byMember = (principal: MemberPrincipal, address: string | undefined): Pick<AuditEntry, 'by' | 'address'> => ({
  by: auditActorOf({ principal }), ...addressOf(address),
})

/** The network address of an entry, if it is known. */
export const addressOf = (address: string | undefined): Pick<AuditEntry, 'address'> => (address === undefined ? {} : { address })
