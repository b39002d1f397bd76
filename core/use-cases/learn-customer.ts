import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { CustomerFact, CustomerId, CustomerIds } from '../customer.js'
import type { PortFailure } from '../errors.js'
import type { Customers } from '../ports/customers.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

/** A customer as a report names it: by its ids, and by the names that the customer shows. */
export type ReportedCustomer = CustomerIds & { readonly name?: string | undefined; readonly username?: string | undefined }

/** What a report says of a customer, and when. */
export type Sighting = ReportedCustomer & {
  readonly at: Instant
  /** The pair is taken only where none is known: the customer shared the number, or the date of the report is not to be trusted. */
  readonly isShared?: true
}

/** Keeps what a report says of a customer. Without `customers` nothing is kept. */
export const learnCustomer = (
  customers: Pick<Customers, 'learn'> | undefined, workspace: WorkspaceId, sighting: Sighting,
): TE.TaskEither<PortFailure, void> =>
  async () => {
    if (customers === undefined) return E.right(undefined)
    const learnt = await Promise.all(factsOf(sighting).map(([id, fact]) => customers.learn(workspace, id, fact)()))
    return learnt.find(E.isLeft) ?? E.right(undefined)
  }

const factsOf = ({ phoneNumber, userId, name, username, at, isShared }: Sighting): ReadonlyArray<readonly [CustomerId, CustomerFact]> => {
  const _tag = isShared ? 'Shared' : 'Paired'
  const pair: ReadonlyArray<readonly [CustomerId, CustomerFact]> = phoneNumber === undefined || userId === undefined
    ? []
    : [[phoneNumber, { _tag, other: userId, at }], [userId, { _tag, other: phoneNumber, at }]]
  const id = userId ?? phoneNumber
  return id === undefined || (name === undefined && username === undefined) ? pair : [...pair, [id, { _tag: 'Named', name, username, at }]]
}
