import { assert } from 'chai'
import type { JsonObject } from '../../../core/kernel/json.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, OPENING_BALANCE, TEMPLATE_PRICE } from '../gateway.js'

describe('A template', () => {
  it('is sent though the customer never wrote, and costs the card\'s rate for templates', async () => {
    const gw = await gateway({ lastInbound: undefined })
    rightOf(await gw.sendTemplate({ name: 'order_update', language: 'pt_BR' }))
    assert.deepEqual(
      gw.sent.map(({ message }) => message), [{ _tag: 'Template', to: CUSTOMER, name: 'order_update', language: 'pt_BR' }],
    )
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEMPLATE_PRICE, held: 0n })
  })

  it('is in English if the caller names no language', async () => {
    const gw = await gateway()
    rightOf(await gw.sendTemplate({ name: 'order_update' }))
    assert.deepEqual(gw.sent.map(({ message }) => message), [{ _tag: 'Template', to: CUSTOMER, name: 'order_update', language: 'en' }])
  })

  it('is what the command says, whatever else a caller hands over with it', async () => {
    const gw = await gateway()
    const more: object = { message: { _tag: 'Text', to: '4915123456780', text: 'Hello' } }
    rightOf(await gw.sendTemplate({ name: 'order_update', ...more }))
    assert.deepEqual(gw.sent.map(({ message }) => message), [{ _tag: 'Template', to: CUSTOMER, name: 'order_update', language: 'en' }])
  })

  it('hands its components on untouched, an empty list of them too', async () => {
    const gw = await gateway()
    const components: ReadonlyArray<JsonObject> = [
      { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: ' a\u0000\ud83c ' }] },
      { type: 'x', ['__proto__']: { deep: [null, -0.5] } },
    ]
    rightOf(await gw.sendTemplate({ components }))
    rightOf(await gw.sendTemplate({ components: [] }))
    assert.deepEqual(gw.sent.map(({ message }) => message._tag === 'Template' && message.components), [components, []])
  })

  it('is remembered by its name and language, never by its variables', async () => {
    const gw = await gateway()
    const { id } = rightOf(await gw.sendTemplate(
      { name: 'order_update', language: 'de', components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann Smith' }] }] },
    ))
    const message = await gw.message(id)
    assert.deepInclude(message, { kind: 'template', to: CUSTOMER, templateName: 'order_update', language: 'de' })
    assert.deepEqual(message.price, { micros: TEMPLATE_PRICE, currency: 'USD', category: 'marketing' })
    assert.notInclude(
      JSON.stringify(message, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)), 'Ann Smith',
    )
  })

  it('is refused if the workspace has no sender', async () => {
    const gw = await gateway({ sender: false })
    assert.deepEqual(leftOf(await gw.sendTemplate()), { _tag: 'SenderNotConfigured' })
    assert.isEmpty(await gw.messages())
  })
})
