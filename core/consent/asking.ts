import * as E from 'fp-ts/lib/Either.js'
import {
  type Customer, type CustomerId, type CustomerIds, customerOf, type DialledNumbers, idsOf, type KnownId, othersUpTo, recordKeyOf,
} from '../customers/customer.js'
import { type Customers, type FindEverywhereDeps, findIn, findKnownId, inboxesOf } from '../customers/learn.js'
import type { PortFailure } from '../kernel/failure.js'
import type { InboxOf, WorkspaceId } from '../kernel/ids.js'
import { type Category, generalCategory } from '../kernel/money.js'
import type { Instant } from '../kernel/time.js'
import {
  type Consent, type Consents, type ConsentTopic, type CustomerConsent, factsIn, mergeConsents, NO_CONSENT,
} from './consent.js'

/** The customer stopped every message (`all`), or marketing messages, and this is one. */
export type CustomerOptedOut = { readonly _tag: 'CustomerOptedOut'; readonly topic: ConsentTopic }

/** The workspace sends marketing messages only to customers who allowed them, and this customer did not. */
export type ConsentRequired = { readonly _tag: 'ConsentRequired' }

/** Why a customer must not be sent a message. */
export type ConsentRefusal = CustomerOptedOut | ConsentRequired

/** What a send knows of the consent of its customer. */
export type AskedConsent = { readonly consent: CustomerConsent; readonly marketingNeedsConsent: boolean }

/** The dependencies of asking. Without `consents` every customer allows everything. */
export type AskDeps = FindEverywhereDeps & { readonly consents?: Pick<Consents, 'find' | 'rules'> | undefined }

/** Why a customer must not be sent a free-form message; `undefined` if nothing forbids it. */
export const freeFormRefusal = ({ consent: { all } }: AskedConsent): CustomerOptedOut | undefined =>
  (all?.status === 'withdrawn' ? { _tag: 'CustomerOptedOut', topic: 'all' } : undefined)

/** What a customer allows apart from one stop of all messages. A stop of another time or source stays. */
export const withoutStop = ({ since, source }: Consent) => (asked: AskedConsent): AskedConsent => {
  const { all, ...others } = asked.consent
  return all?.status === 'withdrawn' && all.since === since && all.source === source ? { ...asked, consent: others } : asked
}

/**
 * Why a customer must not be sent a template of a category; `undefined` if nothing forbids it. Only consent to marketing itself is consent to marketing: a customer who
 * allows all messages again after having stopped them has not asked for advertising.
 */
export const consentRefusal = (asked: AskedConsent, category: Category): ConsentRefusal | undefined => {
  const { consent: { marketing }, marketingNeedsConsent } = asked
  const refused = freeFormRefusal(asked)
  if (refused !== undefined || generalCategory(category) !== 'marketing') return refused
  if (marketing?.status === 'withdrawn') return { _tag: 'CustomerOptedOut', topic: 'marketing' }
  return marketingNeedsConsent && marketing?.status !== 'granted' ? { _tag: 'ConsentRequired' } : undefined
}

/** What is known of an id in the inbox of a sender, and in the workspace's own inbox, which knows those who stopped the messages of another sender. */
export const findKnownIds = async (
  customers: Pick<Customers, 'find'> | undefined, { workspace, inbox }: InboxOf, to: CustomerId,
): Promise<E.Either<PortFailure, ReadonlyArray<KnownId>>> =>
  E.sequenceArray(await Promise.all([...new Set([inbox, workspace])].map((one) => findKnownId(customers, one, to))))

/** A recipient, and what `findKnownIds` returns for the id, if it was read for something else. It is used if the workspace has a single inbox. */
export type AskedRecipient = { readonly to: CustomerId; readonly known?: Promise<E.Either<PortFailure, ReadonlyArray<KnownId>>> }

/**
 * Reads what recipients allowed and stopped under any id of theirs that any inbox of the workspace knows, in their order. Nothing is looked up in a workspace in which no customer stopped anything, unless the messages may be
 * marketing and the workspace demands consent for them.
 */
export const askConsents = async (
  deps: AskDeps, of: InboxOf, { recipients, mayBeMarketing }: AskedMessages,
): Promise<E.Either<PortFailure, ReadonlyArray<AskedConsent>>> => {
  const { consents } = deps
  const rules = consents === undefined ? undefined : await consents.rules(of.workspace)
  if (rules !== undefined && E.isLeft(rules)) return rules
  const needsConsent = mayBeMarketing && rules?.right.marketingNeedsConsent === true
  if (consents === undefined || (rules?.right.hasWithdrawals !== true && !needsConsent)) return E.right(recipients.map(() => ALLOWED))
  const inboxes = await inboxesOf(deps, of.workspace)
  if (E.isLeft(inboxes)) return inboxes
  // The workspace may have an inbox that another process has just added.
  const all = [...new Set([of.inbox, ...inboxes.right])]
  const people = E.sequenceArray(await Promise.all(recipients.map(({ to, known }) =>
    (known !== undefined && all.length === 1
      ? known.then(E.map((found) => found.map((one) => customerOf(to, one))))
      : findIn(deps.customers, all, to)))))
  if (E.isLeft(people)) return people
  const found = await consentOf(
    consents, of.workspace, recipients.map(({ to: id }, index) => ({ id, customers: people.right[index] ?? [] })),
  )
  return E.map((all: ReadonlyArray<CustomerConsent>) => all.map((consent) => ({ consent, marketingNeedsConsent: needsConsent })))(found)
}

