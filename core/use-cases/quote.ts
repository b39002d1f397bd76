import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { portFailure, type InsufficientBalance, type PortFailure } from '../errors.js'
import type { Ledger } from '../ports/ledger.js'
import type { Rate } from '../rate-card.js'
import type { TemplatePreview } from '../template-preview.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import type { PrepareDeps } from './prepare.js'

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
export const fundsFor =
  ({ ledger }: QuoteDeps, workspace: WorkspaceId, { micros: required, currency }: Rate): TE.TaskEither<QuoteError, bigint> =>
  async () => {
    const balance = await ledger.balance(workspace)()
    if (E.isLeft(balance)) return balance
    if (O.isNone(balance.right)) return E.left(walletFailure('the workspace has no wallet'))
    const wallet = balance.right.value
    if (wallet.currency !== currency) return E.left(walletFailure(`the price is in ${currency}, the wallet in ${wallet.currency}`))
    return wallet.available < required ? E.left({ _tag: 'InsufficientBalance', required, ...wallet }) : E.right(wallet.available)
  }

const walletFailure = portFailure('Wallet')
