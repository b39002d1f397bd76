import type { VNode } from 'preact'
import { DAY_MS } from '../../../../core/kernel/time.js'
import type { PortfolioDay } from '../../../../core/messages/portfolio-budget.js'
import { StackedBars, written } from '../../chart.js'
import { writeDays } from '../../language.js'
import { TEXTS } from '../../texts.js'
import { typedMoment } from '../../zone.js'
import type { Numbers } from './names.js'
import { accountNameOf, limitOf } from './portfolio.js'

const { numbers: texts } = TEXTS

/** How many new customers counted on each of the last days, at most, under the limit of a business account. The last day is today. */
export const LimitDays = ({ numbers, days, base }: {
  readonly numbers: Numbers
  readonly days: ReadonlyArray<PortfolioDay>
  /** The address of the workspace. */
  readonly base: string
}): VNode => {
  const [limit, account] = [limitOf(numbers), accountNameOf(numbers)]
  const nameOf = (day: number, index: number): string => (index === days.length - 1 ? texts.today : writeDays(day, day))
  return (
    <section class="card panel" aria-labelledby="limit-days">
      <div class="heading"><h2 id="limit-days">{texts.limit}</h2><span class="soft">{account}</span></div>
      <StackedBars
        id="limit-bars" label={texts.daysOf(account)} hasSums={false} endsNamed
        series={[{ key: 'others', name: texts.everythingElse }, { key: 'batches', name: texts.batches }]}
        bars={days.map(({ day, customers, ofBatches }, index) => ({
          name: nameOf(day, index), tick: nameOf(day, index), values: { others: customers - ofBatches, batches: ofBatches },
          href: `${base}/messages?${new URLSearchParams([
            ['from', typedMoment(day)], ...(index === days.length - 1 ? [] : [['before', typedMoment(day + DAY_MS)]]),
          ]).toString()}`,
        }))}
        limit={typeof limit === 'number' ? { value: limit, name: texts.limitLine(written(limit)) } : undefined}
        table={{ summary: texts.asTable, name: texts.day, total: texts.reached, before: '', hint: texts.howDaysCount }}
      />
    </section>
  )
}
