import { assert } from 'chai'
import { openConsole, type OpenConsole } from './browser.js'
import { role } from '../../core/use-cases/member-world.js'

const HEX = '0'.repeat(32)

/** The pages of lists, each with the parameter of its cursor and a cursor of an item that is not there. */
const LISTS: ReadonlyArray<readonly [path: string, cursor: string, name?: string]> = [
  ['/console', `ws_${HEX}`], ['/console', `ws_${HEX}`, 'archived'], ['/console/audit', `aud_${HEX}`], ['/messages', `msg_${HEX}`],
  ['/requests', HEX], ['/wallet/entries', HEX], ['/customers', `1772366400000.ws_${HEX}.5511987654321`],
  ['/customers/5511987654321', `msg_${HEX}`],
  ['/templates', '["order_update","en"]'],
]

describe('the pages of lists', () => {
  let console: OpenConsole
  let cookie: string
  before(async () => {
    console = await openConsole()
    cookie = `postern_session=${(await console.join('ops@example.com', { _tag: 'Operator' })).token}`
  })
  after(() => console.close())

  for (const [path, cursor, name = 'cursor'] of LISTS) {
    const address = (value: string): string =>
      `${path.startsWith('/console') ? path : `/console/workspaces/${console.workspace}${path}`}?${name}=${encodeURIComponent(value)}`

    it(`refuse a made-up ${name} at ${path}, and name it`, async () => {
      const others = LISTS.map(([, other]) => other).filter((other) => other !== cursor)
      for (const wrong of ['x', 'msg_1', '<b>', `${cursor}0`.replace('10', '1x'), ...others]) {
        const { status, text } = await console.get(address(wrong), cookie)
        assert.equal(status, 400, wrong)
        assert.include(text, `The ${name} in this address does not belong to this list`)
      }
    })

    it(`take the ${name} of an item that is not there at ${path}, and an empty one`, async () => {
      for (const right of [cursor, '']) assert.equal((await console.get(address(right), cookie)).status, 200, right)
    })
  }

  const filters: ReadonlyArray<readonly [path: string, filter: string, wrong: string, right: string]> = [
    ['/wallet/entries', 'kind', 'topup', 'top_up'], ['/wallet/statement.csv', 'kind', 'topup', 'top_up'],
    ['/wallet/statement.csv', 'from', 'monday', '2026-03-01'], ['/templates', 'status', 'APPROVD', 'approved'],
    ['/requests', 'code', 'window_close', 'window_closed'], ['/requests', 'refused', 'yes', 'on'],
    ['/console/audit.csv', 'to', '2026-13-01', '2026-03-01'], ['/wallet/statement.csv', 'to', '2026-02-31', '2026-03-01'],
    ['/console/audit', 'from', 'monday', '2026-03-01'], ['/console/audit', 'to', '2026-02-31', '2026-03-01'],
    ['/wallet/entries', 'from', 'monday', '2026-03-01'],
  ]
  for (const [path, filter, wrong, right] of filters) {
    it(`refuse a ${filter} that does not exist at ${path}, and take an empty one`, async () => {
      const at = (value: string) =>
        console.get(`${path.startsWith('/console') ? path : `/console/workspaces/${console.workspace}${path}`}?${filter}=${value}`, cookie)
      const refused = await at(wrong)
      assert.equal(refused.status, 400)
      assert.include(refused.text, `The filter ${filter} does not accept “${wrong}”`)
      for (const value of [right, '']) assert.equal((await at(value)).status, 200, value)
    })
  }

  it('refuse a made-up cursor of the deliveries of an endpoint', async () => {
    const member = `postern_session=${(await console.join('own@example.com', role(console.workspace, 'owner'))).token}`
    const base = `/console/workspaces/${console.workspace}/endpoints/ep_${HEX}`
    assert.equal((await console.get(`${base}?cursor=x`, member)).status, 400)
    assert.equal((await console.get(`${base}?cursor=${HEX}`, member)).status, 404)
  })
})
