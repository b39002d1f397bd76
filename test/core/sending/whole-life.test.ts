import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { PlatformError } from '../../../core/kernel/failure.js'
import { HOUR_MS } from '../../../core/kernel/time.js'
import { type IdempotencyKey, merge, type MessageId, type MessageState, moneyMove, type Sent } from '../../../core/messages/message.js'
import type { StatusReport } from '../../../core/reports/status.js'
import { makeReconcile } from '../../../core/sending/reconcile.js'
import type { SendTemplateError } from '../../../core/sending/send.js'
import { done, rightOf } from '../../support/right-of.js'
import { inOrder } from '../delivery-orders.js'
import { makeFaultyPorts } from '../fault-injection.js'
import { gateway, RELEASE_AFTER_MS, TEMPLATE_PRICE } from '../gateway.js'
import { type Fate, type Reported, scenario, type Scenario, type SendStep, type Step } from '../scenario.js'
import { platformIdOf, REJECTED, THROTTLED, UNKNOWN, UNREACHABLE } from '../../support/scripted-platform.js'

const OPENING = 12n * TEMPLATE_PRICE
const KEY_GUARDS_MS = 24 * HOUR_MS

const ANSWERS: Record<Exclude<Fate, 'dies_accepted' | 'dies_unsent'>, PlatformError | 'accept'> = {
  accepted: 'accept', rejected: REJECTED, throttled: THROTTLED, unreachable: UNREACHABLE, accepted_unheard: UNKNOWN, lost: UNKNOWN,
}

/** A message as the platform knows it. */
type Truth = { readonly step: SendStep; readonly id: MessageId; readonly at: number; readonly reports: ReadonlyArray<StatusReport> }

type Outcome = E.Either<SendTemplateError, Sent> | 'died'

/** Runs a schedule to its end, and gives what there was to know of it. */
const run = async ({ steps, faults, ranks }: Scenario) => {
  const { ports, stopFailing: repair, proven } = makeFaultyPorts(faults)
  const gw = await gateway({ balance: OPENING, ports, broker: true })
  const reconcile = makeReconcile(gw.deps)
  const accepted: Truth[] = []
  const outcomes: Outcome[] = []
  let paidIn = OPENING

  const answer = async (step: SendStep, id: MessageId): Promise<void> => {
    if (step.fate !== 'accepted' && step.fate !== 'accepted_unheard' && step.fate !== 'dies_accepted') return
    const reports = step.life.map((state, index) =>
      gw.status(step.echoed ? id : undefined, state, { platformId: platformIdOf({ id }), change: { state, at: gw.now() + index } }),
    )
    accepted.push({ step, id, at: gw.now(), reports })
    if (step.early) await gw.receive(...reports)
  }

  const send = async (step: SendStep): Promise<Outcome> => {
    let die = (): void => {}
    const death = new Promise<'died'>((resolve) => { die = () => resolve('died') })
    gw.willNextAnswer(async ({ id }) => {
      await answer(step, id)
      if (step.fate !== 'dies_accepted' && step.fate !== 'dies_unsent') return ANSWERS[step.fate]
      die()
      return new Promise(() => {})
    })
    const outcome = await Promise.race([gw.sendTemplate({ ...(step.key && { idempotencyKey: step.key as IdempotencyKey }) }), death])
    if (outcome === 'died') gw.later.splice(0)
    return outcome
  }

  const take = async (step: Step): Promise<void> => {
    switch (step._tag) {
      case 'Send':
        outcomes.push(await send(step))
        return
      case 'Report': {
        const all = accepted.flatMap(({ reports }) => reports)
        const reports = all.length === 0 ? [] : step.picks.map((pick) => all[pick % all.length]!)
        await Promise.all([gw.receive(...reports), ...(step.reconciling ? [reconcile()] : [])])
        return
      }
      case 'Reconcile':
        await Promise.all(Array.from({ length: step.times }, () => reconcile()))
        return
      case 'Retry': {
        const work = gw.later.splice(0)
        const tried = await Promise.all(work.map((one) => one()))
        gw.later.push(...work.filter((_, index) => tried[index]?._tag === 'Left'))
        return
      }
      case 'Crash':
        gw.later.splice(0)
        return
      case 'TopUp':
        paidIn += TEMPLATE_PRICE
        await gw.topUp(TEMPLATE_PRICE)
        return
      case 'Pass':
        // What is to be tried again is written or given up long before a message would be released.
        if (step.ms > HOUR_MS) gw.later.splice(0)
        gw.passes(step.ms)
    }
  }

  for (const step of steps) {
    await take(step)
    // A message and its money may differ until the end; no wallet and its entries ever do.
    assert.isEmpty((await done(gw.storage.ledger.audit())).broken, `after ${step._tag}`)
  }

  repair()
  gw.passes(HOUR_MS)
  const heard = new Set<MessageId>()
  for (const { id, reports, step } of inOrder(accepted, ranks)) {
    for (const report of inOrder(reports, ranks)) {
      const [receipt] = rightOf(await gw.receive(report))
      if (receipt === 'message_moved') heard.add(id)
      else assert.isFalse(step.echoed, 'a report with our own id always finds its message')
    }
  }
  gw.passes(RELEASE_AFTER_MS + 1)
  await gw.reconcile()
  return { gw, accepted, outcomes, heard, proven, paidIn }
}

