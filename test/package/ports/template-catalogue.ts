import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  changedTemplate, faultedState, hasChanged, isCatalogued, isGone, listedState, listedTemplate, NEVER_LISTED, templateCursor, templatePlace, type Along,
  type CatalogueFault, type CatalogueState, type AlongEntry, type Instant, type JsonObject, type NamedTemplates, type Page, type PageQuery, type PortFailure, type Template, type TemplateCatalogue,
  type TemplateChange, type TemplateDiff, type TemplatePlace, type TemplateQuery, type TemplateRecord,
} from '../../../core/ports/template-catalogue.js'

const pageOf = (items: ReadonlyArray<TemplateRecord>, { limit, cursor }: PageQuery): Page<TemplateRecord> => {
  const after: TemplatePlace | undefined = cursor === undefined ? undefined : templatePlace(cursor)
  return { items: items.filter(({ name }) => after === undefined || name > after.name).slice(0, limit), next: undefined }
}
const parts = (template: Template): ReadonlyArray<JsonObject> => template.components ?? []

export const templateCatalogue = (kept: Map<string, TemplateRecord>, states: Map<string, CatalogueState>): TemplateCatalogue => {
  const stateOf = (accountId: string): CatalogueState => states.get(accountId) ?? NEVER_LISTED
  const list = (listed: ReadonlyArray<Template>, at: Instant): void => {
    for (const [key, record] of kept) if (isGone(record, at) && parts(record).length === 0) kept.delete(key)
    for (const template of listed.filter(isCatalogued)) kept.set(templateCursor(template), listedTemplate(kept.get(templateCursor(template)), template, at))
  }
  const named = (name: string): NamedTemplates => ({ templates: [...kept.values()].filter((record) => record.name === name), listedAt: undefined })
  return {
    find: (_accountId: string, name: string): TE.TaskEither<PortFailure, NamedTemplates> => TE.fromIO(() => named(name)),
    list: (_accountId: string, query: TemplateQuery) => TE.fromIO(() => pageOf(query.name === undefined ? [...kept.values()] : named(query.name).templates, query)),
    names: () => TE.fromIO(() => Array.from(new Set([...kept.values()].map(({ name }) => name)))),
    replaceAll: (accountId, listed, at) =>
      TE.fromIO(() => {
        list(listed, at)
        states.set(accountId, listedState(stateOf(accountId), at))
      }),
    replaceNamed: (_accountId, _name, listed, at) => TE.fromIO(() => { list(listed, at) }),
    change: (_accountId: string, change: TemplateChange) =>
      TE.fromIO(() => {
        const before = kept.get(templateCursor(change))
        if (before !== undefined) kept.set(templateCursor(change), changedTemplate(before, change))
        return before !== undefined
      }),
    noteFault: (accountId, sentence, at) =>
      TE.fromIO(() => {
        const fault: CatalogueFault = { sentence, at }
        states.set(accountId, faultedState(stateOf(accountId), fault))
      }),
    stateOf: (accountId) => TE.fromIO(() => stateOf(accountId)),
  }
}

/** The events of a change, if there are any. */
export const eventsAlong = (along: Along<ReadonlyArray<TemplateDiff>>, diff: TemplateDiff): ReadonlyArray<AlongEntry> => (hasChanged(diff) ? along([diff]) : [])
