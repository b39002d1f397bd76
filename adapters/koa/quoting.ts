import type { WindowClock } from '../../core/customers/window.js'
import type { QuoteTemplate, QuoteText } from '../../core/sending/quote.js'

/** The use cases that say what a send would cost. */
export type Quoting = { readonly quoteText: QuoteText; readonly quoteTemplate: QuoteTemplate }

/** What the quotes need. */
export type QuotingDeps = {
  readonly windowClock: Pick<WindowClock, 'now'>
  /** Without it there are no quotes. */
  readonly quoting?: Quoting
}

/** The use cases, of an app that serves quotes. */
export const requireQuoting = ({ quoting }: QuotingDeps): Quoting => {
  if (quoting === undefined) throw new TypeError('a quote is served without its use case')
  return quoting
}
