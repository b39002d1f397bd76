import type { JsonObject } from '../../core/json.js'
import type { Template, TemplateRecord } from '../../core/template.js'
import { instant, textOrNone, type Bound, type Row } from './sql.js'
import { storableText } from './storable-text.js'

/** The columns of a template that the platform's list says. */
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

/** The record of a row of `templates`. */
export const templateIn = (row: Row): TemplateRecord => ({
  id: String(row['template_id']),
  name: String(row['name']),
  language: String(row['language']),
  category: String(row['category']),
  status: String(row['status']),
  quality: textOrNone(row['quality']),
  parameterFormat: textOrNone(row['parameter_format']) as Template['parameterFormat'],
  components: typeof row['components'] === 'string' ? (JSON.parse(row['components']) as ReadonlyArray<JsonObject>) : undefined,
  listedAt: instant(row['listed_at']),
  statusAt: instant(row['status_at']),
  categoryAt: instant(row['category_at']),
  qualityAt: instant(row['quality_at']),
})

/** The length of the columns of the platform's words. */
const WORD_LENGTH = 255

const word = (text: string): string => storableText(text, WORD_LENGTH)
