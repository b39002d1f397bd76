import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { MemoryStorage } from '../../../adapters/memory/index.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import type { NumberHealth } from '../../../core/senders/number-health.js'
import { CUSTOMER_COUNTS_MS } from '../../../core/messages/portfolio-budget.js'
import { body, templateOf } from '../template-samples.js'
import { UNREACHABLE } from '../../support/scripted-platform.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, type Gateway, type GatewayOptions, KEY, NOON, OPENING_BALANCE, TEMPLATE_PRICE } from '../gateway.js'

/** Customers who have never written. */
const [ANA, BEN, CAI, DEE] = [
  '4915123456780' as PhoneNumber, '4915123456781' as PhoneNumber, '4915123456782' as PhoneNumber, '4915123456783' as PhoneNumber,
]

const limited = (options: GatewayOptions = {}) => gateway({ customersPerDay: 2, ...options })

/** The same with the steps one after another, as for ports of several storages. */
const STEPS: GatewayOptions = { ports: ({ wallet }) => ({ wallet: { ...wallet } }) }

const fill = async (gw: Gateway): Promise<void> => {
  for (const to of [ANA, BEN]) rightOf(await gw.sendTemplate({ to }))
}

const REACHED = { _tag: 'PortfolioLimitReached', retryAt: NOON + CUSTOMER_COUNTS_MS } as const

describe('A template above the limit of its portfolio', () => {
  for (const [steps, options] of [['in one step', {}], ['in several steps', STEPS]] as const) {
    it(`is refused before anything is opened or held, ${steps}`, async () => {
      const gw = await limited(options)
      await fill(gw)
      assert.deepEqual(leftOf(await gw.sendTemplate({ to: CAI })), REACHED)
      assert.lengthOf(await gw.messages(), 2)
      assert.lengthOf(gw.sent, 2)
      assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - 2n * TEMPLATE_PRICE, held: 0n })
      gw.passes(CUSTOMER_COUNTS_MS)
      rightOf(await gw.sendTemplate({ to: CAI }))
    })

    it(`leaves its idempotency key free, and repeats an earlier answer, ${steps}`, async () => {
      const gw = await limited(options)
      const first = rightOf(await gw.sendTemplate({ to: ANA, idempotencyKey: KEY }))
      rightOf(await gw.sendTemplate({ to: BEN }))
      assert.deepEqual(rightOf(await gw.sendTemplate({ to: ANA, idempotencyKey: KEY })), { ...first, replayed: true })
      const other = 'another' as typeof KEY
      assert.equal(leftOf(await gw.sendTemplate({ to: CAI, idempotencyKey: other }))._tag, 'PortfolioLimitReached')
      gw.passes(CUSTOMER_COUNTS_MS)
      assert.isFalse(rightOf(await gw.sendTemplate({ to: CAI, idempotencyKey: other })).replayed)
    })

    it(`gets the place of one that the platform refused, that it did not reach, or that was not paid, ${steps}`, async () => {
      const gw = await limited({ ...options, balance: TEMPLATE_PRICE })
      gw.willAnswer({ _tag: 'PlatformRejected', error: { code: 131_048, message: 'Spam rate limit hit' } }, UNREACHABLE)
      for (const to of [ANA, BEN]) leftOf(await gw.sendTemplate({ to }))
      rightOf(await gw.sendTemplate({ to: CAI }))
      for (const to of [DEE, ANA, BEN]) assert.equal(leftOf(await gw.sendTemplate({ to }))._tag, 'InsufficientBalance')
      await gw.topUp(10n * TEMPLATE_PRICE)
      rightOf(await gw.sendTemplate({ to: DEE }))
      assert.equal(leftOf(await gw.sendTemplate({ to: ANA }))._tag, 'PortfolioLimitReached')
    })
  }

  it('gets the place of one whose status is failed, however often it is reported, and of no other', async () => {
    const gw = await limited()
    const { id } = rightOf(await gw.sendTemplate({ to: ANA }))
    const { id: second } = rightOf(await gw.sendTemplate({ to: BEN }))
    await gw.receive(gw.status(second, 'delivered'))
    for (const _ of [1, 2]) await gw.receive(gw.status(id, 'failed'))
    rightOf(await gw.sendTemplate({ to: CAI }))
    assert.deepEqual(leftOf(await gw.sendTemplate({ to: DEE })), REACHED)
  })

  it('gets no place of a customer to whom another message went, nor of one of unknown outcome', async () => {
    const gw = await limited()
    const { id } = rightOf(await gw.sendTemplate({ to: ANA }))
    rightOf(await gw.sendTemplate({ to: ANA }))
    await gw.receive(gw.status(id, 'failed'))
    gw.willAnswer({ _tag: 'OutcomeUnknown', cause: 'no answer' })
    assert.equal(leftOf(await gw.sendTemplate({ to: BEN }))._tag, 'OutcomeUnknown')
    assert.equal(leftOf(await gw.sendTemplate({ to: CAI }))._tag, 'PortfolioLimitReached')
  })

  it('goes out to a customer who counts already, or whose window is open, and so does a text', async () => {
    const gw = await limited()
    await fill(gw)
    for (const to of [ANA, BEN, CUSTOMER, CUSTOMER]) rightOf(await gw.sendTemplate({ to }))
    rightOf(await gw.sendText())
    assert.equal(leftOf(await gw.sendTemplate({ to: CAI }))._tag, 'PortfolioLimitReached')
  })

  it('counts a customer whose window has closed', async () => {
    const gw = await limited()
    await fill(gw)
    gw.passes(DAY_MS - HOUR_MS)
    assert.equal(leftOf(await gw.sendTemplate())._tag, 'PortfolioLimitReached')
  })

  it('shares the limit with the other senders of the business account, in all workspaces, and with no other', async () => {
    const templates = [templateOf([body('Hello')], { name: 'order_update', language: 'en' })]
    for (const [options, tag] of [[{ templates }, 'PortfolioLimitReached'], [{}, undefined]] as const) {
      const gw = await limited(options)
      const { workspace } = await gw.addWorkspace()
      await fill(gw)
      const answer = await gw.sendTemplate({ workspace, to: CAI })
      assert.equal(E.isLeft(answer) ? answer.left._tag : undefined, tag)
    }
  })

  it('is not counted without the setting, without the port, or if the portfolio has no limit or none is known, and then reads no window', async () => {
    const failing: NumberHealth['of'] = async () => E.left(portFailure('NumberHealth')('down'))
    for (const options of [
      {}, { customersPerDay: 'unlimited' }, { customersPerDay: 1, ports: () => ({ portfolioBudget: undefined as never }) },
      { customersPerDay: 1, ports: () => ({ numberHealth: undefined as never }) },
      { customersPerDay: 1, ports: ({ numberHealth }: MemoryStorage) => ({ numberHealth: { ...numberHealth, of: failing } }) },
    ] satisfies ReadonlyArray<GatewayOptions>) {
      const reads: Array<string> = []
      const gw = await gateway({
        ...options,
        ports: (storage) => ({
          ...('ports' in options && options.ports(storage)),
          windowClock: {
            ...storage.windowClock,
            lastInbound: (inbox, customer) => {
              reads.push(customer)
              return storage.windowClock.lastInbound(inbox, customer)
            },
          },
        }),
      })
      for (const to of [ANA, BEN, CAI]) rightOf(await gw.sendTemplate({ to }))
      assert.isEmpty(reads)
    }
  })

  it('fails as the storage does if the customers cannot be counted, and then opens nothing', async () => {
    const gw = await limited({
      ports: ({ portfolioBudget }) =>
        ({ portfolioBudget: { ...portfolioBudget, take: async () => E.left(portFailure('PortfolioBudget')('down')) } }),
    })
    assert.equal(leftOf(await gw.sendTemplate({ to: ANA }))._tag, 'PortFailure')
    assert.isEmpty(await gw.messages())
  })
})

