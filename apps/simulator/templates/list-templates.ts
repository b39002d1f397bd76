import type { Template } from './template.js'
import type { Templates } from './templates.js'

type Fields = Readonly<Record<string, unknown>>

const DEFAULT_LIMIT = 25
const DEFAULT_FIELDS = 'name,parameter_format,components,language,status,category'

/** One page of the filtered templates in the platform's form: the requested fields, cursors, and `next` if more follow. */
export const listTemplates = (templates: Pick<Templates, 'all' | 'listed'>, url: URL) => {
  const query = url.searchParams
  const found = templates.all().filter((template) => matches(template, query))
  const limit = Math.max(1, Math.floor(Number(query.get('limit') ?? DEFAULT_LIMIT)) || DEFAULT_LIMIT)
  const start = positionAfter(found, query.get('after'))
  const page = found.slice(start, start + limit)
  const [first, last] = [page[0], page.at(-1)]
  const next = new URL(url)
  next.searchParams.set('after', cursorOf(last))
  next.searchParams.delete('access_token')
  return {
    data: page.map((template) => selectFields(query.get('fields') ?? DEFAULT_FIELDS, templates.listed(template))),
    ...(page.length > 0 && {
      paging: { cursors: { before: cursorOf(first), after: cursorOf(last) }, ...(start + page.length < found.length && { next: next.href }) },
    }),
  }
}

/** An object with the requested fields and its id, or with all fields if `fields` is null. */
export const selectFields = (fields: string | null, object: Fields): Fields => {
  if (fields === null) return object
  const names = [...fields.split(',').map((name) => name.trim()), 'id'].filter((name) => Object.hasOwn(object, name))
  return Object.fromEntries(names.map((name) => [name, object[name]]))
}

const matches = (template: Template, query: URLSearchParams): boolean => {
  const content = query.get('name_or_content')
  return (query.get('name') ?? template.name) === template.name
    && (['status', 'category', 'language'] as const).every((key) => matchesFilter(query.get(key), template[key]))
    && (content === null || JSON.stringify([template.name, template.components]).includes(content))
}

const matchesFilter = (asked: string | null, value: string): boolean => asked === null || asked.toLowerCase() === value.toLowerCase()

const cursorOf = (template: Template | undefined): string => Buffer.from(`id:${template?.id ?? ''}`).toString('base64')

/** A cursor names the last template of its page, so templates that are added or removed meanwhile move no others to another page. */
const positionAfter = (found: ReadonlyArray<Template>, cursor: string | null): number => {
  const id = /^id:([0-9]{1,16})$/.exec(Buffer.from(cursor ?? '', 'base64').toString('utf8'))?.[1]
  if (id === undefined) return 0
  const position = found.findIndex((template) => Number(template.id) > Number(id))
  return position === -1 ? found.length : position
}
