import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { Batch, BatchCounts } from '../../../../core/batches/batch.js'
import type { ShownBatch } from '../../../../core/batches/show.js'
import { batchMoney, countsView } from '../../../../core/batches/view.js'
import { type Instant, MINUTE_MS } from '../../../../core/kernel/time.js'
import { written } from '../../chart.js'
import { Icon } from '../../icons.js'
import { writeMoney } from '../../money.js'
import type { InWorkspace } from '../../page.js'
import { Confirm, Live, Money, Panel, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { messagesPath } from '../messages/message-table.js'
import { type Part, PartsBar, percentOf, Swatch } from './batch-parts.js'
import { meaningOfProblem } from './batch-problems.js'
import { batchPath } from './batches-section.js'
import { Above } from './preflight.js'

const { batches: texts } = TEXTS

/** The actions that a person may perform on a batch. */
export type BatchRights = Readonly<Record<'mayPause' | 'mayResume' | 'mayCancel', boolean>>

/** What a person may do with the batches of a workspace. */
export const rightsOf = ({ signedIn: { principal }, workspace }: InWorkspace): BatchRights => ({
  mayPause: isAllowed(principal, 'batch.pause', workspace), mayResume: isAllowed(principal, 'batch.resume', workspace),
  mayCancel: isAllowed(principal, 'batch.cancel', workspace),
})

type Shown = { readonly shown: ShownBatch; readonly rights: BatchRights; readonly now: Instant }

/** The page of a batch that was confirmed. Its live part is updated while the page is open. */
export const LivePage = (shown: Shown): VNode => (
  <Live address={batchPath(shown.shown.batch)}><BatchLive {...shown} /></Live>
)

/** The live part: how far the batch is, its money, and why messages fail. It depends on the rights of a person, and on nothing else about them. */
export const BatchLive = ({ shown, rights, now }: Shown): VNode => {
  const { batch, counts } = shown
  return (
    <>
      <Above batch={batch}><Acts shown={shown} rights={rights} now={now} /></Above>
      {batch.state === 'paused' && <Paused batch={batch} />}
      <ProgressCard shown={shown} now={now} />
      <div class="beside batch">
        <Reasons shown={shown} />
        {batch.confirmed !== undefined && <MoneyCard batch={batch} counts={counts} confirmed={batch.confirmed} />}
      </div>
    </>
  )
}

/** Whether the first wave has left, and the others still wait. */
const isAfterWave = ({ waveUntil = 0, endedAt }: Batch, now: Instant): boolean => endedAt === undefined && waveUntil > now

const Paused = ({ batch: { pausedBecause = 'person' } }: { readonly batch: Batch }): VNode => (
  <ul class="attention-list">
    <li><Icon name="alert" /><div><strong>{texts.pausedTitle}</strong><p>{texts.pausedBecause[pausedBecause]}</p></div></li>
  </ul>
)

/** The actions that the state of the batch permits. Pausing is the first one, and canceling asks. */
const Acts = ({ shown: { batch, counts }, rights: { mayPause, mayResume, mayCancel }, now }: Shown): VNode => {
  const isRunning = batch.state === 'confirmed' || batch.state === 'sending'
  const [isPaused, isWaiting] = [batch.state === 'paused', isAfterWave(batch, now)]
  const path = batchPath(batch)
  const { waiting, queued } = countsView(counts)
  return (
    <div class="acts">
      <a class="button plain" href={`${path}/results.csv`}><Icon name="download" />{texts.results}</a>
      {(isRunning || isPaused) && batch.confirmed !== undefined && mayCancel && (
        <Confirm
          title={`${texts.cancel}…`} action={`${path}/cancel`} verb={texts.cancel} isDangerous
          sentence={texts.cancelSentence(waiting + queued, writeMoney(batchMoney({ batch, counts }).held, batch.confirmed.currency))}
        />
      )}
      {isRunning && isWaiting && mayResume && (
        <form method="post" action={`${path}/resume`}><button class="plain">{texts.resumeWave}</button></form>
      )}
      {isRunning && mayPause && <form method="post" action={`${path}/pause`}><button>{texts.pause}</button></form>}
      {isPaused && mayResume && <form method="post" action={`${path}/resume`}><button>{texts.resume}</button></form>}
    </div>
  )
}

const ProgressCard = ({ shown: { batch, counts, rate, expectedEnd }, now }: Omit<Shown, 'rights'>): VNode => {
  const parts = partsOf(batch, counts)
  const all = parts.reduce((sum, { size }) => sum + size, 0)
  const done = all - (parts.find(({ look }) => look === 'waiting')?.size ?? 0)
  return (
    <section class="card panel">
      <div class="over">
        <p class="priced"><strong>{percentOf(done, all)}</strong> {texts.done(written(done), written(all))}</p>
        <p>
          {batch.endedAt !== undefined ? <>{texts.ended} <Time at={batch.endedAt} /></>
            : expectedEnd !== undefined ? (
              <>
                <strong>{texts.ends} <Time at={Math.ceil(expectedEnd / MINUTE_MS) * MINUTE_MS} /></strong>{' '}
                <span class="soft">{texts.rate(written(rate))}</span>
              </>
            )
            : null}
        </p>
      </div>
      <PartsBar label={texts.progress} parts={parts} />
      {batch.waveUntil !== undefined && isAfterWave(batch, now) && (
        <p class="hint">{texts.waveUntil} <Time at={batch.waveUntil} /></p>
      )}
    </section>
  )
}

/** The recipients to whom the batch was confirmed, in the order of a message's life. Their sum stays the same. */
const partsOf = ({ confirmed }: Batch, counts: BatchCounts): ReadonlyArray<Part> => {
  const {
    waiting, left_out: leftOut, queued, pending, accepted, sent, delivered, read, played, unconfirmed, failed, refused, released, canceled,
  } = countsView(counts)
  // Lines without a message when the batch ended. Those that the check left out were never part of it.
  const ended = Math.max(0, leftOut - (counts.lines - (confirmed?.sendable ?? counts.lines)))
  const part = (look: keyof typeof texts.parts, size: number): Part => ({ look, name: texts.parts[look], size })
  return [
    part('read', read + played), part('delivered', delivered), part('moving', pending + accepted + sent), part('unconfirmed', unconfirmed),
    part('failed', failed + refused), part('stopped', released + canceled + ended), part('waiting', waiting + queued),
  ]
}

/** The money that was reserved: charged, on hold and given back are always the total together. */
const MoneyCard = ({ batch, counts, confirmed: { total, currency } }: {
  readonly batch: Batch; readonly counts: BatchCounts; readonly confirmed: NonNullable<Batch['confirmed']>
}): VNode => {
  const { charged, held } = batchMoney({ batch, counts })
  const parts = [
    ['read', texts.charged, charged], ['delivered', texts.onHold, held], ['stopped', texts.givenBack, total - charged - held],
  ] as const
  return (
    <Panel id="money" title={<>{texts.money} <span class="soft">{texts.ofTotal(writeMoney(total, currency))}</span></>}>
      <PartsBar
        label={texts.money} hasLegend={false}
        parts={parts.map(([look, name, micros]) => ({ look, name, size: Number(micros), text: writeMoney(micros, currency) }))}
      />
      <dl class="sums">
        {parts.map(([look, name, micros]) => (
          <div key={look}>
            <dt><Swatch look={look} /> {name}</dt>
            <dd><Money micros={micros} currency={currency} /></dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}

/** Why lines are left out, the most frequent reason first, and what to do; and how many messages failed, with a link to them and their reasons. */
const Reasons = ({ shown: { batch, counts } }: Pick<Shown, 'shown'>): VNode => {
  const reasons = [...counts.problems].sort(([, a], [, b]) => b - a)
  const { failed, refused } = countsView(counts)
  const query = new URLSearchParams([['state', failed > 0 ? 'failed' : 'refused'], ['template', batch.templateName]])
  return (
    <div>
      <Panel id="failures" title={texts.whyFail}>
        {failed + refused === 0 ? <p class="soft">{texts.noFailures}</p> : (
          <p>
            {texts.haveFailed(failed + refused)}{' '}
            <a href={`${messagesPath(batch.workspace)}?${query.toString()}`}>{texts.showFailed}</a>
          </p>
        )}
      </Panel>
      {reasons.length > 0 && (
        <Panel id="reasons" title={texts.leftOut}>
          <ul class="reasons">
            {reasons.map(([code, count]) => {
              const { means, fix } = meaningOfProblem(code)
              return (
                <li key={code}>
                  <div class="heading"><strong>{means}</strong><strong>{written(count)}</strong></div><p class="soft">{fix}</p>
                </li>
              )
            })}
          </ul>
        </Panel>
      )}
    </div>
  )
}
