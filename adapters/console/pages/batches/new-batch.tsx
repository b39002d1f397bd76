import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { type BatchRecipient, placeholderColumns } from '../../../../core/batches/lines.js'
import { MAX_BATCH_LINES } from '../../../../core/batches/batch.js'
import type { Added, BatchCommand, CreateBatchCommand } from '../../../../core/batches/use-cases.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { csvLine } from '../../../../core/kernel/csv.js'
import type { LinesForm, LinesType } from '../../../../core/kernel/lines.js'
import { HOUR_MS, type Instant } from '../../../../core/kernel/time.js'
import { senderIdOf } from '../../../../core/senders/sender.js'
import type { TemplateRecord } from '../../../../core/templates/template.js'
import { LINES_TYPES, readLines } from '../../../shared/file-lines.js'
import { type Answer, redirectWithFlash } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import type { FileForm, FormFields } from '../../form-body.js'
import { type ActIn, type InWorkspace, workspacePage } from '../../page.js'
import { ChoiceField, Copied, Empty, faultAt, Field, FileField, Problem, type Refused } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { currentZone, parseMoment } from '../../zone.js'
import { areSeveral, byAccount, NumberField, type Numbers, readNumbers, titleOf as titleOfNumber } from '../numbers/names.js'
import { Refusal, Where } from './batch-problems.js'
import {
  approvedTemplates, batchesPath, batchPath, type BatchesSection, type ChosenTemplate, findTemplate, readChoice, writeChoice,
} from './batches-section.js'

const { batches: texts } = TEXTS
const MAX_NAME = 100
const MAX_WAIT_HOURS = 168
/** How many lines that cannot be read are shown after an upload: the result of a form is short. */
const SHOWN_PROBLEMS = 10
/** The maximum size of a file in bytes: 100,000 lines of some kilobytes are larger than any request. */
const MAX_FILE_BYTES = 100 * 1024 * 1024

/** The form of a new batch, with what was typed and what is wrong with it. Without a template it asks for one. */
export const newBatchForm = async (
  section: BatchesSection, page: InWorkspace, named: string, tried: (Refused & { readonly form: FormFields }) | undefined,
): Promise<Answer> => {
  const { workspace: { id: workspace } } = page
  const numbers = await readNumbers(section, workspace)
  const chosen = readChoice(named)
  const template = chosen && await findTemplate(section, workspace, chosen)
  const path = `${batchesPath(workspace)}/new`
  const isWrong = named !== '' && template === undefined
  const answer = { title: texts.create, path: batchesPath(workspace), ...((isWrong || tried !== undefined) && { status: 422 }) }
  if (chosen === undefined || template === undefined) {
    return workspacePage(page, {
      ...answer, content: <Choose path={path} groups={await groupsOf(section, workspace, numbers)} isWrong={isWrong} />,
    })
  }
  return workspacePage(page, {
    ...answer,
    content: <Details path={path} numbers={ofAccount(numbers, chosen)} chosen={chosen} template={template} tried={tried ?? { form: {} }} />,
  })
}

/** The numbers that have the same templates as the chosen one. */
const ofAccount = (numbers: Numbers, { sender }: ChosenTemplate): Numbers =>
  byAccount(numbers).find((group) => group.some((one) => one.sender.phoneNumberId === sender)) ?? []

type Group = { readonly name: string; readonly choices: ReadonlyArray<ChosenTemplate> }

const groupsOf = async (section: BatchesSection, workspace: WorkspaceId, numbers: Numbers): Promise<ReadonlyArray<Group>> =>
  (await Promise.all(byAccount(numbers).map(async (group) => {
    const sender = group[0]?.sender.phoneNumberId
    const templates = sender === undefined ? [] : await approvedTemplates(section, workspace, sender)
    return {
      name: group.map(titleOfNumber).join(', '),
      choices: templates.flatMap(({ name, language }) => (sender === undefined ? [] : [{ sender, name, language }])),
    }
  }))).filter(({ choices }) => choices.length > 0)

const Choose = ({ path, groups, isWrong }: {
  readonly path: string; readonly groups: ReadonlyArray<Group>; readonly isWrong: boolean
}): VNode => (groups.length === 0
  ? <Empty sentence={texts.noTemplates} icon="templates" />
  : (
    <form action={path}>
      <ChoiceField
        id="template" label={texts.chooseTemplate} hint={texts.chooseHint} required
        {...(isWrong && { fault: texts.faults.template, isFirst: true })}
      >
        {groups.length === 1
          ? <Choices {...groups[0]} />
          : groups.map((group) => <optgroup key={group.name} label={group.name}><Choices {...group} /></optgroup>)}
      </ChoiceField>
      <button>{texts.next}</button>
    </form>
  ))

const Choices = ({ choices = [] }: Partial<Group>): VNode => (
  <>
    {choices.map((choice) => <option key={writeChoice(choice)} value={writeChoice(choice)}>{choice.name}, {choice.language}</option>)}
  </>
)

