import type { ComponentChildren, VNode } from 'preact'
import type { LimitUse } from '../../../../core/batches/limit-use.js'
import { readableAccount } from '../../../../core/senders/sender.js'
import { written } from '../../chart.js'
import { type Part, PartsBar } from '../../parts-bar.js'
import { TEXTS } from '../../texts.js'
import { titleOf } from '../batches/batches-section.js'
import type { Numbers } from './names.js'

const { numbers: texts } = TEXTS

/** How many characters of the id of a business account distinguish it from the others of a workspace. */
const SHOWN_OF_ID = 6

/** The lowest limit of new customers of some numbers that share it. */
export const limitOf = (numbers: Numbers): number | 'unlimited' | undefined => {
  const limits = numbers.flatMap(({ number }) => number?.customersPerDay ?? [])
  const counts = limits.filter((limit) => limit !== 'unlimited')
  return counts.length > 0 ? Math.min(...counts) : limits[0]
}

/** The business account of some numbers, by the end of its id. */
export const accountNameOf = (numbers: Numbers): string => {
  const account = accountOf(numbers)
  return account === undefined ? texts.ofNoAccount : texts.ofAccount(account.slice(-SHOWN_OF_ID))
}

const accountOf = (numbers: Numbers): string | undefined =>
  numbers.map(({ sender }) => readableAccount(sender)).find((known) => known !== undefined)

/** The numbers of a business account under the limit that they share, with what uses it: of every workspace that sends through the account. */
export const Portfolio = ({ numbers, use, id, children }: {
  readonly numbers: Numbers
  /** What batches use of the limit, if that is known. */
  readonly use: LimitUse | undefined
  /** The id of its title in the page. */
  readonly id: string
  /** The table of the numbers. */
  readonly children: ComponentChildren
}): VNode => {
  const limit = limitOf(numbers)
  const used = numbers.map(({ customersUsed }) => customersUsed).find((known) => known !== undefined)
  return (
    <section class="card portfolio" aria-labelledby={id}>
      <header>
        <div class="heading">
          <h2 id={id} title={accountOf(numbers)}>{accountNameOf(numbers)}</h2>
          <span class="soft">{texts.share(numbers.length)}</span>
          <p><Reached used={used} limit={limit} /></p>
        </div>
        {used !== undefined && typeof limit === 'number' && (
          <PartsBar
            label={texts.limit}
            parts={[...usersOf(used, use), { look: 'waiting', name: texts.free, size: Math.max(0, limit - used) }]}
          />
        )}
      </header>
      {children}
    </section>
  )
}

/** The parts of a limit that are used: by batches, if there are any, and by everything else. The counts are read one after another, so that the second may be ahead. */
const usersOf = (
  used: number, { batches, others }: Pick<LimitUse, 'batches' | 'others'> = { batches: [], others: 0 },
): ReadonlyArray<Part> => {
  const ofBatches = [
    ...batches.map(({ batch, customers }) => ({ look: 'delivered', name: texts.ofBatch(titleOf(batch)), size: customers })),
    { look: 'delivered', name: texts.otherBatches, size: others },
  ].filter(({ size }) => size > 0)
  const left = Math.max(0, used - ofBatches.reduce((sum, { size }) => sum + size, 0))
  return [...ofBatches, { look: 'read', name: ofBatches.length === 0 ? texts.reached : texts.everythingElse, size: left }]
}

const Reached = ({ used, limit }: { readonly used: number | undefined; readonly limit: ReturnType<typeof limitOf> }): VNode => {
  if (limit === undefined) return <span class="soft">{texts.limitNotKnown}</span>
  if (limit === 'unlimited') return <span class="soft">{texts.noLimit}</span>
  return used === undefined ? <>{texts.upTo(written(limit))}</> : <><strong>{written(used)}</strong> {texts.ofLimit(written(limit))}</>
}
