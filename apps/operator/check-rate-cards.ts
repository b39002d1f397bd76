import type { Instant } from '../../core/kernel/time.js'
import { cardAt, hasBegun, type RateCards } from '../../core/money/rate-card.js'
import { type CheckResult, passed } from './check-result.js'

/** Says which of several rate cards counts now, and warns if the day of every card is still to come. */
export const checkRateCards = (cards: RateCards, now: Instant): CheckResult => {
  const card = cardAt(cards, now)
  if (!hasBegun(card, now)) return passed('rate card', `WARNING, its prices hold from ${card.effective} and count already, since there is no earlier card; add one`)
  const next = cards.map(({ effective }) => effective).filter((day) => day > card.effective).sort()[0]
  const until = next === undefined ? '' : ` until that of ${next}`
  return passed('rate card', cards.length === 1 ? undefined : `that of ${card.effective} counts${until}`)
}
