import { assert } from 'chai'
import { PASSWORD, role } from '../../../../core/use-cases/member-world.js'
import { eventually } from '../../../../support/eventually.js'
import { openConsole, type OpenConsole, type Reply } from '../../browser.js'

const ANN = 'ann@example.com'
const FLOOD = '192.0.2.1'

describe('a flood of sign-ins', () => {
  let console: OpenConsole
  beforeEach(async () => {
    console = await openConsole({ clientAddress: ({ headers }) => String(headers['x-from']) })
    await console.join(ANN, role(console.workspace, 'viewer'))
  })
  afterEach(() => console.close())

  const signIn = (from: string, password: string, cookie?: string): Promise<Reply> => console.send('POST', '/console/sign-in', {
    form: { email: ANN, password }, headers: { Origin: console.origin, 'X-From': from, ...(cookie !== undefined && { Cookie: cookie }) },
  })
  const flood = () => {
    const replies: Reply[] = []
    const all = Promise.all(Array.from({ length: 300 }, async () => { replies.push(await signIn(FLOOD, 'a wrong password')) }))
    return { replies, all }
  }
  const isSignedIn = ({ status, headers }: Reply): boolean => status === 303 && headers['location'] === '/console'

  it('keeps no one out who comes from another network, and is answered 503 itself, by a page with the time to try again', async () => {
    const { replies, all } = flood()
    await eventually('refusals', () => (replies.some(({ status }) => status === 503) ? true : undefined))
    assert.isTrue(isSignedIn(await signIn('198.51.100.7', PASSWORD)))
    assert.isBelow(replies.length, 300, 'the flood still waits')
    await all
    const refused = replies.filter(({ status }) => status === 503)
    assert.isAbove(refused.length, 100)
    for (const { headers, text } of refused) {
      assert.deepEqual([headers['retry-after'], text.includes('Try again in a few seconds')], ['2', true])
    }
  })

  it('keeps no one out whose browser is known, not even from the same address', async () => {
    const before = await signIn('198.51.100.7', PASSWORD)
    const device = before.cookies.find((cookie) => cookie.startsWith('postern_device='))?.split(';')[0] ?? assert.fail('no device')
    const { replies, all } = flood()
    await eventually('refusals', () => (replies.some(({ status }) => status === 503) ? true : undefined))
    assert.isTrue(isSignedIn(await signIn(FLOOD, PASSWORD, device)))
    assert.isBelow(replies.length, 300)
    await all
  })

  it('leaves the pages of those who are signed in as they are, from wherever it comes', async () => {
    const { replies, all } = flood()
    await eventually('refusals', () => (replies.some(({ status }) => status === 503) ? true : undefined))
    assert.equal((await console.send('GET', '/console/sign-in', { headers: { 'X-From': FLOOD } })).status, 200)
    assert.isBelow(replies.length, 300)
    await all
  })
})
