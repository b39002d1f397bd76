import type { VNode } from 'preact'
import { closesAt, WINDOW_MS } from '../../../../core/customers/window.js'
import { HOUR_MS, type Instant, MINUTE_MS } from '../../../../core/kernel/time.js'
import { State } from '../../parts.js'
import { TEXTS } from '../../texts.js'

const { customers: texts } = TEXTS

/** How long the window that a customer's message opened stays open, in whole minutes. */
export const TimeLeft = ({ lastInbound, now }: { readonly lastInbound: Instant; readonly now: Instant }): VNode => {
  const left = closesAt(lastInbound) - now
  if (left <= 0) return <State text={texts.closed} tone="quiet" />
  const minutes = Math.ceil(left / MINUTE_MS)
  const words = texts.hours(Math.floor((minutes * MINUTE_MS) / HOUR_MS), minutes % 60)
  return <span class="left"><meter min={0} max={WINDOW_MS / MINUTE_MS} value={minutes} aria-label={words} /> {words}</span>
}
