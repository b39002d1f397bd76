import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { batchColumns } from '../../../../core/batches/columns.js'
import type { Added, BatchCommand } from '../../../../core/batches/use-cases.js'
import { csvLine } from '../../../../core/kernel/csv.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { LineProblem } from '../../../../core/kernel/lines.js'
import type { RateCard } from '../../../../core/money/rate-card.js'
import { senderIdOf } from '../../../../core/senders/sender.js'
import { previewOf } from '../../../../core/templates/parts.js'
import type { TemplateRecord } from '../../../../core/templates/template.js'
import { type Answer, redirectWithFlash } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import type { FileForm, FormFields } from '../../form-body.js'
import { type ActIn, type InWorkspace, workspacePage } from '../../page.js'
import {
  Behind, capitalised, ChoiceField, Copied, Empty, faultAt, Field, FileField, LinesField, Panel, Problem, type Refused, Table,
} from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'
import { currentZone } from '../../zone.js'
import { areSeveral, byAccount, NumberField, type Numbers, readNumbers, titleOf as titleOfNumber } from '../numbers/names.js'
import { Preview } from '../sending/preview.js'
import { priceRange } from '../workspaces/templates.js'
import { BRAKE_FIELDS, type DAYS, type FormFault, MAX_NAME, RARE_FIELDS, readFields } from './batch-form.js'
import { Refusal, Where } from './batch-problems.js'
import {
  approvedTemplates, batchesPath, batchPath, type BatchesSection, type ChosenTemplate, findTemplate, readChoice, writeChoice,
} from './batches-section.js'
import { ChosenColumns, columnField, columnName, type Head, Matched, type OpenedFile, openFile, sampleOf } from './columns.js'

const { batches: texts } = TEXTS
/** How many lines that cannot be read are shown after an upload: the result of a form is short. */
const SHOWN_PROBLEMS = 10
/** The maximum size of a file in bytes: 100,000 lines of some kilobytes are larger than any request. */
const MAX_FILE_BYTES = 100 * 1024 * 1024
const MAX_NOTES = 10_000

/** A form that was refused: what was typed, its fault, and the head of its file if that was read. */
type Tried = Refused & { readonly form: FormFields; readonly head?: Head | undefined }

/** The form of a new batch, with what was typed and what is wrong with it. Without a template it asks for one. */
export const newBatchForm = async (
  section: BatchesSection, page: InWorkspace, named: string, tried: Tried | undefined,
): Promise<Answer> => {
  const { workspace: { id: workspace }, signedIn } = page
  const [numbers, card] = [await readNumbers(section, workspace), await section.showRateCard(workspace)]
  if (E.isLeft(card)) return failurePage(card.left, signedIn)
  const chosen = readChoice(named)
  const template = chosen && await findTemplate(section, workspace, chosen)
  const path = `${batchesPath(workspace)}/new`
  const isWrong = named !== '' && template === undefined
  const answer = { title: texts.create, path: batchesPath(workspace), ...((isWrong || tried !== undefined) && { status: 422 }) }
  if (chosen === undefined || template === undefined) {
    const groups = await groupsOf(section, workspace, numbers)
    return workspacePage(page, { ...answer, content: <Choose path={path} groups={groups} card={card.right} isWrong={isWrong} /> })
  }
  return workspacePage(page, {
    ...answer,
    content: (
      <Details
        path={path} numbers={ofAccount(numbers, chosen)} chosen={chosen} template={template} price={priceRange(card.right, template)}
        tried={tried ?? { form: {} }}
      />
    ),
  })
}

/** The numbers that have the same templates as the chosen one. */
const ofAccount = (numbers: Numbers, { sender }: ChosenTemplate): Numbers =>
  byAccount(numbers).find((group) => group.some((one) => one.sender.phoneNumberId === sender)) ?? []

/** The approved templates of some numbers. */
type Group = {
  readonly name: string; readonly choices: ReadonlyArray<{ readonly choice: ChosenTemplate; readonly template: TemplateRecord }>
}

const groupsOf = async (section: BatchesSection, workspace: WorkspaceId, numbers: Numbers): Promise<ReadonlyArray<Group>> =>
  (await Promise.all(byAccount(numbers).map(async (group) => {
    const sender = group[0]?.sender.phoneNumberId
    const templates = sender === undefined ? [] : await approvedTemplates(section, workspace, sender)
    return {
      name: group.map(titleOfNumber).join(', '),
      choices: templates.flatMap((template) =>
        (sender === undefined ? [] : [{ choice: { sender, name: template.name, language: template.language }, template }])),
    }
  }))).filter(({ choices }) => choices.length > 0)

