import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { lastInboundOf, type WindowView, windowView } from '../customers/window.js'
import { portFailure, type PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Category, formatMicros } from '../kernel/money.js'
import type { Instant } from '../kernel/time.js'
import type { Message } from '../messages/message.js'
import type { Ledger } from '../money/ledger.js'
import type { Rate } from '../money/rate-card.js'
import {
  checkSpending, type FreeMessages, type InsufficientBalance, type SendingKey, type SpendingLimitReached, spendingOf,
} from '../money/wallet.js'
import { inboxOf, type SenderId } from '../senders/sender.js'
import type { TemplatePreview } from '../templates/parts.js'
import { quotedRate } from './accept.js'
import { kindOf, prepare, type PrepareDeps, type RefusalOf } from './prepare.js'

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

/** The text of a template as a customer would read it, as JSON. */
export type PreviewView = {
  readonly header: string | null
  readonly body: string | null
  readonly footer: string | null
  readonly buttons: ReadonlyArray<string>
}

/** Shows a quote at a given time. */
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

/** The cost of a message if it was sent now. Nothing was sent, held or stored. */
export type Quote = {
  readonly price: Rate
  /** The available money of the wallet, in micros. */
  readonly available: bigint
  /** For a free-form message, when the customer last wrote; none for a message that needs no customer service window: a template, or any message on a network without one. */
  readonly lastInbound: O.Option<Instant> | undefined
  /** The text that the customer would read, if it is a template that the catalogue has. */
  readonly preview: TemplatePreview | undefined
}

/** Returns the cost of a message now, or why its send would be refused. Nothing is sent, held or stored. */
export type QuoteMessage = <Of extends Message>(command: QuoteCommand<Of>) => Promise<E.Either<QuoteError<Of>, Quote>>

/** A message as its send accepts it, and the API key that would send it, whose limit counts. */
export type QuoteCommand<Of extends Message = Message> = {
  readonly workspace: WorkspaceId
  /** The sender that the request names; if absent, the default sender. */
  readonly sender?: SenderId | undefined
  readonly message: Of
  readonly key?: SendingKey
}

/** How a quote can fail: like the send of the message before it calls the platform. */
export type QuoteError<Of extends Message = Message> = RefusalOf<Of> | FundsError

/** What a quote needs: everything that its send needs before the payment, the balance, and the spending of a key. */
export type QuoteDeps = PrepareDeps & {
  readonly ledger: Pick<Ledger, 'balance' | 'keySpending'>
  /** Where free messages are counted, if sends take them. */
  readonly freeMessages?: Pick<FreeMessages, 'taken'>
}

export const makeQuoteMessage =
  (deps: QuoteDeps): QuoteMessage =>
  async ({ workspace, sender, message, key }) => {
    const { needsWindow, previewOf } = kindOf(message)
    const prepared = await prepare(deps, { workspace, sender, message })
    if (E.isLeft(prepared)) return prepared
    const inbox = inboxOf(workspace, prepared.right.sender)
    const at = deps.windowClock.now()
    const price = await quotedRate(deps.freeMessages, prepared.right, at)
    if (E.isLeft(price)) return price
    const [available, allowed, lastInbound] = await Promise.all([
      fundsFor(deps, workspace, price.right), allowanceFor(deps, workspace, key, price.right, at),
      needsWindow && deps.windowClock.freeForm !== 'always' ? lastInboundOf(deps, inbox, message.to) : E.right(undefined),
    ])
    if (E.isLeft(available)) return available
    if (E.isLeft(allowed)) return allowed
    if (E.isLeft(lastInbound)) return lastInbound
    return E.right({
      price: price.right, available: available.right, lastInbound: lastInbound.right, preview: previewOf(message, prepared.right),
    })
  }

/** Why the wallet cannot pay, or may not pay for the key. */
export type FundsError = InsufficientBalance | SpendingLimitReached | PortFailure

/** The available money of a workspace's wallet, in micros. It fails if `Wallet.hold` would fail for this price. */
const fundsFor = async (
  { ledger }: Pick<QuoteDeps, 'ledger'>, workspace: WorkspaceId, { micros: required, currency }: Rate,
): Promise<E.Either<InsufficientBalance | PortFailure, bigint>> => {
  const balance = await ledger.balance(workspace)
  if (E.isLeft(balance)) return balance
  if (O.isNone(balance.right)) return E.left(walletFailure('the workspace has no wallet'))
  const wallet = balance.right.value
  if (wallet.currency !== currency) return E.left(walletFailure(`the price is in ${currency}, the wallet in ${wallet.currency}`))
  return wallet.available < required ? E.left({ _tag: 'InsufficientBalance', required, ...wallet }) : E.right(wallet.available)
}

/** It fails if `Wallet.hold` would fail because of the key's limit. */
const allowanceFor = async (
  { ledger }: Pick<QuoteDeps, 'ledger'>, workspace: WorkspaceId, sendingKey: SendingKey | undefined, amount: Rate, at: Instant,
): Promise<E.Either<SpendingLimitReached | PortFailure, void>> => {
  const spending = spendingOf(sendingKey)
  if (spending === undefined) return E.right(undefined)
  const { key, limit } = spending
  const spent = await ledger.keySpending(workspace, [key], at)
  return E.isLeft(spent) ? spent : checkSpending({ amount, limit, spent: spent.right.get(key) ?? 0n, at })
}

const walletFailure = portFailure('Wallet')
