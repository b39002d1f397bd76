import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { isAllowed } from './access/access.js'
import { countedIdOf, type Customer, type CustomerId, parseWrittenCustomerId, TRUNK_ZERO } from './customers/customer.js'
import { type Customers, findCustomer as readCustomer, inboxesOf } from './customers/learn.js'
import { comparedName, type NamedCustomer } from './customers/names.js'
import { makeShowCustomer, type ShowCustomerDeps, type ShownCustomer } from './customers/use-cases.js'
import { type CustomerWindows, isOpen, type WindowClock } from './customers/window.js'
import type { Actor } from './kernel/actor.js'
import type { PortFailure } from './kernel/failure.js'
import type { WorkspaceId } from './kernel/ids.js'
import type { Page } from './kernel/page.js'
import { foldedOf } from './kernel/text.js'
import type { Instant } from './kernel/time.js'
import type { Workspace, Workspaces } from './kernel/workspace.js'
import { WAMID_FORM } from './messages/content.js'
import { makeListMessages, type MessageLog, type MessageRef, parseMessageRef } from './messages/message-log.js'
import { isMessageId, type MessageRecord } from './messages/message.js'
import type { LoggedRequest, RequestLog } from './requests/request-log.js'
import { makeListWorkspaces } from './workspaces/use-cases.js'

/**
 * Finds the objects that a text names, among those that the person may see: a message by our id or the platform's, customers by a number or a user id, calls of
 * the API by the id of their request, customers by their name, messages by the application's notes, and workspaces by their name.
 *
 * With a `workspace`, customers, calls and notes are searched only in it; workspaces, and a message by its id, in everything that the person sees. Without a
 * `workspace`, customers and calls are searched in `MAX_PLACES` workspaces, and so is a message by an id that does not have WhatsApp's form; names and notes
 * are searched only if the person sees a single workspace.
 */
export type Search = (command: SearchCommand) => Promise<E.Either<PortFailure, Found>>

/** The actor, the text, and the workspace to search. `isQuick` is for a search after each keystroke: it looks at fewer names, and at no notes. */
export type SearchCommand = { readonly by: Actor; readonly text: string; readonly workspace?: WorkspaceId; readonly isQuick?: true }

/** The search results. */
export type Found = {
  /** The message with the given id, or the newest messages that have the text as a note, `MAX_FOUND` at most. */
  readonly messages: ReadonlyArray<MessageRecord>
  /**
   * The customer with the given id, or at most `MAX_NAMED` customers with a name in which a word begins with the text: first those whose whole name is the text,
   * then those whose name begins with it, each group ordered by when they last wrote.
   */
  readonly customers: ReadonlyArray<FoundCustomer>
  readonly workspaces: ReadonlyArray<Workspace>
  /** Calls of the API with this request id; a client may have used it several times. */
  readonly requests: ReadonlyArray<LoggedRequest>
  /** The workspace whose notes were searched, and whether there are messages that were not looked at. */
  readonly noted: { readonly workspace: WorkspaceId; readonly isPartial: boolean } | undefined
  /**
   * If names of customers were searched: how many customers have the name, and whether there may be others. Then all names of the `look` customers who wrote last were
   * compared.
   */
  readonly named: { readonly count: number; readonly isPartial: boolean; readonly look: number } | undefined
  /** The number of the person's workspaces that were not searched for a customer or a call. */
  readonly placesLeft: number
}

/** A customer of a workspace; `known` is none for a customer to whom messages were sent but who is otherwise unknown. */
export type FoundCustomer = {
  readonly workspace: WorkspaceId
  readonly id: CustomerId
  readonly known: ShownCustomer | undefined
  /** The newest message to the customer. */
  readonly lastSent: MessageRecord | undefined
  /** Whether the customer service window is open. */
  readonly isOpen: boolean
}

