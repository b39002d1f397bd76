import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  askConsent, type AskDeps, type AskedConsent, consentRefusal, type ConsentRefusal, type CustomerOptedOut, findKnownIds,
  freeFormRefusal, withoutStop,
} from '../consent/asking.js'
import type { Consent } from '../consent/consent.js'
import { type CustomerId, customerOf, isUserId, type KnownId, type PhoneNumberRequired } from '../customers/customer.js'
import type { Customers } from '../customers/learn.js'
import { closesAt, isOpen, lastInboundOf, type WindowClock, type WindowClosed } from '../customers/window.js'
import type { PortFailure } from '../kernel/failure.js'
import type { InboxId, InboxOf, WorkspaceId } from '../kernel/ids.js'
import { type Category, categoryNamed, generalCategory } from '../kernel/money.js'
import type { Instant } from '../kernel/time.js'
import type { FreeFormMessage, Message, TemplateMessage } from '../messages/message.js'
import { type Pricing, pricedFor, type WorkspacePricing } from '../money/pricing.js'
import { priceOn, type PriceOf, type Rate } from '../money/rate-card.js'
import { type PortfolioLimits, portfolioOf, type PortfolioTaking } from '../messages/portfolio-budget.js'
import {
  inboxOf, type NoSender, requiredSender, type Sender, type SenderChoice, type SenderDirectory, type SenderId,
  type SenderLists,
} from '../senders/sender.js'
import type { TemplateCatalogue } from '../templates/catalogue.js'
import { previewOf, type TemplatePreview } from '../templates/parts.js'
import type { Template } from '../templates/template.js'
import { type ListedTemplates, preflight, type PreflightDeps, type PreflightRefusal } from '../templates/use-cases.js'

/** Starts the reads of a send immediately. The send itself evaluates their results. */
export type Prefetch = (wanted: Wanted) => Prefetched

/** Makes the function that starts the reads of a send. */
export const makePrefetch = (deps: PrefetchDeps): Prefetch => (wanted) =>
  ({ wanted, reads: (wanted.name === undefined ? FREE_FORM : TEMPLATE).read(deps, wanted) })

/** A message that may be paid for: its sender, the id that is sent to the platform, the price, and the catalogue's entry of its template. */
export type Prepared = {
  readonly sender: Sender
  readonly to: CustomerId
  readonly price: Rate
  readonly template: Template | undefined
  /** Whether the platform may know the customer by a number other than the one dialled. */
  readonly mayBeKnownAs?: boolean
  /** Whether it is sent through the platform's API for marketing messages. */
  readonly isMarketing?: boolean
  /** The portfolio in which it counts its customer, and the limit; absent if the window is open, or if the portfolio has no limit. */
  readonly portfolio?: Pick<PortfolioTaking, 'limit' | 'portfolio'>
}

/** Why no message of a workspace can be sent now. */
export type PrepareError = NoSender | PortFailure

/** What the reads of a send need. */
export type PrefetchDeps = {
  readonly senders: Pick<SenderDirectory, 'senderOf' | 'lastSenderOf'> & Partial<Pick<SenderLists, 'inboxesOf'>>
  readonly windowClock: Pick<WindowClock, 'freeForm' | 'now' | 'lastInbound'>
  /** The known customers; if absent, a customer is known by the given id alone. */
  readonly customers?: Pick<Customers, 'find' | 'needsLookup'>
  /** What customers allowed and stopped; if absent, nothing is asked. */
  readonly consents?: AskDeps['consents']
  /** The copy of the platform's templates; if absent, no template is known. */
  readonly templateCatalogue?: Pick<TemplateCatalogue, 'find'>
  /** How workspaces are priced; if absent, every workspace pays what `priceOf` returns. */
  readonly workspacePricing?: Pick<WorkspacePricing, 'pricingOf'>
  /** The limits of portfolios; if absent, there are none, and the window of a template is not read. */
  readonly portfolioLimits?: PortfolioLimits
}

/** The dependencies of checking and pricing a message. */
export type PrepareDeps = PreflightDeps & PrefetchDeps & {
  /** What a message costs. */
  readonly priceOf: PriceOf
}

/** The result of a read, or why it failed. */
export type Read<A> = E.Either<PortFailure, A>

/** The message that the reads are for: without `sender` it goes through the default sender. `name` is the name of its template; a free-form message has none. */
export type Wanted = {
  readonly workspace: WorkspaceId; readonly sender?: SenderId | undefined; readonly to: CustomerId; readonly name?: string
}

