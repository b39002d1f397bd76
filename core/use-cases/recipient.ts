import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isUserId, type Customer, type CustomerId } from '../customer.js'
import type { CustomerOptedOut, PhoneNumberRequired, PortFailure } from '../errors.js'
import { findCustomer } from '../find-customer.js'
import type { Customers } from '../ports/customers.js'
import { generalCategory, type Category } from '../rate-card.js'
import type { WorkspaceId } from '../workspace.js'

/** Whom a message goes to: the id that the platform is given, and whether the customer stopped marketing messages. */
export type Recipient = { readonly to: CustomerId; readonly optedOut: boolean }

/** The customer as the request names them, of whom nothing else is looked up. */
export const givenRecipient = (to: CustomerId): Recipient => ({ to, optedOut: false })

/** Finds whom a message goes to. A phone number is used where it is known, as the platform prefers it. */
export const findRecipient = (
  customers: Pick<Customers, 'find'> | undefined, workspace: WorkspaceId, to: CustomerId,
): TE.TaskEither<PortFailure, Recipient> =>
  TE.map(({ phoneNumber, optedOut }: Customer): Recipient => ({ to: isUserId(to) ? phoneNumber ?? to : to, optedOut }))(
    findCustomer(customers, workspace, to))

/** The same for a text. One to a number needs nothing else, so it costs no lookup. */
export const findTextRecipient = (
  customers: Pick<Customers, 'find'> | undefined, workspace: WorkspaceId, to: CustomerId,
): TE.TaskEither<PortFailure, Recipient> => (isUserId(to) ? findRecipient(customers, workspace, to) : TE.right(givenRecipient(to)))

/** Whom a template goes to, or, where `to` is a phone number, whether any customer of the workspace has stopped marketing messages. */
export type TemplateRecipient = { readonly byUserId: E.Either<PortFailure, Recipient> } | { readonly hasOptedOut: E.Either<PortFailure, boolean> }

/** Reads what can be known of a template's recipient before the template is known. */
export const readTemplateRecipient = async (
  customers: Pick<Customers, 'find' | 'hasOptedOut'> | undefined, workspace: WorkspaceId, to: CustomerId,
): Promise<TemplateRecipient> =>
  isUserId(to)
    ? { byUserId: await findRecipient(customers, workspace, to)() }
    : { hasOptedOut: await (customers?.hasOptedOut(workspace)() ?? E.right(false)) }

/**
 * Finds whom a template goes to. For a phone number only whether the customer stopped marketing messages is of interest, so nothing is looked up for another
 * category, nor in a workspace of which no customer has.
 */
export const findTemplateRecipient = (
  customers: Pick<Customers, 'find'> | undefined, workspace: WorkspaceId, to: CustomerId, category: Category | undefined, known: TemplateRecipient,
): TE.TaskEither<PortFailure, Recipient> =>
  async () => {
    if ('byUserId' in known) return known.byUserId
    if (category !== undefined && generalCategory(category) !== 'marketing') return E.right(givenRecipient(to))
    if (E.isLeft(known.hasOptedOut)) return known.hasOptedOut
    return known.hasOptedOut.right ? findRecipient(customers, workspace, to)() : E.right(givenRecipient(to))
  }

/** Whether the platform takes a template of a category for a recipient. */
export const checkTemplateRecipient = (charged: Category, { to, optedOut }: Recipient): E.Either<PhoneNumberRequired | CustomerOptedOut, void> => {
  const category = generalCategory(charged)
  if (category === 'authentication' && isUserId(to)) return E.left({ _tag: 'PhoneNumberRequired' })
  if (category === 'marketing' && optedOut) return E.left({ _tag: 'CustomerOptedOut' })
  return E.right(undefined)
}
