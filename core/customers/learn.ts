import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import type { InboxId, InboxOf, WorkspaceId } from '../kernel/ids.js'
import { type MakeOutboxEntries, entriesFor, type EventDeps, type NewEvent } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import type { SenderLists } from '../senders/sender.js'
import {
  type Customer, type CustomerFact, type CustomerId, type CustomerIds, customerOf, type IdRecord, idsOf, isUserId, type KnownId, linkedAtIn,
  NOTHING_KNOWN, othersUpTo, type PhoneNumber, recordFact, recordKeyOf,
} from './customer.js'
import type { NamedCustomers } from './names.js'

/** The other id of a customer was learned, replaced, or no longer belongs to the customer. A fact that changes something else makes no event. */
export const customerChanged = (workspace: WorkspaceId, id: CustomerId) => ({ before, after }: RecordedFact): ReadonlyArray<NewEvent> => {
  if (before.other === after.other) return []
  const other = after.other ?? null
  const data = isUserId(id) ? { phone_number: other, user_id: id } : { phone_number: id, user_id: other }
  return [{ type: 'customer.changed', workspace, subject: id, data }]
}

/** The customers of each inbox, with a record for each of their ids. No inbox has the data of another one. */
export interface Customers {
  /**
   * The record of an id, and the record of the id that it names as the other one; `NOTHING_KNOWN` for each that does not exist.
   *
   * If the record names the number by which the platform knows the customer, all data about that number is included. Otherwise, every record
   * is included that names the number of the id as the platform's number: the number of the id itself, or of the other id of a user id.
   *
   * Variants of one phone number have one record: `recordKeyOf` is the rule.
   */
  readonly find: (inbox: InboxId, id: CustomerId) => Promise<E.Either<PortFailure, KnownId>>
  /**
   * Adds a fact to the record of an id; `recordFact` is the rule.
   *
   * A repeated or late fact changes nothing that a later fact stated. Concurrent facts leave the same record as the same facts one after the other.
   *
   * `outboxEntries` is called if the fact changed the record, and its entries are stored in the same step.
   */
  readonly learn: (
    inbox: InboxId, id: CustomerId, fact: CustomerFact, outboxEntries?: MakeOutboxEntries<RecordedFact>,
  ) => Promise<E.Either<PortFailure, void>>
  /**
   * Whether a send to a customer of an inbox has to look the customer up: any customer has stopped marketing messages, or the platform knows any customer by a number other than
   * the one dialled.
   *
   * It is true as soon as such a fact was recorded through this adapter. A fact that another process recorded may take two seconds to be seen.
   */
  readonly needsLookup: (inbox: InboxId) => Promise<E.Either<PortFailure, boolean>>
  /**
   * The customers of inboxes with a name in which a word begins with a text, `limit` records at most; `hasName` is the rule. A name that this adapter
   * recorded is found immediately. A name that an earlier release recorded may be found a day later.
   */
  readonly named?: (inboxes: ReadonlyArray<InboxId>, text: string, limit: number) => Promise<E.Either<PortFailure, NamedCustomers>>
}

/** The record of an id before and after a fact. */
export type RecordedFact = { readonly before: IdRecord; readonly after: IdRecord }

/** A customer as named in a report: the ids, and the names that the customer shows. */
export type ReportedCustomer = CustomerIds & { readonly name?: string | undefined; readonly username?: string | undefined }

/** The data about a customer in a report, and its time. */
export type ObservedCustomer = ReportedCustomer & {
  readonly at: Instant
  /** The pair is stored only if none is known: the customer shared the number, or the date of the report cannot be trusted. */
  readonly isShared?: true
  /** The number for which the platform named this customer: the number that was dialled, or under which the customer wrote. */
  readonly dialled?: PhoneNumber | undefined
}

/** What recording it needs; without `customers` nothing is recorded. */
export type RecordCustomerDeps = EventDeps & { readonly customers?: Pick<Customers, 'find' | 'learn'> }

