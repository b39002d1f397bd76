import { MINUTE_MS } from '../../core/kernel/time.js'
import { changedTemplate, type TemplateRecord } from '../../core/templates/template.js'
import { same } from './expect.js'
import { times } from './ids.js'
import type { Law } from './law.js'
import {
  change, find, listOf, newAccount, NOON, noteFault, placesOf, recordOf, replaceAll, replaceNamed, stateOf, type TemplateCatalogueFixture,
  templateOf,
} from './template-fixture.js'

/** The effects of changes and faults on an account. */
export const templateChangeLaws: ReadonlyArray<Law<TemplateCatalogueFixture>> = [
  {
    name: 'of a template that was changed after the list was read, the change stays',
    check: async (fixture) => {
      const account = newAccount()
      await replaceAll(fixture, account, [templateOf('a'), templateOf('b')])
      await change(fixture, account, { name: 'a', language: 'en', status: 'paused', at: NOON + 5 })
      await change(fixture, account, { name: 'b', language: 'en', category: 'marketing', at: NOON + 5 })
      const [a, b] = [templateOf('a', { quality: 'red' }), templateOf('b', { status: 'rejected' })]
      await replaceAll(fixture, account, [a, b], NOON + 4)
      same('an earlier list', await listOf(fixture, account), [
        { ...recordOf(a, NOON + 4), status: 'paused', statusAt: NOON + 5 },
        { ...recordOf(b, NOON + 4), category: 'marketing', categoryAt: NOON + 5 },
      ])
      await replaceAll(fixture, account, [a, b], NOON + 5)
      same('a list of the same moment', await listOf(fixture, account), [recordOf(a, NOON + 5), recordOf(b, NOON + 5)])
    },
  },
  {
    name: 'a change is kept by the moment of its part, as the rule of changes says',
    check: async (fixture) => {
      const account = newAccount()
      await replaceAll(fixture, account, [templateOf('other'), templateOf('order', { language: 'de' }), templateOf('order')])
      const others = (await listOf(fixture, account)).filter((record) => record.name === 'other' || record.language === 'de')
      let [expected] = (await find(fixture, account, 'order')).templates.filter(({ language }) => language === 'en') as [TemplateRecord]
      const parts = [
        { status: 'paused', at: NOON + 10 }, { category: 'marketing', at: NOON + 5 }, { quality: 'red', at: NOON + 7 },
        { status: 'approved', at: NOON + 9 }, { status: 'disabled', at: NOON + 10 }, { category: 'utility', at: NOON + 4 },
        { quality: 'unknown', at: NOON - 1 }, { status: 'a word of the future', at: NOON + MINUTE_MS },
      ]
      for (const part of parts) {
        const changed = { name: 'order', language: 'en', ...part }
        same('the catalogue has the template', await change(fixture, account, changed), true)
        expected = changedTemplate(expected, changed)
        const found = (await find(fixture, account, 'order')).templates.filter(({ language }) => language === 'en')
        same(`after ${Object.keys(part)[0]} at ${part.at - NOON}`, found, [expected])
      }
      same('the others', (await listOf(fixture, account)).filter((record) => record.name === 'other' || record.language === 'de'), others)
    },
  },
  {
    name: 'a change of a template that the catalogue does not have is false and adds nothing',
    check: async (fixture) => {
      const account = newAccount()
      const listed = [templateOf('order'), templateOf('sale', { language: 'de' })]
      await replaceAll(fixture, account, listed)
      for (const [name, language] of [['order', 'de'], ['Order', 'en'], ['order', 'en '], ['a\u0000b', '']] as const) {
        same('it is not there', await change(fixture, account, { name, language, status: 'paused', at: NOON + 1 }), false)
      }
      same('the templates', await listOf(fixture, account), listed.map((template) => recordOf(template)))
    },
  },
  {
    name: 'concurrent changes and lists are all kept, whatever their order',
    check: async (fixture) => {
      const account = newAccount()
      const nodes = [fixture, { templateCatalogue: fixture.elsewhere ?? fixture.templateCatalogue }]
      const [other, ours] = [templateOf('other'), templateOf('order')]
      await replaceAll(fixture, account, [other, ours])
      const change20 = times(20, (index) => ({ name: 'order', language: 'en', at: NOON + 1 + ((index * 7) % 20) }))
      await Promise.all([
        ...change20.flatMap(({ at, ...place }, index) => [
          change(nodes[index % 2] ?? fixture, account, { ...place, at, status: `status ${at - NOON}` }),
          change(nodes[(index + 1) % 2] ?? fixture, account, { ...place, at: at - 10, category: `category ${at - NOON - 10}` }),
        ]),
        ...times(4, (index) => replaceAll(nodes[index % 2] ?? fixture, account, [{ ...ours, quality: `${index}` }], NOON + 11 + index)),
        replaceNamed(nodes[1] ?? fixture, account, 'order', [ours], NOON + 2),
      ])
      same('the latest of each part', await listOf(fixture, account), [
        { ...recordOf({ ...ours, quality: '3' }, NOON + 14), status: 'status 20', statusAt: NOON + 20 },
      ])
    },
  },
  {
    name: 'a fault is noted until the list is read later',
    check: async (fixture) => {
      const account = newAccount()
      const first = { sentence: 'The token may not read templates.', at: NOON }
      await noteFault(fixture, account, first.sentence, first.at)
      same('of an account that was never listed', await stateOf(fixture, account), { listedAt: undefined, fault: first })
      await replaceAll(fixture, account, [templateOf('order')], NOON - 1)
      same('a list that was read before', await stateOf(fixture, account), { listedAt: NOON - 1, fault: first })
      await replaceNamed(fixture, account, 'order', [templateOf('order')], NOON + 1)
      same('a name that was read after', (await stateOf(fixture, account)).fault, first)
      await noteFault(fixture, account, 'older', NOON - 1)
      same('an older fault', (await stateOf(fixture, account)).fault, first)
      await replaceAll(fixture, account, [templateOf('order')], NOON + 2)
      same('a list that was read after', await stateOf(fixture, account), { listedAt: NOON + 2, fault: undefined })
      await noteFault(fixture, account, 'older', NOON + 1)
      same('a fault before the list', await stateOf(fixture, account), { listedAt: NOON + 2, fault: undefined })
      await noteFault(fixture, account, 'later é🔑', NOON + 3)
      same('a fault after the list', await stateOf(fixture, account), {
        listedAt: NOON + 2, fault: { sentence: 'later é🔑', at: NOON + 3 },
      })
      same('the templates stay', placesOf(await listOf(fixture, account)), ['order/en'])
    },
  },
  {
    name: 'accounts are apart',
    check: async (fixture) => {
      const [ours, theirs] = [newAccount(), newAccount()]
      const [mine, other] = [templateOf('order'), templateOf('order')]
      await replaceAll(fixture, ours, [mine])
      await replaceAll(fixture, theirs, [other], NOON + 1)
      await change(fixture, theirs, { name: 'order', language: 'en', status: 'paused', at: NOON + 2 })
      await noteFault(fixture, theirs, 'The token has expired.', NOON + 2)
      await replaceAll(fixture, theirs, [], NOON + 3)
      same('ours', [await listOf(fixture, ours), await stateOf(fixture, ours)], [[recordOf(mine)], { listedAt: NOON, fault: undefined }])
      const both = await Promise.all([ours, theirs].map((account) => find(fixture, account, 'order')))
      same('found at the same time', both, [{ templates: [recordOf(mine)], listedAt: NOON }, { templates: [], listedAt: NOON + 3 }])
    },
  },
]
