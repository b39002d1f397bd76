import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { learnFact, type CustomerFact, type CustomerId, type CustomerIds } from '../customer.js'
import type { PortFailure } from '../errors.js'
import type { Along } from '../event.js'
import { customerChanged } from '../event-data.js'
import type { Customers, LearnedFact } from '../ports/customers.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { alongFor, type EventDeps } from './event-deps.js'

/** A customer as a report names it: by its ids, and by the names that the customer shows. */
export type ReportedCustomer = CustomerIds & { readonly name?: string | undefined; readonly username?: string | undefined }

/** What a report says of a customer, and when. */
export type Sighting = ReportedCustomer & {
  readonly at: Instant
  /** The pair is taken only where none is known: the customer shared the number, or the date of the report is not to be trusted. */
  readonly isShared?: true
}

/** What keeping it needs; without `customers` nothing is kept. */
export type LearnCustomerDeps = EventDeps & { readonly customers?: Pick<Customers, 'find' | 'learn'> }

/** Keeps what a report says of a customer. A pair is in two records; the event of its change comes from that of the user id, so that it is one event. */
export const learnCustomer = (deps: LearnCustomerDeps, workspace: WorkspaceId, sighting: Sighting): TE.TaskEither<PortFailure, void> =>
  async () => {
    const { customers } = deps
    const facts = factsOf(sighting)
    if (customers === undefined || facts.length === 0) return E.right(undefined)
    const along = await alongPair(deps, workspace, sighting)
    const learnt = await Promise.all(facts.map(([id, fact]) => customers.learn(workspace, id, fact, id === sighting.userId ? along : undefined)()))
    return learnt.find(E.isLeft) ?? E.right(undefined)
  }

const alongPair = async (
  { customers, events }: LearnCustomerDeps, workspace: WorkspaceId, { phoneNumber, userId, isShared, at }: Sighting,
): Promise<Along<LearnedFact> | undefined> => {
  if (phoneNumber === undefined || userId === undefined) return undefined
  const along = await alongFor(events, workspace, customerChanged(workspace, userId))
  if (along === undefined || isShared === undefined) return along
  // A number that is another customer's by the platform's word stays with that customer, also if another one shares it.
  const known = await customers?.find(workspace, phoneNumber)()
  const isTaken = known !== undefined && E.isRight(known) && learnFact(known.right.own, { _tag: 'Shared', other: userId, at }).other !== userId
  return isTaken ? undefined : along
}

const factsOf = ({ phoneNumber, userId, name, username, at, isShared }: Sighting): ReadonlyArray<readonly [CustomerId, CustomerFact]> => {
  const _tag = isShared ? 'Shared' : 'Paired'
  const pair: ReadonlyArray<readonly [CustomerId, CustomerFact]> = phoneNumber === undefined || userId === undefined
    ? []
    : [[phoneNumber, { _tag, other: userId, at }], [userId, { _tag, other: phoneNumber, at }]]
  const id = userId ?? phoneNumber
  return id === undefined || (name === undefined && username === undefined) ? pair : [...pair, [id, { _tag: 'Named', name, username, at }]]
}