describe('A queued template above the limit of its portfolio', () => {
  const queued = async (gw: Gateway, to: PhoneNumber, until = NOON + 3 * DAY_MS) =>
    rightOf(await gw.sendOrQueueText({ until, message: { _tag: 'Template', to, name: 'order_update', language: 'en', components: [] } }))

  it('waits with its price, each for a place of its own, and goes out when it is free', async () => {
    const gw = await limited()
    rightOf(await gw.sendTemplate({ to: ANA }))
    gw.passes(HOUR_MS)
    rightOf(await gw.sendTemplate({ to: BEN }))
    for (const to of [CAI, DEE]) assert.property(await queued(gw, to), 'state')
    assert.equal((await gw.balance()).held, 2n * TEMPLATE_PRICE)
    assert.deepInclude(await gw.drain(), { sent: 0, postponed: 2 })
    gw.passes(CUSTOMER_COUNTS_MS - HOUR_MS - MINUTE_MS)
    assert.deepInclude(await gw.drain(), { sent: 0, postponed: 0 }, 'neither is due')
    gw.passes(MINUTE_MS)
    assert.deepInclude(await gw.drain(), { sent: 1, postponed: 0 }, 'the other one waits for the second place')
    assert.equal(gw.sent.at(-1)?.message.to, CAI)
    gw.passes(HOUR_MS)
    assert.deepInclude(await gw.drain(), { sent: 1, postponed: 0 })
    assert.equal(gw.sent.at(-1)?.message.to, DEE)
    assert.equal((await gw.balance()).held, 0n)
  })

  it('goes out in the order of its customer, who takes one place', async () => {
    const gw = await limited()
    await fill(gw)
    const [first, second] = [await queued(gw, CAI), await queued(gw, CAI)]
    assert.deepInclude(await gw.drain(), { sent: 0, postponed: 2 })
    gw.passes(CUSTOMER_COUNTS_MS)
    assert.deepInclude(await gw.drain(), { sent: 2, postponed: 0 })
    assert.deepEqual(gw.sent.slice(-2).map(({ id }) => id), [first.id, second.id])
    rightOf(await gw.sendTemplate({ to: DEE }))
  })

  it('gives its place back if it fails, and takes none if it is canceled or its time ends', async () => {
    const gw = await limited()
    await fill(gw)
    const [canceled, late] = [await queued(gw, CAI), await queued(gw, DEE, NOON + HOUR_MS)]
    rightOf(await gw.cancel(canceled.id))
    gw.passes(HOUR_MS)
    assert.deepInclude(await gw.drain(), { sent: 0, refused: 1 })
    assert.equal((await gw.message(late.id)).state, 'refused')
    gw.passes(CUSTOMER_COUNTS_MS - HOUR_MS)
    await fill(gw)
    const failed = await queued(gw, CAI, NOON + 4 * DAY_MS)
    assert.deepInclude(await gw.drain(), { sent: 0, postponed: 1 })
    gw.passes(CUSTOMER_COUNTS_MS)
    gw.willAnswer(UNREACHABLE)
    await gw.drain()
    assert.equal((await gw.message(failed.id)).state, 'refused')
    await fill(gw)
  })
})
