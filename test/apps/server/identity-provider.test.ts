import { assert } from 'chai'
import { OIDC_CALLBACK_PATH, OIDC_PATH } from '../../../adapters/oidc/index.js'
import { CLIENT_ID, CLIENT_SECRET, startCompanyProvider, type CompanyProvider, type Person } from '../../adapters/oidc/company-provider.js'
import { makeBrowser, type Browser, type Visit } from '../../adapters/oidc/browser.js'
import { freePort } from '../../support/free-port.js'
import { SECRET } from '../../support/gateway.js'
import { serveInProcess, type InProcessServer } from '../../support/in-process-server.js'
import { posternJson, type Env } from '../../support/postern.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'
import { startServer } from '../../support/server-process.js'

const ADA: Person = { sub: 'ada', email: 'Ada@Example.com', email_verified: true }
const BOB: Person = { sub: 'bob', email: 'bob@example.com', email_verified: true }
const EVE: Person = { sub: 'eve', email: 'eve@example.com', email_verified: true }

describe('A gateway with an identity provider', () => {
  let scratch: Scratch
  let company: CompanyProvider
  let server: InProcessServer
  let publicUrl: string
  let env: Env

  before(async () => {
    scratch = await makeScratch()
    const port = String(await freePort())
    publicUrl = `http://127.0.0.1:${port}`
    company = await startCompanyProvider(publicUrl + OIDC_CALLBACK_PATH)
    env = {
      DATABASE_URL: `sqlite:${scratch.path('postern.db')}`, POSTERN_SECRET: SECRET, PORT: port, PUBLIC_URL: publicUrl,
      OIDC_ISSUER: company.url, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: CLIENT_SECRET,
    }
    server = await serveInProcess(env)
    for (const { email = '' } of [ADA, BOB]) await posternJson(['member', 'invite', email, '--operator'], env)
  })
  after(async () => {
    await server.stop()
    await company[Symbol.asyncDispose]()
    await scratch.remove()
  })

  /** Without a browser it is a new one, which is not signed in at the provider yet. */
  const signIn = (person: Person | undefined, by = makeBrowser()): Promise<Visit> => {
    company.person = person
    return by.open(publicUrl + OIDC_PATH)
  }

  /** Whether the gateway accepts the session of the browser. */
  const isSignedIn = async (browser: Browser): Promise<boolean> => {
    const { url, status } = await browser.open(`${publicUrl}/console/account`)
    return status === 200 && new URL(url).pathname === '/console/account'
  }

  const signIns = async (outcome: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> =>
    (await posternJson(['audit', 'list'], env) as ReadonlyArray<Readonly<Record<string, unknown>>>)
      .filter((entry) => entry['act'] === 'member.sign_in' && entry['outcome'] === outcome)

  it('has a link to it on the page of the sign-in, and signs in a member who was invited', async () => {
    const browser = makeBrowser()
    const page = await browser.open(`${publicUrl}/console/sign-in`)
    assert.include(page.text, `href="${OIDC_PATH}"`)
    const visit = await signIn(ADA, browser)
    assert.equal(visit.status, 200, visit.text)
    assert.match(new URL(visit.url).pathname, /^\/console(?:\/|$)/)
    assert.isTrue(await isSignedIn(browser))
    assert.include((await browser.open(`${publicUrl}/console/members`)).text, 'ada@example.com')
    assert.lengthOf(await signIns('done'), 1)
  })

  it('leads back to the page that was asked for, and to no page of another site', async () => {
    const browser = makeBrowser()
    const asked = await browser.open(`${publicUrl}/console/account`)
    const link = /href="(\/console\/oidc[^"]*)"/.exec(asked.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    company.person = ADA
    assert.equal(new URL((await browser.open(publicUrl + link)).url).pathname, '/console/account')
    for (const back of ['https://evil.example/', '//evil.example', '/console/link/abc', '/v1/key', 'x'.repeat(3_000)]) {
      const { url } = await makeBrowser().open(`${publicUrl}${OIDC_PATH}?back=${encodeURIComponent(back)}`)
      assert.equal(new URL(url).origin, publicUrl)
      assert.match(new URL(url).pathname, /^\/console(?:\/workspaces)?$/)
    }
  })

  for (const [why, person] of [
    ['whose email the provider has not verified', { ...BOB, email_verified: false }],
    ['of whom the provider does not say whether it has verified the email', { sub: 'bob', email: 'bob@example.com' }],
    ['whose email no member has', EVE],
    ['whose email belongs to a member who is another person there', { ...ADA, sub: 'another' }],
  ] as const) {
    it(`refuses a person ${why}, and notes it`, async () => {
      const before = (await signIns('refused')).length
      const browser = makeBrowser()
      const visit = await signIn(person, browser)
      assert.equal(visit.status, 403, visit.text)
      assert.isFalse(await isSignedIn(browser))
      assert.lengthOf(await signIns('refused'), before + 1)
    })
  }

  it('takes a callback once, and only from the browser that began the sign-in', async () => {
    const browser = makeBrowser()
    company.person = ADA
    const { url: callback } = await browser.open(publicUrl + OIDC_PATH, ({ pathname }) => pathname === OIDC_CALLBACK_PATH)
    const pending = new Map(browser.cookiesOf(publicUrl))
    const stranger = makeBrowser()
    assert.equal((await stranger.open(callback)).status, 403)
    assert.isFalse(await isSignedIn(stranger))

    assert.equal((await browser.open(callback)).status, 200)
    assert.isTrue(await isSignedIn(browser))
    const thief = makeBrowser()
    for (const [name, value] of pending) thief.cookiesOf(publicUrl).set(name, value)
    assert.equal((await thief.open(callback)).status, 403)
    assert.isFalse(await isSignedIn(thief))
  })

  it('starts without the provider too, and answers 503 to a sign-in with it', async () => {
    await company[Symbol.asyncDispose]()
    await server.stop()
    const compiled = await startServer(env)
    try {
      const browser = makeBrowser()
      assert.equal((await fetch(`${publicUrl}/health/ready`)).status, 200)
      assert.equal((await browser.open(publicUrl + OIDC_PATH)).status, 503)
      assert.equal((await browser.open(`${publicUrl}/console/sign-in`)).status, 200)
    } finally {
      await compiled.kill()
    }
    const { stdout, stderr } = await compiled.ended
    for (const printed of [JSON.stringify(server.log()), stdout, stderr]) assert.notInclude(printed, CLIENT_SECRET)
  })
})
