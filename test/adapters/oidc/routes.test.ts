import { createServer } from 'node:http'
import { assert } from 'chai'
import Koa from 'koa'
import { makeOidcProvider, OIDC_CALLBACK_PATH, OIDC_PATH, oidcRoutes } from '../../../adapters/oidc/index.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { memberWorld } from '../../core/use-cases/member-world.js'
import { type Browser, makeBrowser, type Visit } from './browser.js'
import { CLIENT_ID, CLIENT_SECRET, type CompanyProvider, type Person, startCompanyProvider } from './company-provider.js'
import { type Listening, listening } from '../../support/listening.js'
import { done } from '../../support/right-of.js'

const SECRET = 'a-secret-of-tests-that-is-long-enough'
const ADA: Person = { sub: 'ada', email: 'Ada@Example.com', email_verified: true }

describe('The routes of a sign-in with an identity provider', () => {
  let gateway: Listening
  let company: CompanyProvider
  let world: Awaited<ReturnType<typeof memberWorld>>
  let browser: Browser
  let handle: ReturnType<Koa['callback']>

  beforeEach(async () => {
    gateway = await listening(createServer((request, response) => void handle(request, response)))
    company = await startCompanyProvider(gateway.url + OIDC_CALLBACK_PATH)
    world = await memberWorld()
    browser = makeBrowser()
    handle = consoleAt(gateway.url, company.url)
    await done(world.use.inviteMember({ by: SYSTEM, email: 'ada@example.com', access: { _tag: 'Operator' } }))
  })
  afterEach(async () => {
    await gateway[Symbol.asyncDispose]()
    await company[Symbol.asyncDispose]()
  })

  /** A console with nothing but this sign-in: it answers who is signed in, or why no one is. */
  const consoleAt = (origin: string, issuer: string): ReturnType<Koa['callback']> => {
    const app = new Koa()
    app.use(oidcRoutes({
      provider: makeOidcProvider({ issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, secret: SECRET, timeoutMs: 2_000 }),
      signInWithIdentity: world.use.signInWithIdentity,
      originOf: () => origin,
      placeOf: ({ ip: address }) => ({ address }),
      onSignedIn: (ctx, { principal }) => void (ctx.body = principal.email),
      onRefused: (ctx, failure) => {
        ctx.status = failure._tag === 'IdentityRefused' ? 403 : 503
        ctx.body = failure._tag === 'IdentityRefused' ? failure.reason : 'The identity provider fails'
      },
    }))
    app.use((ctx) => void (ctx.body = 'the next middleware'))
    return app.callback()
  }

  /** Without a browser it is a new one, which is not signed in at the provider yet. */
  const signIn = (person: Person | undefined, by = makeBrowser()): Promise<Visit> => {
    company.person = person
    return by.open(gateway.url + OIDC_PATH)
  }

  /** The address with which the provider sends the browser back. */
  const callbackOf = async (person: Person, by = browser): Promise<string> => {
    company.person = person
    return (await by.open(gateway.url + OIDC_PATH, ({ pathname }) => pathname === OIDC_CALLBACK_PATH)).url
  }

  const assertAnswer = ({ status, text }: Visit, expected: number, answer: RegExp | string): void => {
    assert.equal(status, expected, text)
    if (typeof answer === 'string') assert.equal(text, answer)
    else assert.match(text, answer)
  }

  it('sign in a member whose email the provider has verified', async () => {
    const visit = await signIn(ADA, browser)
    assertAnswer(visit, 200, 'ada@example.com')
    assert.equal(visit.headers.get('cache-control'), 'no-store')
    assert.equal(visit.headers.get('referrer-policy'), 'no-referrer')
    assert.deepEqual(Array.from(browser.cookiesOf(gateway.url).keys()).filter((name) => name.includes('oidc')), [])
  })

  it('sign in the same person again, even if the email has changed', async () => {
    assertAnswer(await signIn(ADA), 200, 'ada@example.com')
    for (const changed of [{ sub: 'ada' }, { sub: 'ada', email: 'new@example.com', email_verified: false }]) {
      assertAnswer(await signIn(changed), 200, 'ada@example.com')
    }
  })

  it('refuse an email that is not verified, is missing, or is of no member', async () => {
    assertAnswer(await signIn({ ...ADA, email_verified: false }), 403, /has not verified your email/)
    assertAnswer(await signIn({ sub: 'ada', email: 'ada@example.com' }), 403, /has not verified your email/)
    assertAnswer(await signIn({ sub: 'ada' }), 403, /did not share your email/)
    assertAnswer(await signIn({ sub: 'eve', email: 'eve@example.com', email_verified: true }), 403, /No member has your email/)
  })

  it("refuse another person who has a member's email, unverified or after the member has joined", async () => {
    assertAnswer(await signIn({ sub: 'eve', email: 'ada@example.com', email_verified: false }), 403, /has not verified your email/)
    assertAnswer(await signIn(ADA), 200, 'ada@example.com')
    assertAnswer(await signIn({ sub: 'eve', email: 'ada@example.com', email_verified: true }), 403, /another account/)
  })

  it('say that the person cancelled at the provider', async () => assertAnswer(await signIn(undefined), 403, /denied the sign-in, or you cancelled it/))

  it('refuse a callback that is opened a second time, with or without its cookie', async () => {
    const callback = await callbackOf(ADA)
    const kept = new Map(browser.cookiesOf(gateway.url))
    assertAnswer(await browser.open(callback), 200, 'ada@example.com')
    assertAnswer(await browser.open(callback), 403, /started in another browser/)
    for (const [name, value] of kept) browser.cookiesOf(gateway.url).set(name, value)
    assertAnswer(await browser.open(callback), 403, /already used/)
    handle = consoleAt(gateway.url, company.url)
    for (const [name, value] of kept) browser.cookiesOf(gateway.url).set(name, value)
    assertAnswer(await browser.open(callback), 403, /already used/)
  })

  it("refuse another person's callback, with a sign-in of one's own or none", async () => {
    const callback = await callbackOf(ADA)
    assertAnswer(await makeBrowser().open(callback), 403, /started in another browser/)
    const other = makeBrowser()
    await callbackOf({ sub: 'eve' }, other)
    assertAnswer(await other.open(callback), 403, /started in another browser/)
    assertAnswer(await browser.open(callback), 200, 'ada@example.com')
  })

  it('refuse a forged state, and a forged cookie', async () => {
    const callback = new URL(await callbackOf(ADA))
    const kept = new Map(browser.cookiesOf(gateway.url))
    callback.searchParams.set('state', 'forged')
    assertAnswer(await browser.open(callback.href), 403, /started in another browser/)
    for (const [name, value] of kept) browser.cookiesOf(gateway.url).set(name, `${value.slice(0, -4)}AAAA`)
    assertAnswer(await browser.open(callback.href), 403, /started in another browser/)
  })

  it('answer that the provider fails while it is down, and nothing else', async () => {
    const gone = await listening(createServer((_, response) => response.end()))
    await gone[Symbol.asyncDispose]()
    handle = consoleAt(gateway.url, gone.url)
    assertAnswer(await signIn(ADA), 503, 'The identity provider fails')
    assertAnswer(await browser.open(`${gateway.url}/console`), 200, 'the next middleware')
    handle = consoleAt(gateway.url, company.url)
    assertAnswer(await signIn(ADA), 200, 'ada@example.com')
  })

  it('keep a sign-in in a cookie that no script reads and that only this host gets over https', async () => {
    const cookieAt = async (origin: string): Promise<string> => {
      handle = consoleAt(origin, company.url)
      const response = await fetch(gateway.url + OIDC_PATH, { redirect: 'manual' })
      assert.equal(response.status, 302)
      return response.headers.getSetCookie().join()
    }
    assert.match(await cookieAt('https://postern.example.com'), /^__Host-postern-oidc=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/)
    assert.match(await cookieAt(gateway.url), /^postern-oidc=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
  })

  it('leave every other request to the next middleware', async () => {
    for (const [method, path] of [
      ['POST', OIDC_PATH], ['HEAD', OIDC_PATH], ['POST', OIDC_CALLBACK_PATH], ['GET', `${OIDC_PATH}/`], ['GET', '/console'],
    ] as const) {
      const response = await fetch(gateway.url + path, { method, redirect: 'manual' })
      assert.equal(response.status, 200, `${method} ${path}`)
      assert.deepEqual(response.headers.getSetCookie(), [])
    }
  })
})
