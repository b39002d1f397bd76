import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import fc from 'fast-check'
import { TemplateName } from '../../../../adapters/koa/codecs.js'
import { Language } from '../../../../adapters/koa/operations/send.js'
import { decode } from '../../../../adapters/koa/schema.js'
import { isTemplateLanguage, isTemplateName, MAX_LANGUAGE_LENGTH, MAX_TEMPLATE_NAME_LENGTH } from '../../../../core/messages/message.js'

const RULES = [
  ['name', TemplateName, isTemplateName, MAX_TEMPLATE_NAME_LENGTH],
  ['language', Language, isTemplateLanguage, MAX_LANGUAGE_LENGTH],
] as const

describe('what a program checks of a template', () => {
  for (const [what, codec, isOne, most] of RULES) {
    it(`is of its ${what} exactly what the API checks`, () => {
      const agrees = (text: string): void => assert.equal(isOne(text), E.isRight(decode(codec, text)), JSON.stringify(text))
      for (const text of [
        '', 'order_update', 'x'.repeat(most), 'x'.repeat(most + 1), '😀'.repeat(most / 2), `${'😀'.repeat(most / 2)}x`, 'a\u0000b', 'a\nb',
        'a\u0085b', '\ud83d', '\ude00x', ' ', 'é', '订单',
      ]) {
        agrees(text)
      }
      assert.isTrue(isOne('order_update'))
      assert.isFalse(isOne('x'.repeat(most + 1)))
      fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: most + 2 }), agrees))
    })
  }
})
