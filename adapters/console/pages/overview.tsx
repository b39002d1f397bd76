import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { SECOND_MS } from '../../../core/kernel/time.js'
import {
  type Attention, MOST_WINDOWS, type Overview, OVERVIEW_RANGES, type OverviewRange, type ShowOverview, type SpendRate, STATE_GROUPS, totalOf,
} from '../../../core/overview.js'
import { StackedBars, written } from '../chart.js'
import { failurePage } from '../failure-page.js'
import { NEW_MESSAGE } from '../navigation.js'
import { inWorkspace, type InWorkspace, liveIn, type Page, type PageDeps, workspacePage } from '../page.js'
import { Icon } from '../icons.js'
import { writeMoney } from '../money.js'
import { Empty, Live, Money, Panel, Stat, Stats, Time } from '../parts.js'
import { TEXTS } from '../texts.js'

const { overview: texts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace'
const FIRST_RANGE: OverviewRange = '24h'

/** The counts change every 15 seconds at most, and a reading has all templates of the account. */
const READ_EVERY_MS = 5 * SECOND_MS

/** What the overview needs. */
export type OverviewSection = { readonly showOverview: ShowOverview }

/** How a workspace is doing: messages, money, and what needs attention. */
export const overviewPages = (deps: PageDeps, { showOverview }: OverviewSection): ReadonlyArray<Page> => [{
  path: PATH,
  get: inWorkspace(deps, 'workspace.view', async (page) => {
    const range = rangeOf(page)
    const shown = await showOverview({ workspace: page.workspace.id, range })
    return E.isLeft(shown) ? failurePage(shown.left, page.signedIn) : workspacePage(page, {
      title: sections.overview,
      firstAct: NEW_MESSAGE,
      content: (
        <>
          <Ranges path={page.request.path} range={range} />
          <Live address={addressOf(page)}><Shown overview={shown.right} path={page.request.path} currency={page.workspace.currency} /></Live>
        </>
      ),
    })
  }),
  live: liveIn(deps, 'workspace.view', async (page) => ({
    _tag: 'Live',
    key: addressOf(page),
    everyMs: READ_EVERY_MS,
    read: async () => E.map((overview: Overview) => <Shown overview={overview} path={page.request.path} currency={page.workspace.currency} />)(
      await showOverview({ workspace: page.workspace.id, range: rangeOf(page) }),
    ),
  })),
}]

const rangeOf = ({ request: { query } }: InWorkspace): OverviewRange => OVERVIEW_RANGES.find((range) => range === query.get('range')) ?? FIRST_RANGE

const addressOf = (page: InWorkspace): string => `${page.request.path}?range=${rangeOf(page)}`

const Ranges = ({ path, range }: { readonly path: string; readonly range: OverviewRange }): VNode => (
  <nav class="ranges" aria-label={texts.range}>
    <ul>
      {OVERVIEW_RANGES.map((each) => (
        <li key={each}><a href={`${path}?range=${each}`} {...(each === range && { 'aria-current': 'true' })}>{texts.ranges[each]}</a></li>
      ))}
    </ul>
  </nav>
)

const Shown = ({ overview, path, currency }: { readonly overview: Overview; readonly path: string; readonly currency: string }): VNode => (
  <>
    <NeedsAttention attention={overview.attention} path={path} currency={currency} />
    <Figures overview={overview} currency={currency} />
    <Panel id="chart-heading" title={texts.messagesByState}>
      <Chart overview={overview} />
      <p class="hint">{texts.howCounted}</p>
    </Panel>
    {overview.isPastMissing && <p class="note">{texts.pastMissing}</p>}
  </>
)

const Figures = ({ overview: { total, shares, balance, rates, openWindows }, currency }: { readonly overview: Overview; readonly currency: string }): VNode => (
  <Stats>
    <Stat name={texts.messages} value={written(totalOf(total))} />
    <Stat name={texts.delivered} value={share(shares?.delivered)}>{texts.ofAccepted}</Stat>
    <Stat name={texts.read} value={share(shares?.read)}>{texts.ofAccepted}</Stat>
    <Stat name={texts.openWindows} value={openWindows > MOST_WINDOWS ? texts.moreThan(written(MOST_WINDOWS)) : written(openWindows)}>{texts.mayGetText}</Stat>
    <Stat name={texts.spend} value={<Money micros={total.micros} currency={currency} />} />
    {balance !== undefined && <Stat name={texts.balance} value={<Money micros={balance.available} currency={currency} />}>{texts.held(writeMoney(balance.held, currency))}</Stat>}
    <Stat name={texts.lasts} value={lasting(rates.day)}>{texts.atWeek(lasting(rates.week))}</Stat>
  </Stats>
)

const share = (part: number | undefined): string => (part === undefined ? texts.nothing : `${(Math.floor(part * 1_000) / 10).toFixed(1)} %`)

const lasting = ({ lastsMs }: SpendRate): string => (lastsMs === undefined ? texts.nothing : texts.duration(lastsMs))

const Chart = ({ overview: { range, parts, total } }: { readonly overview: Overview }): VNode => {
  if (totalOf(total) === 0) return <Empty sentence={texts.none} icon="messages" />
  return (
    <StackedBars
      label={texts.chart(texts.ranges[range])}
      series={STATE_GROUPS.map((key) => ({ key, name: texts.groups[key] }))}
      bars={parts.map(({ start, messages }) => ({ name: moment(start), tick: range === '1h' || range === '24h' ? moment(start).slice(11, 16) : moment(start).slice(5, 10), values: messages }))}
      table={{ summary: texts.asTable, name: texts.beginning, total: texts.all }}
    />
  )
}

const moment = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')

const NeedsAttention = ({ attention, path, currency }: { readonly attention: ReadonlyArray<Attention>; readonly path: string; readonly currency: string }): VNode => (
  <section aria-labelledby="attention-heading">
    <h2 id="attention-heading">{texts.attention}</h2>
    {attention.length === 0 ? <p><span aria-hidden="true" class="good">✓ </span>{texts.nothingWrong}</p> : (
      <ul class="attention-list">{attention.map((one, index) => <li key={index}><Icon name="alert" /><div><Sentence one={one} path={path} currency={currency} /></div></li>)}</ul>
    )}
  </section>
)

const Sentence = ({ one, path, currency }: { readonly one: Attention; readonly path: string; readonly currency: string }): VNode => {
  switch (one._tag) {
    case 'NoSender': return <><a href={`${path}/sender`}>{sections.sender}</a>: {texts.noSender}</>
    case 'SenderFailing': return <><a href={`${path}/sender`}>{sections.sender}</a>: {texts.senderFailing} <Time at={one.since} />.</>
    case 'AccountRefused': return <><a href={`${path}/sender`}>{sections.sender}</a>: {texts.accountRefused} <Time at={one.since} />. {texts.notShared}</>
    case 'EndpointFailing': return <><a href={`${path}/endpoints`}>{sections.endpoints}</a>: {texts.endpointFailing(one.url)} <Time at={one.since} />.</>
    case 'EndpointDisabled': return <><a href={`${path}/endpoints`}>{sections.endpoints}</a>: {texts.endpointDisabled(one.url)}</>
    case 'WalletExhausted': return <><a href={`${path}/wallet`}>{sections.wallet}</a>: {texts.walletExhausted} <Time at={one.since} />.</>
    case 'WalletLow': return (
      <><a href={`${path}/wallet`}>{sections.wallet}</a>: {texts.walletLow(one.threshold === undefined ? '' : writeMoney(one.threshold, currency))} <Time at={one.since} />.</>
    )
    case 'TemplatesStopped': return (
      <>
        <a href={`${path}/templates`}>{sections.templates}</a>: {texts.templatesStopped}{' '}
        {one.templates.map(({ name, language, status }) => `${name} (${language}, ${status})`).join(', ')}{one.more > 0 && texts.andMore(one.more)}.
      </>
    )
  }
}
