import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { LRUCache } from 'lru-cache'
import type * as OpenIdClient from 'openid-client'
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client'
import { CLOCK_SKEW_MS, type IdentityRefused } from '../../core/access/members.js'
import { type BegunSignIn, type IdentityProvider, PENDING_MS, type ProvenIdentity } from '../../core/access/sign-in.js'
import { attempt, type PortFailure, portFailure } from '../../core/kernel/failure.js'
import { type Clock, HOUR_MS, SECOND_MS } from '../../core/kernel/time.js'
import { isIssuerAddress, isSafe } from './issuer-address.js'

/** The sentences for people, without a full stop; none of them quotes what a browser or a provider sent, except an error's code. */
export const NOT_BEGUN_HERE = 'This sign-in was started in another browser or more than 10 minutes ago; sign in again'
export const USED = 'This sign-in was already used; sign in again'
export const NOT_VALID = "The identity provider's response is not valid for this sign-in; sign in again"
const DENIED = 'The identity provider denied the sign-in, or you cancelled it; ask its administrator for access to Postern'

/** A refusal with a sentence for people. */
export const refused = (reason: string): IdentityRefused => ({ _tag: 'IdentityRefused', reason })

/**
 * What the log may know of a failure: a sentence and a code. The package's errors have the request's parameters and the whole answer in their
 * causes, among them codes and tokens, so no cause is kept.
 */
export const unavailable = (error: unknown): PortFailure => portFailure('IdentityProvider')(new Error(`the identity provider failed: ${sentenceOf(error)}`))

const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown error'
  if (error.cause instanceof UnreadAnswer) return error.cause.message
  if ('error' in error && typeof error.error === 'string' && ERROR_CODE.test(error.error)) return `its answer is the error ${error.error}`
  return 'code' in error && typeof error.code === 'string' ? `${error.message} (${error.code})` : error.message
}

/** The form of an error's code in OAuth. */
const ERROR_CODE = /^[a-z_]{1,40}$/

/** Answers that say something of this sign-in, and not of the provider's health. */
const NOT_VALID_CODES: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED', 'OAUTH_KEY_SELECTION_FAILED',
])

/** Tells a sign-in that is refused from a provider that fails. */
export const failureOf = (client: typeof OpenIdClient, error: unknown): IdentityRefused | PortFailure => {
  if (error instanceof client.AuthorizationResponseError) return refused(error.error === 'access_denied' ? DENIED : endedWith(error.error))
  if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') return refused(USED)
  if (error instanceof client.ClientError && error.code !== undefined && NOT_VALID_CODES.has(error.code)) return refused(NOT_VALID)
  return unavailable(error)
}

const endedWith = (code: string): string =>
  ERROR_CODE.test(code) ? `The identity provider returned the error ${code}` : 'The identity provider returned an error'

/** The provider was not reached, or its answer was not read to its end. The message names no parameter of the request. */
export class UnreadAnswer extends Error {}

/** The longest answer: metadata and keys of providers in use have less than a tenth of it. */
const MAX_MIB = 1
const MAX_BYTES = MAX_MIB * 1024 * 1024

/** Makes a `fetch` that waits no longer than `timeoutMs` for a whole answer, reads at most 1 MiB of it, and sends nothing over plain http to another machine. */
export const boundedFetch =
  (timeoutMs: number): CustomFetch =>
  async (address, options) => {
    const url = new URL(address)
    if (!isSafe(url)) throw new UnreadAnswer(`it names an address that is not https: ${url.origin}`)
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const { headers, method, redirect, body: form } = options
      const response = await fetch(url, { headers, method, redirect, signal, ...(form instanceof URLSearchParams && { body: form }) })
      const text = response.body === null ? null : await readText(response.body)
      return new Response(text, { status: response.status, statusText: response.statusText, headers: response.headers })
    } catch (error) {
      throw error instanceof UnreadAnswer
        ? error
        : new UnreadAnswer(signal.aborted ? `no answer within ${timeoutMs} ms` : `no answer: ${codeOf(error)}`)
    }
  }