/** The results on which a message depends. */
export type Reads = FreeFormReads | TemplateReads

/** Reads that were started for a request before it was known whether the request is allowed. They are not used for any other message. */
export type Prefetched = { readonly wanted: Wanted; readonly reads: Promise<Reads> }

/** The differences between the kinds of messages. Everything else about a send and a quote is the same for all of them. */
type Kind<Of extends Message, Found extends Reads> = {
  /** Whether the customer service window must be open. */
  readonly needsWindow: boolean
  /** The name of the template that a message of this kind sends. With it, `prepare` knows whether the prefetched reads belong to this message; absent if the kind has none. */
  readonly nameOf: (message: Of) => string | undefined
  /** Reads everything that it depends on, in parallel. */
  readonly read: (deps: PrefetchDeps, wanted: Wanted) => Promise<Found>
  /** Checks and prices it with the results of the reads, in the order of refusals. */
  readonly judge: (deps: PrepareDeps, workspace: WorkspaceId, message: Of, found: Found) => Promise<E.Either<RefusalOf<Of>, Prepared>>
  /** The text that the customer would read, if a quote shows it. */
  readonly previewOf: (message: Of, prepared: Prepared) => TemplatePreview | undefined
}

/** Why a message is refused before its payment, by its kind. */
export type RefusalOf<Of extends Message> = Of extends TemplateMessage ? PrepareTemplateError
  : Of extends FreeFormMessage ? PrepareFreeFormError
  : never

/** A message, its workspace, and the sender that its request names. */
export type PrepareCommand<Of extends Message> = {
  readonly workspace: WorkspaceId; readonly sender?: SenderId | undefined; readonly message: Of
  /** Whether it is sent later, so that it does not matter if the customer service window is open now. */
  readonly isLater?: boolean
  /** The stop of the customer that the message answers; that stop does not forbid it. */
  readonly answers?: Consent
}

/** Checks and prices a message of any kind. Reads that were started for another message are not used. */
export const prepare = async <Of extends Message>(
  deps: PrepareDeps, { workspace, sender, message, isLater = false, answers }: PrepareCommand<Of>, prefetched?: Prefetched,
): Promise<E.Either<RefusalOf<Of>, Prepared>> => {
  const kind = kindOf(message)
  const name = kind.nameOf(message)
  const wanted: Wanted = { workspace, sender, to: message.to, ...(name !== undefined && { name }) }
  const isSame = prefetched?.wanted.workspace === workspace && prefetched.wanted.sender === sender
    && prefetched.wanted.to === wanted.to && prefetched.wanted.name === name
  const found = await (isSame ? prefetched.reads : kind.read(deps, wanted))
  const asked = answers === undefined ? found : { ...found, consent: E.map(withoutStop(answers))(found.consent) }
  return kind.judge(deps, workspace, message, isLater ? { ...asked, lastInbound: E.right(O.some(deps.windowClock.now())) } : asked)
}

/**
 * The recipient of a message: the id that is sent to the platform, whether the customer stopped marketing messages, and whether the platform may know the customer
 * by a number other than the one dialled.
 */
export type Recipient = { readonly to: CustomerId; readonly optedOut: boolean; readonly mayBeKnownAs: boolean }

/** The customer as named in the request; nothing else is looked up. */
const givenRecipient = (to: CustomerId): Recipient => ({ to, optedOut: false, mayBeKnownAs: false })

/**
 * The recipient of a message. The phone number is used if it is known, because the platform prefers it. Whoever stopped the marketing messages of one sender is
 * recorded in the workspace's own inbox too, and counts for all of them.
 */
const recipientIn = (to: CustomerId) => (known: ReadonlyArray<KnownId>): Recipient => {
  const [here, ...elsewhere] = known
  const { phoneNumber, ...customer } = here === undefined ? { phoneNumber: undefined, optedOut: false } : customerOf(to, here)
  const optedOut = customer.optedOut || elsewhere.some((one) => customerOf(to, one).optedOut)
  // The platform's answer also confirms a number that is its own number for the customer again, so that no late report brings the other number back.
  return isUserId(to)
    ? { to: phoneNumber ?? to, optedOut, mayBeKnownAs: false }
    : { to, optedOut, mayBeKnownAs: here?.own.knownAsAt !== undefined }
}

