import { pageOf } from '../../core/page.js'
import {
  changedTemplate, faultedState, isCatalogued, isGone, listedState, listedTemplate, NEVER_LISTED, templateCursor, templatePlace, type CatalogueState,
  type Instant, type Template, type TemplateCatalogue, type TemplatePlace, type TemplateRecord,
} from '../../core/ports/template-catalogue.js'
import { infallible } from './task.js'

/** The catalogue of templates, in memory. */
export const makeMemoryTemplateCatalogue = (): TemplateCatalogue => {
  const accounts = new Map<string, Account>()
  const accountOf = (accountId: string): Account => accounts.get(accountId) ?? { templates: new Map(), state: NEVER_LISTED }
  return {
    find: (accountId, name) =>
      infallible(() => {
        const { templates, state: { listedAt } } = accountOf(accountId)
        return { templates: inOrder(templates, (record) => record.name === name), listedAt }
      }),
    list: (accountId, { name, cursor, limit }) =>
      infallible(() => {
        const after = cursor === undefined ? undefined : templatePlace(cursor)
        const isListed = (record: TemplateRecord): boolean =>
          (name === undefined || record.name === name) && (after === undefined || byPlace(record, after) > 0)
        return pageOf(inOrder(accountOf(accountId).templates, isListed), limit, templateCursor)
      }),
    names: (accountId) => infallible(() => [...new Set([...accountOf(accountId).templates.values()].map(({ name }) => name))].sort(byBytes)),
    replaceAll: (accountId, listed, at) =>
      infallible(() => {
        const { templates, state } = accountOf(accountId)
        if (at >= (state.listedAt ?? at)) accounts.set(accountId, { templates: replaced(templates, () => true, listed, at), state: listedState(state, at) })
      }),
    replaceNamed: (accountId, name, listed, at) =>
      infallible(() => {
        const { templates, state } = accountOf(accountId)
        if (at >= (state.listedAt ?? at)) accounts.set(accountId, { templates: replaced(templates, (template) => template.name === name, listed, at), state })
      }),
    change: (accountId, change) =>
      infallible(() => {
        const { templates } = accountOf(accountId)
        const before = templates.get(templateCursor(change))
        if (before !== undefined) templates.set(templateCursor(change), changedTemplate(before, change))
        return before !== undefined
      }),
    noteFault: (accountId, sentence, at) =>
      infallible(() => {
        const { templates, state } = accountOf(accountId)
        accounts.set(accountId, { templates, state: faultedState(state, { sentence, at }) })
      }),
    stateOf: (accountId) => infallible(() => accountOf(accountId).state),
  }
}

/** The templates of one business account, by their places. */
type Account = { readonly templates: Map<string, TemplateRecord>; readonly state: CatalogueState }

/** The templates after those that `isMeant` selects were listed. */
const replaced = (
  before: ReadonlyMap<string, TemplateRecord>, isMeant: (template: Template) => boolean, listed: ReadonlyArray<Template>, at: Instant,
): Map<string, TemplateRecord> => {
  const meant = listed.filter((template) => isCatalogued(template) && isMeant(template))
  const places = new Set(meant.map(templateCursor))
  const after = new Map([...before].filter(([place, record]) => !isMeant(record) || places.has(place) || !isGone(record, at)))
  for (const template of meant) after.set(templateCursor(template), listedTemplate(before.get(templateCursor(template)), template, at))
  return after
}

/** Those that a condition selects, in their order. A send looks for one name, so the others are not sorted. */
const inOrder = (templates: ReadonlyMap<string, TemplateRecord>, isMeant: (record: TemplateRecord) => boolean): ReadonlyArray<TemplateRecord> =>
  [...templates.values()].filter(isMeant).sort(byPlace)

const byPlace = (a: TemplatePlace, b: TemplatePlace): number => byBytes(a.name, b.name) || byBytes(a.language, b.language)

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
