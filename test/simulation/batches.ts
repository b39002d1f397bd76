import * as E from 'fp-ts/lib/Either.js'
import type { Batch } from '../../core/batches/batch.js'
import type { BatchLine, LineProblem } from '../../core/batches/lines.js'
import type { CustomerId, PhoneNumber } from '../../core/customers/customer.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { IdempotencyKey } from '../../core/messages/message.js'
import type { Batching } from '../../core/batching.js'
import type { Postern } from '../../core/postern.js'
import type { AskedBatch, GivenLine } from './batched.js'
import type { Choices } from './choices.js'
import type { Gateway } from './gateway.js'
import { OFFER, TEMPLATE } from './platform.js'
import { passOverQueue, type QueueActs } from './queue.js'
import type { PlannedAct, Scene, Tenant } from './scene.js'

/** The share of histories with a batch, with a second one, and with a batch whose request is repeated. */
const BATCHES = {
  'send a batch': 0.4, 'send another batch': 0.15, 'submit a batch': 0.25,
} as const satisfies Readonly<Record<string, number>>

type BatchKind = keyof typeof BATCHES

/** When they happen. They use separate names for their choices, so a plan without them plays unchanged. */
export const batchesOf = (choices: Choices, plan: ReadonlyArray<PlannedAct>): ReadonlyArray<PlannedAct> =>
  (Object.keys(BATCHES) as ReadonlyArray<BatchKind>).flatMap((kind): ReadonlyArray<PlannedAct> => {
    const near = choices.chance(BATCHES[kind]) ? plan[choices.whole(0, Math.floor(plan.length / 2))] : undefined
    return near === undefined ? [] : [{ at: near.at + choices.time(10, MINUTE_MS), kind, name: kind }]
  })

/** Customers whom only batches reach, so that what they stop concerns no other send. */
const CUSTOMERS = ['4915155500', '4915155510', '4915155520', '4915155530', '4915155540', '4915155550'].map((start) => `${start}77`) as
  [string, ...Array<string>] as [PhoneNumber, ...Array<PhoneNumber>]

/** Calls of a gateway that runs batches or confirms one, after which it crashes or falls asleep. */
const DISTURBED = [
  'batches.assign', 'batches.assign', 'sharedHolds.split', 'messageLog.open', 'batches.noteOpened', 'sharedHolds.hold', 'batches.change',
  'sharedHolds.release', 'batches.lines', 'messageQueue.claim', 'batches.find',
] as const

/** Calls of a gateway that answers a request with a key, after which it crashes or falls asleep. */
const DISTURBED_SUBMIT = [
  'batches.findByRequest', 'batches.create', 'batches.append', 'batches.change', 'batches.change', 'batches.noteChecked',
  'batches.counts', 'sharedHolds.hold', 'sharedHolds.find', 'batches.find',
] as const

const by = SYSTEM

/** A draft, and its total in micros. */
type CheckedBatch = { readonly batch: Batch; readonly total: bigint }

type Answer<Done> = E.Either<{ readonly _tag: string }, Done>

/** The dependencies of these acts. */
export type BatchActs = QueueActs & {
  readonly persistently: <Done>(scene: Scene, what: string, work: (postern: Postern) => Promise<Answer<Done>>) => Promise<Done | undefined>
  /** Makes a request, and retries a number of times if there was no response. */
  readonly repeatedly: (scene: Scene, tries: number, request: () => Promise<Answer<unknown> | 'lost'>) => Promise<void>
}

/** The batches of a gateway. */
const batchesIn = ({ batches }: Postern): Batching => {
  if (batches === undefined) throw new Error('the simulated storage has batches')
  return batches
}

/** One pass of a gateway over the batches. */
export const runBatches = async (scene: Scene, gateway: Gateway, ask: QueueActs['ask']): Promise<void> => {
  await ask(scene, 'run the batches', (postern) => batchesIn(postern).runBatches(), gateway)
}

