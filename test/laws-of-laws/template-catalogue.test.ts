import * as TE from 'fp-ts/lib/TaskEither.js'
import { portFailure } from '../../core/errors.js'
import {
  NEVER_LISTED, templateCursor, type CatalogueState, type Instant, type Template, type TemplateCatalogue, type TemplateChange, type TemplateRecord,
} from '../../core/ports/template-catalogue.js'
import { templateCatalogueLaws } from '../laws/template-catalogue.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (catalogue: TemplateCatalogue) => Partial<TemplateCatalogue>) => brokenMemory('templateCatalogue', defect)

/** A catalogue that takes a late list for one of this moment. */
const believing = broken(({ stateOf, replaceAll }) => ({
  replaceAll: (account, listed, at) => TE.flatMap(stateOf(account), ({ listedAt }) => replaceAll(account, listed, Math.max(at, listedAt ?? at))),
}))

/** A catalogue that takes in other lists than it is given. */
const listing = (change: (listed: ReadonlyArray<Template>) => ReadonlyArray<Template>) =>
  broken(({ replaceAll, replaceNamed }) => ({
    replaceAll: (account, listed, at) => replaceAll(account, change(listed), at),
    replaceNamed: (account, name, listed, at) => replaceNamed(account, name, change(listed), at),
  }))

/** A catalogue in which every text of a key is another one. */
const keyedBy = (key: (text: string) => string) =>
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
const showing = (change: (record: TemplateRecord) => TemplateRecord) =>
  broken(({ find, list }) => ({
    find: (...of) => withResult(find(...of), ({ templates, listedAt }) => ({ templates: templates.map(change), listedAt })),
    list: (...of) => withResult(list(...of), ({ items, next }) => ({ items: items.map(change), next })),
  }))

/** A catalogue that sorts what it lists, and pages through it by a rule of its own. */
const paging = (compare: (a: TemplateRecord, b: TemplateRecord) => number, next: (items: ReadonlyArray<TemplateRecord>, limit: number, skip: number) => string | undefined) =>
  broken(({ list }) => ({
    list: (account, { limit, cursor, ...query }) =>
      withResult(list(account, { ...query, limit: 10_000 }), ({ items }) => {
        const skip = Number(cursor ?? 0) || 0
        return { items: items.toSorted(compare).slice(skip, skip + limit), next: next(items, limit, skip) }
      }),
  }))

const byUnits = (a: TemplateRecord, b: TemplateRecord): number => (a.name === b.name ? (a.language < b.language ? -1 : 1) : a.name < b.name ? -1 : 1)
const keepOrder = (): number => 0
const whileMore = (items: ReadonlyArray<TemplateRecord>, limit: number, skip: number): string | undefined =>
  (items.length > skip + limit ? String(skip + limit) : undefined)

/** A catalogue whose templates are after a list as `takes` says, and after a change as it says, whatever its moment is. */
const replacing = (takes: (before: TemplateRecord | undefined, listed: Template, at: Instant) => TemplateRecord) =>
  broken((catalogue) => {
    const kept = new Map<string, TemplateRecord>()
    return {
      ...catalogue,
      replaceAll: (account, listed, at) =>
        TE.tapIO(catalogue.replaceAll(account, listed, at), () => () => {
          for (const template of listed) {
            const key = `${account} ${templateCursor(template)}`
            kept.set(key, takes(kept.get(key), template, at))
          }
        }),
      change: (account, change) =>
        TE.tapIO(catalogue.change(account, change), () => () => {
          const key = `${account} ${templateCursor(change)}`
          const before = kept.get(key)
          if (before !== undefined) kept.set(key, written(before, change))
        }),
      find: (account, name) =>
        withResult(catalogue.find(account, name), ({ templates, listedAt }) => ({ templates: templates.map((one) => kept.get(`${account} ${templateCursor(one)}`) ?? one), listedAt })),
      list: (account, query) =>
        withResult(catalogue.list(account, query), ({ items, next }) => ({ items: items.map((one) => kept.get(`${account} ${templateCursor(one)}`) ?? one), next })),
    }
  })

/** A change that is written whatever its moment is. */
const written = (before: TemplateRecord, change: TemplateChange): TemplateRecord => {
  const { at } = change
  if ('status' in change) return { ...before, status: change.status, statusAt: at }
  return 'category' in change ? { ...before, category: change.category, categoryAt: at } : { ...before, quality: change.quality, qualityAt: at }
}

const listedNow = (_before: TemplateRecord | undefined, listed: Template, at: Instant): TemplateRecord =>
  ({ ...listed, listedAt: at, statusAt: at, categoryAt: at, qualityAt: at })