/** What a platform's life of a message comes to. */
const endOf = (life: ReadonlyArray<Reported>): MessageState => life.reduce<MessageState>(merge, 'accepted')

const check = async (plan: Scenario): Promise<void> => {
  const { gw, accepted, outcomes, heard, proven, paidIn } = await run(plan)
  const truths = new Map(accepted.map((truth) => [truth.id, truth]))
  const messages = await gw.messages()
  const entries = (await done(gw.storage.ledger.statement(gw.workspace, { limit: 100_000 }))).items
  const charged = (id: MessageId): bigint =>
    entries
      .filter(({ message }) => message === id)
      .reduce((sum, { kind, micros }) => (kind === 'capture' ? sum + micros : kind === 'refund' ? sum - micros : sum), 0n)

  let spent = 0n
  for (const { id, state } of messages) {
    const truth = truths.get(id)
    const known = truth !== undefined && (heard.has(id) || proven.has(id))
    const expected = !known ? undefined : heard.has(id) ? endOf(truth.step.life) : 'accepted'
    assert.isTrue(
      expected === undefined ? state === 'refused' || state === 'released' : state === expected,
      `${state}, expected ${expected ?? 'not sent'}`,
    )
    const price = expected !== undefined && moneyMove(expected) === 'capture' ? TEMPLATE_PRICE : 0n
    assert.equal(charged(id), price, `a message that ended ${state}`)
    spent += price
  }
  assert.deepEqual(await gw.balance(), { available: paidIn - spent, held: 0n })
  assert.isEmpty(await gw.brokenBooks())

  const events = (await gw.events()).filter(({ type }) => type.startsWith('message.'))
  for (const message of messages) {
    const emitted = events.filter(({ subject }) => subject === message.id).map(({ data }) => data['state'] as MessageState)
    assert.deepEqual(emitted.at(-1), message.state, 'the last event is of the state in which the message is')
    assert.isTrue(
      emitted.every((state, index) => merge(emitted[index - 1] ?? 'pending', state) === state && state !== emitted[index - 1]),
      `no event tells what did not happen: ${emitted.join(', ')}`,
    )
  }
  assert.sameMembers(
    [...new Set(events.map(({ subject }) => subject))], messages.map(({ id }) => id), 'events are of messages that there are',
  )

  // A reply never says that a message went which did not, nor that one did not which may have.
  const accountedFor = new Set<MessageId>()
  for (const outcome of outcomes) {
    if (outcome === 'died') continue
    if (E.isRight(outcome)) {
      assert.isTrue(truths.has(outcome.right.id))
      accountedFor.add(outcome.right.id)
    } else if (outcome.left._tag === 'OutcomeUnknown') accountedFor.add(outcome.left.messageId)
    else if ('messageId' in outcome.left) assert.isFalse(truths.has(outcome.left.messageId))
  }
  for (const { id, step } of accepted) {
    assert.isTrue(step.fate === 'dies_accepted' || accountedFor.has(id), 'a message was sent without any record of it')
  }
  assert.lengthOf(new Set(gw.sent.map(({ id }) => id)), gw.sent.length, 'no message is handed over twice')

  for (const key of ['a', 'b']) {
    const times = accepted.filter(({ step }) => step.key === key).map(({ at }) => at)
    for (const [index, at] of times.entries()) if (index > 0) {
      assert.isAtLeast(at - times[index - 1]!, KEY_GUARDS_MS, 'a key sent twice')
    }
  }

  const before = [await gw.messages(), await gw.balance()]
  assert.deepEqual(await gw.reconcile(), { unconfirmed: 0, refused: 0, released: 0, captured: 0, refunded: 0 })
  assert.deepEqual([await gw.messages(), await gw.balance()], before)
}

describe('Whatever happens to a gateway', () => {
  it('ends, once all is reported and reconciled, with the money and messages that the platform\'s truth requires', async () => {
    await fc.assert(fc.asyncProperty(scenario, check), { numRuns: 400 })
  })
})
