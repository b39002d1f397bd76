import * as E from 'fp-ts/lib/Either.js'
import type { CustomerId } from '../customers/customer.js'
import { findEverywhere, type FindEverywhereDeps } from '../customers/learn.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { entriesFor, type EventDeps, type MakeOutboxEntries } from '../kernel/outbox.js'
import { isStorable, parseNote } from '../kernel/text.js'
import { type Instant, MINUTE_MS } from '../kernel/time.js'
import {
  type ConsentFact, type ConsentItem, type Consents, type ConsentStatus, type ConsentTopic, MAX_SOURCE_LENGTH, type RecordedConsent,
} from './consent.js'
import { consentChanged, idsToRecord } from './hearing.js'

/** What an application or a person says about a customer, as it was given. */
export type GivenConsent = {
  readonly customer: CustomerId
  readonly topic: ConsentTopic
  readonly status: ConsentStatus
  /** The source of the consent: 1 to `MAX_SOURCE_LENGTH` UTF-16 units without control characters. */
  readonly source: string
  /** For people: one line of at most `MAX_NOTE_LENGTH` UTF-16 units. */
  readonly note?: string | undefined
  /** When the customer said it; if absent, now. */
  readonly at?: Instant | undefined
}

/** A field of a given consent breaks its rule; `reason` is a sentence for people. */
export type InvalidConsent = { readonly _tag: 'InvalidConsent'; readonly field: 'source' | 'note' | 'at'; readonly reason: string }

/** How far `at` may be ahead of our clock, because of clocks that differ. It then counts as now. */
export const CONSENT_AHEAD_MS = 5 * MINUTE_MS

/** Reads a given consent at a given time. */
export const parseConsent = (
  { topic, status, source: written, note: given, at }: Omit<GivenConsent, 'customer'>, now: Instant,
): E.Either<InvalidConsent, ConsentFact> => {
  const source = written.trim()
  if (!isStorable(source, MAX_SOURCE_LENGTH)) {
    return invalid('source', `source must have 1 to ${MAX_SOURCE_LENGTH} characters without control characters`)
  }
  if (at !== undefined && at > now + CONSENT_AHEAD_MS) return invalid('at', 'at must not be in the future')
  const note = given === undefined ? E.right(undefined) : parseNote(given)
  if (E.isLeft(note)) return invalid('note', 'note must be one line of 1 to 1000 characters')
  return E.right({ topic, status, since: Math.min(at ?? now, now), source, ...(note.right !== undefined && { note: note.right }) })
}

const invalid = (field: InvalidConsent['field'], reason: string): E.Either<InvalidConsent, never> =>
  E.left({ _tag: 'InvalidConsent', field, reason })

/** A fact about a customer. */
export type FactOfCustomer = { readonly customer: CustomerId; readonly fact: ConsentFact }

/** The dependencies of recording facts. */
export type RecordFactsDeps = EventDeps & FindEverywhereDeps & { readonly consents: Pick<Consents, 'record'> }

/** Records facts about customers, all or none of them, with their events: some hundreds at most. Right: for each, what was known before it and since, in their order. */
export const recordFacts = async (
  deps: RecordFactsDeps, workspace: WorkspaceId, facts: ReadonlyArray<FactOfCustomer>, outboxEntries?: MakeOutboxEntries<RecordedConsent>,
): Promise<E.Either<PortFailure, ReadonlyArray<RecordedConsent>>> => {
  const people = E.sequenceArray(await Promise.all(facts.map(({ customer }) => findEverywhere(deps, workspace, customer))))
  if (E.isLeft(people)) return people
  const items = facts.map(({ customer, fact }, index): ConsentItem =>
    ({ ids: idsToRecord([customer], people.right[index] ?? [], fact.since), fact }))
  const events = await Promise.all(items.map((item) => entriesFor(deps.events, workspace, consentChanged(workspace, item))))
  const eventsOf = new Map(items.map((item, index) => [item, events[index]]))
  return deps.consents.record(workspace, items, (item) => (recorded) =>
    [...outboxEntries?.(recorded) ?? [], ...eventsOf.get(item)?.(recorded) ?? []])
}
