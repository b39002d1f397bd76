import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { customerOf, isNothingKnown, type Customer, type CustomerId } from '../customer.js'
import type { PortFailure } from '../errors.js'
import { findKnownId } from '../find-customer.js'
import type { Instant } from '../time.js'
import { lastInboundOf, type WindowDeps } from '../window.js'
import type { WorkspaceId } from '../workspace.js'

/** Shows what a workspace knows of the customer whom an id names; none if it has no record of the id and the customer never wrote. */
export type ShowCustomer = (workspace: WorkspaceId, id: CustomerId) => TE.TaskEither<PortFailure, O.Option<ShownCustomer>>

/** A customer, and when the customer last wrote under any id. */
export type ShownCustomer = Customer & { readonly lastInbound: O.Option<Instant> }

/** What showing a customer needs. */
export type ShowCustomerDeps = WindowDeps

/** Makes the use case of what it needs. */
export const makeShowCustomer =
  (deps: ShowCustomerDeps): ShowCustomer =>
  (workspace, id) =>
  async () => {
    const [known, lastInbound] = await Promise.all([findKnownId(deps.customers, workspace, id)(), lastInboundOf(deps, workspace, id)()])
    if (E.isLeft(known)) return known
    if (E.isLeft(lastInbound)) return lastInbound
    return isNothingKnown(known.right.own) && O.isNone(lastInbound.right)
      ? E.right(O.none)
      : E.right(O.some({ ...customerOf(id, known.right), lastInbound: lastInbound.right }))
  }
