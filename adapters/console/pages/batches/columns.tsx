import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import {
  batchColumns, type ColumnMatch, columnMissing, matchColumns, matchedLines, missingColumns, NO_COLUMN,
} from '../../../../core/batches/columns.js'
import { batchLines, type BatchLine, type BatchRecipient } from '../../../../core/batches/lines.js'
import type { ReadLines } from '../../../../core/batches/use-cases.js'
import type { LineProblem, LinesForm, LinesType } from '../../../../core/kernel/lines.js'
import type { Template } from '../../../../core/templates/template.js'
import { LINES_TYPES, readLines } from '../../../shared/file-lines.js'
import type { FileForm, FormFields } from '../../form-body.js'
import { ChoiceField, faultAt, type Refused } from '../../parts.js'
import { writeCustomerId } from '../../phone.js'
import { TEXTS } from '../../texts.js'
import { markedPreview, Preview } from '../sending/preview.js'
import { Where } from './batch-problems.js'

const { batches: texts } = TEXTS

/** How many lines of a file are shown as messages before it is uploaded. */
const SHOWN_LINES = 3

/** The head of a file, and which of its columns fill those of the batch. */
export type Head = { readonly names: ReadonlyArray<string>; readonly match: ColumnMatch; readonly missing: ReadonlyArray<string> }

/** A file of which the head was read. Without a head it is not a CSV, or the placeholders of the template are unknown. */
export type OpenedFile = {
  readonly head?: Head
  /** Why the rest of the file cannot be read. */
  readonly problem?: LineProblem
  readonly lines: ReadLines
}

/** Reads the head of a file, and matches its columns with those of a template; `undefined` if the file was not received completely. */
export const openFile = async (
  file: FileForm['file'], template: Template, fields: FormFields, form: LinesForm<BatchRecipient> = batchLines(template),
): Promise<OpenedFile | undefined> => {
  let head: Head | undefined
  const matched = matchedLines(form, (names) => {
    const match = matchColumns(names, template, chosenIn(fields))
    head = { names, match, missing: missingColumns(template, match) }
    const [missing] = head.missing
    return missing === undefined ? E.right(match) : E.left(columnMissing(missing))
  })
  const lines = readLines(file.bytes, typeOf(file), template.components === undefined ? form : matched)
  try {
    const first = await lines.next()
    const problem = first.done !== true && E.isLeft(first.value) && first.value.left.isLast === true ? first.value.left : undefined
    return { ...(head && { head }), ...(problem && { problem }), lines: resumed(first, lines) }
  } catch (error) {
    if (file.failure() === undefined) throw error
    return undefined
  }
}

/** Reads the lines of a file whose template is not known any more. */
export const readPlainLines = (file: FileForm['file'], form: LinesForm<BatchRecipient>): ReadLines =>
  readLines(file.bytes, typeOf(file), form)

type Read = E.Either<LineProblem, BatchLine>

async function* resumed(first: IteratorResult<Read>, rest: AsyncGenerator<Read>): AsyncGenerator<Read> {
  if (first.done === true) return
  yield first.value
  yield* rest
}

/** Browsers declare many types for a CSV, so the name counts too. */
const typeOf = ({ declared = '', name = '' }: FileForm['file']): LinesType =>
  LINES_TYPES[declared.split(';')[0]?.trim() ?? ''] ?? (/\.(?:ndjson|jsonl)$/i.test(name) ? 'ndjson' : 'csv')

/** The name of the field that chooses a column of the file. */
export const columnField = (column: string): string => `column.${column}`

const chosenIn = (fields: FormFields): FormFields =>
  Object.fromEntries(Object.entries(fields).flatMap(([field, value]) =>
    (field.startsWith('column.') && value !== '' ? [[field.slice('column.'.length), value]] : [])))

/** The first lines of a file as messages. */
export type Sample = ReadonlyArray<Read>

/** Reads the first lines of an opened file. A part of a file may end in the middle of a line, so what breaks there is left out. */
export const sampleOf = async ({ lines, problem }: OpenedFile): Promise<Sample> => {
  const sample: Array<Read> = []
  if (problem !== undefined) return sample
  for await (const line of lines) {
    if (E.isLeft(line) && line.left.isLast === true) break
    sample.push(line)
    if (sample.length === SHOWN_LINES) break
  }
  return sample
}

/** The part of the form that says which column of the file fills what, with the first lines as messages. */
export const Matched = ({ template, opened: { head, problem }, sample = [], refused = {} }: {
  readonly template: Template; readonly opened: Pick<OpenedFile, 'head' | 'problem'>; readonly sample?: Sample; readonly refused?: Refused
}): VNode => (
  <>
    {head !== undefined && <Columns template={template} head={head} refused={refused} />}
    {problem !== undefined && (head === undefined || head.missing.length === 0) && (
      <p class="note bad" role="alert"><Where {...problem} /></p>
    )}
    {head !== undefined && head.missing.length > 0 && <p class="hint">{texts.matchFirst}</p>}
    {sample.length > 0 && (
      <>
        <h3>{texts.firstLines}</h3>
        <ol class="samples" tabindex={0} aria-label={texts.firstLines}>
          {sample.map((line) => (E.isLeft(line)
            ? <li key={line.left.line}><p class="note attention"><span><Where {...line.left} /></span></p></li>
            : (
              <li key={line.right.line}>
                <p><strong>{writeCustomerId(line.right.to)}</strong> <span class="soft">{texts.line(String(line.right.line))}</span></p>
                <Preview preview={markedPreview(template, line.right.components)} />
              </li>
            )))}
        </ol>
      </>
    )}
  </>
)

const Columns = ({ template, head: { names, match }, refused }: {
  readonly template: Template; readonly head: Head; readonly refused: Refused
}): VNode => (
  <fieldset class="matching">
    <legend>{texts.match}</legend>
    <p class="hint">{texts.matchHint}</p>
    {batchColumns(template).map((column) => {
      const field = columnField(column)
      return (
        <ChoiceField key={column} id={field} label={columnName(column)} {...faultAt(refused, field)}>
          <option value={match.has(column) || column === 'timezone' ? NO_COLUMN : ''} selected={!match.has(column)}>
            {texts.noColumn}
          </option>
          {names.map((name) => <option key={name} value={name} selected={match.get(column) === name}>{name}</option>)}
        </ChoiceField>
      )
    })}
  </fieldset>
)

/** What a column of a batch is, for people: `body.1` is `{{1}}` in the text of the message. */
export const columnName = (column: string): string => {
  if (column === 'to') return texts.columnNames.to
  if (column === 'timezone') return texts.columnNames.timezone
  const [part = '', ...rest] = column.split('.')
  const variable = `{{${rest.at(-1) ?? ''}}}`
  if (part === 'header') return texts.columnNames.header(variable)
  return part === 'button' ? texts.columnNames.button(String(Number(rest[0] ?? 0) + 1)) : texts.columnNames.body(variable)
}

/** The columns that were chosen before, so that they stay if the form is shown again without its file. */
export const ChosenColumns = ({ fields }: { readonly fields: FormFields }): VNode => (
  <>
    {Object.entries(chosenIn(fields)).map(([column, name]) =>
      <input type="hidden" key={column} name={columnField(column)} value={name} />)}
  </>
)
