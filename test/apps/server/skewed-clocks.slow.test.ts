// Slow: two processes, each with a clock of its own, and a process for each command.
import { assert } from 'chai'
import { type Simulator, startSimulator } from '../../../apps/simulator/simulator.js'
import { CLOCK_SKEW_MS } from '../../../core/access/members.js'
import { type Account, assertExact, openAccount, readBooks } from '../../support/books.js'
import { request, SECRET } from '../../support/gateway.js'
import { PRICE, sendTemplate } from '../../support/load.js'
import { type Env, posternJson } from '../../support/postern.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'
import { type ServerProcess, startServer } from '../../support/server-process.js'

const FUNDS = 100n * PRICE
const PASSWORD = 'correct horse battery staple'

/** Sets the clock of a process ahead. */
const AHEAD: Env = { NODE_OPTIONS: `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+${CLOCK_SKEW_MS}` }

type NewKey = { readonly id: string; readonly key: string }

describe('Two gateways, one with a clock that is a minute ahead,', () => {
  let scratch: Scratch
  let simulator: Simulator
  let account: Account
  let env: Env
  let right: ServerProcess
  let ahead: ServerProcess

  before(async () => {
    scratch = await makeScratch()
    simulator = await startSimulator()
    env = { DATABASE_URL: `sqlite:${scratch.path('postern.db')}`, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url }
    account = await openAccount(env['DATABASE_URL'] ?? '', FUNDS)
    right = await startServer(env)
    ahead = await startServer({ ...env, ...AHEAD })
  })
  after(async () => {
    await Promise.all([right, ahead].map((gateway) => gateway.kill()))
    await simulator.close()
    await scratch.remove()
  })

  const post = (gateway: ServerProcess, path: string, form: Readonly<Record<string, string>> = {}, cookie = ''): Promise<Response> =>
    fetch(gateway.url + path, {
      method: 'POST', body: new URLSearchParams(form), redirect: 'manual',
      headers: { Origin: gateway.url, ...(cookie !== '' && { Cookie: cookie }) },
    })
  const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  /** Which gateways accept the session of a browser. */
  const takenBy = (cookie: string): Promise<ReadonlyArray<boolean>> =>
    Promise.all([right, ahead].map(async ({ url }) =>
      (await fetch(`${url}/console/account`, { redirect: 'manual', headers: { Cookie: cookie } })).status === 200))
  const invite = async (email: string): Promise<string> =>
    new URL((await posternJson(['member', 'invite', email, '--operator'], env) as { readonly url: string }).url).pathname

  it('are what the title says', async () => {
    const moments: number[] = []
    for (const { url } of [right, ahead]) {
      const { headers } = await sendTemplate(url, account.key, '15550200001')
      const { json } = await request(`${url}/v1/messages/${headers.get('Postern-Message')}`, 'GET', account.key, {})
      moments.push(Date.parse(String(json['created_at'])))
    }
    const [first = NaN, second = NaN] = moments
    assert.isAtLeast(second - first, CLOCK_SKEW_MS)
  })

  it('take each other\'s links and sessions', async () => {
    for (const [index, [first, second]] of [[right, ahead], [ahead, right]].entries()) {
      const email = `member${index}@example.com`
      const link = await invite(email)
      const joined = await post(first!, link)
      assert.equal(joined.status, 303)
      assert.equal((await post(second!, link)).status, 404)
      assert.deepEqual(await takenBy(cookieOf(joined)), [true, true])
      assert.equal((await post(second!, '/console/password', { password: PASSWORD, again: PASSWORD }, cookieOf(joined))).status, 303)

      const signedIn = await post(second!, '/console/sign-in', { email, password: PASSWORD })
      assert.equal(signedIn.status, 303)
      assert.deepEqual(await takenBy(cookieOf(signedIn)), [true, true])
      assert.equal((await post(first!, '/console/sign-out', {}, cookieOf(signedIn))).status, 303)
      assert.deepEqual(await takenBy(cookieOf(signedIn)), [false, false])
    }
  })

  it('take a key at once and end it at once, and let it expire each by its own clock', async () => {
    const expiring = await posternJson(['key', 'mint', account.id, '--expires', `${CLOCK_SKEW_MS / 1_000}s`], env) as NewKey
    assert.equal((await sendTemplate(ahead.url, expiring.key, '15550200002')).status, 401)
    const { id, key } = await posternJson(['key', 'mint', account.id, '--expires', '1h'], env) as NewKey
    for (const { url } of [right, ahead]) assert.equal((await sendTemplate(url, key, '15550200002')).status, 200)
    await posternJson(['key', 'rotate', id, '--overlap', '0'], env)
    for (const { url } of [right, ahead]) assert.equal((await sendTemplate(url, key, '15550200002')).status, 401)
  })

  it('leave exact books', async () => {
    const sent = simulator.received().map(({ callback }) => callback ?? 'none')
    assertExact(await readBooks(env['DATABASE_URL'] ?? '', account.id), FUNDS, sent)
  })
})
