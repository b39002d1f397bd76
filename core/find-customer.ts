import * as TE from 'fp-ts/lib/TaskEither.js'
import { customerOf, NOTHING_KNOWN, type Customer, type CustomerId } from './customer.js'
import type { PortFailure } from './errors.js'
import type { Customers } from './ports/customers.js'
import type { WorkspaceId } from './workspace.js'

/** The customer of a workspace whom an id names; without `customers` nothing but the id is known. */
export const findCustomer = (
  customers: Pick<Customers, 'find'> | undefined, workspace: WorkspaceId, id: CustomerId,
): TE.TaskEither<PortFailure, Customer> =>
  customers === undefined
    ? TE.right(customerOf(id, { own: NOTHING_KNOWN, other: NOTHING_KNOWN }))
    : TE.map((known: Parameters<typeof customerOf>[1]) => customerOf(id, known))(customers.find(workspace, id))
