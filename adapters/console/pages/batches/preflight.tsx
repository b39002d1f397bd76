import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { Batch, PricePart } from '../../../../core/batches/batch.js'
import type { FoundProblem } from '../../../../core/batches/check.js'
import type { BatchWarning } from '../../../../core/batches/forecast.js'
import type { ShownBatch } from '../../../../core/batches/show.js'
import type { Preflight } from '../../../../core/batches/use-cases.js'
import type { Act } from '../../../../core/kernel/actor.js'
import { HOUR_MS, MINUTE_MS } from '../../../../core/kernel/time.js'
import type { Answer } from '../../answer.js'
import { written } from '../../chart.js'
import { failurePage } from '../../failure-page.js'
import { Icon } from '../../icons.js'
import { type InWorkspace, workspacePage } from '../../page.js'
import { Behind, Confirm, Empty, Money, Panel, State, Table, Time } from '../../parts.js'
import { writeMoney } from '../../money.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'
import { marketName } from '../wallet/wallet-parts.js'
import { PartsBar, percentOf } from './batch-parts.js'
import { type BatchRefusal, categoryName, meaningOfProblem, Refusal } from './batch-problems.js'
import { batchesPath, batchPath, type BatchesSection, TONES, titleOf } from './batches-section.js'
import { RecipientsField } from './new-batch.js'

const { batches: texts, sections } = TEXTS

/** The page of a draft: who gets it, what it costs and when it ends, for people who may send it. */
export const draftPage = async (section: BatchesSection, page: InWorkspace, { batch, counts }: ShownBatch): Promise<Answer> => {
  const { by, workspace, signedIn } = page
  const may = (act: Act): boolean => isAllowed(signedIn.principal, act, workspace)
  const shown = { title: titleOf(batch), path: batchesPath(workspace.id) }
  if (!may('batch.change')) {
    return workspacePage(page, {
      ...shown,
      content: <><Above batch={batch} /><p>{texts.draftOnly}</p>{counts.lines > 0 && <p>{texts.recipients(counts.lines)}</p>}</>,
    })
  }
  const discard = may('batch.cancel') && {
    rareActs: {
      content: (
        <Confirm
          title={`${texts.discard}…`} sentence={texts.discardSentence} action={`${batchPath(batch)}/cancel`} verb={texts.discard}
          isDangerous
        />
      ),
    },
  }
  if (counts.lines === 0) {
    return workspacePage(page, {
      ...shown, ...discard,
      content: <><Above batch={batch} /><Empty sentence={texts.noRecipients} icon="batches" /><FileForm batch={batch} /></>,
    })
  }
  const found = await section.preflight({ by, workspace: workspace.id, batch: batch.id })
  if (E.isLeft(found)) {
    const { left } = found
    if (left._tag === 'NoSuchBatch') return failurePage({ _tag: 'NotFound' }, signedIn)
    if (left._tag === 'Forbidden' || left._tag === 'PortFailure') return failurePage(left, signedIn)
    return workspacePage(page, { ...shown, ...discard, content: <Refused batch={batch} failure={left} workspace={workspace} /> })
  }
  return workspacePage(page, {
    ...shown, ...discard, content: <Checked batch={batch} found={found.right} mayConfirm={may('batch.confirm')} />,
  })
}

/** What a batch is, above its figures. */
export const Above = ({ batch, children }: { readonly batch: Batch; readonly children?: VNode }): VNode => (
  <div class="over">
    <p>
      <a href={batchesPath(batch.workspace)}>{sections.batches}</a> <Icon name="later" />{' '}
      <State text={texts.states[batch.state]} tone={TONES[batch.state]} />{' '}
      <span class="soft">{batch.templateName}, {batch.language}</span>
    </p>
    {children}
  </div>
)

