import * as E from 'fp-ts/lib/Either.js'
import { templateCatalogueLaws } from '../laws/template-catalogue.js'
import { andThen, followedBy, rounded, withResult } from './broken-memory.js'
import {
  broken, believing, listing, keyedBy, showing, paging, byUnits, keepOrder, whileMore, replacing, listedNow, stating, TEMPLATE, FAILS,
  failingAt,
} from './broken-template-catalogue.js'
import { describeMutations } from './mutation.js'

describeMutations('the catalogue of templates', templateCatalogueLaws, [
  {
    defect: 'has a template in every account',
    open: broken(({ find }) => ({
      find: (account, name) => withResult(find(account, name), ({ templates, listedAt }) =>
        ({ templates: listedAt === undefined ? [listedNow(undefined, TEMPLATE, 1)] : templates, listedAt })),
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
      change: (account, part) => followedBy(change(account, part), async (isKnown) => {
        const { name, language, at } = part
        return isKnown || name.includes('\0') ? E.right(undefined) : replaceNamed(account, name, [{ ...TEMPLATE, name, language }], at)
      }),
    })),
    breaks: ['a change of a template that the catalogue does not have is false and adds nothing'],
  },
  {
    defect: 'rounds long numbers',
    open: listing((listed) => listed.map((one) => ({ ...one, components: one.components?.map(rounded) }))),
    breaks: ['a listed template comes back as it was given, with the moment of the list for each part'],
  },
  {
    defect: 'takes components that could not be read for none',
    open: listing((listed) => listed.map((one) => ({ ...one, components: one.components ?? [] }))),
    breaks: ['a listed template comes back as it was given, with the moment of the list for each part'],
  },
  {
    defect: 'keeps known categories only',
    open: showing((one) => ({ ...one, category: one.category.includes(' ') ? 'utility' : one.category })),
    breaks: ['a listed template comes back as it was given, with the moment of the list for each part'],
  },
  {
    defect: 'keeps moments in whole seconds',
    open: showing((one) => ({ ...one, listedAt: Math.floor(one.listedAt / 1_000) * 1_000 })),
    breaks: ['a listed template comes back as it was given, with the moment of the list for each part'],
  },
  {
    defect: 'finds a name in one language',
    open: broken(({ find }) => ({
      find: (...of) => withResult(find(...of), ({ templates, listedAt }) => ({ templates: templates.slice(0, 1), listedAt })),
    })),
    breaks: ['a name is found in every language, ordered by language'],
  },
  {
    defect: 'finds languages in the order in which they were listed',
    open: broken(({ find }) => ({
      find: (...of) => withResult(find(...of), ({ templates, listedAt }) => ({ templates: templates.toReversed(), listedAt })),
    })),
    breaks: ['a name is found in every language, ordered by language'],
  },
  { defect: 'ignores letter case', open: keyedBy((text) => text.toLowerCase()), breaks: ['account ids, names and languages compare exactly'] },
  { defect: 'ignores spaces at the end', open: keyedBy((text) => text.trimEnd()), breaks: ['account ids, names and languages compare exactly'] },
  {
    defect: 'takes letters for the same however they are composed',
    open: keyedBy((text) => text.normalize()),
    breaks: ['account ids, names and languages compare exactly'],
  },
  {
    defect: 'cuts long names',
    open: listing((listed) => listed.map((one) => ({ ...one, name: one.name.slice(0, 500) }))),
    breaks: ['names of 512 characters and languages of 64 are kept, longer ones are left out and cost no other'],
  },
  {
    defect: 'fails by a name that it cannot store',
    open: failingAt(({ name }) => name),
    breaks: ['names of 512 characters and languages of 64 are kept, longer ones are left out and cost no other'],
  },
  {
    defect: 'fails by a word that it cannot store',
    open: failingAt(({ status }) => status),
    breaks: ['no word of the platform makes a list or a change fail'],
  },
  {
    defect: 'sorts by UTF-16 units',
    open: paging(byUnits, whileMore),
    breaks: ['templates are listed by name and language, page by page, all of them or those of one name'],
  },
  {
    defect: 'has a next after a last page that is full',
    open: paging(keepOrder, (items, limit, skip) => (items.length >= skip + limit ? String(skip + limit) : undefined)),
    breaks: ['the last page has no next, also where it is full'],
  },
  {
    defect: 'gives a name once for each language',
    open: broken(({ names, list }) => ({
      names: (account) =>
        andThen(names(account), () => withResult(list(account, { limit: 10_000 }), ({ items }) => items.map(({ name }) => name))),
    })),
    breaks: ['the names of the templates are given in the order of the list, each once'],
  },
  {
    defect: 'sorts names by UTF-16 units',
    open: broken(({ names }) => ({ names: (account) => withResult(names(account), (all) => all.toSorted()) })),
    breaks: ['the names of the templates are given in the order of the list, each once'],
  },
  {
    defect: 'counts what it has listed',
    open: paging(keepOrder, whileMore),
    breaks: ['a cursor continues after its template, even if templates were added or removed since'],
  },
  {
    defect: 'fails by a cursor that it did not give',
    open: broken(({ list }) => ({
      list: (account, query) => (query.cursor !== undefined && !query.cursor.startsWith('["') ? FAILS : list(account, query)),
    })),
    breaks: ['a cursor that no list gave never fails'],
  },
  {
    defect: 'never removes a template',
    open: broken(({ list, replaceAll, replaceNamed }) => ({
      replaceAll: (account, listed, at) =>
        andThen(list(account, { limit: 10_000 }), ({ items }) => replaceAll(account, [...items, ...listed], at)),
      replaceNamed: (account, name, listed, at) =>
        andThen(list(account, { name, limit: 10_000 }), ({ items }) => replaceNamed(account, name, [...items, ...listed], at)),
    })),
    breaks: [
      'a template that the list no longer has is gone, and one that it has is as the list says',
      'the templates of one name are replaced alone, and that does not count as a reading of the list',
    ],
  },
  {
    defect: 'keeps the first of two templates with one place',
    open: listing((listed) => listed.toReversed()),
    breaks: ['of two templates with one name and language the last that is listed counts'],
  },
  { defect: 'believes the list that arrives last', open: believing, breaks: ['a list that was read before the one that is kept changes nothing'] },
  {
    defect: 'believes a list and a change that arrive last',
    open: replacing(listedNow),
    breaks: [
      'of a template that was changed after the list was read, the change stays',
      'a change is kept by the moment of its part, as the rule of changes says',
      'concurrent changes and lists are all kept, whatever their order',
    ],
  },
  {
    defect: 'takes in a list template by template',
    open: broken(({ replaceAll, replaceNamed }) => ({
      replaceAll: async (account, listed, at) => {
        for (const name of [...new Set(listed.map((one) => one.name))].slice(0, 3)) {
          await replaceNamed(account, name, listed, at)
          for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
        }
        await replaceAll(account, listed, at)
        return E.right(undefined)
      },
    })),
    breaks: ['a list is seen at once or not at all'],
  },
  {
    defect: 'counts the list of one name as a reading of the whole list',
    open: broken(({ replaceNamed, replaceAll, list }) => ({
      replaceNamed: (account, name, listed, at) => followedBy(replaceNamed(account, name, listed, at), () =>
        andThen(list(account, { limit: 10_000 }), ({ items }) => replaceAll(account, items, at))),
    })),
    breaks: ['the templates of one name are replaced alone, and that does not count as a reading of the list'],
  },
  {
    defect: 'removes what a list does not have, however late it was listed',
    open: broken(({ replaceAll, list, replaceNamed }) => ({
      replaceAll: (account, listed, at) => followedBy(replaceAll(account, listed, at), () =>
        andThen(list(account, { limit: 10_000 }), async ({ items }) => {
          const [late] = items.filter((one) => one.listedAt > at && !listed.some(({ name }) => name === one.name))
          return late === undefined ? E.right(undefined) : replaceNamed(account, late.name, [], late.listedAt)
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
    open: stating(
      (_before, at) => ({ listedAt: at, fault: undefined }), (before, sentence, at) => ({ ...before, fault: { sentence, at } }),
    ),
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
