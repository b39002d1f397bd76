import { type IncomingMessage, request } from 'node:http'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ShownUseCases } from '../../../adapters/console/index.js'
import { makeConsoleLimits } from '../../../adapters/console/limits.js'
import { memberIdOf } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { PASSWORD, role } from '../../core/use-cases/member-world.js'
import { eventually } from '../../support/eventually.js'
import { cookieOf, openConsole, type OpenConsole } from './browser.js'

/** A wallet with a statement without an end, and with books that are never added up. */
const endless = (): Partial<ShownUseCases['money']> => ({
  showHolds: async () => E.right([]),
  showBalance: async () => E.right(O.some({ currency: 'USD' as Currency, available: 0n, held: 0n })),
  showBooks: () => new Promise(() => undefined),
  readStatement: async (_workspace, { limit }) => E.right({
    items: Array.from(
      { length: limit },
      () => ({ id: '0'.repeat(32), kind: 'capture' as const, micros: 1n, message: undefined, reference: 'r'.repeat(200), at: 0 }),
    ),
    next: '0',
  }),
})

describe('the limits of the console', () => {
  let console: OpenConsole
  const open: IncomingMessage[] = []
  /** Which network address the next requests come from. */
  let address: string

  beforeEach(async () => {
    address = '192.0.2.1'
    console = await openConsole({ clientAddress: () => address, uses: { money: endless() } })
  })
  afterEach(async () => {
    for (const one of open.splice(0)) one.destroy()
    await console.close()
  })

  const join = async (name: string): Promise<string> => {
    const email = `${name}@example.com`
    await console.join(email, role(console.workspace, 'viewer'))
    return cookieOf(await console.post('/console/sign-in', { email, password: PASSWORD }))
  }
  /** Begins a request and reads no more than its head. */
  const begin = (path: string, cookie: string, more: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      request(
        {
          port: console.port, host: '127.0.0.1', path: `/console/workspaces/${console.workspace}${path}`, agent: false,
          headers: { Cookie: cookie, ...more },
        },
        (response) => {
          response.on('error', () => undefined)
          open.push(response)
          resolve(response)
        },
      ).on('error', reject).end()
    })
  const watch = (cookie: string): Promise<IncomingMessage> => begin('/messages', cookie, { Accept: 'text/event-stream' })
  const statuses = async (count: number, one: () => Promise<IncomingMessage>): Promise<ReadonlyArray<number | undefined>> => {
    const all: Array<number | undefined> = []
    for (let made = 0; made < count; made += 1) all.push((await one()).statusCode)
    return all
  }

  it('refuse the eleventh stream of a member, until one has ended, and no stream of another', async () => {
    const [ann, bob] = [await join('ann'), await join('bob')]
    assert.deepEqual(await statuses(10, () => watch(ann)), Array.from({ length: 10 }, () => 200))
    const eleventh = await watch(ann)
    assert.equal(eleventh.statusCode, 429)
    assert.match(String(eleventh.headers['retry-after']), /^[1-9]\d*$/)
    assert.equal((await watch(bob)).statusCode, 200)
    open[0]?.destroy()
    assert.equal(await eventually('room', async () => ((await watch(ann)).statusCode === 200 ? 200 : undefined)), 200)
  })

  it('refuse the third download of a member at once, by a page, and no download of another', async () => {
    const [ann, bob] = [await join('ann'), await join('bob')]
    const download = (cookie: string) => begin('/wallet/statement.csv', cookie)
    assert.deepEqual(await statuses(3, () => download(ann)), [200, 200, 429])
    const refused = open[2]!
    assert.match(String(refused.headers['content-type']), /html/)
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/)
    assert.equal((await download(bob)).statusCode, 200)
  })

  it('count all downloads of a network and of everyone together', async () => {
    const cookies = await Promise.all(['ann', 'bob', 'cyd', 'dan', 'eve'].map(join))
    const download = (member: number) => begin('/wallet/statement.csv', cookies[member]!)
    for (const member of [0, 1, 2]) assert.deepEqual(await statuses(2, () => download(member)), [200, 200])
    assert.equal((await download(3)).statusCode, 429)
    address = '198.51.100.7'
    assert.deepEqual(await statuses(2, () => download(3)), [200, 200])
    const last = await download(4)
    assert.equal(last.statusCode, 503)
    assert.match(String(last.headers['retry-after']), /^[1-9]\d*$/)
  })

  it('leave the pages of a member whose reports are not done', async () => {
    const ann = await join('ann')
    for (let count = 0; count < 8; count += 1) begin('/wallet/books', ann).catch(() => undefined)
    await eventually('a refusal', async () => {
      const reply = await Promise.race([
        console.get(`/console/workspaces/${console.workspace}/wallet/books`, ann),
        new Promise<undefined>((resolve) => { setTimeout(resolve, 100) }),
      ])
      return reply?.status === 429 ? true : undefined
    })
    assert.equal((await console.get(`/console/workspaces/${console.workspace}/messages`, ann)).status, 200)
  })

  it('are those of a whole IPv6 network, of which one machine has all addresses', () => {
    const limits = makeConsoleLimits(() => 0)
    const taken = Array.from({ length: 600 }, (_, index) => limits.admit(`2001:db8::${index.toString(16)}`, undefined)).filter(E.isRight)
    assert.lengthOf(taken, 512)
    assert.isTrue(E.isRight(limits.admit('2001:db8:0:1::1', undefined)))
    assert.isTrue(E.isRight(limits.enter('page', memberIdOf('1'), undefined)))
  })

  it('know a session by its token before it is looked up', () => {
    const limits = makeConsoleLimits(() => 0)
    const taken = Array.from({ length: 300 }, () => limits.admit('192.0.2.1', 'a'.repeat(43))).filter(E.isRight)
    assert.lengthOf(taken, 256)
    assert.isTrue(E.isRight(limits.admit('192.0.2.1', 'b'.repeat(43))))
  })

  it('serve nobody who has gone away in her turn', async () => {
    let [entered, served] = [0, 0]
    const limits = makeConsoleLimits(() => 0)
    const slow = await openConsole({
      limits: { ...limits, enter: () => { entered += 1; return E.right({ waitMs: 100, leave: () => undefined }) } },
      uses: { audit: { listAudit: async () => { served += 1; return E.right({ items: [], next: undefined }) } } },
    })
    await slow.join('ann@example.com')
    const cookie = cookieOf(await slow.post('/console/sign-in', { email: 'ann@example.com', password: PASSWORD }))
    const before = entered
    const gone = request({ port: slow.port, host: '127.0.0.1', path: '/console/audit', agent: false, headers: { Cookie: cookie } })
      .on('error', () => undefined)
    gone.end()
    await eventually('her turn to come', () => (entered > before ? true : undefined))
    gone.destroy()
    assert.equal((await slow.get('/console/audit', cookie)).status, 200)
    assert.equal(served, 1)
    await slow.close()
  })

  it('refuse at the door without looking up who asks', async () => {
    let lookups = 0
    const crowd = await openConsole({ clientAddress: () => '192.0.2.1' })
    const held = await openConsole({
      uses: { members: { authenticate: () => { lookups += 1; return new Promise(() => undefined) } } },
    })
    const token = `postern_session=${'a'.repeat(43)}`
    for (let made = 0; made < 256; made += 1) held.get('/console', token).catch(() => undefined)
    await eventually('all to be looked up', () => (lookups === 256 ? true : undefined))
    const refused = await held.get('/console', token)
    assert.equal(refused.status, 429)
    assert.include(refused.text, 'Too many requests')
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/)
    assert.match(String(refused.headers['content-security-policy']), /default-src 'none'/)
    assert.equal(lookups, 256)
    await Promise.all([held.close(), crowd.close()])
  })
})
