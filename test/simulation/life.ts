import * as E from 'fp-ts/lib/Either.js'
import type { CustomerId } from '../../core/customers/customer.js'
import { MAX_PENDING, noteAttempts, SHARDS } from '../../core/events/delivery.js'
import type { EventEndpoint } from '../../core/events/endpoint.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import type { StoredEvent } from '../../core/kernel/outbox.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { IdempotencyKey, Message, MessageId } from '../../core/messages/message.js'
import type { Ports } from '../../core/ports.js'
import type { Postern } from '../../core/postern.js'
import type { TopUp } from './at-the-end.js'
import { batchActs, runBatches } from './batches.js'
import { edgeActs } from './edges.js'
import { HELD_AFTER_MS } from './held.js'
import { lookAfterQueue, queueActs } from './queue.js'
import { moveActs } from './moves.js'
import { otherActs, type OtherActs, releaseShare } from './others.js'
import type { Choices } from './choices.js'
import type { Gateway } from './gateway.js'
import { TEMPLATE } from './platform.js'
import { ACTS, type ActKind, type PlannedAct, type Scene, type Send, type Tenant } from './scene.js'

/** The number of bursts of acts in a plan, and the number of acts in each; days pass between bursts. */
export type PlanSize = { readonly bursts: number; readonly acts: number }

/** Plans a month: a few busy minutes, days apart, so that acts overlap, and so do late reports, expiring keys and messages that are given up. */
export const planOf = (choices: Choices, startsAt: Instant, { bursts, acts }: PlanSize): ReadonlyArray<PlannedAct> => {
  const plan: PlannedAct[] = []
  let begins = startsAt
  for (let burst = 0; burst < bursts; burst += 1) {
    const lasts = choices.time(10 * SECOND_MS, 15 * MINUTE_MS)
    const times = Array.from({ length: acts }, () => begins + choices.whole(0, lasts)).sort((a, b) => a - b)
    plan.push(
      { at: begins, kind: 'write', name: `act ${plan.length}` }, { at: begins, kind: 'sync templates', name: `act ${plan.length + 1}` },
    )
    for (const at of times) plan.push({ at: at + 2_000, kind: choices.weighted(ACTS), name: `act ${plan.length}` })
    // The gateway's own loop would deliver continuously.
    for (const after of [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS]) {
      plan.push({ at: begins + lasts + after, kind: 'deliver', name: `act ${plan.length}` })
    }
    begins += lasts + HOUR_MS + choices.time(MINUTE_MS, 12 * DAY_MS)
  }
  return plan
}

/** Starts an act, which continues by itself. */
export const beginAct = (scene: Scene, { kind, name }: PlannedAct): void => {
  scene.world.begin(name, async () => {
    scene.world.reach(`act: ${kind}`)
    await DO[kind](scene)
  })
}

const someGateway = ({ world, gateways }: Scene): Gateway => world.choices().one(gateways)

/** One pass of a gateway over the queue, which an operator resumes if it is held. */
export const drain = (scene: Scene, gateway: Gateway): Promise<void> => lookAfterQueue(scene, gateway, (...args) => ask(...args))

/** One pass of a gateway over the batches. */
export const passOverBatches = (scene: Scene, gateway: Gateway): Promise<void> => runBatches(scene, gateway, (...args) => ask(...args))

/** Calls a gateway, and records the request and the response. */
const ask = async <Answer>(
  scene: Scene, what: string, work: (postern: Postern, ports: Ports, gateway: Gateway) => Promise<Answer>, gateway = someGateway(scene),
): Promise<Answer | 'lost'> => {
  const note = (text: () => string): void => { if (!scene.isCalm()) scene.world.note(gateway.name, text) }
  note(() => `${what} …`)
  const answer = await gateway.ask((postern, ports) => work(postern, ports, gateway))
  note(() => `… ${what}: ${summaryOf(answer)}`)
  return answer
}

