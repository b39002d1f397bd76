import { assert } from 'chai'
import type * as E from 'fp-ts/lib/Either.js'
import type { Batch } from '../../../core/batches/batch.js'
import type { ConfirmError } from '../../../core/batches/use-cases.js'
import type { SharedHolds } from '../../../core/money/shared-holds.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { batchWorld, type BatchWorld, customer, linesTo } from './world.js'

const [TOO_LITTLE, MORE, TOTAL] = [2n, 98n, 3n]

const gate = () => {
  let open = (): void => undefined
  const opened = new Promise<undefined>((resolve) => { open = () => { resolve(undefined) } })
  return { opened, open: () => { open() } }
}

/**
 * Two requests confirm one batch. The first is refused, because the wallet cannot pay. Then money is added and the second reserves the total, after the first has looked for a hold and before it makes the
 * batch a draft again. The second goes on after `meanwhile`.
 */
const raced = async (meanwhile: (world: BatchWorld, batch: Batch['id']) => Promise<unknown> = () => Promise.resolve()) => {
  const [isReserved, isDraft] = [gate(), gate()]
  let second: Promise<E.Either<ConfirmError, Batch>> | undefined
  const around = (own: SharedHolds): SharedHolds => ({
    ...own,
    hold: async (...given) => {
      const held = await own.hold(...given)
      if (second === undefined) return held
      isReserved.open()
      await isDraft.opened
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
  await meanwhile(world, id)
  isDraft.open()
  return { world, id, second: await (second ?? assert.fail('no second request was made')) }
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
    const { world, id, second } = await raced((one, batch) => one.add(batch, linesTo(5)))
    assert.deepEqual(leftOf(second), { _tag: 'WrongBatchState', id, state: 'canceled' })
    assert.equal((await world.found(id)).state, 'canceled')
    assert.deepEqual(await world.balance(), { available: TOO_LITTLE + MORE, held: 0n })
    await world.runAll()
    assert.isEmpty(world.sentTo())
    assert.isEmpty(await world.brokenBooks())
  })
})
