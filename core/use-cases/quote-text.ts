import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { FreeMessages } from '../ports/free-messages.js'
import { lastInboundOf } from '../window.js'
import { quotedRate } from './free-message.js'
import { prepareText, type PrepareTextError } from './prepare-text.js'
import { fundsFor, type Quote, type QuoteDeps, type QuoteError } from './quote.js'
import type { SendTextCommand } from './send-text.js'

/** Says what a text would cost now, or why its send would be refused. Nothing is sent, held or stored. */
export type QuoteText = (command: QuoteTextCommand) => TE.TaskEither<QuoteTextError, Quote>

/** A text as its send takes it. */
export type QuoteTextCommand = Omit<SendTextCommand, 'idempotencyKey' | 'along' | 'ahead'>
/** Why the text would be refused before the platform is asked. */
export type QuoteTextError = PrepareTextError | QuoteError
/** What the quote of a text needs. */
export type QuoteTextDeps = QuoteDeps & {
  /** Where free messages are counted, where the sends take them. */
  readonly freeMessages?: Pick<FreeMessages, 'taken'>
}

/** Makes the use case of what it needs. */
export const makeQuoteText =
  (deps: QuoteTextDeps): QuoteText =>
  ({ workspace, to, text }) =>
  async () => {
    const prepared = await prepareText(deps, workspace, { _tag: 'Text', to, text })()
    if (E.isLeft(prepared)) return prepared
    const price = await quotedRate(deps.freeMessages, prepared.right, deps.windowClock.now())()
    if (E.isLeft(price)) return price
    const [available, lastInbound] = await Promise.all([fundsFor(deps, workspace, price.right)(), lastInboundOf(deps, workspace, to)()])
    if (E.isLeft(available)) return available
    if (E.isLeft(lastInbound)) return lastInbound
    return E.right({ price: price.right, available: available.right, lastInbound: lastInbound.right, preview: undefined })
  }
