import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import { createClient } from '../../adapters/client/index.js'
import { type Campaign, type Outcome, type Recipient, resultsOf, runCampaign } from '../../docs/examples/campaign.js'
import { monthAsCsv, sendInvoice } from '../../docs/examples/invoices.js'
import { makeOtp } from '../../docs/examples/otp.js'
import { ROOT } from '../architecture/tree.js'
import { eventually } from '../support/eventually.js'
import { freePort } from '../support/free-port.js'
import { bareEnv } from '../support/postern.js'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../support/process-fixture.js'
import { startProgram } from '../support/program.js'
import { rightOf } from '../support/right-of.js'

const CUSTOMER = '33639980001'
/** A recipient for whom the simulator takes a message on and never answers. */
const SILENT = '15550100700'
/** One to whom it takes a message on and then reports that it failed. */
const UNDELIVERABLE = '15550100026'
const MINUTE_MS = 60_000

type AskedTemplate = {
  readonly components: ReadonlyArray<{ readonly type: string; readonly parameters: ReadonlyArray<{ readonly text?: string }> }>
}

describe('The programs of the recipes', () => {
  let world: InProcessFixture
  let tenant: Tenant
  before(async () => { world = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8', PLATFORM_TIMEOUT_MS: '300' }) })
  beforeEach(async () => {
    tenant = await world.tenant()
    world.simulator.reset()
    asked = []
  })
  after(() => world[Symbol.asyncDispose]())

  /** The templates that the programs asked Postern to send, oldest first. */
  let asked: AskedTemplate[] = []
  const clientOf = () => createClient({
    baseUrl: world.url, apiKey: tenant.key,
    fetch: (url, init) => {
      if (url.endsWith('/messages/send-template')) asked.push(JSON.parse(typeof init.body === 'string' ? init.body : '{}') as AskedTemplate)
      return fetch(url, init)
    },
  })
  /** What the simulator got through the sender of the test's workspace. */
  const received = () => world.simulator.received().filter(({ phoneNumberId }) => phoneNumberId === tenant.phoneNumberId)
  /** The JSON of a page, as a request. */
  const exampleOf = async (page: string): Promise<object> =>
    JSON.parse(/```json\n([^]*?)```/.exec(await readFile(join(ROOT, `docs/recipes/${page}.md`), 'utf8'))?.[1] ?? '') as object

  describe('echo.py', () => {
    it('answers a customer, whatever is delivered twice, and takes nothing that is not signed', async () => {
      const port = await freePort()
      const { json } = await tenant.ask('POST', '/v1/event-endpoints', {
        json: { url: `http://127.0.0.1:${port}/`, types: ['message.received'] },
      })
      const echo = startProgram(
        'python3', ['-B', 'docs/examples/echo.py'],
        bareEnv({ PORT: String(port), POSTERN_URL: world.url, POSTERN_KEY: tenant.key, ENDPOINT_SECRET: String(json['secret']) }), ROOT,
      )
      try {
        await echo.logged(`listening at http://127.0.0.1:${port}`)
        assert.equal((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })).status, 401)
        const written = world.simulator.writeAs(CUSTOMER, { text: 'Where is my order?' }, tenant.phoneNumberId)
        await eventually('an answer', () => received().length > 0 || undefined)
        assert.deepEqual(received().map(({ text }) => text), ['You wrote: Where is my order?'])
        assert.isNumber(world.simulator.inbound().find(({ id }) => id === written)?.read_at)
        // The second delivery is answered 204 too and sends nothing.
        const { json: { events } } = await tenant.ask('GET', '/v1/events?types=message.received')
        const [event] = events as ReadonlyArray<{ readonly id: string }>
        const attempts = async () =>
          ((await tenant.ask(
            'GET', `/v1/event-endpoints/${String(json['id'])}/deliveries`,
          )).json['deliveries'] as ReadonlyArray<{ readonly status: string }>)
        const before = (await attempts()).length
        await tenant.ask('POST', `/v1/events/${event?.id ?? ''}/redeliver`, { json: { endpoint: json['id'] } })
        await eventually('the second delivery', async () => (await attempts()).length > before || undefined)
        assert.lengthOf(received(), 1)
      } finally {
        echo.signal('SIGTERM')
        await echo.ended
      }
    })
  })

  describe('otp.ts', () => {
    const start = () => {
      let at = Date.now()
      const otp = makeOtp({ postern: clientOf(), secret: 'a secret of the sign-in', now: () => at })
      const codes = (): ReadonlyArray<string> =>
        asked.map(({ components }) => components.find(({ type }) => type === 'body')?.parameters[0]?.text ?? 'none')
      return { ...otp, codes, pass: (ms: number) => { at += ms } }
    }
    const wrongOf = (code: string): string => (code === '000000' ? '000001' : '000000')

    it('sends a code to the body and the button, which is right once', async () => {
      const { request, check, codes } = start()
      assert.deepEqual(await request(CUSTOMER), { outcome: 'sent' })
      const [code = ''] = codes()
      assert.match(code, /^\d{6}$/)
      assert.deepEqual(asked[0]?.components.map(({ type, parameters }) => [type, parameters[0]?.text]), [['body', code], ['button', code]])
      assert.isFalse(check(CUSTOMER, wrongOf(code)))
      assert.isFalse(check('33639980002', code))
      assert.isTrue(check(CUSTOMER, code))
      assert.isFalse(check(CUSTOMER, code))
    })

    it('takes no code after ten minutes, and none after five wrong ones', async () => {
      const late = start()
      await late.request(CUSTOMER)
      const [code = ''] = late.codes()
      late.pass(10 * MINUTE_MS)
      assert.isFalse(late.check(CUSTOMER, code))
      asked = []
      const tried = start()
      await tried.request(CUSTOMER)
      const [second = ''] = tried.codes()
      for (let wrong = 0; wrong < 5; wrong += 1) assert.isFalse(tried.check(CUSTOMER, wrongOf(second)))
      assert.isFalse(tried.check(CUSTOMER, second))
    })

    it('sends the same code again after a minute, at most three times, and one message if two ask at once', async () => {
      const { request, codes, pass } = start()
      const both = await Promise.all([request(CUSTOMER), request(CUSTOMER)])
      assert.deepEqual(both, [{ outcome: 'sent' }, { outcome: 'wait', ms: MINUTE_MS }])
      for (const expected of ['sent', 'sent', 'too_many']) {
        pass(MINUTE_MS)
        assert.equal((await request(CUSTOMER)).outcome, expected)
      }
      assert.lengthOf(received(), 3)
      assert.equal(new Set(codes()).size, 1)
    })

    it('says that it is unconfirmed if the platform is silent, and that it failed if nothing was sent, which need not wait', async () => {
      const { request } = start()
      assert.deepEqual(await request(SILENT), { outcome: 'unconfirmed' })
      assert.equal((await request(SILENT)).outcome, 'wait')
      tenant = await world.tenant('0')
      const poor = start()
      for (const attempt of [1, 2]) {
        assert.deepEqual(await poor.request(CUSTOMER), { outcome: 'failed', code: 'insufficient_balance' }, String(attempt))
      }
    })

    it('is what its page sends', async () => {
      assert.equal((await tenant.ask('POST', '/v1/messages/send-template', { json: await exampleOf('one-time-passwords') })).status, 200)
    })
  })

  describe('campaign.ts', () => {
    const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
    const recall = (hours: Partial<Campaign['hours']> = {}): Campaign => ({
      name: '2026-11 recall', template: 'order_update', language: 'en_US', until: new Date(Date.now() + 7 * 24 * 60 * MINUTE_MS),
      hours: { from: '00:00', to: '24:00', ...hours },
    })
    const recipient = (to: string): Recipient => ({ to, variables: ['Ada', '1742'] })
    const run = async (campaign: Campaign, recipients: ReadonlyArray<Recipient>): Promise<ReadonlyArray<Outcome>> => {
      const outcomes: Outcome[] = []
      for await (const outcome of runCampaign(clientOf(), campaign, recipients)) outcomes.push(outcome)
      return outcomes
    }

    it('sends to each recipient once, however often it is started', async () => {
      const recipients = [CUSTOMER, '33639980002'].map(recipient)
      const first = await run(recall(), recipients)
      assert.deepEqual(await run(recall(), recipients), first)
      assert.lengthOf(received(), 2)
      assert.equal(new Set(first.map((one) => ('message' in one ? one.message : one.refused))).size, 2)
    })

    it('queues outside the hours, and counts what waits', async () => {
      const inThreeDays = DAYS[(new Date().getUTCDay() + 3) % 7] ?? 'mon'
      const [outcome] = await run(recall({ days: [inThreeDays], timezone: 'UTC' }), [recipient(CUSTOMER)])
      assert.match(JSON.stringify(outcome), /"message":"msg_/)
      assert.isEmpty(received())
      assert.deepEqual(await resultsOf(clientOf(), '2026-11 recall'), { queued: 1 })
    })

    it('stops at an empty wallet, and goes on after a top-up', async () => {
      tenant = await world.tenant('0')
      const recipients = [CUSTOMER, '33639980002'].map(recipient)
      assert.deepEqual(await run(recall(), recipients), [{ to: CUSTOMER, refused: 'insufficient_balance' }])
      rightOf(await world.storage.ledger.topUp({ workspace: tenant.id, micros: 1_000_000n, reference: 'campaign', at: Date.now() }))
      assert.lengthOf(await run(recall(), recipients), 2)
      assert.lengthOf(received(), 2)
    })

    it('is what its page sends', async () => {
      const json = { ...await exampleOf('campaign'), queue: { until: recall().until.toISOString() } }
      const { status } = await tenant.ask('POST', '/v1/messages/send-template', { json })
      assert.include([200, 202], status)
    })
  })

  describe('invoices.ts', () => {
    const invoice = (number: string, to = CUSTOMER) => ({ number, to, pdf: new Blob(['%PDF-1.7 an invoice'], { type: 'application/pdf' }) })

    it('sends an invoice once with its file, however often it is asked for', async () => {
      const results = [await sendInvoice(clientOf(), invoice('2026-0417')), await sendInvoice(clientOf(), invoice('2026-0417'))]
      assert.match('message' in (results[0] ?? {}) ? JSON.stringify(results[0]) : 'refused', /"message":"msg_/)
      assert.equal(JSON.stringify(results[1]).split('"')[3], JSON.stringify(results[0]).split('"')[3])
      assert.lengthOf(received(), 1)
      assert.match(JSON.stringify(asked[0]), /"document":\{"id":"\d+","filename":"2026-0417\.pdf"\}/)
    })

    it('sends nothing again whose outcome is not known, and says what refused it', async () => {
      const first = await sendInvoice(clientOf(), invoice('2026-0418', SILENT))
      assert.deepInclude(first, { state: 'unconfirmed' })
      assert.include(['pending', 'unconfirmed', 'accepted', 'sent', 'delivered', 'read'], 'state' in first ? first.state : '')
      await sendInvoice(clientOf(), invoice('2026-0418', SILENT))
      assert.lengthOf(received(), 1)
      tenant = await world.tenant('0')
      assert.deepEqual(await sendInvoice(clientOf(), invoice('2026-0419')), { refused: 'insufficient_balance' })
    })

    it('sends what was refused for want of money once there is some', async () => {
      tenant = await world.tenant('0')
      for (const attempt of [1, 2]) {
        assert.deepEqual(await sendInvoice(clientOf(), invoice('2026-0421')), { refused: 'insufficient_balance' }, String(attempt))
      }
      rightOf(await world.storage.ledger.topUp({ workspace: tenant.id, micros: 1_000_000n, reference: 'invoice', at: Date.now() }))
      const results = [await sendInvoice(clientOf(), invoice('2026-0421')), await sendInvoice(clientOf(), invoice('2026-0421'))]
      assert.deepInclude(results[0], { state: 'accepted' })
      assert.notInclude(JSON.stringify(results[1]), 'refused')
      assert.lengthOf(received(), 1)
    })

    it('sends again what the platform could not deliver', async () => {
      const first = await sendInvoice(clientOf(), invoice('2026-0420', UNDELIVERABLE))
      const id = 'message' in first ? first.message : assert.fail(first.refused)
      await eventually('the failure', async () =>
        (await tenant.ask('GET', `/v1/messages/${id}`)).json['state'] === 'failed' ? true : undefined)
      const second = await sendInvoice(clientOf(), invoice('2026-0420', UNDELIVERABLE))
      assert.notEqual('message' in second ? second.message : second.refused, id)
      assert.lengthOf(received(), 2)
    })

    it('lists the invoices of a month, and what else was sent is not among them', async () => {
      await sendInvoice(clientOf(), invoice('=2026,"1'))
      await tenant.send(CUSTOMER)
      const month = new Date().toISOString().slice(0, 7)
      const [head, row, end] = (await monthAsCsv(clientOf(), month)).split('\r\n')
      assert.equal(head, 'invoice,message,state,price,currency,created_at')
      assert.match(row ?? '', new RegExp(`^"'=2026,""1",msg_\\w+,\\w+,\\d\\.\\d{6},USD,${month}-`))
      assert.equal(end, '')
      assert.equal(await monthAsCsv(clientOf(), '2020-01'), 'invoice,message,state,price,currency,created_at\r\n')
    })

    it('is what its page sends', async () => {
      const { json: file } = await tenant.ask('POST', '/v1/media', { body: form() })
      const json = JSON.parse(JSON.stringify(await exampleOf('invoices')).replace('1003383421387256', String(file['id']))) as object
      assert.equal((await tenant.ask('POST', '/v1/messages/send-template', { json })).status, 200)
    })

    const form = (): FormData => {
      const made = new FormData()
      made.set('file', new Blob(['%PDF-1.7'], { type: 'application/pdf' }), '2026-0417.pdf')
      return made
    }
  })
})
