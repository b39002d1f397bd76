import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { IdentityRefused, PortFailure } from '../errors.js'
import type { Identity } from './members.js'

export type { IdentityRefused, PortFailure } from '../errors.js'
export type { Identity } from './members.js'

/** A service that knows a company's people and vouches for them. */
export interface IdentityProvider {
  /**
   * Begins a sign-in. The browser goes to `url`, and comes back to `redirectUri` with the provider's answer in the query.
   * `PortFailure`: the provider does not answer; the next call asks it again.
   */
  readonly begin: (redirectUri: string) => TaskEither<PortFailure, BegunSignIn>
  /**
   * Ends a sign-in: `callbackUrl` is the address with which the browser came back, `pending` what it kept meanwhile; undefined, where it kept nothing.
   *
   * `IdentityRefused`: the answer does not belong to this sign-in, was used before, came after `PENDING_MS`, or is one that lets the person not in.
   * `PortFailure`: the provider does not answer, or answers what cannot be understood.
   */
  readonly finish: (callbackUrl: string, pending: string | undefined) => TaskEither<IdentityRefused | PortFailure, ProvenIdentity>
}

/** How long a person may take to sign in at the provider: 10 minutes. */
export const PENDING_MS = 10 * 60_000

/** A sign-in that has begun. `pending` is for the browser that began it, and no other: without it the provider's answer is worth nothing. */
export type BegunSignIn = { readonly url: string; readonly pending: string }

/** A person for whom a provider vouches. The email is the person's own only where `isEmailVerified`. */
export type ProvenIdentity = { readonly identity: Identity; readonly email: string | undefined; readonly isEmailVerified: boolean }
