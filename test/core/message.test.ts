import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { parsePhoneNumber, parseWrittenPhoneNumber, type PhoneNumber } from '../../core/customers/customer.js'
import { isWorkspaceId, workspaceIdOf } from '../../core/kernel/ids.js'
import { isMessageId, messageIdOf, requestOf, type TemplateMessage } from '../../core/messages/message.js'

const OTHER_DIGITS = ['٤٩١٥١٢٣٤٥٦٧٨', '４９１５１２３４５６７', '४९१५१२३४५६७', '49151234567²', '49151234567½', '4915123456Ⅷ']

const DIGITS = fc.stringMatching(/^[1-9][0-9]{6,14}$/)
const SEPARATORS = fc.stringMatching(/^[ \-.()]{0,3}$/)

const refusedByBoth = (text: string): void => {
  assert.deepEqual(parsePhoneNumber(text), E.left({ _tag: 'InvalidPhoneNumber', form: 'digits' }), JSON.stringify(text))
  assert.deepEqual(parseWrittenPhoneNumber(text), E.left({ _tag: 'InvalidPhoneNumber', form: 'written' }), JSON.stringify(text))
}

describe('A phone number', () => {
  it('is 7 to 15 digits that do not begin with a zero', () => {
    for (const text of ['1234567', '491512345678', '123456789012345']) {
      assert.deepEqual(parsePhoneNumber(text), E.right(text))
      assert.deepEqual(parseWrittenPhoneNumber(text), E.right(text))
    }
    for (const text of ['', '123456', '1234567890123456', '0491512345678', '00491512345678']) refusedByBoth(text)
  })

  it('in digits has no plus and no separators', () => {
    for (const text of [
      '+491512345678', '49 1512345678', '49-1512345678', '49.1512345678', '(49)1512345678', ' 491512345678', '491512345678\n',
    ]) {
      assert.deepEqual(parsePhoneNumber(text), E.left({ _tag: 'InvalidPhoneNumber', form: 'digits' }), JSON.stringify(text))
    }
  })

  it('as written may have a leading plus, and separators anywhere', () => {
    for (const text of ['+49 151 2345678', '49-151-2345678', '(+49) 151.234.5678', ' +49(151)2345678 ', '+ 4-9.1(5)1 2345678']) {
      assert.deepEqual(parseWrittenPhoneNumber(text), E.right('491512345678'), text)
    }
    fc.assert(
      fc.property(DIGITS, fc.array(SEPARATORS, { minLength: 15, maxLength: 15 }), fc.boolean(), (digits, between, plus) => {
        const written = [...digits].map((digit, index) => `${digit}${between[index]}`).join('')
        assert.deepEqual(parseWrittenPhoneNumber(`${plus ? '+' : ''}${written}`), E.right(digits))
      }),
    )
  })

  it('as written has one plus at most, and only in front', () => {
    for (const text of ['++491512345678', '49+1512345678', '491512345678+', '+', '+49+1512345678']) {
      assert.deepEqual(parseWrittenPhoneNumber(text), E.left({ _tag: 'InvalidPhoneNumber', form: 'written' }), text)
    }
  })

  it('has no letters, no other separators and no digits of other scripts', () => {
    for (const text of [
      '49151234567a', 'call 491512345', '4915123/45678', '491512345678,', '49\u00a01512345678', '49\t1512345678', '49\u20131512345678',
      '49\u200b1512345678', '４９+', ...OTHER_DIGITS,
    ]) {
      refusedByBoth(text)
    }
  })
})

describe('An id', () => {
  it('of a message has 32 lowercase hexadecimal digits', () => {
    const id = messageIdOf(uuidv7())
    assert.isTrue(isMessageId(id))
    for (const text of [
      '', 'msg_', id.slice(0, -1), `${id}0`, id.toUpperCase(), `${id}\n`, id.replace('msg_', 'ws_'), `${id.slice(0, -1)}g`,
    ]) {
      assert.isFalse(isMessageId(text), text)
    }
  })

  it('of a workspace has 32 lowercase hexadecimal digits', () => {
    const id = workspaceIdOf(uuidv7())
    assert.isTrue(isWorkspaceId(id))
    for (const text of [
      '', 'ws_', id.slice(0, -1), `${id}0`, `${id}\n`, id.replace('ws_', 'msg_'),
    ]) {
      assert.isFalse(isWorkspaceId(text), text)
    }
  })
})

describe('The text of a request', () => {
  const to = '491512345678' as PhoneNumber
  const offer: TemplateMessage = {
    _tag: 'Template', to, name: 'offer', language: 'en', components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }],
  }

  it('is the same for the same message, whatever the order of its fields', () => {
    const reordered: TemplateMessage = {
      components: [{ parameters: [{ text: 'Ann', type: 'text' }], type: 'body' }], language: 'en', name: 'offer', to, _tag: 'Template',
    }
    assert.equal(requestOf(reordered), requestOf(offer))
  })

  it('differs where anything that would be sent differs', () => {
    const { components: _, ...bare } = offer
    const others = [
      { ...offer, to: '491512345679' as PhoneNumber }, { ...offer, name: 'Offer' }, { ...offer, language: 'en_US' }, bare,
      { ...offer, components: [] },
      { ...offer, components: [{ type: 'body', parameters: [{ type: 'text', text: 'Bob' }] }] },
      { _tag: 'Text' as const, to, text: 'Ann' }, { _tag: 'Text' as const, to, text: 'Ann ' },
    ]
    assert.equal(new Set([offer, ...others].map(requestOf)).size, others.length + 1)
  })
})
