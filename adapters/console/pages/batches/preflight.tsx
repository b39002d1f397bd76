import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { type Forbidden, isAllowed } from '../../../../core/access/access.js'
import type { Batch, PricePart } from '../../../../core/batches/batch.js'
import type { FoundProblem } from '../../../../core/batches/check.js'
import type { BatchWarning } from '../../../../core/batches/forecast.js'
import type { BatchRecipient } from '../../../../core/batches/lines.js'
import type { ShownLine } from '../../../../core/batches/show-line.js'
import type { ShownBatch } from '../../../../core/batches/show.js'
import type { BatchCommand, Preflight } from '../../../../core/batches/use-cases.js'
import { type CustomerId, parseCustomerId } from '../../../../core/customers/customer.js'
import { WEEKDAYS } from '../../../../core/customers/hours.js'
import type { Act } from '../../../../core/kernel/actor.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { LinesForm } from '../../../../core/kernel/lines.js'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/kernel/time.js'
import type { TemplateRecord } from '../../../../core/templates/template.js'
import type { Answer } from '../../answer.js'
import { written } from '../../chart.js'
import { failurePage } from '../../failure-page.js'
import type { FileForm as GivenFile, FormFields } from '../../form-body.js'
import { Icon } from '../../icons.js'
import { dateFormat } from '../../language.js'
import { type ActIn, type InWorkspace, workspacePage } from '../../page.js'
import {
  Behind, capitalised, Confirm, Empty, Heading, Money, Panel, type Refused as RefusedForm, State, Table, Time,
} from '../../parts.js'
import { PartsBar } from '../../parts-bar.js'
import { writeCustomerId } from '../../phone.js'
import { writeMoney } from '../../money.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'
import { marketName } from '../wallet/wallet-parts.js'
import { markedPreview, Preview } from '../sending/preview.js'
import { DaysBar, percentOf } from './batch-parts.js'
import { type BatchRefusal, categoryName, meaningOfProblem, Refusal } from './batch-problems.js'
import {
  batchesPath, batchPath, type BatchesSection, type ChosenTemplate, findTemplate, readChoice, titleOf, TONES, writeChoice,
} from './batches-section.js'
import { type Head, openFile, readPlainLines } from './columns.js'
import { addFile, faultOfFile, MatchPart, RecipientsField } from './new-batch.js'

const { batches: texts, sections } = TEXTS

/** A refused file: its fault, and its head if that was read. */
type Tried = RefusedForm & { readonly head?: Head | undefined; readonly fields: FormFields }

/** The page of a draft: who gets it, what it costs and when it ends, for people who may send it. */
export const draftPage = async (
  section: BatchesSection, page: InWorkspace, { batch, counts }: Pick<ShownBatch, 'batch' | 'counts'>, tried?: Tried,
): Promise<Answer> => {
  const { by, workspace, signedIn } = page
  const may = (act: Act): boolean => isAllowed(signedIn.principal, act, workspace)
  const shown = { title: titleOf(batch), path: batchesPath(workspace.id), ...(tried !== undefined && { status: 422 }) }
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
  const template = await findTemplate(section, workspace.id, choiceOf(batch))
  const file = { batch, template, tried }
  if (counts.lines === 0) {
    return workspacePage(page, {
      ...shown, ...discard,
      content: <><Above batch={batch} /><Empty sentence={texts.noRecipients} icon="batches" /><FileForm {...file} /></>,
    })
  }
  const found = await section.preflight({ by, workspace: workspace.id, batch: batch.id })
  if (E.isLeft(found)) {
    const { left } = found
    if (left._tag === 'NoSuchBatch') return failurePage({ _tag: 'NotFound' }, signedIn)
    if (left._tag === 'Forbidden' || left._tag === 'PortFailure') return failurePage(left, signedIn)
    return workspacePage(page, { ...shown, ...discard, content: <Refused file={file} failure={left} workspace={workspace} /> })
  }
  const recipient = await readRecipient(section, page, batch)
  if (E.isLeft(recipient)) return failurePage(recipient.left, signedIn)
  return workspacePage(page, {
    ...shown, ...discard,
    content: (
      <Checked
        file={file} found={found.right} mayConfirm={may('batch.confirm')} recipient={recipient.right}
      />
    ),
  })
}

