import { assert } from 'chai'
import type { ReceivedMessage } from '../../apps/simulator/control/logs.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import { auditIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { MessageId, MessageRecord, MessageState } from '../../core/messages/message.js'
import { checkFreeTexts, checkResolutions } from './check-resolutions.js'
import type { Answered } from './run-record.js'

const ID = 'msg_1' as MessageId

const record = (state: MessageState, more: Partial<MessageRecord> = {}): MessageRecord => ({
  id: ID, workspace: 'ws_1' as WorkspaceId, platformId: undefined, kind: 'text', to: '4915000000001' as PhoneNumber, state,
  price: { micros: 0n, currency: 'USD' as Currency, category: 'service' }, templateName: undefined, language: undefined, summary: 'text',
  metadata: undefined, error: undefined, pricing: undefined, createdAt: 0, history: [], ...more,
})
const settled = (outcome: string): AuditEntry =>
  ({
    id: auditIdOf('0'.repeat(32)), at: 0, by: { type: 'command_line' }, act: 'message.resolve', outcome: 'done', subject: ID,
    details: { outcome },
  })
const answered = (outcome: Answered['outcome'], result = 'done'): Answered => ({ message: ID, outcome, result })
const arrival: ReceivedMessage = {
  at: 0, outcome: 'accepted', phoneNumberId: '1', to: '4915000000001', type: 'text', callback: ID, faults: [], statuses: [],
}

const faultsIn = (
  state: MessageState, answers: ReadonlyArray<Answered>, audited: ReadonlyArray<AuditEntry>, arrivals: ReadonlyArray<ReceivedMessage> = [],
) =>
  checkResolutions({ messages: [record(state)], arrivals, answered: answers, audited }).map(({ fault }) => fault)

describe('The check of the operators\' resolutions', () => {
  it('finds nothing if one won and the other got its outcome, or both chose the same', () => {
    assert.deepEqual(faultsIn('accepted', [answered('sent'), answered('not_sent', 'NotUnconfirmed')], [settled('sent')]), [])
    assert.deepEqual(faultsIn('released', [answered('not_sent'), answered('not_sent')], [settled('not_sent'), settled('not_sent')]), [])
    assert.deepEqual(faultsIn('read', [answered('not_sent')], [settled('not_sent')], [arrival]), [])
    assert.deepEqual(faultsIn('released', [answered('sent', 'PortFailure')], []), [])
  })

  it('finds a message with both outcomes, and an operator who got a wrong one', () => {
    const both = faultsIn('accepted', [answered('sent'), answered('not_sent')], [settled('not_sent'), settled('sent')])
    assert.match(both.join(), /both outcomes.*an operator was told that it is not_sent, and it was settled as sent/)
    assert.match(faultsIn('accepted', [answered('sent')], []).join(), /was told that it is sent, and it was settled as undefined/)
  })

  it('finds a message that is otherwise than it was settled', () => {
    assert.match(faultsIn('released', [answered('sent')], [settled('sent')]).join(), /was settled as sent, and is released/)
    assert.match(faultsIn('accepted', [answered('not_sent')], [settled('not_sent')]).join(), /was settled as not_sent, and is accepted/)
  })
})

describe('The check of free texts', () => {
  it('finds a sender with more than it has', () => {
    const texts = (count: number, more: Partial<MessageRecord> = {}) =>
      ({ messages: Array.from({ length: count }, () => record('accepted', more)), freeTexts: 2 })
    assert.deepEqual(checkFreeTexts(texts(2)), [])
    assert.deepEqual(checkFreeTexts(texts(3, { state: 'released' })), [])
    assert.deepEqual(checkFreeTexts({ messages: texts(3).messages }), [])
    assert.match(checkFreeTexts(texts(3)).map(({ fault }) => fault).join(), /has 3 free texts of 2/)
  })
})
