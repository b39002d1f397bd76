import type { Template, TemplateButton, TemplateComponent, TemplateDefinition, TemplateQuality } from './template.js'

const body = (text: string): TemplateComponent => ({ type: 'BODY', text })
const buttons = (...all: ReadonlyArray<TemplateButton>): TemplateComponent => ({ type: 'BUTTONS', buttons: all })
const card = (text: string): { readonly components: ReadonlyArray<TemplateComponent> } => ({
  components: [
    { type: 'HEADER', format: 'IMAGE' }, body(text),
    buttons({ type: 'QUICK_REPLY', text: 'Tell me more' }, { type: 'URL', text: 'Buy it', url: 'https://shop.example/buy/{{1}}' }),
  ],
})

/** The templates that exist at start, with headers, buttons and cards of most kinds. */
export const BUILT_IN: ReadonlyArray<TemplateDefinition> = [
  ...['en_US', 'en'].map((language): TemplateDefinition => ({
    name: 'hello_world', language, category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      body('Welcome and congratulations! This message shows that sending works.'),
      { type: 'FOOTER', text: 'A sample message' },
    ],
  })),
  ...['en', 'en_US'].map((language): TemplateDefinition => ({
    name: 'order_update', language, category: 'UTILITY', components: [body('Hi {{1}}, your order {{2}} is on its way.')],
  })),
  {
    name: 'welcome', language: 'en', category: 'MARKETING', parameter_format: 'NAMED',
    components: [body('Hello {{first_name}}, {{shop_name}} is glad to have you.')],
  },
  {
    name: 'shipment_photo', language: 'en', category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      body('Your parcel {{1}} was handed over.'),
      buttons({ type: 'URL', text: 'Track it', url: 'https://shop.example/track/{{1}}' }, { type: 'QUICK_REPLY', text: 'Thanks' }),
    ],
  },
  { name: 'login_code', language: 'en', category: 'AUTHENTICATION', components: [body('Your code is {{1}}, for ten minutes.')] },
  { name: 'seasonal_sale', language: 'en', category: 'MARKETING', status: 'PAUSED', components: [body('The sale is on!')] },
  { name: 'old_offer', language: 'en', category: 'MARKETING', status: 'DISABLED', components: [body('An offer of the past.')] },
  { name: 'in_review', language: 'en', category: 'UTILITY', status: 'PENDING', components: [body('Not approved yet.')] },
  {
    name: 'one_time_code', language: 'en', category: 'AUTHENTICATION',
    components: [
      body('*{{1}}* is your verification code. For your security, do not share this code.'),
      { type: 'FOOTER', text: 'This code expires in 10 minutes.' },
      buttons({ type: 'URL', text: 'Copy code', url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code_expiration_minutes=10&code=otp{{1}}' }),
    ],
  },
  {
    name: 'store_visit', language: 'en', category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'LOCATION' },
      body('We meet on {{1}} at {{2}}.'),
      buttons(
        { type: 'PHONE_NUMBER', text: 'Call us', phone_number: '+15550109999' },
        { type: 'URL', text: 'The way', url: 'https://shop.example/way' },
      ),
    ],
  },
  {
    name: 'how_to_video',
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'HEADER', format: 'VIDEO' }, body('See how to put it together.')],
  },
  {
    name: 'invoice',
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'HEADER', format: 'DOCUMENT' }, body('Here is the invoice {{1}}.')],
  },
  {
    name: 'birthday',
    language: 'en',
    category: 'MARKETING',
    components: [{ type: 'HEADER', format: 'GIF' }, body('Happy birthday, {{1}}!')],
  },
  {
    name: 'survey', language: 'en', category: 'MARKETING', parameter_format: 'NAMED',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'A question, {{first_name}}' },
      body('How was {{product}}? It takes a minute, {{first_name}}.'),
      buttons({ type: 'FLOW', text: 'Answer', flow_id: 1_480_001 }),
    ],
  },
  {
    name: 'our_catalog', language: 'en', category: 'MARKETING',
    components: [body('Everything for {{1}}, in one place.'), buttons({ type: 'CATALOG', text: 'View catalog' })],
  },
  {
    name: 'summer_offer', language: 'en', category: 'MARKETING',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Ends soon!', has_expiration: true } },
      body('Good news, {{1}}! The code {{2}} saves you 25%.'),
      buttons({ type: 'COPY_CODE', text: 'Copy code' }, { type: 'URL', text: 'Book it', url: 'https://shop.example/offers?code={{1}}' }),
    ],
  },
  {
    name: 'new_arrivals', language: 'en', category: 'MARKETING',
    components: [body('New in the shop, {{1}}:'), { type: 'CAROUSEL', cards: [card('A lamp for {{1}}.'), card('A chair for {{1}}.')] }],
  },
  {
    name: 'refused_news', language: 'en', category: 'MARKETING', status: 'REJECTED', rejected_reason: 'INVALID_FORMAT',
    components: [body('News!')],
  },
]

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
      paging: {
        cursors: { before: cursorOf(first), after: cursorOf(last) }, ...(start + page.length < found.length && { next: next.href }),
      },
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

