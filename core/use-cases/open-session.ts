import * as E from 'fp-ts/lib/Either.js'
import type { MemberNotFound, PortFailure } from '../errors.js'
import type { Member } from '../member.js'
import type { Sessions } from '../ports/sessions.js'
import { SESSION_MS, type Session, type SessionId, type SessionOpening, type Token } from '../session.js'
import { byMember, type MemberDeps, ownEntry, principalOf } from './member-deps.js'
import type { SignedIn, SignInPlace } from './member-commands.js'

/** What beginning a session needs. */
export type OpenSessionDeps = MemberDeps & {
  readonly sessions: Pick<Sessions, 'open'>
  /** 256 random bits in base64url. */
  readonly newToken: () => Token
  /** A new id, which sorts after those before it. */
  readonly newSessionId: () => SessionId
}

/** Whom a session is for, how she signed in, and from where. */
export type Opening = SignInPlace & { readonly member: Member; readonly openedBy: SessionOpening }

/** The longest text that a session keeps of a browser, and of an address. */
const MAX_USER_AGENT_LENGTH = 255
const MAX_ADDRESS_LENGTH = 64

/** Begins a session with a new token, whatever the browser had before: a token that an attacker knows is never signed in. */
export const openSession = async (
  deps: OpenSessionDeps, { member, openedBy, address, userAgent }: Opening,
): Promise<E.Either<MemberNotFound | PortFailure, SignedIn>> => {
  const at = deps.now()
  const token = deps.newToken()
  const session: Session = {
    id: deps.newSessionId(), member: member.id, openedBy, createdAt: at, lastSeenAt: at, expiresAt: at + SESSION_MS,
    ...(address !== undefined && { address: address.slice(0, MAX_ADDRESS_LENGTH) }),
    ...(userAgent !== undefined && { userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH) }),
  }
  const principal = principalOf(member)
  const along = () =>
    ownEntry(deps, { ...byMember(principal, address), act: 'member.sign_in', outcome: 'done', subject: session.id, details: { with: openedBy } })
  const opened = await deps.sessions.open(session, deps.digestOf(token), along, member.credentialsVersion)()
  return E.isLeft(opened) ? opened : E.right({ token, session, principal, hasPassword: member.hasPassword })
}