const summaryOf = (answer: unknown): string => {
  if (typeof answer !== 'object' || answer === null || !('_tag' in answer)) return String(answer)
  if (answer._tag === 'Left') return (answer as E.Left<{ readonly _tag: string }>).left._tag
  const { right } = answer as E.Right<unknown>
  return typeof right === 'object' && right !== null && 'id' in right ? `done, ${String(right.id)}` : 'done'
}

/** How long a client waits for a response before it retries, in milliseconds. */
const CLIENT_WAITS_MS = 10 * SECOND_MS

/** The behaviour of a workspace's application for one send: it authenticates, sends, and retries with the same key if there was no response. */
const sendAndRepeat = (scene: Scene, send: Send, tries: number): Promise<void> =>
  repeatedly(scene, send.key === undefined ? undefined : tries, () => sendOnce(scene, send))

/** Makes a request, and retries if there was no response, unless `tries` is absent because the request has no key. */
const repeatedly = async (scene: Scene, tries: number | undefined, request: () => Promise<RequestAnswer | 'lost'>): Promise<void> => {
  const choices = scene.world.choices()
  for (let time = 0; time < (tries ?? 1); time += 1) {
    const answer = await Promise.race([request(), scene.world.sleep(CLIENT_WAITS_MS).then(() => 'too slow' as const)])
    if (answer === 'too slow') scene.world.reach('a client waits no longer')
    const isOver = answer !== 'lost' && answer !== 'too slow' && !isWorthRepeating(answer)
    if (isOver || tries === undefined) return
    await scene.world.sleep(choices.time(200, choices.chance(0.1) ? 2 * DAY_MS : 5 * MINUTE_MS))
  }
}

type RequestAnswer = 'refused' | E.Either<{ readonly _tag: string }, unknown>

const isWorthRepeating = (answer: RequestAnswer): boolean =>
  answer !== 'refused' && E.isLeft(answer)
  && ['PortFailure', 'PlatformUnreachable', 'PlatformThrottled', 'OutcomeUnknown', 'IdempotencyInProgress'].includes(answer.left._tag)

const sendOnce = async (scene: Scene, { tenant, message, sender, key, through, over, ...send }: Send) => {
  const { world, promises } = scene
  const presented = send.presented ?? world.choices().one(tenant.keys as [Tenant['keys'][number], ...Tenant['keys']])
  const begunAt = world.tick()
  const [revokedAt, archivedAt] = [presented.revokedAt, tenant.archivedAt]
  const what = `${message._tag} to ${message.to}${sender === undefined ? '' : ` through ${sender}`}${key === undefined ? '' : ` with ${key}`}`
  return ask(scene, what, async (postern, ports, gateway) => {
    const { keyStore, windowClock } = ports
    const { sending } = over === undefined ? postern : gateway.over(over(ports))
    const principal = await keyStore.principalOf(presented.key, windowClock.now())
    if (E.isLeft(principal)) {
      if (principal.left._tag === 'UnknownApiKey') world.reach('answer: UnknownApiKey')
      return 'refused' as const
    }
    if (revokedAt !== undefined && revokedAt < begunAt) world.violate('no gateway accepts a revoked key', `key ${tenant.keys.indexOf(presented)} of ${tenant.id}`)
    if (archivedAt !== undefined && archivedAt < begunAt) world.violate('an archived workspace sends nothing', tenant.id)
    const { workspace, key: id, spendingLimit } = principal.right
    if (workspace !== tenant.id) world.violate('no workspace sees another’s', `a key of ${tenant.id} is one of ${workspace}`)
    const asked = { gateway, workspace, sender, to: message.to, key: presented.id, limit: presented.limit }
    const answer = await promises.rules.during(asked, () => sending.send({
      workspace, message, key: { id, ...(spendingLimit !== undefined && { spendingLimit }) },
      ...(key !== undefined && { idempotencyKey: key }), ...(sender !== undefined && { sender }),
      ...(send.confirmWithinMs !== undefined && { confirmWithinMs: send.confirmWithinMs }),
    }))
    promises.onAnswer(workspace, key, answer)
    return answer
  }, through)
}

