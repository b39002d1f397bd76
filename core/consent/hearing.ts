import * as E from 'fp-ts/lib/Either.js'
import { type Customer, type CustomerId, idsOf, isUserId, othersUpTo, recordKeyOf } from '../customers/customer.js'
import {
  findCustomer, findEverywhere, type FindEverywhereDeps, type ObservedCustomer, recordCustomer, type RecordCustomerDeps,
} from '../customers/learn.js'
import type { PortFailure } from '../kernel/failure.js'
import type { InboxOf, WorkspaceId } from '../kernel/ids.js'
import { entriesFor, type EventDeps, type NewEvent } from '../kernel/outbox.js'
import { beginningOf, MAX_NOTE_LENGTH } from '../kernel/text.js'
import { type Instant, iso } from '../kernel/time.js'
import { askConsents, consentOf } from './asking.js'
import {
  type Consent, type ConsentFact, type ConsentItem, type Consents, type CustomerConsent, ERASED_SOURCE, factsIn, laterConsent, NO_CONSENT,
  type RecordedConsent, SHIPPED_OPT_OUT,
} from './consent.js'
import { optOutWordIn } from './words.js'

/** The source of a consent that a customer withdrew by writing a word that stops messages. */
export const WORD_SOURCE = 'word'

/** The source of a consent that a customer changed in the app of the platform. */
export const PLATFORM_SOURCE = 'platform'

/** A customer stopped messages, or allowed them again. The customer's words are not part of it. */
export const consentChanged = (workspace: WorkspaceId, { ids, fact: { topic } }: Pick<ConsentItem, 'ids' | 'fact'>) =>
  ({ before, after }: RecordedConsent): ReadonlyArray<NewEvent> => {
    const to = ids.find((id) => !isUserId(id)) ?? ids[0]
    if (to === undefined || before?.status === after.status) return []
    const type = after.status === 'withdrawn' ? 'customer.opted_out' : 'customer.opted_in'
    return [{ type, workspace, subject: to, data: { to, of: topic, source: after.source, since: iso(after.since) } }]
  }

/**
 * The ids for which a fact of a given time is recorded: the given ones, and every other id of the same person. An id that belonged to another person at that time
 * is left out.
 */
export const idsToRecord = (
  given: ReadonlyArray<CustomerId>, customers: ReadonlyArray<Customer>, since: Instant,
): ReadonlyArray<CustomerId> => {
  const others = customers.flatMap((customer) => {
    const isOfPerson = (id: CustomerId): boolean => since > (othersUpTo(customer, id) ?? -Infinity)
    return given.every(isOfPerson) ? idsOf(customer).filter(isOfPerson) : []
  })
  return [...new Map([...given, ...others].map((id) => [recordKeyOf(id), id])).values()]
}

/** The dependencies of recording what customers say. Without `consents` nothing is recorded. */
export type HearDeps = EventDeps & FindEverywhereDeps & {
  readonly consents?: Pick<Consents, 'find' | 'history' | 'record' | 'rules'> | undefined
}

/** What a customer wrote: a text, or the text of a button that the customer pressed. */
export type SaidWords = {
  readonly ids: ReadonlyArray<CustomerId>
  readonly said: string | undefined
  readonly at: Instant
  /** Whether contents of messages may be stored. Otherwise the note is the word of the workspace's list, not what the customer wrote. */
  readonly isContentKept: boolean
}

/**
 * Records that a customer wrote a word that stops messages. Right: the answer that the customer gets, if the workspace has one and the customer had not stopped them
 * before. It is the same each time the message is delivered.
 */
export const hearOptOut = async (
  deps: HearDeps, of: InboxOf, { ids, said, at, isContentKept }: SaidWords,
): Promise<E.Either<PortFailure, OptOutAnswer | undefined>> => {
  const { consents } = deps
  if (consents === undefined || said === undefined) return E.right(undefined)
  const rules = await consents.rules(of.workspace)
  if (E.isLeft(rules)) return rules
  const optOut = rules.right.optOut ?? SHIPPED_OPT_OUT
  const word = optOutWordIn(said, optOut.words)
  if (word === undefined) return E.right(undefined)
  const note = isContentKept ? noteOf(said) : word
  const fact: ConsentFact = { topic: optOut.topic, status: 'withdrawn', since: at, source: WORD_SOURCE, note }
  const recorded = await recordHeard(deps, of, ids, fact)
  if (E.isLeft(recorded)) return recorded
  const { reply } = optOut
  if (reply === undefined || recorded.right === undefined) return E.right(undefined)
  const isNew = await isNewStop({ ...deps, consents }, of.workspace, ids, { fact, recorded: recorded.right })
  return E.map((answers: boolean) => (answers ? { text: reply, stop: fact } : undefined))(isNew)
}

