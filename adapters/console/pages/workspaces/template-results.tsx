import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import { DAY_MS, type Instant, UTC_DAYS } from '../../../../core/kernel/time.js'
import {
  pricePerReply, type ResultPart, RESULTS_CSV_HEADER, resultsCsvLines, type ResultWidth, type ShownResults, type ShowTemplateResults,
  type TemplateFigures, templateResultsView,
} from '../../../../core/templates/results.js'
import type { Answer } from '../../answer.js'
import { StackedBars, written } from '../../chart.js'
import { failurePage } from '../../failure-page.js'
import { Icon } from '../../icons.js'
import { numberFormat, writeDays } from '../../language.js'
import { writeMoney } from '../../money.js'
import type { InWorkspace } from '../../page.js'
import { Empty, Facts, Stat, Stats, Table } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { typedMoment } from '../../zone.js'

const { results: texts } = TEXTS

/** The periods of the page: their days, and the width of their parts. Each begins with a whole day, that of weeks with a whole week. */
export const PERIODS = {
  week: { days: 7, by: 'day' }, month: { days: 28, by: 'day' }, quarter: { days: 84, by: 'week' },
} as const satisfies Readonly<Record<string, { readonly days: number; readonly by: ResultWidth }>>

type Period = keyof typeof PERIODS

const NAMES = Object.keys(PERIODS) as ReadonlyArray<Period>

/** The dependencies of showing results. */
export type ResultsDeps = { readonly showResults: ShowTemplateResults; readonly now: () => Instant }

/** What a page about results shows, as its address says it. */
type View = { readonly template: string; readonly language: string | undefined; readonly period: Period }

const viewOf = ({ request: { params, query } }: InWorkspace): View => ({
  template: params['name'] ?? '', language: query.get('language') || undefined,
  period: NAMES.find((name) => name === query.get('period')) ?? 'month',
})

/** The first of January 1970 was a Thursday, so weeks that begin on Monday are four days off. */
const WEEK_MS = 7 * DAY_MS
const FIRST_MONDAY = 4 * DAY_MS

const queryOf = ({ template, language, period }: View, now: Instant) => {
  const { days, by } = PERIODS[period]
  const lastPart = by === 'day' ? UTC_DAYS.startOf(now) : now - ((now - FIRST_MONDAY) % WEEK_MS)
  const partMs = by === 'day' ? DAY_MS : WEEK_MS
  return { template, language, by, from: lastPart + partMs - days * DAY_MS, to: now + 1 }
}

/** The results of a period, and the figures of the time before it, which was as long. */
type Compared = ShownResults & { readonly before: TemplateFigures | undefined }

/** Reads the results that the address of a page names. None: the workspace has no wallet. */
export const readResults = async (
  { showResults, now }: ResultsDeps, page: InWorkspace,
): Promise<E.Either<PortFailure, O.Option<Compared>>> => {
  const query = queryOf(viewOf(page), now())
  const [shown, earlier] = await Promise.all([
    showResults(page.workspace.id, query),
    showResults(page.workspace.id, { ...query, from: query.from - (query.to - query.from), to: query.from }),
  ])
  if (E.isLeft(shown)) return shown
  return E.map((before: O.Option<ShownResults>) =>
    O.map((results: ShownResults) => ({ ...results, before: O.toUndefined(before)?.total }))(shown.right))(earlier)
}

/** The results as a file. */
export const resultsCsv = async (deps: ResultsDeps, page: InWorkspace): Promise<Answer> => {
  const query = queryOf(viewOf(page), deps.now())
  const shown = await deps.showResults(page.workspace.id, query)
  if (E.isLeft(shown)) return failurePage(shown.left, page.signedIn)
  if (O.isNone(shown.right)) return failurePage({ _tag: 'NotFound' }, page.signedIn)
  const lines = [RESULTS_CSV_HEADER, ...resultsCsvLines(templateResultsView(query, shown.right.value))]
  return { _tag: 'Csv', name: 'results.csv', parts: inOrder(lines) }
}

async function* inOrder(lines: ReadonlyArray<string>): AsyncGenerator<string> {
  yield* lines
}

