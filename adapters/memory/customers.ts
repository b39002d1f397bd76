import { createHmac } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  countedIdOf, type CustomerDigest, customerDigestOf, type CustomerId, everyIdOf, forgetRecord, type IdRecord, isUserId, type KnownId,
  lastReportOf, recordFact, NOTHING_KNOWN, type PhoneNumber, recordKeyOf, variantsOf,
} from '../../core/customers/customer.js'
import type { Customers } from '../../core/customers/learn.js'
import { comparedName, hasName, soughtName, startsOf } from '../../core/customers/names.js'
import {
  type CustomerWindow, type CustomerWindows, type InboundMark, markInbound, parseWindowCursor, WINDOW_MS, type WindowClock, windowCursorOf,
} from '../../core/customers/window.js'
import type { InboxId, WorkspaceId } from '../../core/kernel/ids.js'
import { pageOf } from '../../core/kernel/page.js'
import type { Instant } from '../../core/kernel/time.js'
import { forgetMessage, FORGOTTEN_PLATFORM_ID, isUnderWay, type MessageRecord } from '../../core/messages/message.js'
import {
  type Erased, type ForgetQuery, type ForgetStep, type Forgotten, isEventAbout, type MessagesUnderWay, type PersonalData,
} from '../../core/privacy.js'
import { type BatchState, countLinesUnderWay, eraseLines, oldLines, type StateOf } from './batches.js'
import { type ConsentState, eraseConsents } from './consents.js'
import { type EventState, openEventState, storeEvents } from './events.js'
import { eraseUploads, type Uploads } from './files.js'
import { atomic, infallible } from './kernel.js'
import { eraseCounted, type PortfolioState } from './limits.js'
import { eraseLost, type LostRecords, type WorkspaceMessages } from './messages.js'

/** The known facts about customers, in memory; a record's name is its workspace, a space and its key. */
export const makeMemoryCustomers = (events: EventState = openEventState(), records = new Map<string, IdRecord>()): Customers => {
  const recordOf = (workspace: InboxId, id: CustomerId): IdRecord => records.get(nameOf(workspace, id)) ?? NOTHING_KNOWN
  const dialledOf = (workspace: InboxId, number: CustomerId | undefined): KnownId['dialled'] => {
    const prefix = `${workspace} `
    const found = [...records].filter(([name, { knownAs }]) =>
      name.startsWith(prefix) && knownAs !== undefined && number !== undefined && recordKeyOf(knownAs) === recordKeyOf(number))
    return found.length === 0 ? undefined : found.map(([name, record]) => ({ number: name.slice(prefix.length) as PhoneNumber, record }))
  }
  const known = (workspace: InboxId, id: CustomerId): KnownId => {
    const own = recordOf(workspace, id)
    const dialled = own.knownAs === undefined ? dialledOf(workspace, isUserId(id) ? own.other : id) : undefined
    return {
      own, other: own.other === undefined ? NOTHING_KNOWN : recordOf(workspace, own.other), ...(dialled !== undefined && { dialled }),
      ...(own.knownAs !== undefined && { platform: platformOf(workspace, own.knownAs) }),
    }
  }
  // The number in a record counts as the platform's own, even if it was dialled itself and is known by another number.
  const platformOf = (workspace: InboxId, number: PhoneNumber): KnownId => {
    const own = recordOf(workspace, number)
    const dialled = dialledOf(workspace, number)
    return {
      own, other: own.other === undefined ? NOTHING_KNOWN : recordOf(workspace, own.other), ...(dialled !== undefined && { dialled }),
    }
  }
  return {
    find: (workspace, id) => infallible(() => known(workspace, id)),
    learn: (workspace, id, fact, outboxEntries) =>
      infallible(() => {
        const before = recordOf(workspace, id)
        const after = recordFact(before, fact)
        if (after === before) return
        if (outboxEntries !== undefined) storeEvents(events, outboxEntries({ before, after }))
        records.set(nameOf(workspace, id), after)
      }),
    needsLookup: (workspace) =>
      infallible(() =>
        [...records].some(([name, { optedOut, knownAs }]) =>
          (optedOut === true || knownAs !== undefined) && name.startsWith(`${workspace} `))),
    named: (inboxes, text, limit) => infallible(() => {
      const found = [...records].flatMap(([key, record]) => {
        const inbox = inboxes.find((one) => key.startsWith(`${one} `))
        return inbox === undefined || !hasName(record, text) ? [] : [{ inbox, id: key.slice(inbox.length + 1) as CustomerId, record }]
      })
      const isWhole = ({ record }: typeof found[number]): boolean => startsOf(record).includes(soughtName(comparedName(text)))
      const wholeFirst = [...found.filter(isWhole), ...found.filter((one) => !isWhole(one))]
      return { customers: wholeFirst.slice(0, limit).map(({ inbox, id }) => ({ inbox, id })), isComplete: found.length <= limit }
    }),
  }
}

