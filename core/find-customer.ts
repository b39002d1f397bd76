import * as TE from 'fp-ts/lib/TaskEither.js'
import { customerOf, NOTHING_KNOWN, type Customer, type CustomerId, type KnownId } from './customer.js'
import type { PortFailure } from './errors.js'
import type { Customers } from './ports/customers.js'
import type { WorkspaceId } from './workspace.js'

/** What is known of an id in a workspace; nothing without `customers`. */
export const findKnownId = (
  customers: Pick<Customers, 'find'> | undefined, workspace: WorkspaceId, id: CustomerId,
): TE.TaskEither<PortFailure, KnownId> => customers?.find(workspace, id) ?? TE.right({ own: NOTHING_KNOWN, other: NOTHING_KNOWN })

/** The customer of a workspace whom an id names; without `customers` nothing but the id is known. */
export const findCustomer = (
  customers: Pick<Customers, 'find'> | undefined, workspace: WorkspaceId, id: CustomerId,
): TE.TaskEither<PortFailure, Customer> =>
  TE.map((known: KnownId) => customerOf(id, known))(findKnownId(customers, workspace, id))
