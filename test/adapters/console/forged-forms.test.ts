import { assert } from 'chai'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { PASSWORD, role } from '../../core/use-cases/member-world.js'
import { done } from '../../support/right-of.js'
import { openConsole, signedIn } from './browser.js'

const ANN = 'ann@example.com'
const BOB = 'bob@example.com'

describe('forged forms', () => {
  const FOREIGN: ReadonlyArray<Readonly<Record<string, string>>> = [
    {}, { Origin: 'null' }, { Origin: 'https://evil.example' }, { Origin: 'http://evil.example' }, { Origin: 'file://' },
    { Origin: 'http://console.test.evil.example' }, { Origin: 'http://console.test' }, { Origin: 'https://console.test:8443' },
    { Origin: 'https://user@evil.example' }, { Origin: 'https://evil.example', Host: 'evil.example' }, { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' }, { 'Sec-Fetch-Site': 'none' },
    { 'Sec-Fetch-Site': 'cross-site', Referer: 'https://console.test/console' }, { Referer: 'https://evil.example/?https://console.test/' },
    { Referer: 'https://console.test.evil.example/' }, { Referer: 'nonsense' },
    { Origin: 'null', 'Sec-Fetch-Site': 'same-origin', Referer: 'https://console.test/console' },
  ]

  it('do nothing on any page that takes a form', async () => {
    const console = await openConsole({ publicUrl: 'https://console.test' })
    try {
      const posts = console.pages.filter(({ post }) => post !== undefined).map(({ path }) => path)
      assert.isAtLeast(posts.length, 7)
      const { token } = await console.join(ANN)
      const { token: link } = await done(console.use.inviteMember({ by: SYSTEM, email: BOB, access: role(console.workspace, 'owner') }))
      const before = (await console.entries()).length
      const form = {
        email: ANN, password: PASSWORD, again: PASSWORD, current: PASSWORD, access: 'operator', workspace: '', end: 'all',
      }
      // One page after the other: the console has a bound of forms at once.
      for (const page of posts) {
        const path = page.replace(':token', link).replace(':workspace', console.workspace)
        const replies = await Promise.all(FOREIGN.map((headers) =>
          console.send('POST', path, { form, headers: { Host: 'console.test', ...headers, Cookie: `__Host-postern_session=${token}` } })))
        assert.deepEqual(replies.map(({ status }) => status), FOREIGN.map(() => 403), page)
        assert.equal(signedIn(replies), 0, page)
      }
      assert.equal((await console.entries()).length, before)
      const ours = [
        { Origin: 'https://console.test' }, { 'Sec-Fetch-Site': 'same-origin' }, { Referer: 'https://console.test/console/sign-in' },
      ]
      const taken = await Promise.all(ours.map((headers) => console.send('POST', '/console/sign-in', { form, headers })))
      assert.equal(signedIn(taken), 3)
    } finally {
      await console.close()
    }
  })
})

describe('the cookie of a session', () => {
  it('is for this host and https alone where the public address is https, and the plain one is not taken', async () => {
    const console = await openConsole({ publicUrl: 'https://console.test' })
    try {
      const { token } = await console.join(ANN)
      const reply = await console.post('/console/sign-in', { email: ANN, password: PASSWORD })
      assert.match(reply.cookies[0] ?? '', /^__Host-postern_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/)
      assert.match(reply.cookies[1] ?? '', /^__Host-postern_device=[\w-]{43}\.\d+\.[\w-]{43}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax; Secure$/)
      assert.equal((await console.get('/console/account', `__Host-postern_session=${token}`)).status, 200)
      assert.equal((await console.get('/console/account', `postern_session=${token}`)).status, 303)
      assert.include(String(reply.headers['strict-transport-security']), 'max-age')
    } finally {
      await console.close()
    }
  })

  it('is neither Secure nor prefixed over http, and not for scripts', async () => {
    const console = await openConsole()
    try {
      const { token } = await console.join(ANN)
      const reply = await console.post('/console/sign-in', { email: ANN, password: PASSWORD })
      assert.match(reply.cookies[0] ?? '', /^postern_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
      assert.match(reply.cookies[1] ?? '', /^postern_device=[\w-]{43}\.\d+\.[\w-]{43}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/)
      const device = reply.cookies[1]?.split(';')[0] ?? ''
      for (let wrong = 0; wrong < 6; wrong += 1) await console.post('/console/sign-in', { email: ANN, password: 'wrong' })
      assert.equal((await console.post('/console/sign-in', { email: ANN, password: PASSWORD })).status, 429)
      const known = await console.send('POST', '/console/sign-in', {
        form: { email: ANN, password: PASSWORD }, headers: { Origin: console.origin, Cookie: device },
      })
      assert.equal(known.status, 303)
      assert.equal((await console.get('/console/account', device)).status, 303)
      assert.equal((await console.get('/console/account', `__Host-postern_session=${token}`)).status, 303)
    } finally {
      await console.close()
    }
  })
})