const newSend = ({ world, tenants, sent }: Scene): Send => {
  const choices = world.choices()
  const tenant = choices.one(tenants)
  const to = choices.one(tenant.customers) as CustomerId
  const message: Message = choices.weighted({ Text: 5, Template: 3, Location: 1 }) === 'Text'
    ? { _tag: 'Text', to, text: `Hello ${choices.whole(1, 9)}` }
    : choices.chance(0.25)
        ? { _tag: 'Content', to, type: 'location', content: { latitude: '52.5', longitude: '13.4' } }
        : { _tag: 'Template', to, name: TEMPLATE, language: 'en' }
  const sender = choices.chance(0.6) ? choices.one(tenant.senders).known : undefined
  const key = choices.chance(0.7) ? (world.nameOf('key').replaceAll(' ', '') as IdempotencyKey) : undefined
  const send: Send = { tenant, message, sender, key }
  sent.push(send)
  return send
}

const someMessage = (scene: Scene, isWanted: (id: MessageId) => boolean): MessageId | undefined => {
  const [first, ...others] = [...scene.promises.known.keys()].filter(isWanted)
  return first && scene.world.choices().one([first, ...others])
}

const by = SYSTEM

/** If an act gets no response, it is repeated a few times. */
const persistently = async <Answer>(
  scene: Scene, what: string, work: (postern: Postern, ports: Ports) => Promise<E.Either<{ readonly _tag: string }, Answer>>,
): Promise<Answer | undefined> => {
  for (let tries = 0; tries < 6; tries += 1) {
    const answer = await ask(scene, what, work)
    if (answer !== 'lost' && E.isRight(answer)) return answer.right
    if (answer !== 'lost' && answer.left._tag !== 'PortFailure') return undefined
    await scene.world.sleep(scene.world.choices().time(500, MINUTE_MS))
  }
  return undefined
}

const insist: OtherActs['insist'] = async (scene, what, work) =>
  (await persistently(scene, what, async (postern, ports) => E.map(() => true)(await work(postern, ports)))) === true

/** Releases the shared holds that are left and are not of a batch. */
export const releaseShares = async (scene: Scene): Promise<void> => {
  const { shares, batched } = scene.promises
  for (const share of shares.open()) if (!batched.has(share.hold)) await releaseShare(scene, insist, share)
}

const erase = async (scene: Scene, { id: workspace }: Tenant, customer: Tenant['customers'][number]): Promise<boolean> => {
  const done = await persistently(scene, `erase ${customer} of ${workspace}`, ({ customers }) =>
    customers.eraseCustomer({ by, workspace, customer }))
  if (done !== undefined) scene.erased.push({ workspace, customer })
  return done !== undefined
}

const topUp = async (scene: Scene, workspace: Tenant['id'], micros: bigint): Promise<void> => {
  const reference = scene.world.nameOf('top up')
  const asked: TopUp = { workspace, micros, reference, isDone: false }
  scene.topUps.push(asked)
  asked.isDone = (await persistently(scene, `top up ${micros}`, ({ money }) =>
    money.topUp({ by, workspace, micros, reference }))) !== undefined
}

