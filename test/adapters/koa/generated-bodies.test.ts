import { assert } from 'chai'
import fc from 'fast-check'
import { CUSTOMER, gateway } from './gateway.js'

const OPERATIONS = ['/v1/messages/send-text', '/api/v1/messages/send-template']
const TYPES = [
  'application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=X', 'text/plain', 'multipart/form-data',
  'application/json; charset=latin1', 'application/problem+json',
]

const field = fc.oneof(
  fc.constant(CUSTOMER), fc.constant(`+${CUSTOMER}`), fc.string({ unit: 'binary' }), fc.string({ minLength: 4090, maxLength: 4100 }),
  fc.jsonValue(), fc.constantFrom('\ud800', '\u0000', '', ' ', '__proto__'),
)
const component = fc.record(
  {
    type: fc.oneof(fc.constant('body'), fc.jsonValue()),
    parameters: fc.array(fc.oneof(fc.record({ type: fc.constant('text'), text: field }), fc.jsonValue())),
  },
  { requiredKeys: [] },
)
const body = fc.record(
  {
    to: field, text: field, template_name: field, language: field,
    components: fc.oneof(fc.array(fc.oneof(component, fc.jsonValue())), field), ['constructor']: fc.jsonValue(),
    ['toString']: fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(`--X\r\nContent-Disposition: form-data; name="to"${text}\r\n\r\n${CUSTOMER}\r\n--X--`)),
  fc.json().map((text) => Buffer.from(text)),
  fc.json().map((text) => Buffer.from(text.slice(0, text.length / 2))),
)

describe('generated bodies', () => {
  it('never make a 5xx, never leave a hold behind, and are charged for if and only if they are sent', async () => {
    await using gw = await gateway({ balance: '1000' })
    let spent = 0n
    const endsWell = async (path: string, type: string, sent: string | Buffer): Promise<void> => {
      const before = gw.sent.length
      const { status } = await gw.request(path, { method: 'POST', headers: { 'Content-Type': type }, body: sent })
      assert.isBelow(status, 500)
      assert.equal(gw.sent.length - before, status === 200 ? 1 : 0)
      if (status === 200) spent += path.endsWith('text') ? 7_700n : 62_500n
      const { available, held } = await gw.books()
      assert.equal(held, '0.000000')
      assert.equal(BigInt(available.replace('.', '')), 1_000_000_000n - spent)
    }
    const operation = fc.constantFrom(...OPERATIONS)
    await fc.assert(
      fc.asyncProperty(operation, body, (path, value) => endsWell(path, 'application/json', JSON.stringify(value))), { numRuns: 400 },
    )
    await fc.assert(fc.asyncProperty(operation, fc.constantFrom(...TYPES), bytes, endsWell), { numRuns: 400 })
    assert.isAbove(gw.sent.length, 0)
    assert.isEmpty(gw.log)
  })
})
