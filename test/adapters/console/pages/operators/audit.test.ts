import { assert } from 'chai'
import type { AuditEntry } from '../../../../../core/kernel/actor.js'
import { openConsole, type OpenConsole } from '../../browser.js'

describe('the page of the audit log', () => {
  let console: OpenConsole
  beforeEach(async () => { console = await openConsole() })
  afterEach(() => console.close())

  it('has details as names and values, and an id by its end, with the whole of it in the tooltip', async () => {
    const subject = 'ep_01a215b9a98d737ea05bc567418f3a1c'
    const entry: AuditEntry = {
      id: console.newAuditId(), at: console.clock.at, by: { type: 'command_line', user: 'root' }, act: 'endpoint.add', outcome: 'refused',
      workspace: console.workspace, subject,
      details: {
        url: 'https://shop.example/<events>', types: ['message.*', 'wallet.low'], left_out: 3, before: { enabled: true, note: null },
      },
    }
    await console.storage.auditLog.append([entry])
    const { text } = await console.get('/console/audit', `postern_session=${(await console.join('boss@example.com')).token}`)
    for (const [name, value] of [
      ['url', 'https://shop.example/&lt;events>'], ['types', 'message.*, wallet.low'], ['left out', '3'], ['enabled', 'true'],
      ['note', 'none'],
    ]) {
      assert.include(text, `<dt>${name ?? ''}</dt><dd>${value ?? ''}</dd>`)
    }
    assert.include(text, `<code title="${subject}" class="whole">…8f3a1c</code>`)
    assert.include(text, 'endpoint.add')
    assert.include(text, 'command line root')
    assert.include(text, 'Refused')
  })

  it('names people, workspaces and currencies, and shows those of a person, an act or a workspace alone', async () => {
    const { storage, workspace, clock } = console
    await storage.workspaces.rename(workspace, 'Meridian Clinics')
    const operator = `postern_session=${(await console.join('boss@example.com')).token}`
    const entry = (email: string, act: AuditEntry['act'], amount: string): AuditEntry => ({
      id: console.newAuditId(), at: clock.at, by: { type: 'member', id: 'mbr_1' as never, email }, act, outcome: 'done', workspace,
      subject: workspace, details: { amount },
    })
    await storage.auditLog.append([
      entry('ada@example.com', 'wallet.top_up', '12.500000'), entry('bob@example.com', 'wallet.adjust', '-3.000000'),
    ])
    const read = async (query: string) => {
      const { text } = await console.get(`/console/audit?${query}`, operator)
      return text.slice(text.indexOf('<tbody'))
    }
    const all = await read('')
    for (const said of ['>Meridian Clinics</a>', '>$12.50<', '>−$3.00<', 'person=ada%40example.com', 'act=wallet.top_up']) {
      assert.include(all, said)
    }
    assert.notInclude(all, `<code title="${workspace}"`)
    const [ofAda, ofAct] = [await read('person=ada@example.com'), await read('act=wallet.adjust')]
    assert.deepEqual([ofAda.includes('$12.50'), ofAda.includes('$3.00')], [true, false])
    assert.deepEqual([ofAct.includes('$12.50'), ofAct.includes('$3.00')], [false, true])
    assert.include(await read(`workspace=${workspace}&person=bob@example.com`), '$3.00')
    assert.equal((await console.get('/console/audit?act=nothing', operator)).status, 400)
  })
})