/** The dependencies of a search. */
export type SearchDeps = Omit<ShowCustomerDeps, 'customers' | 'windowClock'> & {
  readonly customers?: Pick<Customers, 'find' | 'named'> | undefined
  readonly windowClock: Pick<WindowClock, 'freeForm' | 'now' | 'lastInbound'>
  readonly workspaces: Pick<Workspaces, 'find' | 'list'>
  readonly messageLog: Pick<MessageLog, 'find' | 'list'>
  readonly customerWindows: CustomerWindows
  /** Without it, calls are not searched. */
  readonly requestLog?: Pick<RequestLog, 'list'>
}

/** The maximum number of messages and workspaces in the results. */
export const MAX_FOUND = 20
/** The number of workspaces in which a customer is searched. */
export const MAX_PLACES = 20
/** The number of messages that are searched for a note, because no index supports it. */
export const NOTE_LOOK = 10_000
/** The maximum number of customers in the results for a name. */
export const MAX_NAMED = 10
/** The number of customers with a name that are read from the index of names, and if there are more, the number of those who wrote last that are looked at. */
export const NAMED_LOOK = 200
/** The number of customers whose names are compared, starting with those who wrote last, if no index supports it. */
export const NAME_LOOK = 10_000
/** The number of customers whose names a quick search compares, if no index supports it. */
export const QUICK_NAME_LOOK = 1_000
/** The number of names that are read at a time, so that the reads of sends need not wait for all. */
const NAMES_AT_ONCE = 500
/** The number of workspaces that are searched for a message at a time. */
const BATCH = 50

const NOTHING: Found = { messages: [], customers: [], workspaces: [], requests: [], noted: undefined, named: undefined, placesLeft: 0 }

export const makeSearch = (deps: SearchDeps): Search => async ({ by, text: given, workspace, isQuick }) => {
  const text = given.trim()
  if (text === '') return E.right(NOTHING)
  const listed = await makeListWorkspaces(deps)({ by })
  if (E.isLeft(listed)) return listed
  const seen = listed.right.map(({ id }) => id)
  // An archived workspace is in no list, but can still be read.
  const here = workspace !== undefined && isAllowed(by.principal, 'workspace.view', { id: workspace }) ? workspace : undefined
  const places = here === undefined ? seen.slice(0, MAX_PLACES) : [here]
  const ref = parseMessageRef(text)
  const isSurelyId = isMessageName(text)
  const messages = ref === undefined
    ? E.right([])
    : await findMessage(deps, !isSurelyId ? places : here === undefined ? seen : [here, ...seen.filter((id) => id !== here)], ref)
  if (E.isLeft(messages)) return messages
  if (isSurelyId || messages.right.length > 0) return E.right({ ...NOTHING, messages: messages.right })
  const number = customerIn(text)
  const customers = number === undefined ? E.right([]) : await findCustomers(deps, places, [number])
  if (E.isLeft(customers)) return customers
  const requests = await findRequests(deps, places, text)
  if (E.isLeft(requests)) return requests
  const [place, ...others] = places
  const noted = place === undefined || others.length > 0 || isQuick === true
    ? undefined
    : await deps.messageLog.list(place, { reference: text, limit: MAX_FOUND, look: NOTE_LOOK })
  if (noted !== undefined && E.isLeft(noted)) return noted
  const named = place === undefined || others.length > 0 || number !== undefined ? undefined : await findNamed(
    deps, place, text, isQuick === true ? QUICK_NAME_LOOK : NAME_LOOK,
  )
  if (named !== undefined && E.isLeft(named)) return named
  return E.right({
    messages: noted?.right.items ?? [], customers: named?.right.found ?? customers.right, requests: requests.right,
    workspaces: listed.right.filter((one) => one.id === text || foldedOf(one.name).includes(foldedOf(text))).slice(0, MAX_FOUND),
    noted: place === undefined || noted === undefined ? undefined : { workspace: place, isPartial: noted.right.next !== undefined },
    named: named && { count: named.right.count, isPartial: named.right.isPartial, look: named.right.look },
    placesLeft: (number === undefined && !isRequestId(deps, text)) || here !== undefined ? 0 : seen.length - places.length,
  })
}