/** The text that answers a stop. */
export type OptOutAnswer = { readonly text: string; readonly stop: ConsentFact }

/** Whether a fact is the one by which the customer stopped messages. If its message is delivered again, the history says what was known before it. */
const isNewStop = async (
  deps: FindEverywhereDeps & { readonly consents: Pick<Consents, 'history'> }, workspace: WorkspaceId, given: ReadonlyArray<CustomerId>,
  { fact, recorded: { before, after } }: { readonly fact: ConsentFact; readonly recorded: RecordedConsent },
): Promise<E.Either<PortFailure, boolean>> => {
  const isSame = (one: Consent): boolean => one.status === fact.status && one.since === fact.since && one.source === fact.source
  if (!isSame(after)) return E.right(false)
  if (before === undefined || before.status === 'granted') return E.right(true)
  if (!isSame(before)) return E.right(false)
  const people = E.sequenceArray(await Promise.all(given.map((id) => findEverywhere(deps, workspace, id))))
  if (E.isLeft(people)) return people
  const ids = idsToRecord(given, people.right.flat(), fact.since)
  const facts = E.sequenceArray(await Promise.all(ids.map((id) => deps.consents.history(workspace, id, PREVIOUS_FACTS))))
  if (E.isLeft(facts)) return facts
  const earlier = facts.right.flat().filter(({ topic, since }) => topic === fact.topic && since < fact.since)
  return E.right(earlier.reduce<Consent | undefined>(laterConsent, undefined)?.status !== 'withdrawn')
}

/** How many facts of each id are read to find the one before the last of a topic. */
const PREVIOUS_FACTS = 10

const noteOf = (said: string): string => beginningOf(said.replace(/\p{Cc}+/gu, ' ').trim(), MAX_NOTE_LENGTH)

/** What a customer chose in the app of the platform, and when. */
export type StatedPreference = { readonly ids: ReadonlyArray<CustomerId>; readonly stopped: boolean; readonly at: Instant }

/** Records that a customer stopped marketing messages in the app of the platform, or allowed them again. */
export const hearPreference = (
  deps: HearDeps, of: InboxOf, { ids, stopped, at }: StatedPreference,
): Promise<E.Either<PortFailure, RecordedConsent | undefined>> =>
  recordHeard(deps, of, ids, { topic: 'marketing', status: stopped ? 'withdrawn' : 'granted', since: at, source: PLATFORM_SOURCE })

/** The platform's error for a marketing message to a customer who has stopped them. */
export const STOPPED_MARKETING = 131_050

/**
 * Records that the platform has refused a message with `STOPPED_MARKETING`. It does not say since when, so a stop that is known already keeps its time, and for any other
 * customer it counts from the refusal.
 */
export const hearRefusal = async (
  deps: HearDeps, of: InboxOf, to: CustomerId, at: Instant,
): Promise<E.Either<PortFailure, RecordedConsent | undefined>> => {
  const asked = await askConsents(deps, of, { recipients: [{ to }], mayBeMarketing: false })
  if (E.isLeft(asked)) return asked
  const hasStopped = asked.right[0]?.consent.marketing?.status === 'withdrawn'
  return hasStopped ? E.right(undefined) : hearPreference(deps, of, { ids: [to], stopped: true, at })
}

const recordHeard = async (
  deps: HearDeps, of: InboxOf, given: ReadonlyArray<CustomerId>, fact: ConsentFact,
): Promise<E.Either<PortFailure, RecordedConsent | undefined>> => {
  const { consents, events } = deps
  if (consents === undefined || given.length === 0) return E.right(undefined)
  const people = E.sequenceArray(await Promise.all(given.map((id) => findEverywhere(deps, of.workspace, id))))
  if (E.isLeft(people)) return people
  const item: ConsentItem = { ids: idsToRecord(given, people.right.flat(), fact.since), fact }
  const outboxEntries = await entriesFor(events, of.workspace, consentChanged(of.workspace, item))
  const recorded = await consents.record(of.workspace, [item], () => outboxEntries)
  return E.map(([one]: ReadonlyArray<RecordedConsent>) => one)(recorded)
}