const DO: { readonly [Kind in ActKind]: (scene: Scene) => Promise<void> } = {
  ...edgeActs((scene, send, tries) => sendAndRepeat(scene, send, tries)),
  ...otherActs({
    send: (scene, tenant, send) => sendAndRepeat(scene, { tenant, presented: tenant.keys[0], ...send }, 5),
    erase: (scene, tenant, customer) => erase(scene, tenant, customer),
    pay: (scene, tenant) => topUp(scene, tenant.id, 500_000n),
    insist,
  }),
  ...moveActs({
    send: (scene, tenant, send) => sendAndRepeat(scene, { tenant, presented: tenant.keys[0], ...send }, 3),
    pay: (scene, tenant) => topUp(scene, tenant.id, 500_000n),
    persistently,
  }),
  ...queueActs({ pay: (scene, tenant) => topUp(scene, tenant.id, 500_000n), ask: (...args) => ask(...args) }),
  ...batchActs({ pay: (scene, tenant) => topUp(scene, tenant.id, 500_000n), ask: (...args) => ask(...args), persistently, repeatedly }),
  send: (scene) => sendAndRepeat(scene, newSend(scene), scene.world.choices().whole(1, 6)),
  'send twice at once': async (scene) => {
    const send = newSend(scene)
    await Promise.all([sendAndRepeat(scene, send, 3), sendAndRepeat(scene, send, 3)])
  },
  'repeat an old send': async (scene) => {
    const [first, ...others] = scene.sent.filter(({ key }) => key !== undefined)
    if (first !== undefined) await sendAndRepeat(scene, scene.world.choices().one([first, ...others]), 2)
  },
  write: ({ world, tenants, platform }) => {
    const choices = world.choices()
    for (const tenant of tenants) {
      for (const phoneNumber of tenant.customers) {
        for (const sender of tenant.senders) if (choices.chance(0.6)) platform.inbound(sender, { phoneNumber })
      }
    }
    return Promise.resolve()
  },
  'top up': async (scene) => {
    const choices = scene.world.choices()
    await topUp(scene, choices.one(scene.tenants).id, BigInt(choices.whole(1, 60)) * 10_000n)
  },
  adjust: async (scene) => {
    const choices = scene.world.choices()
    const [workspace, micros, reference] = [
      choices.one(scene.tenants).id, BigInt(choices.whole(-20, 20) || 1) * 10_000n, scene.world.nameOf('adjustment'),
    ]
    await persistently(scene, `adjust ${micros}`, ({ money }) =>
      money.adjustWallet({ by, workspace, micros, reference, note: 'a correction' }))
  },
  'set an alert': async (scene) => {
    const choices = scene.world.choices()
    const [workspace, threshold] = [choices.one(scene.tenants).id, choices.chance(0.2) ? undefined : BigInt(choices.whole(1, 40)) * 10_000n]
    await persistently(scene, `set an alert ${threshold}`, ({ money }) => money.setWalletAlert({ by, workspace, threshold }))
  },
  resolve: async (scene) => {
    const { known } = scene.promises
    const isInDoubt = (id: MessageId): boolean => ['unconfirmed', 'pending'].includes(known.get(id)?.state ?? '')
    const message = someMessage(scene, isInDoubt) ?? someMessage(scene, () => true)
    const workspace = message && known.get(message)?.workspace
    if (message === undefined || workspace === undefined) return
    const outcome = scene.world.choices().weighted({ sent: 1, not_sent: 1 })
    await persistently(scene, `resolve ${message} as ${outcome}`, ({ messages }) =>
      messages.resolveMessage({ by, workspace, message, outcome, note: 'looked it up' }))
  },
  'revoke a key': async (scene) => {
    const choices = scene.world.choices()
    const tenant = choices.one(scene.tenants)
    const key = tenant.keys[choices.whole(0, tenant.keys.length - 1)]
    if (key === undefined) return
    const done = await persistently(scene, `revoke key ${tenant.keys.indexOf(key)} of ${tenant.id}`, ({ keys }) =>
      keys.revokeKey({ by, id: key.id }).then(E.map(() => true)))
    if (done === true) key.revokedAt ??= scene.world.tick()
  },
  archive: async (scene) => {
    const tenant = scene.tenants.at(-1)
    if (tenant === undefined || scene.tenants.length < 2) return
    const done = await persistently(scene, `archive ${tenant.id}`, ({ workspaces }) =>
      workspaces.archiveWorkspace({ by, workspace: tenant.id }).then(E.map(() => true)))
    if (done === true) tenant.archivedAt ??= scene.world.tick()
  },
  erase: async (scene) => {
    const choices = scene.world.choices()
    const tenant = choices.one(scene.tenants)
    await erase(scene, tenant, choices.one(tenant.customers))
  },
  reconcile: async (scene) => {
    await ask(scene, 'reconcile', ({ upkeep }) => upkeep.reconcile())
  },
  deliver: (scene) => deliverEvents(scene),
  retention: async (scene) => {
    const before = scene.world.now() - 16 * DAY_MS
    await ask(scene, 'delete old events', (_postern, { eventOutbox }) => eventOutbox.removeOld(before, scene.world.now()))
    await ask(scene, 'forget people', ({ upkeep }) => upkeep.runRetention({ before }))
  },
  look: async (scene) => {
    const { id: workspace, senders } = scene.world.choices().one(scene.tenants)
    const { known: sender, ids } = scene.world.choices().one(senders)
    const ofSender = await ask(scene, `list the messages of ${sender}`, async ({ messages }) => {
      const filter = await messages.filterBySender({ workspace, sender })
      return E.isLeft(filter) ? filter : messages.listMessages(workspace, { limit: 100, sender: filter.right })
    })
    if (ofSender !== 'lost' && E.isRight(ofSender)) {
      const other = ofSender.right.items.find((message) => !ids.some((id) => id === message.sender))
      if (other !== undefined) scene.world.violate('no sender lists the messages of another', `${other.id} of ${other.sender} is listed for ${sender}`)
      if (ofSender.right.items.some((message) => message.sender !== sender)) scene.world.reach('sender: a message of a former id is listed')
    }
    const foreign = someMessage(scene, (id) => scene.promises.known.get(id)?.workspace !== workspace)
    const listed = await ask(scene, `list the messages of ${workspace}`, ({ messages }) => messages.listMessages(workspace, { limit: 100 }))
    if (listed !== 'lost' && E.isRight(listed)) {
      const other = listed.right.items.find((message) => message.workspace !== workspace)
      if (other !== undefined) scene.world.violate('no workspace sees another’s', `${other.id} is listed in ${workspace}`)
    }
    if (foreign === undefined) return
    const found = await ask(scene, `look for ${foreign} in ${workspace}`, ({ messages }) => messages.showMessage(workspace, foreign))
    if (found !== 'lost' && E.isRight(found)) scene.world.violate('no workspace sees another’s', `${foreign} is found in ${workspace}`)
  },
  'sync templates': async (scene) => {
    const { id: workspace, senders } = scene.world.choices().one(scene.tenants)
    const sender = scene.world.choices().one(senders).known
    await ask(scene, 'sync templates', ({ templates }) => templates.syncTemplates({ workspace, sender, orOthers: true }))
  },
  'pause the template': async ({ world, platform }) => {
    platform.changeTemplate('paused')
    await world.sleep(world.choices().time(MINUTE_MS, 6 * HOUR_MS))
    platform.changeTemplate('approved')
  },
  'cut a gateway off': async (scene) => {
    const gateway = someGateway(scene)
    gateway.cutOff(true)
    await scene.world.sleep(scene.world.choices().time(SECOND_MS, 10 * MINUTE_MS))
    gateway.cutOff(false)
  },
  'kill a gateway': async (scene) => {
    const gateway = someGateway(scene)
    gateway.crash()
    await scene.world.sleep(scene.world.choices().time(SECOND_MS, 5 * MINUTE_MS))
    if (!scene.restoring.isUnderWay) gateway.start()
  },
  'back up': ({ world, backUp, restoring }) => {
    world.note('operator', () => 'backs the storage up')
    restoring.latest = { at: world.now(), putBack: backUp() }
    return Promise.resolve()
  },
  restore: async (scene) => {
    const { world, restoring: { latest, stopped } } = scene
    if (latest === undefined) return
    const choices = world.choices()
    world.note('operator', () => 'stops all gateways')
    scene.restoring.isUnderWay = true
    for (const gateway of stopped) gateway.crash()
    await world.sleep(choices.time(SECOND_MS, 10 * MINUTE_MS))
    await latest.putBack()
    await repeatActs(scene)
    await holdRestored(scene, latest.at)
    await world.sleep(choices.time(SECOND_MS, 10 * MINUTE_MS))
    scene.restoring.isUnderWay = false
    for (const gateway of stopped) gateway.start()
    await world.sleep(choices.whole(HOUR_MS, 8 * DAY_MS))
    await settleLost(scene)
  },
}

