import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { Batch, BatchCounts } from '../../../../core/batches/batch.js'
import type { ShownBatch } from '../../../../core/batches/show.js'
import type { ShownWave } from '../../../../core/batches/wave.js'
import { batchMoney, countsView } from '../../../../core/batches/view.js'
import { type Instant, MINUTE_MS } from '../../../../core/kernel/time.js'
import { written } from '../../chart.js'
import { Icon } from '../../icons.js'
import { writeMoney } from '../../money.js'
import type { InWorkspace } from '../../page.js'
import { Confirm, Live, Money, Panel, Time } from '../../parts.js'
import { type Part, PartsBar, Swatch } from '../../parts-bar.js'
import { TEXTS } from '../../texts.js'
import { messagesPath } from '../messages/message-table.js'
import { AgainButton, againOf, AgainPanel } from './batch-again.js'
import { DaysBar, finePercentOf, percentOf } from './batch-parts.js'
import { meaningOfProblem } from './batch-problems.js'
import { batchPath, titleOf } from './batches-section.js'
import { Above } from './preflight.js'

const { batches: texts } = TEXTS

/** The actions that a person may perform on a batch. */
export type BatchRights = Readonly<Record<'mayCreate' | 'mayPause' | 'mayResume' | 'mayCancel', boolean>>

/** What a person may do with the batches of a workspace. */
export const rightsOf = ({ signedIn: { principal }, workspace }: InWorkspace): BatchRights => ({
  mayCreate: isAllowed(principal, 'batch.create', workspace), mayPause: isAllowed(principal, 'batch.pause', workspace),
  mayResume: isAllowed(principal, 'batch.resume', workspace), mayCancel: isAllowed(principal, 'batch.cancel', workspace),
})

/** A batch with the result of its first wave, for a person with some rights. */
type Shown = {
  readonly shown: ShownBatch; readonly wave: ShownWave | undefined; readonly rights: BatchRights; readonly now: Instant
}

/** The page of a batch that was confirmed. Its live part is updated while the page is open. */
export const LivePage = (shown: Shown): VNode => (
  <Live address={batchPath(shown.shown.batch)}><BatchLive {...shown} /></Live>
)

