import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { Batch } from '../../../core/batches/batch.js'
import type { ConfirmError } from '../../../core/batches/use-cases.js'
import { portFailure } from '../../../core/kernel/failure.js'
import type { Currency } from '../../../core/kernel/money.js'
import { DAY_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import type { SharedHolds } from '../../../core/money/shared-holds.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { batchWorld, type BatchWorld, customer, linesTo } from './world.js'

const [TOO_LITTLE, MORE, TOTAL] = [2n, 98n, 3n]

const gate = () => {
  let open = (): void => undefined
  const opened = new Promise<undefined>((resolve) => { open = () => { resolve(undefined) } })
  return { opened, open: () => { open() } }
}

/** What other requests do between the refusal of the first request and the answer to the second. */
type Meanwhile = (race: { readonly world: BatchWorld; readonly id: Batch['id'] }) => Promise<unknown>

/**
 * Two requests confirm one batch. The first is refused, because the wallet cannot pay. Then money is added and the second reserves the total, after the first has looked for a hold and before it makes the
 * batch a draft again. The second goes on after `meanwhile`. `beforeLaterHold` is called before a third request reserves its total.
 */
const raced = async (
  meanwhile: Meanwhile = () => Promise.resolve(), beforeLaterHold: (second: Promise<unknown>) => unknown = () => undefined,
) => {
  const [isReserved, mayGoOn] = [gate(), gate()]
  let second: Promise<E.Either<ConfirmError, Batch>> | undefined
  let isLater = false
  const around = (own: SharedHolds): SharedHolds => ({
    ...own,
    hold: async (...given) => {
      if (second === undefined) return own.hold(...given)
      if (isLater) {
        await beforeLaterHold(second)
        return own.hold(...given)
      }
      isLater = true
      const held = await own.hold(...given)
      isReserved.open()
      await mayGoOn.opened
      return held
    },
    find: async (of) => {
      const found = await own.find(of)
      if (second !== undefined) return found
      await world.topUp(MORE)
      second = confirm()
      await isReserved.opened
      return found
    },
  })
  const world = await batchWorld({ balance: TOO_LITTLE, ports: ({ sharedHolds }) => ({ sharedHolds: around(sharedHolds) }) })
  const id = await world.draft(linesTo(3))
  rightOf(await world.batching.preflight(world.of(id)))
  const confirm = () => world.batching.confirm({ ...world.of(id), total: TOTAL })
  assert.equal(leftOf(await confirm())._tag, 'InsufficientBalance')
  assert.equal((await world.found(id)).state, 'draft')
  await meanwhile({ world, id })
  mayGoOn.open()
  return { world, id, second: await (second ?? assert.fail('no second request was made')) }
}

/** Nothing was sent, and what was reserved is given back. */
const isOver = async (world: BatchWorld, id: Batch['id']) => {
  await world.runAll()
  assert.equal((await world.found(id)).state, 'canceled')
  assert.isEmpty(world.sentTo())
  assert.deepEqual(await world.balance(), { available: TOO_LITTLE + MORE, held: 0n })
  assert.isEmpty(await world.brokenBooks())
}

describe('A batch whose total is reserved after another request has made it a draft again', () => {
  it('is confirmed, and sent and charged once', async () => {
    const { world, id, second } = await raced()
    assert.equal(rightOf(second).state, 'confirmed')
    assert.deepEqual(await world.balance(), { available: TOO_LITTLE + MORE - TOTAL, held: TOTAL })
    assert.equal((await world.found(id)).confirmed?.total, TOTAL)
    await world.runAll()
    assert.sameMembers([...world.sentTo()], [customer(0), customer(1), customer(2)])
    assert.deepEqual(await world.balance(), { available: TOO_LITTLE + MORE - TOTAL, held: 0n })
    assert.isEmpty(await world.brokenBooks())
  })

  it('is canceled if it has other lines by then, and holds nothing', async () => {
    const { world, id, second } = await raced(({ world: one, id: batch }) => one.add(batch, linesTo(5)))
    assert.deepEqual(leftOf(second), { _tag: 'WrongBatchState', id, state: 'canceled' })
    await isOver(world, id)
  })

  it('is canceled if other lines were confirmed by then, because its hold has the amount of the earlier ones', async () => {
    const { world, id, second } = await raced(async ({ world: one, id: batch }) => {
      await one.add(batch, linesTo(5))
      const third = await one.batching.confirm({ ...one.of(batch), total: 5n })
      assert.deepEqual(leftOf(third), { _tag: 'WrongBatchState', id: batch, state: 'canceled' })
    })
    assert.deepEqual(leftOf(second), { _tag: 'WrongBatchState', id, state: 'canceled' })
    await isOver(world, id)
  })

  it('is not reserved by the earlier request if other lines are about to be reserved, and is canceled', async () => {
    let third: Promise<E.Either<ConfirmError, Batch>> | undefined
    const isLate = gate()
    const { world, id, second } = await raced(async ({ world: one, id: batch }) => {
      await one.add(batch, linesTo(5))
      third = one.batching.confirm({ ...one.of(batch), total: 5n })
      await isLate.opened
    }, async (answer) => {
      isLate.open()
      await answer
    })
    assert.deepEqual(leftOf(second), { _tag: 'PreflightChanged', total: 5n, confirmed: TOTAL })
    assert.deepEqual(leftOf(await (third ?? assert.fail('no third request was made'))), { _tag: 'WrongBatchState', id, state: 'canceled' })
    await isOver(world, id)
  })

  it('holds nothing if the draft was canceled before the request went on, or if the request never does', async () => {
    const { world, id, second } = await raced(async ({ world: one, id: batch }) => {
      assert.deepEqual(await one.balance(), { available: TOO_LITTLE + MORE - TOTAL, held: TOTAL })
      rightOf(await one.batching.cancel(one.of(batch)))
      assert.deepEqual(await one.balance(), { available: TOO_LITTLE + MORE, held: 0n })
    })
    assert.deepEqual(leftOf(second), { _tag: 'WrongBatchState', id, state: 'canceled' })
    await isOver(world, id)
  })

  it('holds nothing a minute after the draft was canceled, even if the request has reserved the total only then, and has crashed', async () => {
    const world = await batchWorld({ balance: MORE })
    const id = await world.draft(linesTo(3))
    rightOf(await world.batching.cancel(world.of(id)))
    const { workspace, storage } = world
    const amount = { micros: TOTAL, currency: 'USD' as Currency }
    rightOf(await storage.sharedHolds.hold({ workspace, hold: id, amount, at: world.now() }))
    assert.deepEqual(await world.balance(), { available: MORE - TOTAL, held: TOTAL })
    await world.run()
    assert.isUndefined((await world.found(id)).settledAt)
    world.passes(MINUTE_MS)
    await world.run()
    assert.isDefined((await world.found(id)).settledAt)
    assert.deepEqual(await world.balance(), { available: MORE, held: 0n })
    assert.isEmpty(await world.brokenBooks())
  })
})

describe('A line whose gateway crashed when it had taken its part of the hold', () => {
  it('keeps its part although its message is opened much later, and is sent and charged once', async () => {
    let isCrashed = true
    const world = await batchWorld({
      balance: MORE,
      ports: ({ messageLog }) => ({
        messageLog: {
          ...messageLog,
          open: (draft) => (isCrashed ? Promise.resolve(E.left(portFailure('MessageLog')('it was killed'))) : messageLog.open(draft)),
        },
      }),
    })
    const id = await world.confirmed(linesTo(3))
    assert.lengthOf((await world.run()).failures, 1)
    world.passes(DAY_MS)
    await world.reconcile()
    assert.deepEqual(await world.balance(), { available: MORE - TOTAL, held: TOTAL })
    isCrashed = false
    await world.runAll()
    assert.sameMembers([...world.sentTo()], [customer(0), customer(1), customer(2)])
    assert.deepEqual(await world.balance(), { available: MORE - TOTAL, held: 0n })
    assert.isEmpty(await world.brokenBooks())
    assert.equal((await world.found(id)).state, 'done')
  })
})
