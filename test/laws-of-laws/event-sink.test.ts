import type { AttemptResult, EventSink } from '../../core/events/delivery.js'
import { type Event, eventView } from '../../core/kernel/outbox.js'
import { type EventSinkFixture, eventSinkLaws } from '../laws/event-sink.js'
import { describeLaws } from '../support/describe-laws.js'
import { describeMutations, namesOf } from './mutation.js'

type Receiver = { state: 'up' | 'down' | 'hangs'; readonly bodies: unknown[] }

const SECRET = 'whsec_c2VjcmV0'

const TAKEN: AttemptResult = { delivered: true, httpStatus: undefined, error: undefined, answer: undefined, durationMs: 0 }
const failed = (error: string): AttemptResult => ({ ...TAKEN, delivered: false, error })

/** A sink whose receiver is an array. */
const memorySink = (receiver: Receiver): EventSink => ({
  deliver: async (event) => {
    if (receiver.state !== 'up') return failed(`The receiver is ${receiver.state}`)
    receiver.bodies.push(JSON.parse(JSON.stringify(eventView(event))))
    return TAKEN
  },
})

const fixtureOf = (defect: (sink: EventSink, receiver: Receiver) => EventSink) => async (): Promise<EventSinkFixture> => {
  const receiver: Receiver = { state: 'up', bodies: [] }
  const turn = (state: Receiver['state']) => async (): Promise<void> => { receiver.state = state }
  return {
    sink: defect(memorySink(receiver), receiver), received: () => Promise.resolve([...receiver.bodies]), goDown: turn('down'),
    hang: turn('hangs'), comeBack: turn('up'), secrets: [SECRET],
  }
}

/** Changes the event on its way. */
const sending = (change: (event: Event) => Event) => fixtureOf((sink) => ({ deliver: (event) => sink.deliver(change(event)) }))

/** Changes the answer. */
const answering = (change: (result: AttemptResult, receiver: Receiver) => AttemptResult) =>
  fixtureOf((sink, receiver) => ({ deliver: async (event) => change(await sink.deliver(event), receiver) }))

const WHOLE = 'an event that was delivered has arrived whole when the answer comes, with what a customer wrote'
const LONG = 'a long event arrives whole'
const AGAIN = 'an event that is delivered again has the same id, and both deliveries succeed'
const ORDER = 'events that are delivered one after another arrive in this order'
const TOGETHER = 'events that are delivered at the same time all arrive'
const DOWN = 'an event for a receiver that is down is not delivered, and the answer says why'
const SILENT = 'an event for a receiver that answers nothing is not delivered, within 20 seconds'
const BACK = 'a receiver that comes back gets events again'

describeLaws('a sink in memory', eventSinkLaws, fixtureOf((sink) => sink))

describeMutations('sinks of events', eventSinkLaws, [
  { defect: 'leaves out what a customer wrote', open: sending(({ content: _, ...event }) => event), breaks: [WHOLE] },
  { defect: 'answers before the event has arrived', open: fixtureOf((sink) => ({ deliver: async (event) => {
    setTimeout(() => void sink.deliver(event), 10)
    return TAKEN
  } })), breaks: namesOf(eventSinkLaws) },
  {
    defect: 'cuts long events',
    open: sending((event) => (JSON.stringify(event).length > 64_000 ? { ...event, data: {} } : event)),
    breaks: [LONG],
  },
  { defect: 'gives a new id to each delivery', open: fixtureOf((sink) => {
    let nth = 0
    return { deliver: (event) => sink.deliver({ ...event, id: `${event.id}${(nth += 1)}` as Event['id'] }) }
  }), breaks: [AGAIN, ORDER] },
  { defect: 'takes a repetition for a failure', open: fixtureOf((sink) => {
    const known = new Set<string>()
    return { deliver: async (event) => {
      if (known.has(event.id)) return failed('The event was delivered before')
      known.add(event.id)
      return sink.deliver(event)
    } }
  }), breaks: [AGAIN] },
  { defect: 'delivers in groups of two, the later first', open: fixtureOf((sink) => {
    let kept: Event | undefined
    return { deliver: async (event) => {
      if (kept === undefined) {
        kept = event
        return TAKEN
      }
      const earlier = kept
      kept = undefined
      await sink.deliver(event)
      return sink.deliver(earlier)
    } }
  }), breaks: [ORDER] },
  { defect: 'delivers one at a time and drops the others', open: fixtureOf((sink) => {
    let busy = false
    return { deliver: async (event) => {
      if (busy) return TAKEN
      busy = true
      await new Promise((resolve) => setTimeout(resolve, 1))
      busy = false
      return sink.deliver(event)
    } }
  }), breaks: [TOGETHER] },
  { defect: 'takes what it has written for delivered', open: answering(() => TAKEN), breaks: [DOWN, SILENT, BACK] },
  {
    defect: 'shows the secret in its errors',
    open: answering((result) => (result.delivered ? result : failed(`Signed with ${SECRET}`))),
    breaks: [DOWN, SILENT],
  },
  { defect: 'does not say what is wrong', open: answering((result) => ({ ...result, error: undefined })), breaks: [DOWN, SILENT] },
  { defect: 'gives up after the first failure', open: fixtureOf((sink) => {
    let broken = false
    return { deliver: async (event) => {
      if (broken) return failed('The receiver was down')
      const result = await sink.deliver(event)
      broken = !result.delivered
      return result
    } }
  }), breaks: [BACK] },
])