const Refused = ({ batch, failure, workspace }: {
  readonly batch: Batch; readonly failure: BatchRefusal; readonly workspace: InWorkspace['workspace']
}): VNode => (
  <>
    <Above batch={batch} />
    <p class="note bad" role="alert"><Refusal failure={failure} workspace={workspace} /></p>
    <p><a class="button plain" href={batchPath(batch)}>{texts.checkAgain}</a></p>
    <Replace batch={batch} />
  </>
)

const FileForm = ({ batch }: { readonly batch: Batch }): VNode => (
  <form method="post" action={`${batchPath(batch)}/file`} encType="multipart/form-data">
    <RecipientsField refused={{}} />
    <button>{texts.makeDraft}</button>
  </form>
)

const Replace = ({ batch }: { readonly batch: Batch }): VNode => (
  <Behind title={texts.replace} sentence={texts.replaceSentence}>
    <form method="post" action={`${batchPath(batch)}/file`} encType="multipart/form-data">
      <RecipientsField refused={{}} />
      <button class="plain">{texts.replaceVerb}</button>
    </form>
  </Behind>
)

type CheckedProps = { readonly batch: Batch; readonly found: Preflight }

const Checked = ({ batch, found, mayConfirm }: CheckedProps & { readonly mayConfirm: boolean }): VNode => (
  <>
    <Above batch={batch}><a class="button plain" href={batchPath(batch)}>{texts.checkAgain}</a></Above>
    <div class="beside batch">
      <div>
        <WhoAndWhen found={found} />
        {found.warnings.length > 0 && (
          <ul class="attention-list">
            {found.warnings.map((warning, at) => (
              <li key={at}><Icon name="alert" /><div><WarningSentence warning={warning} currency={found.currency} /></div></li>
            ))}
          </ul>
        )}
        {found.problems.length > 0 && <LeftOut problems={found.problems} />}
        <Runs batch={batch} />
        <Replace batch={batch} />
      </div>
      <Cost batch={batch} found={found} mayConfirm={mayConfirm} />
    </div>
  </>
)

const WhoAndWhen = ({ found: { recipients, sendable, daysNeeded, earliestEnd } }: Pick<CheckedProps, 'found'>): VNode => {
  const leftOut = recipients - sendable
  return (
    <section class="card panel">
      <p class="priced"><strong>{written(sendable)}</strong> {texts.getIt(written(recipients))}</p>
      <PartsBar
        label={texts.getIt(written(recipients))} hasLegend={false}
        parts={[
          { look: 'read', name: texts.messages, size: sendable }, { look: 'failed', name: texts.leftOut, size: leftOut },
        ]}
      />
      <p class="soft">{leftOut === 0 ? texts.noneLeftOut : texts.areLeftOut(leftOut)}</p>
      {sendable > 0 && (
        <>
          <p><strong>{texts.takes(daysNeeded)} <Time at={Math.ceil(earliestEnd / MINUTE_MS) * MINUTE_MS} /></strong></p>
          <p class="hint">{texts.takesHint}</p>
        </>
      )}
    </section>
  )
}

const WarningSentence = ({ warning, currency }: { readonly warning: BatchWarning; readonly currency: string }): VNode => {
  switch (warning.code) {
    case 'category_changed': return <>{texts.warnings.category_changed(categoryName(warning.before), categoryName(warning.now))}</>
    case 'price_changed': {
      const { market, before, now } = warning
      return <>{texts.warnings.price_changed(marketName(market), writeMoney(before, currency), writeMoney(now, currency))}</>
    }
    case 'first_use': return <>{texts.warnings.first_use}</>
    case 'quality_not_green': return <>{texts.warnings.quality_not_green(wordFor('qualities', warning.quality))}</>
    case 'more_than_a_day': return <>{texts.warnings.more_than_a_day(written(warning.perDay), written(warning.used))}</>
  }
}

