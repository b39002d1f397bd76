import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Customer, type CustomerId, type CustomerOptedOut, isUserId, type PhoneNumberRequired } from '../customers/customer.js'
import { type Customers, findCustomer } from '../customers/learn.js'
import { closesAt, isOpen, lastInboundOf, type WindowClock, type WindowClosed } from '../customers/window.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Category, categoryNamed, generalCategory } from '../kernel/money.js'
import type { Sender, SenderNotConfigured, Senders } from '../kernel/sender.js'
import type { Instant } from '../kernel/time.js'
import type { TemplateMessage, TextMessage } from '../messages/message.js'
import type { PriceOf, Rate } from '../money/rate-card.js'
import type { TemplateCatalogue } from '../templates/catalogue.js'
import type { Template } from '../templates/template.js'
import { type ListedTemplates, preflight, type PreflightDeps, type PreflightRefusal } from '../templates/use-cases.js'

/** Begins the reads of a send at once. What they find is judged by the send itself. */
export type ReadAhead = {
  /** Begins the reads of a text. */
  readonly text: (text: ReadFor) => Ahead<TextReads>
  /** Begins the reads of a template. */
  readonly template: (template: Required<ReadFor>) => Ahead<TemplateReads>
}

/** Makes what begins the reads of a send. */
export const makeReadAhead = (deps: ReadAheadDeps): ReadAhead => ({
  text: (text) => ({ for: text, reads: readForText(deps, text) }),
  template: (template) => ({ for: template, reads: readForTemplate(deps, template) }),
})

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
export const findRecipient = async (
  customers: Pick<Customers, 'find'> | undefined, workspace: WorkspaceId, to: CustomerId,
): Promise<E.Either<PortFailure, Recipient>> => {
  const customer = await findCustomer(customers, workspace, to)
  return E.map(({ phoneNumber, optedOut }: Customer): Recipient => ({ to: isUserId(to) ? phoneNumber ?? to : to, optedOut }))(customer)
}

/** Why a text cannot be sent now. */
export type PrepareTextError = WindowClosed | PrepareError

/** What a text depends on. */
export type TextReads = {
  readonly lastInbound: Read<O.Option<Instant>>
  readonly sender: Read<O.Option<Sender>>
  readonly recipient: Read<Recipient>
}

/** Checks and prices a text. What the reads found is judged in the order of refusals. */
export const prepareText = async (deps: PrepareDeps, workspace: WorkspaceId, message: TextMessage, ahead?: Ahead<TextReads>): Promise<E.Either<PrepareTextError, Prepared>> => {
  const { lastInbound, recipient, ...found } = await readsOf({ workspace, to: message.to }, ahead, (text) => readForText(deps, text))
  if (E.isLeft(lastInbound)) return lastInbound
  if (!isOpen(deps.windowClock.now(), lastInbound.right)) return E.left(windowClosed(lastInbound.right))
  const sender = configured(found.sender)
  if (E.isLeft(sender)) return sender
  if (E.isLeft(recipient)) return recipient
  const { to } = recipient.right
  const price = await deps.priceOf(workspace, { ...message, to })
  return E.isLeft(price) ? price : E.right({ sender: sender.right, to, price: price.right })
}

/** Reads what a text depends on, all of it together. One to a phone number needs nothing of the customer, so it costs no lookup. */
export const readForText = async (deps: ReadAheadDeps, { workspace, to }: ReadFor): Promise<TextReads> => {
  const [lastInbound, sender, recipient] = await Promise.all([
    lastInboundOf(deps, workspace, to, (found) => isOpen(deps.windowClock.now(), found)), deps.senders.senderOf(workspace),
    isUserId(to) ? findRecipient(deps.customers, workspace, to) : E.right(givenRecipient(to)),
  ])
  return { lastInbound, sender, recipient }
}

const windowClosed = (lastInbound: O.Option<Instant>): WindowClosed => ({
  _tag: 'WindowClosed',
  closedAt: pipe(lastInbound, O.map(closesAt), O.toUndefined),
})

/** A template that may be paid for; `template` is what the catalogue has of it. */
export type PreparedTemplate = Prepared & { readonly template: Template | undefined }

