import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  changedTemplate, isGone, listedTemplate, type CatalogueState, type Instant, type JsonObject, type NamedTemplates, type Page, type PageQuery, type PortFailure,
  type Template, type TemplateCatalogue, type TemplateChange, type TemplateQuery, type TemplateRecord,
} from '../../../core/ports/template-catalogue.js'

const NEVER: CatalogueState = { listedAt: undefined, fault: undefined }
const pageOf = (items: ReadonlyArray<TemplateRecord>, _query: PageQuery): Page<TemplateRecord> => ({ items, next: undefined })
const parts = (template: Template): ReadonlyArray<JsonObject> => template.components ?? []

export const templateCatalogue = (kept: Map<string, TemplateRecord>, states: Map<string, CatalogueState>): TemplateCatalogue => {
  const list = (listed: ReadonlyArray<Template>, at: Instant): void => {
    for (const [key, record] of kept) if (isGone(record, at) && parts(record).length === 0) kept.delete(key)
    for (const template of listed) kept.set(template.name, listedTemplate(kept.get(template.name), template, at))
  }
  const named = (name: string): NamedTemplates => ({ templates: [...kept.values()].filter((record) => record.name === name), listedAt: undefined })
  return {
    find: (_accountId: string, name: string): TE.TaskEither<PortFailure, NamedTemplates> => TE.fromIO(() => named(name)),
    list: (_accountId: string, query: TemplateQuery) => TE.fromIO(() => pageOf(query.name === undefined ? [...kept.values()] : named(query.name).templates, query)),
    names: () => TE.fromIO(() => Array.from(new Set([...kept.values()].map(({ name }) => name)))),
    replaceAll: (_accountId, listed, at) => TE.fromIO(() => { list(listed, at) }),
    replaceNamed: (_accountId, _name, listed, at) => TE.fromIO(() => { list(listed, at) }),
    change: (_accountId: string, change: TemplateChange) =>
      TE.fromIO(() => {
        const before = kept.get(change.name)
        if (before !== undefined) kept.set(change.name, changedTemplate(before, change))
        return before !== undefined
      }),
    noteFault: (accountId, sentence, at) => TE.fromIO(() => { states.set(accountId, { ...NEVER, fault: { sentence, at } }) }),
    stateOf: (accountId) => TE.fromIO(() => states.get(accountId) ?? NEVER),
  }
}
