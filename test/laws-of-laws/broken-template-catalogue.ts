import * as E from 'fp-ts/lib/Either.js'
import { portFailure } from '../../core/kernel/failure.js'
import type { Instant } from '../../core/kernel/time.js'
import { type CatalogueState, NEVER_LISTED, templateCursor } from '../../core/templates/catalogue.js'
import type { Template, TemplateChange, TemplateRecord } from '../../core/templates/template.js'
import { andThen, brokenMemory, noting, withResult } from './broken-memory.js'

/** Opens memory whose catalogue is defective. */
export const broken = (defect: Parameters<typeof brokenMemory<'templateCatalogue'>>[1]) => brokenMemory('templateCatalogue', defect)

/** A catalogue that takes a late list for one of this moment. */
export const believing = broken(({ stateOf, replaceAll }) => ({
  replaceAll: (account, listed, at) =>
    andThen(stateOf(account), ({ listedAt }) => replaceAll(account, listed, Math.max(at, listedAt ?? at))),
}))

/** A catalogue that takes in other lists than it is given. */
export const listing = (change: (listed: ReadonlyArray<Template>) => ReadonlyArray<Template>) =>
  broken(({ replaceAll, replaceNamed }) => ({
    replaceAll: (account, listed, at) => replaceAll(account, change(listed), at),
    replaceNamed: (account, name, listed, at) => replaceNamed(account, name, change(listed), at),
  }))

/** A catalogue in which every text of a key is another one. */
export const keyedBy = (key: (text: string) => string) =>
  broken((catalogue) => {
    const changed = (template: Template): Template => ({ ...template, name: key(template.name), language: key(template.language) })
    return {
      find: (account, name) => catalogue.find(key(account), key(name)),
      list: (account, { name, ...page }) => catalogue.list(key(account), { ...page, ...(name !== undefined && { name: key(name) }) }),
      replaceAll: (account, listed, at) => catalogue.replaceAll(key(account), listed.map(changed), at),
      replaceNamed: (account, name, listed, at) => catalogue.replaceNamed(key(account), key(name), listed.map(changed), at),
      change: (account, change) => catalogue.change(key(account), { ...change, name: key(change.name), language: key(change.language) }),
    }
  })

/** A catalogue that shows records other than they are kept. */
export const showing = (change: (record: TemplateRecord) => TemplateRecord) =>
  broken(({ find, list }) => ({
    find: (...of) => withResult(find(...of), ({ templates, listedAt }) => ({ templates: templates.map(change), listedAt })),
    list: (...of) => withResult(list(...of), ({ items, next }) => ({ items: items.map(change), next })),
  }))

/** A catalogue that sorts what it lists, and pages through it by a rule of its own. */
export const paging = (
  compare: (a: TemplateRecord, b: TemplateRecord) => number,
  next: (items: ReadonlyArray<TemplateRecord>, limit: number, skip: number) => string | undefined,
) =>
  broken(({ list }) => ({
    list: (account, { limit, cursor, ...query }) =>
      withResult(list(account, { ...query, limit: 10_000 }), ({ items }) => {
        const skip = Number(cursor ?? 0) || 0
        return { items: items.toSorted(compare).slice(skip, skip + limit), next: next(items, limit, skip) }
      }),
  }))

/** The order of names and languages by UTF-16 units. */
export const byUnits = (a: TemplateRecord, b: TemplateRecord): number =>
  a.name === b.name ? (a.language < b.language ? -1 : 1) : a.name < b.name ? -1 : 1
/** The order in which the templates are. */
export const keepOrder = (): number => 0
/** The cursor of the next page where more follow: how many templates came before it. */
export const whileMore = (items: ReadonlyArray<TemplateRecord>, limit: number, skip: number): string | undefined =>
  (items.length > skip + limit ? String(skip + limit) : undefined)

/** A catalogue whose templates are after a list as `takes` says, and after a change as it says, whatever its moment is. */
export const replacing = (takes: (before: TemplateRecord | undefined, listed: Template, at: Instant) => TemplateRecord) =>
  broken((catalogue) => {
    const kept = new Map<string, TemplateRecord>()
    const keptOf = (account: string, one: TemplateRecord): TemplateRecord => kept.get(`${account} ${templateCursor(one)}`) ?? one
    return {
      ...catalogue,
      replaceAll: (account, listed, at) =>
        noting(catalogue.replaceAll(account, listed, at), () => {
          for (const template of listed) {
            const key = `${account} ${templateCursor(template)}`
            kept.set(key, takes(kept.get(key), template, at))
          }
        }),
      change: (account, change) =>
        noting(catalogue.change(account, change), () => {
          const key = `${account} ${templateCursor(change)}`
          const before = kept.get(key)
          if (before !== undefined) kept.set(key, written(before, change))
        }),
      find: (account, name) =>
        withResult(catalogue.find(account, name), ({ templates, listedAt }) => ({
          templates: templates.map((one) => keptOf(account, one)), listedAt,
        })),
      list: (account, query) =>
        withResult(catalogue.list(account, query), ({ items, next }) => ({ items: items.map((one) => keptOf(account, one)), next })),
    }
  })

/** A change that is written whatever its moment is. */
const written = (before: TemplateRecord, change: TemplateChange): TemplateRecord => {
  const { at } = change
  if ('status' in change) return { ...before, status: change.status, statusAt: at }
  return 'category' in change
    ? { ...before, category: change.category, categoryAt: at }
    : { ...before, quality: change.quality, qualityAt: at }
}

/** A template as it was listed last, without what was said of it before. */
export const listedNow = (_before: TemplateRecord | undefined, listed: Template, at: Instant): TemplateRecord =>
  ({ ...listed, listedAt: at, statusAt: at, categoryAt: at, qualityAt: at })

/** A catalogue whose states are changed by rules of its own. */
export const stating = (
  onList: (before: CatalogueState, at: Instant) => CatalogueState,
  onFault: (before: CatalogueState, sentence: string, at: Instant) => CatalogueState,
) =>
  broken(({ replaceAll, noteFault }) => {
    const states = new Map<string, CatalogueState>()
    const stateOf = (account: string): CatalogueState => states.get(account) ?? NEVER_LISTED
    return {
      replaceAll: (account, listed, at) =>
        noting(replaceAll(account, listed, at), () => { states.set(account, onList(stateOf(account), at)) }),
      noteFault: (account, sentence, at) =>
        noting(noteFault(account, sentence, at), () => { states.set(account, onFault(stateOf(account), sentence, at)) }),
      stateOf: async (account) => E.right(stateOf(account)),
    }
  })

/** A template. */
export const TEMPLATE: Template = {
  id: '1', name: 'order', language: 'en', category: 'utility', status: 'approved', quality: undefined, parameterFormat: undefined,
  components: [],
}

/** The failure of a catalogue that cannot store a text. */
export const FAILS = Promise.resolve(E.left(portFailure('TemplateCatalogue')('the text cannot be stored')))

/** A catalogue that cannot store a NUL in a part of a template. */
export const failingAt = (partOf: (template: Template) => string) =>
  broken(({ replaceAll }) => ({
    replaceAll: (account, listed, at) => (listed.some((one) => partOf(one).includes('\0')) ? FAILS : replaceAll(account, listed, at)),
  }))