const LeftOut = ({ problems }: { readonly problems: ReadonlyArray<FoundProblem> }): VNode => (
  <>
    <h2>{texts.leftOut}</h2>
    <Table label={texts.leftOut} columns={[texts.problem, { number: texts.lines }, texts.where, texts.whatToDo]}>
      {problems.map(({ code, count, lines }) => {
        const { means, fix } = meaningOfProblem(code)
        return (
          <tr key={code}>
            <td class="title">{means}</td>
            <td data-label={texts.lines} class="number">{written(count)}</td>
            <td data-label={texts.where}>{lines.map(String).join(', ')}{count > lines.length && ' …'}</td>
            <td data-label={texts.whatToDo} class="soft">{fix}</td>
          </tr>
        )
      })}
    </Table>
  </>
)

const Cost = ({ batch, found, mayConfirm }: CheckedProps & { readonly mayConfirm: boolean }): VNode => {
  const { total, currency, parts, sendable, availableAfter } = found
  return (
    <Panel id="total" title={texts.total}>
      <p class="priced"><strong><Money micros={total} currency={currency} /></strong></p>
      {parts.length > 0 && (
        <div class="scroll" role="region" aria-label={texts.byMarket} tabindex={0}>
          <table class="figures">
            <thead>
              <tr>{[texts.byMarket, texts.messages, texts.each, texts.price].map((name) => <th scope="col" key={name}>{name}</th>)}</tr>
            </thead>
            <tbody>{parts.map((part) => <PartRow key={`${part.category} ${part.market ?? ''}`} part={part} currency={currency} />)}</tbody>
          </table>
        </div>
      )}
      <dl class="sums">
        <div><dt>{texts.availableNow}</dt><dd><Money micros={availableAfter + total} currency={currency} /></dd></div>
        <div><dt>{texts.availableAfter}</dt><dd><Money micros={availableAfter} currency={currency} /></dd></div>
      </dl>
      {sendable === 0 ? <p class="note bad">{texts.nothingToSend}</p>
        : availableAfter < 0n ? (
          <p class="note bad">
            {texts.lacks(writeMoney(-availableAfter, currency))}{' '}
            <a href={`/console/workspaces/${batch.workspace}/wallet`}>{texts.toWallet}</a>
          </p>
        )
        : mayConfirm ? (
          <form class="confirm" method="post" action={`${batchPath(batch)}/confirm`}>
            <input type="hidden" name="total" value={String(total)} />
            <button>{texts.confirm(sendable, writeMoney(total, currency))}</button>
            <p class="hint">{texts.confirmHint}</p>
          </form>
        )
        : null}
    </Panel>
  )
}

const PartRow = ({ part: { category, market, lines, micros }, currency }: {
  readonly part: PricePart; readonly currency: string
}): VNode => (
  <tr>
    <th scope="row">{categoryName(category)}{market !== undefined && <span class="soft"> {marketName(market)}</span>}</th>
    <td>{written(lines)}</td>
    <td class="soft"><Money micros={micros / BigInt(Math.max(1, lines))} currency={currency} /></td>
    <td><Money micros={micros} currency={currency} /></td>
  </tr>
)

/** How a batch is sent, in sentences. */
const Runs = ({ batch: { timing: { sendAt, until, hours }, firstWave, brake } }: Pick<CheckedProps, 'batch'>): VNode => (
  <Panel id="runs" title={texts.runs}>
    <ul>
      <li>{sendAt === undefined ? texts.runsNow : <>{texts.runsAt} <Time at={sendAt} /></>}</li>
      {until !== undefined && <li>{texts.runsUntil} <Time at={until} /></li>}
      {hours !== undefined && (
        <li>{texts.runsHours(hours.from, hours.to, hours.timezone === 'customer' ? undefined : hours.timezone)}</li>
      )}
      {firstWave !== undefined && <li>{texts.runsWave(firstWave.recipients, texts.hours(Math.round(firstWave.waitMs / HOUR_MS)))}</li>}
      {brake.share < 1 && <li>{texts.runsBrake(percentOf(brake.share, 1), written(brake.of))}</li>}
      <li>{texts.runsOptOut}</li>
    </ul>
  </Panel>
)
