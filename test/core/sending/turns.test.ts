import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeMemoryStorage, type MemoryStorage } from '../../../adapters/memory/index.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { type Hours, parseHours } from '../../../core/customers/hours.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { DAY_MS, HOUR_MS, type Instant, SECOND_MS } from '../../../core/kernel/time.js'
import { messageIdOf } from '../../../core/messages/message.js'
import type { MessageQueue, QueuedMessage } from '../../../core/messages/queue.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { type Drained, type DrainSender, makeDrainSender, type SendQueued, type Step, type Turn } from '../../../core/sending/turns.js'
import { rightOf } from '../../support/right-of.js'

const NOON = Date.UTC(2026, 2, 1, 12)
const [WORKSPACE, SENDER] = [workspaceIdOf('ws_1'), senderIdOf('1')]
const OF = { workspace: WORKSPACE, sender: SENDER }
const ALWAYS: Turn = { hasEnded: () => false, isHeld: () => true }

type World = {
  readonly drain: (turn?: Turn) => Promise<Drained>
  readonly drainSender: DrainSender
  /** Makes the turns of another gateway over the same queue. */
  readonly takenOver: () => DrainSender
  readonly storage: MemoryStorage
  /** Queues a message, by its number and its customer; it is due in the order of the numbers. */
  readonly queued: (
    number: number, customer: number, more?: { readonly isBatch?: boolean; readonly endsAt?: Instant; readonly hours?: Hours },
  ) => Promise<void>
  /** The numbers of the messages that were sent, in order. */
  readonly sent: ReadonlyArray<number>
  readonly passes: (ms: number) => void
  readonly now: () => Instant
}

const numberOf = ({ record }: QueuedMessage): number => Number(record.id.slice(4))

/** A sender with a queue, whose messages are claimed and sent by `step`, or as it says. */
const world = (
  { step = () => 'sent', width = 100, queue = () => ({}) }: {
    readonly step?: (number: number, world: World) => Step | Promise<Step>
    readonly width?: number
    readonly queue?: (own: MessageQueue) => Partial<MessageQueue>
  } = {},
): World => {
  const storage = makeMemoryStorage()
  const messageQueue = { ...storage.messageQueue, ...queue(storage.messageQueue) }
  let at = NOON
  const sent: number[] = []
  const send: SendQueued = async (queued) => {
    const done = await step(numberOf(queued), opened)
    if (done === 'sent') {
      if (!rightOf(await messageQueue.claim({ workspace: WORKSPACE, message: queued.record.id }, at))) return 'gone'
      sent.push(numberOf(queued))
    }
    return done
  }
  const takenOver = () => makeDrainSender({ messageQueue, now: () => at, send, widthOf: async () => width })
  const drainSender = takenOver()
  const opened: World = {
    sent, drainSender, takenOver, storage, now: () => at, passes: (ms) => { at += ms },
    drain: async (turn = ALWAYS) => rightOf(await drainSender(OF, turn)),
    queued: async (number, customer, { isBatch, hours, endsAt = NOON + DAY_MS } = {}) => {
      rightOf(await storage.messageLog.open({
        id: messageIdOf(String(number).padStart(6, '0')), workspace: WORKSPACE, sender: SENDER, at: NOON,
        message: { _tag: 'Text', to: `4915100${String(customer).padStart(6, '0')}` as PhoneNumber, text: 'Hello' },
        price: { micros: 1n, currency: 'USD' as Currency, category: 'service' },
        queue: { dueAt: NOON - 100_000 + number, endsAt, ...(isBatch && { isBatch }), ...(hours && { hours }) },
      }))
    },
  }
  return opened
}

const numbers = (count: number, from = 0): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => from + index)

