import { AsyncLocalStorage } from 'node:async_hooks'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { Batch } from '../../../core/batches/batch.js'
import type { Submitted, SubmitBatchCommand, SubmitBatchError } from '../../../core/batches/submit.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import type { BatchId } from '../../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { idempotencyKeyOf } from '../../../core/messages/message.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import type { GatewayOptions } from '../gateway.js'
import { batchWorld, type BatchWorld, customer, type GivenLine, linesTo } from './world.js'

const BALANCE = 100n
const UNREADABLE: GivenLine = E.left({ line: 9, code: 'invalid_phone_number', message: 'to is wrong' })
const LINES = [...linesTo(3), UNREADABLE]
const KEY = idempotencyKeyOf('campaign 7')

async function* stream(lines: ReadonlyArray<GivenLine>): AsyncGenerator<GivenLine> {
  for (const line of lines) yield await Promise.resolve(line)
}

type Answer = E.Either<SubmitBatchError, Submitted>

const submit = (world: BatchWorld, more: Partial<SubmitBatchCommand> = {}): Promise<Answer> => world.batching.submit({
  by: SYSTEM, workspace: world.workspace, templateName: 'order_update', language: 'en', timing: {}, confirms: true,
  linesOf: () => stream(LINES), claim: { key: KEY, request: 'to three' }, ...more,
})

/** A gateway, and how many calls of its batches and shared holds there were; `step` runs around each of them. */
const stepped = async (options: GatewayOptions = {}) => {
  let calls = 0
  let step = (call: () => Promise<unknown>, _number: number): Promise<unknown> => call()
  const around = <Port extends object>(port: Port): Port => Object.fromEntries(Object.entries(port).map(([name, method]) =>
    [name, (...given: ReadonlyArray<unknown>) => {
      calls += 1
      return step(() => (method as (...all: ReadonlyArray<unknown>) => Promise<unknown>)(...given), calls)
    }])) as Port
  const world = await batchWorld({
    balance: BALANCE, ...options,
    ports: ({ batches, sharedHolds }) => ({ batches: around(batches), sharedHolds: around(sharedHolds) }),
  })
  return {
    world,
    /** Runs some requests with a step, whose numbers begin at 1. */
    during: async <A>(one: typeof step, requests: () => Promise<A>): Promise<A> => {
      calls = 0
      step = one
      const result = await requests()
      step = (call) => call()
      return result
    },
    calls: () => calls,
  }
}

const batchesOf = async ({ storage, workspace }: BatchWorld): Promise<ReadonlyArray<Batch>> =>
  rightOf(await storage.batches.list(workspace, { limit: 100 })).items

/** Exactly one batch was confirmed, it sends each line once, and no draft is left. */
const assertSentOnce = async (world: BatchWorld, id: BatchId): Promise<void> => {
  const left = (await batchesOf(world)).filter(({ state }) => state !== 'canceled')
  assert.deepEqual(left.map((batch) => [batch.id, batch.state]), [[id, 'confirmed']])
  assert.deepEqual(await world.balance(), { available: BALANCE - 3n, held: 3n })
  await world.runAll()
  assert.sameMembers([...world.sentTo()], [customer(0), customer(1), customer(2)])
  assert.deepEqual(await world.balance(), { available: BALANCE - 3n, held: 0n })
}

/** The answer of a request that is repeated until it is not refused as one that is under way. */
const insisted = async (world: BatchWorld, more?: Partial<SubmitBatchCommand>): Promise<Submitted> => {
  for (let again = 0; again < 5; again++) {
    const answer = await submit(world, more)
    if (E.isRight(answer) || answer.left._tag !== 'IdempotencyInProgress') return rightOf(answer)
  }
  return assert.fail('the request stays in progress')
}