const nameOf = (workspace: InboxId, id: CustomerId): string => `${workspace} ${recordKeyOf(id)}`

/** The windows in memory, with the given clock; a mark's name is its workspace, a space and the customer's id. */
export const makeMemoryWindowClock = (
  now: () => Instant, events: EventState = openEventState(), marks = new Map<string, InboundMark>(),
): WindowClock => {
  return {
    now,
    lastInbound: (workspace, customer) => infallible(() => O.fromNullable(marks.get(windowNameOf(workspace, customer))?.lastInbound)),
    recordInbound: (workspace, customer, at, statedAt, outboxEntries) =>
      infallible(() => {
        const name = windowNameOf(workspace, countedIdOf(customer))
        const before = marks.get(name)
        const after = markInbound(before, at, statedAt)
        if (outboxEntries !== undefined) storeEvents(events, outboxEntries({ before: before?.lastInbound, lastInbound: after.lastInbound }))
        marks.set(name, after)
      }),
  }
}

const windowNameOf = (workspace: InboxId, customer: CustomerId | undefined): string => `${workspace} ${customer}`

/** The customers by the time of their last message, over the marks of a window clock in memory. */
export const makeMemoryCustomerWindows = (marks: ReadonlyMap<string, InboundMark>): CustomerWindows => ({
  list: (inboxes, { since, limit, cursor }) =>
    infallible(() => {
      const place = cursor === undefined ? undefined : parseWindowCursor(cursor)
      const listed = inboxes.flatMap((inbox) => windowsOf(marks, inbox))
        .filter((one) => one.lastInbound > since && (place === undefined || latestFirst(place, one) < 0))
        .toSorted(latestFirst)
      return pageOf(listed.slice(0, limit + 1), limit, windowCursorOf)
    }),
})

/** A mark's name is its workspace, a space and the customer's id. */
const windowsOf = (marks: ReadonlyMap<string, InboundMark>, inbox: InboxId): ReadonlyArray<CustomerWindow> =>
  Array.from(marks, ([name, { lastInbound }]) => ({ name, lastInbound }))
    .filter(({ name }) => name.startsWith(`${inbox} `))
    .map(({ name, lastInbound }) => ({ inbox, customer: name.slice(inbox.length + 1) as CustomerId, lastInbound }))

const latestFirst = (a: CustomerWindow, b: CustomerWindow): number =>
  b.lastInbound - a.lastInbound
  || (a.customer !== b.customer ? (a.customer < b.customer ? 1 : -1) : a.inbox === b.inbox ? 0 : a.inbox < b.inbox ? 1 : -1)

/**
 * Removes from an inbox what belongs to the previous business account of its number: everything recorded for user ids, and the pairs of numbers. The windows and the
 * choices of a user id that has a number are recorded for the number first, so that the same person keeps them.
 */
export const forgetUserIds = ({ records, marks }: Pick<PersonalState, 'records' | 'marks'>, inbox: InboxId, at: Instant): void => {
  const prefix = `${inbox} `
  const isOfUserId = (name: string): boolean => name.startsWith(prefix) && isUserId(name.slice(prefix.length) as CustomerId)
  for (const [name, record] of [...records].filter(([one]) => isOfUserId(one))) {
    const { other, optedOut, optedOutAt } = record
    const mark = marks.get(name)
    const number = other === undefined ? undefined : records.get(nameOf(inbox, other))
    if (other !== undefined && number !== undefined && number.knownAs === undefined && number.other === name.slice(prefix.length)) {
      const isOpen = mark !== undefined && mark.lastInbound > at - WINDOW_MS
      const known = marks.get(prefix + other)
      if (isOpen && (known?.lastInbound ?? -Infinity) < mark.lastInbound) {
        marks.set(prefix + other, { ...known, lastInbound: mark.lastInbound })
      }
      // The message that named the pair counts for this person.
      const kept = isOpen && number.since === mark.lastInbound ? { ...number, since: mark.lastInbound - 1 } : number
      const isStopped = optedOut === true && optedOutAt !== undefined
      records.set(nameOf(inbox, other), isStopped ? recordFact(kept, { _tag: 'MarketingStopped', at: optedOutAt }) : kept)
    }
    records.delete(name)
  }
  for (const [name, record] of [...records].filter(([name, { other }]) => name.startsWith(prefix) && other !== undefined)) {
    records.set(name, { ...record, other: undefined, pairedAt: undefined, confirmedAt: undefined, isShared: undefined })
  }
  for (const name of [...marks.keys()].filter(isOfUserId)) marks.delete(name)
}

