import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import type { BatchId } from '../../../../core/kernel/ids.js'
import { DAY_MS } from '../../../../core/kernel/time.js'
import { body, header, templateOf } from '../../../core/template-samples.js'
import { rightOf } from '../../../support/right-of.js'
import { type Answered, CUSTOMER, gateway, type Gateway, NOON, portDown, type World } from '../gateway.js'
import { refusal } from '../refusal.js'
import { withSpendingLimit } from '../with-uses.js'

const BATCHES = '/v1/batches'
const TEMPLATES = [
  templateOf([body('Sale!')], { id: '1', name: 'sale', category: 'marketing' }),
  templateOf([header('TEXT', 'Order {{1}}'), body('Hello {{1}}')], { id: '2', name: 'hello', category: 'utility' }),
]
const PRICE = '0.062500'
const NONE = `bat_${'0'.repeat(32)}`

const world = (more: World = {}) => gateway({ templates: TEMPLATES, ...more })

type Shown = { readonly id: string; readonly state: string; readonly [field: string]: unknown }

const shown = ({ json }: Answered): Shown => json as Shown

const create = async (gw: Gateway, more: object = {}): Promise<string> => {
  const created = await gw.post(BATCHES, { template_name: 'sale', ...more })
  assert.equal(created.status, 201, created.text)
  return shown(created).id
}

const at = (id: string, rest = ''): string => `${BATCHES}/${id}${rest}`

const put = (gw: Gateway, id: string, sent: string, type = 'text/csv'): Promise<Answered> =>
  gw.request(at(id, '/recipients'), { method: 'PUT', body: sent, headers: { 'Content-Type': type } })

const act = (gw: Gateway, id: string, what: string): Promise<Answered> => gw.request(at(id, `/${what}`), { method: 'POST' })

const confirm = (gw: Gateway, id: string, total: string): Promise<Answered> => gw.post(at(id, '/confirm'), { total })

const draftTo = (gw: Gateway, ...to: ReadonlyArray<string>): Promise<string> => create(gw, { recipients: to.map((one) => ({ to: one })) })

/** A batch to one customer that is confirmed. */
const confirmed = async (gw: Gateway): Promise<string> => {
  const id = await draftTo(gw, CUSTOMER)
  assert.equal((await confirm(gw, id, PRICE)).status, 202)
  return id
}

const refused = ({ status, json }: Answered): string => `${status} ${(json as { readonly code: string }).code}`