/** A person: the id that names the person, and the customer of that id as each inbox knows the customer. */
export type Person = { readonly id: CustomerId; readonly customers: ReadonlyArray<Customer> }

/** What people allowed and stopped under any of their ids, in their order, read in one call. */
export const consentOf = async (
  consents: Pick<Consents, 'find'>, workspace: WorkspaceId, people: ReadonlyArray<Person>,
): Promise<E.Either<PortFailure, ReadonlyArray<CustomerConsent>>> => {
  const idsOfEach = people.map(idsOfPerson)
  const found = await consents.find(workspace, idsOfEach.flatMap((ids) => ids.map(({ id }) => id)))
  if (E.isLeft(found)) return found
  const stored = found.right.values()
  return E.right(idsOfEach.map((ids) =>
    mergeConsents(ids.map((one) => factsAfter(stored.next().value ?? NO_CONSENT, one.othersUpTo)))))
}

/** The recipients of messages of one kind through one sender; `mayBeMarketing` if the messages are of the category `marketing`, or of a category that is not known yet. */
export type AskedMessages = { readonly recipients: ReadonlyArray<AskedRecipient>; readonly mayBeMarketing: boolean }

const ALLOWED: AskedConsent = { consent: NO_CONSENT, marketingNeedsConsent: false }

/** Reads what one recipient allowed and stopped. */
export const askConsent = async (
  deps: AskDeps, of: InboxOf, recipient: AskedRecipient, mayBeMarketing: boolean,
): Promise<E.Either<PortFailure, AskedConsent>> =>
  E.map(([asked = ALLOWED]: ReadonlyArray<AskedConsent>) => asked)(await askConsents(deps, of, { recipients: [recipient], mayBeMarketing }))

/** Why each of many customers must not be sent a message of a category, in their order; `undefined` if nothing forbids it. Their consents are read in one call. */
export const refusalsByConsent = async (
  deps: AskDeps, of: InboxOf, category: Category, recipients: ReadonlyArray<CustomerId>,
): Promise<E.Either<PortFailure, ReadonlyArray<ConsentRefusal | undefined>>> =>
  E.map((asked: ReadonlyArray<AskedConsent>) => asked.map((one) => consentRefusal(one, category)))(
    await askConsents(deps, of, {
      recipients: recipients.map((to) => ({ to })), mayBeMarketing: generalCategory(category) === 'marketing',
    }))

/** What is kept of each id of an erased person, by its record key: what was known of the id itself, and what the person had said under the other ids. */
export const consentsToErase = (
  people: ReadonlyArray<ErasedIds>, consentOfKey: (key: CustomerId) => CustomerConsent,
): ReadonlyMap<CustomerId, CustomerConsent> => {
  const ids = [...idsOfCustomers(people).values()]
  const said = mergeConsents(ids.map((one) => factsAfter(consentOfKey(recordKeyOf(one.id)), one.othersUpTo)))
  return new Map(ids.map(({ id }) => [recordKeyOf(id), mergeConsents([consentOfKey(recordKeyOf(id)), said])]))
}

/** The ids of an erased person. */
export type ErasedIds = CustomerIds & DialledNumbers & Pick<Customer, 'numberSince'>

/** An id of a person. What was recorded for it up to a time belongs to another person, who had the number before. */
type IdOfPerson = { readonly id: CustomerId; readonly othersUpTo: Instant }

const idsOfPerson = ({ id, customers }: Person): ReadonlyArray<IdOfPerson> =>
  [...new Map([[recordKeyOf(id), { id, othersUpTo: -Infinity }], ...idsOfCustomers(customers)]).values()]

const idsOfCustomers = (customers: ReadonlyArray<ErasedIds>): ReadonlyMap<CustomerId, IdOfPerson> => {
  const found = new Map<CustomerId, IdOfPerson>()
  for (const customer of customers) {
    for (const id of idsOf(customer)) {
      const before = found.get(recordKeyOf(id))?.othersUpTo ?? -Infinity
      found.set(recordKeyOf(id), { id, othersUpTo: Math.max(before, othersUpTo(customer, id) ?? -Infinity) })
    }
  }
  return found
}

const factsAfter = (consent: CustomerConsent, time: Instant): CustomerConsent =>
  Object.fromEntries(factsIn(consent).filter(({ since }) => since > time).map(({ topic, ...known }) => [topic, known]))