/** A catalogue whose states are changed by rules of its own. */
const stating = (onList: (before: CatalogueState, at: Instant) => CatalogueState, onFault: (before: CatalogueState, sentence: string, at: Instant) => CatalogueState) =>
  broken(({ replaceAll, noteFault }) => {
    const states = new Map<string, CatalogueState>()
    const stateOf = (account: string): CatalogueState => states.get(account) ?? NEVER_LISTED
    return {
      replaceAll: (account, listed, at) => TE.tapIO(replaceAll(account, listed, at), () => () => { states.set(account, onList(stateOf(account), at)) }),
      noteFault: (account, sentence, at) => TE.tapIO(noteFault(account, sentence, at), () => () => { states.set(account, onFault(stateOf(account), sentence, at)) }),
      stateOf: (account) => TE.fromIO(() => stateOf(account)),
    }
  })

const TEMPLATE: Template = {
  id: '1', name: 'order', language: 'en', category: 'utility', status: 'approved', quality: undefined, parameterFormat: undefined, components: [],
}

const FAILS = TE.left(portFailure('TemplateCatalogue')('the text cannot be stored'))

describeMutations('the catalogue of templates', templateCatalogueLaws, [
  {
    defect: 'has a template in every account',
    open: broken(({ find }) => ({
      find: (account, name) => withResult(find(account, name), ({ templates, listedAt }) => ({ templates: listedAt === undefined ? [listedNow(undefined, TEMPLATE, 1)] : templates, listedAt })),
    })),
    breaks: ['an account whose list was never read has no templates'],
  },
  {
    defect: 'takes a change of a template that it does not have for done',
    open: broken(({ change }) => ({ change: (...of) => withResult(change(...of), () => true) })),
    breaks: ['an account whose list was never read has no templates', 'a change of a template that the catalogue does not have is false and adds nothing'],
  },
  {
    defect: 'adds a template when it is changed',
    open: broken(({ change, replaceNamed }) => ({
      change: (account, part) => TE.tap(change(account, part), (isKnown) =>
        isKnown || part.name.includes('\0') ? TE.right(undefined) : replaceNamed(account, part.name, [{ ...TEMPLATE, name: part.name, language: part.language }], part.at)),
    })),
    breaks: ['a change of a template that the catalogue does not have is false and adds nothing'],
  },
  { defect: 'takes components that could not be read for none', open: listing((listed) => listed.map((one) => ({ ...one, components: one.components ?? [] }))), breaks: ['a listed template comes back as it was given, with the moment of the list for each part'] },
  { defect: 'keeps known categories only', open: showing((one) => ({ ...one, category: one.category.includes(' ') ? 'utility' : one.category })), breaks: ['a listed template comes back as it was given, with the moment of the list for each part'] },
  { defect: 'keeps moments in whole seconds', open: showing((one) => ({ ...one, listedAt: Math.floor(one.listedAt / 1_000) * 1_000 })), breaks: ['a listed template comes back as it was given, with the moment of the list for each part'] },
  {
    defect: 'finds a name in one language',
    open: broken(({ find }) => ({ find: (...of) => withResult(find(...of), ({ templates, listedAt }) => ({ templates: templates.slice(0, 1), listedAt })) })),
    breaks: ['a name is found in every language, ordered by language'],
  },
  {
    defect: 'finds languages in the order in which they were listed',
    open: broken(({ find }) => ({ find: (...of) => withResult(find(...of), ({ templates, listedAt }) => ({ templates: templates.toReversed(), listedAt })) })),
    breaks: ['a name is found in every language, ordered by language'],
  },
  { defect: 'ignores letter case', open: keyedBy((text) => text.toLowerCase()), breaks: ['account ids, names and languages compare exactly'] },
  { defect: 'ignores spaces at the end', open: keyedBy((text) => text.trimEnd()), breaks: ['account ids, names and languages compare exactly'] },
  { defect: 'takes letters for the same however they are composed', open: keyedBy((text) => text.normalize()), breaks: ['account ids, names and languages compare exactly'] },
  { defect: 'cuts long names', open: listing((listed) => listed.map((one) => ({ ...one, name: one.name.slice(0, 500) }))), breaks: ['names of 512 characters and languages of 64 are kept, longer ones are left out and cost no other'] },
  {
    defect: 'fails by a name that it cannot store',
    open: broken(({ replaceAll }) => ({ replaceAll: (account, listed, at) => (listed.some(({ name }) => name.includes('\0')) ? FAILS : replaceAll(account, listed, at)) })),
    breaks: ['names of 512 characters and languages of 64 are kept, longer ones are left out and cost no other'],
  },
  {
    defect: 'fails by a word that it cannot store',
    open: broken(({ replaceAll }) => ({ replaceAll: (account, listed, at) => (listed.some(({ status }) => status.includes('\0')) ? FAILS : replaceAll(account, listed, at)) })),
    breaks: ['no word of the platform makes a list or a change fail'],
  },
  { defect: 'sorts by UTF-16 units', open: paging(byUnits, whileMore), breaks: ['templates are listed by name and language, page by page, all of them or those of one name'] },
  {
    defect: 'has a next after a last page that is full',
    open: paging(keepOrder, (items, limit, skip) => (items.length >= skip + limit ? String(skip + limit) : undefined)),
    breaks: ['the last page has no next, also where it is full'],
  },
  {
    defect: 'gives a name once for each language',
    open: broken(({ names, list }) => ({
      names: (account) => TE.flatMap(names(account), () => withResult(list(account, { limit: 10_000 }), ({ items }) => items.map(({ name }) => name))),
    })),
    breaks: ['the names of the templates are given in the order of the list, each once'],
  },
  {
    defect: 'sorts names by UTF-16 units',
    open: broken(({ names }) => ({ names: (account) => withResult(names(account), (all) => all.toSorted()) })),
    breaks: ['the names of the templates are given in the order of the list, each once'],
  },
  { defect: 'counts what it has listed', open: paging(keepOrder, whileMore), breaks: ['a cursor continues after its template, even if templates were added or removed since'] },
  {
    defect: 'fails by a cursor that it did not give',
    open: broken(({ list }) => ({ list: (account, query) => (query.cursor !== undefined && !query.cursor.startsWith('["') ? FAILS : list(account, query)) })),
    breaks: ['a cursor that no list gave never fails'],
  },
  {
    defect: 'never removes a template',
    open: broken(({ list, replaceAll, replaceNamed }) => ({
      replaceAll: (account, listed, at) => TE.flatMap(list(account, { limit: 10_000 }), ({ items }) => replaceAll(account, [...items, ...listed], at)),
      replaceNamed: (account, name, listed, at) => TE.flatMap(list(account, { name, limit: 10_000 }), ({ items }) => replaceNamed(account, name, [...items, ...listed], at)),
    })),
    breaks: [
      'a template that the list no longer has is gone, and one that it has is as the list says',
      'the templates of one name are replaced alone, and that does not count as a reading of the list',
    ],
  },
  { defect: 'keeps the first of two templates with one place', open: listing((listed) => listed.toReversed()), breaks: ['of two templates with one name and language the last that is listed counts'] },
  { defect: 'believes the list that arrives last', open: believing, breaks: ['a list that was read before the one that is kept changes nothing'] },
  { defect: 'believes a list and a change that arrive last', open: replacing(listedNow), breaks: ['of a template that was changed after the list was read, the change stays', 'a change is kept by the moment of its part, as the rule of changes says', 'concurrent changes and lists are all kept, whatever their order'] },
  {
    defect: 'takes in a list template by template',
    open: broken(({ replaceAll, replaceNamed }) => ({
      replaceAll: (account, listed, at) => TE.fromTask(async () => {
        for (const name of [...new Set(listed.map((one) => one.name))].slice(0, 3)) {
          await replaceNamed(account, name, listed, at)()
          for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
        }
        await replaceAll(account, listed, at)()
      }),
    })),
    breaks: ['a list is seen at once or not at all'],
  },
  {
    defect: 'counts the list of one name as a reading of the whole list',
    open: broken(({ replaceNamed, replaceAll, list }) => ({
      replaceNamed: (account, name, listed, at) => TE.tap(replaceNamed(account, name, listed, at), () =>
        TE.flatMap(list(account, { limit: 10_000 }), ({ items }) => replaceAll(account, items, at))),
    })),
    breaks: ['the templates of one name are replaced alone, and that does not count as a reading of the list'],
  },
  {
    defect: 'removes what a list does not have, however late it was listed',
    open: broken(({ replaceAll, list, replaceNamed }) => ({
      replaceAll: (account, listed, at) => TE.tap(replaceAll(account, listed, at), () =>
        TE.flatMap(list(account, { limit: 10_000 }), ({ items }) => {
          const [late] = items.filter((one) => one.listedAt > at && !listed.some(({ name }) => name === one.name))
          return late === undefined ? TE.right(undefined) : replaceNamed(account, late.name, [], late.listedAt)
        })),
    })),
    breaks: ['a template that was listed by its name after the whole list was read stays'],
  },
  {
    defect: 'keeps a fault for good',
    open: stating((before, at) => ({ ...before, listedAt: at }), (before, sentence, at) => ({ ...before, fault: { sentence, at } })),
    breaks: ['a fault is noted until the list is read later'],
  },
  {
    defect: 'forgets a fault by any list',
    open: stating((_before, at) => ({ listedAt: at, fault: undefined }), (before, sentence, at) => ({ ...before, fault: { sentence, at } })),
    breaks: ['a fault is noted until the list is read later'],
  },
  {
    defect: 'ignores the account',
    open: broken((catalogue) => ({
      find: (_account, name) => catalogue.find('1', name), list: (_account, query) => catalogue.list('1', query),
      replaceAll: (_account, listed, at) => catalogue.replaceAll('1', listed, at), stateOf: () => catalogue.stateOf('1'),
    })),
    breaks: ['accounts are apart'],
  },
  {
    defect: 'keeps 5,000 templates',
    open: broken(({ replaceAll }) => ({ replaceAll: (account, listed, at) => replaceAll(account, listed.slice(0, 5_000), at) })),
    breaks: ['a list of 6,000 templates is kept whole, and so is the one after it'],
  },
])