/** The personal data of the other ports: messages, records and marks by their names, and events. */
export type PersonalState = {
  /** Every inbox of a workspace. */
  readonly inboxesOf: (workspace: WorkspaceId) => ReadonlyArray<InboxId>
  readonly tables: Map<WorkspaceId, WorkspaceMessages>
  readonly records: Map<string, IdRecord>
  readonly marks: Map<string, InboundMark>
  readonly events: EventState
  readonly lost: LostRecords
  readonly uploads: Uploads
  readonly portfolios: PortfolioState
  readonly consents: ConsentState
  readonly batches: BatchState
}

/** Removes people from the data of the other ports in memory. */
export const makeMemoryPersonalData = (state: PersonalState, digestOf: DigestOf): PersonalData => {
  return {
    digestOf: (workspace, id) => infallible(() => digestOf(workspace, id)),
    forgetBefore: (query) => infallible(() => forgetStep(state, query, digestOf)),
    erase: (workspace, person, outboxEntries) =>
      atomic((): E.Either<MessagesUnderWay, Erased> => {
        const ids = new Set(person.flatMap(everyIdOf))
        const inboxes = state.inboxesOf(workspace)
        const messages = messagesTo(state.tables.get(workspace), ids)
        const keys = new Set([...ids].map(recordKeyOf))
        const stateOf: StateOf = (of, message) => state.tables.get(of)?.records.get(message)?.state
        const count = messages.filter((message) => isUnderWay(message.state)).length
          + countLinesUnderWay(state.batches, workspace, keys, stateOf)
        if (count > 0) return E.left({ _tag: 'MessagesUnderWay', count })
        for (const message of messages) forget(state, message, digestOf)
        const customers = inboxes.reduce((count, inbox) => count + removeRecords(state, inbox, ids), 0)
        const windows = inboxes.reduce((count, inbox) => count + removeAll(state.marks, inbox, [...ids]), 0)
        const lost = eraseLost(state.lost, workspace, ids, digestOf)
        eraseConsents(state.consents, workspace, person, digestOf)
        eraseLines(state.batches, workspace, keys, digestOf)
        eraseUploads(state.uploads, workspace, keys)
        eraseCounted(state.portfolios, workspace, keys)
        const erased = { messages: messages.length + lost, customers, windows, events: removeEvents(state, workspace, ids) }
        if (outboxEntries !== undefined) storeEvents(state.events, outboxEntries(erased))
        return E.right(erased)
      }),
  }
}

/** The digest that replaces an id of a forgotten person: the same for every variant of one number, and another one in each workspace. */
export type DigestOf = (workspace: WorkspaceId, id: CustomerId) => CustomerDigest

/** Makes digests with a key. */
export const digestWith = (key: Buffer): DigestOf => (workspace, id) =>
  customerDigestOf(createHmac('sha256', key).update(`${workspace} ${recordKeyOf(id)}`).digest('hex'))

const messagesTo = (shelf: WorkspaceMessages | undefined, ids: ReadonlySet<string>): ReadonlyArray<MessageRecord> =>
  [...shelf?.records.values() ?? []].filter(({ to }) => ids.has(to))

const forget = ({ tables }: PersonalState, message: MessageRecord, digestOf: DigestOf): void => {
  const shelf = tables.get(message.workspace)
  if (shelf === undefined) return
  shelf.contents.delete(message.id)
  // Only messages that are not forgotten reach this point, so `to` is an id.
  shelf.records.set(message.id, forgetMessage(message, digestOf(message.workspace, message.to as CustomerId)))
  if (message.platformId !== undefined) shelf.byPlatformId.delete(message.platformId)
  const key = shelf.keys.get(message.id)
  const claim = key && shelf.claims.get(key)
  if (key !== undefined && claim?.by === message.id) shelf.claims.set(key, { ...claim, request: '' })
}

const removeRecords = ({ records }: PersonalState, workspace: InboxId, ids: ReadonlySet<CustomerId>): number => {
  const keys = [...new Set([...ids].map(recordKeyOf))]
  const isNamed = (id: CustomerId | undefined): boolean => id !== undefined && keys.includes(recordKeyOf(id))
  for (const [name, record] of records) {
    if (!name.startsWith(`${workspace} `) || !(isNamed(record.other) || isNamed(record.knownAs))) continue
    const left = isNamed(record.other) ? withoutOther(record) : record
    records.set(name, isNamed(left.knownAs) ? { ...left, knownAs: undefined } : left)
  }
  return removeAll(records, workspace, keys)
}

