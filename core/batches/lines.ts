import * as E from 'fp-ts/lib/Either.js'
import { MAX_REPORTED, parseCellCustomerId } from '../customers/cell.js'
import type { CustomerId } from '../customers/customer.js'
import { parseZone } from '../customers/hours.js'
import { elementsOf, isJsonObject, type Json, type JsonObject } from '../kernel/json.js'
import type { Line, LineProblem, LinesForm, ValueProblem } from '../kernel/lines.js'
import { isStorableJson } from '../kernel/storable-json.js'
import { beginningOf } from '../kernel/text.js'
import type { Metadata } from '../messages/message.js'
import { isMetadata, METADATA_RULE } from '../messages/metadata.js'
import { partsOf, placeholdersOf, type Template } from '../templates/template.js'

export type { LineProblem }

/** A recipient of a batch, as a line of a file or an element of a request names it. */
export type BatchRecipient = {
  readonly to: CustomerId
  /** The parameters of the template; absent if the line has none. */
  readonly components?: ReadonlyArray<JsonObject>
  readonly metadata?: Metadata
  /** The IANA name of the time zone in which the hours of the batch count for this recipient. */
  readonly timezone?: string
}

/** A line of the recipients of a batch. `line` is its number in the file; the head of a CSV is line 1. */
export type BatchLine = Line<BatchRecipient>

/**
 * What the lines of a batch mean. The columns of a CSV are `to`, `timezone`, `metadata.KEY`, and the placeholders of the template: `header.1`, `body.2`, `body.first_name`,
 * `button.0.1`. A line of NDJSON is `{"to", "components"?, "metadata"?, "timezone"?}`.
 *
 * `template` tells which placeholders exist and what they take, so that `header.1` may be the address of a picture. If its components are unknown, every placeholder takes a
 * text, and every button is one with an address. Whether a line fills the template is not checked here.
 */
export const batchLines = (template?: Template): LinesForm<BatchRecipient> => ({
  ofHead: (names) => {
    const columns: Array<Column> = []
    for (const name of names) {
      const column = columnOf(name, template)
      if (E.isLeft(column)) return column
      columns.push(column.right)
    }
    const fault = faultOfHead(columns)
    return fault === undefined ? E.right((values) => ofRow(columns, values)) : E.left(fault)
  },
  ofObject,
})

/** The placeholder that a column fills. */
type Slot = {
  readonly component: 'header' | 'body' | 'button'
  readonly button?: number
  /** The number of the variable in its text, from 1, or its name. */
  readonly key: string
  readonly type: string
  readonly subType?: string
  readonly isOptional: boolean
}

type Column =
  | { readonly _tag: 'To' } | { readonly _tag: 'Timezone' }
  | { readonly _tag: 'Metadata'; readonly key: string }
  | { readonly _tag: 'Slot'; readonly name: string; readonly slot: Slot }

const PLACEHOLDER = /^(?:(header|body)|button\.([0-9]{1,2}))\.([a-z0-9_]{1,64})$/

/** The types of parameters that one cell can fill. */
const MEDIA = ['image', 'video', 'document', 'gif']
const CELL_TYPES = ['text', 'payload', 'coupon_code', ...MEDIA]

const columnOf = (name: string, template: Template | undefined): E.Either<ValueProblem, Column> => {
  const word = name.toLowerCase()
  if (word === 'to') return E.right({ _tag: 'To' })
  if (word === 'timezone') return E.right({ _tag: 'Timezone' })
  const [, note] = /^metadata\.(.+)$/i.exec(name) ?? []
  if (note !== undefined) return E.right({ _tag: 'Metadata', key: note })
  const [, text, button, key] = PLACEHOLDER.exec(word) ?? []
  const slot = key === undefined ? undefined : slotOf(text, button, key, template)
  return slot === undefined ? E.left(unknownColumn(name, template)) : E.right({ _tag: 'Slot', name, slot })
}

