import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isUserId, type Customer, type CustomerId } from '../customer.js'
import type { PortFailure, SenderNotConfigured } from '../errors.js'
import { findCustomer } from '../find-customer.js'
import type { Customers } from '../ports/customers.js'
import type { Sender, Senders } from '../ports/senders.js'
import type { TemplateCatalogue } from '../ports/template-catalogue.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { PriceOf, Rate } from '../rate-card.js'
import type { WorkspaceId } from '../workspace.js'
import type { PreflightDeps } from './preflight.js'

/** A message that may be paid for: the sender through which it goes, the id that the platform is given, and the price. */
export type Prepared = { readonly sender: Sender; readonly to: CustomerId; readonly price: Rate }

/** Why no message of a workspace can be sent now. */
export type PrepareError = SenderNotConfigured | PortFailure

/** What reading for a send needs. */
export type ReadAheadDeps = {
  readonly senders: Pick<Senders, 'senderOf' | 'lastAccountOf'>
  readonly windowClock: Pick<WindowClock, 'now' | 'lastInbound'>
  /** What is known of customers; where absent, a customer is known by the given id alone. */
  readonly customers?: Pick<Customers, 'find' | 'hasOptedOut'>
  /** The copy of the platform's templates; where absent, no template is known. */
  readonly templateCatalogue?: Pick<TemplateCatalogue, 'find'>
}

/** What checking and pricing a message needs. */
export type PrepareDeps = PreflightDeps & ReadAheadDeps & {
  readonly priceOf: PriceOf
}

/** What was read, or why it could not be read. */
export type Read<A> = E.Either<PortFailure, A>

/** The message that reads are for. `name` is that of its template. */
export type ReadFor = { readonly workspace: WorkspaceId; readonly to: CustomerId; readonly name?: string }

/** Reads that were begun for a request before it was known whether the request may be made. For another message than theirs they are not used. */
export type Ahead<Reads> = { readonly for: ReadFor; readonly reads: Promise<Reads> }

/** The reads that were begun for a message, or its own. */
export const readsOf = <For extends ReadFor, Reads>(
  message: For, ahead: Ahead<Reads> | undefined, read: (message: For) => Promise<Reads>,
): Promise<Reads> => {
  const isSame = ahead?.for.workspace === message.workspace && ahead.for.to === message.to && ahead.for.name === message.name
  return isSame ? ahead.reads : read(message)
}

/** The sender of a workspace that has one. */
export const configured = (sender: Read<O.Option<Sender>>): E.Either<PrepareError, Sender> => {
  if (E.isLeft(sender)) return sender
  return O.isNone(sender.right) ? E.left({ _tag: 'SenderNotConfigured' }) : E.right(sender.right.value)
}

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
