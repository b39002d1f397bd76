import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { LRUCache } from 'lru-cache'
import type { IdentityRefused } from '../../core/access/members.js'
import { type BegunSignIn, type IdentityProvider, PENDING_MS, type ProvenIdentity } from '../../core/access/sign-in.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { Clock } from '../../core/kernel/time.js'
import { type Discovered, makeDiscovery } from './discovery.js'
import { failureOf, NOT_BEGUN_HERE, NOT_VALID, refused, unavailable, USED } from './failures.js'
import { isIssuerAddress } from './issuer-address.js'
import { makePendingBox, type Pending } from './pending.js'

/** A provider, and Postern's registration with it. */
export type OidcOptions = {
  /** The provider's issuer, as its metadata names it; `isIssuerAddress` holds for it. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Seals what the browser keeps. All gateways that serve one address need the same one. */
  readonly secret: string
  /** How long each request to the provider may take, in milliseconds; 5,000 if it is left out. A sign-in takes up to four. */
  readonly timeoutMs?: number
  readonly now?: Clock
}

const TIMEOUT_MS = 5_000

/** How many finished sign-ins are remembered, so that none is finished twice. */
const REMEMBERED = 10_000

/** The longest issuer and subject (OpenID Connect Core, section 2). */
const MAX_LENGTH = 255

const fits = (name: string): boolean => name !== '' && name.length <= MAX_LENGTH

/**
 * Signs people in with an OpenID Connect provider: authorization code flow with PKCE (S256), state and nonce. The ID token's signature, issuer, audience and
 * times are checked; times may be a minute off.
 *
 * State, nonce and code verifier are sealed, and the browser keeps them in a cookie. So any gateway with the same secret can finish what another one began,
 * and a stranger who begins a million sign-ins fills no memory. A sealed text could be used twice; but the provider takes each code once, and
 * the gateway that has finished a sign-in refuses it the second time.
 *
 * Nothing is asked of the provider before the first sign-in. Throws if the issuer is no safe address.
 */
export const makeOidcProvider = ({ issuer, clientId, clientSecret, secret, timeoutMs = TIMEOUT_MS, now = Date.now }: OidcOptions): IdentityProvider => {
  if (!isIssuerAddress(issuer)) throw new Error('the issuer must be an https:// address, or http:// on this machine, without credentials, query or fragment')
  const discover = makeDiscovery({ issuer, clientId, clientSecret, timeoutMs }, now)
  const box = makePendingBox(secret, `${issuer} ${clientId}`)
  const finished = new LRUCache<string, true>({ max: REMEMBERED, ttl: PENDING_MS })
  const discovered = TE.tryCatch(discover, unavailable)

  return {
    begin: (redirectUri) => TE.flatMap(discovered, (found) => TE.tryCatch(() => begin(found, redirectUri), unavailable)),
    finish: (callbackUrl, sealed) => async () => {
      const pending = sealed === undefined ? undefined : box.open(sealed)
      if (pending === undefined || now() > pending.expiresAt) return E.left(refused(NOT_BEGUN_HERE))
      const found = await discovered()
      return E.isLeft(found) ? found : finish(found.right, callbackUrl, pending)
    },
  }

  async function begin({ client, config }: Discovered, redirectUri: string): Promise<BegunSignIn> {
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri, scope: 'openid email', state, nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
    })
    return { url: url.href, pending: box.seal({ state, nonce, verifier, redirectUri, expiresAt: now() + PENDING_MS }) }
  }

  async function finish(
    { client, config }: Discovered, callbackUrl: string, { state, nonce, verifier, redirectUri }: Pending,
  ): Promise<E.Either<IdentityRefused | PortFailure, ProvenIdentity>> {
    const answered = new URL(redirectUri)
    answered.search = URL.canParse(callbackUrl) ? new URL(callbackUrl).search : ''
    if (answered.searchParams.get('state') !== state) return E.left(refused(NOT_BEGUN_HERE))
    if (finished.has(state)) return E.left(refused(USED))
    finished.set(state, true)
    try {
      const tokens = await client.authorizationCodeGrant(config, answered, { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true })
      const claims = tokens.claims()
      if (claims === undefined || !fits(claims.iss) || !fits(claims.sub)) return E.left(refused(NOT_VALID))
      const about = claims['email'] === undefined && config.serverMetadata().userinfo_endpoint !== undefined
        ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
        : claims
      const email = typeof about['email'] === 'string' ? about['email'] : undefined
      return E.right({ identity: { issuer: claims.iss, subject: claims.sub }, email, isEmailVerified: email !== undefined && about['email_verified'] === true })
    } catch (error) {
      return E.left(failureOf(client, error))
    }
  }
}