const withoutOther = (record: IdRecord): IdRecord => ({ ...record, other: undefined, isShared: undefined })

const removeAll = (names: Map<string, unknown>, workspace: InboxId, ids: ReadonlyArray<CustomerId>): number =>
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

/** Lost messages and lines of batches are counted among the messages. */
type Kind = keyof Forgotten | 'lost' | 'lines'

/** An item that may be forgotten; `forget` returns whether it was. */
type Candidate = { readonly kind: Kind; readonly name: string; readonly forget: () => boolean }

const forgetStep = (state: PersonalState, { before, limit, cursor = '' }: ForgetQuery, digestOf: DigestOf): ForgetStep => {
  const placeOf = ({ kind, name }: Candidate): string => `${KINDS.indexOf(kind)} ${name}`
  const left = candidates(state, before, digestOf).filter((one) => !PLACE.test(cursor) || placeOf(one) > cursor)
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
  const forgotten = { messages: 0, customers: 0, windows: 0 }
  const step = left.slice(0, limit)
  for (const one of step) if (one.forget()) forgotten[one.kind === 'lost' || one.kind === 'lines' ? 'messages' : one.kind] += 1
  const last = step.at(-1)
  return { forgotten, next: last === undefined || left.length <= limit ? undefined : placeOf(last) }
}

const KINDS: ReadonlyArray<Kind> = ['messages', 'customers', 'windows', 'lost', 'lines']

/** The form of a cursor. */
const PLACE = /^[01234] [a-z]{2}_/

/** Whether a record leads to a customer who stopped marketing messages under another id: the paired id, or the dialled number. */
const leadsToStopped = (records: PersonalState['records'], workspace: string, id: CustomerId, { other, knownAs }: IdRecord): boolean => {
  const recordOf = (one: CustomerId): IdRecord => records.get(`${workspace} ${recordKeyOf(one)}`) ?? NOTHING_KNOWN
  const pair = other === undefined ? NOTHING_KNOWN : recordOf(other)
  if (pair.optedOut === true && pair.other !== undefined && recordKeyOf(pair.other) === id) return true
  if (knownAs === undefined) return false
  const number = recordOf(knownAs)
  return number.optedOut === true || leadsToStopped(records, workspace, recordKeyOf(knownAs), { other: number.other })
}

const candidates = (state: PersonalState, before: Instant, digestOf: DigestOf): ReadonlyArray<Candidate> => {
  const { tables, records, marks, lost } = state
  const isOldMark = ({ lastInbound, statedAt }: InboundMark): boolean => lastInbound < before && (statedAt ?? lastInbound) < before
  return [
    ...[...tables.values()].flatMap((shelf) => [...shelf.records.values()]).map((message): Candidate => ({
      kind: 'messages', name: `${message.workspace} ${message.id}`,
      forget: () => {
        if (message.createdAt >= before || isUnderWay(message.state) || message.platformId === FORGOTTEN_PLATFORM_ID) return false
        forget(state, message, digestOf)
        return true
      },
    })),
    ...[...records].map(([name, record]): Candidate => ({
      kind: 'customers', name,
      forget: () => {
        const [workspace = '', id = ''] = name.split(' ')
        const [other, number] = [record.other, record.knownAs]
        const wrote = [id, other, number].flatMap((one) => (one === undefined ? [] : variantsOf(one as PhoneNumber)))
          .some((one) => !isOldMark(marks.get(`${workspace} ${one}`) ?? { lastInbound: -Infinity }))
        if ((lastReportOf(record) ?? -Infinity) >= before || wrote) return false
        const left = forgetRecord(record, leadsToStopped(records, workspace, id as CustomerId, record))
        if (left === undefined) return records.delete(name)
        records.set(name, left)
        return record.namedAt !== undefined
      },
    })),
    ...[...marks].map(([name, mark]): Candidate => ({ kind: 'windows', name, forget: () => isOldMark(mark) && marks.delete(name) })),
    ...[...lost].map(([name, { message }]): Candidate => ({
      kind: 'lost', name, forget: () => message.firstAt < before && lost.delete(name),
    })),
    ...oldLines(state.batches, before, (workspace, id) => {
      const message = tables.get(workspace)?.records.get(id)
      return message !== undefined && isUnderWay(message.state)
    }, digestOf).map((line): Candidate => ({ kind: 'lines', ...line })),
  ]
}
