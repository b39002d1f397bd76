import { assert } from 'chai'
import type * as E from 'fp-ts/lib/Either.js'
import { FIRST_LINK_MS, INVITATION_MS, SESSION_IDLE_MS } from '../../../core/access/members.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { PASSWORD, role } from '../../core/use-cases/member-world.js'
import { done } from '../../support/right-of.js'
import { cookieOf, openConsole, type OpenConsole, type Reply, signedIn } from './browser.js'

const ANN = 'ann@example.com'
const BOB = 'bob@example.com'

describe('attacks on the console', () => {
  let console: OpenConsole
  beforeEach(async () => {
    console = await openConsole()
  })
  afterEach(() => console.close())

  const signIn = async (email = ANN): Promise<string> => {
    const reply = await console.post('/console/sign-in', { email, password: PASSWORD })
    assert.equal(reply.status, 303, reply.text)
    return cookieOf(reply)
  }
  const inviteBob = () => done(console.use.inviteMember({ by: SYSTEM, email: BOB, access: role(console.workspace, 'owner') }))
  const isIn = async (cookie: string): Promise<boolean> => (await console.get('/console/account', cookie)).status === 200

  it('guesses one password until the attempts are used up, and then not even the right one signs in', async () => {
    await console.join(ANN)
    const guesses: Array<Reply> = []
    for (let guess = 0; guess < 30; guess += 1) {
      guesses.push(await console.post('/console/sign-in', { email: ANN, password: `guess ${guess} of many` }))
    }
    guesses.push(await console.post('/console/sign-in', { email: ANN, password: PASSWORD }))
    assert.equal(signedIn(guesses), 0)
    assert.equal(guesses.at(-1)?.status, 429)
    assert.match(String(guesses.at(-1)?.headers['retry-after']), /^[1-9]\d*$/)
    assert.isAtMost(console.verified.length, 10)
  })

  it('guesses at once, and no more guesses are looked at', async () => {
    await console.join(ANN)
    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, guess) => console.post('/console/sign-in', { email: ANN, password: `guess ${guess} of many` })),
    )
    assert.equal(signedIn(guesses), 0)
    assert.isAtMost(console.verified.length, 10)
  })

  it('guesses one password of many emails from one address', async () => {
    const replies: Array<Reply> = []
    for (let person = 0; person < 120; person += 1) {
      replies.push(await console.post('/console/sign-in', { email: `p${person}@example.com`, password: 'password password' }))
    }
    assert.equal(signedIn(replies), 0)
    const looked = replies.filter(({ status }) => status !== 429)
    assert.equal(console.verified.length, looked.length)
    assert.isBelow(looked.length, replies.length)
  })

  it('says it comes from another address', async () => {
    await console.join(ANN)
    const guess = (at: number) => console.send('POST', '/console/sign-in', {
      form: { email: `p${at}@example.com`, password: 'password password' },
      headers: { Origin: console.origin, 'X-Forwarded-For': `198.51.100.${at}`, Forwarded: `for=198.51.100.${at}` },
    })
    const replies: Array<Reply> = []
    for (let at = 0; at < 120; at += 1) replies.push(await guess(at))
    assert.isBelow(replies.filter(({ status }) => status !== 429).length, replies.length)
  })

  it('tells members from others by the answer or by the work of one', async () => {
    await console.join(ANN)
    const before = console.verified.length
    const known = await console.post('/console/sign-in', { email: ANN, password: 'not her password' })
    const worked = console.verified.length - before
    const unknown = await console.post('/console/sign-in', { email: 'abc@example.com', password: 'not her password' })
    assert.equal(console.verified.length - before - worked, worked)
    assert.equal(worked, 1)
    assert.equal(known.status, unknown.status)
    assert.equal(known.text.replaceAll(ANN, ''), unknown.text.replaceAll('abc@example.com', ''))
    assert.deepEqual(Object.keys(known.headers), Object.keys(unknown.headers))
  })

  it('plants a session before the sign-in, which is not adopted', async () => {
    await console.join(ANN)
    const planted = `postern_session=${'A'.repeat(43)}`
    const reply = await console.send('POST', '/console/sign-in', {
      form: { email: ANN, password: PASSWORD }, headers: { Origin: console.origin, Cookie: planted },
    })
    assert.equal(signedIn([reply]), 1)
    assert.notInclude(cookieOf(reply), 'A'.repeat(43))
    assert.isFalse(await isIn(planted))
  })

  it('uses a link again, late, or many times at once', async () => {
    const { token } = await inviteBob()
    const path = `/console/link/${token}`
    const both = await Promise.all(Array.from({ length: 10 }, () => console.post(path)))
    assert.equal(signedIn(both), 1)
    assert.equal(signedIn([await console.post(path)]), 0)
    const { token: late } = await inviteBob()
    console.clock.at += INVITATION_MS
    const expired = await console.post(`/console/link/${late}`)
    assert.equal(signedIn([expired]), 0)
    assert.equal(expired.status, 404)
  })

  it('uses the first link late, or beside another, and there is one first operator', async () => {
    const late = await done(console.use.firstLink())
    console.clock.at += FIRST_LINK_MS
    assert.equal(signedIn([await console.post(`/console/link/${late!.token}`, { email: BOB })]), 0)
    const [one, two] = [await done(console.use.firstLink()), await done(console.use.firstLink())]
    const replies = await Promise.all([
      console.post(`/console/link/${one!.token}`, { email: ANN }), console.post(`/console/link/${two!.token}`, { email: BOB }),
    ])
    assert.equal(signedIn(replies), 1)
    assert.lengthOf(await done(console.use.listMembers({ by: SYSTEM })), 1)
  })

  it('opens a link to preview it, which uses nothing up', async () => {
    const { token } = await inviteBob()
    const opened = await Promise.all(['GET', 'HEAD', 'GET'].map((method) => console.send(method, `/console/link/${token}`)))
    assert.deepEqual(opened.map(({ status }) => status), [200, 200, 200])
    assert.equal(signedIn(opened), 0)
    assert.equal(signedIn([await console.post(`/console/link/${token}`)]), 1)
  })

  it('finds the token of a link in the log', async () => {
    const { token } = await inviteBob()
    await console.get(`/console/link/${token}`)
    await console.post(`/console/link/${token}`)
    await console.get(`/console/link/${token}/more`)
    await console.send('PUT', `/console/link/${token}`)
    assert.isAtLeast(console.lines.length, 4)
    assert.deepEqual(console.lines.filter((line) => line.includes(token)), [])
  })

  it('sends a link on to another site', async () => {
    const { token } = await inviteBob()
    assert.equal((await console.get(`/console/link/${token}`)).headers['referrer-policy'], 'same-origin')
  })

  it('tampers with the cookie', async () => {
    await console.join(ANN)
    const [cookie = ''] = (await signIn()).split('; ')
    const [name = '', token = ''] = cookie.split('=')
    const flipped = (token.startsWith('A') ? 'B' : 'A') + token.slice(1)
    const tried = [
      `${name}=${flipped}`, `${name}=${token.slice(1)}`, `${name}=${token}x`, `${name}=`, `${name}=${'x'.repeat(4000)}`,
      `${name}=../../etc`, `${name}="${token} "`, `${name.toUpperCase()}=${token}`, `x${name}=${token}`, `__Host-${name}=${token}`,
      `${name}=__proto__`,
    ]
    const results = await Promise.all(tried.map(isIn))
    assert.deepEqual(tried.filter((_, index) => results[index]), [])
    assert.isTrue(await isIn(cookie))
  })

  it('replays a session that was signed out, ended elsewhere, or idle for too long', async () => {
    await console.join(ANN)
    const [one, two, three] = [await signIn(), await signIn(), await signIn()]
    assert.equal((await console.post('/console/sign-out', {}, one)).status, 303)
    assert.isFalse(await isIn(one))
    assert.equal((await console.post('/console/account/sessions', { end: 'others' }, two)).status, 303)
    assert.deepEqual([await isIn(two), await isIn(three)], [true, false])
    console.clock.at += SESSION_IDLE_MS
    assert.isFalse(await isIn(two))
  })

  it("ends another member's session", async () => {
    await console.join(ANN)
    await console.join(BOB)
    const [[ann = ''], bob] = [(await signIn()).split('; '), await signIn(BOB)]
    const { right: { session } } = await console.use.authenticate({
      token: ann.split('=')[1] ?? '',
    }) as E.Right<{ readonly session: { readonly id: string } }>
    await console.post('/console/account/sessions', { end: session.id }, bob)
    assert.isTrue(await isIn(ann))
  })

  it('goes on with a session after the password was changed', async () => {
    await console.join(ANN)
    const [one, two] = [await signIn(), await signIn()]
    const form = { current: PASSWORD, password: 'four deaf badgers', again: 'four deaf badgers' }
    assert.equal((await console.post('/console/password', form, one)).status, 303)
    assert.deepEqual([await isIn(one), await isIn(two)], [true, false])
  })

  it('changes the password with a stolen session, without the current one', async () => {
    await console.join(ANN)
    const cookie = await signIn()
    const form = { password: 'four deaf badgers', again: 'four deaf badgers' }
    const replies = [
      await console.post('/console/password', form, cookie),
      await console.post('/console/password', { ...form, current: 'a guess of it' }, cookie),
    ]
    assert.deepEqual(replies.map(({ status }) => status), [422, 422])
    await signIn()
  })

  it('acts with the session of a member who was removed', async () => {
    await console.join(ANN)
    await console.join(BOB)
    const [ann, bob] = [await signIn(), await signIn(BOB)]
    assert.equal((await console.post('/console/members/remove', { email: BOB }, ann)).status, 303)
    assert.isFalse(await isIn(bob))
    assert.equal((await console.post('/console/members', { email: 'eve@example.com', access: 'operator' }, bob)).status, 401)
    assert.lengthOf(await done(console.use.listMembers({ by: SYSTEM })), 1)
  })

  it('acts by a role that was taken away a moment ago', async () => {
    await console.join(ANN)
    await console.join(BOB, role(console.workspace, 'owner'))
    const bob = await signIn(BOB)
    const path = `/console/members?workspace=${console.workspace}`
    assert.equal((await console.get(path, bob)).status, 200)
    await done(console.use.inviteMember({ by: SYSTEM, email: BOB, access: role(console.workspace, 'viewer') }))
    const invite = { email: 'eve@example.com', access: 'owner', workspace: console.workspace }
    const replies = [
      await console.get(path, bob), await console.get(`/console/audit?workspace=${console.workspace}`, bob),
      await console.get(`/console/audit.csv?workspace=${console.workspace}`, bob), await console.post('/console/members', invite, bob),
    ]
    assert.deepEqual(replies.map(({ status }) => status), [403, 403, 403, 403])
    const refused = (await console.entries()).filter(({ outcome, by: actor }) => outcome === 'refused' && actor.type === 'member')
    assert.deepEqual(refused.map(({ act }) => act), ['member.view', 'audit.view', 'audit.view', 'member.invite'])
  })

  it('reaches above its role: operators, other workspaces, everything', async () => {
    await console.join(ANN)
    const other = await console.newWorkspace()
    await console.join(BOB, role(console.workspace, 'owner'))
    const bob = await signIn(BOB)
    const replies = await Promise.all([
      console.get('/console/members', bob), console.get('/console/audit', bob), console.get('/console/audit.csv', bob),
      console.get(`/console/members?workspace=${other}`, bob), console.get(`/console/audit?workspace=${other}`, bob),
      console.get(`/console/audit.csv?workspace=${other}`, bob), console.post('/console/members', { email: BOB, access: 'operator' }, bob),
      console.post('/console/members', { email: BOB, access: 'owner', workspace: other }, bob),
      console.post('/console/members/remove', { email: ANN }, bob),
      console.post('/console/members/remove', { email: ANN, workspace: other }, bob),
    ])
    assert.deepEqual(replies.map(({ status }) => status), replies.map(() => 403))
    assert.notInclude((await console.get('/console', bob)).text, other)
  })

  it('puts headers into a redirect, or leads to another site', async () => {
    await console.join(ANN)
    const evil = 'https://evil.example/%0d%0aSet-Cookie:%20a=b'
    const tried = [
      await console.post(`/console/sign-in?next=${evil}&redirect=//evil.example&return_to=${evil}`, {
        email: ANN, password: PASSWORD, next: '//evil.example',
      }),
      await console.get(`/console?next=${evil}`), await console.get('/console/account?next=//evil.example'),
    ]
    const cookie = await signIn()
    tried.push(await console.post('/console/members/remove', { email: ANN, workspace: 'ws_x\r\nSet-Cookie: a=b' }, cookie))
    tried.push(
      await console.get('//evil.example/console', cookie), await console.get('/console//evil.example', cookie),
      await console.get('/console/', cookie),
    )
    const locations = tried.flatMap(({ headers }) => (headers['location'] === undefined ? [] : [String(headers['location'])]))
    assert.deepEqual(locations.filter((to) => !/^\/console(\/sign-in(\?back=%2Fconsole[\w.%-]*)?)?$/.test(to)), [])
    assert.isNotEmpty(locations)
    assert.deepEqual(tried.flatMap(({ cookies }) => cookies).filter((set) => set.startsWith('a=')), [])
  })

  it('puts HTML into pages by an email, a browser name, a workspace name, audit details and queries', async () => {
    const html = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    await console.join(ANN)
    await done(console.storage.workspaces.rename(console.workspace, html))
    const login = await console.send('POST', '/console/sign-in', {
      form: { email: ANN, password: PASSWORD }, headers: { Origin: console.origin, 'User-Agent': html },
    })
    const cookie = cookieOf(login)
    await done(console.storage.auditLog.append([{
      id: console.newAuditId(), at: console.clock.at, by: { type: 'command_line', user: html }, act: 'workspace.rename', outcome: 'done',
      workspace: console.workspace, subject: html, details: { name: html, [html]: 1 }, address: html,
    }]))
    const replies = [
      ...await Promise.all([
        '/console', '/console/account', `/console/members?workspace=${console.workspace}`, `/console/audit?workspace=${console.workspace}`,
        '/console/audit',
        `/console/audit?from=${encodeURIComponent(html)}&to=${encodeURIComponent(html)}&cursor=${encodeURIComponent(html)}`,
        `/console/members?workspace=${encodeURIComponent(html)}`, `/console/link/${encodeURIComponent(html)}`,
        `/console/${encodeURIComponent(html)}`,
      ].map((path) => console.get(path, cookie))),
      await console.post('/console/sign-in', { email: html, password: html }),
      await console.post('/console/members', { email: html, access: 'operator' }, cookie),
      await console.post('/console/members', { email: html, access: html, workspace: html }, cookie),
      await console.post('/console/members/remove', { email: html }, cookie),
    ]
    assert.deepEqual(
      replies.filter(({ text }) => /<script(?! src="\/console\/live\.[0-9a-f]{16}\.js" defer)|<img/.test(text)).map(({ text }) => text), [],
    )
    assert.isAtLeast(replies.filter(({ text }) => text.includes('&lt;script')).length, 6)
    assert.deepEqual(replies.filter(({ headers }) => !String(headers['content-security-policy']).includes("default-src 'none'")), [])
  })

  it('puts formulas into the CSV file', async () => {
    await console.join(ANN)
    const cookie = await signIn()
    for (const subject of ['=1+1', '+1', '@a', '\t=1', '\uFF1D1', 'a;=1', 'a,"b"\r\n=c']) {
      await done(console.storage.auditLog.append([
        { id: console.newAuditId(), at: console.clock.at, by: { type: 'system' }, act: 'key.mint', outcome: 'done', subject },
      ]))
    }
    const { text, headers } = await console.get('/console/audit.csv', cookie)
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
    assert.include(String(headers['content-disposition']), 'attachment')
    assert.deepEqual(text.split(/[,;\t\r\n]/).filter((one) => /^"*[=+\-@\uFF1D]/.test(one)), [])
    assert.include(text, `"a,""b""\r\n'=c"`)
  })

  it('sends forms that are too large, in pieces that are none, or by other methods', async () => {
    await console.join(ANN)
    const headers = { Origin: console.origin, Cookie: await signIn() }
    const large = await console.send('POST', '/console/password', { raw: `password=${'x'.repeat(20_000)}`, headers })
    assert.equal(large.status, 413)
    const json = await console.send('POST', '/console/sign-in', {
      raw: JSON.stringify({ email: ANN, password: PASSWORD }), headers: { Origin: console.origin, 'Content-Type': 'application/json' },
    })
    const twice = await console.send('POST', '/console/sign-in', {
      raw: `email=${ANN}&password=${PASSWORD}&password=${PASSWORD}`, headers: { Origin: console.origin },
    })
    const nested = await console.send('POST', '/console/sign-in', {
      raw: `email[a]=${ANN}&password[]=x&__proto__[email]=${ANN}`, headers: { Origin: console.origin },
    })
    assert.equal(signedIn([json, twice, nested]), 0)
    const others = await Promise.all(
      ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'].map((method) => console.send(method, '/console/account', { headers })),
    )
    assert.deepEqual(others.map(({ status }) => status), others.map(() => 405))
    assert.equal(others[0]?.headers['allow'], 'GET, HEAD')
  })
})