/** The live part: how far the batch is, its money, and why messages fail. It depends on the rights of a person, and on nothing else about them. */
export const BatchLive = ({ shown, wave, rights, now }: Shown): VNode => {
  const { batch, counts } = shown
  return (
    <>
      <Above batch={batch}><Acts shown={shown} wave={wave} rights={rights} now={now} /></Above>
      {batch.state === 'paused' && <Paused batch={batch} />}
      <ProgressCard shown={shown} />
      <div class="cards-row">
        {batch.confirmed !== undefined && <MoneyCard batch={batch} counts={counts} confirmed={batch.confirmed} />}
        <div><Failures shown={shown} mayCreate={rights.mayCreate} /><LeftOut counts={counts} /></div>
        {rights.mayCreate && <AgainPanel shown={shown} />}
        {wave !== undefined && <WaveCard batch={batch} shown={wave} now={now} mayResume={rights.mayResume} />}
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
const Acts = ({ shown: { batch, counts }, rights: { mayPause, mayResume, mayCancel }, wave, now }: Shown): VNode => {
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
      {isRunning && isWaiting && mayResume && wave === undefined && (
        <form method="post" action={`${path}/resume`}><button class="plain">{texts.resumeWave}</button></form>
      )}
      {isRunning && mayPause && <form method="post" action={`${path}/pause`}><button>{texts.pause}</button></form>}
      {isPaused && mayResume && <form method="post" action={`${path}/resume`}><button>{texts.resume}</button></form>}
    </div>
  )
}

const ProgressCard = ({ shown: { batch, counts, rate, expectedEnd, days = [] } }: Pick<Shown, 'shown'>): VNode => {
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
      <DaysBar label={texts.daysLeft} days={days} look="part-delivered" />
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

/** Why messages failed, the most frequent reason first, with what to do, and how near the batch is to a pause. */
const Failures = ({ shown, mayCreate }: Pick<Shown, 'shown'> & Pick<BatchRights, 'mayCreate'>): VNode => {
  const { batch, counts, failures, brakeLevel } = shown
  const { failed, refused } = countsView(counts)
  const again = (mayCreate ? againOf(shown)?.failed : undefined) ?? 0
  const query = new URLSearchParams([['state', failed > 0 ? 'failed' : 'refused'], ['template', batch.templateName]])
  return (
    <Panel id="failures" title={texts.whyFail}>
      {failed + refused === 0 ? <p class="soft">{texts.noFailures}</p> : (
        <>
          <ul class="reasons">
            {failures.map(({ code, count, mayHelpAgain }) => {
              const { means, fix } = meaningOfProblem(code)
              return (
                <li key={code}>
                  <div class="heading"><strong>{means}</strong><strong>{written(count)}</strong></div>
                  {fix !== '' && <p class="soft">{fix}</p>}
                  {again > 0 && !mayHelpAgain && <p class="soft">{texts.again.useless}</p>}
                </li>
              )
            })}
          </ul>
          {again > 0 && <AgainButton batch={batch} group="failed" count={again} />}
          <p><a href={`${messagesPath(batch.workspace)}?${query.toString()}`}>{texts.showFailed}</a></p>
        </>
      )}
      {brakeLevel?.pausesAt !== undefined && (
        <p class="brake"><Icon name="pause" /> {texts.brakeNear(brakeLevel.pausesAt, batch.brake.of, brakeLevel.failures)}</p>
      )}
    </Panel>
  )
}

/** Why lines are left out, the most frequent reason first, and what to do. */
const LeftOut = ({ counts: { problems } }: { readonly counts: BatchCounts }): VNode | null => (problems.size === 0 ? null : (
  <Panel id="reasons" title={texts.leftOut}>
    <ul class="reasons">
      {[...problems].sort(([, a], [, b]) => b - a).map(([code, count]) => {
        const { means, fix } = meaningOfProblem(code)
        return (
          <li key={code}>
            <div class="heading"><strong>{means}</strong><strong>{written(count)}</strong></div><p class="soft">{fix}</p>
          </li>
        )
      })}
    </ul>
  </Panel>
))

const WAVE_ROWS = ['delivered', 'read', 'replied', 'failed', 'optedOut'] as const

/** How the first wave fared, beside that of the last batch of the template, and when the others follow. */
const WaveCard = ({ batch, shown: { wave, before }, now, mayResume }: {
  readonly batch: Batch; readonly shown: ShownWave; readonly now: Instant; readonly mayResume: boolean
}): VNode => {
  const { waveUntil } = batch
  const isWaiting = waveUntil !== undefined && isAfterWave(batch, now)
  return (
    <Panel id="wave" title={texts.waveTitle}>
      <p class="soft">
        {waveUntil === undefined ? texts.waveRuns : <>{isWaiting ? texts.waveWaits : texts.waveOver} <Time at={waveUntil} /></>}
      </p>
      <table class="figures wave">
        <thead>
          <tr>
            <th scope="col">{texts.waveOf(wave.sent)}</th><th scope="col">{texts.waveHere}</th>
            {before !== undefined && <th scope="col" class="cut" title={titleOf(before.batch)}>{titleOf(before.batch)}</th>}
          </tr>
        </thead>
        <tbody>
          {WAVE_ROWS.map((row) => (
            <tr key={row}>
              <th scope="row">{texts.waveParts[row]} <span class="soft">{written(wave[row])}</span></th>
              <td><strong>{finePercentOf(wave[row], wave.sent)}</strong></td>
              {before !== undefined && <td class="soft">{finePercentOf(before.wave[row], before.wave.sent)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {isWaiting && mayResume && batch.state !== 'paused' && (
        <form method="post" action={`${batchPath(batch)}/resume`}><button class="plain">{texts.resumeWave}</button></form>
      )}
    </Panel>
  )
}