/** A customer's id, or a number in a notation that people often copy: with `tel:`, `00`, slashes, or the `(0)` that is dialled only within the country. */
export const customerIn = (text: string): CustomerId | undefined => {
  const written = text.trim().replace(/^tel:/i, '').replace(TRUNK_ZERO, ' ').replace(/[/\u00a0\u2007\u2010-\u2013\u202f]/g, ' ')
    .replace(/^\(?(?:\+|00)([1-9][0-9]{0,2})\)?/, '+$1')
  return E.toUnion(E.mapLeft(() => undefined)(parseWrittenCustomerId(written.trim())))
}

const findMessage = async (
  { messageLog }: SearchDeps, places: ReadonlyArray<WorkspaceId>, ref: MessageRef,
): Promise<E.Either<PortFailure, ReadonlyArray<MessageRecord>>> => {
  for (let from = 0; from < places.length; from += BATCH) {
    const answers = E.sequenceArray(await Promise.all(places.slice(from, from + BATCH).map((place) => messageLog.find(place, ref))))
    if (E.isLeft(answers)) return answers
    const found = answers.right.flatMap((one) => (O.isSome(one) ? [one.value] : []))
    if (found.length > 0) return E.right(found)
  }
  return E.right([])
}

/** Whether a text has the form of our message id or WhatsApp's. Ids of other platforms may look like anything else that is searched. */
const isMessageName = (text: string): boolean => isMessageId(text) || WAMID_FORM.test(text)

/** Request ids that the gateway makes, or that have a minimum length, so that a name or a word is not treated as one. */
const REQUEST_ID = /^(?=.*\d)[A-Za-z0-9._-]{8,128}$/

const isRequestId = ({ requestLog }: SearchDeps, text: string): boolean => requestLog !== undefined && REQUEST_ID.test(text)

const findRequests = async (
  deps: SearchDeps, places: ReadonlyArray<WorkspaceId>, requestId: string,
): Promise<E.Either<PortFailure, ReadonlyArray<LoggedRequest>>> => {
  const { requestLog } = deps
  if (requestLog === undefined || !isRequestId(deps, requestId)) return E.right([])
  const lists = await Promise.all(places.map((place) => requestLog.list(place, { requestId, limit: MAX_FOUND })))
  return E.map((pages: ReadonlyArray<Page<LoggedRequest>>) => pages.flatMap(({ items }) => items).slice(0, MAX_FOUND))(
    E.sequenceArray(lists),
  )
}

const findCustomers = async (
  deps: SearchDeps, places: ReadonlyArray<WorkspaceId>, ids: ReadonlyArray<CustomerId>,
): Promise<E.Either<PortFailure, ReadonlyArray<FoundCustomer>>> => {
  const looks = places.flatMap((place) => ids.map((id) => findCustomer(deps, place, id)))
  return E.map((found: ReadonlyArray<FoundCustomer | undefined>) => found.filter((one) => one !== undefined))(
    E.sequenceArray(await Promise.all(looks)),
  )
}

const findCustomer = async (
  deps: SearchDeps, workspace: WorkspaceId, id: CustomerId,
): Promise<E.Either<PortFailure, FoundCustomer | undefined>> => {
  const [customer, sent] = await Promise.all([
    makeShowCustomer(deps)(workspace, id), makeListMessages(deps)(workspace, { to: id, limit: 1 }),
  ])
  if (E.isLeft(customer)) return customer
  if (E.isLeft(sent)) return sent
  const [known, lastSent] = [O.toUndefined(customer.right), sent.right.items[0]]
  if (known === undefined && lastSent === undefined) return E.right(undefined)
  const windows = [known?.lastInbound ?? O.none, ...known?.senders.map(({ lastInbound }) => lastInbound) ?? []]
  return E.right({
    workspace, id, known, lastSent,
    isOpen: windows.some((lastInbound) => isOpen(deps.windowClock.now(), lastInbound, deps.windowClock.freeForm)),
  })
}

/** A name in the form in which names are compared, with a space before each word. */
const wordsOf = (name: string): string => ` ${comparedName(name)}`

type Named = NonNullable<Found['named']> & { readonly found: ReadonlyArray<FoundCustomer> }

