import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import { SECOND_MS } from '../../../../core/kernel/time.js'
import type { OwnErrorCode } from '../../../../core/messages/own-errors.js'
import {
  type Attention, type Failures, type Figures as PartFigures, lastsMsOf, MAX_WINDOWS, type Overview, OVERVIEW_RANGES, type OverviewRange,
  STATE_GROUPS, totalOf,
} from '../../../../core/overview.js'
import type { HeldMessages } from '../../../../core/sending/show-queue.js'
import type { SenderId, UnknownSender } from '../../../../core/senders/sender.js'
import { Spark, StackedBars, written } from '../../chart.js'
import { failurePage } from '../../failure-page.js'
import { NEW_MESSAGE } from '../../navigation.js'
import { inWorkspace, type InWorkspace, liveIn, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Icon } from '../../icons.js'
import { dateFormat, numberFormat } from '../../language.js'
import { writeMoney } from '../../money.js'
import { capitalised, Empty, Heading, Live, Money, OPEN_PANEL, Stat, Stats, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { meaningOf, wordFor } from '../../words.js'
import { currentDays, typedMoment } from '../../zone.js'
import { NOT_SENT } from '../messages/message-filters.js'
import { type Departures, MessageTable, type Names, readDepartures, readNames, shortErrorOf } from '../messages/message-table.js'
import {
  areSeveral, chosenNumber, filterByNumber, nameIn, NumberChips, type Numbers, type NumbersDeps, readNumbers,
} from '../numbers/names.js'
import { HeldLine } from '../queue/queue-parts.js'
import { Setup } from './setup.js'
import type { UsesOf } from '../../gateway.js'

const { overview: texts, queue: queueTexts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace'
const FIRST_RANGE: OverviewRange = '24h'

/** The counts change at most every 15 seconds, and a reading contains all templates of the account. */
const READ_EVERY_MS = 5 * SECOND_MS

/** The dependencies of these pages. */
export type OverviewSection = UsesOf<'customers'> & UsesOf<'overview'> & NumbersDeps & Pick<UsesOf<'messages'>, 'filterBySender'> & {
  /** The queue; absent if the storage has none. */
  readonly queue?: Pick<UsesOf<'queue'>, 'countHeld' | 'departuresOf'> | undefined
}

/** The state of a workspace: messages, money, and problems that need attention. */
export const overviewPages = (deps: PageDeps, section: OverviewSection): ReadonlyArray<Page> => [{
  path: PATH,
  get: inWorkspace(deps, 'workspace.view', async (page) => {
    const shown = await readShown(section, page)
    return E.isLeft(shown) ? failurePage(shown.left, page.signedIn) : workspacePage(page, {
      title: sections.overview,
      firstAct: NEW_MESSAGE,
      content: (
        <>
          {chosenNumber(page) === undefined && isAllowed(page.signedIn.principal, 'sender.assign', page.workspace) && (
            <Setup page={page} setup={shown.right.overview.setup} />
          )}
          <Live address={addressOf(page)}><Shown {...shown.right} /></Live>
        </>
      ),
    })
  }),
  live: liveIn(deps, 'workspace.view', async (page) => ({
    _tag: 'Live',
    key: addressOf(page),
    everyMs: READ_EVERY_MS,
    read: async () => E.map((shown: Shown) => <Shown {...shown} />)(await readShown(section, page)),
  })),
}]

const rangeOf = ({ request: { query } }: InWorkspace): OverviewRange =>
  OVERVIEW_RANGES.find((range) => range === query.get('range')) ?? FIRST_RANGE

/** Whether the chart shows the spend instead of the messages. */
const isSpendIn = ({ request: { query } }: InWorkspace): boolean => query.get('chart') === 'spend'

/** What the page shows, as its address says it. */
type View = { readonly path: string; readonly range: OverviewRange; readonly isSpend: boolean; readonly sender: SenderId | undefined }

const addressFor = ({ path, range, isSpend, sender }: View): string =>
  `${path}?range=${range}${isSpend ? '&chart=spend' : ''}${withSender('&', sender)}`

const viewOf = (page: InWorkspace): View =>
  ({ path: page.request.path, range: rangeOf(page), isSpend: isSpendIn(page), sender: chosenNumber(page) })

const addressOf = (page: InWorkspace): string => addressFor(viewOf(page))

type Shown = View & {
  readonly overview: Overview; readonly names: Names; readonly departures: Departures; readonly numbers: Numbers
  readonly currency: string; readonly held: HeldMessages | undefined
}


const readShown = async (section: OverviewSection, page: InWorkspace): Promise<E.Either<UnknownSender | PortFailure, Shown>> => {
  const { workspace: { id: workspace, currency } } = page
  const sender = await filterByNumber(section, page)
  if (E.isLeft(sender)) return sender
  const [overview, numbers] = await Promise.all([
    section.showOverview({ workspace, range: rangeOf(page), days: currentDays(), sender: sender.right }), readNumbers(section, workspace),
  ])
  if (E.isLeft(overview)) return overview
  const { latest } = overview.right
  const [names, departures, held] = await Promise.all([
    readNames(section.nameCustomers, latest), readDepartures(section, workspace, latest),
    section.queue?.countHeld(workspace) ?? E.right(undefined),
  ])
  if (E.isLeft(names)) return names
  if (E.isLeft(departures)) return departures
  return E.map((messages: HeldMessages | undefined) => ({
    ...viewOf(page), overview: overview.right, names: names.right, departures: departures.right, numbers, currency, held: messages,
  }))(held)
}

/** Problems that need attention come first; the rest covers the range. */
const Shown = ({ overview, names, departures, numbers, currency, held, ...view }: Shown): VNode => {
  const { attention, latest, isPastMissing } = overview
  const { path, isSpend, sender } = view
  return (
    <>
      {(attention.length > 0 || held !== undefined) && (
        <NeedsAttention attention={attention} held={held} numbers={numbers} path={path} currency={currency} />
      )}
      <div class="over">
        <div class="bar">
          <Ranges {...view} />
          <NumberChips numbers={numbers} chosen={sender} hrefOf={(chosen) => addressFor({ ...view, sender: chosen })} />
        </div>
        {attention.length === 0 && held === undefined && (
          <p class="soft"><span aria-hidden="true" class="good">✓ </span>{texts.nothingWrong}</p>
        )}
      </div>
      <Figures overview={overview} path={path} currency={currency} sender={sender} />
      <div class="beside">
        <section class="card panel" aria-labelledby="chart-heading">
          <div class="heading">
            <h2 id="chart-heading">{isSpend ? texts.spendOverTime : texts.messagesByState}</h2>
            {overview.total.micros > 0n && <Switch {...view} />}
          </div>
          {isSpend
            ? <SpendChart overview={overview} path={path} currency={currency} sender={sender} />
            : <Chart overview={overview} path={path} sender={sender} />}
        </section>
        {totalOf(overview.total) > 0 && <Why overview={overview} path={path} sender={sender} />}
      </div>
      {isPastMissing && <p class="note">{texts.pastMissing}</p>}
      {latest.length > 0 && (
        <>
          <Heading title={texts.latest} href={`${path}/messages${withSender('?', sender)}`} more={texts.allMessages} />
          <MessageTable messages={latest} names={names} departures={departures} />
        </>
      )}
    </>
  )
}

/** One chart at a time, so that the latest messages are in view. */
const Switch = (view: View): VNode => (
  <nav class="ranges" aria-label={texts.charted}>
    <ul>
      {[false, true].map((each) => (
        <li key={String(each)}>
          <a href={addressFor({ ...view, isSpend: each })} {...(each === view.isSpend && { 'aria-current': 'true' })}>
            {each ? texts.spend : texts.messages}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

const Ranges = (view: View): VNode => (
  <nav class="ranges" aria-label={texts.range}>
    <ul>
      {OVERVIEW_RANGES.map((each) => (
        <li key={each}>
          <a href={addressFor({ ...view, range: each })} {...(each === view.range && { 'aria-current': 'true' })}>{texts.ranges[each]}</a>
        </li>
      ))}
    </ul>
  </nav>
)

/** With a chosen number, the balance is left out, because the wallet is that of all numbers. */
const Figures = ({ overview, path, currency, sender }: Pick<Shown, 'overview' | 'path' | 'currency' | 'sender'>): VNode => {
  const { range, parts, total, shares, before, balance, scheduled, rates, openWindows, from, isPastMissing } = overview
  // Zero may be wrong while the counts from before an upgrade are still being made.
  const isCounting = isPastMissing && totalOf(total) === 0
  const than = texts.before[range]
  const points = shares === undefined || before?.shares === undefined ? undefined : (shares.delivered - before.shares.delivered) * 100
  return (
    <Stats>
      <Stat
        name={texts.messages} value={isCounting ? texts.beingCounted : written(totalOf(total))} href={listPath({ path, sender }, from)}
        spark={<Spark values={parts.map(totalOf)} />}
      >
        <Change now={totalOf(total)} before={before?.messages} than={than} />
      </Stat>
      <Stat
        name={texts.delivered} value={isCounting ? texts.beingCounted : share(shares?.delivered)}
        spark={<Spark values={parts.map((part) => part.shares?.delivered)} />}
      >
        {points !== undefined && Math.abs(points) >= 0.05 && (
          <><b class={points > 0 ? 'good' : 'bad'}>{texts.points(signed(points))}</b> · </>
        )}
        {shares !== undefined && texts.alsoRead(share(shares.read))}
      </Stat>
      <Stat
        name={texts.spend} value={isCounting ? texts.beingCounted : <Money micros={total.micros} currency={currency} />}
        href={`${path}/wallet/spend${withSender('?', sender)}`} spark={<Spark values={parts.map(({ micros }) => Number(micros))} />}
      >
        <Change now={Number(total.micros)} before={before && Number(before.micros)} than={than} />
      </Stat>
      {balance !== undefined && sender === undefined && (
        <Stat name={texts.available} value={<Money micros={balance.available} currency={currency} />} href={`${path}/wallet`}>
          <Lasts rates={rates} />{balance.held > 0n && <> · {texts.held(writeMoney(balance.held, currency))}</>}
          {scheduled > 0n && <> · {texts.scheduled(writeMoney(scheduled, currency))}</>}
        </Stat>
      )}
      <Stat
        name={texts.openWindows} value={openWindows > MAX_WINDOWS ? texts.moreThan(written(MAX_WINDOWS)) : written(openWindows)}
        href={`${path}/customers`}
      >{texts.mayGetText}</Stat>
    </Stats>
  )
}

/** If a figure is more than this many times the previous one, no change is shown: there was hardly anything before. */
const MAX_TIMES = 10

/** The change of a figure from the previous period; nothing if there was no previous figure. */
const Change = ({ now, before, than }: {
  readonly now: number
  readonly before: number | undefined
  readonly than: string
}): VNode | null =>
  (before === undefined || before === 0 || now / before > MAX_TIMES ? null : <><b>{signed(((now - before) / before) * 100)} %</b> {than}</>)

/** A number with its sign, with a decimal if that is significant. */
const signed = (value: number): string => {
  const rounded = Math.abs(value) < 10 ? Math.round(value * 10) / 10 : Math.round(value)
  return `${rounded < 0 ? '\u2212' : rounded > 0 ? '+' : ''}${written(Math.abs(rounded))}`
}

/** How long the balance lasts: the earlier of the two, because it is about running out. */
export const Lasts = ({ rates: { day, week } }: { readonly rates: Overview['rates'] }): VNode | null => {
  const lasts = lastsMsOf({ day, week })
  const hint = texts.lastsHint(
    ...([day, week].map(({ lastsMs }) => (lastsMs === undefined ? texts.nothing : texts.duration(lastsMs))) as [string, string]),
  )
  return lasts === undefined ? null : <span title={hint}>{texts.lasts(texts.duration(lasts))}</span>
}

const PERCENT = numberFormat({ minimumFractionDigits: 1 })

const share = (part: number | undefined): string => (part === undefined ? texts.nothing : `${PERCENT().format(Math.floor(part * 1_000) / 10)} %`)

/** The list of the messages of a period; without an end it lasts until now. */
const listPath = (
  { path, sender }: Listed, from: number, before?: number, more: ReadonlyArray<readonly [string, string]> = [],
): string => {
  const parameters: Array<readonly [string, string]> = [
    ['from', minuteOf(from)], ...(before === undefined ? [] : [['before', minuteOf(before)] as const]), ...more,
    ...(sender === undefined ? [] : [['sender', sender] as const]),
  ]
  return `${path}/messages?${new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString()}`
}

/** The messages to which figures lead. */
type Listed = Pick<View, 'path' | 'sender'>

/** The parameter of the chosen number in an address. */
const withSender = (before: '?' | '&', sender: SenderId | undefined): string =>
  (sender === undefined ? '' : `${before}sender=${encodeURIComponent(sender)}`)

const minuteOf = (at: number): string => new Date(at).toISOString().slice(0, 16) + 'Z'

type Charted = Pick<Shown, 'overview' | 'path' | 'sender'>

const [writeDate, writeDay] = [
  dateFormat({ day: 'numeric', month: 'short', year: 'numeric' }), dateFormat({ day: 'numeric', month: 'short' }),
]
const writeTime = dateFormat({ hour: '2-digit', minute: '2-digit' })

/** The bars of a range, each with a link to its messages. */
const barsOf = <Key extends string>(
  { overview: { range, parts }, path, sender }: Charted, valuesOf: (part: Overview['parts'][number]) => Readonly<Record<Key, number>>,
  beforeOf: (before: PartFigures) => number,
) => parts.map((part, index) => ({
  before: part.before && beforeOf(part.before),
  isNewDay: index > 0 && range !== '30d' && range !== '90d' && writeDate(part.start) !== writeDate(parts[index - 1]?.start ?? 0),
  name: range === '1h' || range === '24h' || range === '7d' || typedMoment(part.start).slice(11) !== '00:00'
    ? `${writeDate(part.start)}, ${writeTime(part.start)}`
    : writeDate(part.start),
  tick: range === '1h' || range === '24h' ? writeTime(part.start) : writeDay(part.start),
  values: valuesOf(part),
  href: listPath({ path, sender }, part.start, part.end),
}))

const tableTexts = () => ({
  summary: texts.asTable, name: texts.beginning, total: texts.all, before: texts.earlier, hint: texts.howCounted,
})

const Chart = ({ overview, path, sender }: Charted): VNode =>
  (totalOf(overview.total) === 0 ? <Empty sentence={overview.isPastMissing ? texts.pastMissing : texts.none} icon="messages" /> : (
    <StackedBars
      id="states" label={texts.chart(texts.ranges[overview.range])} series={STATE_GROUPS.map((key) => ({ key, name: texts.groups[key] }))}
      table={tableTexts()} bars={barsOf({ overview, path, sender }, ({ messages }) => messages, totalOf)}
    />
  ))

const SpendChart = ({ overview, path, currency, sender }: Charted & Pick<Shown, 'currency'>): VNode => (
  <StackedBars
    id="spend" label={texts.spendChart(texts.ranges[overview.range])} series={[{ key: 'spend', name: texts.spend }]} table={tableTexts()}
    bars={barsOf({ overview, path, sender }, ({ micros }) => ({ spend: Number(micros) }), ({ micros }) => Number(micros))}
    write={(micros) => writeMoney(BigInt(Math.round(micros)), currency)}
  />
)

const REASONS_SHOWN = 5

/** Why messages were not delivered, the most frequent reason first, with the fix and a link to the messages. */
const Why = ({ overview: { failures, from }, path, sender }: Charted): VNode => (
  <section class="card panel" aria-labelledby="why-heading">
    {failures.reasons.length === 0
      ? <h2 id="why-heading">{texts.why}</h2>
      : (
        <Heading
          id="why-heading" title={texts.why} more={texts.allFailed}
          href={listPath({ path, sender }, from, undefined, [['state', NOT_SENT]])}
        />
      )}
    {failures.reasons.length === 0
      ? <p class="soft">{texts.whyNone}</p>
      : <Reasons
          failures={failures}
          hrefOf={(code) =>
            listPath({ path, sender }, from, undefined, code === undefined ? [['state', NOT_SENT]] : [['error', String(code)]])}
        />}
    {failures.isPartial && <p class="hint">{texts.whyPart}</p>}
  </section>
)

/** A reason in a few words; an unknown code is named as one. */
const reasonIn = (code: number | OwnErrorCode): string => {
  const short = shortErrorOf(code)
  return short === String(code) ? texts.code(code) : capitalised(short)
}

const Reasons = ({ failures: { reasons }, hrefOf }: {
  readonly failures: Failures
  readonly hrefOf: (code: Failures['reasons'][number]['code']) => string
}): VNode => {
  const most = reasons[0]?.messages ?? 1
  return (
    <ul class="reasons">
      {reasons.slice(0, REASONS_SHOWN).map(({ code, messages }) => {
        const meaning = meaningOf(code)
        return (
          <li key={code}>
            <a href={hrefOf(code)}>
              <span title={meaning?.means}>{code === undefined ? texts.noCode : reasonIn(code)}</span>
              <strong>{written(messages)}</strong>
            </a>
            <p class="hint">{meaning === undefined ? texts.codeTodo : meaning.fix}</p>
            <svg class="share" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">
              <rect width={Math.max(2, Math.round((messages / most) * 100))} height={3} />
            </svg>
          </li>
        )
      })}
    </ul>
  )
}

const NeedsAttention = ({ attention, held, numbers, path, currency }: {
  readonly attention: ReadonlyArray<Attention>
  readonly held: HeldMessages | undefined
  readonly numbers: Numbers
  readonly path: string
  readonly currency: string
}): VNode => (
  <section aria-label={texts.attention}>
    <ul class="attention-list">
      {held !== undefined && (
        <HeldLine held={held} title={queueTexts.isHeld} href={`${path}/queue`} act={queueTexts.show} />
      )}
      {attention.map((one, index) => {
        const { sentence, end, act } = sentenceOf(one, numbers, currency)
        return <li key={index}><Icon name="alert" /><div>{sentence}</div><a href={`${path}${end}`}>{act}</a></li>
      })}
    </ul>
  </section>
)

/** The number that a sentence is about, if the workspace has several. */
const OfNumber = ({ numbers, id }: { readonly numbers: Numbers; readonly id: SenderId }): VNode | null =>
  (areSeveral(numbers) ? <><strong>{nameIn(numbers, id)}</strong>: </> : null)

/** A problem, and the page that fixes it: its name, and the end of its address. */
const sentenceOf = (
  one: Attention, numbers: Numbers, currency: string,
): { readonly sentence: VNode; readonly end: string; readonly act: string } => {
  switch (one._tag) {
    case 'NoSender': return { sentence: <>{texts.noSender}</>, end: `/sender?${OPEN_PANEL}`, act: texts.setSender }
    case 'SenderFailing': return {
      sentence: <><OfNumber numbers={numbers} id={one.sender} />{texts.senderFailing} <Time at={one.since} />.</>,
      end: `/sender/${one.sender}`, act: texts.openSender,
    }
    case 'SenderUnreadable': return {
      sentence: <><OfNumber numbers={numbers} id={one.sender} />{texts.senderUnreadable}</>,
      end: `/sender/${one.sender}`, act: texts.openSender,
    }
    case 'AccountRefused': return {
      sentence: <><OfNumber numbers={numbers} id={one.sender} />{texts.accountRefused} <Time at={one.since} />. {texts.notShared}</>,
      end: `/sender/${one.sender}`, act: texts.openSender,
    }
    case 'EndpointFailing': return {
      sentence: <>{texts.endpointFailing(one.url)} <Time at={one.since} />.</>, end: `/endpoints/${one.id}`, act: texts.openEndpoints,
    }
    case 'EndpointDisabled': return {
      sentence: <>{texts.endpointDisabled(one.url)}</>, end: `/endpoints/${one.id}`, act: texts.openEndpoints,
    }
    case 'WalletExhausted': return {
      sentence: <>{texts.walletExhausted} <Time at={one.since} />.</>, end: '/wallet', act: texts.openWallet,
    }
    case 'WalletLow': return {
      sentence: <>{texts.walletLow(one.threshold === undefined ? '' : writeMoney(one.threshold, currency))} <Time at={one.since} />.</>,
      end: '/wallet', act: texts.openWallet,
    }
    case 'OutcomeUnknown': return {
      sentence: <>{texts.outcomeUnknown(written(one.messages), one.isMore)} <Time at={one.since} />.</>, end: '/messages?state=unconfirmed',
      act: texts.resolve,
    }
    case 'TemplatesStopped': return {
      sentence: (
        <>
          {texts.templatesStopped} {one.templates.map(({ name, language, status }) => `${name} (${language}, ${wordFor('statuses', status)})`).join(', ')}
          {one.more > 0 && texts.andMore(one.more)}.
        </>
      ),
      end: '/templates', act: texts.openTemplates,
    }
  }
}