/** Records what a person had said up to a time, when the person's earlier ids ended, for the new ids of the person. */
export const moveConsents = async (
  deps: HearDeps, workspace: WorkspaceId, earlier: ReadonlyArray<CustomerId>, { ids, at }: NewIds,
): Promise<E.Either<PortFailure, unknown>> => {
  const { consents } = deps
  if (consents === undefined || earlier.length === 0 || ids.length === 0) return E.right(undefined)
  const people = E.sequenceArray(await Promise.all(earlier.map(async (id) =>
    E.map((customers: ReadonlyArray<Customer>) => ({ id, customers }))(await findEverywhere(deps, workspace, id)))))
  if (E.isLeft(people)) return people
  const said = await consentOf(consents, workspace, people.right)
  if (E.isLeft(said)) return said
  const items = said.right.flatMap(factsIn).filter(({ since }) => since <= at).map((fact): ConsentItem => ({ ids, fact }))
  return items.length === 0 ? E.right(undefined) : consents.record(workspace, items)
}

/** The new ids of a person, and when the earlier ones ended. */
export type NewIds = { readonly ids: ReadonlyArray<CustomerId>; readonly at: Instant }

/** The dependencies of recording a reported customer. */
export type RecordPersonDeps = RecordCustomerDeps & HearDeps

/**
 * Records the data about a customer in a report, and what was known of one of the ids for both.
 *
 * A send asks under every id that is known when it is sent. The consents are recorded too, because the record that links two ids may later be replaced or forgotten.
 * They are recorded first: after a failure the report is delivered again, and what it links is still unknown then.
 */
export const recordPerson = async (
  deps: RecordPersonDeps, of: InboxOf, observed: ObservedCustomer,
): Promise<E.Either<PortFailure, void>> => {
  const shared = await shareConsents(deps, of, observed)
  return E.isLeft(shared) ? shared : recordCustomer(deps, of, observed)
}

/** A number that only the customer named links nothing permanently. What an erased person stopped is not recorded under an id that can be read. */
const shareConsents = async (
  deps: RecordPersonDeps, of: InboxOf, { phoneNumber, userId, isShared }: ObservedCustomer,
): Promise<E.Either<PortFailure, unknown>> => {
  const { consents, customers } = deps
  if (consents === undefined || phoneNumber === undefined || userId === undefined || isShared) return E.right(undefined)
  const rules = await consents.rules(of.workspace)
  if (E.isLeft(rules) || !rules.right.hasWithdrawals) return rules
  const known = await findCustomer(customers, of.inbox, userId)
  if (E.isLeft(known)) return known
  const isKnown = known.right.phoneNumber !== undefined && recordKeyOf(known.right.phoneNumber) === recordKeyOf(phoneNumber)
  return isKnown ? E.right(undefined) : shareBetween({ ...deps, consents }, of, phoneNumber, userId)
}

const shareBetween = async (
  deps: FindEverywhereDeps & { readonly consents: Pick<Consents, 'find' | 'record'> }, { workspace, inbox }: InboxOf,
  phoneNumber: CustomerId, userId: CustomerId,
): Promise<E.Either<PortFailure, unknown>> => {
  const { consents, customers } = deps
  const [owner, ofUser, ofNumber] = await Promise.all([
    findCustomer(customers, inbox, phoneNumber), findEverywhere(deps, workspace, userId), findEverywhere(deps, workspace, phoneNumber),
  ])
  if (E.isLeft(owner)) return owner
  if (E.isLeft(ofUser)) return ofUser
  if (E.isLeft(ofNumber)) return ofNumber
  // What was said under a number that this inbox knew as another person's was said by that person.
  const isOthers = owner.right.userId !== undefined && owner.right.userId !== userId
  const people = [{ id: userId, customers: ofUser.right }, ...(isOthers ? [] : [{ id: phoneNumber, customers: ofNumber.right }])]
  const [said, stored] = await Promise.all([consentOf(consents, workspace, people), consents.find(workspace, [userId, phoneNumber])])
  if (E.isLeft(said)) return said
  if (E.isLeft(stored)) return stored
  const isMissing = ({ topic, ...fact }: ConsentFact, own: CustomerConsent = NO_CONSENT): boolean =>
    laterConsent(own[topic], fact) !== own[topic]
  const items = said.right.flatMap(factsIn).filter(({ source }) => source !== ERASED_SOURCE).flatMap((fact): ReadonlyArray<ConsentItem> => {
    const ids = [userId, phoneNumber].filter((_, index) => isMissing(fact, stored.right[index]))
    return ids.length === 0 ? [] : [{ ids, fact }]
  })
  return items.length === 0 ? E.right(undefined) : consents.record(workspace, items)
}