const findNamed = async (
  deps: SearchDeps, workspace: WorkspaceId, text: string, look: number,
): Promise<E.Either<PortFailure, Named>> => {
  const sought = wordsOf(text)
  if (sought === ' ') return E.right({ found: [], count: 0, isPartial: false, look })
  const inboxes = await inboxesOf(deps, workspace)
  if (E.isLeft(inboxes)) return inboxes
  const indexed = await deps.customers?.named?.(inboxes.right, text, NAMED_LOOK)
  if (indexed !== undefined && E.isLeft(indexed)) return indexed
  // Without an index, or if it has too many customers with this name, those who wrote last are looked at.
  const listed = indexed?.right.isComplete === true ? undefined : await deps.customerWindows.list(
    inboxes.right, { since: 0, limit: indexed === undefined ? look : NAMED_LOOK },
  )
  if (listed !== undefined && E.isLeft(listed)) return listed
  const named = await likenessesOf(
    deps, [...listed?.right.items.map(({ inbox, customer: id }) => ({ inbox, id })) ?? [], ...indexed?.right.customers ?? []], sought,
  )
  if (E.isLeft(named)) return named
  const sorted = await lastWriting(deps, named.right)
  if (E.isLeft(sorted)) return sorted
  const ids = sorted.right.slice(0, MAX_NAMED).map(({ id }) => id)
  return E.map((found: ReadonlyArray<FoundCustomer>): Named => ({
    found, count: sorted.right.length, isPartial: listed?.right.next !== undefined, look: indexed === undefined ? look : NAMED_LOOK,
  }))(await findCustomers(deps, [workspace], ids))
}

/** A customer with a name like the text, in the inbox where the customer was found. */
type Like = NamedCustomer & { readonly likeness: Likeness }

/** Reads the names of customers, and returns those whose names are like the text. A customer may be listed under both ids. */
const likenessesOf = async (
  { customers }: SearchDeps, listed: ReadonlyArray<NamedCustomer>, sought: string,
): Promise<E.Either<PortFailure, ReadonlyArray<Like>>> => {
  const found = new Map<CustomerId, Like>()
  for (let from = 0; from < listed.length; from += NAMES_AT_ONCE) {
    const some = listed.slice(from, from + NAMES_AT_ONCE)
    const read = E.sequenceArray(await Promise.all(some.map(({ inbox, id }) => readCustomer(customers, inbox, id))))
    if (E.isLeft(read)) return read
    read.right.forEach((customer, index) => {
      const [id, likeness, one] = [countedIdOf(customer), likenessOf(customer, sought), some[index]]
      if (id === undefined || one === undefined || likeness === undefined || found.has(id)) return
      found.set(id, { inbox: one.inbox, id, likeness })
    })
  }
  return E.right([...found.values()])
}

/** Sorts customers: the most similar names first, and among equally similar names the customers who wrote last. */
const lastWriting = async (
  { windowClock }: SearchDeps, likes: ReadonlyArray<Like>,
): Promise<E.Either<PortFailure, ReadonlyArray<Like>>> => E.map((times: ReadonlyArray<O.Option<Instant>>) => {
  const wroteAt = new Map(likes.map((like, index) => [like, O.toUndefined(times[index] ?? O.none) ?? 0]))
  return likes.toSorted((a, b) => a.likeness - b.likeness || (wroteAt.get(b) ?? 0) - (wroteAt.get(a) ?? 0))
})(E.sequenceArray(await Promise.all(likes.map(({ inbox, id }) => windowClock.lastInbound(inbox, id)))))

/** How similar a name is to the text: 0 if it is the whole name, 1 if the name begins with it, 2 if a later word does. */
type Likeness = 0 | 1 | 2

const likenessOf = ({ name, username }: Customer, sought: string): Likeness | undefined => {
  const names = [name, username].flatMap((one) => (one === undefined ? [] : [wordsOf(one)])).filter((one) => one.includes(sought))
  if (names.length === 0) return undefined
  return names.includes(sought) ? 0 : names.some((one) => one.startsWith(sought)) ? 1 : 2
}
