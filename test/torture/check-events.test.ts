import { assert } from 'chai'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { MessageId, MessageRecord, MessageState } from '../../core/messages/message.js'
import { checkEvents, type EventsRecord, type ReceivedEvent } from './check-events.js'

const ID = 'msg_1' as MessageId

const recordIn = (...states: ReadonlyArray<MessageState>): MessageRecord => ({
  id: ID, workspace: 'ws_1' as WorkspaceId, platformId: undefined, kind: 'text', to: '4915000000001' as PhoneNumber,
  state: states.at(-1) ?? 'pending', price: { micros: 5n, currency: 'USD' as Currency, category: 'service' }, templateName: undefined,
  language: undefined, summary: 'text', metadata: undefined, error: undefined, pricing: undefined, createdAt: 0,
  history: ['pending' as const, ...states].map((state) => ({ state, at: 0 })),
})

/** The event of a message that went through some states; the event is about the last one. */
const eventOf = (...states: ReadonlyArray<MessageState>): ReceivedEvent => {
  const state = states.at(-1) ?? 'pending'
  return {
    id: `evt_${states.join('_')}`, type: `message.${state}`, workspace: 'ws_1',
    data: { id: ID, state, history: ['pending' as const, ...states].map((one) => ({ state: one })) },
  }
}

const inbound = (id: string, event = id): ReceivedEvent => ({
  id: `evt_${event}`, type: 'message.received', workspace: 'ws_1', data: { id },
})

const ALL = [eventOf('accepted'), eventOf('accepted', 'sent'), eventOf('accepted', 'sent', 'delivered')]
const run = (but: Partial<EventsRecord> = {}): EventsRecord => ({
  messages: [recordIn('accepted', 'sent', 'delivered')], received: [...ALL, inbound('wamid.1')], written: ['wamid.1'], ...but,
})
const faultsIn = (but: Partial<EventsRecord>): ReadonlyArray<string> => checkEvents(run(but)).findings.map(({ fault }) => fault)

describe('The check of the events of a run', () => {
  it('finds nothing in a correct run, and counts events that came more than once', () => {
    assert.deepEqual(checkEvents(run()), { findings: [], repeated: 0 })
    assert.deepEqual(checkEvents(run({ received: [...ALL, ...ALL, inbound('wamid.1')] })), { findings: [], repeated: 3 })
    assert.deepEqual(faultsIn({ messages: [recordIn()], received: [inbound('wamid.1')] }), [])
  })

  it('expects no event of a report that came too late to move the message', () => {
    const late = { ...recordIn('accepted', 'sent', 'delivered'), state: 'delivered' as const }
    assert.deepEqual(
      faultsIn({ messages: [late], received: [eventOf('accepted'), eventOf('accepted', 'delivered'), inbound('wamid.1')] }), [],
    )
  })

  const bad: Readonly<Record<string, readonly [Partial<EventsRecord>, RegExp]>> = {
    'a state without an event': [
      { received: [eventOf('accepted'), eventOf('accepted', 'sent', 'delivered'), inbound('wamid.1')] }, /was sent, and no event/,
    ],
    'a last state without an event': [{ received: [...ALL.slice(0, 2), inbound('wamid.1')] }, /is delivered, and its events end with sent/],
    'a message without events': [{ received: [inbound('wamid.1')] }, /is delivered, and its events end with pending/],
    'an event of a state that never was': [
      { received: [...ALL, eventOf('accepted', 'sent', 'delivered', 'read'), inbound('wamid.1')] }, /has an event read, which it never was/,
    ],
    'events in another order': [{ received: [...ALL.toReversed(), inbound('wamid.1')] }, /came from delivered to sent/],
    'an event of an unknown message': [{ messages: [] }, /has events, and is in no log/],
    'an event in another workspace': [
      { received: [...ALL.map((event) => ({ ...event, workspace: 'ws_2' })), inbound('wamid.1')] }, /in another workspace/,
    ],
    'an event whose type is not its state': [
      { received: [...ALL.map((event) => ({ ...event, type: 'message.read' })), inbound('wamid.1')] },
      /has an event message.read that says/,
    ],
    "a customer's message without an event": [{ received: ALL }, /was written by a customer, and no event/],
    'an event of a message that no customer wrote': [{ written: [] }, /no customer wrote it/],
    "two events of one customer's message": [
      { received: [...ALL, inbound('wamid.1'), inbound('wamid.1', 'other')] }, /was received as 2 events/,
    ],
  }
  for (const [name, [but, fault]] of Object.entries(bad)) {
    it(`finds ${name}`, () => {
      assert.isTrue(faultsIn(but).some((one) => fault.test(one)), faultsIn(but).join('\n'))
    })
  }
})
