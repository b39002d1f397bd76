import { assert } from 'chai'
import { applyChange, type NewMessage, openRecord, type PlatformId, type StateChange } from '../../core/messages/message.js'
import { newMessageId, newWorkspaceId } from '../laws/ids.js'
import { CUSTOMER, NOON, USD } from './gateway.js'

const text: NewMessage = {
  id: newMessageId(NOON), workspace: newWorkspaceId(NOON), at: NOON,
  message: { _tag: 'Text', to: CUSTOMER, text: 'Hello' },
  price: { micros: 7_700n, currency: USD, category: 'service' },
}
const PLATFORM_ID = 'wamid.1' as PlatformId

const after = (...changes: ReadonlyArray<StateChange>) => changes.reduce(applyChange, openRecord(text))
const historyAfter = (...changes: ReadonlyArray<StateChange>) => after(...changes).history.map(({ state, at }) => [state, at - NOON])

describe('a message record', () => {
  it('opens as pending, without what the message says', () => {
    assert.deepEqual(openRecord(text), {
      id: text.id, workspace: text.workspace, kind: 'text', to: CUSTOMER, price: text.price, templateName: undefined,
      language: undefined, createdAt: NOON, platformId: undefined, state: 'pending', error: undefined, pricing: undefined,
      history: [{ state: 'pending', at: NOON }],
    })
  })

  it("keeps a template's name and language and drops its components", () => {
    const record = openRecord({ ...text, message: { _tag: 'Template', to: CUSTOMER, name: 'order_update', language: 'de', components: [{ type: 'body' }] } })
    assert.deepInclude(record, { kind: 'template', templateName: 'order_update', language: 'de' })
    assert.notProperty(record, 'components')
  })

  it('lists its states in the order in which one leads to the next', () => {
    assert.deepEqual(
      historyAfter({ state: 'delivered', at: NOON + 3 }, { state: 'sent', at: NOON + 2 }),
      [['pending', 0], ['sent', 2], ['delivered', 3]],
    )
  })

  it('lists them so where the platform, which reports whole seconds, dates one before what led to it', () => {
    assert.deepEqual(
      historyAfter({ state: 'accepted', at: NOON + 412 }, { state: 'delivered', at: NOON }, { state: 'sent', at: NOON }),
      [['pending', 0], ['accepted', 412], ['sent', 0], ['delivered', 0]],
    )
  })

  it('enters a state once, at the first moment that was reported', () => {
    assert.deepEqual(historyAfter({ state: 'sent', at: NOON + 1 }, { state: 'sent', at: NOON + 5 }), [['pending', 0], ['sent', 1]])
  })

  it('keeps an error as long as the state that it explains', () => {
    const error = { code: 131000 }
    assert.deepEqual(after({ state: 'refused', at: NOON, error }).error, error)
    assert.isUndefined(after({ state: 'refused', at: NOON, error }, { state: 'delivered', at: NOON }).error)
  })

  it("takes the platform's id and its report on billing from the first change that brings them, also from a late one", () => {
    const pricing = { category: 'utility' }
    const record = after(
      { state: 'delivered', at: NOON },
      { state: 'accepted', at: NOON, platformId: PLATFORM_ID, pricing },
      { state: 'read', at: NOON, pricing: { category: 'marketing' } },
    )
    assert.deepInclude(record, { state: 'read', platformId: PLATFORM_ID, pricing })
  })

  it('does not take a change that names another platform id than the recorded one', () => {
    const record = after({ state: 'accepted', at: NOON, platformId: PLATFORM_ID })
    const foreign: StateChange = { state: 'failed', at: NOON, platformId: 'wamid.2' as PlatformId, error: { code: 1 }, pricing: {} }
    assert.deepEqual(applyChange(record, foreign), record)
    assert.equal(applyChange(record, { ...foreign, platformId: PLATFORM_ID }).state, 'failed')
  })
})
