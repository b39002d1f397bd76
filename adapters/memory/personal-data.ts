import { createHmac } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import {
  type CustomerDigest, customerDigestOf, type CustomerId, everyIdOf, forgetRecord, type IdRecord, lastReportOf, type PhoneNumber, recordKeyOf, variantsOf,
} from '../../core/customers/customer.js'
import type { InboundMark } from '../../core/customers/window.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import { forgetMessage, FORGOTTEN_PLATFORM_ID, isOutcomeUnknown, type MessageRecord } from '../../core/messages/message.js'
import { type Erased, type ForgetQuery, type ForgetStep, type Forgotten, isEventAbout, type MessagesUnderWay, type PersonalData } from '../../core/privacy.js'
import { type EventState, storeEvents } from './event-state.js'
import { eraseLost, type LostRecords } from './lost-messages.js'
import type { WorkspaceMessages } from './message-log.js'
import { atomic, infallible } from './task.js'

/** What the other ports keep of people: messages, records and marks by their names, and events. */
export type PersonalState = {
  readonly shelves: Map<WorkspaceId, WorkspaceMessages>
  readonly records: Map<string, IdRecord>
  readonly marks: Map<string, InboundMark>
  readonly events: EventState
  readonly lost: LostRecords
}

/** Takes people out of what the other ports keep in memory; `key` is what digests are made with. */
export const makeMemoryPersonalData = (state: PersonalState, key: Buffer): PersonalData => {
  const digestOf = (workspace: WorkspaceId, id: CustomerId): CustomerDigest =>
    customerDigestOf(createHmac('sha256', key).update(`${workspace} ${recordKeyOf(id)}`).digest('hex'))
  return {
    digestOf: (workspace, id) => infallible(() => digestOf(workspace, id)),
    forgetBefore: (query) => infallible(() => forgetStep(state, query, digestOf)),
    erase: (workspace, { phoneNumber, userId }, along) =>
      atomic((): E.Either<MessagesUnderWay, Erased> => {
        const ids = new Set(everyIdOf({ phoneNumber, userId }))
        const messages = messagesTo(state.shelves.get(workspace), ids)
        const count = messages.filter((message) => isOutcomeUnknown(message.state)).length
        if (count > 0) return E.left({ _tag: 'MessagesUnderWay', count })
        for (const message of messages) forget(state, message, digestOf)
        const [customers, windows] = [removeRecords(state, workspace, ids), removeAll(state.marks, workspace, [...ids])]
        const lost = eraseLost(state.lost, workspace, ids, digestOf)
        const erased = { messages: messages.length + lost, customers, windows, events: removeEvents(state, workspace, ids) }
        if (along !== undefined) storeEvents(state.events, along(erased))
        return E.right(erased)
      }),
  }
}

type DigestOf = (workspace: WorkspaceId, id: CustomerId) => CustomerDigest

const messagesTo = (shelf: WorkspaceMessages | undefined, ids: ReadonlySet<string>): ReadonlyArray<MessageRecord> =>
  [...shelf?.records.values() ?? []].filter(({ to }) => ids.has(to))

const forget = ({ shelves }: PersonalState, message: MessageRecord, digestOf: DigestOf): void => {
  const shelf = shelves.get(message.workspace)
  if (shelf === undefined) return
  // Only messages that are not forgotten come here, so `to` is an id.
  shelf.records.set(message.id, forgetMessage(message, digestOf(message.workspace, message.to as CustomerId)))
  if (message.platformId !== undefined) shelf.byPlatformId.delete(message.platformId)
  const key = shelf.keys.get(message.id)
  const claim = key && shelf.claims.get(key)
  if (key !== undefined && claim?.by === message.id) shelf.claims.set(key, { ...claim, request: '' })
}

const removeRecords = ({ records }: PersonalState, workspace: WorkspaceId, ids: ReadonlySet<CustomerId>): number => {
  const keys = [...new Set([...ids].map(recordKeyOf))]
  for (const [name, record] of records) {
    if (name.startsWith(`${workspace} `) && record.other !== undefined && keys.includes(recordKeyOf(record.other))) records.set(name, withoutOther(record))
  }
  return removeAll(records, workspace, keys)
}

