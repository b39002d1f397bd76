import { assert } from 'chai'
import { eventIdOf, workspaceIdOf } from '../../../core/kernel/ids.js'
import { type Event, eventView } from '../../../core/kernel/outbox.js'

const WORKSPACE = workspaceIdOf('019b0000-0000-7000-8000-000000000001')

const received: Event = {
  id: eventIdOf('019b0000-0000-7000-8000-000000000002'), type: 'message.received', workspace: WORKSPACE,
  at: Date.UTC(2026, 0, 2, 3, 4, 5, 6), subject: '4915112345678', key: 'received:wamid.1',
  data: { id: 'wamid.1', content: null, context: null },
}

describe('the view of an event', () => {
  it('has what happened, where and when, and nothing that serves only its storage', () => {
    assert.deepEqual(eventView(received), {
      id: 'evt_019b0000000070008000000000000002', type: 'message.received', workspace: 'ws_019b0000000070008000000000000001',
      created_at: '2026-01-02T03:04:05.006Z', data: { id: 'wamid.1', content: null, context: null },
    })
  })

  it('shows what a customer wrote at the place where it is null once it is deleted', () => {
    const content = { content: { body: 'Hello' }, context: null }
    assert.deepEqual(eventView({ ...received, content }).data, { id: 'wamid.1', content: { body: 'Hello' }, context: null })
  })
})