/** An operator holds the queue of a backup that is too young for a held start. */
const holdRestored = async ({ world, operator }: Scene, backedUpAt: Instant): Promise<void> => {
  const isYoung = world.now() - backedUpAt < HELD_AFTER_MS + MINUTE_MS
  if (!isYoung && !world.choices().chance(0.2)) return
  await operator.ask(async ({ queue }) => queue?.holdQueue({ by, workspace: undefined, note: 'it was restored' }))
}

/** The changes that an operator repeats before the gateways start on a restored storage. Changes that the backup already contains are not applied twice. */
const repeatActs = async ({ world, operator, tenants, topUps, erased }: Scene): Promise<void> => {
  const repeat = async (what: string, work: (postern: Postern) => Promise<E.Either<{ readonly _tag: string }, unknown>>): Promise<void> => {
    const answer = await operator.ask(work)
    world.note('operator', () => `${what} once more: ${summaryOf(answer)}`)
    world.reach(`after a restore: ${what} once more`)
  }
  for (const { workspace, micros, reference, isDone } of topUps) {
    if (isDone) await repeat('tops up', ({ money }) => money.topUp({ by, workspace, micros, reference }))
  }
  for (const { id } of tenants.flatMap(({ keys }) => keys.filter(({ revokedAt }) => revokedAt !== undefined))) {
    await repeat('revokes a key', ({ keys: { revokeKey } }) => revokeKey({ by, id }))
  }
  for (const command of erased) await repeat('erases a person', ({ customers }) => customers.eraseCustomer({ by, ...command }))
  // An archived workspace can no longer be topped up, so this comes last.
  for (const { id: workspace, archivedAt } of tenants) {
    if (archivedAt !== undefined) await repeat('archives a workspace', ({ workspaces }) => workspaces.archiveWorkspace({ by, workspace }))
  }
}