/** Records the data about a customer in a report. A pair is in two records; the event of its change comes from the record of the user id, so that there is only one event. */
export const recordCustomer = async (
  deps: RecordCustomerDeps, { workspace, inbox }: InboxOf, observed: ObservedCustomer,
): Promise<E.Either<PortFailure, void>> => {
  const { customers } = deps
  const facts = factsOf(observed)
  if (customers === undefined || facts.length === 0) return E.right(undefined)
  const outboxEntries = await alongPair(deps, { workspace, inbox }, observed)
  const learnt = await Promise.all(
    facts.map(([id, fact]) => customers.learn(inbox, id, fact, id === observed.userId ? outboxEntries : undefined)),
  )
  return learnt.find(E.isLeft) ?? E.right(undefined)
}

const alongPair = async (
  { customers, events }: RecordCustomerDeps, { workspace, inbox }: InboxOf, { phoneNumber, userId, isShared, at }: ObservedCustomer,
): Promise<MakeOutboxEntries<RecordedFact> | undefined> => {
  if (phoneNumber === undefined || userId === undefined) return undefined
  const outboxEntries = await entriesFor(events, workspace, customerChanged(workspace, userId))
  if (outboxEntries === undefined || isShared === undefined) return outboxEntries
  // A number that belongs to another customer according to the platform stays with that customer, even if a different customer shares it.
  const known = await customers?.find(inbox, phoneNumber)
  const isTaken = known !== undefined && E.isRight(known)
    && recordFact(known.right.own, { _tag: 'Shared', other: userId, at }).other !== userId
  return isTaken ? undefined : outboxEntries
}

type FactOfId = readonly [CustomerId, CustomerFact]

const factsOf = (observed: ObservedCustomer): ReadonlyArray<FactOfId> => {
  const { phoneNumber, userId, name, username, at, isShared } = observed
  const _tag = isShared ? 'Shared' : 'Paired'
  const pair: ReadonlyArray<FactOfId> = phoneNumber === undefined || userId === undefined
    ? []
    : [[phoneNumber, { _tag, other: userId, at }], [userId, { _tag, other: phoneNumber, at }]]
  const id = userId ?? phoneNumber
  const names: ReadonlyArray<FactOfId> = id === undefined || (name === undefined && username === undefined)
    ? []
    : [[id, { _tag: 'Named', name, username, at }]]
  return [...pair, ...names, ...numberFacts(observed)]
}

const numberFacts = ({ phoneNumber, dialled, at, isShared }: ObservedCustomer): ReadonlyArray<FactOfId> => {
  if (phoneNumber === undefined || dialled === undefined || isShared) return []
  return [[dialled, { _tag: 'KnownAs', at, ...(recordKeyOf(phoneNumber) !== recordKeyOf(dialled) && { number: phoneNumber }) }]]
}

/** The data about an id in an inbox; empty without `customers`. */
export const findKnownId = async (
  customers: Pick<Customers, 'find'> | undefined, inbox: InboxId, id: CustomerId,
): Promise<E.Either<PortFailure, KnownId>> => customers?.find(inbox, id) ?? E.right({ own: NOTHING_KNOWN, other: NOTHING_KNOWN })

/** The customer of an inbox whom an id names; without `customers` only the id is known. */
export const findCustomer = (
  customers: Pick<Customers, 'find'> | undefined, inbox: InboxId, id: CustomerId,
): Promise<E.Either<PortFailure, Customer>> =>
  findKnownId(customers, inbox, id).then(E.map((known: KnownId) => customerOf(id, known)))

/** Where the inboxes of a workspace are found; without `inboxesOf` a workspace has only its own. */
export type InboxDeps = { readonly senders?: Partial<Pick<SenderLists, 'inboxesOf'>> | undefined }

/** Every inbox of a workspace. */
export const inboxesOf = async ({ senders }: InboxDeps, workspace: WorkspaceId): Promise<E.Either<PortFailure, ReadonlyArray<InboxId>>> =>
  senders?.inboxesOf?.(workspace) ?? E.right([workspace])

