import { assert } from 'chai'
import fc from 'fast-check'
import { SAMPLES } from '../../../core/content-samples.js'
import { CUSTOMER, gateway } from '../gateway.js'
import { postToGraph } from './requests.js'

const value = fc.oneof(
  fc.constantFrom<unknown>(
    'whatsapp', CUSTOMER, `+${CUSTOMER}`, 'read', 'wamid.A', 'text', 'template', null, '\ud800', '\u0000', '', '__proto__', '{', '[]',
    '{"body":"a"}',
  ),
  fc.constantFrom(...Object.values(SAMPLES).map(({ content }) => content)), fc.jsonValue(), fc.json(),
)
const NAMES = [
  'messaging_product', 'recipient_type', 'to', 'recipient', 'type', 'text', 'image', 'contacts', 'interactive', 'template', 'context',
  'status', 'message_id', 'typing_indicator', 'biz_opaque_callback_data', 'metadata', 'category', 'constructor', 'toString',
]
const odd = fc.dictionary(fc.constantFrom(...NAMES), value)
/** Bodies of which one or two fields are odd, so that much of each is read. */
const almost = fc.tuple(fc.constantFrom(...Object.values(SAMPLES)), fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 2 }))
  .map(([{ type, content }, fields]) => ({ messaging_product: 'whatsapp', to: CUSTOMER, type, [type]: content, ...fields }))

describe('generated bodies below /graph', () => {
  it('never make a 5xx, and are charged for if and only if they are sent', async () => {
    await using gw = await gateway({ balance: '1000' })
    await fc.assert(fc.asyncProperty(fc.oneof(odd, almost), async (body) => {
      const before = [gw.sent.length, gw.marked.length]
      const { status, json } = await postToGraph(gw, body)
      assert.isBelow(status, 500)
      const done = [gw.sent.length, gw.marked.length].reduce((sum, now, index) => sum + now - (before[index] ?? 0), 0)
      assert.equal(done, status === 200 ? 1 : 0)
      assert.property(json, status !== 200 ? 'error' : gw.sent.length > (before[0] ?? 0) ? 'messages' : 'success')
    }), { numRuns: 500 })
    assert.equal((await gw.books()).held, '0.000000')
    assert.isAbove(gw.sent.length, 20)
    assert.isEmpty(gw.log)
  })
})