const choiceOf = ({ sender, templateName, language }: Batch): ChosenTemplate => ({ sender, name: templateName, language })

/** A line whose message is shown, and the name of its customer. */
type Recipient = ShownLine & { readonly name?: string }

/** Reads the line that the address names, or the first one that can be sent. */
const readRecipient = async (
  { showLine, nameCustomers }: BatchesSection, { by, workspace: { id: workspace }, request }: InWorkspace, { id }: Batch,
): Promise<E.Either<PortFailure | Forbidden, Recipient | undefined>> => {
  const named = /^[1-9]\d{0,6}$/.exec(request.query.get('line') ?? '')?.[0]
  const shown = await showLine({ by, workspace, batch: id, line: named === undefined ? undefined : Number(named) })
  if (E.isLeft(shown)) return shown.left._tag === 'NoSuchBatch' ? E.right(undefined) : E.left(shown.left)
  const customer = shown.right && parseCustomerId(shown.right.to)
  if (shown.right === undefined || customer === undefined || E.isLeft(customer)) return E.right(shown.right)
  const names = await nameCustomers(workspace, [customer.right])
  if (E.isLeft(names)) return names
  const name = names.right.get(customer.right)
  return E.right({ ...shown.right, ...(name !== undefined && { name }) })
}

/** Replaces the recipients of a draft by those of a file. A file whose columns are not clear is asked for again, with its columns to choose from. */
export const replaceFile = async (
  section: BatchesSection, acting: Pick<ActIn, 'signedIn' | 'again' | 'workspace'>,
  { form, ...of }: BatchCommand & { readonly form: LinesForm<BatchRecipient> }, { fields, file }: GivenFile,
): Promise<Answer> => {
  const refuse = (refused: Omit<Tried, 'fields'>): Promise<Answer> => acting.again(async (page) => {
    const shown = await section.show(of)
    if (E.isRight(shown)) return draftPage(section, page, shown.right, { ...refused, fields })
    return failurePage(shown.left._tag === 'NoSuchBatch' ? { _tag: 'NotFound' } : shown.left, acting.signedIn)
  })
  if (file.name === undefined) return refuse({ problem: texts.faults.noFile, at: 'file' })
  const chosen = readChoice(fields['template'] ?? '')
  const template = chosen && await findTemplate(section, of.workspace, chosen)
  if (template === undefined) {
    return addFile(section, acting, { ...of, lines: readPlainLines(file, form) }, file)
  }
  const opened = await openFile(file, template, fields, form)
  if (opened === undefined) return refuse({ problem: texts.faults.brokenFile, at: 'file' })
  if (opened.problem !== undefined) return refuse({ ...faultOfFile(opened.problem, opened.head), head: opened.head })
  return addFile(section, acting, { ...of, lines: opened.lines }, file)
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

type FileProps = { readonly batch: Batch; readonly template: TemplateRecord | undefined; readonly tried: Tried | undefined }

const Refused = ({ file, failure, workspace }: {
  readonly file: FileProps; readonly failure: BatchRefusal; readonly workspace: InWorkspace['workspace']
}): VNode => (
  <>
    <Above batch={file.batch} />
    <p class="note bad" role="alert"><Refusal failure={failure} workspace={workspace} /></p>
    <p><a class="button plain" href={batchPath(file.batch)}>{texts.checkAgain}</a></p>
    <Replace {...file} />
  </>
)

const FileForm = ({ batch, template, tried, isReplacing = false }: FileProps & { readonly isReplacing?: boolean }): VNode => (
  <form
    method="post" action={`${batchPath(batch)}/file`} encType="multipart/form-data"
    {...{ 'data-matching': `${batchesPath(batch.workspace)}/preview/file` }}
  >
    {template !== undefined && <input type="hidden" name="template" value={writeChoice(choiceOf(batch))} />}
    {template !== undefined && tried?.head !== undefined && <MatchPart template={template} head={tried.head} refused={tried} />}
    <RecipientsField refused={tried ?? {}} isAgain={tried?.head !== undefined} />
    {template !== undefined && tried?.head === undefined && <MatchPart template={template} refused={{}} />}
    <button {...(isReplacing && { class: 'plain' })}>{isReplacing ? texts.replaceVerb : texts.makeDraft}</button>
  </form>
)

const Replace = (file: FileProps): VNode => (
  <Behind title={texts.replace} sentence={texts.replaceSentence} isAct isOpen={file.tried !== undefined}>
    <FileForm {...file} isReplacing />
  </Behind>
)

type CheckedProps = { readonly batch: Batch; readonly found: Preflight }

const Checked = ({ file, found, mayConfirm, recipient }: Pick<CheckedProps, 'found'> & {
  readonly file: FileProps; readonly mayConfirm: boolean; readonly recipient: Recipient | undefined
}): VNode => {
  const { batch, template } = file
  return (
    <>
      <Above batch={batch}><a class="button plain" href={batchPath(batch)}>{texts.checkAgain}</a></Above>
      {/* On a phone the total comes before what is left out and how the batch runs. */}
      <div class="beside checked">
        <div>
          <WhoAndWhen found={found} />
          {found.warnings.length > 0 && (
            <ul class="attention-list">
              {found.warnings.map((warning, at) => (
                <li key={at}><Icon name="alert" /><div><WarningSentence warning={warning} currency={found.currency} /></div></li>
              ))}
            </ul>
          )}
        </div>
        <div>
          <Cost batch={batch} found={found} mayConfirm={mayConfirm} />
          {recipient !== undefined && template !== undefined && <Message batch={batch} template={template} recipient={recipient} />}
        </div>
        <div>
          {found.problems.length > 0 && <LeftOut batch={batch} problems={found.problems} />}
          <Runs batch={batch} />
          <Replace {...file} />
        </div>
      </div>
    </>
  )
}

/** The message of one recipient, with what was filled in, and the way to the others. */
const Message = ({ batch, template, recipient: { line, to, name, content, previous, next } }: {
  readonly batch: Batch; readonly template: TemplateRecord; readonly recipient: Recipient
}): VNode => {
  const number = writeCustomerId(to as CustomerId)
  const way = (to: number | undefined, icon: 'earlier' | 'later', text: string) => (to === undefined
    ? <span class="step" aria-hidden="true"><Icon name={icon} /></span>
    : <a class="step" href={`${batchPath(batch)}?line=${to}#message`} aria-label={text} title={text}><Icon name={icon} /></a>)
  return (
    <section class="card panel" aria-labelledby="message">
      <div class="heading steps">
        <h2 id="message">
          {name ?? number} <span class="soft">{name === undefined ? '' : `${number} · `}{texts.line(String(line))}</span>
        </h2>
        <span>{way(previous, 'earlier', texts.previousLine)}{way(next, 'later', texts.nextLine)}</span>
      </div>
      <Preview preview={markedPreview(template, content?.components)} />
      <form class="jump" action={`${batchPath(batch)}#message`}>
        <label for="line">{texts.lineNumber}</label>
        <input id="line" name="line" inputMode="numeric" value={line} autocomplete="off" /><button class="plain">{texts.showLine}</button>
      </form>
    </section>
  )
}

const WhoAndWhen = ({ found: { recipients, sendable, daysNeeded, days, earliestEnd } }: Pick<CheckedProps, 'found'>): VNode => {
  const leftOut = recipients - sendable
  return (
    <section class="card panel">
      <div class="over">
        <p class="priced"><strong>{written(sendable)}</strong> {texts.getIt(written(recipients))}</p>
        <p class="soft">{leftOut === 0 ? texts.noneLeftOut : texts.areLeftOut(leftOut)}</p>
      </div>
      <PartsBar
        label={texts.getIt(written(recipients))} hasLegend={false}
        parts={[
          { look: 'read', name: texts.messages, size: sendable }, { look: 'failed', name: texts.leftOut, size: leftOut },
        ]}
      />
      {sendable > 0 && (
        <>
          <p><strong>{texts.takes(daysNeeded)} <Time at={Math.ceil(earliestEnd / MINUTE_MS) * MINUTE_MS} /></strong></p>
          <p class="hint">{texts.takesHint}</p>
          <DaysBar label={texts.byDay} days={days} total={daysNeeded} />
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

const LeftOut = ({ batch, problems }: { readonly batch: Batch; readonly problems: ReadonlyArray<FoundProblem> }): VNode => (
  <>
    <Heading title={texts.leftOut} href={`${batchPath(batch)}/results.csv`} more={texts.downloadLines} />
    <Table label={texts.leftOut} columns={[texts.problem, { number: texts.lines }, texts.where, texts.whatToDo]}>
      {problems.map(({ code, count, lines }) => {
        const { means, fix } = meaningOfProblem(code)
        return (
          <tr key={code}>
            <td class="title">{means}</td>
            <td data-label={texts.lines} class="number">{written(count)}</td>
            <td data-label={texts.where}>{runsOf(lines)}{count > lines.length && ' …'}</td>
            <td data-label={texts.whatToDo} class="soft">{fix}</td>
          </tr>
        )
      })}
    </Table>
  </>
)

/** Numbers of lines; three or more that follow each other are shown as a range. */
const runsOf = (lines: ReadonlyArray<number>): string => {
  const runs: Array<[number, number]> = []
  for (const line of lines) {
    const last = runs.at(-1)
    if (last !== undefined && last[1] === line - 1) last[1] = line
    else runs.push([line, line])
  }
  return runs.map(([from, to]) => (from === to ? written(from) : `${written(from)}${to - from > 1 ? '–' : ', '}${written(to)}`)).join(', ')
}

const Cost = ({ batch, found, mayConfirm }: CheckedProps & { readonly mayConfirm: boolean }): VNode => {
  const { total, currency, parts, sendable, availableAfter } = found
  return (
    <Panel id="total" title={texts.total}>
      <p class="priced"><strong><Money micros={total} currency={currency} /></strong></p>
      {parts.length > 0 && (
        <div class="scroll" role="region" aria-label={texts.byMarket} tabindex={0}>
          <table class="figures">
            <thead>
              <tr>{[texts.byMarket, texts.messages, texts.price].map((name) => <th scope="col" key={name}>{name}</th>)}</tr>
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
    <th scope="row">
      {market === undefined ? capitalised(categoryName(category)) : marketName(market)}
      <span class="soft beneath">
        {market !== undefined && `${capitalised(categoryName(category))} · `}
        {texts.eachFor(writeMoney(micros / BigInt(Math.max(1, lines)), currency))}
      </span>
    </th>
    <td>{written(lines)}</td>
    <td><Money micros={micros} currency={currency} /></td>
  </tr>
)

/** How a batch is sent, in sentences. */
const Runs = ({ batch: { timing: { sendAt, until, hours }, firstWave, brake, metadata } }: Pick<CheckedProps, 'batch'>): VNode => (
  <Panel id="runs" title={texts.runs}>
    <ul class="runs">
      <li>
        <Icon name="clock" />
        <span>
          {sendAt === undefined ? texts.runsNow : <>{texts.runsAt} <Time at={sendAt} />.</>}{' '}
          {hours !== undefined && texts.runsHours(hours.from, hours.to, hours.timezone === 'customer' ? undefined : hours.timezone)}{' '}
          {hours?.days !== undefined && hours.days.length < WEEKDAYS.length && texts.runsDays(hours.days.map(dayName).join(', '))}{' '}
          {until !== undefined && <>{texts.runsUntil} <Time at={until} />.</>}
        </span>
      </li>
      <li>
        <Icon name="pause" />
        <span>{brake.share < 1 ? texts.runsBrake(percentOf(brake.share, 1), written(brake.of)) : texts.runsNoBrake}</span>
      </li>
      {firstWave !== undefined && (
        <li>
          <Icon name="queue" />
          <span>{texts.runsWave(firstWave.recipients, texts.hours(Math.round(firstWave.waitMs / HOUR_MS)))}</span>
        </li>
      )}
      <li><Icon name="customers" /><span>{texts.runsOptOut}</span></li>
      {metadata !== undefined && (
        <li>
          <Icon name="document" />
          <span>{texts.runsNotes(Object.entries(metadata).map(([name, value]) => `${name}: ${value}`).join(', '))}</span>
        </li>
      )}
    </ul>
  </Panel>
)

const WEEKDAY = dateFormat({ weekday: 'short', timeZone: 'UTC' })

/** The name of a day: 5 January 1970 was a Monday. */
const dayName = (day: string): string => WEEKDAY((4 + WEEKDAYS.findIndex((one) => one === day)) * DAY_MS)
