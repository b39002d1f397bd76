import { templateCursor } from '../../core/templates/catalogue.js'
import type { Template } from '../../core/templates/template.js'
import { done, holds, same } from './expect.js'
import { GARBAGE_CURSORS, LONG_NUMBERS, newName, times } from './ids.js'
import type { Law } from './law.js'
import {
  change, find, listOf, namesOf, newAccount, NOON, noteFault, placesOf, recordOf, replaceAll, replaceNamed, stateOf,
  type TemplateCatalogueFixture, templateOf,
} from './template-fixture.js'

/** How a catalogue stores, finds and lists templates. */
export const templateReadLaws: ReadonlyArray<Law<TemplateCatalogueFixture>> = [
  {
    name: 'an account whose list was never read has no templates',
    check: async (fixture) => {
      await replaceAll(fixture, newAccount(), [templateOf('order_update')])
      for (const account of [newAccount(), '', '__proto__', '\u0000', '%', 'x'.repeat(10_240)]) {
        for (const name of ['order_update', '', '__proto__', '\u0000', '%', 'x'.repeat(10_240)]) {
          same('an unknown name', await find(fixture, account, name), { templates: [], listedAt: undefined })
          same('a list of an unknown name', await listOf(fixture, account, name), [])
        }
        same('the list', await listOf(fixture, account), [])
        same('the names', await namesOf(fixture, account), [])
        same('the state', await stateOf(fixture, account), { listedAt: undefined, fault: undefined })
        same('a change', await change(fixture, account, { name: 'order_update', language: 'en', status: 'paused', at: NOON }), false)
      }
    },
  },
  {
    name: 'a listed template comes back as it was given, with the moment of the list for each part',
    check: async (fixture) => {
      const account = newAccount()
      const odd = {
        text: 'é🔑\u2028"\'\\\u0000\ud800', nested: { list: [1, null, true, { a: '' }] }, ...LONG_NUMBERS, large: 'x'.repeat(200_000),
      }
      const listed = [
        templateOf('a', {
          category: 'a category of the future', status: '', quality: undefined, parameterFormat: undefined, components: undefined,
        }),
        templateOf('b', { components: [] }),
        templateOf('c', { components: [odd, {}, ...times(50, (index) => ({ type: 'BUTTON', index }))], parameterFormat: 'named' }),
      ]
      await replaceAll(fixture, account, listed)
      const records = listed.map((template) => recordOf(template))
      same('the list', await listOf(fixture, account), records)
      for (const record of records) same('by its name', await find(fixture, account, record.name), { templates: [record], listedAt: NOON })
      same('the state', await stateOf(fixture, account), { listedAt: NOON, fault: undefined })
    },
  },
  {
    name: 'a name is found in every language, ordered by language',
    check: async (fixture) => {
      const account = newAccount()
      const languages = ['pt_BR', 'en_US', 'EN', 'en', 'zh_HK', 'de']
      await replaceAll(fixture, account, [
        ...languages.map((language) => templateOf('order_update', { language })), templateOf('order', { language: 'fr' }),
      ])
      same('the languages', (await find(fixture, account, 'order_update')).templates.map(({ language }) => language), languages.toSorted())
    },
  },
  {
    name: 'account ids, names and languages compare exactly',
    check: async (fixture) => {
      const account = newName()
      const texts = [
        'order', 'Order', 'order ', ' order', 'o\u0308rder', '\u00f6rder', '日本_🔑', '\'; DROP TABLE templates; --', '%', '__proto__',
        'órder',
      ]
      for (const [index, suffix] of ['', ' ', 'A', 'a'].entries()) {
        await replaceAll(fixture, `${account}${suffix}`, texts.map((text) => templateOf(text, { language: text, id: `${index} ${text}` })))
      }
      for (const [index, suffix] of ['', ' ', 'A', 'a'].entries()) {
        for (const text of texts) {
          const { templates } = await find(fixture, `${account}${suffix}`, text)
          same(
            'the template of that name', templates.map(({ id, name, language }) => [id, name, language]),
            [[`${index} ${text}`, text, text]],
          )
        }
      }
      same('another name', (await find(fixture, account, 'ORDER')).templates, [])
    },
  },
  {
    name: 'names of 512 characters and languages of 64 are kept, longer ones are left out and cost no other',
    check: async (fixture) => {
      for (const letter of ['a', '日', '🔑']) {
        const account = newAccount()
        const [long, language] = [letter.repeat(511), letter.repeat(64)]
        const kept = [templateOf(`${long}a`, { language }), templateOf(`${long}b`, { language })]
        const left = [
          templateOf(`${long}ab`), templateOf('a', { language: `${language}a` }), templateOf(''), templateOf('a', { language: '' }),
          templateOf('a\u0000b'), templateOf('\ud800'),
        ]
        await replaceAll(fixture, account, [...left, ...kept, ...left])
        same('the templates', await listOf(fixture, account), kept.map((template) => recordOf(template)))
        for (const { name, id } of kept) same('by its name', (await find(fixture, account, name)).templates.map((found) => found.id), [id])
        await replaceNamed(fixture, account, `${long}ab`, left, NOON + 1)
        same('after a list of a name that is too long', (await listOf(fixture, account)).length, 2)
      }
    },
  },
  {
    name: 'no word of the platform makes a list or a change fail',
    check: async (fixture) => {
      for (const word of ['a\u0000b', '\ud800', 'x'.repeat(100_000), '日本 🔑', '']) {
        const account = newAccount()
        await replaceAll(fixture, account, [
          templateOf('odd', { id: word, category: word, status: word, quality: word }), templateOf('plain'),
        ])
        for (const part of [{ status: word }, { category: word }, { quality: word }]) {
          same('a change', await change(fixture, account, { name: 'odd', language: 'en', at: NOON + 1, ...part }), true)
        }
        await noteFault(fixture, account, word, NOON + 1)
        same('the templates', (await listOf(fixture, account)).map(({ name }) => name), ['odd', 'plain'])
      }
    },
  },
  {
    name: 'templates are listed by name and language, page by page, all of them or those of one name',
    check: async (fixture) => {
      const account = newAccount()
      // In UTF-16 order the key emoji would come before the private-use character.
      const names = ['A', 'a', 'a_', 'a_b', 'ab', 'z', 'é', '\ue000', '🔑']
      const languages = ['EN', 'en', 'en_GB']
      const listed = names.flatMap((name) => languages.map((language) => templateOf(name, { language })))
      await replaceAll(fixture, account, listed.toSorted(({ id: one }, { id: other }) => (one < other ? -1 : 1)))
      const records = listed.map((template) => recordOf(template))
      for (const limit of [1, 2, 5, 9, 100]) {
        same(`pages of ${limit}`, await listOf(fixture, account, undefined, limit), records)
        same(`pages of ${limit} of one name`, await listOf(fixture, account, 'a_', limit), records.filter(({ name }) => name === 'a_'))
      }
    },
  },
  {
    name: 'the names of the templates are given in the order of the list, each once',
    check: async (fixture) => {
      const account = newAccount()
      const names = ['A', 'a', 'a ', 'a_b', 'ab', 'é', '\ue000', '🔑']
      const listed = names.flatMap((name) => ['en', 'de', 'pt_BR'].map((language) => templateOf(name, { language })))
      await replaceAll(fixture, account, listed.toReversed())
      await replaceAll(fixture, newAccount(), [templateOf('other')])
      same('the names', await namesOf(fixture, account), names)
      await replaceAll(fixture, account, [templateOf('b')], NOON + 1)
      same('after another list', await namesOf(fixture, account), ['b'])
    },
  },
  {
    name: 'the last page has no next, also where it is full',
    check: async (fixture) => {
      const account = newAccount()
      await replaceAll(fixture, account, ['a', 'b', 'c', 'd'].map((name) => templateOf(name)))
      const first = await done('a page', fixture.templateCatalogue.list(account, { limit: 2 }))
      holds('the first of two full pages has a next', first.next !== undefined, first)
      same('the cursor', first.next, templateCursor({ name: 'b', language: 'en' }))
      const second = await done('a page', fixture.templateCatalogue.list(account, { limit: 2, cursor: first.next ?? '' }))
      same('the last page', [placesOf(second.items), second.next], [['c/en', 'd/en'], undefined])
      same('a page of all', (await done('a page', fixture.templateCatalogue.list(account, { limit: 4 }))).next, undefined)
      same('a page of one name', (await done('a page', fixture.templateCatalogue.list(account, { limit: 1, name: 'd' }))).next, undefined)
    },
  },
  {
    name: 'a cursor continues after its template, even if templates were added or removed since',
    check: async (fixture) => {
      const account = newAccount()
      const [a, c, e, g] = ['a', 'c', 'e', 'g'].map((name) => templateOf(name)) as [Template, Template, Template, Template]
      await replaceAll(fixture, account, [a, c, e, g])
      let at = NOON
      const listed = await listOf(fixture, account, undefined, 2, async () => {
        at += 1
        await replaceAll(fixture, account, at === NOON + 1 ? [templateOf('b'), templateOf('d'), e, templateOf('f')] : [e], at)
      })
      same('what was there when its page was read', placesOf(listed), ['a/en', 'c/en', 'd/en', 'e/en'])
    },
  },
  {
    name: 'a cursor that no list gave never fails',
    check: async (fixture) => {
      const account = newAccount()
      await replaceAll(fixture, account, [templateOf('a'), templateOf('b')])
      for (const cursor of [...GARBAGE_CURSORS, '[]', '[1,2]', '["a"]', '{"name":"a"}', 'null', '["\\ud800","\\u0000"]']) {
        await done('a page after any text', fixture.templateCatalogue.list(account, { limit: 10, cursor }))
        await done('a page of a name after any text', fixture.templateCatalogue.list(account, { limit: 10, name: 'a', cursor }))
      }
    },
  },
]
