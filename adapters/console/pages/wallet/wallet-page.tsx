import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { Principal } from '../../../../core/kernel/actor.js'
import type { Balance } from '../../../../core/kernel/money.js'
import type { Instant } from '../../../../core/kernel/time.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import type { OpenHold } from '../../../../core/money/ledger.js'
import type { LatestMovements } from '../../../../core/money/statement.js'
import { type MonthSpend, spendSum } from '../../../../core/money/use-cases.js'
import type { ScheduledMoney } from '../../../../core/messages/queue.js'
import type { AlertState } from '../../../../core/money/wallet.js'
import type { Overview } from '../../../../core/overview.js'
import { written } from '../../chart.js'
import { Icon } from '../../icons.js'
import { dateFormat } from '../../language.js'
import { writeMoney } from '../../money.js'
import { capitalised, Facts, Money, Panel, SidePanel, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'
import { Lasts } from '../workspaces/overview.js'
import { Latest } from './statement.js'
import { nameOfMonth } from './wallet-month.js'
import { HOLDS_SHOWN, MoneyForm, type ShownForm, WalletTabs } from './wallet-parts.js'

const { wallet: texts } = TEXTS

const writeMonth = dateFormat({ month: 'long', timeZone: 'UTC' })

type Shown = {
  readonly path: string
  readonly principal: Principal
  readonly workspace: Workspace
  /** The panel that the address opens. */
  readonly opened: string | null
  readonly balance: Balance
  readonly scheduled: ScheduledMoney
  readonly rates: Overview['rates']
  readonly alerts: AlertState | undefined
  /** The oldest open holds, up to one more than are shown. */
  readonly holds: ReadonlyArray<OpenHold>
  readonly latest: LatestMovements
  /** The current month, and the previous ones. */
  readonly months: ReadonlyArray<MonthSpend>
  readonly isCounting: boolean
  readonly now: Instant
  readonly shownForm: ShownForm | undefined
}

/** The wallet: the available money, its latest movements, and the current month. */
export const WalletPage = (shown: Shown): VNode => {
  const { path, principal, workspace, opened: asked, balance, scheduled, alerts, latest, months, isCounting, now, shownForm } = shown
  const opened = shownForm?.name ?? (asked === 'adjust' ? 'adjust' : asked === null ? undefined : 'top-up')
  const { currency } = balance
  const [present] = months
  return (
    <>
      {alerts?.exhaustedSince !== undefined && <p class="note bad">{texts.exhausted} <Time at={alerts.exhaustedSince} />.</p>}
      {alerts?.lowSince !== undefined && <p class="note bad">{texts.low} <Time at={alerts.lowSince} />.</p>}
      <div class="over">
        <div>
          <p class="figure"><Money micros={balance.available} currency={currency} /></p>
          <p class="soft"><About {...shown} /></p>
        </div>
        <Documents path={path} workspace={workspace} months={months} />
      </div>
      {isAllowed(principal, 'wallet.top_up', workspace) && opened === 'top-up' && (
        <SidePanel id="top-up" title={texts.topUp} close={path}>
          <p class="soft">{texts.topUpHint}</p>
          <MoneyForm path={path} name="top-up" title={texts.topUp} shown={shownForm} />
        </SidePanel>
      )}
      {isAllowed(principal, 'wallet.adjust', workspace) && opened === 'adjust' && (
        <SidePanel id="adjust" title={texts.adjust} close={path}>
          <p class="soft">{texts.adjustHint}</p>
          <MoneyForm path={path} name="adjust" title={texts.adjust} shown={shownForm} />
        </SidePanel>
      )}
      <WalletTabs path={path} current="statement" />
      <div class="beside">
        <div class="latest"><Latest latest={latest} path={path} currency={currency} now={now} /></div>
        <div>
          {present !== undefined && <ThisMonth month={present} path={path} currency={currency} isCounting={isCounting} />}
          <Panel id="balance" title={texts.balance}>
            <Facts facts={[
              [texts.available, <Money micros={balance.available} currency={currency} />],
              [texts.held, <Money micros={balance.held} currency={currency} />],
              [texts.total, <strong><Money micros={balance.available + balance.held} currency={currency} /></strong>],
              ...(scheduled.all === 0n ? [] : [[texts.scheduled, <Scheduled {...scheduled} currency={currency} />] as const]),
              [
                texts.threshold,
                alerts?.threshold === undefined ? texts.noThreshold : <Money micros={alerts.threshold} currency={currency} />,
              ],
            ]} />
            <p><a href={`${path}/books`}>{texts.checkBooks}</a></p>
          </Panel>
        </div>
      </div>
    </>
  )
}

/** The money on hold, and for how many messages; a hold of a batch is shared by messages that are not counted. */
const heldInWords = (amount: string, holds: ReadonlyArray<OpenHold>): string => {
  if (holds.some(({ batch }) => batch !== undefined)) return texts.heldInAll(amount)
  return holds.length > HOLDS_SHOWN ? texts.heldForMore(amount, HOLDS_SHOWN) : texts.heldFor(amount, holds.length)
}

/** The price of the messages that are sent later, and the part of it that is due soon. */
const Scheduled = ({ all, soon, currency }: ScheduledMoney & { readonly currency: string }): VNode => (
  <>
    <Money micros={all} currency={currency} />
    {soon > 0n && <span class="soft"> {texts.scheduledSoon(writeMoney(soon, currency))}</span>}
  </>
)

/** What the figure is, the money on hold, and how long the money lasts. */
const About = ({ path, balance: { held, currency }, scheduled, holds, rates }: Shown): VNode => (
  <>
    {texts.isAvailable}
    {held > 0n && (
      <>
        {' · '}
        <a href={`${path}/books#holds`}>
          {heldInWords(writeMoney(held, currency), holds)}
        </a>
      </>
    )}
    {scheduled.all > 0n && <>{' · '}{texts.scheduledInAll(writeMoney(scheduled.all, currency))}</>}
    {(rates.day.lastsMs ?? rates.week.lastsMs) !== undefined && <>{' · '}<Lasts rates={rates} /></>}
  </>
)

/** The statement of the last month, if the workspace existed then, and the entries of this month as a file. */
const Documents = ({ path, workspace, months: [present, last] }: Pick<Shown, 'path' | 'workspace' | 'months'>): VNode => (
  <div class="acts">
    {last !== undefined && workspace.createdAt < last.end && (
      <a class="button plain" href={`${path}/months/${nameOfMonth(last)}`}>
        <Icon name="print" />{texts.statementFor(writeMonth(last.start))}
      </a>
    )}
    {present !== undefined && (
      <a class="button plain" href={`${path}/statement.csv?${new URLSearchParams([['from', `${nameOfMonth(present)}-01Z`]]).toString()}`}>
        <Icon name="download" />{texts.csv}
      </a>
    )}
  </div>
)

/** The cost of the messages of the current month. */
const ThisMonth = ({ month, path, currency, isCounting }: {
  readonly month: MonthSpend; readonly path: string; readonly currency: string; readonly isCounting: boolean
}): VNode => {
  const total = spendSum(month.categories)
  const name = texts.monthSoFar(capitalised(writeMonth(month.start)))
  return (
    <Panel id="this-month" title={<a href={`${path}/months/${nameOfMonth(month)}`}>{name}</a>}>
      {total.messages === 0 ? <p class="soft">{isCounting ? TEXTS.overview.pastMissing : texts.spendNothing}</p> : (
        <Facts facts={[
          ...month.categories.map(({ category, messages, micros }) => [
            capitalised(wordFor('categories', category)),
            micros === 0n ? <span class="soft">{texts.free(written(messages))}</span> : <Money micros={micros} currency={currency} />,
          ] as const),
          [<strong>{texts.total}</strong>, <strong><Money micros={total.micros} currency={currency} /></strong>],
        ]} />
      )}
    </Panel>
  )
}