const Choose = ({ path, groups, card, isWrong }: {
  readonly path: string; readonly groups: ReadonlyArray<Group>; readonly card: RateCard; readonly isWrong: boolean
}): VNode => (
  <>
    {isWrong && <p class="note bad" role="alert">{texts.faults.template}</p>}
    {groups.length === 0 ? <Empty sentence={texts.noTemplates} icon="templates" /> : <p>{texts.chooseTemplate}</p>}
    {groups.map(({ name, choices }) => (
      <section key={name} aria-label={name}>
        {groups.length > 1 && <h2>{name}</h2>}
        <Table label={texts.chooseTemplate} columns={[texts.template, TEXTS.templates.category, { number: texts.priceEach }]}>
          {choices.map(({ choice, template }) => (
            <tr key={writeChoice(choice)}>
              <td class="first">
                <a class="known" href={`${path}?${new URLSearchParams([['template', writeChoice(choice)]]).toString()}`}>
                  <span><span class="title">{choice.name}, {choice.language}</span><span class="soft gist">{gistOf(template)}</span></span>
                </a>
              </td>
              <td data-label={TEXTS.templates.category}>{capitalised(wordFor('categories', template.category))}</td>
              <td data-label={texts.priceEach} class="number whole">{priceRange(card, template)}</td>
            </tr>
          ))}
        </Table>
      </section>
    ))}
  </>
)

/** The beginning of what a template says. */
const gistOf = (template: TemplateRecord): string => (previewOf(template, undefined).body ?? '').replace(/\s+/g, ' ')

const Details = ({ path, numbers, chosen, template, price, tried }: {
  readonly path: string; readonly numbers: Numbers; readonly chosen: ChosenTemplate; readonly template: TemplateRecord
  readonly price: string; readonly tried: Tried
}): VNode => {
  const { form, head, ...refused } = tried
  const query = new URLSearchParams([['template', writeChoice(chosen)]]).toString()
  return (
    <>
      <p class="over">
        <span>
          <strong>{chosen.name}</strong>, {chosen.language}{' '}
          <span class="soft">{capitalised(wordFor('categories', template.category))}{price !== '' && ` · ${texts.eachFor(price)}`}</span>
        </span>{' '}
        <a href={path}>{texts.otherTemplate}</a>
      </p>
      <Problem sentence={refused.problem} at={refused.at} />
      <div class="beside batch">
        <form
          method="post" action={path.replace(/new$/, 'file')} encType="multipart/form-data"
          {...{ 'data-matching': path.replace(/new$/, 'preview/file') }}
        >
          <input type="hidden" name="template" value={writeChoice(chosen)} />
          {head === undefined ? <ChosenColumns fields={form} /> : <MatchPart template={template} head={head} refused={refused} />}
          <Field
            id="name" label={texts.optional(texts.name)} hint={texts.nameHint} value={form['name']} maxLength={MAX_NAME} required={false}
            {...faultAt(refused, 'name')}
          />
          {areSeveral(numbers) && (
            <NumberField numbers={numbers} label={texts.sender} chosen={form['sender'] ?? chosen.sender} {...faultAt(refused, 'sender')} />
          )}
          <Rare form={form} refused={refused} />
          <RecipientsField refused={refused} isAgain={refused.at !== undefined && refused.at !== 'file'} />
          {head === undefined && <MatchPart template={template} refused={refused} />}
          <button>{texts.makeDraft}</button>
        </form>
        <div>
          <Panel id="message" title={texts.message}>
            <Preview preview={{ ...previewOf(template, undefined), isPattern: true }} />
          </Panel>
          <Panel id="columns" title={texts.columns}>
            <p class="soft">{template.components === undefined ? texts.columnsUnknown : texts.columnsHint}</p>
            <Copied text={batchColumns(template).slice(0, -1).join(',')} label={texts.columns} />
            <p><a href={`${path.replace(/new$/, 'sample.csv')}?${query}`}>{texts.sample}</a></p>
          </Panel>
        </div>
      </div>
    </>
  )
}

/** The place for the columns of the file and its first lines, which the script fills as soon as a file is chosen. */
export const MatchPart = ({ template, head, refused }: {
  readonly template: TemplateRecord; readonly head?: Head; readonly refused: Refused
}): VNode => (
  <div class="matched">{head !== undefined && <Matched template={template} opened={{ head }} refused={refused} />}</div>
)

