import type { MemberId } from './member.js'
import type { Instant } from './time.js'

/** A session's id, which may be shown: `ses_` and 32 lowercase hexadecimal digits of a UUIDv7. The cookie has a token of its own. */
export type SessionId = string & { readonly SessionId: unique symbol }

/** 256 random bits in base64url: what a session's cookie or a sign-in link has. Only its SHA-256 digest is stored. */
export type Token = string & { readonly Token: unique symbol }

/** A SHA-256 digest in lowercase hexadecimal digits. */
export type Digest = string & { readonly Digest: unique symbol }

/** How a member signed in: with her password, by a link, or with an identity provider. */
export type SessionOpening = 'password' | 'link' | 'identity'

/** A member who is signed in, in one browser. */
export type Session = {
  readonly id: SessionId
  readonly member: MemberId
  readonly openedBy: SessionOpening
  readonly createdAt: Instant
  /** When a request last came with it, exact to a minute. */
  readonly lastSeenAt: Instant
  /** When it ends at the latest, however busy it is. */
  readonly expiresAt: Instant
  readonly address?: string
  /** What the browser says of itself, at most 255 characters. */
  readonly userAgent?: string
}

/** How long a session lasts without a request: 12 hours. */
export const SESSION_IDLE_MS = 12 * 3_600_000
/** How long a session lasts at most: 7 days. */
export const SESSION_MS = 7 * 24 * 3_600_000
/** How long an invitation's link can be used: 24 hours. */
export const INVITATION_MS = 24 * 3_600_000
/** How long the link for the first operator can be used: 15 minutes. */
export const FIRST_LINK_MS = 15 * 60_000
/** How long after signing in by a link a password can be set without the current one: 15 minutes. */
export const FRESH_LINK_MS = 15 * 60_000
/** By how much the clocks of two gateways may differ, in milliseconds: a moment so far ahead still counts as the present. */
export const CLOCK_SKEW_MS = 60_000

/** The form of a session's id. */
export const SESSION_ID_FORM = /^ses_[0-9a-f]{32}$/

/** Whether a text has the form of a session's id. */
export const isSessionId = (text: string): text is SessionId => SESSION_ID_FORM.test(text)

/** The session id made of a UUIDv7; its dashes are dropped. */
export const sessionIdOf = (uuid: string): SessionId => `ses_${uuid.replaceAll('-', '')}` as SessionId
