import { BUILT_IN } from './built-in.js'
import type { Template, TemplateDefinition, TemplateQuality } from './template.js'

/** What can change of a template; `listed` are fields that the list shows instead of the template's own, null for one that it leaves out. */
export type TemplateChange = Partial<Pick<Template, 'status' | 'category' | 'rejected_reason'>> & {
  readonly quality?: TemplateQuality
  readonly listed?: Readonly<Record<string, unknown>>
}

/** A template before and after a change. */
export type ChangedTemplate = { readonly before: Template; readonly after: Template }

/** The templates of the business account. */
export type Templates = {
  readonly find: (name: string, language: string) => Template | undefined
  /** All templates, in the order of their ids, which is that of their creation. */
  readonly all: () => ReadonlyArray<Template>
  /** A template as the list shows it. */
  readonly listed: (template: Template) => Readonly<Record<string, unknown>>
  /** Adds a template, or replaces the one of the same name and language, which keeps its id. */
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

/** The built-in templates and the given ones; a given one replaces a built-in one of the same name and language. */
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
