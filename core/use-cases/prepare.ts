import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { isUserId, type CustomerId } from '../customer.js'
import type { CustomerOptedOut, PhoneNumberRequired, PortFailure, SenderNotConfigured, WindowClosed } from '../errors.js'
import type { TemplateMessage, TextMessage } from '../message.js'
import type { Customers } from '../ports/customers.js'
import type { Sender, Senders } from '../ports/senders.js'
import type { WindowClock } from '../ports/window-clock.js'
import { categoryNamed, type PriceOf, type Rate } from '../rate-card.js'
import type { Template } from '../template.js'
import type { Instant } from '../time.js'
import { closesAt, isOpen, lastInboundOf } from '../window.js'
import type { WorkspaceId } from '../workspace.js'
import { preflight, type PreflightDeps, type PreflightRefusal } from './preflight.js'
import { checkTemplateRecipient, findNumber, findRecipient, findTextRecipient } from './recipient.js'

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
export type PrepareDeps = PreflightDeps & {
  readonly senders: Pick<Senders, 'senderOf'>
  readonly windowClock: Pick<WindowClock, 'now' | 'lastInbound'>
  /** What is known of customers; where absent, a customer is known by the given id alone. */
  readonly customers?: Pick<Customers, 'find' | 'hasOptedOut'>
  readonly priceOf: PriceOf
}

/** Checks and prices a text. Reads that do not depend on each other go out together; what they found is judged in the order of refusals. */
export const prepareText =
  (deps: PrepareDeps, workspace: WorkspaceId, message: TextMessage): TE.TaskEither<PrepareTextError, Prepared> =>
  async () => {
    const isOpenNow = (lastInbound: O.Option<Instant>): boolean => isOpen(deps.windowClock.now(), lastInbound)
    const [lastInbound, sender, recipient] = await Promise.all([
      lastInboundOf(deps, workspace, message.to, isOpenNow)(), senderOf(deps, workspace)(), findTextRecipient(deps.customers, workspace, message.to)(),
    ])
    if (E.isLeft(lastInbound)) return lastInbound
    if (!isOpenNow(lastInbound.right)) return E.left(windowClosed(lastInbound.right))
    if (E.isLeft(sender)) return sender
    if (E.isLeft(recipient)) return recipient
    const { to } = recipient.right
    const price = await deps.priceOf(workspace, { ...message, to })()
    return E.isLeft(price) ? price : E.right({ sender: sender.right, to, price: price.right })
  }

/** Checks and prices a template. The customer service window does not matter. */
export const prepareTemplate =
  (deps: PrepareDeps, workspace: WorkspaceId, message: TemplateMessage): TE.TaskEither<PrepareTemplateError, PreparedTemplate> =>
  async () => {
    const [sender, byUserId] = await Promise.all([
      senderOf(deps, workspace)(), isUserId(message.to) ? findRecipient(deps.customers, workspace, message.to)() : undefined,
    ])
    if (E.isLeft(sender)) return sender
    const template = await preflight(deps, sender.right, message)()
    if (E.isLeft(template)) return template
    const category = template.right && categoryNamed(template.right.category)
    const recipient = byUserId ?? (await findNumber(deps.customers, workspace, message.to, category)())
    if (E.isLeft(recipient)) return recipient
    const { to } = recipient.right
    const price = await deps.priceOf(workspace, { ...message, to }, category)()
    if (E.isLeft(price)) return price
    const checked = checkTemplateRecipient(category ?? price.right.category, recipient.right)
    return E.isLeft(checked) ? checked : E.right({ sender: sender.right, to, price: price.right, template: template.right })
  }

const senderOf =
  ({ senders }: PrepareDeps, workspace: WorkspaceId): TE.TaskEither<PrepareError, Sender> =>
  async () => {
    const sender = await senders.senderOf(workspace)()
    if (E.isLeft(sender)) return sender
    return O.isNone(sender.right) ? E.left({ _tag: 'SenderNotConfigured' }) : E.right(sender.right.value)
  }

const windowClosed = (lastInbound: O.Option<Instant>): WindowClosed => ({
  _tag: 'WindowClosed',
  closedAt: pipe(lastInbound, O.map(closesAt), O.toUndefined),
})
