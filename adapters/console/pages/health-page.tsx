import type { VNode } from 'preact'
import type { EventBacklog } from '../../../core/kernel/outbox.js'
import { Badge, Facts } from '../form-parts.js'
import { Moment, Table } from '../parts.js'
import { TEXTS } from '../texts.js'
import type { CheckShown, GatewayShown, RateCardShown, UnconfirmedMessages } from './health-section.js'

const { health: texts } = TEXTS

/** What is known of the whole installation. */
export const HealthPage = ({ gateways, backlog, unconfirmed, rateCard }: {
  readonly gateways: ReadonlyArray<GatewayShown>
  readonly backlog: EventBacklog
  readonly unconfirmed: UnconfirmedMessages
  readonly rateCard: RateCardShown
}): VNode => (
  <>
    <div>
      <h2>{texts.checks}</h2>
      <p><a class="button" href="/console/health/checks">{texts.runChecks}</a><span class="soft">{texts.checksSentence}</span></p>
    </div>
    <div>
      <h2>{texts.gateways}</h2>
      <Gateways gateways={gateways} />
    </div>
    <div>
      <h2>{texts.reconciliation}</h2>
      <Reconciliation unconfirmed={unconfirmed} gateways={gateways} />
    </div>
    <div>
      <h2>{texts.outbox}</h2>
      <Outbox backlog={backlog} />
    </div>
    <div>
      <h2>{texts.rates}</h2>
      <Facts facts={[[texts.currency, rateCard.currency], [texts.effective, rateCard.effective], [texts.cards, String(rateCard.cards)], [texts.readAt, <Moment at={rateCard.readAt} />]]} />
    </div>
  </>
)

/** The result of one check. */
export const Check = ({ result: { check, fault, remedy, note } }: { readonly result: CheckShown }): VNode => (
  <div class="check">
    <Badge text={fault === null ? texts.ok : texts.fault} tone={fault === null ? 'good' : 'bad'} /> <strong>{check}</strong>
    {fault === null ? note !== undefined && <div>{note}</div> : <div>{fault}.</div>}
    {fault !== null && remedy !== null && <div class="soft">{remedy}</div>}
  </div>
)

/** What all checks found together. */
export const Found = ({ results }: { readonly results: ReadonlyArray<CheckShown> }): VNode => {
  const faults = results.filter(({ fault }) => fault !== null).length
  return <p class={faults === 0 ? 'note' : 'note bad'} role="status">{texts.found(faults, results.length)}</p>
}

const Gateways = ({ gateways }: { readonly gateways: ReadonlyArray<GatewayShown> }): VNode => (
  gateways.length === 0 ? <p>{texts.noGateways}</p> : (
    <Table label={texts.gateways} columns={[texts.process, texts.state, texts.version, texts.startedAt, texts.seenAt]}>
      {gateways.map(({ id, version, host, pid, startedAt, seenAt, isAlive }) => (
        <tr key={id}>
          <td data-label={texts.process}><code>{host}</code> {texts.pid(pid)}</td>
          <td data-label={texts.state}><Badge text={isAlive ? texts.alive : texts.silent} tone={isAlive ? 'good' : 'bad'} /></td>
          <td data-label={texts.version}>{version}</td>
          <td data-label={texts.startedAt}><Moment at={startedAt} /></td>
          <td data-label={texts.seenAt}><Moment at={seenAt} /></td>
        </tr>
      ))}
    </Table>
  )
)

const Reconciliation = ({ unconfirmed: { count, isMore }, gateways }: { readonly unconfirmed: UnconfirmedMessages; readonly gateways: ReadonlyArray<GatewayShown> }): VNode => {
  const latest = Math.max(...gateways.flatMap(({ reconciledAt }) => (reconciledAt === undefined ? [] : [reconciledAt])))
  return (
    <>
      <Facts facts={[
        [texts.unconfirmed, isMore ? texts.atLeast(count) : String(count)], [texts.lastPass, Number.isFinite(latest) ? <Moment at={latest} /> : texts.unknown],
      ]} />
      <form method="post" action="/console/health/reconcile"><button class="plain">{texts.reconcile}</button><span class="soft">{texts.reconcileSentence}</span></form>
    </>
  )
}

const Outbox = ({ backlog: { stored, oldest } }: { readonly backlog: EventBacklog }): VNode => (
  <>
    <Facts facts={[[texts.stored, String(stored)], [texts.oldest, oldest[0] === undefined ? texts.nothingWaits : <Moment at={oldest[0].at} />]]} />
    {oldest.length > 0 && (
      <Table label={texts.waiting} columns={[texts.workspace, texts.since]}>
        {oldest.map(({ workspace, at }) => (
          <tr key={workspace}><td data-label={texts.workspace}><code>{workspace}</code></td><td data-label={texts.since}><Moment at={at} /></td></tr>
        ))}
      </Table>
    )}
  </>
)
