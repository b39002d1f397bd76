import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { Forecast } from '../../../core/batches/forecast.js'
import type { ResultState } from '../../../core/batches/results.js'
import type { PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { batchResultView, type BatchResultView } from '../../../core/explanations/batch-results.js'
import type { BatchId } from '../../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { NOON, TEMPLATE_PRICE, UTILITY_PRICE } from '../gateway.js'
import { batchWorld, type BatchWorld, customer, type GivenLine, linesTo } from './world.js'

const BALANCE = 100_000_000n

describe('A batch', () => {
  it('is checked, confirmed with its total, sent once to each customer, and charged exactly', async () => {
    const world = await batchWorld()
    const id = await world.draft(linesTo(30))
    const preflight = rightOf(await world.batching.preflight(world.of(id)))
    assert.deepEqual([preflight.recipients, preflight.sendable, preflight.total], [30, 30, 30n * UTILITY_PRICE])
    assert.equal(preflight.availableAfter, BALANCE - 30n)
    rightOf(await world.batching.confirm({ ...world.of(id), total: preflight.total }))
    assert.deepEqual(await world.balance(), { available: BALANCE - 30n, held: 30n })
    await world.runAll()
    assert.sameMembers(world.sentTo(), Array.from({ length: 30 }, (_, index) => customer(index)))
    assert.equal((await world.found(id)).state, 'done')
    assert.deepEqual(await world.balance(), { available: BALANCE - 30n, held: 0n })
    assert.isEmpty(await world.brokenBooks())
  })

  it('sends more lines than wait in the queue at once, and each once', async () => {
    const world = await batchWorld()
    const id = await world.confirmed(linesTo(4_500))
    await world.runAll()
    assert.equal(new Set(world.sentTo()).size, 4_500)
    assert.lengthOf(world.sent, 4_500)
    assert.equal((await world.found(id)).state, 'done')
  }).timeout(20_000)

  it('leaves out lines with a problem, and names the problems with the lines of the file', async () => {
    const world = await batchWorld()
    await world.storage.consents.record(world.workspace, [
      { ids: [customer(1)], fact: { topic: 'marketing', status: 'withdrawn', since: NOON - HOUR_MS, source: 'word' } },
    ]).then(rightOf)
    const lines: ReadonlyArray<GivenLine> = [
      ...linesTo(3), E.right({ line: 5, to: customer(0) }), E.right({ line: 6, to: 'abc' as PhoneNumber }),
      E.left({ line: 7, code: 'number_in_scientific_notation', message: 'Format the column as text', to: '4.91E+12' }),
    ]
    const id = await world.draft(lines, { templateName: 'sale' })
    const { problems, sendable, total, recipients } = rightOf(await world.batching.preflight(world.of(id)))
    assert.deepEqual(problems.map(({ code, lines: at }) => [code, ...at]).sort(), [
      ['customer_opted_out', 3], ['duplicate_recipient', 5], ['invalid_phone_number', 6], ['number_in_scientific_notation', 7],
    ])
    assert.deepEqual([recipients, sendable, total], [6, 2, 2n * TEMPLATE_PRICE])
    await world.confirm(id)
    await world.runAll()
    assert.sameMembers(world.sentTo(), [customer(0), customer(2)])
  })

  it('sends nothing to a customer who stopped it after it was confirmed, and gives that price back', async () => {
    const world = await batchWorld()
    const id = await world.confirmed(linesTo(3), { templateName: 'sale' })
    await world.run()
    await world.storage.consents.record(world.workspace, [
      { ids: [customer(1)], fact: { topic: 'all', status: 'withdrawn', since: world.now(), source: 'word' } },
    ]).then(rightOf)
    await world.runAll()
    assert.sameMembers(world.sentTo(), [customer(0), customer(2)])
    const states = [...(await world.counts(id)).states].map(([state, { lines }]) => [state, lines])
    assert.sameDeepMembers(states, [['accepted', 2], ['refused', 1]])
    assert.deepEqual(await world.balance(), { available: BALANCE - 2n * TEMPLATE_PRICE, held: 0n })
    assert.equal((await world.found(id)).state, 'done')
  })

  it('is not confirmed with another total, with nothing to send, or without enough money, and is a draft then', async () => {
    const world = await batchWorld({ balance: 2n })
    const id = await world.draft(linesTo(3))
    assert.equal(leftOf(await world.batching.confirm({ ...world.of(id), total: 4n }))._tag, 'PreflightChanged')
    assert.equal(leftOf(await world.batching.confirm({ ...world.of(id), total: 3n }))._tag, 'InsufficientBalance')
    assert.deepEqual(await world.balance(), { available: 2n, held: 0n })
    const { state, confirmed } = await world.found(id)
    assert.deepEqual([state, confirmed], ['draft', undefined])
    await world.topUp(10n)
    rightOf(await world.batching.confirm({ ...world.of(id), total: 3n }))
    assert.deepEqual(await world.balance(), { available: 9n, held: 3n })
    const empty = await world.draft([])
    assert.equal(leftOf(await world.batching.confirm({ ...world.of(empty), total: 0n }))._tag, 'NothingToSend')
  })

  it('is confirmed once, however often and however simultaneously that is requested', async () => {
    const world = await batchWorld({ broker: true })
    const id = await world.draft(linesTo(3))
    const confirm = () => world.batching.confirm({ ...world.of(id), total: 3n })
    const answers = await Promise.all([confirm(), confirm(), confirm()])
    for (const answer of answers) assert.equal(rightOf(answer).state, 'confirmed')
    rightOf(await confirm())
    assert.deepEqual(await world.balance(), { available: BALANCE - 3n, held: 3n })
    assert.equal(leftOf(await world.batching.confirm({ ...world.of(id), total: 4n }))._tag, 'PreflightChanged')
    await world.runAll()
    rightOf(await confirm())
    assert.lengthOf(world.sent, 3)
    const types = (await world.events()).map(({ type }) => type)
    assert.deepEqual(types.filter((type) => type.startsWith('batch.')), ['batch.confirmed', 'batch.done'])
  })

  it('keeps its lines once it is confirmed, and replaces them before', async () => {
    const world = await batchWorld()
    const id = await world.draft(linesTo(5))
    rightOf(await world.add(id, linesTo(2, 100)))
    await world.confirm(id)
    assert.deepEqual(leftOf(await world.add(id, linesTo(1))), { _tag: 'WrongBatchState', id, state: 'confirmed' })
    await world.runAll()
    assert.sameMembers(world.sentTo(), [customer(100), customer(101)])
  })

  it('keeps its earlier lines if a file cannot be read to its end', async () => {
    const world = await batchWorld()
    const id = await world.draft(linesTo(2))
    const broken: GivenLine = E.left({ line: 4, code: 'not_utf8', message: 'Save the file as UTF-8', isLast: true })
    assert.equal(leftOf(await world.add(id, [...linesTo(2, 50), broken]))._tag, 'UnreadableFile')
    await world.confirm(id)
    await world.runAll()
    assert.sameMembers(world.sentTo(), [customer(0), customer(1)])
  })

  it('is paused and resumed, and what was queued waits meanwhile', async () => {
    const world = await batchWorld()
    const id = await world.confirmed(linesTo(10))
    await world.run()
    rightOf(await world.batching.pause(world.of(id)))
    await world.runAll()
    assert.isEmpty(world.sent)
    assert.equal((await world.found(id)).pausedBecause, 'person')
    rightOf(await world.batching.resume(world.of(id)))
    world.passes(MINUTE_MS)
    await world.runAll()
    assert.lengthOf(world.sent, 10)
    assert.equal((await world.found(id)).state, 'done')
  })

  it('is canceled: nothing more is sent, and all that was not charged is given back', async () => {
    const world = await batchWorld({ senderLimit: { perSecond: 5, maxWaitMs: 0 } })
    const id = await world.confirmed(linesTo(20))
    await world.run()
    rightOf(await world.batching.cancel(world.of(id)))
    rightOf(await world.batching.cancel(world.of(id)))
    await world.runAll()
    assert.isEmpty(world.sent)
    const { state, settledAt } = await world.found(id)
    assert.equal(state, 'canceled')
    assert.isDefined(settledAt)
    assert.deepEqual(await world.balance(), { available: BALANCE, held: 0n })
    assert.isEmpty(await world.brokenBooks())
    assert.equal(leftOf(await world.batching.resume(world.of(id)))._tag, 'WrongBatchState')
  })

  it('can be canceled as a draft, which nothing is held for', async () => {
    const world = await batchWorld()
    const id = await world.draft(linesTo(2))
    rightOf(await world.batching.cancel(world.of(id)))
    assert.equal(leftOf(await world.batching.confirm({ ...world.of(id), total: 2n }))._tag, 'WrongBatchState')
  })

  it('waits for its time, and ends what its end prevents', async () => {
    const world = await batchWorld()
    const id = await world.confirmed(linesTo(3), { timing: { sendAt: NOON + HOUR_MS, until: NOON + 2 * HOUR_MS } })
    await world.runAll()
    assert.isEmpty(world.sent)
    world.passes(2 * HOUR_MS)
    await world.runAll()
    assert.isEmpty(world.sent)
    assert.equal((await world.found(id)).state, 'done')
    assert.deepEqual([...(await world.counts(id)).problems], [['queue_expired', 3]])
    assert.deepEqual(await world.balance(), { available: BALANCE, held: 0n })
  })

  it('sends its first wave, waits, and goes on by itself, or when it is resumed', async () => {
    for (const byHand of [false, true]) {
      const world = await batchWorld()
      const id = await world.confirmed(linesTo(20), { firstWave: { recipients: 5, waitMs: HOUR_MS } })
      await world.runAll()
      assert.lengthOf(world.sent, 5)
      if (byHand) rightOf(await world.batching.resume(world.of(id)))
      else world.passes(HOUR_MS)
      await world.runAll()
      assert.lengthOf(world.sent, 20)
      assert.equal((await world.found(id)).state, 'done')
    }
  })

  it('pauses itself when one failure is too frequent, and its brake starts anew once it is resumed', async () => {
    const world = await batchWorld({ broker: true })
    const refused = () => Promise.resolve({ _tag: 'PlatformRejected', error: { code: 131_026, message: 'Undeliverable' } } as const)
    world.willAnswer(...Array.from({ length: 3_000 }, () => refused))
    const id = await world.confirmed(linesTo(3_000))
    await world.runAll()
    const paused = await world.found(id)
    assert.deepEqual([paused.state, paused.pausedBecause], ['paused', 'failures'])
    assert.isBelow(world.sent.length, 3_000)
    const [event] = (await world.events()).filter(({ type }) => type === 'batch.paused')
    assert.equal(event?.data['paused_because'], 'failures')
    rightOf(await world.batching.resume(world.of(id)))
    await world.run()
    assert.equal((await world.found(id)).state, 'sending')
  }).timeout(20_000)

  it('shares the sender with another batch, and messages of their own go before both', async () => {
    const world = await batchWorld({ senderLimit: { perSecond: 10, maxWaitMs: 0 } })
    await world.confirmed(linesTo(1_000))
    await world.confirmed(linesTo(1_000, 5_000))
    await world.run()
    rightOf(await world.scheduleTemplate({ to: customer(9_000) }))
    const due = await world.storage.messageQueue.sendersDue({ at: world.now(), limit: 10 }).then(rightOf)
    assert.lengthOf(due, 1)
    const [one] = due
    const waiting = await world.storage.messageQueue.due({
      workspace: world.workspace, sender: one?.sender ?? '', at: world.now(), limit: 2_000, isBatch: true,
    }).then(rightOf)
    const batches = new Set(waiting.map(({ place }) => place.batch))
    assert.equal(batches.size, 2)
  })

  it('leaves through the new id of a number that moves while it runs, and lines to user ids are refused', async () => {
    const world = await batchWorld()
    const { storage, workspace, phoneNumberId: sender, batching } = world
    const userId = 'DE.123456789' as UserId
    const batch = await world.confirmed([...linesTo(4), E.right({ line: 9, to: userId })], { firstWave: { recipients: 2, waitMs: 1 } })
    await world.runAll()
    const by = { phoneNumberId: senderIdOf('990540352242922'), accessToken: 'token', businessAccountId: undefined }
    rightOf(await storage.senders.replace({ workspace, sender }, by, world.now()))
    rightOf(await batching.resume(world.of(batch)))
    await world.runAll()
    const { state, sender: present } = await world.found(batch)
    const { items } = rightOf(await storage.messageLog.list(workspace, { limit: 9 }))
    const outcomes = items.map(({ to, state, sender: through }) => `${to} ${state} ${through}`)
    assert.deepEqual([state, present], ['done', by.phoneNumberId])
    assert.sameMembers(outcomes, [
      ...[0, 1].map((index) => `${customer(index)} accepted ${sender}`),
      ...[2, 3].map((index) => `${customer(index)} accepted ${by.phoneNumberId}`), `${userId} refused ${sender}`,
    ])
  })

  it('is confirmed by the job if its process crashed before the total was reserved', async () => {
    const world = await batchWorld()
    const id = await world.draft(linesTo(2))
    const [{ upload }, at] = [await world.found(id), world.now()]
    rightOf(await world.batching.preflight(world.of(id)))
    await world.storage.batches.change({
      workspace: world.workspace, batch: id, from: ['draft'], upload,
      set: { state: 'confirmed', confirmed: { at, total: 2n, currency: 'USD' as never, sendable: 2, parts: [] } },
    }).then(rightOf)
    assert.equal(leftOf(await world.batching.cancel(world.of(id)))._tag, 'WrongBatchState')
    await world.run()
    assert.isEmpty(world.sent)
    world.passes(MINUTE_MS)
    await world.run()
    assert.deepEqual(await world.balance(), { available: BALANCE - 2n, held: 2n })
    await world.runAll()
    assert.lengthOf(world.sent, 2)
    assert.deepEqual(await world.balance(), { available: BALANCE - 2n, held: 0n })
  })
})

describe('The forecast of a batch', () => {
  const forecast = async (count: number, options: Parameters<typeof batchWorld>[0] = {}): Promise<Forecast> => {
    const world = await batchWorld(options)
    return rightOf(await world.batching.preflight(world.of(await world.draft(linesTo(count), { templateName: 'sale' }))))
  }

  it('says how many days the limit of customers demands, and the earliest end', async () => {
    const limits = { customersPerDay: 250, senderLimit: { perSecond: 10, maxWaitMs: 0 } }
    const { daysNeeded, earliestEnd, days, warnings } = await forecast(600, limits)
    assert.equal(daysNeeded, 3)
    assert.equal(earliestEnd, NOON + 2 * (DAY_MS + MINUTE_MS) + 10_000)
    assert.deepEqual(days, [250, 250, 100].map((lines, day) => ({ lines, from: NOON + day * (DAY_MS + MINUTE_MS) })))
    assert.deepInclude(warnings, { code: 'more_than_a_day', perDay: 250, used: 0 })
  })

  it('warns of a template that no batch has used, and of a price that is another than in the last batch', async () => {
    assert.deepEqual((await forecast(2)).warnings, [{ code: 'first_use' }])
    const world = await batchWorld()
    await world.confirmed(linesTo(2))
    const again = await world.draft(linesTo(2, 10))
    assert.deepEqual(rightOf(await world.batching.preflight(world.of(again))).warnings, [])
  })
})

describe('The results of a batch', () => {
  it('say for each line of the file what became of it, why, what to do, and what was charged', async () => {
    const world = await batchWorld()
    const lines: ReadonlyArray<GivenLine> = [...linesTo(3), E.right({ line: 5, to: customer(0) })]
    const id = await world.confirmed(lines)
    const refused = () => Promise.resolve({ _tag: 'PlatformRejected', error: { code: 131_026, title: 'Undeliverable' } } as const)
    world.willAnswer(refused)
    await world.runAll()
    const [, second] = await world.messages()
    world.passes(MINUTE_MS)
    if (second !== undefined) await world.receive(world.status(second.id, 'read'))
    const views = await resultsOf(world, id)
    assert.deepEqual(views.map(({ line, state, code, price }) => [line, state, code, price]), [
      [2, 'refused', 131_026, '0.000000'], [3, 'read', null, '0.000001'], [4, 'accepted', null, '0.000001'],
      [5, 'left_out', 'duplicate_recipient', '0.000000'],
    ])
    assert.isString(views[0]?.cure)
    assert.isString(views[3]?.reason)
    assert.equal(views[1]?.read_at, new Date(world.now()).toISOString())
    assert.isNull(views[2]?.read_at)
  })

  it('can be those of some states, and tell who wrote and who stopped since', async () => {
    const world = await batchWorld()
    const id = await world.confirmed(linesTo(3))
    assert.lengthOf(await resultsOf(world, id, ['waiting']), 3)
    await world.runAll()
    world.passes(MINUTE_MS)
    await world.storage.windowClock.recordInbound(world.workspace, { phoneNumber: customer(0) }, world.now()).then(rightOf)
    await world.storage.consents.record(world.workspace, [
      { ids: [customer(1)], fact: { topic: 'marketing', status: 'withdrawn', since: world.now(), source: 'word' } },
    ]).then(rightOf)
    const sent = await resultsOf(world, id, ['accepted'])
    const now = new Date(world.now()).toISOString()
    assert.deepEqual(sent.map((one) => [one.replied_at, one.opted_out_at]), [[now, null], [null, now], [null, null]])
    assert.lengthOf(await resultsOf(world, id, ['left_out', 'failed']), 0)
  })
})

const resultsOf = async (world: BatchWorld, id: BatchId, states?: ReadonlyArray<ResultState>): Promise<ReadonlyArray<BatchResultView>> => {
  const { results } = rightOf(await world.batching.readResults({ ...world.of(id), states }))
  const views: Array<BatchResultView> = []
  for await (const result of results) views.push(batchResultView(rightOf(result)))
  return views
}
