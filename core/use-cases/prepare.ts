import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { CustomerId } from '../customer.js'
import type { CustomerOptedOut, PhoneNumberRequired, PortFailure, SenderNotConfigured, WindowClosed } from '../errors.js'
import type { TemplateMessage, TextMessage } from '../message.js'
import type { Sender } from '../ports/senders.js'
import { categoryNamed, type PriceOf, type Rate } from '../rate-card.js'
import type { Template } from '../template.js'
import type { Instant } from '../time.js'
import { closesAt, isOpen } from '../window.js'
import type { WorkspaceId } from '../workspace.js'
import { preflight, type PreflightDeps, type PreflightRefusal } from './preflight.js'
import { readForTemplate, readForText, readsOf, type Ahead, type ReadAheadDeps, type TemplateReads, type TextReads } from './read-ahead.js'
import { checkTemplateRecipient, findTemplateRecipient } from './recipient.js'

/** A message that may be paid for: the sender through which it goes, the id that the platform is given, and the price. */
export type Prepared = { readonly sender: Sender; readonly to: CustomerId; readonly price: Rate }

/** A template that may be paid for; `template` is what the catalogue has of it. */
export type PreparedTemplate = Prepared & { readonly template: Template | undefined }

/** Why no message of a workspace can be sent now. */
export type PrepareError = SenderNotConfigured | PortFailure
/** Why a text cannot be sent now. */
export type PrepareTextError = WindowClosed | PrepareError
/** Why a template cannot be sent now. */
export type PrepareTemplateError = PreflightRefusal | PhoneNumberRequired | CustomerOptedOut | PrepareError

/** What checking and pricing a message needs. */
export type PrepareDeps = PreflightDeps & ReadAheadDeps & {
  readonly priceOf: PriceOf
}

/** Checks and prices a text. What the reads found is judged in the order of refusals. */
export const prepareText =
  (deps: PrepareDeps, workspace: WorkspaceId, message: TextMessage, ahead?: Ahead<TextReads>): TE.TaskEither<PrepareTextError, Prepared> =>
  async () => {
    const { lastInbound, recipient, ...found } = await readsOf({ workspace, to: message.to }, ahead, (text) => readForText(deps, text))
    if (E.isLeft(lastInbound)) return lastInbound
    if (!isOpen(deps.windowClock.now(), lastInbound.right)) return E.left(windowClosed(lastInbound.right))
    const sender = configured(found.sender)
    if (E.isLeft(sender)) return sender
    if (E.isLeft(recipient)) return recipient
    const { to } = recipient.right
    const price = await deps.priceOf(workspace, { ...message, to })()
    return E.isLeft(price) ? price : E.right({ sender: sender.right, to, price: price.right })
  }

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
    const recipient = await findTemplateRecipient(deps.customers, workspace, given, category, found.recipient)()
    if (E.isLeft(recipient)) return recipient
    const { to } = recipient.right
    const price = await deps.priceOf(workspace, { ...message, to }, category)()
    if (E.isLeft(price)) return price
    const checked = checkTemplateRecipient(category ?? price.right.category, recipient.right)
    return E.isLeft(checked) ? checked : E.right({ sender: sender.right, to, price: price.right, template: template.right })
  }

const configured = (sender: E.Either<PortFailure, O.Option<Sender>>): E.Either<PrepareError, Sender> => {
  if (E.isLeft(sender)) return sender
  return O.isNone(sender.right) ? E.left({ _tag: 'SenderNotConfigured' }) : E.right(sender.right.value)
}

const windowClosed = (lastInbound: O.Option<Instant>): WindowClosed => ({
  _tag: 'WindowClosed',
  closedAt: pipe(lastInbound, O.map(closesAt), O.toUndefined),
})