/** Charges or waives messages that the platform has and the storage has lost; some of them are left for later. */
const settleLost = async (scene: Scene): Promise<void> => {
  const choices = scene.world.choices()
  const listed = await persistently(scene, 'list lost messages', (_postern, { lostMessages }) => lostMessages.list({ limit: 1_000 }))
  for (const { workspace, message: id } of listed?.items ?? []) {
    if (choices.chance(0.3)) continue
    const micros = choices.chance(0.7) ? BigInt(choices.whole(1, 4)) * 10_000n : undefined
    for (let times = choices.chance(0.3) ? 2 : 1; times > 0; times -= 1) {
      await persistently(scene, `settle ${id} for ${micros}`, ({ messages }) =>
        messages.settleLostMessage({ by, workspace, id, note: 'a restore', ...(micros !== undefined && { micros }) }))
    }
  }
}

/** One pass over the events that wait for the endpoints, like a pass of the gateway's own loop; deliveries that a crash interrupts are repeated. */
export const deliverEvents = async (scene: Scene): Promise<void> => {
  const { world } = scene
  const shards = Array.from({ length: SHARDS }, (_, shard) => shard)
  await ask(scene, 'deliver events', async (_postern, { eventDeliveries, eventOutbox }) => {
    const due = await eventDeliveries.due({ shards, at: world.now(), limit: MAX_PENDING, except: [] })
    if (E.isLeft(due)) return due
    for (const { endpoint, position, failures } of due.right) {
      const events = await eventOutbox.after(endpoint.workspace, position, 200)
      if (E.isLeft(events)) return events
      const retries = await eventDeliveries.retries(endpoint.id, world.now(), 200)
      if (E.isLeft(retries)) return retries
      const items = [
        ...retries.right.map((retry) => ({ event: retry.event, retry })), ...events.right.map((event) => ({ event, retry: undefined })),
      ]
      const made = []
      for (const { event, retry } of items) {
        const startedAt = world.now()
        const delivered = await receive(scene, endpoint, event)
        made.push({
          id: world.mark(), event, startedAt, random: 0.5, ...(retry !== undefined && { retry }),
          result: {
            delivered, httpStatus: delivered ? 200 : 503, error: delivered ? undefined : 'it failed', answer: undefined,
            durationMs: world.now() - startedAt,
          },
        })
      }
      const { disabled, ...outcome } = noteAttempts(endpoint.id, { failures, failingSince: endpoint.failingSince }, made)
      // An event that was tried for five days is given up, as documented. The simulation notes it before the storage records it, because a crash may come between.
      for (const event of outcome.done) {
        if (scene.received.has(event)) continue
        scene.received.set(event, 0)
        world.reach('an event is given up')
      }
      const noted = await eventDeliveries.record({
        ...outcome, endpoint: endpoint.id, from: position, to: events.right.at(-1)?.position ?? position,
        ...(disabled !== undefined && { disabled: true as const }),
      })
      if (disabled !== undefined) world.reach('an endpoint is disabled')
      if (E.isLeft(noted)) return noted
    }
    return E.right(undefined)
  })
}