/** The results of the template of a page; `languages` are those in which it exists, and `base` is the address of the workspace. */
export const Results = ({ page, base, languages, results }: {
  readonly page: InWorkspace; readonly base: string; readonly languages: ReadonlyArray<string>; readonly results: Compared
}): VNode => {
  const view = viewOf(page)
  const { total, before, parts, currency } = results
  const path = page.request.path
  return (
    <section aria-labelledby="results-heading">
      <div class="over">
        <h2 id="results-heading">{texts.title}</h2>
        <div class="acts">
          <Periods path={path} view={view} page={page} />
          <a class="button plain" href={addressOf(`${path}/results.csv`, view, page)}><Icon name="download" />{texts.csv}</a>
        </div>
      </div>
      {languages.length > 1 && <Languages path={path} view={view} page={page} languages={languages} />}
      {total.sent === 0 ? <Empty sentence={texts.none} icon="templates" /> : (
        <>
          <Funnel total={total} before={before} />
          <div class="beside">
            <section class="card panel" aria-labelledby="results-chart-heading">
              <h2 id="results-chart-heading">{texts.byPart[PERIODS[view.period].by]}</h2>
              <Chart base={base} view={view} parts={parts} />
            </section>
            <Money total={total} before={before} currency={currency} />
          </div>
          <details class="behind">
            <summary>{texts.allFigures}</summary>
            <Figures view={view} parts={parts} currency={currency} />
          </details>
        </>
      )}
      <p class="hint">{texts.howCounted}</p>
    </section>
  )
}

const addressOf = (path: string, { language, period }: View, { request: { query } }: InWorkspace): string => {
  const sender = query.get('sender')
  const parameters = [
    ['period', period], ...(language === undefined ? [] : [['language', language]]), ...(sender === null ? [] : [['sender', sender]]),
  ].map(([name = '', value = '']) => [name, value])
  return `${path}?${new URLSearchParams(parameters).toString()}`
}

type Choosing = { readonly path: string; readonly view: View; readonly page: InWorkspace }