describe('A repeated request for a batch', () => {
  it('gets the batch of the first one, and changes nothing, even after its times have passed', async () => {
    const { world } = await stepped()
    const timing = { until: world.now() + HOUR_MS }
    const { isReplayed, ...first } = rightOf(await submit(world, { timing }))
    assert.deepEqual([isReplayed, first.batch.state, first.recipients, first.unreadable], [undefined, 'confirmed', 4, 1])
    const entries = async () => rightOf(await world.storage.auditLog.list({ limit: 100 })).items.length
    const before = await entries()
    assert.deepEqual(rightOf(await submit(world, { timing })), { ...first, isReplayed: true })
    assert.equal(await entries(), before)
    await assertSentOnce(world, first.batch.id)
    world.passes(40 * DAY_MS)
    const late = rightOf(await submit(world, { timing }))
    assert.deepEqual([late.batch.id, late.batch.state, late.recipients, late.isReplayed], [first.batch.id, 'done', 4, true])
    assert.lengthOf(world.sent, 3)
  })

  it('is refused if its key belongs to another request, and makes another batch with another key, or without one', async () => {
    const { world } = await stepped()
    const { batch: { id } } = rightOf(await submit(world))
    assert.deepEqual(leftOf(await submit(world, { claim: { key: KEY, request: 'to four' } })), { _tag: 'IdempotencyKeyReused' })
    const claim = { key: idempotencyKeyOf('campaign 8'), request: 'to three' }
    const others = [await submit(world, { claim }), await submit(world, { claim: undefined })]
    assert.lengthOf(new Set([id, ...others.map((other) => rightOf(other).batch.id)]), 3)
  })

  it('stores no key and no request, only digests', async () => {
    const { world } = await stepped()
    const { batch } = rightOf(await submit(world))
    assert.match(`${batch.request?.key} ${batch.request?.digest}`, /^[0-9a-f]{64} [0-9a-f]{64}$/)
    assert.notInclude(JSON.stringify(batch, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)), KEY)
  })

  it('is tried again after a refusal, which cancels its draft', async () => {
    const { world } = await stepped({ balance: 2n })
    for (const _ of [1, 2]) assert.equal(leftOf(await submit(world))._tag, 'InsufficientBalance')
    assert.deepEqual((await batchesOf(world)).map(({ state }) => state), ['canceled', 'canceled'])
    await world.topUp(98n)
    const { batch } = rightOf(await submit(world))
    assert.equal(rightOf(await submit(world)).batch.id, batch.id)
    await assertSentOnce(world, batch.id)
  })

  it('gets a batch that was canceled after its confirmation, and sends nothing', async () => {
    const { world } = await stepped()
    const { batch: { id } } = rightOf(await submit(world))
    rightOf(await world.batching.cancel(world.of(id)))
    const { batch, isReplayed } = rightOf(await submit(world))
    assert.deepEqual([batch.id, batch.state, isReplayed], [id, 'canceled', true])
    await world.runAll()
    assert.isEmpty(world.sent)
  })

  it('leaves the recipients of a draft that were replaced since', async () => {
    const { world } = await stepped()
    const { batch: { id } } = rightOf(await submit(world, { confirms: false }))
    rightOf(await world.add(id, linesTo(1, 7)))
    const again = rightOf(await submit(world, { confirms: false }))
    assert.deepEqual([again.batch.id, again.recipients, again.isReplayed], [id, 1, true])
  })

  it('leaves the recipients that replaced its own while it was late', async () => {
    const { during, calls, world } = await stepped()
    await during((call) => call(), () => submit(world, { confirms: false }))
    for (let meeting = 1; meeting <= calls(); meeting++) {
      const one = await stepped()
      let replaced: BatchId | undefined
      await one.during(async (call, number) => {
        if (number === meeting) {
          const { batch: { id } } = rightOf(await submit(one.world, { confirms: false }))
          await one.world.add(id, linesTo(1, 7))
          replaced = id
        }
        return call()
      }, () => submit(one.world, { confirms: false }))
      const { batch: { id }, recipients } = await insisted(one.world, { confirms: false })
      assert.deepEqual([id, recipients], [replaced, 1])
    }
  })

  for (const [when, isLost] of [['before', false], ['after', true]] as const) {
    it(`completes the first one, ${when} whichever step that one broke off`, async () => {
      const { during, calls, world } = await stepped()
      await during((call) => call(), () => submit(world))
      const all = calls()
      assert.isAbove(all, 8)
      for (let last = 1; last <= all; last++) {
        const one = await stepped()
        const broken = await one.during(async (call, number) => {
          if (number < last) return call()
          if (number === last && isLost) await call()
          throw new Error('the process is gone')
        }, () => submit(one.world))
        if (E.isRight(broken)) continue
        assert.equal(broken.left._tag, 'PortFailure')
        const { batch } = rightOf(await submit(one.world))
        await assertSentOnce(one.world, batch.id)
        assert.lengthOf(await batchesOf(one.world), 1)
      }
    })
  }

  it('completes the first one if the job has given up its total meanwhile', async () => {
    const { during, world } = await stepped({ balance: 2n })
    const holds: Array<number> = []
    await during(async (call, number) => {
      const answer = await call() as E.Either<{ readonly _tag: string }, unknown>
      // The hold is refused, and the process ends before the batch is a draft again.
      if (E.isLeft(answer) && answer.left._tag === 'InsufficientBalance') holds.push(number)
      if (holds.length > 0) throw new Error('the process is gone')
      return answer
    }, () => submit(world))
    assert.lengthOf(holds, 1)
    assert.equal((await batchesOf(world))[0]?.state, 'confirmed')
    world.passes(MINUTE_MS)
    await world.run()
    assert.equal((await batchesOf(world))[0]?.state, 'draft')
    await world.topUp(98n)
    await assertSentOnce(world, rightOf(await submit(world)).batch.id)
  })

  it('makes one batch together with an identical request, at whichever step the two meet', async () => {
    const { during, calls, world } = await stepped()
    await during((call) => call(), () => submit(world))
    for (let meeting = 1; meeting <= calls(); meeting++) {
      const one = await stepped()
      const answers: Array<Answer> = []
      await one.during(async (call, number) => {
        // The first request waits before this step until the second one is answered.
        if (number === meeting) answers.push(await submit(one.world))
        return call()
      }, async () => { answers.push(await submit(one.world)) })
      await assertOne(one.world, answers)
    }
  })

  it('makes one batch however many there are at the same time', async () => {
    for (let requests = 2; requests < 6; requests++) {
      const { world } = await stepped()
      await assertOne(world, await Promise.all(Array.from({ length: requests }, () => submit(world))))
    }
  })

  it('makes one batch at the same time as a refused one, once there is money', async () => {
    const { during, calls, world } = await stepped({ balance: 2n })
    await during((call) => call(), () => submit(world))
    for (let meeting = 1; meeting <= calls(); meeting++) {
      const one = await stepped({ balance: 2n })
      const answers: Array<Answer> = []
      await one.during(async (call, number) => {
        if (number === meeting) {
          await one.world.topUp(98n)
          answers.push(await submit(one.world))
        }
        return call()
      }, async () => { answers.push(await submit(one.world)) })
      await assertOne(one.world, answers)
    }
  })

  it('reserves money once beside a request that is refused, at whichever step one waits for the other', async () => {
    const names = new AsyncLocalStorage<'first' | 'second'>()
    const { during, calls, world } = await stepped({ balance: 2n })
    await during((call) => call(), () => submit(world))
    const all = calls()
    for (let meeting = 1; meeting <= all; meeting++) for (let waiting = 1; waiting <= all; waiting++) {
      const one = await stepped({ balance: 2n })
      const counts = { first: 0, second: 0 }
      const [isRefused, isWaiting] = [gate(), gate()]
      let second: Promise<Answer> | undefined
      const first = await one.during(async (call) => {
        const name = names.getStore() ?? 'first'
        counts[name] += 1
        // The first one waits until the second one waits, which then waits until the first one is answered.
        if (name === 'first' && counts.first === meeting) {
          await one.world.topUp(98n)
          second = names.run('second', () => submit(one.world)).finally(isWaiting.open)
          await isWaiting.opened
        }
        if (name === 'second' && counts.second === waiting) {
          isWaiting.open()
          await isRefused.opened
        }
        return call()
      }, async () => {
        const answer = await names.run('first', () => submit(one.world))
        isRefused.open()
        return [answer, ...(second === undefined ? [] : [await second])]
      })
      await assertOne(one.world, first)
    }
  })

  it('makes one draft of the recipients of an earlier batch', async () => {
    const { world } = await stepped()
    const earlier = await world.confirmed(linesTo(3))
    rightOf(await world.batching.cancel(world.of(earlier)))
    await world.runAll()
    const more = { from: { batch: earlier, states: ['unsent'] }, linesOf: undefined } as const
    const answers = await Promise.all([submit(world, more), submit(world, more)])
    const { batch: { id } } = await insisted(world, more)
    for (const answer of answers) {
      if (E.isRight(answer)) assert.equal(answer.right.batch.id, id)
      else assert.equal(answer.left._tag, 'IdempotencyInProgress')
    }
    await world.runAll()
    assert.lengthOf(world.sent, 3)
  })
})

/** What some wait for until others open it. */
const gate = () => {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => { open = resolve })
  return { opened, open: () => { open() } }
}

/** Each answer is the one batch or says that the outcome is not known yet, and the next request gets that batch. */
const assertOne = async (world: BatchWorld, answers: ReadonlyArray<Answer>): Promise<void> => {
  const { batch: { id } } = await insisted(world)
  for (const answer of answers) {
    if (E.isRight(answer)) assert.deepEqual([answer.right.batch.id, answer.right.batch.state], [id, 'confirmed'])
    else if (answer.left._tag === 'IdempotencyInProgress') continue
    else {
      // What is confirmed must not be refused.
      assert.equal(answer.left._tag, 'InsufficientBalance')
      assert.isTrue((await batchesOf(world)).some(({ state }) => state === 'canceled'), 'a batch of the refused request was canceled')
    }
  }
  await assertSentOnce(world, id)
}
