import { left, right } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import type { HttpDeps } from '../../../adapters/koa/index.js'
import { DEFAULT_BRAKE } from '../../../core/batches/batch.js'
import type { BatchId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { body, templateOf } from '../../core/template-samples.js'
import { rightOf } from '../../support/right-of.js'
import { CUSTOMER, type Gateway, NOON, portDown, type World } from './gateway.js'
import { withoutScope, withSpendingLimit } from './with-uses.js'

const BATCHES = '/v1/batches'
const NONE = `bat_${'0'.repeat(32)}`
const NEW = { template_name: 'order_update', recipients: [{ to: CUSTOMER }] }
const PRICE = '0.062500'
const KEY = { 'Idempotency-Key': 'order 17/a' }
const CSV = { 'Content-Type': 'text/csv' }

const put = (gw: Gateway, id: string, sent: string, headers: Record<string, string> = {}) =>
  gw.request(`${BATCHES}/${id}/recipients`, { method: 'PUT', body: sent, headers: { ...CSV, ...headers } })

const act = (gw: Gateway, id: string, what: string, headers: Record<string, string> = {}) =>
  gw.request(`${BATCHES}/${id}/${what}`, { method: 'POST', headers })

/** Every operation of batches, on one batch. */
export const batches = async (gw: Gateway, headers: Record<string, string> = {}, id: string = NONE): Promise<void> => {
  await gw.post(BATCHES, NEW, headers)
  await put(gw, id, `to\n${CUSTOMER}\n`, headers)
  await act(gw, id, 'preflight', headers)
  await gw.post(`${BATCHES}/${id}/confirm`, { total: PRICE }, headers)
  for (const what of ['pause', 'resume', 'cancel']) await act(gw, id, what, headers)
  for (const path of ['', `/${id}`, `/${id}/results`, `/${id}/results?format=ndjson`]) await gw.get(`${BATCHES}${path}`, headers)
}

const create = async (gw: Gateway): Promise<string> => ((await gw.post(BATCHES, NEW)).json as { readonly id: string }).id

const confirmsAtOnce = async (gw: Gateway): Promise<void> => {
  await gw.post(BATCHES, { ...NEW, confirm: true })
}

const creates = async (gw: Gateway): Promise<void> => {
  await create(gw)
}

/** What a batch refuses before its confirmation. */
const check = async (gw: Gateway, id: string): Promise<void> => {
  await act(gw, id, 'preflight')
  await gw.post(`${BATCHES}/${id}/confirm`, { total: PRICE })
}

/** The batch that the examples of the document name. */
export const EXAMPLE_BATCH = 'bat_0199c3a87c2e7b1f9d5a4e6b8c0d2f41' as BatchId

/** Stores that batch: as a draft, or paused after its total was reserved, so that it can be confirmed again, paused again, resumed and canceled. */
export const storeExampleBatch = async (
  { storage, workspace, phoneNumberId }: Pick<Gateway, 'storage' | 'workspace' | 'phoneNumberId'>, state: 'draft' | 'paused',
): Promise<void> => {
  const confirmed = { at: NOON, total: 312_500_000n, currency: 'USD' as Currency, sendable: 5_000, parts: [], heldAt: NOON }
  rightOf(await storage.batches.create({
    id: EXAMPLE_BATCH, workspace, sender: phoneNumberId, templateName: 'spring_sale', language: 'en', timing: {}, brake: DEFAULT_BRAKE,
    createdAt: NOON, state, upload: 0, ...(state === 'paused' && { confirmed, pausedBecause: 'person' }),
  }))
}

type Scenario = {
  readonly world?: World
  readonly deps?: (deps: HttpDeps) => Partial<HttpDeps>
  readonly run: (gw: Gateway) => Promise<void>
}

const ACTS = ['recipients', 'preflight', 'confirm', 'pause', 'resume', 'cancel']

/** Requests that make every operation of batches end in every documented way. */
export const BATCH_SCENARIOS: ReadonlyArray<Scenario> = [
  { run: async (gw) => {
    const id = await create(gw)
    await batches(gw, {}, id)
    await batches(gw, {}, id)
  } },
  { run: async (gw) => {
    const id = await create(gw)
    await act(gw, id, 'cancel')
    await check(gw, id)
    const other = await create(gw)
    rightOf(await gw.storage.batches.change({ workspace: gw.workspace, batch: other as BatchId, from: ['draft'], set: { state: 'done' } }))
    await act(gw, other, 'cancel')
  } },
  { run: (gw) => batches(gw) },
  { run: (gw) => batches(gw, { Authorization: 'Bearer no' }) },
  { deps: withoutScope('send', 'read'), run: (gw) => batches(gw) },
  { deps: () => ({ rateLimit: async () => left({ _tag: 'RateLimited', retryAfterSeconds: 1 }) }), run: (gw) => batches(gw) },
  { deps: () => ({ rateLimit: (): never => { throw new TypeError('bug') } }), run: (gw) => batches(gw) },
  {
    deps: ({ postern }) => ({ postern: { ...postern, keys: { authenticateKey: portDown('KeyStore') } } }), run: (gw) => batches(gw),
  },
  { deps: () => ({ bodyLimits: { memoryBytes: 0, deadlineMs: 200 } }), run: (gw) => batches(gw) },
  { run: async (gw) => {
    for (const path of ['', `/${NONE}`, ...ACTS.map((what) => `/${NONE}/${what}`)]) {
      await gw.request(`${BATCHES}${path}`, { method: 'DELETE' })
    }
  } },
  { run: async (gw) => {
    const id = await create(gw)
    for (const path of [BATCHES, `${BATCHES}/${id}/confirm`]) {
      for (const [sent, type] of [
        ['{', 'application/json'], ['x', 'text/plain'], [' '.repeat(256 * 1024 + 1), 'application/json'], ['{}', 'application/json'],
        ['{"template_name":7,"total":7}', 'application/json'],
      ] as const) {
        await gw.request(path, { method: 'POST', body: sent, headers: { 'Content-Type': type } })
      }
    }
    await put(gw, id, '{}', { 'Content-Type': 'application/json' })
    await put(gw, id, 'name\n1\n')
    await gw.raw(`PUT ${BATCHES}/${id}/recipients HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: text/csv\r\nContent-Length: 999999999`)
    await gw.get(`${BATCHES}?limit=0`)
    await gw.get(`${BATCHES}/${NONE}/results?states=lost`)
    await gw.request(`${BATCHES}/${NONE}/results`, { method: 'PROPFIND' })
    await gw.post(`${BATCHES}/${id}/confirm`, { total: '1' })
    await put(gw, id, 'to\n')
    await gw.post(`${BATCHES}/${id}/confirm`, { total: '0' })
  } },
  { deps: () => ({ bodyLimits: { deadlineMs: 20, filePace: { slackMs: 20, bytesPerSecond: 1_000_000 } } }), run: async (gw) => {
    for (const [method, path, type] of [
      ['POST', BATCHES, 'application/json'], ['POST', `${BATCHES}/${NONE}/confirm`, 'application/json'],
      ['PUT', `${BATCHES}/${await create(gw)}/recipients`, 'text/csv'],
    ] as const) {
      await gw.raw(`${method} ${path} HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: ${type}\r\nContent-Length: 9`, 'half')
    }
  } },
  { world: { sender: false }, run: creates },
  { run: async (gw) => {
    await gw.post(BATCHES, { template_name: 'order_update', from: { batch: NONE, states: ['failed'] } })
    await gw.post(BATCHES, { template_name: 'order_update', recipients: [], confirm: true })
  } },
  { run: async (gw) => {
    const [id, lines] = [await create(gw), [{ line: 1, to: CUSTOMER, content: { metadata: { a: 'b' } } }]]
    const of = { workspace: gw.workspace, batch: id as BatchId }
    rightOf(await gw.storage.batches.append(of, 1, lines))
    rightOf(await gw.storage.batches.change({ ...of, from: ['draft'], set: { state: 'canceled', upload: 1, endedAt: 1 } }))
    rightOf(await gw.storage.batches.forgetContents(2, 10))
    await gw.post(BATCHES, { template_name: 'order_update', from: { batch: id, states: ['unsent'] } })
  } },
  { world: { balance: '0' }, run: confirmsAtOnce },
  { deps: withSpendingLimit(0n), run: confirmsAtOnce },
  ...[[], [templateOf([body('Hi')], { status: 'paused' })]].map((templates): Scenario => ({ world: { templates }, run: confirmsAtOnce })),
  // The batch is changed by another request before its recipients are stored.
  {
    world: { ports: (ports) => (ports.batches ? { batches: { ...ports.batches, change: async () => right(none) } } : {}) },
    run: async (gw) => {
      await create(gw)
      await gw.post(BATCHES, NEW, KEY)
    },
  },
  { run: async (gw) => {
    for (const name of ['a', 'b']) await gw.post(BATCHES, { ...NEW, name }, KEY)
  } },
  { world: { balance: '0' }, run: async (gw) => check(gw, await create(gw)) },
  { deps: withSpendingLimit(0n), run: async (gw) => check(gw, await create(gw)) },
  ...[[], [templateOf([body('Hi')], { status: 'paused' })]].map((templates): Scenario => (
    { world: { templates }, run: async (gw) => check(gw, await create(gw)) })),
  withoutSenderLater(),
]

/** A sender with a draft is not removed; a storage that has lost it does not find it. */
function withoutSenderLater(): Scenario {
  let isLost = false
  return {
    world: { ports: ({ senders }) => ({ senders: {
      ...senders, senderOf: async (workspace, sender) => (isLost ? right(none) : senders.senderOf(workspace, sender)),
    } }) },
    run: async (gw) => {
      isLost = false
      const id = await create(gw)
      isLost = true
      await check(gw, id)
    },
  }
}
