import { type NamedTemplates, templateCursor } from '../../core/templates/catalogue.js'
import type { Template, TemplateRecord } from '../../core/templates/template.js'
import { same } from './expect.js'
import { times } from './ids.js'
import type { Law } from './law.js'
import {
  find, listOf, newAccount, NOON, noteFault, recordOf, replaceAll, replaceNamed, stateOf, type TemplateCatalogueFixture, templateOf,
} from './template-fixture.js'

/** The effects of a list on the stored templates. */
export const templateListLaws: ReadonlyArray<Law<TemplateCatalogueFixture>> = [
  {
    name: 'a template that the list no longer has is gone, and one that it has is as the list says',
    check: async (fixture) => {
      const account = newAccount()
      const [kept, gone, changed] = [templateOf('kept'), templateOf('gone'), templateOf('changed')]
      await replaceAll(fixture, account, [kept, gone, templateOf('kept', { language: 'de' }), changed])
      const after = templateOf('changed', {
        status: 'rejected', category: 'marketing', quality: undefined, parameterFormat: 'named', components: undefined,
      })
      const added = templateOf('added')
      await replaceAll(fixture, account, [after, kept, added], NOON + 1)
      same('the templates', await listOf(fixture, account), [added, after, kept].map((template) => recordOf(template, NOON + 1)))
      same('the one that is gone', await find(fixture, account, 'gone'), { templates: [], listedAt: NOON + 1 })
      await replaceAll(fixture, account, [], NOON + 2)
      same(
        'after an empty list', [await listOf(fixture, account), await stateOf(fixture, account)],
        [[], { listedAt: NOON + 2, fault: undefined }],
      )
    },
  },
  {
    name: 'of two templates with one name and language the last that is listed counts',
    check: async (fixture) => {
      const account = newAccount()
      const last = templateOf('twice', { status: 'paused' })
      await replaceAll(fixture, account, [templateOf('twice'), templateOf('once'), last])
      same('the template', await find(fixture, account, 'twice'), { templates: [recordOf(last)], listedAt: NOON })
      await replaceAll(fixture, account, [templateOf('twice'), templateOf('twice'), last], NOON + 1)
      same('listed again', await find(fixture, account, 'twice'), { templates: [recordOf(last, NOON + 1)], listedAt: NOON + 1 })
    },
  },
  {
    name: 'a list that was read before the one that is kept changes nothing',
    check: async (fixture) => {
      const account = newAccount()
      const [kept, gone] = [templateOf('kept'), templateOf('gone')]
      await replaceAll(fixture, account, [kept], NOON)
      await noteFault(fixture, account, 'The token has expired.', NOON + 1)
      const before = [await listOf(fixture, account), await stateOf(fixture, account)]
      for (const late of [[gone, { ...kept, status: 'pending' }], []]) {
        await replaceAll(fixture, account, late, NOON - 1)
        same('after an older list', [await listOf(fixture, account), await stateOf(fixture, account)], before)
        await replaceNamed(fixture, account, 'gone', late, NOON - 1)
        await replaceNamed(fixture, account, 'kept', late, NOON - 1)
        same('after an older list of one name', [await listOf(fixture, account), await stateOf(fixture, account)], before)
      }
    },
  },
  {
    name: 'a list is seen at once or not at all',
    check: async (fixture) => {
      const account = newAccount()
      const nodes = [fixture, { templateCatalogue: fixture.elsewhere ?? fixture.templateCatalogue }]
      const listAt = (round: number): ReadonlyArray<Template> =>
        times(60, (index) =>
          templateOf('order', { id: String(index), language: `en_${100 + index + round * 7}`, status: `status ${round}` }))
      await replaceAll(fixture, account, listAt(0), NOON)
      const seen: Array<readonly [NamedTemplates, ReadonlyArray<TemplateRecord>]> = []
      let isWritten = false
      const readers = nodes.map(async (node) => {
        while (!isWritten) seen.push([await find(node, account, 'order'), await listOf(node, account)])
      })
      for (const round of times(8, (index) => index + 1)) {
        await replaceAll(nodes[round % 2] ?? fixture, account, listAt(round), NOON + round)
      }
      isWritten = true
      await Promise.all(readers)
      for (const [{ templates, listedAt }, listed] of seen) {
        const round = (listedAt ?? 0) - NOON
        same('what is found with the moment of its list', templates, listAt(round).map((template) => recordOf(template, NOON + round)))
        const roundOfList = (listed[0]?.listedAt ?? 0) - NOON
        same('what is listed', listed, listAt(roundOfList).map((template) => recordOf(template, NOON + roundOfList)))
      }
    },
  },
  {
    name: 'the templates of one name are replaced alone, and that does not count as a reading of the list',
    check: async (fixture) => {
      const account = newAccount()
      const order = templateOf('order')
      await replaceNamed(fixture, account, 'order', [order, templateOf('other')])
      same('before any list', await find(fixture, account, 'order'), { templates: [recordOf(order)], listedAt: undefined })
      same('others are left out', await listOf(fixture, account), [recordOf(order)])
      same('the state', await stateOf(fixture, account), { listedAt: undefined, fault: undefined })

      const other = templateOf('order_2')
      await replaceAll(fixture, account, [order, templateOf('order', { language: 'de' }), other], NOON + 1)
      const renewed = templateOf('order', { status: 'paused' })
      await replaceNamed(fixture, account, 'order', [renewed], NOON + 2)
      same('the name and the others', await listOf(fixture, account), [recordOf(renewed, NOON + 2), recordOf(other, NOON + 1)])
      await replaceNamed(fixture, account, 'order', [], NOON + 3)
      same('the name is gone', await find(fixture, account, 'order'), { templates: [], listedAt: NOON + 1 })
      same('the state is that of the list', await stateOf(fixture, account), { listedAt: NOON + 1, fault: undefined })
    },
  },
  {
    name: 'a template that was listed by its name after the whole list was read stays',
    check: async (fixture) => {
      const account = newAccount()
      const [fresh, old] = [templateOf('fresh'), templateOf('old')]
      await replaceNamed(fixture, account, 'fresh', [fresh], NOON + 10)
      await replaceAll(fixture, account, [old, { ...fresh, status: 'pending' }], NOON + 5)
      same('a list that has it', await listOf(fixture, account), [recordOf(fresh, NOON + 10), recordOf(old, NOON + 5)])
      await replaceAll(fixture, account, [old], NOON + 6)
      same('a list that does not have it yet', await listOf(fixture, account), [recordOf(fresh, NOON + 10), recordOf(old, NOON + 6)])
      await replaceAll(fixture, account, [old], NOON + 10)
      same('a list of the same moment', await listOf(fixture, account), [recordOf(old, NOON + 10)])
    },
  },
  {
    name: 'a list of 6,000 templates is kept whole, and so is the one after it',
    check: async (fixture) => {
      const account = newAccount()
      const listed = times(6_000, (index) =>
        templateOf(`template_${index % 1_500}`, { language: `l${Math.floor(index / 1_500)}`, id: String(index) }))
      const inOrder = (templates: ReadonlyArray<Template>): ReadonlyArray<string> => templates.map(templateCursor).sort()
      await replaceAll(fixture, account, listed)
      same('every template', inOrder(await listOf(fixture, account, undefined, 1_000)), inOrder(listed))
      const next = listed.filter((_, index) => index % 3 !== 0)
      await replaceAll(fixture, account, next, NOON + 1)
      const kept = await listOf(fixture, account, undefined, 1_000)
      same('every template of the next list', inOrder(kept), inOrder(next))
      same('the moments', new Set(kept.map(({ listedAt }) => listedAt)), new Set([NOON + 1]))
    },
  },
]
