import type { VNode } from 'preact'
import type { EventBacklog } from '../../../../core/kernel/outbox.js'
import { type Instant, MINUTE_MS } from '../../../../core/kernel/time.js'
import type { QueueView } from '../../../../core/sending/show-queue.js'
import { written } from '../../chart.js'
import { Empty, English, Facts, Id, Panel, State, Table, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import type { CheckShown, GatewayShown, RateCardShown, UnconfirmedMessages } from '../../gateway.js'
import { ALL_QUEUES, countsOf, isHeldBy } from '../queue/queue-parts.js'

const { health: texts, queue: queueTexts, sections } = TEXTS

/** The state of the whole installation. */
export const HealthPage = ({ gateways, backlog, unconfirmed, queue, rateCard, now }: {
  readonly gateways: ReadonlyArray<GatewayShown>
  readonly backlog: EventBacklog
  readonly unconfirmed: UnconfirmedMessages
  readonly queue: QueueView | undefined
  readonly rateCard: RateCardShown
  readonly now: Instant
}): VNode => (
  <>
    <Verdict gateways={gateways} faults={faultsOf({ gateways, backlog, unconfirmed, queue, now })} />
    <Panel id="checks" title={texts.checks}>
      <p class="soft">{texts.checksSentence}</p><p><a class="button" href="/console/health/checks">{texts.runChecks}</a></p>
    </Panel>
    <h2>{texts.gateways}</h2>
    <Gateways gateways={gateways} />
    <Panel id="reconciliation" title={texts.reconciliation}><Reconciliation unconfirmed={unconfirmed} gateways={gateways} /></Panel>
    {queue !== undefined && <Panel id="queue" title={sections.queue}><Queue queue={queue} /></Panel>}
    <Panel id="outbox" title={texts.outbox}><Outbox backlog={backlog} /></Panel>
    <Panel id="rates" title={texts.rates}>
      <Facts facts={[
        [texts.currency, rateCard.currency], [texts.effective, rateCard.effective], [texts.cards, String(rateCard.cards)],
        [texts.readAt, <Time at={rateCard.readAt} />],
      ]} />
    </Panel>
  </>
)

const Verdict = ({ gateways, faults }: { readonly gateways: ReadonlyArray<GatewayShown>; readonly faults: ReadonlyArray<string> }): VNode =>
  (faults.length === 0
    ? <p class="note" role="status">{texts.well(gateways.length)}</p>
    : <p class="note bad" role="status"><strong>{texts.needs} {faults.join('; ')}.</strong></p>)

/** Events that wait for longer are not just on their way. */
const WAITING_MS = 5 * MINUTE_MS

/** What needs a person, in a few words each. */
const faultsOf = ({ gateways, backlog: { oldest: [oldest] }, unconfirmed: { count, isMore }, queue, now }: {
  readonly gateways: ReadonlyArray<GatewayShown>; readonly backlog: EventBacklog; readonly unconfirmed: UnconfirmedMessages
  readonly queue: QueueView | undefined
  readonly now: Instant
}): ReadonlyArray<string> => {
  const silent = gateways.filter(({ isAlive }) => !isAlive).length
  return [
    ...(silent === gateways.length ? [texts.noneResponds] : silent > 0 ? [texts.silentGateways(silent)] : []),
    ...(count > 0 ? [texts.unknownOutcomes(count, isMore)] : []),
    ...(oldest !== undefined && oldest.at < now - WAITING_MS ? [texts.eventsWait] : []),
    ...(heldIn(queue) > 0 ? [queueTexts.heldFault(heldIn(queue))] : []),
  ]
}

/** How many queued messages are held. */
const heldIn = (queue: QueueView | undefined): number => {
  const { waiting, scheduled } = countsOf((queue?.senders ?? []).filter(({ workspace }) => isHeldBy(queue?.holds ?? [], workspace)))
  return waiting + scheduled
}

/** The result of one check. */
export const Check = ({ result: { check, fault, remedy, note } }: { readonly result: CheckShown }): VNode => (
  <div class="check">
    <State
      text={fault === null ? texts.ok : texts.fault} tone={fault === null ? 'good' : 'bad'}
    /> <strong><English>{check}</English></strong>
    {fault === null ? note !== undefined && <div><English>{note}</English></div> : <div><English>{fault}.</English></div>}
    {fault !== null && remedy !== null && <div class="soft"><English>{remedy}</English></div>}
  </div>
)

/** The summary of all checks. */
export const Found = ({ results }: { readonly results: ReadonlyArray<CheckShown> }): VNode => {
  const faults = results.filter(({ fault }) => fault !== null).length
  return <p class={faults === 0 ? 'note' : 'note bad'} role="status">{texts.found(faults, results.length)}</p>
}

const Gateways = ({ gateways }: { readonly gateways: ReadonlyArray<GatewayShown> }): VNode => (
  gateways.length === 0 ? <Empty sentence={texts.noGateways} icon="health" /> : (
    <Table label={texts.gateways} columns={[texts.process, texts.state, texts.version, texts.startedAt, texts.seenAt]}>
      {gateways.map(({ id, version, host, pid, startedAt, seenAt, isAlive }) => (
        <tr key={id}>
          <td data-label={texts.process}><code>{host}</code> {texts.pid(pid)}</td>
          <td data-label={texts.state}><State text={isAlive ? texts.alive : texts.silent} tone={isAlive ? 'good' : 'bad'} /></td>
          <td data-label={texts.version}>{version}</td>
          <td data-label={texts.startedAt}><Time at={startedAt} /></td>
          <td data-label={texts.seenAt}><Time at={seenAt} as="ago" /></td>
        </tr>
      ))}
    </Table>
  )
)

const Reconciliation = ({ unconfirmed: { count, isMore }, gateways }: {
  readonly unconfirmed: UnconfirmedMessages
  readonly gateways: ReadonlyArray<GatewayShown>
}): VNode => {
  const latest = Math.max(...gateways.flatMap(({ reconciledAt }) => (reconciledAt === undefined ? [] : [reconciledAt])))
  return (
    <>
      <Facts facts={[
        [texts.unconfirmed, isMore ? texts.atLeast(count) : String(count)],
        [texts.lastPass, Number.isFinite(latest) ? <Time at={latest} /> : texts.unknown],
      ]} />
      <form method="post" action="/console/health/reconcile">
        <p class="soft">{texts.reconcileSentence}</p><button class="plain">{texts.reconcile}</button>
      </form>
    </>
  )
}

const Queue = ({ queue: { holds, senders } }: { readonly queue: QueueView }): VNode => {
  const { waiting, scheduled } = countsOf(senders)
  const [hold] = holds
  return (
    <>
      <Facts facts={[
        [queueTexts.waiting, written(waiting)], [queueTexts.scheduled, written(scheduled)],
        ...(hold === undefined ? [] : [
          [queueTexts.states.held, <>{queueTexts.since} <Time at={hold.since} />: {queueTexts.why[hold.why]}</>] as const,
        ]),
      ]} />
      <p><a class="button plain" href={ALL_QUEUES}>{queueTexts.showAll}</a></p>
    </>
  )
}

const Outbox = ({ backlog: { stored, oldest } }: { readonly backlog: EventBacklog }): VNode => (
  <>
    <Facts facts={[
      [texts.stored, String(stored)],
      [texts.oldest, oldest[0] === undefined ? texts.nothingWaits : <Time at={oldest[0].at} />],
    ]} />
    {oldest.length > 0 && (
      <Table label={texts.waiting} columns={[texts.workspace, texts.since]}>
        {oldest.map(({ workspace, at }) => (
          <tr key={workspace}>
            <td data-label={texts.workspace}><Id of={workspace} /></td><td data-label={texts.since}><Time at={at} as="ago" /></td>
          </tr>
        ))}
      </Table>
    )}
  </>
)