/** The acts. */
export const batchActs = (
  { ask, pay, persistently, repeatedly }: BatchActs,
): Readonly<Record<BatchKind, (scene: Scene) => Promise<void>>> => {
  /** Two gateways run the batches and the queue, sometimes at the same time. */
  const job = async (scene: Scene, rounds: number): Promise<void> => {
    const { world, gateways } = scene
    const choices = world.choices()
    for (let round = 0; round < rounds; round += 1) {
      await world.sleep(choices.time(500, MINUTE_MS))
      const others = choices.chance(0.5) ? [runBatches(scene, choices.one(gateways), ask)] : []
      await Promise.all([runBatches(scene, choices.one(gateways), ask), ...others])
      if (choices.chance(0.75)) await passOverQueue(scene, choices.one(gateways), ask)
    }
  }

  const disturb = async ({ world, gateways, restoring }: Scene): Promise<void> => {
    const choices = world.choices()
    for (let times = choices.whole(1, 4); times > 0; times -= 1) {
      await world.sleep(choices.time(10, 30 * SECOND_MS))
      const gateway = choices.one(gateways)
      gateway.disturbAfter(choices.one(DISTURBED), choices.chance(0.5) ? 'crash' : choices.whole(5 * SECOND_MS, 4 * MINUTE_MS))
      await world.sleep(choices.time(10 * SECOND_MS, 5 * MINUTE_MS))
      if (!gateway.isUp() && !restoring.isUnderWay) gateway.start()
    }
    for (const gateway of gateways) gateway.undisturb()
  }

  /** A customer stops messages by a word, by the platform's preference or through the application, or allows them again. */
  const say = async (scene: Scene, tenant: Tenant, customer: PhoneNumber, hasStopped: boolean): Promise<void> => {
    const { world, platform, promises: { batched } } = scene
    const choices = world.choices()
    const sender = choices.one(tenant.senders)
    const how = choices.weighted({ word: hasStopped ? 1 : 0, platform: 1, application: 2 })
    const topic = how === 'application' && choices.chance(0.5) ? 'all' : 'marketing'
    const onKept = batched.onStatement({ customer: `${tenant.id} ${customer}`, topic, hasStopped })
    world.reach(`consent: ${hasStopped ? 'stopped' : 'allowed'} by the ${how}`)
    if (how === 'word') platform.inbound(sender, { phoneNumber: customer }, { text: choices.one(['STOP', 'stop', ' Stop.']), onKept })
    else if (how === 'platform') platform.choose(sender, customer, hasStopped, onKept)
    else {
      const status = hasStopped ? 'withdrawn' : 'granted'
      const done = await persistently(scene, `${customer} says ${topic} ${status}`, ({ consent }) =>
        consent?.recordConsent({ by, workspace: tenant.id, customer, topic, status, source: 'a form' })
        ?? Promise.resolve(E.left({ _tag: 'NoConsents' })))
      if (done !== undefined) onKept()
    }
  }

  const linesOf = (choices: Choices): ReadonlyArray<GivenLine> =>
    Array.from({ length: choices.whole(2, 8) }, (_, index): GivenLine => {
      const line = index + 2
      if (choices.chance(0.12)) return { line, to: choices.one(['12', 'Alice', '+']), digits: undefined }
      const digits = choices.one(CUSTOMERS)
      return { line, to: digits, digits }
    })

  /** Makes a draft with some lines, and checks it. */
  const draft = async (scene: Scene, tenant: Tenant): Promise<CheckedBatch | undefined> => {
    const { world, promises: { batched } } = scene
    const choices = world.choices()
    const sendAt = choices.chance(0.2) ? world.now() + choices.time(MINUTE_MS, HOUR_MS) : undefined
    const until = choices.chance(0.2) ? Math.max(sendAt ?? 0, world.now()) + choices.whole(2 * MINUTE_MS, HOUR_MS) : undefined
    const command = {
      by, workspace: tenant.id, sender: choices.chance(0.7) ? choices.one(tenant.senders).known : undefined,
      templateName: choices.one([TEMPLATE, OFFER]), language: 'en', ...(choices.chance(0.2) && { brake: { share: 0.2, of: 5 } }),
      timing: { ...(sendAt !== undefined && { sendAt }), ...(until !== undefined && { until }) },
      ...(choices.chance(0.2) && { firstWave: { recipients: 2, waitMs: choices.whole(1, 10) * MINUTE_MS } }),
    }
    const batch = await persistently(scene, 'make a batch', (postern) => batchesIn(postern).create(command))
    if (batch === undefined) return undefined
    const [of, lines] = [{ by, workspace: tenant.id, batch: batch.id }, linesOf(choices)]
    batched.onLines(of, lines)
    const added = await persistently(scene, `give ${batch.id} ${lines.length} lines`, (postern) =>
      batchesIn(postern).addRecipients({ ...of, lines: streamOf(lines) }))
    if (added === undefined) return undefined
    const found = await persistently(scene, `check ${batch.id}`, (postern) => batchesIn(postern).preflight(of))
    if (found === undefined) return undefined
    for (const { code } of found.problems) world.reach(`batch: a line has the problem ${code}`)
    return { batch, total: found.total }
  }

  const confirm = async (scene: Scene, { batch: { workspace, id }, total }: CheckedBatch): Promise<boolean> => {
    const { world } = scene
    for (let tries = 0; tries < 5; tries += 1) {
      const answer = await ask(scene, `confirm ${id} for ${total}`, (postern) =>
        batchesIn(postern).confirm({ by, workspace, batch: id, total }))
      if (answer !== 'lost') {
        world.reach(`batch: confirm: ${E.isRight(answer) ? 'confirmed' : answer.left._tag}`)
        if (E.isRight(answer)) {
          const { confirmed } = answer.right
          if (confirmed?.total !== total || confirmed.heldAt === undefined) world.violate('what is answered as confirmed is reserved', `${id}: ${confirmed?.total} instead of ${total}`)
          return true
        }
        if (answer.left._tag !== 'PortFailure') return false
      }
      await world.sleep(world.choices().time(500, MINUTE_MS))
    }
    return false
  }

  const move = async (scene: Scene, { workspace, id }: Batch, how: 'pause' | 'resume' | 'cancel'): Promise<void> => {
    const done = await persistently(scene, `${how} ${id}`, (postern) => batchesIn(postern)[how]({ by, workspace, batch: id }))
    if (done !== undefined) scene.world.reach(`batch: answered: ${how}`)
  }

  /** A person pauses and resumes a batch, and perhaps cancels it. */
  const control = async (scene: Scene, batch: Batch): Promise<void> => {
    const { world } = scene
    const choices = world.choices()
    for (let times = choices.whole(0, 2); times > 0; times -= 1) {
      await world.sleep(choices.time(SECOND_MS, 2 * MINUTE_MS))
      await move(scene, batch, 'pause')
      await world.sleep(choices.time(2 * SECOND_MS, 5 * MINUTE_MS))
      if (choices.chance(0.8)) await move(scene, batch, 'resume')
    }
    if (!choices.chance(0.4)) return
    await world.sleep(choices.time(500, 3 * MINUTE_MS))
    await Promise.all(choices.chance(0.3) ? [move(scene, batch, 'cancel'), move(scene, batch, 'resume')] : [move(scene, batch, 'cancel')])
  }

  const play = async (scene: Scene): Promise<void> => {
    const { world } = scene
    const choices = world.choices()
    const tenant = choices.one(scene.tenants)
    const [isPaid, isLate] = [choices.chance(0.75), choices.chance(0.5)]
    const [first, second] = [choices.one(CUSTOMERS), choices.one(CUSTOMERS)]
    if (isPaid) await pay(scene, tenant)
    if (choices.chance(0.4)) await say(scene, tenant, first, true)
    const checked = await draft(scene, tenant)
    if (checked === undefined) return
    if (choices.chance(0.1)) {
      await move(scene, checked.batch, 'cancel')
      world.reach('batch: a draft is canceled')
    }
    if (choices.chance(0.2) && await confirm(scene, { ...checked, total: checked.total + 1n })) {
      world.violate('a wrong total confirms nothing', checked.batch.id)
    }
    if (choices.chance(0.6)) world.begin(world.nameOf('disturb'), () => disturb(scene))
    const times = choices.chance(0.3) ? 2 : 1
    const confirmed = await Promise.all(Array.from({ length: times }, () => confirm(scene, checked)))
    if (!confirmed.includes(true) && !isPaid && choices.chance(0.7)) {
      await pay(scene, tenant)
      await confirm(scene, checked)
    }
    world.begin(world.nameOf('control'), () => control(scene, checked.batch))
    const jobs = Array.from({ length: choices.whole(1, 2) }, () => job(scene, choices.whole(4, 9)))
    if (isLate) {
      await world.sleep(choices.time(100, MINUTE_MS))
      await say(scene, tenant, second, true)
      if (choices.chance(0.3)) {
        await world.sleep(choices.time(SECOND_MS, MINUTE_MS))
        await say(scene, tenant, second, false)
      }
    }
    await Promise.all(jobs)
    await job(scene, choices.whole(2, 5))
  }

  /** Requests a batch once, through a gateway that may crash or sleep meanwhile. Returns the answer. */
  const submit = async (scene: Scene, asked: AskedBatch, given: Pick<Batch, 'templateName' | 'timing'>) => {
    const { world, gateways, promises: { batched } } = scene
    const { workspace, key, name, lines } = asked
    const choices = world.choices()
    const gateway = choices.one(gateways)
    if (!gateway.isUp()) gateway.start()
    if (choices.chance(0.4)) {
      gateway.disturbAfter(choices.one(DISTURBED_SUBMIT), choices.chance(0.5) ? 'crash' : choices.whole(5 * SECOND_MS, 4 * MINUTE_MS))
    }
    const onAnswer = batched.onSubmit(asked)
    const answer = await ask(scene, `submit ${name}`, (postern) => batchesIn(postern).submit({
      ...given, by, workspace, name, language: 'en', confirms: true, linesOf: () => streamOf(lines),
      claim: { key: key as IdempotencyKey, request: JSON.stringify([name, given, lines]) },
    }), gateway)
    if (answer !== 'lost') onAnswer(answer)
    return answer
  }

  /** An application requests a batch with a key, several times simultaneously and later again, and sometimes another batch with the same key. */
  const playKey = async (scene: Scene, tenant: Tenant, key: string): Promise<void> => {
    const { world } = scene
    const choices = world.choices()
    const timing = choices.chance(0.4) ? { until: world.now() + choices.whole(5 * MINUTE_MS, HOUR_MS) } : {}
    const given = { timing, templateName: choices.one([TEMPLATE, OFFER, OFFER]) }
    const [own, other] = (['own', 'other'] as const).map((body): AskedBatch =>
      ({ workspace: tenant.id, key, name: `${tenant.id} ${key} ${body}`, lines: linesOf(choices) })) as [AskedBatch, AskedBatch]
    const made: Array<Batch> = []
    const request = (asked: AskedBatch) => repeatedly(scene, choices.whole(1, 4), async () => {
      const answer = await submit(scene, asked, given)
      if (answer !== 'lost' && E.isRight(answer)) made.push(answer.right.batch)
      return answer
    })
    const isPaid = choices.chance(0.5)
    if (isPaid) await pay(scene, tenant)
    const others = choices.chance(0.2) ? [request(other)] : []
    // Some of the requests may be refused before the wallet can pay, and others be confirmed.
    const paid = isPaid ? [] : [world.sleep(choices.time(SECOND_MS, MINUTE_MS)).then(() => pay(scene, tenant))]
    await Promise.all([...Array.from({ length: choices.whole(1, 4) }, () => request(own)), ...others, ...paid])
    const [batch] = made
    if (batch !== undefined) world.begin(world.nameOf('control'), () => control(scene, batch))
    for (let times = choices.whole(1, 3); times > 0; times -= 1) {
      await job(scene, choices.whole(1, 3))
      if (choices.chance(0.3)) await world.sleep(choices.time(MINUTE_MS, 10 * HOUR_MS))
      await request(choices.chance(0.3) ? other : own)
    }
    await job(scene, choices.whole(1, 3))
  }

  const playKeys = async (scene: Scene): Promise<void> => {
    const choices = scene.world.choices()
    const key = scene.world.nameOf('key').replaceAll(' ', '')
    // Keys are those of a workspace: another one may use the same key.
    const tenants = choices.chance(0.15) ? scene.tenants : [choices.one(scene.tenants)]
    await Promise.all(tenants.map((tenant) => playKey(scene, tenant, key)))
    for (const gateway of scene.gateways) gateway.undisturb()
  }

  return { 'send a batch': play, 'send another batch': play, 'submit a batch': playKeys }
}

/** The lines as they are read from a file. */
async function* streamOf(lines: ReadonlyArray<GivenLine>): AsyncGenerator<E.Either<LineProblem, BatchLine>> {
  for (const { line, to, digits } of lines) {
    yield digits === undefined
      ? E.left<LineProblem, BatchLine>({ line, to, code: 'invalid_phone_number', column: 'to', message: 'it is not a phone number' })
      : E.right<LineProblem, BatchLine>({ line, to: digits as CustomerId })
  }
  await Promise.resolve()
}