const Details = ({ path, numbers, chosen, template, tried: { form, ...refused } }: {
  readonly path: string; readonly numbers: Numbers; readonly chosen: ChosenTemplate; readonly template: TemplateRecord
  readonly tried: Refused & { readonly form: FormFields }
}): VNode => {
  const choice = new URLSearchParams([['template', writeChoice(chosen)]]).toString()
  return (
    <>
      <p class="over"><span><strong>{chosen.name}</strong>, {chosen.language}</span> <a href={path}>{texts.otherTemplate}</a></p>
      <Problem sentence={refused.problem} at={refused.at} />
      <form method="post" action={path.replace(/new$/, 'file')} encType="multipart/form-data">
        <input type="hidden" name="template" value={writeChoice(chosen)} />
        <Field
          id="name" label={texts.optional(texts.name)} hint={texts.nameHint} value={form['name']} maxLength={MAX_NAME} required={false}
          {...faultAt(refused, 'name')}
        />
        {areSeveral(numbers) && (
          <NumberField numbers={numbers} label={texts.sender} chosen={form['sender'] ?? chosen.sender} {...faultAt(refused, 'sender')} />
        )}
        <Field
          id="send_at" type="datetime-local" label={texts.optional(texts.sendAt)} hint={texts.sendAtHint(currentZone())}
          value={form['send_at']} required={false} {...faultAt(refused, 'send_at')}
        />
        <div class="row">
          <Field
            id="wave" label={texts.optional(texts.wave)} hint={texts.waveHint} value={form['wave']} inputmode="numeric" required={false}
            {...faultAt(refused, 'wave')}
          />
          <Field
            id="wait" label={texts.optional(texts.wait)} hint={texts.waitHint} value={form['wait']} inputmode="numeric" required={false}
            {...faultAt(refused, 'wait')}
          />
        </div>
        <RecipientsField refused={refused} />
        <button>{texts.makeDraft}</button>
      </form>
      <h2>{texts.columns}</h2>
      <p class="soft">{template.components === undefined ? texts.columnsUnknown : texts.columnsHint}</p>
      <Copied text={headOf(template)} label={texts.columns} />
      <p><a href={`${path.replace(/new$/, 'sample.csv')}?${choice}`}>{texts.sample}</a></p>
    </>
  )
}

/** The field for the file of the recipients. */
export const RecipientsField = ({ refused }: { readonly refused: Refused }): VNode => (
  <FileField
    id="file" label={texts.file} hint={texts.fileHint} accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson" most={MAX_FILE_BYTES}
    tooLarge={texts.fileTooLarge} {...faultAt(refused, 'file')}
  />
)

const headOf = (template: TemplateRecord): string => ['to', ...placeholderColumns(template) ?? []].join(',')

/** A CSV with the columns of a template, and a line as an example. */
export const sampleOf = async (section: BatchesSection, page: InWorkspace): Promise<Answer> => {
  const chosen = readChoice(page.request.query.get('template') ?? '')
  const template = chosen && await findTemplate(section, page.workspace.id, chosen)
  if (template === undefined) return failurePage({ _tag: 'NotFound' }, page.signedIn)
  const columns = placeholderColumns(template) ?? []
  const example = ['4915123456789', ...columns.map((name) => `(${name})`)]
  return { _tag: 'Csv', name: `${template.name}.csv`, parts: linesOf([['to', ...columns], example]) }
}

async function* linesOf(rows: ReadonlyArray<ReadonlyArray<string>>): AsyncGenerator<string> {
  for (const row of rows) yield await Promise.resolve(csvLine(row))
}

/** Makes a draft from a form, and adds the recipients of its file. */
export const newBatch = async (
  section: BatchesSection, { by, workspace, signedIn, again }: ActIn, { fields, file }: FileForm,
): Promise<Answer> => {
  const refuse = (problem: string, at: string): Promise<Answer> =>
    again((page) => newBatchForm(section, page, fields['template'] ?? '', { problem, at, form: fields }))
  const read = readFields(fields)
  if (E.isLeft(read)) return refuse(read.left.problem, read.left.at)
  if (file.name === undefined) return refuse(texts.faults.noFile, 'file')
  const { chosen, ...given } = read.right
  if (await findTemplate(section, workspace, chosen) === undefined) return refuse(texts.faults.template, 'template')
  const sender = fields['sender'] === undefined ? chosen.sender : senderIdOf(fields['sender'])
  const made = await section.create({ by, workspace, templateName: chosen.name, language: chosen.language, ...given, sender })
  if (E.isRight(made)) {
    const of = { by, workspace, batch: made.right.id }
    const form = await section.findForm(of)
    if (E.isRight(form)) return addFile(section, { signedIn, again }, { ...of, form: form.right }, file)
    return failurePage(form.left._tag === 'PortFailure' || form.left._tag === 'Forbidden' ? form.left : { _tag: 'NotFound' }, signedIn)
  }
  const { left } = made
  switch (left._tag) {
    case 'InvalidTiming': return refuse(texts.faults.sendAt[left.why], 'send_at')
    case 'Forbidden': case 'PortFailure': return failurePage(left, signedIn)
    case 'UnknownSender': case 'SenderNotConfigured': return refuse(texts.faults.sender, 'sender')
  }
}