const readPricing = async (
  { workspacePricing }: PrefetchDeps, workspace: WorkspaceId,
): Promise<Read<O.Option<Pricing>>> => workspacePricing?.pricingOf(workspace) ?? E.right(O.none)

/** The rate of a message: what it costs, and the price that its workspace pays. */
const rateOf = async (
  { priceOf, windowClock }: PrepareDeps, workspace: WorkspaceId, message: Message, pricing: Read<O.Option<Pricing>>, category?: Category,
): Promise<E.Either<PortFailure, Rate>> => {
  if (E.isLeft(pricing)) return pricing
  const charged = await priceOf(workspace, message, category)
  return E.map((rate: Rate) =>
    pricedFor(O.toUndefined(pricing.right), rate, (card) => priceOn(card, message, category), windowClock.now()))(charged)
}

/** Why a free-form message cannot be sent now. */
export type PrepareFreeFormError = CustomerOptedOut | WindowClosed | PrepareError

/** The results on which a free-form message depends. */
export type FreeFormReads = {
  readonly lastInbound: Read<O.Option<Instant>>
  readonly sender: E.Either<PrepareError, Sender>
  readonly recipient: Read<Recipient>
  readonly consent: Read<AskedConsent>
  readonly pricing: Read<O.Option<Pricing>>
}

const judgeFreeForm = async (
  deps: PrepareDeps, workspace: WorkspaceId, message: FreeFormMessage,
  { lastInbound, sender, recipient, consent, pricing }: FreeFormReads,
): Promise<E.Either<PrepareFreeFormError, Prepared>> => {
  // There is no window at a sender that the workspace does not have, and of a sender that could not be read it is not known which window counts.
  if (E.isLeft(sender) && sender.left._tag !== 'SenderNotConfigured') return sender
  if (E.isLeft(consent)) return consent
  const refused = freeFormRefusal(consent.right)
  if (refused !== undefined) return E.left(refused)
  if (E.isLeft(lastInbound)) return lastInbound
  if (!isOpen(deps.windowClock.now(), lastInbound.right, deps.windowClock.freeForm)) return E.left(windowClosed(lastInbound.right))
  if (E.isLeft(sender)) return sender
  if (E.isLeft(recipient)) return recipient
  const { to, mayBeKnownAs } = recipient.right
  const price = await rateOf(deps, workspace, { ...message, to }, pricing)
  return E.isLeft(price)
    ? price
    : E.right({ sender: sender.right, to, price: price.right, template: undefined, ...(mayBeKnownAs && { mayBeKnownAs }) })
}

/** The customer is looked up for the window in any case, so one read serves both. */
const readForFreeForm = async (deps: PrefetchDeps, { workspace, sender: named, to }: Wanted): Promise<FreeFormReads> => {
  const read = (inbox: InboxId) => {
    const known = findKnownIds(deps.customers, { workspace, inbox }, to)
    return Promise.all([
      lastInboundOf(deps, inbox, to, (found) => isOpen(deps.windowClock.now(), found, deps.windowClock.freeForm)),
      known.then(E.map(recipientIn(to))), askConsent(deps, { workspace, inbox }, { to, known }, false),
    ])
  }
  const guess = guessSender(deps, { workspace, sender: named })
  const [sender, guessed, pricing] = await Promise.all([
    requiredSender(deps.senders, { workspace, sender: named }), guess && read(guess.inbox), readPricing(deps, workspace),
  ])
  const inbox = E.isRight(sender) ? inboxOf(workspace, sender.right) : guess?.inbox ?? workspace
  const [lastInbound, recipient, consent] = guessed !== undefined && guess?.inbox === inbox ? guessed : await read(inbox)
  return { lastInbound, sender, recipient, consent, pricing }
}

/** The sender that a request had the last time. The default sender of a workspace usually has the workspace's own inbox. */
const guessSender = (
  { senders }: PrefetchDeps, { workspace, sender }: SenderChoice,
): { readonly inbox: InboxId; readonly accountId?: string | undefined; readonly sender?: SenderId } | undefined =>
  senders.lastSenderOf?.(workspace, sender) ?? (sender === undefined ? { inbox: workspace } : undefined)

const windowClosed = (lastInbound: O.Option<Instant>): WindowClosed => ({
  _tag: 'WindowClosed',
  closedAt: pipe(lastInbound, O.map(closesAt), O.toUndefined),
})

/** Why a template cannot be sent now. */
export type PrepareTemplateError = PreflightRefusal | PhoneNumberRequired | ConsentRefusal | PrepareError