describe('batches over HTTP', () => {
  for (const base of ['/v1', '/api/v1']) {
    it(`POST ${base}/batches makes a draft`, async () => {
      await using gw = await world()
      const { id, ...rest } = shown(await gw.post(`${base}/batches`, {
        template_name: 'sale', language: 'en', sender: gw.phoneNumberId, name: 'Sale', send_at: '2026-03-02T08:00:00Z',
        until: '2026-03-03T08:00:00Z', deliver_between: { from: '09:00', to: '20:00' }, first_wave: { recipients: 10, wait: 60 },
        brake: { share: 0.1 }, metadata: { campaign: 'a' }, confirm: false,
      }))
      assert.match(id, /^bat_[0-9a-f]{32}$/)
      assert.deepEqual<object>(rest, {
        name: 'Sale', state: 'draft', paused_because: null, template_name: 'sale', language: 'en', sender: gw.phoneNumberId,
        send_at: '2026-03-02T08:00:00.000Z', until: '2026-03-03T08:00:00.000Z',
        deliver_between: { from: '09:00', to: '20:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], timezone: 'customer' },
        first_wave: { recipients: 10, wait: 60 }, brake: { share: 0.1, of: 200 }, metadata: { campaign: 'a' }, total: null, currency: null,
        sendable: null, created_at: new Date(NOON).toISOString(), confirmed_at: null, ended_at: null, recipients: 0, unreadable: 0,
        problems: [],
      })
    })
  }

  it('take recipients in the body, and name those that cannot be sent to', async () => {
    await using gw = await world()
    const given = [{ to: CUSTOMER, metadata: { order: '7' } }, { to: '0151' }]
    const created = await gw.post(BATCHES, { template_name: 'sale', recipients: given })
    const { recipients, unreadable, problems } = shown(created)
    assert.deepEqual([recipients, unreadable], [2, 1])
    assert.deepInclude((problems as ReadonlyArray<object>)[0], { line: 2, column: 'to', code: 'invalid_phone_number' })
  })

  it('are confirmed at once if that is requested, and are canceled if they cannot be', async () => {
    await using gw = await world()
    const given = { template_name: 'sale', recipients: [{ to: CUSTOMER }, { to: CUSTOMER }], confirm: true }
    const { state, total, sendable, recipients } = shown(await gw.post(BATCHES, given))
    assert.deepEqual([state, total, sendable, recipients], ['confirmed', PRICE, 1, 2])
    assert.equal(refused(await gw.post(BATCHES, { ...given, recipients: [] })), '400 nothing_to_send')
    const { batches: [last] } = (await gw.get(BATCHES)).json as { readonly batches: ReadonlyArray<{ readonly state: string }> }
    assert.equal(last?.state, 'canceled')
  })

  it('are made and confirmed once under one Idempotency-Key, which another body may not have', async () => {
    await using gw = await world()
    const given = { template_name: 'sale', recipients: [{ to: CUSTOMER }, { to: '0151' }], metadata: { a: '1', b: '2' }, confirm: true }
    const key = { 'Idempotency-Key': 'order 17/a' }
    const first = await gw.post(BATCHES, given, key)
    assert.deepEqual([first.status, first.headers.get('idempotency-replayed')], [201, null])
    const same = { ...given, metadata: { b: '2', a: '1' }, language: 'en', unknown: 7 }
    for (const repeated of [given, same]) {
      const again = await gw.post(BATCHES, repeated, key)
      assert.deepEqual([again.status, again.text, again.headers.get('idempotency-replayed')], [201, first.text, 'true'])
    }
    for (const other of [{ ...given, confirm: false }, { ...given, recipients: [{ to: CUSTOMER }] }, { ...given, name: 'Sale' }]) {
      assert.equal(refused(await gw.post(BATCHES, other, key)), '422 idempotency_key_reused')
    }
    assert.equal(refused(await gw.post(BATCHES, given, { 'Idempotency-Key': ' ' })), '400 invalid_parameter')
    assert.lengthOf(((await gw.get(BATCHES)).json as { readonly batches: ReadonlyArray<Shown> }).batches, 1)
  })

  it('take recipients of an earlier batch, with their lines, and say if that is unknown', async () => {
    await using gw = await world()
    const earlier = await create(gw, { recipients: [{ to: CUSTOMER, metadata: { order: '7' } }, { to: '0151' }] })
    await confirm(gw, earlier, PRICE)
    await act(gw, earlier, 'cancel')
    // As the job of the batches does.
    const of = { workspace: gw.workspace, batch: earlier as BatchId }
    const found = rightOf(await gw.storage.batches.find(of))
    rightOf(await gw.storage.batches.endUnsent(of, O.isSome(found) ? found.value.upload : 0, 'canceled'))
    const states = ['unsent', 'failed']
    const { recipients, unreadable, state } = shown(await gw.post(BATCHES, { template_name: 'sale', from: { batch: earlier, states } }))
    assert.deepEqual([recipients, unreadable, state], [1, 0, 'draft'])
    const unknown = await gw.post(BATCHES, { template_name: 'sale', from: { batch: NONE, states } })
    assert.equal(refused(unknown), '404 not_found')
  })

  it('refuse a body of a wrong form, with what to do', async () => {
    await using gw = await world()
    const faults: ReadonlyArray<readonly [object, RegExp]> = [
      [{}, /^Missing required parameters: template_name$/],
      [{ template_name: 'sale', confirm: 'yes' }, /^confirm must be true or false/],
      [{ template_name: 'sale', from: { batch: NONE } }, /^from.states must be an array of states/],
      [{ template_name: 'sale', from: { batch: NONE, states: ['lost'] } }, /^from.states\[0\] must be /],
      [{ template_name: 'sale', from: { batch: NONE, states: [] } }, /^from.states must be /],
      [{ template_name: 'sale', from: { batch: NONE, states: ['failed'] }, recipients: [] }, /^from cannot be combined with recipients/],
      [{ template_name: 'sale', recipients: Array.from({ length: 1_001 }, () => ({ to: CUSTOMER })) }, /at most 1000 items/],
      [{ template_name: 'sale', recipients: [{}] }, /^recipients\[0\]\.to must be /],
      [{ template_name: 'sale', recipients: [{ to: CUSTOMER, components: [{}] }] }, /^recipients\[0\]\.components\[0\]\.type must be a string/],
      [{ template_name: 'sale', first_wave: { recipients: 0, wait: 1 } }, /^first_wave.recipients must be a whole number from 1 to 100000/],
      [{ template_name: 'sale', brake: { share: 2 } }, /^brake.share must be a number from 0 to 1/],
      [{ template_name: 'sale', until: '2026-02-01T00:00:00Z' }, /^until must be later than now/],
      [{ template_name: 'sale', send_at: new Date(NOON + 400 * DAY_MS).toISOString() }, /^send_at must be at most 366 days ahead/],
      [{ template_name: 'sale', send_at: '2026-02-01' }, /^send_at must be less than a day ago, or until must be given/],
      [{ template_name: 'sale', sender: '1' }, /^sender must be the phone number id/],
    ]
    for (const [sent, message] of faults) {
      const answer = await gw.post(BATCHES, sent)
      assert.equal(answer.status, 400, answer.text)
      assert.match((answer.json as { readonly message: string }).message, message)
    }
    assert.deepEqual((await gw.get(BATCHES)).json, { batches: [], next_cursor: null })
  })

  it('take a file as CSV or NDJSON, whose columns fill the template, in place of earlier recipients', async () => {
    await using gw = await world()
    const id = await create(gw, { template_name: 'hello' })
    const rows = ['\ufeffto;header.1;body.1;timezone;metadata.order', `${CUSTOMER};7;"Ada; Countess";Europe/Berlin;A-7`, '0151;8;B;;']
    const csv = shown(await put(gw, id, `${rows.join('\r\n')}\r\n`))
    assert.deepInclude(csv, { id, state: 'draft', recipients: 2, unreadable: 1 })
    assert.deepInclude((csv['problems'] as ReadonlyArray<object>)[0], { line: 3, column: 'to' })
    const lines = `{"to":"${CUSTOMER}","components":[{"type":"body","parameters":[{"type":"text","text":"Ada"}]}]}\nnot JSON\n`
    const ndjson = shown(await put(gw, id, lines, 'application/x-ndjson'))
    assert.deepInclude(ndjson, { recipients: 2, unreadable: 1 })
    assert.deepInclude(shown(await act(gw, id, 'preflight')), {
      recipients: 2, sendable: 0,
      problems: [{ code: 'template_parameters', count: 1, lines: [1] }, { code: 'malformed_line', count: 1, lines: [2] }],
    })
  })

  it('keep their recipients if a file cannot be read, and say where and what to do', async () => {
    await using gw = await world()
    const id = await draftTo(gw, CUSTOMER)
    const faults: ReadonlyArray<readonly [string, number, string | null, RegExp]> = [
      ['name\n1\n', 1, 'name', /Column name is not known; the columns are to, timezone and metadata\.KEY/],
      ['', 1, null, /The file is empty/],
      [`to\n${CUSTOMER}\n"4915`, 3, null, /quotes of the line do not match/],
    ]
    for (const [file, line, column, message] of faults) {
      const answer = await put(gw, id, file)
      assert.equal(refused(answer), '400 unreadable_file')
      assert.deepInclude(answer.json, { line, column })
      assert.match((answer.json as { readonly message: string }).message, message)
    }
    assert.equal(refused(await put(gw, id, '{}', 'application/json')), '415 unsupported_media_type')
    assert.equal(shown(await gw.get(at(id)))['recipients'], 1)
  })

  it('have at most 100,000 recipients', async () => {
    await using gw = await world()
    const id = await create(gw)
    const answer = await put(gw, id, `to\n${'1\n'.repeat(100_001)}`)
    assert.equal(refused(answer), '400 unreadable_file')
    assert.deepInclude(answer.json, { line: 100_002, column: null })
  })

  it('keep their recipients if the file breaks off', async () => {
    await using gw = await world()
    const id = await draftTo(gw, CUSTOMER)
    const head = `PUT ${at(id, '/recipients')} HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked`
    assert.match(await gw.raw(head, '8\r\nto\n491512\r\nnot a size\r\n'), /^HTTP\/1\.1 400 /)
    assert.equal(shown(await gw.get(at(id)))['recipients'], 1)
  })

  it('are checked, with the price, the problems and what a person should know', async () => {
    await using gw = await world()
    const id = await draftTo(gw, CUSTOMER, `+${CUSTOMER}`, '4915123456789')
    assert.deepEqual<object>(shown(await act(gw, id, 'preflight')), {
      recipients: 3, sendable: 2, problems: [{ code: 'duplicate_recipient', count: 1, lines: [2] }], total: '0.125000', currency: 'USD',
      by_category: [{ category: 'marketing', recipients: 2, price: '0.125000' }],
      by_market: [{ market: 'default', recipients: 2, price: '0.125000' }], available_after: '9.875000', days_needed: 1,
      earliest_end: new Date(NOON + 25).toISOString(), days: [{ from: new Date(NOON).toISOString(), recipients: 2 }],
      warnings: [{ code: 'first_use' }],
    })
    assert.deepEqual(await gw.books(), { available: '10.000000', held: '0.000000' })
  })

  it('cannot be checked or confirmed with a template that cannot be sent', async () => {
    await using gw = await world()
    const id = await create(gw, { template_name: 'other', recipients: [{ to: CUSTOMER }] })
    assert.equal(refused(await act(gw, id, 'preflight')), '400 template_not_found')
    assert.equal(refused(await confirm(gw, id, PRICE)), '400 template_not_found')
  })

  it('are confirmed with their total, which one hold reserves, however often that is repeated', async () => {
    await using gw = await world()
    const id = await draftTo(gw, CUSTOMER)
    for (let times = 0; times < 2; times += 1) {
      const answer = await confirm(gw, id, '0.0625')
      assert.equal(answer.status, 202)
      assert.deepInclude(shown(answer), { id, state: 'confirmed', total: PRICE, currency: 'USD', sendable: 1 })
    }
    assert.deepEqual(await gw.books(), { available: '9.937500', held: PRICE })
    const { entries } = (await gw.get('/v1/wallet/entries?limit=1')).json as { readonly entries: ReadonlyArray<object> }
    assert.deepInclude(entries[0], { kind: 'hold', amount: PRICE, message_id: null, reference: id })
    assert.deepInclude(shown(await gw.get(at(id))), { held: PRICE, price: '0.000000', rate: 80 })
  })

  it('are not confirmed with another total, with nothing to send, without money, or above the limit of the key', async () => {
    await using gw = await world({ balance: '0.1' })
    const id = await draftTo(gw, CUSTOMER, '4915123456789')
    assert.deepInclude((await confirm(gw, id, '0.1')).json, { code: 'preflight_changed', total: '0.125000' })
    const short = await confirm(gw, id, '0.125')
    assert.equal(refused(short), '402 insufficient_balance')
    assert.match((short.json as { readonly message: string }).message, /^The wallet cannot cover this batch: it costs 0\.125000 USD/)
    assert.deepInclude(short.json, { required: '0.125000', available: '0.100000', shortfall: '0.025000' })
    assert.equal(refused(await confirm(gw, await create(gw), '0')), '400 nothing_to_send')
    assert.equal(shown(await gw.get(at(id))).state, 'draft')
    for (const total of [12, 'x', '-1', '1.0000001']) {
      assert.equal(refused(await gw.post(at(id, '/confirm'), { total })), '400 invalid_parameter')
    }
    assert.equal(refused(await gw.post(at(id, '/confirm'), {})), '400 missing_parameters')
    await using limited = await world({ deps: withSpendingLimit(70_000n) })
    const over = await draftTo(limited, CUSTOMER, '4915123456789')
    assert.equal(refused(await confirm(limited, over, '0.125')), '402 spending_limit_reached')
    assert.equal((await confirm(limited, await draftTo(limited, CUSTOMER), PRICE)).status, 202)
  })

  it('are paused, resumed and canceled, each of which changes nothing when it is repeated', async () => {
    await using gw = await world()
    const id = await confirmed(gw)
    const states: ReadonlyArray<readonly [string, object]> = [
      ['pause', { state: 'paused', paused_because: 'person' }], ['resume', { state: 'confirmed', paused_because: null }],
      ['cancel', { state: 'canceled', ended_at: new Date(NOON).toISOString() }],
    ]
    for (const [what, expected] of states) {
      for (let times = 0; times < 2; times += 1) {
        const answer = await act(gw, id, what)
        assert.equal(answer.status, 200)
        assert.deepInclude(shown(answer), expected)
      }
    }
    assert.equal(shown(await act(gw, await create(gw), 'cancel')).state, 'canceled')
  })

  it('answer 409 with their state to what it does not permit', async () => {
    await using gw = await world()
    const id = await confirmed(gw)
    const { json } = await put(gw, id, `to\n${CUSTOMER}\n`)
    assert.deepEqual(json, refusal('batch_state', 'The batch is confirmed, which does not permit this'))
    assert.equal(refused(await act(gw, id, 'preflight')), '409 batch_state')
    assert.equal(refused(await act(gw, await create(gw), 'pause')), '409 batch_state')
    await act(gw, id, 'cancel')
    assert.equal(refused(await act(gw, id, 'resume')), '409 batch_state')
  })

  it('are listed newest first, in pages', async () => {
    await using gw = await world()
    const ids = [await create(gw), await create(gw), await create(gw)].toReversed()
    const first = (await gw.get(`${BATCHES}?limit=2`)).json as { readonly batches: ReadonlyArray<Shown>; readonly next_cursor: string }
    const second = (await gw.get(`${BATCHES}?limit=2&cursor=${first.next_cursor}`)).json as typeof first
    assert.deepEqual([...first.batches, ...second.batches].map(({ id }) => id), ids)
    assert.isNull(second.next_cursor)
    assert.equal(refused(await gw.get(`${BATCHES}?cursor=messages.msg_${'0'.repeat(32)}`)), '400 invalid_parameter')
  })

  it('have the result of each line as a file, of all lines or of those in some states', async () => {
    await using gw = await world()
    const id = await draftTo(gw, CUSTOMER, CUSTOMER)
    assert.equal((await confirm(gw, id, PRICE)).status, 202)
    const csv = await gw.get(at(id, '/results'))
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/)
    const [head, first, second, ...rest] = csv.text.split('\r\n')
    assert.match(head ?? '', /^line,to,state,code,/)
    assert.match(first ?? '', new RegExp(`^1,${CUSTOMER},waiting,`))
    assert.match(second ?? '', new RegExp(`^2,${CUSTOMER},left_out,duplicate_recipient,`))
    assert.deepEqual(rest, [''])
    const { text } = await gw.get(at(id, '/results?format=ndjson&states=left_out,failed'))
    const [one, end] = text.split('\n')
    assert.deepInclude(JSON.parse(one ?? ''), { line: 2, state: 'left_out', code: 'duplicate_recipient', price: '0.000000' })
    assert.equal(end, '')
    assert.equal(refused(await gw.get(at(id, '/results?states=lost'))), '400 invalid_parameter')
    assert.equal(refused(await gw.get(at(NONE, '/results'))), '404 not_found')
  })

  it('of another workspace, or with an id that none can have, are not found', async () => {
    await using gw = await world()
    const id = await confirmed(gw)
    const { key } = await gw.addWorkspace()
    const headers = { Authorization: `Bearer ${key}` }
    const requests = (of: string) => [
      gw.get(at(of), headers),
      gw.request(at(of, '/recipients'), { method: 'PUT', body: 'to\n1\n', headers: { ...headers, 'Content-Type': 'text/csv' } }),
      gw.post(at(of, '/confirm'), { total: '1' }, headers),
      ...['preflight', 'pause', 'resume', 'cancel'].map((what) => gw.request(at(of, `/${what}`), { method: 'POST', headers })),
    ]
    for (const answer of await Promise.all([...requests(id), ...requests('bat_1')])) assert.equal(refused(answer), '404 not_found')
    assert.equal(shown(await gw.get(at(id))).state, 'confirmed')
    assert.deepEqual((await gw.get(BATCHES, headers)).json, { batches: [], next_cursor: null })
  })

  it('answer 503 while their storage cannot be reached, and change nothing', async () => {
    await using gw = await world({ ports: ({ batches }) => (batches ? { batches: { ...batches, append: portDown('batches') } } : {}) })
    const id = await create(gw)
    assert.equal(refused(await put(gw, id, `to\n${CUSTOMER}\n`)), '503 storage_unavailable')
    assert.equal(shown(await gw.get(at(id)))['recipients'], 0)
  })

  it('are not served by an app without them', async () => {
    await using gw = await world({ ports: () => ({ batches: undefined as never }) })
    assert.equal(refused(await gw.get(BATCHES)), '404 not_found')
    assert.notProperty(((await gw.get('/openapi.json')).json as { readonly paths: object }).paths, '/batches')
  })
})