/** When and how the batch is sent: what most batches do not need. */
const Rare = ({ form, refused }: { readonly form: FormFields; readonly refused: Refused }): VNode => {
  const given: FormFields = { ...BRAKE_FIELDS, ...form }
  const first: FormFields = { ...BRAKE_FIELDS, days: 'every', zone: 'customer' }
  const isUsed = RARE_FIELDS.some((field) => refused.at === field || (form[field] ?? first[field] ?? '') !== (first[field] ?? ''))
  const common = (id: string) => ({ id, value: given[id], required: false, ...faultAt(refused, id) })
  const hours = (id: 'from' | 'to') =>
    <Field {...common(id)} type="time" label={texts.optional(id === 'from' ? texts.hoursFrom : texts.hoursTo)} />
  return (
    <Behind title={texts.how} sentence={texts.howHint} isOpen={isUsed}>
      <div class="row">
        <Field {...common('send_at')} type="datetime-local" label={texts.optional(texts.sendAt)} hint={texts.sendAtHint(currentZone())} />
        <Field {...common('until')} type="datetime-local" label={texts.optional(texts.until)} hint={texts.untilHint} />
      </div>
      <div class="row">
        {hours('from')}
        {hours('to')}
        <ChoiceField id="zone" label={texts.hoursZone}>
          <option value="customer">{texts.ofCustomer}</option>
          <option value="here" selected={given['zone'] === 'here'}>{currentZone()}</option>
        </ChoiceField>
        <ChoiceField id="days" label={texts.days}>
          {(['every', 'workdays', 'saturday'] as const satisfies ReadonlyArray<keyof typeof DAYS>).map((name) => (
            <option key={name} value={name} selected={given['days'] === name}>{texts.dayChoices[name]}</option>
          ))}
        </ChoiceField>
      </div>
      <div class="row">
        <Field {...common('wave')} label={texts.optional(texts.wave)} hint={texts.waveHint} inputmode="numeric" />
        <Field {...common('wait')} label={texts.optional(texts.wait)} hint={texts.waitHint} inputmode="numeric" />
      </div>
      <div class="row">
        <Field {...common('brake_share')} label={texts.brakeShare} hint={texts.brakeShareHint} inputmode="numeric" />
        <Field {...common('brake_of')} label={texts.brakeOf} hint={texts.brakeOfHint} inputmode="numeric" />
      </div>
      <LinesField {...common('metadata')} label={texts.optional(texts.metadata)} hint={texts.metadataHint} maxLength={MAX_NOTES} />
    </Behind>
  )
}

/** The field for the file of the recipients. Browsers do not keep a chosen file, so a form that is shown again asks for it again. */
export const RecipientsField = ({ refused, isAgain = false }: { readonly refused: Refused; readonly isAgain?: boolean }): VNode => (
  <FileField
    id="file" label={texts.file} hint={isAgain ? texts.fileAgain : texts.fileHint} accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
    most={MAX_FILE_BYTES} tooLarge={texts.fileTooLarge} {...faultAt(refused, 'file')}
  />
)

/** A CSV with the columns of a template, and a line as an example. */
export const sampleCsv = async (section: BatchesSection, page: InWorkspace): Promise<Answer> => {
  const chosen = readChoice(page.request.query.get('template') ?? '')
  const template = chosen && await findTemplate(section, page.workspace.id, chosen)
  if (template === undefined) return failurePage({ _tag: 'NotFound' }, page.signedIn)
  const [to = '', ...columns] = batchColumns(template).slice(0, -1)
  const example = ['4915123456789', ...columns.map((name) => `(${name})`)]
  return { _tag: 'Csv', name: `${template.name}.csv`, parts: linesOf([[to, ...columns], example]) }
}

async function* linesOf(rows: ReadonlyArray<ReadonlyArray<string>>): AsyncGenerator<string> {
  for (const row of rows) yield await Promise.resolve(csvLine(row))
}

/** Shows the columns of the beginning of a file, and its first lines as messages, for the script. */
export const previewFile = async (section: BatchesSection, { workspace, signedIn }: ActIn, { fields, file }: FileForm): Promise<Answer> => {
  const chosen = readChoice(fields['template'] ?? '')
  const template = chosen && await findTemplate(section, workspace, chosen)
  if (template === undefined || file.name === undefined) return failurePage({ _tag: 'NotFound' }, signedIn)
  const opened = await openFile(file, template, fields)
  if (opened === undefined) return failurePage({ _tag: 'Malformed' }, signedIn)
  const sample = await sampleOf(opened)
  return { _tag: 'Part', content: () => <Matched template={template} opened={opened} sample={sample} /> }
}