const receive = async (
  { world, received, isCalm, platform }: Scene, endpoint: EventEndpoint, event: Pick<StoredEvent, 'id' | 'workspace' | 'type' | 'data'>,
): Promise<boolean> => {
  const choices = world.choices()
  await world.sleep(choices.time(5, 500))
  if (!isCalm() && choices.chance(0.05)) {
    world.reach('a receiver fails')
    return false
  }
  if (event.workspace !== endpoint.workspace) world.violate('no workspace sees another’s', `an event of ${event.workspace} goes to ${endpoint.workspace}`)
  const writtenTo = event.type === 'message.received' ? platform.writtenTo(event.data['id']) : undefined
  if (writtenTo?.ids.some((id) => id === event.data['sender']) === false) {
    world.violate('a message of a customer is reported for its sender', `${JSON.stringify(event.data)} was written to ${writtenTo.name}`)
  }
  const before = received.get(event.id)
  if (before !== undefined) world.reach('an event is delivered again')
  received.set(event.id, (before ?? 0) + 1)
  return isCalm() || !choices.chance(0.02)
}

/** The share of histories with a restore. */
const RESTORED = 0.1

/**
 * When a backup is made and when it is restored: near two acts of a plan, of one burst or of several. Most plans have neither. They use separate names for their
 * choices, so a plan without them plays unchanged.
 */
export const restoresOf = (choices: Choices, plan: ReadonlyArray<PlannedAct>): ReadonlyArray<PlannedAct> => {
  if (!choices.chance(RESTORED)) return []
  const sends = plan.flatMap(({ kind }, index) => (kind === 'send' && index < plan.length / 2 ? [index] : []))
  const from = choices.chance(0.7) ? sends[choices.whole(0, sends.length - 1)] ?? 0 : choices.whole(0, Math.floor(plan.length / 2))
  const near = (index: number): Instant => (plan[Math.min(index, plan.length - 1)]?.at ?? 0) + choices.time(10, 10 * SECOND_MS)
  const backedUpAt = near(from)
  const restoredAt = Math.max(near(from + choices.whole(1, 24)), backedUpAt + choices.time(SECOND_MS, MINUTE_MS))
  return [{ at: backedUpAt, kind: 'back up', name: 'backup' }, { at: restoredAt, kind: 'restore', name: 'restore' }]
}
