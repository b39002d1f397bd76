import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { isIssuerAddress, makeOidcProvider, type OidcOptions } from '../../../adapters/oidc/index.js'
import { causeOf } from '../../../apps/server/package.js'
import type { IdentityRefused } from '../../../core/access/members.js'
import { type IdentityProvider, PENDING_MS, type ProvenIdentity } from '../../../core/access/sign-in.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { type Faults, type FaultyProvider, json, startFaultyProvider } from './faulty-provider.js'

const REDIRECT_URI = 'https://postern.example.com/console/oidc/callback'
const SECRET = 'a-secret-of-tests-that-is-long-enough'
const CLIENT_SECRET = 'a client:secret/of+tests'

const BEGIN_AGAIN = /started in another browser or more than 10 minutes ago/
const NOT_VALID = /response is not valid for this sign-in/

describe('a sign-in with OpenID Connect', () => {
  let remote: FaultyProvider
  let provider: IdentityProvider

  beforeEach(async () => {
    remote = await startFaultyProvider()
    provider = open()
  })
  afterEach(() => remote[Symbol.asyncDispose]())

  const open = (options: Partial<OidcOptions> = {}): IdentityProvider =>
    makeOidcProvider({ issuer: remote.url, clientId: 'postern', clientSecret: CLIENT_SECRET, secret: SECRET, timeoutMs: 2_000, ...options })

  const begin = async (from = provider): Promise<{ readonly url: string; readonly pending: string; readonly callback: string }> => {
    const begun = await from.begin(REDIRECT_URI)
    if (E.isLeft(begun)) throw new Error(causeOf(begun.left.cause).message)
    return { ...begun.right, callback: REDIRECT_URI + remote.answerTo(begun.right.url) }
  }

  const signIn = async (faults: Faults = {}): Promise<E.Either<IdentityRefused | PortFailure, ProvenIdentity>> => {
    Object.assign(remote.faults, faults)
    const { callback, pending } = await begin()
    return provider.finish(callback, pending)
  }

  const assertRefused = (result: E.Either<IdentityRefused | PortFailure, ProvenIdentity>, reason: RegExp): void => {
    assert(E.isLeft(result) && result.left._tag === 'IdentityRefused', JSON.stringify(result))
    assert.match(result.left.reason, reason)
    assert.notMatch(result.left.reason, /a-secret-code|client:secret/)
  }

  /** What the log shows of the failure has no part of the sign-in, however deep it is. */
  const assertUnavailable = (result: E.Either<IdentityRefused | PortFailure, unknown>, message: RegExp): void => {
    assert(E.isLeft(result) && result.left._tag === 'PortFailure', JSON.stringify(result))
    assert.match(causeOf(result.left.cause).message, message)
    assert(result.left.cause instanceof Error)
    assert.isUndefined(result.left.cause.cause)
    assert.notMatch(result.left.cause.message, /a-secret-code|client:secret|an-access-token/)
  }

  it('asks for a code with PKCE, state and nonce, and proves who signed in', async () => {
    const { url, pending, callback } = await begin()
    const asked = new URL(url).searchParams
    assert.equal(`${new URL(url).origin}${new URL(url).pathname}`, `${remote.url}/authorize`)
    assert.deepInclude(Object.fromEntries(asked), {
      response_type: 'code', client_id: 'postern', scope: 'openid email', redirect_uri: REDIRECT_URI, code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) assert.match(asked.get(name) ?? '', /^[\w-]{43}$/, name)
    assert.deepEqual(await provider.finish(callback, pending), E.right({
      identity: { issuer: remote.url, subject: 'ada' }, email: 'ada@example.com', isEmailVerified: true,
    }))
    assert.equal(remote.tokenRequest?.body.get('redirect_uri'), REDIRECT_URI)
    assert.match(remote.tokenRequest?.body.get('code_verifier') ?? '', /^[\w-]{43}$/)
  })

  it('sends the client secret in the header, or in the body if the provider takes it there only', async () => {
    assert.isTrue(E.isRight(await signIn()))
    assert.match(remote.tokenRequest?.authorization ?? '', /^Basic /)
    provider = open()
    assert.isTrue(E.isRight(await signIn({ metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] } })))
    assert.isUndefined(remote.tokenRequest?.authorization)
    assert.equal(remote.tokenRequest?.body.get('client_secret'), CLIENT_SECRET)
  })

  it('counts an email as verified only if the provider says true', async () => {
    for (const said of [false, undefined, 'true', 1, null]) {
      const result = await signIn({ claims: () => ({ email_verified: said }) })
      assert(E.isRight(result))
      assert.deepInclude(result.right, { email: 'ada@example.com', isEmailVerified: false }, String(said))
    }
  })

  it('takes xms_edov of Microsoft Entra ID if email_verified is absent', async () => {
    const verified = async (claims: Readonly<Record<string, unknown>>): Promise<boolean> => {
      const result = await signIn({ claims: () => ({ email_verified: undefined, ...claims }) })
      assert(E.isRight(result))
      return result.right.isEmailVerified
    }
    for (const said of [true, 1, '1', 'true']) assert.isTrue(await verified({ xms_edov: said }), String(said))
    for (const said of [false, 0, '0', 'false', null, [], {}]) assert.isFalse(await verified({ xms_edov: said }), JSON.stringify(said))
    assert.isFalse(await verified({ email_verified: false, xms_edov: true }))
  })

  it('counts the emails of a trusted provider as verified, unless it says otherwise', async () => {
    for (const [claims, isVerified] of [
      [{}, true], [{ email_verified: true }, true], [{ email_verified: false }, false], [{ email_verified: 'false' }, false],
      [{ xms_edov: false }, false], [{ email: undefined }, false],
    ] as const) {
      provider = open({ emailVerified: 'trusted' })
      const result = await signIn({ claims: () => ({ email_verified: undefined, ...claims }) })
      assert(E.isRight(result))
      assert.equal(result.right.isEmailVerified, isVerified, JSON.stringify(claims))
    }
  })

  it('knows no email if the provider names none, or none that is a text', async () => {
    for (const email of [undefined, null, 7, { toString: 'x' }, ['ada@example.com']]) {
      const result = await signIn({ claims: () => ({ email }) })
      assert(E.isRight(result))
      assert.deepInclude(result.right, { email: undefined, isEmailVerified: false })
    }
  })

  it('shows nothing of the sign-in in what the browser keeps, and never the same twice', async () => {
    const [first, second] = [await begin(), await begin()]
    const state = new URL(first.url).searchParams.get('state') ?? ''
    assert.notEqual(first.pending, second.pending)
    assert.match(first.pending, /^[\w-]+$/)
    assert.notInclude(Buffer.from(first.pending, 'base64url').toString('latin1'), state)
    assert.isBelow(first.pending.length, 1_000)
  })

  it('is finished by another gateway with the same secret', async () => {
    const { callback, pending } = await begin()
    assert.isTrue(E.isRight(await open().finish(callback, pending)))
  })

  it('refuses a callback without what the browser kept, or with what it cannot open', async () => {
    const { callback, pending } = await begin()
    const changed = `${pending.slice(0, -2)}${pending.endsWith('AA') ? 'BB' : 'AA'}`
    for (const kept of [undefined, '', 'x', pending.slice(1), changed, pending.slice(0, 40), 'é'.repeat(500)]) {
      assertRefused(await provider.finish(callback, kept), BEGIN_AGAIN)
    }
    assertRefused(await open({ secret: `${SECRET}2` }).finish(callback, pending), BEGIN_AGAIN)
    assertRefused(await open({ clientId: 'another' }).finish(callback, pending), BEGIN_AGAIN)
    assert.isUndefined(remote.tokenRequest)
  })

  it('refuses what another browser kept, and a state that is forged, missing or doubled', async () => {
    const [mine, another] = [await begin(), await begin()]
    assertRefused(await provider.finish(mine.callback, another.pending), BEGIN_AGAIN)
    const state = new URL(mine.callback).searchParams.get('state') ?? ''
    for (const query of ['?code=x&state=forged', '?code=x', '', `?code=x&state=${state.slice(1)}`]) {
      assertRefused(await provider.finish(REDIRECT_URI + query, mine.pending), BEGIN_AGAIN)
    }
    assertRefused(await provider.finish('no address', mine.pending), BEGIN_AGAIN)
    assert.isUndefined(remote.tokenRequest)
    assertRefused(await provider.finish(`${mine.callback}&state=${state}`, mine.pending), NOT_VALID)
  })

  it('finishes each sign-in once, also at the same time', async () => {
    const { callback, pending } = await begin()
    const results = await Promise.all(Array.from({ length: 8 }, () => provider.finish(callback, pending)))
    assert.lengthOf(results.filter(E.isRight), 1)
    assertRefused(await provider.finish(callback, pending), /already used/)
    assertRefused(await provider.finish(callback.replace('a-secret-code', 'another'), pending), /already used/)
  })

  it('refuses a code that the provider has taken already', async () => {
    assertRefused(
      await signIn({ token: (response) => json(response, { error: 'invalid_grant', error_description: 'a-secret-code was used' }, 400) }),
      /already used/,
    )
  })

  it('may be finished for 10 minutes', async () => {
    let at = Date.now()
    provider = open({ now: () => at })
    const [late, inTime] = [await begin(), await begin()]
    at += PENDING_MS
    assert.isTrue(E.isRight(await provider.finish(inTime.callback, inTime.pending)))
    at += 1
    assertRefused(await provider.finish(late.callback, late.pending), BEGIN_AGAIN)
  })

  it('refuses an ID token with a wrong nonce, issuer, audience, signature or without a subject', async () => {
    const wrong: ReadonlyArray<readonly [string, Faults]> = [
      ['nonce', { claims: () => ({ nonce: 'another' }) }], ['no nonce', { claims: () => ({ nonce: undefined }) }],
      ['issuer', { claims: () => ({ iss: 'https://evil.example' }) }], ['audience', { claims: () => ({ aud: 'another' }) }],
      ['audiences', { claims: () => ({ aud: ['postern', 'another'] }) }], ['no subject', { claims: () => ({ sub: undefined }) }],
      ['empty subject', { claims: () => ({ sub: '' }) }], ['long subject', { claims: () => ({ sub: 'x'.repeat(256) }) }],
      ['signature', { forged: true }],
    ]
    for (const [name, faults] of wrong) {
      const result = await signIn({ claims: () => ({}), forged: false, ...faults })
      assert(E.isLeft(result), name)
      assertRefused(result, NOT_VALID)
    }
  })

  it('takes an ID token of a provider whose clock is a minute off, and none that expired before', async () => {
    for (const claims of [
      (at: number) => ({ iat: at - 110, exp: at - 50 }), (at: number) => ({ iat: at + 60, nbf: at + 55, exp: at + 120 }),
    ]) {
      assert.isTrue(E.isRight(await signIn({ claims })))
    }
    for (const claims of [(at: number) => ({ iat: at - 130, exp: at - 70 }), (at: number) => ({ nbf: at + 75, exp: at + 120 })]) {
      assertRefused(await signIn({ claims }), NOT_VALID)
    }
  })

  it("says why the provider did not sign a person in, and quotes nothing but an error's code", async () => {
    const { url, pending } = await begin()
    const state = new URL(url).searchParams.get('state') ?? ''
    const finish = (error: string, kept: string, withState = state): ReturnType<typeof signIn> =>
      provider.finish(
        `${REDIRECT_URI}?${new URLSearchParams({ error, error_description: 'a-secret-code', state: withState }).toString()}`, kept,
      )
    assertRefused(await finish('access_denied', pending, 'forged'), BEGIN_AGAIN)
    assertRefused(await finish('access_denied', pending), /denied the sign-in, or you cancelled it/)
    for (const [error, sentence] of [
      ['login_required', /returned the error login_required$/],
      ['<script>', /returned an error$/],
    ] as const) {
      const again = await begin()
      assertRefused(await finish(error, again.pending, new URL(again.url).searchParams.get('state') ?? ''), sentence)
    }
  })

  it('asks for the metadata once, also at the same time, and again after an hour', async () => {
    let at = Date.now()
    provider = open({ now: () => at })
    await Promise.all([begin(), begin(), begin()])
    assert.equal(remote.discoveries, 1)
    at += 3_600_000
    await begin()
    assert.equal(remote.discoveries, 2)
  })

  it('asks again after a failure', async () => {
    for (const [fault, message] of UNUSABLE_METADATA) {
      Object.assign(remote.faults, { discovery: undefined, metadata: undefined }, fault(remote.url))
      assertUnavailable(await provider.begin(REDIRECT_URI), message)
    }
    Object.assign(remote.faults, { discovery: undefined, metadata: undefined })
    assert.isTrue(E.isRight(await signIn()))
  })

  it('waits no longer than it may, and reads no endless answer', async () => {
    provider = open({ timeoutMs: 100 })
    remote.faults.discovery = () => undefined
    assertUnavailable(await provider.begin(REDIRECT_URI), /no answer within 100 ms/)
    remote.faults.discovery = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    assertUnavailable(await provider.begin(REDIRECT_URI), /no answer within 100 ms/)
    provider = open()
    remote.faults.discovery = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(' '.repeat(1_100_000))
    assertUnavailable(await provider.begin(REDIRECT_URI), /an answer of more than 1 MiB/)
  })

  it('answers that the provider fails if its endpoints are slow, broken or answer nonsense', async () => {
    const broken: ReadonlyArray<readonly [Faults, RegExp]> = [
      [{ token: (response) => json(response, { error: 'server_error' }, 500) }, /OAUTH_RESPONSE_IS_NOT_CONFORM|server_error/],
      [{ token: (response) => void response.writeHead(500).end('a-secret-code') }, /unexpected HTTP response status code/],
      [{ token: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{nonsense') }, /pars/],
      [{ token: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello') }, /content-type/],
      [{ token: (response) => json(response, { error: 'invalid_client' }, 401) }, /invalid_client|challenge/],
      [{ token: (response) => void response.destroy() }, /no answer/],
      [{ token: (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end() },
        /unexpected HTTP response status code/],
      [{ keys: (response) => void response.writeHead(500).end() }, /unexpected HTTP response status code/],
    ]
    for (const [faults, message] of broken) assertUnavailable(await signIn({ token: undefined, keys: undefined, ...faults }), message)
    provider = open({ timeoutMs: 500 })
    assertUnavailable(await signIn({ token: () => undefined, keys: undefined }), /no answer within 500 ms/)
  })

  it('answers that the provider is down', async () => {
    const { callback, pending } = await begin()
    await remote[Symbol.asyncDispose]()
    assertUnavailable(await provider.finish(callback, pending), /no answer: (ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)/)
    assertUnavailable(await open().begin(REDIRECT_URI), /no answer: ECONNREFUSED/)
    remote = await startFaultyProvider()
  })

  it('is for https issuers, and http ones of this machine only', () => {
    for (const address of [
      'https://id.example.com', 'https://id.example.com/realms/a/', 'http://127.0.0.1:4000', 'http://localhost/x', 'http://[::1]:80',
    ]) {
      assert.isTrue(isIssuerAddress(address), address)
    }
    for (const address of [
      'http://id.example.com', 'http://127.0.0.1.example.com', 'http://10.0.0.1', 'ftp://127.0.0.1', 'id.example.com', '',
      'https://user:pw@id.example.com', 'https://id.example.com/?a', 'https://id.example.com/#',
      'https://id.example.com/.well-known/openid-configuration',
    ]) {
      assert.isFalse(isIssuerAddress(address), address)
      assert.throws(() => open({ issuer: address }), /issuer must be an https/)
    }
  })
})

const UNUSABLE_METADATA: ReadonlyArray<readonly [(url: string) => Faults, RegExp]> = [
  [() => ({ discovery: (response) => void response.writeHead(500).end() }), /unexpected HTTP response status code/],
  [() => ({ discovery: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('nonsense') }), /pars/],
  [() => ({ discovery: (response) => json(response, []) }), /./],
  [() => ({ discovery: (response) => json(response, null) }), /./],
  [() => ({ metadata: { issuer: 'https://evil.example' } }), /issuer/],
  [() => ({ metadata: { issuer: 7 } }), /./],
  [() => ({ metadata: { authorization_endpoint: undefined } }), /no https address to sign in at/],
  [() => ({ metadata: { authorization_endpoint: 'http://id.example.com/authorize' } }), /no https address to sign in at/],
  [() => ({ metadata: { authorization_endpoint: 'javascript:alert(1)' } }), /no https address to sign in at/],
]
