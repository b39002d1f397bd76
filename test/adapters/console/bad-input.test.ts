import { assert } from 'chai'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { PASSWORD } from '../../core/use-cases/member-world.js'
import { done } from '../../support/right-of.js'
import { cookieOf, openConsole, type OpenConsole, type Reply, signedIn } from './browser.js'

const ANN = 'ann@example.com'
const BOB = 'bob@example.com'

describe('bad input on the page of the members', () => {
  let console: OpenConsole
  let ann: string
  beforeEach(async () => {
    console = await openConsole()
    await console.join(ANN)
    ann = cookieOf(await console.post('/console/sign-in', { email: ANN, password: PASSWORD }))
  })
  afterEach(() => console.close())

  const emails = async (): Promise<ReadonlyArray<string>> =>
    (await done(console.use.listMembers({ by: SYSTEM }))).map(({ email }) => email)
  const invite = (form: Readonly<Record<string, string>>): Promise<Reply> => console.post('/console/members', form, ann)
  const linkIn = ({ text }: Reply): string => /\/console\/link\/[\w-]{43}/.exec(text)?.[0] ?? assert.fail('the page has no link')

  it('invites no one by what is no email, and says so', async () => {
    for (const email of [
      '', ' ', 'bob', 'bob@', '@example.com', 'bob@localhost', 'Bob <bob@example.com>', 'bob@example.com, eve@example.com',
      '\u212Aate@example.com', 'x'.repeat(9_000),
    ]) {
      const reply = await invite({ email, access: 'operator' })
      assert.include(reply.text, 'This is not an email address.', email)
      assert.notMatch(reply.text, /\/console\/link\//)
    }
    assert.deepEqual(await emails(), [ANN])
  })

  it('takes no role that does not exist, and none without its workspace', async () => {
    const workspace = String(console.workspace)
    for (const form of [
      { access: 'king', workspace }, { access: 'Owner', workspace }, { access: '__proto__', workspace }, { access: 'operator', workspace },
      { access: 'owner' }, { access: 'king' }, {}, { access: 'owner', workspace: 'ws_1' },
      { access: 'owner', workspace: `${workspace}' OR 1=1` },
    ]) {
      const { status } = await invite({ email: BOB, ...form })
      assert.include([400, 404], status, JSON.stringify(form))
    }
    const unchosen = await invite({ email: BOB, access: '', workspace })
    assert.equal(unchosen.status, 422)
    assert.include(unchosen.text, 'Choose a role.')
    assert.include(unchosen.text, `value="${BOB}"`)
    assert.match(unchosen.text, /<select[^>]* required[^>]*><option value(?:="")?>/)
    assert.deepEqual(await emails(), [ANN])
  })

  it('makes one member of two invitations for one email, each with a link of its own, and ends the session of the first with the second', async () => {
    const replies = [
      await invite({ email: BOB, access: 'operator' }),
      await invite({ email: ' BOB@Example.com ', access: 'viewer', workspace: console.workspace }),
    ]
    const [earlier = '', later = ''] = replies.map(linkIn)
    assert.deepEqual(await emails(), [ANN, BOB])
    const first = await console.post(earlier)
    assert.equal(signedIn([first]), 1)
    const bob = cookieOf(first)
    assert.equal((await console.get('/console', bob)).status, 200)
    assert.equal(signedIn([await console.post(later)]), 1)
    assert.equal((await console.get('/console', bob)).status, 303)
  })

  it('makes one member of many invitations for one email at once, and one link signs in', async () => {
    const links = (await Promise.all(Array.from({ length: 8 }, () => invite({ email: BOB, access: 'operator' })))).map(linkIn)
    assert.deepEqual(await emails(), [ANN, BOB])
    assert.equal(signedIn(await Promise.all(links.map((link) => console.post(link)))), 1)
  })

  it('does not let the last operator remove herself, and lets her where another one stays', async () => {
    const refused = await console.post('/console/members/remove', { email: ANN }, ann)
    assert.include(refused.text, 'This is the last operator')
    assert.equal((await console.get('/console/account', ann)).status, 200)
    assert.deepEqual(await emails(), [ANN])
    await console.join(BOB)
    assert.equal((await console.post('/console/members/remove', { email: ANN }, ann)).status, 303)
    assert.notEqual((await console.get('/console/account', ann)).status, 200)
    assert.deepEqual(await emails(), [BOB])
  })

  it('removes no one who is not there', async () => {
    for (const email of ['', 'nobody@example.com', 'no email', `${ANN}\u0000`]) {
      assert.include((await console.post('/console/members/remove', { email }, ann)).text, 'This member does not exist.', email)
    }
    assert.deepEqual(await emails(), [ANN])
  })
})
