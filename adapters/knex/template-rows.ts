import type { JsonObject } from '../../core/kernel/json.js'
import type { Instant } from '../../core/kernel/time.js'
import type { TemplatePlace } from '../../core/templates/catalogue.js'
import { hasChanged, type Template, type TemplateDiff, type TemplateRecord } from '../../core/templates/template.js'
import { type Bound, instant, type Row, textOrNone } from './sql.js'
import { storableText } from './storable-text.js'

/** The columns of what the platform's list says of a template, apart from its name and language. */
export const LISTED_COLUMNS = ['template_id', 'category', 'status', 'quality', 'parameter_format', 'components'] as const

/** The moments of a template's parts. */
export const MOMENT_COLUMNS = ['listed_at', 'status_at', 'category_at', 'quality_at'] as const

/** The values of `LISTED_COLUMNS`. */
export const listedValues = ({ id, category, status, quality, parameterFormat, components }: Template): ReadonlyArray<Bound> => [
  word(id), word(category), word(status), quality === undefined ? null : word(quality), parameterFormat ?? null,
  components === undefined ? null : JSON.stringify(components),
]

/** The values of `MOMENT_COLUMNS`. */
export const momentValues = ({ listedAt, statusAt, categoryAt, qualityAt }: TemplateRecord): ReadonlyArray<Bound> => [listedAt, statusAt, categoryAt, qualityAt]

/** The name and language of a row of `templates`. */
export const placeIn = (row: Row): TemplatePlace => ({ name: String(row['name']), language: String(row['language']) })

/**
 * The record of a row of `templates`. `listedAt` is when the whole list of its account was last read: no part of a template is older than that, so a list
 * writes only the templates that it changes.
 */
export const templateIn = (row: Row, listedAt: Instant | undefined): TemplateRecord => ({
  id: String(row['template_id']),
  ...placeIn(row),
  category: String(row['category']),
  status: String(row['status']),
  quality: textOrNone(row['quality']),
  parameterFormat: textOrNone(row['parameter_format']) as Template['parameterFormat'],
  components: typeof row['components'] === 'string' ? (JSON.parse(row['components']) as ReadonlyArray<JsonObject>) : undefined,
  listedAt: latest(row['listed_at'], listedAt),
  statusAt: latest(row['status_at'], listedAt),
  categoryAt: latest(row['category_at'], listedAt),
  qualityAt: latest(row['quality_at'], listedAt),
})

/** The difference as it is stored, if the platform has changed what `hasChanged` compares; otherwise none. Words may be stored shorter than they were given. */
export const changeIn = ({ before, after }: TemplateDiff): ReadonlyArray<TemplateDiff> => {
  const { category, status, quality } = after
  const stored = { before, after: { ...after, category: word(category), status: word(status), quality: quality === undefined ? undefined : word(quality) } }
  return hasChanged(stored) ? [stored] : []
}

const latest = (own: Row[string] | undefined, listedAt: Instant | undefined): Instant => Math.max(instant(own), listedAt ?? 0)

/** The length of the columns of the platform's words. */
const WORD_LENGTH = 255

const word = (text: string): string => storableText(text, WORD_LENGTH)
