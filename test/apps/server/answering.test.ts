import { assert } from 'chai'
import type { CustomerMessage } from '../../../apps/simulator/webhooks/customer-message.js'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../../support/process-fixture.js'

const CUSTOMER = '15550100999'
/** The business numbers of the first two workspaces of a gateway. */
const [OURS, THEIRS] = ['1001', '1002']

for (const transport of ['got', 'undici']) {
  describe(`Answering a customer through the whole gateway, over ${transport}`, () => {
    let gateway: InProcessFixture
    let tenant: Tenant
    before(async () => {
      gateway = await startInProcessFixture({ PLATFORM_TRANSPORT: transport })
      tenant = await gateway.tenant()
      await gateway.tenant()
    })
    beforeEach(() => gateway.simulator.reset())
    after(() => gateway[Symbol.asyncDispose]())

    const read = (id: string, json: object = {}) => tenant.ask('POST', `/v1/messages/${encodeURIComponent(id)}/read`, { json })
    const inbound = () => gateway.simulator.inbound()

    it('marks the message as read, and shows typing until the answer is sent', async () => {
      const id = gateway.simulator.writeAs(CUSTOMER, { text: 'Where is my order?' }, OURS)
      await gateway.simulator.idle()
      const marked = await read(id, { typing: true })
      assert.deepEqual([marked.status, marked.json], [200, { status: 'success' }])
      const [message] = inbound()
      assert.isNotNull(message?.read_at)
      assert.isNotNull(message?.typing_until)
      assert.equal((await tenant.ask('POST', '/v1/messages/send-text', { json: { to: CUSTOMER, text: 'At your door.' } })).status, 200)
      assert.isNull(inbound()[0]?.typing_until)
    })

    it('marks a message again without harm', async () => {
      const id = gateway.simulator.writeAs(CUSTOMER, {}, OURS)
      for (let times = 0; times < 2; times += 1) assert.equal((await read(id)).status, 200)
    })

    const download = async (id: string | null | undefined, headers: Record<string, string> = {}) => {
      const response = await fetch(`${gateway.url}/v1/media/${id}`, { headers: { Authorization: `Bearer ${tenant.key}`, ...headers } })
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
    }
    const attached = (message: CustomerMessage, to = OURS): string => {
      gateway.simulator.writeAs(CUSTOMER, message, to)
      return String(inbound().at(-1)?.media_id)
    }

    it('gives an attachment byte for byte, also a large one, and a part of it', async () => {
      const data = Buffer.from('0123456789abcdef0123456789ABCDE')
      const id = attached({ type: 'video', data: data.toString('base64'), size: 20_000_000 })
      const whole = await download(id)
      assert.deepEqual([whole.status, whole.headers.get('content-type'), whole.bytes.length], [200, 'video/mp4', 20_000_000])
      const repeated = Buffer.alloc(20_000_000, data)
      assert.isTrue(whole.bytes.equals(repeated))
      const part = await download(id, { Range: 'bytes=19999990-' })
      assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 19999990-19999999/20000000'])
      assert.isTrue(part.bytes.equals(repeated.subarray(-10)))
      const none = await download(id, { Range: 'bytes=20000000-' })
      assert.deepEqual([none.status, none.headers.get('content-range')], [416, 'bytes */20000000'])
    })

    it('gives no attachment that another business number received, that is gone, or that is longer than the platform\'s longest', async () => {
      for (const id of [attached({ type: 'image' }, THEIRS), '1999999999999999']) {
        const { status, bytes } = await download(id)
        assert.deepEqual([status, (JSON.parse(bytes.toString()) as { readonly code: string }).code], [404, 'not_found'])
      }
      assert.equal((await download(attached({ type: 'video', size: 101 * 1024 * 1024 }))).status, 503)
    })

    it('gives a page as bytes to be saved', async () => {
      const id = attached({ type: 'document', data: Buffer.from('<script>1</script>').toString('base64'), mime_type: 'text/html' })
      const { status, headers, bytes } = await download(id)
      assert.deepEqual([status, headers.get('content-type'), headers.get('content-disposition'), bytes.toString()], [
        200, 'application/octet-stream', 'attachment', '<script>1</script>',
      ])
    })

    it('marks no message that another business number received', async () => {
      const id = gateway.simulator.writeAs(CUSTOMER, {}, THEIRS)
      const { status, json } = await read(id)
      assert.equal(status, 400)
      assert.equal(json['code'], 'platform_rejected')
      assert.equal((json['platform_error'] as { readonly code: number }).code, 131009)
      assert.isNull(inbound()[0]?.read_at)
    })
  })
}