/** Why a template cannot be sent now. */
export type PrepareTemplateError = PreflightRefusal | PhoneNumberRequired | CustomerOptedOut | PrepareError

/** What a template depends on. */
export type TemplateReads = {
  readonly sender: Read<O.Option<Sender>>
  readonly recipient: TemplateRecipient
  /** The templates of its name in the business account that the workspace's sender had before; absent if that is not remembered. */
  readonly listed: ListedTemplates | undefined
}

/** Whom a template goes to, or, where `to` is a phone number, whether any customer of the workspace has stopped marketing messages. */
export type TemplateRecipient = { readonly byUserId: Read<Recipient> } | { readonly hasOptedOut: Read<boolean> }

/** Checks and prices a template. The customer service window does not matter. */
export const prepareTemplate = async (
  deps: PrepareDeps, workspace: WorkspaceId, message: TemplateMessage, ahead?: Ahead<TemplateReads>,
): Promise<E.Either<PrepareTemplateError, PreparedTemplate>> => {
  const { to: given, name } = message
  const found = await readsOf({ workspace, to: given, name }, ahead, (template) => readForTemplate(deps, template))
  const sender = configured(found.sender)
  if (E.isLeft(sender)) return sender
  const template = await preflight(deps, sender.right, message, found.listed)
  if (E.isLeft(template)) return template
  const category = template.right && categoryNamed(template.right.category)
  const recipient = await recipientOf(deps, workspace, given, category, found.recipient)
  if (E.isLeft(recipient)) return recipient
  const { to } = recipient.right
  const price = await deps.priceOf(workspace, { ...message, to }, category)
  if (E.isLeft(price)) return price
  const refused = refusalOf(category ?? price.right.category, recipient.right)
  return refused === undefined ? E.right({ sender: sender.right, to, price: price.right, template: template.right }) : E.left(refused)
}

/** Reads what a template depends on, all of it together if the business account is remembered. */
export const readForTemplate = async (deps: ReadAheadDeps, { workspace, to, name }: Required<ReadFor>): Promise<TemplateReads> => {
  const accountId = deps.senders.lastAccountOf?.(workspace)
  const [sender, recipient, found] = await Promise.all([
    deps.senders.senderOf(workspace), readRecipient(deps, workspace, to),
    accountId === undefined ? undefined : deps.templateCatalogue?.find(accountId, name),
  ])
  return { sender, recipient, listed: accountId === undefined || found === undefined ? undefined : { accountId, found } }
}

/** Reads what can be known of the recipient before the template is known. */
const readRecipient = async ({ customers }: ReadAheadDeps, workspace: WorkspaceId, to: CustomerId): Promise<TemplateRecipient> =>
  isUserId(to)
    ? { byUserId: await findRecipient(customers, workspace, to) }
    : { hasOptedOut: await (customers?.hasOptedOut(workspace) ?? E.right(false)) }

/**
 * Finds whom a template goes to. For a phone number only whether the customer stopped marketing messages is of interest, so nothing is looked up for another
 * category, nor in a workspace of which no customer has.
 */
const recipientOf = async (
  { customers }: ReadAheadDeps, workspace: WorkspaceId, to: CustomerId, category: Category | undefined, known: TemplateRecipient,
): Promise<E.Either<PortFailure, Recipient>> => {
  if ('byUserId' in known) return known.byUserId
  if (category !== undefined && generalCategory(category) !== 'marketing') return E.right(givenRecipient(to))
  if (E.isLeft(known.hasOptedOut)) return known.hasOptedOut
  return known.hasOptedOut.right ? findRecipient(customers, workspace, to) : E.right(givenRecipient(to))
}

/** Why the platform takes no template of a category for a recipient; `undefined` where it does. */
const refusalOf = (charged: Category, { to, optedOut }: Recipient): PhoneNumberRequired | CustomerOptedOut | undefined => {
  const category = generalCategory(charged)
  if (category === 'authentication' && isUserId(to)) return { _tag: 'PhoneNumberRequired' }
  return category === 'marketing' && optedOut ? { _tag: 'CustomerOptedOut' } : undefined
}
