import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { batchLines, type BatchRecipient } from '../../../core/batches/lines.js'
import { parseJsonObject } from '../../../core/kernel/exact-json.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { ValueProblem } from '../../../core/kernel/lines.js'
import type { Template } from '../../../core/templates/template.js'
import { body, buttons, coupon, give, header, press, reply, templateOf, text, url } from '../template-samples.js'

const TO = '4915123456789'

/** Reads a line of a CSV whose columns are the names of the object. */
const row = (cells: Readonly<Record<string, string>>, template?: Template): E.Either<ValueProblem, BatchRecipient> => {
  const head = batchLines(template).ofHead(Object.keys(cells))
  return E.isLeft(head) ? head : head.right(Object.values(cells))
}

const componentsOf = (cells: Readonly<Record<string, string>>, template?: Template): unknown => {
  const read = row({ to: TO, ...cells }, template)
  return E.isRight(read) ? read.right.components : read.left
}

const object = (value: JsonObject | string): E.Either<ValueProblem, BatchRecipient> =>
  batchLines().ofObject(typeof value === 'string' ? parseJsonObject(value) ?? {} : value)

const problemOf = (read: E.Either<ValueProblem, unknown>): unknown => (E.isLeft(read) ? [read.left.code, read.left.column] : read.right)

const SHOP = templateOf([
  header('IMAGE'), body('Hello {{1}}, order {{2}} is on its way'), buttons(reply, url('https://shop.example/{{1}}'), coupon),
])
const NAMED = templateOf([body('Hello {{first_name}}, order {{order}}')], { parameterFormat: 'named' })

describe('The lines of a batch', () => {
  it('fill the template in the order of the placeholders, whatever the order of the columns is', () => {
    const cells = {
      'button.1.1': 'o/7', 'body.2': '7', 'header.1': 'https://shop.example/a.jpg', 'Body.1': 'Ada', 'button.0.1': 'yes',
      'button.2.1': 'SAVE',
    }
    assert.deepEqual(componentsOf(cells, SHOP), [
      give('header', { type: 'image', image: { link: 'https://shop.example/a.jpg' } }),
      give('body', text('Ada'), text('7')),
      press('quick_reply', '0', { type: 'payload', payload: 'yes' }),
      press('url', '1', text('o/7')),
      press('copy_code', '2', { type: 'coupon_code', coupon_code: 'SAVE' }),
    ])
  })

  it('name named placeholders', () => {
    const cells = { 'body.order': '7', 'body.first_name': 'Ada' }
    assert.deepEqual(componentsOf(cells, NAMED), [give('body', text('7', 'order'), text('Ada', 'first_name'))])
  })

  it('leave out an optional value that is empty, and keep other empty values, which the check of the template refuses', () => {
    assert.deepEqual(componentsOf({ 'body.1': '', 'body.2': '7', 'button.0.1': '' }, SHOP), [give('body', text(''), text('7'))])
  })

  it('name a medium by its id or its address', () => {
    assert.deepEqual(componentsOf({ 'header.1': '123' }, SHOP), [give('header', { type: 'image', image: { id: '123' } })])
  })

  it('fill texts and addresses if the template is not known', () => {
    assert.deepEqual(componentsOf({ 'header.1': 'a', 'body.1': 'b', 'body.2': 'c', 'button.0.1': 'd' }), [
      give('header', text('a')), give('body', text('b'), text('c')), press('url', '0', text('d')),
    ])
  })

  it('have a time zone, metadata, and a phone number as people write it', () => {
    const read = row({ To: '0049 151 23456789', timezone: ' Europe/Berlin ', 'metadata.Order': '7', 'metadata.note': '' })
    assert.deepEqual(read, E.right({ to: TO as never, timezone: 'Europe/Berlin', metadata: { Order: '7' } }))
    assert.deepEqual(row({ to: TO, timezone: '' }), E.right({ to: TO as never }))
  })

  it('need a column for the customer', () => {
    assert.deepEqual(problemOf(row({ phone: TO })), ['unknown_column', 'phone'])
    assert.deepEqual(problemOf(row({ 'body.1': 'a' })), ['missing_column', 'to'])
  })

  it('refuse a column that the template does not have, and list its columns', () => {
    for (const name of ['body.3', 'body.name', 'header.2', 'button.3.1', 'button.1.2', 'metadata.', 'card.0.body.1']) {
      const read = row({ to: TO, [name]: 'x' }, SHOP)
      assert.deepEqual(problemOf(read), ['unknown_column', name])
      assert.include(E.isLeft(read) ? read.left.message : '', 'to, header.1, body.1, body.2, button.0.1, button.1.1, button.2.1, timezone and metadata.KEY')
    }
  })

  it('refuse columns with a gap, because the platform would give a value to another placeholder', () => {
    assert.deepEqual(problemOf(row({ to: TO, 'body.1': 'a', 'body.3': 'b' })), ['missing_column', 'body.2'])
    assert.deepEqual(problemOf(row({ to: TO, 'body.2': 'b' }, SHOP)), ['missing_column', 'body.1'])
  })

  it('name the column with a value that breaks its rule', () => {
    assert.deepEqual(problemOf(row({ to: '4.91512E+12' })), ['number_in_scientific_notation', 'to'])
    assert.deepEqual(problemOf(row({ to: TO, timezone: 'Berlin' })), ['invalid_parameter', 'timezone'])
    assert.deepEqual(problemOf(row({ to: TO, 'metadata.a': 'x'.repeat(501) })), ['invalid_parameter', 'metadata'])
  })

  it('may be JSON objects with components of any kind', () => {
    const components = [give('carousel', text('x'))]
    assert.deepEqual(object({ to: '+49 151 23456789', components, metadata: { a: 'b' }, timezone: 'Europe/Berlin' }),
      E.right({ to: TO as never, components, metadata: { a: 'b' }, timezone: 'Europe/Berlin' }))
    assert.deepEqual(object({ to: TO, components: [], metadata: null, timezone: null }), E.right({ to: TO as never }))
  })

  const REFUSED: ReadonlyArray<readonly [line: JsonObject | string, code: string, column: string | undefined]> = [
    [{}, 'missing_parameters', 'to'],
    [{ to: 4915123456789 }, 'invalid_parameter', 'to'],
    [{ to: TO, text: 'x' }, 'unknown_column', undefined],
    [{ to: TO, components: {} }, 'invalid_parameter', 'components'],
    [{ to: TO, components: ['x'] }, 'invalid_parameter', 'components'],
    [{ to: TO, components: [{ parameters: [] }] }, 'invalid_parameter', 'components'],
    [{ to: TO, components: [give('body', text('a\0b'))] }, 'invalid_parameter', 'components'],
    [`{"to":"${TO}","components":[{"type":"body","parameters":${'['.repeat(200)}${']'.repeat(200)}}]}`, 'invalid_parameter', 'components'],
    [`{"to":"${TO}","components":[{"type":"body","n":12345678901234567890}]}`, 'invalid_parameter', 'components'],
    [{ to: TO, metadata: { a: 1 } }, 'invalid_parameter', 'metadata'],
    [{ to: TO, metadata: { a: '\ud800' } }, 'invalid_parameter', 'metadata'],
    [{ to: TO, timezone: 1 }, 'invalid_parameter', 'timezone'],
    [{ to: TO, timezone: '+01:00' }, 'invalid_parameter', 'timezone'],
  ]
  for (const [line, code, column] of REFUSED) {
    it(`refuse ${JSON.stringify(line).slice(0, 80)}`, () => { assert.deepEqual(problemOf(object(line)), [code, column]) })
  }
})
