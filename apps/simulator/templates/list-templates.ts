import type { Template } from './templates.js'

type Fields = Readonly<Record<string, unknown>>

const DEFAULT_LIMIT = 25
const DEFAULT_FIELDS = 'name,parameter_format,components,language,status,category'
const QUALITY = { score: 'UNKNOWN', date: 1767225600 }

/** One page of the filtered templates in the platform's form: the requested fields, cursors, and `next` if more follow. */
export const listTemplates = (templates: ReadonlyArray<Template>, url: URL) => {
  const query = url.searchParams
  const found = templates.filter((template) => matches(template, query))
  const limit = Math.max(1, Math.floor(Number(query.get('limit') ?? DEFAULT_LIMIT)) || DEFAULT_LIMIT)
  const start = positionOf(query.get('after')) ?? 0
  const page = found.slice(start, start + limit)
  const after = cursorOf(start + page.length)
  const next = new URL(url)
  next.searchParams.set('after', after)
  next.searchParams.delete('access_token')
  return {
    data: page.map((template) => selectFields(query.get('fields') ?? DEFAULT_FIELDS, { ...template, quality_score: QUALITY })),
    ...(page.length > 0 && {
      paging: { cursors: { before: cursorOf(start), after }, ...(start + page.length < found.length && { next: next.href }) },
    }),
  }
}

/** An object with the requested fields and its id, or with all fields if `fields` is null. */
export const selectFields = (fields: string | null, object: Fields): Fields => {
  if (fields === null) return object
  const names = [...fields.split(',').map((name) => name.trim()), 'id'].filter((name) => Object.hasOwn(object, name))
  return Object.fromEntries(names.map((name) => [name, object[name]]))
}

const matches = (template: Template, query: URLSearchParams): boolean =>
  (['status', 'category', 'language'] as const).every((key) => matchesFilter(query.get(key), template[key]))
  && (query.get('name') ?? template.name) === template.name
  && JSON.stringify([template.name, template.components]).includes(query.get('name_or_content') ?? '')

const matchesFilter = (asked: string | null, value: string): boolean => asked === null || asked.toLowerCase() === value.toLowerCase()

const cursorOf = (position: number): string => Buffer.from(`at:${position}`).toString('base64')

const positionOf = (cursor: string | null): number | undefined => {
  const position = /^at:([0-9]{1,6})$/.exec(Buffer.from(cursor ?? '', 'base64').toString('utf8'))?.[1]
  return position === undefined ? undefined : Number(position)
}