const withoutOther = (record: IdRecord): IdRecord => ({ ...record, other: undefined, isShared: undefined })

const removeAll = (names: Map<string, unknown>, workspace: WorkspaceId, ids: ReadonlyArray<CustomerId>): number =>
  ids.filter((id) => names.delete(`${workspace} ${id}`)).length

const removeEvents = ({ events: { streams, endpoints } }: PersonalState, workspace: WorkspaceId, ids: ReadonlySet<string>): number => {
  const stream = streams.get(workspace)
  if (stream === undefined) return 0
  const removed = new Set<string>(stream.events.filter((event) => isEventAbout(ids, event)).map(({ id }) => id))
  stream.events = stream.events.filter(({ id }) => !removed.has(id))
  for (const record of endpoints.values()) {
    for (const id of [...record.retries.keys()].filter((event) => removed.has(event))) record.retries.delete(id)
    record.attempts = record.attempts.filter(({ event }) => !removed.has(event))
  }
  return removed.size
}

/** Lost messages are counted among the messages. */
type Kind = keyof Forgotten | 'lost'

/** Something that may be forgotten; `forget` says whether it was. */
type Candidate = { readonly kind: Kind; readonly name: string; readonly forget: () => boolean }

const forgetStep = (state: PersonalState, { before, limit, cursor = '' }: ForgetQuery, digestOf: DigestOf): ForgetStep => {
  const placeOf = ({ kind, name }: Candidate): string => `${KINDS.indexOf(kind)} ${name}`
  const left = candidates(state, before, digestOf).filter((one) => !PLACE.test(cursor) || placeOf(one) > cursor)
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
  const forgotten = { messages: 0, customers: 0, windows: 0 }
  const step = left.slice(0, limit)
  for (const one of step) if (one.forget()) forgotten[one.kind === 'lost' ? 'messages' : one.kind] += 1
  const last = step.at(-1)
  return { forgotten, next: last === undefined || left.length <= limit ? undefined : placeOf(last) }
}

const KINDS: ReadonlyArray<Kind> = ['messages', 'customers', 'windows', 'lost']

/** The form of a cursor. */
const PLACE = /^[0123] ws_/

const candidates = (state: PersonalState, before: Instant, digestOf: DigestOf): ReadonlyArray<Candidate> => {
  const { shelves, records, marks, lost } = state
  const isOldMark = ({ lastInbound, statedAt }: InboundMark): boolean => lastInbound < before && (statedAt ?? lastInbound) < before
  return [
    ...[...shelves.values()].flatMap((shelf) => [...shelf.records.values()]).map((message): Candidate => ({
      kind: 'messages', name: `${message.workspace} ${message.id}`,
      forget: () => {
        if (message.createdAt >= before || isOutcomeUnknown(message.state) || message.platformId === FORGOTTEN_PLATFORM_ID) return false
        forget(state, message, digestOf)
        return true
      },
    })),
    ...[...records].map(([name, record]): Candidate => ({
      kind: 'customers', name,
      forget: () => {
        const [workspace = '', id = ''] = name.split(' ')
        const wrote = [id, ...(record.other === undefined ? [] : [record.other])].flatMap((one) => variantsOf(one as PhoneNumber))
          .some((one) => !isOldMark(marks.get(`${workspace} ${one}`) ?? { lastInbound: -Infinity }))
        if ((lastReportOf(record) ?? -Infinity) >= before || wrote) return false
        const left = forgetRecord(record)
        if (left === undefined) return records.delete(name)
        records.set(name, left)
        return record.namedAt !== undefined
      },
    })),
    ...[...marks].map(([name, mark]): Candidate => ({ kind: 'windows', name, forget: () => isOldMark(mark) && marks.delete(name) })),
    ...[...lost].map(([name, { message }]): Candidate => ({ kind: 'lost', name, forget: () => message.firstAt < before && lost.delete(name) })),
  ]
}