describe('The turn of a sender', () => {
  it('sends everything that is due, page by page, and nothing twice', async () => {
    const { queued, drain, sent } = world()
    for (const number of numbers(450)) await queued(number, number)
    assert.deepEqual(await drain(), { sent: 450, refused: 0, postponed: 0, left: 0, isMoreDue: false })
    assert.deepEqual(sent.toSorted((a, b) => a - b), numbers(450))
  })

  it('sends the messages of batches after all others', async () => {
    const { queued, drain, sent } = world({ width: 1 })
    for (const number of numbers(120)) await queued(number, number, { isBatch: number % 2 === 0 })
    await drain()
    assert.deepEqual(sent, [...numbers(120).filter((number) => number % 2 === 1), ...numbers(120).filter((number) => number % 2 === 0)])
  })

  it('sends to other customers before the thousandth message to one, and keeps the order of that one', async () => {
    const { queued, drain, sent } = world()
    for (const number of numbers(1_000)) await queued(number, 0)
    for (const number of numbers(50, 1_000)) await queued(number, number)
    await drain()
    const lastOther = sent.findLastIndex((number) => number >= 1_000)
    assert.isBelow(lastOther, 300)
    assert.deepEqual(sent.filter((number) => number < 1_000), numbers(1_000))
  })

  it('has no more messages under way than its width', async () => {
    let [underWay, most] = [0, 0]
    const { queued, drain } = world({
      width: 7,
      step: async (): Promise<Step> => {
        underWay += 1
        most = Math.max(most, underWay)
        await new Promise(setImmediate)
        underWay -= 1
        return 'sent'
      },
    })
    for (const number of numbers(100)) await queued(number, number)
    assert.equal((await drain()).sent, 100)
    assert.equal(most, 7)
  })

  it('spreads the messages to a customer at the limit over the time that they need, in their order, and reads each of them once then', async () => {
    const next = new Map<string, Instant>()
    const tried: number[] = []
    const { queued, drain, sent, passes, now } = world({
      step: (number, { now: clock }) => {
        tried.push(number)
        const free = next.get('0') ?? 0
        if (number >= 500) return 'sent'
        if (clock() < free) return { retryAt: free, intervalMs: 6 * SECOND_MS }
        next.set('0', clock() + 6 * SECOND_MS)
        return 'sent'
      },
    })
    for (const number of numbers(300)) await queued(number, 0)
    await queued(500, 1)
    assert.deepEqual(await drain(), { sent: 2, refused: 0, postponed: 299, left: 0, isMoreDue: false })
    // It is due now, but the earlier ones are not.
    await queued(301, 0)
    assert.equal((await drain()).postponed, 1)
    for (let second = 0; second < 1_900; second += 1) {
      passes(SECOND_MS)
      await drain()
    }
    assert.deepEqual(sent.filter((number) => number < 500), [...numbers(300), 301])
    assert.isBelow(tried.length, 330)
    assert.isAtLeast(now(), NOON + 300 * 6 * SECOND_MS)
  })

  it('keeps the order of the messages to a customer at the limit if another gateway takes the sender over', async () => {
    let free: Instant = 0
    const { queued, drain, takenOver, sent, passes, now } = world({
      step: (number, { now: clock }) => {
        if (number >= 500) return 'sent'
        if (clock() < free) return { retryAt: free, intervalMs: 6 * SECOND_MS }
        free = Math.max(free, clock() - 18 * SECOND_MS) + 6 * SECOND_MS
        return 'sent'
      },
    })
    free = now()
    for (const number of numbers(10)) await queued(number, 0)
    await drain()
    const before = sent.length
    // The other gateway has to wait for the lease. Meanwhile the limit lets several messages pass, and one more is queued, which is due before the postponed ones.
    passes(15 * SECOND_MS)
    const other = takenOver()
    await queued(115_000, 0)
    for (let second = 0; second < 120; second += 1) {
      rightOf(await other(OF, ALWAYS))
      passes(SECOND_MS)
    }
    assert.isBelow(before, 8)
    assert.deepEqual(sent, [...numbers(10), 115_000])
  })

  it('does not wait for a message that its customer gets at a later time, nor for one with hours, if another gateway takes the sender over', async () => {
    const { queued, takenOver, sent, storage } = world()
    await queued(100_001 + HOUR_MS / 2, 0)
    await queued(3, 0, { hours: rightOf(parseHours({ from: '13:00', to: '14:00' })) })
    rightOf(await storage.messageQueue.postpone([{ workspace: WORKSPACE, message: messageIdOf('000003'), dueAt: NOON + HOUR_MS / 2 }]))
    await queued(4, 0)
    rightOf(await takenOver()(OF, ALWAYS))
    assert.deepEqual(sent, [4])
  })

  it('is due at its end if the limit of its customer is free only later', async () => {
    const { queued, drain, passes, sent } = world({
      step: (_number, { now }) => (now() >= NOON + 60 * SECOND_MS ? 'refused' : { retryAt: NOON + DAY_MS, intervalMs: SECOND_MS }),
    })
    await queued(1, 1, { endsAt: NOON + 60 * SECOND_MS })
    assert.equal((await drain()).postponed, 1)
    passes(60 * SECOND_MS)
    assert.equal((await drain()).refused, 1)
    assert.isEmpty(sent)
  })

  it('sends a message that was stored late, although it had read on', async () => {
    const { queued, drain, passes, sent } = world()
    for (const number of numbers(150, 100)) await queued(number, number)
    await drain()
    await queued(1, 1)
    passes(2 * SECOND_MS)
    await drain()
    assert.equal(sent.at(-1), 1)
  })

  it('reads on behind what it has sent, and does not begin at the beginning each time', async () => {
    const reads: Array<unknown> = []
    const { queued, drain, passes } = world({
      queue: ({ due }) => ({
        due: (query) => {
          // The first turn also looks for postponed messages, which are due later.
          if (query.isBatch !== true && query.after?.id !== '') reads.push(query.after?.id)
          return due(query)
        },
      }),
    })
    for (const number of numbers(250)) await queued(number, number)
    await drain()
    passes(SECOND_MS)
    await drain()
    assert.deepEqual(reads, [undefined, 'msg_000099', 'msg_000199', 'msg_000249'])
  })

  it('leaves what failed, and what follows it to the customer, for the next turn', async () => {
    let fails = true
    const { queued, drain, sent } = world({ step: (number) => (fails && number === 2 ? 'left' : 'sent') })
    for (const number of numbers(300)) await queued(number, number % 3)
    const first = await drain()
    assert.equal(first.sent, 200)
    assert.isAtLeast(first.left, 1)
    fails = false
    assert.equal((await drain()).sent, 100)
    assert.deepEqual(sent.filter((number) => number % 3 === 2), numbers(300).filter((number) => number % 3 === 2))
  })

  it('begins nothing more once it has ended, and the next turn goes on', async () => {
    const { queued, drain, sent } = world({ width: 1 })
    for (const number of numbers(30)) await queued(number, number)
    const ended = await drain({ isHeld: () => true, hasEnded: () => sent.length >= 10 })
    assert.deepEqual([ended.sent, ended.isMoreDue, ended.left], [10, true, 0])
    assert.equal((await drain()).sent, 20)
    assert.deepEqual(sent, numbers(30))
  })

  it('is a failure if the queue cannot be read, after what was begun has ended', async () => {
    const failure = portFailure('MessageQueue')('no connection')
    const { queued, drainSender, sent } = world({
      queue: ({ due }) => ({ due: (query) => ((query.after?.id ?? '') === '' ? due(query) : Promise.resolve(E.left(failure))) }),
    })
    for (const number of numbers(150)) await queued(number, number)
    assert.deepEqual(await drainSender(OF, ALWAYS), E.left(failure))
    assert.lengthOf(sent, 100)
  })
})
