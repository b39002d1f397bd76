import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { lastInboundOf, type WindowView, windowView } from '../customers/window.js'
import { portFailure, type PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Category, formatMicros } from '../kernel/money.js'
import type { Instant } from '../kernel/time.js'
import { templateMessage } from '../messages/message.js'
import type { Ledger } from '../money/ledger.js'
import type { Rate } from '../money/rate-card.js'
import type { FreeMessages, InsufficientBalance } from '../money/wallet.js'
import { previewOf, type TemplatePreview } from '../templates/parts.js'
import { quotedRate } from './books.js'
import { type PrepareDeps, prepareTemplate, type PrepareTemplateError, prepareText, type PrepareTextError } from './prepare.js'
import type { SendTemplateCommand, SendTextCommand } from './send.js'

/** A quote as JSON; amounts are decimal strings. */
export type QuoteView = {
  readonly price: string
  readonly currency: string
  readonly category: Category
  readonly market: string | null
  readonly available: string
  readonly available_after: string
  readonly window: WindowView | null
  readonly preview: PreviewView | null
}

/** What a customer would read of a template, as JSON. */
export type PreviewView = {
  readonly header: string | null
  readonly body: string | null
  readonly footer: string | null
  readonly buttons: ReadonlyArray<string>
}

/** Shows a quote at a moment. */
export const quoteView = (now: Instant, { price, available, lastInbound, preview }: Quote): QuoteView => ({
  price: formatMicros(price.micros),
  currency: price.currency,
  category: price.category,
  market: price.market ?? null,
  available: formatMicros(available),
  available_after: formatMicros(available - price.micros),
  window: lastInbound === undefined ? null : windowView(now, lastInbound),
  preview: preview === undefined ? null : previewView(preview),
})

const previewView = ({ header, body, footer, buttons }: TemplatePreview): PreviewView => ({
  header: header ?? null, body: body ?? null, footer: footer ?? null, buttons,
})

/** What a message would cost if it was sent now. Nothing was sent, held or stored. */
export type Quote = {
  readonly price: Rate
  /** What the wallet can spend, in micros. */
  readonly available: bigint
  /** When the customer last wrote, of a text; a template needs no customer service window. */
  readonly lastInbound: O.Option<Instant> | undefined
  /** What the customer would read, of a template that the catalogue has. */
  readonly preview: TemplatePreview | undefined
}

/** How every quote can fail, besides what the send of the message would be refused for before its payment. */
export type QuoteError = InsufficientBalance | PortFailure
/** What a quote needs: what its send needs before the payment, and the balance. */
export type QuoteDeps = PrepareDeps & { readonly ledger: Pick<Ledger, 'balance'> }

/** What the wallet of a workspace can spend, in micros. It fails where `Wallet.hold` would for this price. */
export const fundsFor = async ({ ledger }: QuoteDeps, workspace: WorkspaceId, { micros: required, currency }: Rate): Promise<E.Either<QuoteError, bigint>> => {
  const balance = await ledger.balance(workspace)
  if (E.isLeft(balance)) return balance
  if (O.isNone(balance.right)) return E.left(walletFailure('the workspace has no wallet'))
  const wallet = balance.right.value
  if (wallet.currency !== currency) return E.left(walletFailure(`the price is in ${currency}, the wallet in ${wallet.currency}`))
  return wallet.available < required ? E.left({ _tag: 'InsufficientBalance', required, ...wallet }) : E.right(wallet.available)
}

const walletFailure = portFailure('Wallet')

/** Says what a text would cost now, or why its send would be refused. Nothing is sent, held or stored. */
export type QuoteText = (command: QuoteTextCommand) => Promise<E.Either<QuoteTextError, Quote>>

/** A text as its send takes it. */
export type QuoteTextCommand = Omit<SendTextCommand, 'idempotencyKey' | 'along' | 'ahead'>
/** Why the text would be refused before the platform is asked. */
export type QuoteTextError = PrepareTextError | QuoteError
/** What the quote of a text needs. */
export type QuoteTextDeps = QuoteDeps & {
  /** Where free messages are counted, where the sends take them. */
  readonly freeMessages?: Pick<FreeMessages, 'taken'>
}

export const makeQuoteText =
  (deps: QuoteTextDeps): QuoteText =>
  async ({ workspace, to, text }) => {
    const prepared = await prepareText(deps, workspace, { _tag: 'Text', to, text })
    if (E.isLeft(prepared)) return prepared
    const price = await quotedRate(deps.freeMessages, prepared.right, deps.windowClock.now())
    if (E.isLeft(price)) return price
    const [available, lastInbound] = await Promise.all([fundsFor(deps, workspace, price.right), lastInboundOf(deps, workspace, to)])
    if (E.isLeft(available)) return available
    if (E.isLeft(lastInbound)) return lastInbound
    return E.right({ price: price.right, available: available.right, lastInbound: lastInbound.right, preview: undefined })
  }

/** Says what a template would cost now and what the customer would read, or why its send would be refused. Nothing is sent, held or stored. */
export type QuoteTemplate = (command: QuoteTemplateCommand) => Promise<E.Either<QuoteTemplateError, Quote>>

/** A template as its send takes it. */
export type QuoteTemplateCommand = Omit<SendTemplateCommand, 'idempotencyKey' | 'along' | 'ahead'>
/** Why the template would be refused before the platform is asked. */
export type QuoteTemplateError = PrepareTemplateError | QuoteError
/** What the quote of a template needs. */
export type QuoteTemplateDeps = QuoteDeps

export const makeQuoteTemplate =
  (deps: QuoteTemplateDeps): QuoteTemplate =>
  async ({ workspace, ...template }) => {
    const message = templateMessage(template)
    const prepared = await prepareTemplate(deps, workspace, message)
    if (E.isLeft(prepared)) return prepared
    const { price, template: known } = prepared.right
    const available = await fundsFor(deps, workspace, price)
    if (E.isLeft(available)) return available
    const preview = known && previewOf(known, message.components)
    return E.right({ price, available: available.right, lastInbound: undefined, preview })
  }