const Periods = ({ path, view, page }: Choosing): VNode => (
  <nav class="ranges" aria-label={texts.period}>
    <ul>
      {NAMES.map((period) => (
        <li key={period}>
          <a href={addressOf(path, { ...view, period }, page)} {...(period === view.period && { 'aria-current': 'true' })}>
            {texts.periods[period]}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

const Languages = ({ path, view, page, languages }: Choosing & { readonly languages: ReadonlyArray<string> }): VNode => (
  <nav class="bar" aria-label={texts.language}><div class="chips">
    {[undefined, ...languages].map((language) => (
      <a
        key={language ?? ''} href={addressOf(path, { ...view, language }, page)}
        {...(language === view.language && { 'class': 'active', 'aria-current': 'true' })}
      >
        {language ?? texts.everyLanguage}
      </a>
    ))}
  </div></nav>
)

const PERCENT = numberFormat({ style: 'percent', maximumFractionDigits: 1 })
const FINE_PERCENT = numberFormat({ style: 'percent', maximumFractionDigits: 2 })

const shareOf = (part: number, whole: number, format = PERCENT): string => format().format(part / Math.max(1, whole))

type Figured = { readonly total: TemplateFigures; readonly before: TemplateFigures | undefined }

const SIGNED_PERCENT = numberFormat({ style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' })

/** How a figure has changed since the time before; `undefined` if there was none. */
const changeOf = (now: number, before: number | undefined): string | undefined =>
  (before === undefined || before === 0 ? undefined : texts.change(SIGNED_PERCENT().format(now / before - 1).replace('-', '\u2212')))

/** The steps from a sent message to a reply, each with its share of the step before, over shapes whose height is the share of what was sent. */
const Funnel = ({ total: { sent, delivered, read, replied }, before }: Figured): VNode => {
  const height = (count: number): number => Math.max(6, Math.round((count / Math.max(1, sent)) * 100))
  const steps = [[sent, delivered], [delivered, read], [read, replied], [replied, replied]].map(([from = 0, to = 0]) =>
    [height(from), height(to)] as const)
  const shape = (step: number) => (
    <svg class="funnel" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path class={`step-${step}`} d={`M0 ${100 - (steps[step]?.[0] ?? 0)}L100 ${100 - (steps[step]?.[1] ?? 0)}V100H0Z`} />
    </svg>
  )
  return (
    <Stats>
      <Stat name={texts.sent} value={written(sent)} spark={shape(0)}>{changeOf(sent, before?.sent) ?? texts.accepted}</Stat>
      <Stat name={texts.delivered} value={written(delivered)} spark={shape(1)}>{texts.ofSent(shareOf(delivered, sent))}</Stat>
      <Stat name={texts.read} value={written(read)} spark={shape(2)}>{texts.ofDelivered(shareOf(read, delivered))}</Stat>
      <Stat name={texts.replied} value={written(replied)} spark={shape(3)}>{texts.ofDelivered(shareOf(replied, delivered))}</Stat>
    </Stats>
  )
}

/** Averages have four decimals at most. */
const average = (micros: bigint | undefined): bigint | undefined => (micros === undefined ? undefined : ((micros + 50n) / 100n) * 100n)

const Money = ({ total, before, currency }: Figured & { readonly currency: string }): VNode => {
  const [perReply, earlier] = [pricePerReply(total), before && pricePerReply(before)]
  const change = perReply === undefined || earlier === undefined ? undefined : changeOf(Number(perReply), Number(earlier))
  const perDelivery = total.delivered === 0 ? undefined : total.micros / BigInt(total.delivered)
  const amount = (micros: bigint | undefined): string => (micros === undefined ? '–' : writeMoney(micros, currency))
  return (
    <section class="card panel" aria-labelledby="results-price">
      <dl class="priced">
        <dt id="results-price">{texts.pricePerReply}</dt><dd><strong>{amount(average(perReply))}</strong></dd>
        {change !== undefined && <dd class="hint">{change}</dd>}
      </dl>
      <Facts facts={[
        [texts.spent, amount(total.micros)], [texts.pricePerDelivery, amount(average(perDelivery))],
        [texts.stopped, `${written(total.optedOut)} · ${shareOf(total.optedOut, total.delivered, FINE_PERCENT)}`],
        [texts.failed, `${written(total.failed)} · ${shareOf(total.failed, total.sent)}`],
      ]} />
    </section>
  )
}

/** The name of a part; the last one is the current one. */
const nameOf = ({ from, to }: ResultPart, isLast: boolean, by: ResultWidth): string =>
  (isLast ? texts.current[by] : writeDays(from, by === 'day' ? from : to - 1))

const Chart = ({ base, view, parts }: {
  readonly base: string; readonly view: View; readonly parts: ReadonlyArray<ResultPart>
}): VNode => {
  const { by } = PERIODS[view.period]
  return (
    <StackedBars
      id="results" label={texts.chart(view.template)}
      series={[
        { key: 'read', name: texts.read }, { key: 'unread', name: texts.unread }, { key: 'failed', name: texts.failed, isBad: true },
      ]}
      bars={parts.map((part, index) => ({
        name: nameOf(part, index === parts.length - 1, by),
        tick: index === parts.length - 1 ? texts.current[by] : writeDays(part.from, part.from),
        values: { read: part.read, unread: part.sent - part.failed - part.read, failed: part.failed },
        href: `${base}/messages?${new URLSearchParams([
          ['from', typedMoment(part.from)], ...(index === parts.length - 1 ? [] : [['before', typedMoment(part.to)]]),
          ['template', view.template],
        ]).toString()}`,
      }))}
      endsNamed table={{ summary: texts.asTable, name: texts.from, total: texts.sent, before: '', hint: texts.days }}
    />
  )
}

const Figures = ({ view, parts, currency }: {
  readonly view: View; readonly parts: ReadonlyArray<ResultPart>; readonly currency: string
}): VNode => {
  const { by } = PERIODS[view.period]
  const columns = [texts.sent, texts.delivered, texts.read, texts.failed, texts.replied, texts.stopped, texts.spent, texts.pricePerReply]
  return (
    <Table label={texts.allFigures} columns={[texts.from, ...columns.map((number) => ({ number }))]}>
      {parts.map((part, index) => ({ part, name: nameOf(part, index === parts.length - 1, by) })).toReversed().map(({ part, name }) => {
        const perReply = average(pricePerReply(part))
        const cells = [
          ...[part.sent, part.delivered, part.read, part.failed, part.replied, part.optedOut].map(written),
          writeMoney(part.micros, currency), perReply === undefined ? '–' : writeMoney(perReply, currency),
        ]
        return (
          <tr key={part.from}>
            <td data-label={texts.from}>{name}</td>
            {cells.map((cell, at) => <td key={columns[at] ?? at} data-label={columns[at]} class="number">{cell}</td>)}
          </tr>
        )
      })}
    </Table>
  )
}