const readText = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new UnreadAnswer(`an answer of more than ${MAX_MIB} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The system's code, such as `ECONNREFUSED`; `fetch` hides it in a cause. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause instanceof Error ? codeOf(error.cause) : error.name
}

/** Which provider, and who Postern is to it. */
export type Registration = { readonly issuer: string; readonly clientId: string; readonly clientSecret: string; readonly timeoutMs: number }

/** The package, and what the provider's metadata says. */
export type Discovered = { readonly client: typeof OpenIdClient; readonly config: Configuration }

/** How long metadata counts. A provider may move its endpoints; no gateway should have to be restarted for that. */
const KEPT_MS = HOUR_MS

/** Makes a function that reads the provider's metadata. What it has read is kept for an hour. A failure is not kept, so the next call asks again. */
export const makeDiscovery = (registration: Registration, now: Clock): (() => Promise<Discovered>) => {
  let kept: { readonly discovered: Promise<Discovered>; readonly until: number } | undefined
  return () => {
    if (kept !== undefined && now() < kept.until) return kept.discovered
    const asked = { discovered: discover(registration), until: now() + KEPT_MS }
    kept = asked
    asked.discovered.catch(() => {
      if (kept === asked) kept = undefined
    })
    return asked.discovered
  }
}

/** The metadata has to name the issuer that was configured: a shared issuer of many companies would vouch for people of all of them. */
const discover = async ({ issuer, clientId, clientSecret, timeoutMs }: Registration): Promise<Discovered> => {
  const client = await import('openid-client')
  const address = new URL(issuer)
  const metadata = { [client.clockTolerance]: CLOCK_SKEW_MS / SECOND_MS }
  const config = await client.discovery(address, clientId, metadata, authenticating(client, clientSecret), {
    [client.customFetch]: boundedFetch(timeoutMs),
    execute: [client.enableNonRepudiationChecks, ...(address.protocol === 'http:' ? [client.allowInsecureRequests] : [])],
  })
  const { issuer: named, authorization_endpoint: page } = config.serverMetadata()
  if (new URL(named).href !== address.href) throw new Error('its metadata names another issuer')
  if (page === undefined || !URL.canParse(page) || !isSafe(new URL(page))) throw new Error('its metadata names no https address to sign in at')
  return { client, config }
}

/** The client's secret goes into the header, which every provider has to take, except where the metadata lists other ways only. */
const authenticating =
  (client: typeof OpenIdClient, secret: string): ClientAuth =>
  (server, metadata, body, headers) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const authenticate = ways.includes('client_secret_basic') ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
    authenticate(server, metadata, body, headers)
  }

/** What a sign-in needs when the browser comes back. */
export type Pending = t.TypeOf<typeof Pending>

const Pending = t.strict({ state: t.string, nonce: t.string, verifier: t.string, redirectUri: t.string, expiresAt: t.number })

/** Encrypts and decrypts what the browser keeps. */
export type PendingBox = {
  readonly seal: (pending: Pending) => string
  /** None if it was not sealed with the same secret for the same provider and client, or was changed. */
  readonly open: (sealed: string) => Pending | undefined
}

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** Uses AES-256-GCM with a key derived from the operator's secret. `context` is the provider and the client for which a sign-in begins. */
export const makePendingBox = (secret: string, context: string): PendingBox => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'postern identity provider', KEY_BYTES))
  const aad = Buffer.from(context)
  return {
    seal: (pending) => {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(aad)
      const body = Buffer.concat([cipher.update(JSON.stringify(pending), 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
    },
    open: (sealed) => {
      const text = decrypt(Buffer.from(sealed, 'base64url'))
      if (text === undefined) return undefined
      const pending: unknown = JSON.parse(text)
      return Pending.is(pending) ? pending : undefined
    },
  }

  function decrypt(bytes: Buffer): string | undefined {
    if (bytes.length < IV_BYTES + TAG_BYTES) return undefined
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(aad)
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    try {
      return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      return undefined
    }
  }
}

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
  /**
   * Whether an email counts as verified if the provider does not say so: by default `claimed`, it does not. `trusted` is for an issuer whose administrators alone
   * set the emails of its people. An email that the provider calls unverified is refused in both cases.
   */
  readonly emailVerified?: 'claimed' | 'trusted'
  readonly now?: Clock
}

/**
 * What the provider says about the email: verified, unverified, or nothing (`undefined`).
 *
 * Microsoft Entra ID sends no `email_verified`. Its optional claim `xms_edov` says whether the owner of the email's domain is verified; it comes as a boolean, a
 * number or a text. Source: <https://learn.microsoft.com/en-us/entra/identity-platform/optional-claims-reference>.
 */
const saysVerified = (claims: Readonly<Record<string, unknown>>): boolean | undefined => {
  const { email_verified: verified, xms_edov: domainVerified } = claims
  if (verified !== undefined && verified !== null) return verified === true
  return domainVerified === undefined || domainVerified === null ? undefined : DOMAIN_VERIFIED.has(domainVerified)
}

const DOMAIN_VERIFIED: ReadonlySet<unknown> = new Set([true, 1, '1', 'true'])

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
export const makeOidcProvider = ({
  issuer, clientId, clientSecret, secret, timeoutMs = TIMEOUT_MS, emailVerified = 'claimed', now = Date.now,
}: OidcOptions): IdentityProvider => {
  if (!isIssuerAddress(issuer)) throw new Error('the issuer must be an https:// address, or http:// on this machine, without credentials, query or fragment')
  const discover = makeDiscovery({ issuer, clientId, clientSecret, timeoutMs }, now)
  const box = makePendingBox(secret, `${issuer} ${clientId}`)
  const finished = new LRUCache<string, true>({ max: REMEMBERED, ttl: PENDING_MS })
  const discovered = () => attempt(discover, unavailable)

  return {
    begin: async (redirectUri) => {
      const found = await discovered()
      return E.isLeft(found) ? found : attempt(() => begin(found.right, redirectUri), unavailable)
    },
    finish: async (callbackUrl, sealed) => {
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
      const tokens = await client.authorizationCodeGrant(config, answered, {
        expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined || !fits(claims.iss) || !fits(claims.sub)) return E.left(refused(NOT_VALID))
      const about = claims['email'] === undefined && config.serverMetadata().userinfo_endpoint !== undefined
        ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
        : claims
      const email = typeof about['email'] === 'string' ? about['email'] : undefined
      const isEmailVerified = email !== undefined && (saysVerified(about) ?? emailVerified === 'trusted')
      return E.right({ identity: { issuer: claims.iss, subject: claims.sub }, email, isEmailVerified })
    } catch (error) {
      return E.left(failureOf(client, error))
    }
  }
}
