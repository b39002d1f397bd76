import { assert } from 'chai'
import { administrationOf } from '../../support/use-cases.js'
import { type InProcessFixture, startInProcessFixture } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'

const PASSWORD = 'correct horse battery staple'

describe('The console of a gateway', () => {
  let gateway: InProcessFixture
  before(async () => { gateway = await startInProcessFixture() })
  after(() => gateway[Symbol.asyncDispose]())

  const post = (path: string, fields: Readonly<Record<string, string>>, cookie = ''): Promise<Response> =>
    fetch(gateway.url + path, {
      method: 'POST', body: new URLSearchParams(fields), redirect: 'manual',
      headers: { Origin: gateway.url, ...(cookie !== '' && { Cookie: cookie }) },
    })
  const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''

  it('creates the first operator by a link, lets the operator set a password, and signs in with it', async () => {
    const link = rightOf(await administrationOf(gateway.storage).members.firstLink()) ?? assert.fail('there is no operator yet')
    const path = `/console/link/${link.token}`
    assert.equal((await fetch(gateway.url + path)).status, 200)
    const first = await post(path, { email: 'Ada@example.com' })
    assert.equal(first.status, 303)
    assert.equal((await post('/console/password', { password: PASSWORD, again: PASSWORD }, cookieOf(first))).status, 303)

    const wrong = await post('/console/sign-in', { email: 'ada@example.com', password: 'not the password' })
    assert.equal(wrong.status, 403)
    assert.include(await wrong.text(), 'password')
    const again = await post('/console/sign-in', { email: 'ada@example.com', password: PASSWORD })
    assert.equal(again.status, 303)
    const page = await fetch(`${gateway.url}/console/members`, { headers: { Cookie: cookieOf(again) } })
    assert.equal(page.status, 200)
    assert.include(await page.text(), 'ada@example.com')
    assert.equal((await post(path, { email: 'eve@example.com' })).status, 404)
  })

  it('takes nothing of the API away, and answers nothing else', async () => {
    assert.equal((await fetch(`${gateway.url}/consoles`)).headers.get('Content-Type'), 'application/json; charset=utf-8')
    assert.equal((await fetch(`${gateway.url}/health/live`)).status, 200)
    assert.equal((await fetch(`${gateway.url}/v1/wallet`)).status, 401)
  })

  it('is not there if it is off', async () => {
    const without = await startInProcessFixture({ CONSOLE: 'off' })
    try {
      const answer = await fetch(`${without.url}/console/sign-in`)
      assert.deepEqual([answer.status, answer.headers.get('Content-Type')], [404, 'application/json; charset=utf-8'])
    } finally {
      await without[Symbol.asyncDispose]()
    }
  })
})
