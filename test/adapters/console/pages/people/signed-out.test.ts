import { assert } from 'chai'
import { SESSION_IDLE_MS } from '../../../../../core/access/members.js'
import { PASSWORD } from '../../../../core/use-cases/member-world.js'
import { cookieOf, openConsole, type OpenConsole } from '../../browser.js'

const ANN = 'ann@example.com'

describe('the console, to a person who is signed out', () => {
  let console: OpenConsole
  let base: string
  beforeEach(async () => {
    console = await openConsole()
    await console.join(ANN)
    base = `/console/workspaces/${console.workspace}`
  })
  afterEach(() => console.close())

  /** Where the form of the sign-in page leads to. */
  const signInAt = async (address: string): Promise<string> => {
    const back = /name="back" value="([^"]*)"/.exec((await console.get(address)).text)?.[1]?.replaceAll('&amp;', '&')
    return String(
      (await console.post('/console/sign-in', { email: ANN, password: PASSWORD, ...(back !== undefined && { back }) })).headers['location'],
    )
  }
  const askedFor = async (path: string): Promise<string> => String((await console.get(path)).headers['location'])

  it('shows the page that was asked for after the sign-in, with its filters', async () => {
    for (const path of [
      '/messages?state=failed&template=order_update', '/customers/4915123456789', '/search?q=Ann%20L%C3%B3pez', '/wallet', '',
    ]) {
      const address = await askedFor(`${base}${path}`)
      assert.match(address, /^\/console\/sign-in\?back=/, path)
      assert.include((await console.get(address)).text, 'After you sign in, the page you requested opens.', path)
      assert.equal(await signInAt(address), `${base}${path}`)
    }
    assert.equal(await askedFor('/console'), '/console/sign-in')
    assert.notInclude((await console.get('/console/sign-in')).text, 'once you have signed in')
    assert.equal(await signInAt('/console/sign-in'), '/console')
  })

  it('keeps the address of that page where the password was wrong', async () => {
    const refused = await console.post('/console/sign-in', { email: ANN, password: 'another', back: `${base}/wallet` })
    assert.match(refused.text, new RegExp(`name="back" value="${base}/wallet"`))
  })

  it('redirects a sign-in with a forged address to a page of its own', async () => {
    const forged: ReadonlyArray<readonly [back: string, to: string]> = [
      ['//evil.example', '/console'], ['https://evil.example/', '/console'], ['/console/../evil', '/console'],
      ['/console/link/abc', '/console'], ['/console/sign-in', '/console'], ['/docs', '/console'], ['a'.repeat(3_000), '/console'],
      ['/'.repeat(3_000), '/console'], [`${base}/wallet\r\nSet-Cookie: a=b`, base], [`${base}/wallet?q=<b>`, `${base}/wallet`],
      [`${base}/messages.csv`, base],
    ]
    for (const [back, to] of forged) {
      const reply = await console.post('/console/sign-in', { email: ANN, password: PASSWORD, back })
      assert.equal(reply.headers['location'], to, back)
      assert.equal(
        (await console.get(`/console/sign-in?back=${encodeURIComponent(back)}`)).text.includes('name="back"'), to !== '/console', back,
      )
    }
  })

  it('answers a form with 401, shows the text that was typed into it, and returns to the page of the form after the sign-in', async () => {
    const cookie = cookieOf(await console.post('/console/sign-in', { email: ANN, password: PASSWORD }))
    console.clock.at += SESSION_IDLE_MS
    const form = { to: '4915123456789', what: 'text', key: 'k', back: 'customer', text: 'A long <answer>' }
    const headers = { Cookie: cookie, Origin: console.origin, Referer: `${console.origin}${base}/customers/4915123456789` }
    const { status, text } = await console.send('POST', `${base}/send/confirm`, { form, headers })
    assert.equal(status, 401)
    assert.include(text, 'nothing was saved')
    assert.include(text, 'A long &lt;answer>')
    const address = /<a class="button" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    assert.equal(await signInAt(address), `${base}/customers/4915123456789`)
  })

  it('shows no field of a form that could have a secret', async () => {
    const { status, text } = await console.post(`${base}/sender`, { phone: '1', account: '2', token: 'a-secret-token' })
    assert.equal(status, 401)
    assert.notInclude(text, 'a-secret-token')
    assert.notInclude(text, 'What you wrote')
  })
})
