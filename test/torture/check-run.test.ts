import { assert } from 'chai'
import type { ReceivedMessage } from '../../apps/simulator/control/logs.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import { auditIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { MessageId, MessageRecord, MessageState, PlatformId } from '../../core/messages/message.js'
import type { Entry } from '../../core/money/ledger.js'
import type { EntryKind } from '../../core/money/wallet.js'
import { checkRun } from './check-run.js'
import type { ClientReply, RunRecord } from './run-record.js'

const ID = 'msg_1' as MessageId
const TO = '4915000000001'
const WAMID = 'wamid.1'

const record = (state: MessageState = 'delivered', more: Partial<MessageRecord> = {}): MessageRecord => ({
  id: ID, workspace: 'ws_1' as WorkspaceId, platformId: WAMID as PlatformId, kind: 'template', to: TO as PhoneNumber, state,
  price: { micros: 5n, currency: 'USD' as Currency, category: 'marketing' }, templateName: 'hello_world', language: 'en',
  summary: 'template', metadata: undefined, error: undefined, pricing: undefined, createdAt: 0, history: [], ...more,
})
const arrival = (more: Partial<ReceivedMessage> = {}): ReceivedMessage => ({
  at: 0, outcome: 'accepted', phoneNumberId: '1', to: TO, type: 'template', callback: ID, wamid: WAMID, faults: [],
  statuses: ['sent', 'delivered'], ...more,
})
const entry = (kind: EntryKind, micros = 5n, message: MessageId | undefined = ID): Entry =>
  ({ id: kind, kind, micros, message, reference: undefined, at: 0 })
const reply = (status: number, more: Partial<ClientReply> = {}): ClientReply =>
  ({ status, code: undefined, message: ID, platformId: WAMID, ...more })
const paid = [entry('hold'), entry('capture')]

/** A run in which one message was sent, delivered, paid for and answered 200, changed by the given values. */
const run = (but: Partial<RunRecord> = {}): RunRecord => ({
  requests: [{ to: TO, key: 'key', replies: [reply(200)] }], arrivals: [arrival()], messages: [record()], entries: paid, ...but,
})
const faultsIn = (but: Partial<RunRecord>): ReadonlyArray<string> => checkRun(run(but)).findings.map(({ fault }) => fault)

describe('The check of a run', () => {
  it('finds nothing in a correct run', () => {
    assert.deepEqual(checkRun(run()), { findings: [], untraceable: 0 })
    assert.deepEqual(
      faultsIn({ messages: [record('failed')], arrivals: [arrival({ statuses: ['failed'] })], entries: [...paid, entry('refund')] }), [],
    )
    const released = { messages: [record('released', { platformId: undefined })], entries: [entry('hold'), entry('release')] }
    assert.deepEqual(faultsIn({ ...released, arrivals: [], requests: [] }), [])
    assert.deepEqual(faultsIn({ messages: [record('delivered')], entries: [entry('hold'), entry('release'), entry('capture')] }), [])
  })

  const bad: Readonly<Record<string, readonly [Partial<RunRecord>, RegExp]>> = {
    'an accepted message that is not charged': [
      { messages: [record('released')], entries: [entry('hold'), entry('release')] }, /was accepted, and is not charged/,
    ],
    'a message that is charged twice': [{ entries: [...paid, entry('capture')] }, /was booked twice: 1 held, 2 captured/],
    'a message that is charged at another price': [{ entries: [entry('hold', 6n), entry('capture', 6n)] }, /another price/],
    'a charge for a message that was never accepted': [{ arrivals: [], requests: [] }, /was never accepted, and is charged/],
    'a charge without a hold': [{ entries: [entry('capture')] }, /without a hold/],
    'a failure that is not refunded': [
      { messages: [record('sent')], arrivals: [arrival({ statuses: ['sent', 'failed'] })] }, /failed, and is not refunded/,
    ],
    'money that does not follow the state': [{ messages: [record('refused')], requests: [] }, /is refused, but its money says/],
    'a report that was acknowledged and not applied': [{ messages: [record('accepted')] }, /was reported delivered and acknowledged, and is accepted/],
    'a message left open': [{ messages: [record('unconfirmed')], entries: [entry('hold')] }, /was left unconfirmed/],
    'a message that is in no log': [{ messages: [], entries: [] }, /which is in no log/],
    'money of a message that is in no log': [
      { messages: [], arrivals: [], requests: [], entries: [entry('hold')] }, /is in no log, and its money says/,
    ],
    'two messages under one key': [
      { arrivals: [arrival(), arrival({ wamid: 'wamid.2', callback: 'msg_2' })] }, /was sent 2 messages under one key/,
    ],
    'a 200 with an id that the platform did not give': [
      { requests: [{ to: TO, key: undefined, replies: [reply(200, { platformId: 'wamid.9' })] }] }, /did not accept it as/,
    ],
    'two different answers to one key': [
      { requests: [{ to: TO, key: 'key', replies: [reply(200), reply(200, { platformId: 'wamid.9' })] }] }, /two different message ids/,
    ],
    "a wrong platform id": [{ messages: [record('delivered', { platformId: 'wamid.9' as PlatformId })] }, /is remembered as wamid\.9/],
    'a message that went to another customer': [{ arrivals: [arrival({ to: '4915000000002' })] }, /went to another customer/],
    'an answer that is a defect': [
      { requests: [{ to: TO, key: 'key', replies: [reply(500, { code: 'internal' }), reply(200)] }] }, /was answered 500 internal/,
    ],
  }
  for (const [name, [but, fault]] of Object.entries(bad)) {
    it(`finds ${name}`, () => {
      assert.isTrue(faultsIn(but).some((one) => fault.test(one)), faultsIn(but).join('\n'))
    })
  }

  it('accepts a report that names nothing known only if an operator said that the message was sent', () => {
    const settled: AuditEntry = {
      id: auditIdOf('0'.repeat(32)), at: 0, by: { type: 'command_line' }, act: 'message.resolve', outcome: 'done', subject: ID,
      details: { outcome: 'sent' },
    }
    const byHand = { messages: [record('accepted', { platformId: undefined })], requests: [] }
    const failed = { ...byHand, arrivals: [arrival({ statuses: ['failed'], faults: ['failedWithoutCallback'] })] }
    const read = { ...byHand, arrivals: [arrival({ statuses: ['read'], faults: ['noCallbackData'] })] }
    for (const one of [failed, read]) {
      assert.deepEqual(faultsIn({ ...one, audited: [settled] }), [])
      assert.isNotEmpty(faultsIn(one))
      assert.isNotEmpty(
        faultsIn({ ...one, audited: [settled], arrivals: one.arrivals.map((each) => ({ ...each, faults: ['hangAfter'] })) }),
      )
      assert.isNotEmpty(faultsIn({ ...one, audited: [settled], messages: [record('accepted')] }))
    }
  })

  it('accepts only what could not be matched: an answer that was lost, and statuses without our id', () => {
    const lost = { messages: [record('released', { platformId: undefined })], entries: [entry('hold'), entry('release')], requests: [] }
    assert.deepEqual(checkRun(run({ ...lost, arrivals: [arrival({ faults: ['noCallbackData'] })] })), { findings: [], untraceable: 1 })
    assert.isNotEmpty(faultsIn({ ...lost, arrivals: [arrival({ faults: ['hangAfter'] })] }))
    assert.isNotEmpty(faultsIn({ ...lost, messages: [record('released')], arrivals: [arrival({ faults: ['noCallbackData'] })] }))
  })
})