type Given = Pick<CreateBatchCommand, 'timing' | 'name' | 'firstWave'> & { readonly chosen: ChosenTemplate }

const readFields = (fields: FormFields): E.Either<{ readonly problem: string; readonly at: string }, Given> => {
  const fault = (at: string, problem: string) => E.left({ at, problem })
  const text = (field: string): string => (fields[field] ?? '').trim()
  const chosen = readChoice(text('template'))
  if (chosen === undefined) return fault('template', texts.faults.template)
  const name = text('name')
  if (name.length > MAX_NAME || /[\p{Cc}\p{Cs}]/u.test(name)) return fault('name', texts.faults.name)
  const sendAt: Instant | undefined = text('send_at') === '' ? undefined : parseMoment(text('send_at'))
  if (text('send_at') !== '' && sendAt === undefined) return fault('send_at', texts.faults.moment)
  const [wave, wait] = [wholeNumber(text('wave'), MAX_BATCH_LINES), wholeNumber(text('wait'), MAX_WAIT_HOURS)]
  const hasWave = text('wave') !== '' || text('wait') !== ''
  if (hasWave && wave === undefined) return fault('wave', texts.faults.wave)
  if (hasWave && wait === undefined) return fault('wait', texts.faults.wait)
  return E.right({
    chosen, timing: { ...(sendAt !== undefined && { sendAt }) }, ...(name !== '' && { name }),
    ...(wave !== undefined && wait !== undefined && { firstWave: { recipients: wave, waitMs: wait * HOUR_MS } }),
  })
}

const wholeNumber = (text: string, most: number): number | undefined => {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0
  return value >= 1 && value <= most ? value : undefined
}

/** A draft whose recipients are replaced, and what the lines of its file mean. */
type Filling = BatchCommand & { readonly form: LinesForm<BatchRecipient> }

/** Replaces the recipients of a draft by those of a file, and shows the draft with the lines that cannot be read. */
export const addFile = async (
  section: BatchesSection, { signedIn, again }: Pick<ActIn, 'signedIn' | 'again'>, { form, ...of }: Filling, file: FileForm['file'],
): Promise<Answer> => {
  const show = (flash: VNode): Answer => redirectWithFlash(batchPath({ workspace: of.workspace, id: of.batch }), flash)
  const refuse = (sentence: string): Answer => show(<p class="note bad" role="alert">{sentence}</p>)
  if (file.name === undefined) return refuse(texts.faults.noFile)
  const added = await storeFile(section, { ...of, form }, file)
  if (added === undefined) return refuse(texts.faults.brokenFile)
  if (E.isRight(added)) return show(<AddedNote added={added.right} />)
  const { left } = added
  if (left._tag === 'NoSuchBatch') return failurePage({ _tag: 'NotFound' }, signedIn)
  if (left._tag === 'Forbidden' || left._tag === 'PortFailure') return failurePage(left, signedIn)
  return again(async ({ workspace }) => show(<p class="note bad" role="alert"><Refusal failure={left} workspace={workspace} /></p>))
}

/** Stores the lines of a file while it arrives; `undefined` if it was not received completely. The earlier recipients stay then. */
const storeFile = async (
  { addRecipients }: BatchesSection, { form, ...of }: Filling, file: FileForm['file'],
): Promise<Awaited<ReturnType<BatchesSection['addRecipients']>> | undefined> => {
  try {
    return await addRecipients({ ...of, lines: readLines(file.bytes, typeOf(file), form) })
  } catch (error) {
    if (file.failure() === undefined) throw error
    return undefined
  }
}

/** Browsers declare many types for a CSV, so the name counts too. */
const typeOf = ({ declared = '', name = '' }: FileForm['file']): LinesType =>
  LINES_TYPES[declared.split(';')[0]?.trim() ?? ''] ?? (/\.(?:ndjson|jsonl)$/i.test(name) ? 'ndjson' : 'csv')

const AddedNote = ({ added: { recipients, unreadable, problems } }: { readonly added: Added }): VNode => (
  <div class={unreadable === 0 ? 'note' : 'note attention'} role="status">
    <div>
      <p>{texts.added(recipients)} {unreadable > 0 && texts.unreadable(unreadable)}</p>
      {unreadable > 0 && (
        <ul>{problems.slice(0, SHOWN_PROBLEMS).map((problem) => <li key={problem.line}><Where {...problem} /></li>)}</ul>
      )}
      {unreadable > SHOWN_PROBLEMS && <p>{texts.moreUnreadable(unreadable - SHOWN_PROBLEMS)}</p>}
    </div>
  </div>
)