const slotOf = (text: string | undefined, index: string | undefined, key: string, template: Template | undefined): Slot | undefined => {
  const component = text === 'header' || text === 'body' ? text : 'button'
  const button = index === undefined ? undefined : Number(index)
  const at = { component, ...(button !== undefined && { button }), key } as const
  const part = template && partsOf(template)?.parts.find((one) => one.component === component && one.button === button)
  const subType = button === undefined ? {} : { subType: part?.subType ?? 'url' }
  if (template === undefined || template.components === undefined || part?.takes._tag === 'Unknown') {
    return button === undefined || key === '1' ? { ...at, ...subType, type: 'text', isOptional: false } : undefined
  }
  const found = placeholdersOf(template)?.find((one) => one.card === undefined && one.component === component && one.button === button
    && (one.name ?? String(one.index ?? 1)) === key)
  return found !== undefined && CELL_TYPES.includes(found.type)
    ? { ...at, ...subType, type: found.type, isOptional: found.optional === true }
    : undefined
}

/** The columns that fill the placeholders of a template, in their order; `undefined` if its placeholders are unknown. A batch has no columns for the cards of a carousel. */
export const placeholderColumns = (template: Template): ReadonlyArray<string> | undefined =>
  templateColumns(template)?.map(({ name }) => name)

/** The same columns, with those that a line may leave empty. */
export const templateColumns = (
  template: Template,
): ReadonlyArray<{ readonly name: string; readonly isOptional: boolean }> | undefined =>
  placeholdersOf(template)?.filter(({ card, type }) => card === undefined && CELL_TYPES.includes(type))
    .map(({ component, button, index, name, optional }) => ({
      name: [component, ...(button === undefined ? [] : [button]), name ?? index ?? 1].join('.'), isOptional: optional === true,
    }))

const unknownColumn = (name: string, template: Template | undefined): ValueProblem => {
  const known = template && placeholderColumns(template)
  const placeholders = known === undefined ? 'placeholders such as body.1, header.1 or button.0.1' : known.join(', ')
  return {
    column: name, code: 'unknown_column',
    message: `Column ${name} is not known; the columns are to, ${placeholders === '' ? '' : `${placeholders}, `}timezone and metadata.KEY`,
  }
}

const faultOfHead = (columns: ReadonlyArray<Column>): ValueProblem | undefined => {
  if (!columns.some(({ _tag }) => _tag === 'To')) {
    return { column: 'to', code: 'missing_column', message: 'The first line must name the columns, and one of them must be to' }
  }
  const slots = columns.flatMap((column) => (column._tag === 'Slot' ? [column] : []))
  const gap = slots.find(({ slot }) => isNumber(slot.key) && slot.key !== '1'
    && !slots.some(({ slot: other }) => isSamePart(other, slot) && other.key === String(Number(slot.key) - 1)))
  if (gap === undefined) return undefined
  const column = gap.name.replace(/[0-9]+$/, String(Number(gap.slot.key) - 1))
  return {
    column, code: 'missing_column', message: `Column ${gap.name} needs column ${column}, because the platform numbers parameters by their order`,
  }
}

const isNumber = (key: string): boolean => /^[1-9][0-9]*$/.test(key)
const isSamePart = (a: Slot, b: Slot): boolean => a.component === b.component && a.button === b.button

const ofRow = (columns: ReadonlyArray<Column>, values: ReadonlyArray<string>): E.Either<ValueProblem, BatchRecipient> => {
  let to = ''
  let timezone: string | undefined
  const metadata: Record<string, string> = Object.create(null) as Record<string, string>
  const filled: Array<FilledSlot> = []
  columns.forEach((column, at) => {
    const value = values[at] ?? ''
    switch (column._tag) {
      case 'To': to = value; return
      case 'Timezone': timezone = value.trim() === '' ? undefined : value.trim(); return
      case 'Metadata': if (value !== '') metadata[column.key] = value; return
      case 'Slot': if (value !== '' || !column.slot.isOptional) filled.push({ slot: column.slot, value })
    }
  })
  return recipientOf(to, {
    components: componentsOf(filled), metadata: Object.keys(metadata).length === 0 ? undefined : { ...metadata }, timezone,
  })
}

type FilledSlot = { readonly slot: Slot; readonly value: string }

const ORDER: Readonly<Record<Slot['component'], number>> = { header: 0, body: 1, button: 2 }

