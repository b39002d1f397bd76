import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { checkTemplate } from '../../../core/templates/check.js'
import { componentsFrom, templateFields } from '../../../core/templates/parts.js'
import type { Template } from '../../../core/templates/template.js'

const templateOf = (components: ReadonlyArray<JsonObject> | undefined, more: Partial<Template> = {}): Template => ({
  id: '1', name: 'order', language: 'en', category: 'utility', status: 'approved', quality: undefined, parameterFormat: 'positional',
  components, ...more,
})

/** Fills every field with a value. */
const filled = (template: Template): ReadonlyArray<JsonObject> =>
  componentsFrom(
    template,
    Object.fromEntries((templateFields(template) ?? assert.fail('there is no form')).map(({ id, part }) =>
      [id, part === 'expiration_time_ms' ? '1790000000000' : `value of ${id}`])),
  )

const SAMPLES: ReadonlyArray<readonly [string, Template]> = [
  ['numbered variables', templateOf([{ type: 'BODY', text: 'Dear {{1}}, order {{2}}' }])],
  ['named variables', templateOf([{ type: 'BODY', text: 'Dear {{first_name}}' }], { parameterFormat: 'named' })],
  ['a picture and buttons', templateOf([
    { type: 'HEADER', format: 'IMAGE' }, { type: 'BODY', text: 'Hello' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'Track', url: 'https://shop.example/{{1}}' },
        { type: 'QUICK_REPLY', text: 'Stop' },
        { type: 'COPY_CODE', text: 'Copy' },
      ],
    },
  ])],
  ['a location', templateOf([{ type: 'HEADER', format: 'LOCATION' }, { type: 'BODY', text: 'Here' }])],
  ['a document', templateOf([{ type: 'HEADER', format: 'DOCUMENT' }, { type: 'BODY', text: 'Here' }])],
  ['cards', templateOf([
    { type: 'BODY', text: 'Look' },
    {
      type: 'CAROUSEL',
      cards: [0, 1].map(() => ({ components: [{ type: 'HEADER', format: 'IMAGE' }, { type: 'BODY', text: 'For {{1}}' }] })),
    },
  ])],
]

describe('The form of a template', () => {
  for (const [name, template] of SAMPLES) {
    it(`makes components that fill a template with ${name}, and nothing fills it if all is empty`, () => {
      assert.deepEqual(checkTemplate(template, filled(template)), E.right(undefined))
      assert.isTrue(E.isLeft(checkTemplate(template, componentsFrom(template, {}))))
      const ids = templateFields(template)?.map(({ id }) => id) ?? []
      assert.equal(new Set(ids).size, ids.length)
      for (const id of ids) assert.match(id, /^[\w-]+$/)
    })
  }

  it('has the values as they are typed', () => {
    const template = templateOf([{ type: 'HEADER', format: 'LOCATION' }, { type: 'BODY', text: 'Dear {{1}}' }])
    assert.deepEqual(
      componentsFrom(template, {
        'fill-body-1': '"Ann" & Bo', 'fill-header-latitude': '1.5', 'fill-header-longitude': '2', 'fill-header-name': '',
      }),
      [
        { type: 'header', parameters: [{ type: 'location', location: { latitude: '1.5', longitude: '2' } }] },
        { type: 'body', parameters: [{ type: 'text', text: '"Ann" & Bo' }] },
      ],
    )
  })

  it('is absent if the components are unknown', () => {
    assert.isUndefined(templateFields(templateOf(undefined)))
    assert.deepEqual(templateFields(templateOf([{ type: 'BODY', text: 'Hello' }])), [])
  })
})
