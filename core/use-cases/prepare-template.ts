import * as E from 'fp-ts/lib/Either.js'
import type * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { isUserId, type CustomerId } from '../customer.js'
import type { CustomerOptedOut, PhoneNumberRequired, PortFailure } from '../errors.js'
import type { TemplateMessage } from '../message.js'
import type { Sender } from '../ports/senders.js'
import { categoryNamed, generalCategory, type Category } from '../rate-card.js'
import type { Template } from '../template.js'
import type { WorkspaceId } from '../workspace.js'
import { preflight, type ListedTemplates, type PreflightRefusal } from './preflight.js'
import {
  configured, findRecipient, givenRecipient, readsOf, type Ahead, type PrepareDeps, type Prepared, type PrepareError, type Read, type ReadAheadDeps, type ReadFor,
  type Recipient,
} from './prepare.js'

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
export const prepareTemplate =
  (deps: PrepareDeps, workspace: WorkspaceId, message: TemplateMessage, ahead?: Ahead<TemplateReads>): TE.TaskEither<PrepareTemplateError, PreparedTemplate> =>
  async () => {
    const { to: given, name } = message
    const found = await readsOf({ workspace, to: given, name }, ahead, (template) => readForTemplate(deps, template))
    const sender = configured(found.sender)
    if (E.isLeft(sender)) return sender
    const template = await preflight(deps, sender.right, message, found.listed)()
    if (E.isLeft(template)) return template
    const category = template.right && categoryNamed(template.right.category)
    const recipient = await recipientOf(deps, workspace, given, category, found.recipient)
    if (E.isLeft(recipient)) return recipient
    const { to } = recipient.right
    const price = await deps.priceOf(workspace, { ...message, to }, category)()
    if (E.isLeft(price)) return price
    const refused = refusalOf(category ?? price.right.category, recipient.right)
    return refused === undefined ? E.right({ sender: sender.right, to, price: price.right, template: template.right }) : E.left(refused)
  }

/** Reads what a template depends on, all of it together if the business account is remembered. */
export const readForTemplate = async (deps: ReadAheadDeps, { workspace, to, name }: Required<ReadFor>): Promise<TemplateReads> => {
  const accountId = deps.senders.lastAccountOf?.(workspace)
  const [sender, recipient, found] = await Promise.all([
    deps.senders.senderOf(workspace)(), readRecipient(deps, workspace, to),
    accountId === undefined ? undefined : deps.templateCatalogue?.find(accountId, name)(),
  ])
  return { sender, recipient, listed: accountId === undefined || found === undefined ? undefined : { accountId, found } }
}

/** Reads what can be known of the recipient before the template is known. */
const readRecipient = async ({ customers }: ReadAheadDeps, workspace: WorkspaceId, to: CustomerId): Promise<TemplateRecipient> =>
  isUserId(to)
    ? { byUserId: await findRecipient(customers, workspace, to)() }
    : { hasOptedOut: await (customers?.hasOptedOut(workspace)() ?? E.right(false)) }

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
  return known.hasOptedOut.right ? findRecipient(customers, workspace, to)() : E.right(givenRecipient(to))
}

/** Why the platform takes no template of a category for a recipient; `undefined` where it does. */
const refusalOf = (charged: Category, { to, optedOut }: Recipient): PhoneNumberRequired | CustomerOptedOut | undefined => {
  const category = generalCategory(charged)
  if (category === 'authentication' && isUserId(to)) return { _tag: 'PhoneNumberRequired' }
  return category === 'marketing' && optedOut ? { _tag: 'CustomerOptedOut' } : undefined
}