/** A cursor names the last template of its page, so adding or removing templates meanwhile does not move others to another page. */
const positionAfter = (found: ReadonlyArray<Template>, cursor: string | null): number => {
  const id = /^id:([0-9]{1,16})$/.exec(Buffer.from(cursor ?? '', 'base64').toString('utf8'))?.[1]
  if (id === undefined) return 0
  const position = found.findIndex((template) => Number(template.id) > Number(id))
  return position === -1 ? found.length : position
}

/** The changeable fields of a template; `listed` are fields that the list shows instead of the template's own; null omits a field. */
export type TemplateChange = Partial<Pick<Template, 'status' | 'category' | 'rejected_reason'>> & {
  readonly quality?: TemplateQuality
  readonly listed?: Readonly<Record<string, unknown>>
}

/** A template before and after a change. */
export type ChangedTemplate = { readonly before: Template; readonly after: Template }

/** The templates of the business account. */
export type Templates = {
  readonly find: (name: string, language: string) => Template | undefined
  /** All templates, ordered by id, which is the order of creation. */
  readonly all: () => ReadonlyArray<Template>
  /** A template as the list shows it. */
  readonly listed: (template: Template) => Readonly<Record<string, unknown>>
  /** Adds a template, or replaces the one with the same name and language, whose id is kept. */
  readonly add: (definition: TemplateDefinition) => Template
  /** Changes the templates with this name, in one language or in all. */
  readonly change: (name: string, language: string | undefined, change: TemplateChange) => ReadonlyArray<ChangedTemplate>
  /** Removes the templates with this name, in one language or in all, and returns them. */
  readonly remove: (name: string, language: string | undefined) => ReadonlyArray<Template>
  /** Restores the templates that existed at start. */
  readonly reset: () => void
}

const FIRST_ID = 710000000000001
const START_DATE = 1767225600

/** The built-in templates and the given ones; a given template replaces a built-in one with the same name and language. */
export const makeTemplates = (given: ReadonlyArray<TemplateDefinition> = []): Templates => {
  const now = new Map<string, Template>()
  const listedInstead = new Map<string, Readonly<Record<string, unknown>>>()
  let made = 0

  const add: Templates['add'] = ({ quality = 'UNKNOWN', ...definition }) => {
    const key = keyOf(definition.name, definition.language)
    const template: Template = {
      status: 'APPROVED', parameter_format: 'POSITIONAL', rejected_reason: 'NONE', ...definition,
      id: now.get(key)?.id ?? String(FIRST_ID + made++), quality_score: { score: quality, date: START_DATE },
    }
    now.set(key, template)
    listedInstead.delete(template.id)
    return template
  }
  const reset = (): void => {
    now.clear()
    listedInstead.clear()
    made = 0
    for (const definition of [...BUILT_IN, ...given]) add(definition)
  }
  const named = (name: string, language: string | undefined): ReadonlyArray<Template> =>
    [...now.values()].filter((template) => template.name === name && (language ?? template.language) === template.language)

  reset()
  return {
    add, reset,
    find: (name, language) => now.get(keyOf(name, language)),
    all: () => [...now.values()].sort((one, other) => Number(one.id) - Number(other.id)),
    listed: (template) => withoutNulls({ ...template, ...listedInstead.get(template.id) }),
    change: (name, language, { quality, listed, ...change }) =>
      named(name, language).map((before) => {
        const score = quality === undefined || quality === before.quality_score.score
          ? before.quality_score
          : { score: quality, date: Math.floor(Date.now() / 1000) }
        const after = { ...before, ...change, quality_score: score }
        now.set(keyOf(after.name, after.language), after)
        if (listed !== undefined) listedInstead.set(after.id, { ...listedInstead.get(after.id), ...listed })
        return { before, after }
      }),
    remove: (name, language) =>
      named(name, language).map((template) => {
        now.delete(keyOf(template.name, template.language))
        return template
      }),
  }
}

const keyOf = (name: string, language: string): string => `${language} ${name}`

const withoutNulls = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