/** The results on which a template depends. */
export type TemplateReads = {
  readonly sender: E.Either<PrepareError, Sender>
  readonly recipient: TemplateRecipient
  readonly consent: Read<AskedConsent>
  /** The templates with its name in the business account that the sender last had; absent if the account is not remembered. */
  readonly listed: ListedTemplates | undefined
  readonly pricing: Read<O.Option<Pricing>>
  /** The limit of the sender's portfolio and the customer's window; absent if there is no limit. */
  readonly limited: PortfolioReads | undefined
}

/** The limit of a portfolio, and when the customer last wrote to the sender. */
export type PortfolioReads = { readonly limit: number; readonly lastInbound: Read<O.Option<Instant>> }

/** The recipient of a template, or, if `to` is a phone number, the result of `needsLookup`. */
export type TemplateRecipient = { readonly byUserId: Read<Recipient> } | { readonly needsLookup: Read<boolean> }

/** If the workspace has such customers, this is not looked up: the platform's answer is compared with the known data. */
const mayBeKnownAs = (found: TemplateRecipient): boolean =>
  'needsLookup' in found && E.isRight(found.needsLookup) && found.needsLookup.right

/** The customer service window matters only for the limit of the portfolio. A template of unknown category uses the ordinary API, because the marketing API accepts only marketing templates. */
const judgeTemplate = async (
  deps: PrepareDeps, workspace: WorkspaceId, message: TemplateMessage, found: TemplateReads,
): Promise<E.Either<PrepareTemplateError, Prepared>> => {
  const { sender, consent } = found
  if (E.isLeft(sender)) return sender
  const of = { workspace, inbox: inboxOf(workspace, sender.right) }
  const template = await preflight(deps, sender.right, message, found.listed)
  if (E.isLeft(template)) return template
  const category = template.right && categoryNamed(template.right.category)
  const recipient = await recipientOf(deps, of, message.to, category, found.recipient)
  if (E.isLeft(recipient)) return recipient
  const { to } = recipient.right
  const isMarketing = sender.right.marketingApi === true && category !== undefined && generalCategory(category) === 'marketing'
  const price = await rateOf(deps, workspace, { ...message, to }, found.pricing, isMarketing ? 'marketing_lite' : category)
  if (E.isLeft(price)) return price
  if (E.isLeft(consent)) return consent
  const refused = refusalOf(category ?? price.right.category, recipient.right, consent.right)
  if (refused !== undefined) return E.left(refused)
  const portfolio = countedIn(deps, sender.right, found.limited)
  if (E.isLeft(portfolio)) return portfolio
  return E.right({
    sender: sender.right, to, price: price.right, template: template.right,
    ...(mayBeKnownAs(found.recipient) && { mayBeKnownAs: true }), ...(isMarketing && { isMarketing }),
    ...(portfolio.right && { portfolio: portfolio.right }),
  })
}

/** Where a template counts its customer: only outside of the window, and only if the portfolio has a limit. */
const countedIn = (
  { windowClock }: PrepareDeps, sender: Sender, limited: PortfolioReads | undefined,
): E.Either<PortFailure, Prepared['portfolio']> =>
  limited === undefined ? E.right(undefined) : E.map((lastInbound: O.Option<Instant>) =>
    (isOpen(windowClock.now(), lastInbound, windowClock.freeForm)
      ? undefined
      : { portfolio: portfolioOf(sender), limit: limited.limit }))(limited.lastInbound)

/** Everything is read in parallel only if the business account is remembered. */
const readForTemplate = async (deps: PrefetchDeps, { workspace, sender: named, to, name = '' }: Wanted): Promise<TemplateReads> => {
  const guess = guessSender(deps, { workspace, sender: named })
  const accountId = guess?.accountId
  const [sender, guessed, pricing, found, guessedLimit] = await Promise.all([
    requiredSender(deps.senders, { workspace, sender: named }), guess && readRecipient(deps, { workspace, inbox: guess.inbox }, to),
    readPricing(deps, workspace), accountId === undefined ? undefined : deps.templateCatalogue?.find(accountId, name),
    guess?.sender && readLimited(deps, { workspace, inbox: guess.inbox }, guess.sender, to),
  ])
  const inbox = E.isRight(sender) ? inboxOf(workspace, sender.right) : guess?.inbox ?? workspace
  const isGuessed = guess?.inbox === inbox
  const [read, limited] = await Promise.all([
    guessed !== undefined && isGuessed ? guessed : readRecipient(deps, { workspace, inbox }, to),
    E.isLeft(sender) || (isGuessed && guess.sender === sender.right.phoneNumberId)
      ? guessedLimit
      : readLimited(deps, { workspace, inbox }, sender.right.phoneNumberId, to),
  ])
  return {
    sender, ...read, pricing, limited, listed: accountId === undefined || found === undefined ? undefined : { accountId, found },
  }
}