/** Makes a draft from a form, and adds the recipients of its file. Nothing is made before the columns of the file are known. */
export const newBatch = async (
  section: BatchesSection, { by, workspace, signedIn, again }: ActIn, { fields, file }: FileForm,
): Promise<Answer> => {
  const refuse = ({ problem, at }: FormFault, head?: Head): Promise<Answer> =>
    again((page) => newBatchForm(section, page, fields['template'] ?? '', { problem, at, form: fields, head }))
  const read = readFields(fields)
  if (E.isLeft(read)) return refuse(read.left)
  if (file.name === undefined) return refuse({ problem: texts.faults.noFile, at: 'file' })
  const { chosen, name = nameOfFile(file.name), ...given } = read.right
  const template = await findTemplate(section, workspace, chosen)
  if (template === undefined) return refuse({ problem: texts.faults.template, at: 'template' })
  const opened = await openFile(file, template, fields)
  if (opened === undefined) return refuse({ problem: texts.faults.brokenFile, at: 'file' })
  if (opened.problem !== undefined) return refuse(faultOfFile(opened.problem, opened.head), opened.head)
  const sender = fields['sender'] === undefined ? chosen.sender : senderIdOf(fields['sender'])
  const made = await section.create({ by, workspace, templateName: chosen.name, language: chosen.language, ...given, name, sender })
  if (E.isRight(made)) {
    return addFile(section, { signedIn, again }, { by, workspace, batch: made.right.id, lines: opened.lines }, file)
  }
  const { left } = made
  switch (left._tag) {
    case 'InvalidTiming': return refuse({ problem: texts.faults.sendAt[left.why], at: left.field === 'until' ? 'until' : 'send_at' })
    case 'Forbidden': case 'PortFailure': return failurePage(left, signedIn)
    case 'UnknownSender': case 'SenderNotConfigured': return refuse({ problem: texts.faults.sender, at: 'sender' })
  }
}

/** The name of a batch that got none: that of its file. */
const nameOfFile = (file: string): string | undefined =>
  file.replace(/\.[a-z]{1,6}$/i, '').replace(/[\p{Cc}\p{Cs}]/gu, '').trim().slice(0, MAX_NAME) || undefined

/** What is wrong with a file before its first line: a column that is missing, or that it cannot be read. */
export const faultOfFile = (problem: LineProblem, head: Head | undefined): FormFault => {
  const [missing] = head?.missing ?? []
  return missing === undefined
    ? { problem: `${texts.at(String(problem.line), problem.column)}: ${problem.message}.`, at: 'file' }
    : { problem: texts.faults.column(columnName(missing)), at: columnField(missing) }
}

/** A draft whose recipients are replaced, and the lines of its file. */
type Filling = BatchCommand & Pick<OpenedFile, 'lines'>

/** Replaces the recipients of a draft by those of a file, and shows the draft with the lines that cannot be read. */
export const addFile = async (
  section: BatchesSection, { signedIn, again }: Pick<ActIn, 'signedIn' | 'again'>, filling: Filling, file: FileForm['file'],
): Promise<Answer> => {
  const show = (flash: VNode): Answer => redirectWithFlash(batchPath({ workspace: filling.workspace, id: filling.batch }), flash)
  const added = await storeFile(section, filling, file)
  if (added === undefined) return show(<p class="note bad" role="alert">{texts.faults.brokenFile}</p>)
  if (E.isRight(added)) return show(<AddedNote added={added.right} />)
  const { left } = added
  if (left._tag === 'NoSuchBatch') return failurePage({ _tag: 'NotFound' }, signedIn)
  if (left._tag === 'Forbidden' || left._tag === 'PortFailure') return failurePage(left, signedIn)
  return again(async ({ workspace }) => show(<p class="note bad" role="alert"><Refusal failure={left} workspace={workspace} /></p>))
}

/** Stores the lines of a file while it arrives; `undefined` if it was not received completely. The earlier recipients stay then. */
const storeFile = async (
  { addRecipients }: BatchesSection, filling: Filling, file: FileForm['file'],
): Promise<Awaited<ReturnType<BatchesSection['addRecipients']>> | undefined> => {
  try {
    return await addRecipients(filling)
  } catch (error) {
    if (file.failure() === undefined) throw error
    return undefined
  }
}

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
