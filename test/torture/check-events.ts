import { merge, type MessageRecord, type MessageState } from '../../core/messages/message.js'
import { groupedBy } from './grouped-by.js'
import type { Finding } from './run-record.js'

/** An event as a receiver received it, checked and parsed. */
export type ReceivedEvent = {
  readonly id: string
  readonly type: string
  readonly workspace: string
  readonly data: {
    readonly id?: string
    readonly state?: MessageState
    readonly history?: ReadonlyArray<{ readonly state: MessageState }>
  }
}

/** The data about the events of a run. */
export type EventsRecord = {
  /** In order of arrival. */
  readonly received: ReadonlyArray<ReceivedEvent>
  readonly messages: ReadonlyArray<MessageRecord>
  /** The platform's ids of customers' messages whose delivery the gateway has acknowledged. */
  readonly written: ReadonlyArray<string>
}

/** The faults of the events of a run, and how many were delivered more than once. */
export type EventsCheck = { readonly findings: ReadonlyArray<Finding>; readonly repeated: number }

/**
 * Checks the events that a receiver received against the log: each state of a message was received, in order and in the right workspace, and so was each
 * message of a customer; no state was received that did not occur.
 */
export const checkEvents = ({ received, messages, written }: EventsRecord): EventsCheck => {
  const seen = new Set<string>()
  const distinct = received.filter(({ id }) => !seen.has(id) && seen.add(id))
  const records = new Map<string, MessageRecord>(messages.map((record) => [record.id, record]))
  const ofMessages = groupedBy(distinct.filter(({ data }) => data.state !== undefined), ({ data }) => data.id ?? '')
  const heard = distinct.filter(({ type }) => type === 'message.received').map(({ data }) => data.id ?? '')
  return {
    repeated: received.length - distinct.length,
    findings: [
      ...messages.flatMap((record) => messageFindings(record, ofMessages.get(record.id) ?? [])),
      ...[...ofMessages.keys()].flatMap((id) => (records.has(id) ? [] : [{ about: id, fault: 'has events, and is in no log' }])),
      ...inboundFindings(heard, written),
    ],
  }
}

const messageFindings = (record: MessageRecord, events: ReadonlyArray<ReceivedEvent>): ReadonlyArray<Finding> => {
  const faults: string[] = []
  const past = new Set<MessageState>(record.history.map(({ state }) => state))
  let state: MessageState = 'pending'
  let known = new Set<MessageState>(['pending'])
  for (const event of events) {
    const next = event.data.state ?? 'pending'
    if (event.type !== `message.${next}`) faults.push(`has an event ${event.type} that says ${next}`)
    if (event.workspace !== record.workspace) faults.push('has an event in another workspace')
    if (!past.has(next)) faults.push(`has an event ${next}, which it never was`)
    if (merge(state, next) !== next || next === state) faults.push(`came from ${state} to ${next} by its events`)
    const snapshot = new Set((event.data.history ?? []).map((entry) => entry.state))
    faults.push(...missed(state, known, snapshot, next))
    state = next
    known = snapshot
  }
  if (state !== record.state) faults.push(`is ${record.state}, and its events end with ${state}`)
  faults.push(...missed(state, known, past, undefined))
  return faults.map((fault) => ({ about: record.id, fault }))
}

/** States that are new in the history, other than the event's own, and that are not late reports: they changed the state of the message. */
const missed = (
  from: MessageState, known: ReadonlySet<MessageState>, snapshot: ReadonlySet<MessageState>, own: MessageState | undefined,
): ReadonlyArray<string> =>
  [...snapshot].filter((state) => state !== own && !known.has(state) && merge(from, state) === state)
    .map((state) => `was ${state}, and no event said so`)

const inboundFindings = (heard: ReadonlyArray<string>, written: ReadonlyArray<string>): ReadonlyArray<Finding> => {
  const times = new Map<string, number>()
  for (const id of heard) times.set(id, (times.get(id) ?? 0) + 1)
  const expected = new Set(written)
  return [
    ...[...expected].flatMap((id) => (times.has(id) ? [] : [{ about: id, fault: 'was written by a customer, and no event says so' }])),
    ...Array.from(times).flatMap(([id, count]) => [
      ...(expected.has(id) ? [] : [{ about: id, fault: 'was received, and no customer wrote it' }]),
      ...(count === 1 ? [] : [{ about: id, fault: `was received as ${count} events` }]),
    ]),
  ]
}
