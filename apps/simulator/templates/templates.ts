/** A component of a template, in the platform's format. */
export type TemplateComponent =
  | { readonly type: 'HEADER'; readonly format: 'TEXT'; readonly text: string }
  | { readonly type: 'HEADER'; readonly format: 'IMAGE' | 'VIDEO' | 'DOCUMENT' }
  | { readonly type: 'BODY' | 'FOOTER'; readonly text: string }
  | { readonly type: 'BUTTONS'; readonly buttons: ReadonlyArray<TemplateButton> }

export type TemplateButton =
  | { readonly type: 'URL'; readonly text: string; readonly url: string }
  | { readonly type: 'QUICK_REPLY'; readonly text: string }

export type TemplateStatus = 'APPROVED' | 'PENDING' | 'REJECTED' | 'PAUSED' | 'DISABLED'
export type TemplateCategory = 'MARKETING' | 'UTILITY' | 'AUTHENTICATION'

/** A template of the business account; its name and language together are its key. */
export type Template = {
  readonly id: string
  readonly name: string
  readonly language: string
  readonly status: TemplateStatus
  readonly category: TemplateCategory
  readonly parameter_format: 'POSITIONAL' | 'NAMED'
  readonly components: ReadonlyArray<TemplateComponent>
}

/** A template as an option gives it; its status is APPROVED and its format POSITIONAL by default. */
export type TemplateDefinition = Pick<Template, 'name' | 'language' | 'category' | 'components'> & Partial<Template>

/** The templates of the business account. */
export type Templates = {
  readonly find: (name: string, language: string) => Template | undefined
  readonly withId: (id: string) => Template | undefined
  /** All templates, in the order of their creation. */
  readonly all: () => ReadonlyArray<Template>
  /** Changes the templates with this name, in one language or in all; returns them as they are now. */
  readonly change: (
    name: string, language: string | undefined, change: Partial<Pick<Template, 'status' | 'category'>>,
  ) => ReadonlyArray<Template>
  /** Restores the templates that existed at start. */
  readonly reset: () => void
}

const body = (text: string): ReadonlyArray<TemplateComponent> => [{ type: 'BODY', text }]

/** The templates that exist at start. */
export const BUILT_IN: ReadonlyArray<TemplateDefinition> = [
  ...['en_US', 'en'].map((language): TemplateDefinition => ({
    name: 'hello_world', language, category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      ...body('Welcome and congratulations! This message shows that sending works.'),
      { type: 'FOOTER', text: 'A sample message' },
    ],
  })),
  ...['en', 'en_US'].map((language): TemplateDefinition => ({
    name: 'order_update', language, category: 'UTILITY', components: body('Hi {{1}}, your order {{2}} is on its way.'),
  })),
  {
    name: 'welcome', language: 'en', category: 'MARKETING', parameter_format: 'NAMED',
    components: body('Hello {{first_name}}, {{shop_name}} is glad to have you.'),
  },
  {
    name: 'shipment_photo', language: 'en', category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      ...body('Your parcel {{1}} was handed over.'),
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Track it', url: 'https://shop.example/track/{{1}}' }, { type: 'QUICK_REPLY', text: 'Thanks' },
        ],
      },
    ],
  },
  { name: 'login_code', language: 'en', category: 'AUTHENTICATION', components: body('Your code is {{1}}, for ten minutes.') },
  { name: 'seasonal_sale', language: 'en', category: 'MARKETING', status: 'PAUSED', components: body('The sale is on!') },
  { name: 'old_offer', language: 'en', category: 'MARKETING', status: 'DISABLED', components: body('An offer of the past.') },
  { name: 'in_review', language: 'en', category: 'UTILITY', status: 'PENDING', components: body('Not approved yet.') },
]

const FIRST_ID = 710000000000001

/** The built-in templates and the given ones; a given one replaces a built-in one of the same name and language. */
export const makeTemplates = (given: ReadonlyArray<TemplateDefinition> = []): Templates => {
  const defined = new Map<string, Template>()
  const now = new Map<string, Template>()
  for (const definition of [...BUILT_IN, ...given]) {
    const key = keyOf(definition.name, definition.language)
    const id = defined.get(key)?.id ?? String(FIRST_ID + defined.size)
    defined.set(key, { id, status: 'APPROVED', parameter_format: 'POSITIONAL', ...definition })
  }
  const reset = (): void => defined.forEach((template, key) => void now.set(key, template))
  reset()
  return {
    find: (name, language) => now.get(keyOf(name, language)),
    withId: (id) => [...now.values()].find((template) => template.id === id),
    all: () => [...now.values()],
    change: (name, language, change) =>
      [...now].filter(([, template]) => template.name === name && (language ?? template.language) === template.language)
        .map(([key, template]) => {
          const changed = { ...template, ...change }
          now.set(key, changed)
          return changed
        }),
    reset,
  }
}

/** The distinct variables of a text, `{{1}}` or `{{first_name}}`, in the order they appear. */
export const placeholdersOf = (text: string): ReadonlyArray<string> =>
  [...new Set([...text.matchAll(/\{\{\s*([a-z0-9_]+)\s*\}\}/g)].map(([, name]) => name ?? ''))]

const keyOf = (name: string, language: string): string => `${name} ${language}`
