import { assert } from 'chai'
import { role } from '../../core/use-cases/member-world.js'
import { openConsole, type OpenConsole } from './browser.js'

const PATH = '/console/health'

describe('the page of health', () => {
  let console: OpenConsole
  beforeEach(async () => { console = await openConsole() })
  afterEach(() => console.close())

  it('shows an operator gateways, unknown outcomes, events and the rate card, and runs checks and a pass of reconciliation', async () => {
    const cookie = `postern_session=${(await console.join('boss@example.com')).token}`
    const shown = await console.get(PATH, cookie)
    for (const said of ['db-1', '1.2.3', 'process 42', 'alive', '2026-01-01', 'none waits']) assert.include(shown.text, said)
    assert.include((await console.get('/console', cookie)).text, `href="${PATH}"`)
    const checked = await console.post(`${PATH}/check`, {}, cookie)
    for (const said of ['1 of 2 checks found a fault.', 'it is &lt;not> set', 'Set it.']) assert.include(checked.text, said)
    const reconciled = await console.post(`${PATH}/reconcile`, {}, cookie)
    assert.include(reconciled.text, '0 became unconfirmed')
    const { act, outcome, by, details } = (await console.entries()).at(-1) ?? assert.fail('no entry')
    assert.deepEqual([act, outcome, by.type === 'member' && by.email], ['message.reconcile', 'done', 'boss@example.com'])
    assert.deepEqual(details, { unconfirmed: 0, refused: 0, released: 0, captured: 0, refunded: 0 })
  })

  it('is for operators only', async () => {
    for (const who of ['owner', 'developer', 'viewer'] as const) {
      const cookie = `postern_session=${(await console.join(`${who}@example.com`, role(console.workspace, who))).token}`
      const replies = [await console.get(PATH, cookie), await console.post(`${PATH}/check`, {}, cookie), await console.post(`${PATH}/reconcile`, {}, cookie)]
      assert.deepEqual(replies.map(({ status }) => status), [403, 403, 403], who)
      assert.notInclude((await console.get('/console', cookie)).text, `href="${PATH}"`)
    }
    assert.equal((await console.get(PATH)).headers['location'], '/console/sign-in')
  })
})
