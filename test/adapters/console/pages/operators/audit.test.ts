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
})