/** What finding a customer in every inbox of a workspace needs. */
export type FindEverywhereDeps = InboxDeps & { readonly customers?: Pick<Customers, 'find'> | undefined }

/**
 * The person whom an id names, as the inboxes of a workspace know the person. A user id is known only in the inboxes of one business portfolio. So a number that one
 * inbox knows for it is looked up in all of them: another inbox may know the number with another user id.
 *
 * What an inbox knew of a number is left out if, according to another inbox, the number has passed to another person since.
 */
export const findEverywhere = async (
  deps: FindEverywhereDeps, workspace: WorkspaceId, id: CustomerId,
): Promise<E.Either<PortFailure, ReadonlyArray<Customer>>> => {
  const inboxes = await inboxesOf(deps, workspace)
  return E.isLeft(inboxes) ? inboxes : findIn(deps.customers, inboxes.right, id)
}

/** The maximum number of rounds of looking up the ids that the previous round has found. */
const MAX_ROUNDS = 4

/** The person whom an id names, as the given inboxes know the person; `findEverywhere` is the rule. */
export const findIn = async (
  customers: Pick<Customers, 'find'> | undefined, inboxes: ReadonlyArray<InboxId>, id: CustomerId,
): Promise<E.Either<PortFailure, ReadonlyArray<Customer>>> => {
  const found: Array<Customer> = []
  const asked = new Set<CustomerId>()
  let sought: ReadonlyArray<Linked> = [{ id, linkedAt: Infinity }]
  for (let round = 0; round < MAX_ROUNDS && sought.length > 0; round += 1) {
    for (const one of sought) asked.add(recordKeyOf(one.id))
    const read = await Promise.all(sought.map(async (one) =>
      E.map((all: ReadonlyArray<KnownId>) => peopleOf(one, all))(
        E.sequenceArray(await Promise.all(inboxes.map((inbox) => findKnownId(customers, inbox, one.id)))))))
    const people = E.sequenceArray(read)
    if (E.isLeft(people)) return people
    found.push(...people.right.flat().map(({ customer }) => customer))
    // A single inbox has answered with every id that it knows.
    if (inboxes.length === 1) break
    const next = people.right.flat().flatMap(({ customer, linkedAt }) => idsOf(customer).map((one): Linked => ({ id: one, linkedAt })))
    sought = [...new Map(next.map((one) => [recordKeyOf(one.id), one])).values()].filter((one) => !asked.has(recordKeyOf(one.id)))
  }
  return E.right(found)
}

/** An id of a person, and when an inbox last heard that the id is the person's. */
type Linked = { readonly id: CustomerId; readonly linkedAt: Instant }

const peopleOf = (
  { id, linkedAt: idLinkedAt }: Linked, all: ReadonlyArray<KnownId>,
): ReadonlyArray<{ readonly customer: Customer; readonly linkedAt: Instant }> => {
  const people = all.map((known) => ({ customer: customerOf(id, known), linkedAt: linkedAtIn(known) }))
  const passedAt = Math.max(...people.map(({ customer }) => othersUpTo(customer, id) ?? -Infinity))
  return people.map((one) => {
    if (Math.min(idLinkedAt, one.linkedAt) >= passedAt || isUserId(id)) return one
    const numberSince = othersUpTo(one.customer, id)
    return { customer: { phoneNumber: id, userId: undefined, numberSince, optedOut: false }, linkedAt: -Infinity }
  })
}

/** The name of a customer in any inbox of a workspace; a username stands for a missing name. */
export const nameOf = async (
  deps: FindEverywhereDeps, workspace: WorkspaceId, id: CustomerId,
): Promise<E.Either<PortFailure, string | undefined>> =>
  E.map((found: ReadonlyArray<Customer>) => nameIn(found))(
    await findEverywhere(deps, workspace, id),
  )

const nameIn = (found: ReadonlyArray<Customer>): string | undefined =>
  found.find(({ name }) => name !== undefined)?.name ?? found.find(({ username }) => username !== undefined)?.username
