import { pageOf } from '../../core/kernel/json.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import {
  type CatalogueState, faultedState, listedState, NEVER_LISTED, type TemplateCatalogue, templateCursor, templatePlace, type TemplatePlace,
} from '../../core/templates/catalogue.js'
import {
  changedTemplate, hasChanged, isCatalogued, isGone, listedTemplate, type Template, type TemplateDiff, type TemplateRecord,
} from '../../core/templates/template.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { infallible } from './task.js'

/** The catalogue of templates, in memory. */
export const makeMemoryTemplateCatalogue = (events: EventState = openEventState()): TemplateCatalogue => {
  const accounts = new Map<string, Account>()
  const storeChanges = (before: ReadonlyMap<string, TemplateRecord>, after: ReadonlyMap<string, TemplateRecord>, along: AlongTemplates | undefined): void => {
    if (along === undefined) return
    const changed = [...after].flatMap(([place, record]) => {
      const known = before.get(place)
      return known !== undefined && hasChanged({ before: known, after: record }) ? [{ before: known, after: record }] : []
    })
    if (changed.length > 0) storeEvents(events, along(changed))
  }
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
    replaceAll: (accountId, listed, at, along) =>
      infallible(() => {
        const { templates, state } = accountOf(accountId)
        if (at < (state.listedAt ?? at)) return
        const after = replaced(templates, () => true, listed, at)
        accounts.set(accountId, { templates: after, state: listedState(state, at) })
        storeChanges(templates, after, along)
      }),
    replaceNamed: (accountId, name, listed, at, along) =>
      infallible(() => {
        const { templates, state } = accountOf(accountId)
        if (at < (state.listedAt ?? at)) return
        const after = replaced(templates, (template) => template.name === name, listed, at)
        accounts.set(accountId, { templates: after, state })
        storeChanges(templates, after, along)
      }),
    change: (accountId, change, along) =>
      infallible(() => {
        const { templates } = accountOf(accountId)
        const [place, before] = [templateCursor(change), templates.get(templateCursor(change))]
        if (before === undefined) return false
        const after = changedTemplate(before, change)
        templates.set(place, after)
        storeChanges(new Map([[place, before]]), new Map([[place, after]]), along)
        return true
      }),
    noteFault: (accountId, sentence, at) =>
      infallible(() => {
        const { templates, state } = accountOf(accountId)
        accounts.set(accountId, { templates, state: faultedState(state, { sentence, at }) })
      }),
    stateOf: (accountId) => infallible(() => accountOf(accountId).state),
  }
}

type AlongTemplates = Along<ReadonlyArray<TemplateDiff>>

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