const componentsOf = (filled: ReadonlyArray<FilledSlot>): ReadonlyArray<JsonObject> | undefined => {
  const inOrder = [...filled].sort(({ slot: a }, { slot: b }) => ORDER[a.component] - ORDER[b.component]
    || (a.button ?? 0) - (b.button ?? 0) || (isNumber(a.key) && isNumber(b.key) ? Number(a.key) - Number(b.key) : 0))
  const components: Array<JsonObject> = []
  for (const [at, { slot }] of inOrder.entries()) {
    if (at > 0 && isSamePart(slot, inOrder[at - 1]?.slot ?? slot)) continue
    const parameters = inOrder.filter(({ slot: other }) => isSamePart(slot, other)).map(parameterOf)
    const { component, button, subType } = slot
    components.push({ type: component, ...(button !== undefined && { sub_type: subType ?? 'url', index: String(button) }), parameters })
  }
  return components.length === 0 ? undefined : components
}

const parameterOf = ({ slot: { key, type }, value }: FilledSlot): JsonObject => ({
  type,
  ...(type === 'text' && !isNumber(key) && { parameter_name: key }),
  [type]: MEDIA.includes(type) ? { [/^https?:\/\//i.test(value) ? 'link' : 'id']: value.trim() } : value,
})

const FIELDS = ['to', 'components', 'metadata', 'timezone']

const ofObject = ({ to, components, metadata, timezone, ...others }: JsonObject): E.Either<ValueProblem, BatchRecipient> => {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    const message = `A line has a field that is not known; the fields are ${FIELDS.join(', ')}`
    return E.left({ code: 'unknown_column', message, ...givenTo(to) })
  }
  if (to === undefined || to === null) return missing('to')
  if (typeof to !== 'string') return invalid('to', 'a string')
  if (!isAbsent(timezone) && typeof timezone !== 'string') return invalid('timezone', 'a string', to)
  return recipientOf(to, { components: components ?? undefined, metadata: metadata ?? undefined, timezone: timezone ?? undefined })
}

type Given = { readonly components: Json | undefined; readonly metadata: Json | undefined; readonly timezone: string | undefined }

/** How many levels of arrays and objects the components may have; those of the platform have fewer. */
const MAX_NESTING = 100

/** Checks what both types of files have. */
const recipientOf = (to: string, { components, metadata, timezone }: Given): E.Either<ValueProblem, BatchRecipient> => {
  const id = parseCellCustomerId(to)
  if (E.isLeft(id)) return id
  const parts = components === undefined ? [] : elementsOf(components)
  if (parts === undefined || !parts.every(isComponent) || !isStorableJson(parts, MAX_NESTING)) {
    return invalid('components', 'a list of objects, each with a type, such as {"type":"body","parameters":[…]}', to)
  }
  if (metadata !== undefined && (!isMetadata(metadata) || !isStorableJson(metadata, 1))) return invalid('metadata', METADATA_RULE, to)
  if (timezone !== undefined && parseZone(timezone) === undefined) {
    return invalid('timezone', 'the IANA name of a time zone, such as Europe/Berlin', to)
  }
  return E.right({
    to: id.right, ...(parts.length > 0 && { components: parts }), ...(metadata !== undefined && { metadata }),
    ...(timezone !== undefined && { timezone }),
  })
}

const isComponent = (value: Json): value is JsonObject => isJsonObject(value) && typeof value['type'] === 'string'

const isAbsent = (value: Json | undefined): value is null | undefined => value === undefined || value === null

const givenTo = (to: Json | undefined): { readonly to?: string } =>
  (typeof to === 'string' && to !== '' ? { to: beginningOf(to, MAX_REPORTED) } : {})

const missing = (column: string): E.Either<ValueProblem, never> =>
  E.left({ column, code: 'missing_parameters', message: `${column} is missing; every line needs the phone number or the user id of a customer` })

const invalid = (column: string, must: string, to?: string): E.Either<ValueProblem, never> =>
  E.left({ column, code: 'invalid_parameter', message: `${column} must be ${must}`, ...givenTo(to) })