/** Reads the window of a customer, if the portfolio of the sender has a limit. */
const readLimited = async (
  deps: PrefetchDeps, { workspace, inbox }: InboxOf, sender: SenderId, to: CustomerId,
): Promise<PortfolioReads | undefined> => {
  const limit = await deps.portfolioLimits?.({ workspace, sender })
  if (limit === undefined) return undefined
  const { windowClock } = deps
  return { limit, lastInbound: await lastInboundOf(deps, inbox, to, (found) => isOpen(windowClock.now(), found, windowClock.freeForm)) }
}

/** Reads the data of the recipient that can be read before the template is known. */
const readRecipient = async (
  deps: PrefetchDeps, of: InboxOf, to: CustomerId,
): Promise<Pick<TemplateReads, 'recipient' | 'consent'>> => {
  const known = isUserId(to) ? findKnownIds(deps.customers, of, to) : undefined
  const [consent, recipient] = await Promise.all([
    askConsent(deps, of, { to, ...(known && { known }) }, true),
    known === undefined
      ? needsLookup(deps.customers, of).then((found) => ({ needsLookup: found }))
      : known.then((found) => ({ byUserId: E.map(recipientIn(to))(found) })),
  ])
  return { recipient, consent }
}

const needsLookup = async (customers: PrefetchDeps['customers'], { workspace, inbox }: InboxOf): Promise<Read<boolean>> => {
  if (customers === undefined) return E.right(false)
  const [here, elsewhere] = await Promise.all([
    customers.needsLookup(inbox), inbox === workspace ? E.right(false) : customers.needsLookup(workspace),
  ])
  return E.isLeft(here) || here.right ? here : elsewhere
}

/**
 * Finds the recipient of a template. For a phone number it only matters whether the customer stopped marketing messages. So nothing is looked up for another
 * category, nor in a workspace in which no customer has stopped them.
 */
const recipientOf = async (
  { customers }: PrefetchDeps, of: InboxOf, to: CustomerId, category: Category | undefined, known: TemplateRecipient,
): Promise<E.Either<PortFailure, Recipient>> => {
  if ('byUserId' in known) return known.byUserId
  if (category !== undefined && generalCategory(category) !== 'marketing') return E.right(givenRecipient(to))
  if (E.isLeft(known.needsLookup)) return known.needsLookup
  return known.needsLookup.right ? E.map(recipientIn(to))(await findKnownIds(customers, of, to)) : E.right(givenRecipient(to))
}

/** Why a template of a category cannot be sent to a recipient; `undefined` if it can. Only the customer can undo a choice in the app of the platform. */
const refusalOf = (
  charged: Category, { to, optedOut }: Recipient, consent: AskedConsent,
): PhoneNumberRequired | ConsentRefusal | undefined => {
  const category = generalCategory(charged)
  if (category === 'authentication' && isUserId(to)) return { _tag: 'PhoneNumberRequired' }
  return consentRefusal(consent, category)
    ?? (category === 'marketing' && optedOut ? { _tag: 'CustomerOptedOut', topic: 'marketing' } : undefined)
}

const FREE_FORM: Kind<FreeFormMessage, FreeFormReads> = {
  needsWindow: true, nameOf: () => undefined, read: readForFreeForm, judge: judgeFreeForm, previewOf: () => undefined,
}

const TEMPLATE: Kind<TemplateMessage, TemplateReads> = {
  needsWindow: false, nameOf: ({ name }) => name, read: readForTemplate, judge: judgeTemplate,
  previewOf: ({ components }, { template }) => template && previewOf(template, components),
}

/** The kind of each type of message. */
const KINDS = { Text: FREE_FORM, Content: FREE_FORM, Template: TEMPLATE } satisfies Record<Message['_tag'], unknown>

/** The kind of a message. */
export const kindOf = <Of extends Message>({ _tag }: Of): Kind<Of, Reads> => {
  const kind: object = KINDS[_tag]
  // The table has the kind of each type, but the compiler cannot infer this for an index.
  return kind as Kind<Of, Reads>
}
