import { AsyncLocalStorage } from 'node:async_hooks'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { CustomerFact, CustomerIds, DialledNumbers } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { Draft } from '../../core/messages/message-log.js'
import type { MessageId } from '../../core/messages/message.js'
import type { HoldState } from '../../core/money/wallet.js'
import type { Sender } from '../../core/senders/sender.js'
import type { Outbound } from '../../core/sending/dispatch.js'
import { type BackUp, refill } from './backup.js'
import type { Gateway, StorageCall } from './gateway.js'
import { makeNumbers, type Numbers, type Renumbered } from './numbers.js'
import { OFFER, type SimulatedPlatform } from './platform.js'
import type { World } from './world.js'

/** A send as an application requests it from a gateway, and its key. */
export type Asked = {
  readonly gateway: Gateway
  readonly workspace: WorkspaceId
  readonly phoneNumberId: string
  readonly to: string
  readonly key: string
  /** The maximum that the key may spend in a day. */
  readonly limit: bigint | undefined
}

/** A send in progress, with the durable data at its start. */
type Request = Asked & {
  readonly begunAt: Instant
  /** The customer had stopped marketing messages. Undefined if that is uncertain, or has changed since. */
  hasStopped: boolean | undefined
  /** The customer's latest recorded message, and its number; undefined if that is uncertain, or may have changed since. */
  writtenAt: Instant | undefined
  readonly countsFor: string
  /** The sender was failing when the send read it. */
  isFailing?: boolean
  /** The maximum that its key had spent of one day since it began. */
  mostSpent: bigint
  /** The send has called the storage to note the sender's health. */
  noted?: 'failing' | 'recovered'
}

/** A message whose price counts for the limit of a key. */
export type Spent = { readonly key: string; readonly limit: bigint; readonly day: number }

/** The data of a message that its limit depends on. */
type Priced = { readonly id: MessageId; readonly micros: bigint; readonly hold: HoldState | undefined; readonly spent: Spent | undefined }

/** The promises about a send: its window, its customer's choice, its key's limit, its time, and the health of its sender. */
export type Rules = {
  /** Performs a send. */
  readonly during: <Answer extends E.Either<object, object>>(asked: Asked, send: () => Promise<Answer>) => Promise<Answer>
  /** A call is lost before its effect. */
  readonly onLost: (call: StorageCall) => void
  /** A call has had its effect. Returns the event of the sender's health that must have become durable with it. */
  readonly onDone: (call: StorageCall, answer: unknown, types: ReadonlyArray<string>) => ReadonlyArray<string>
  /** A message is open. Returns the limit to which it counts. */
  readonly onOpened: (draft: Draft) => Spent | undefined
  /** The hold of a message has changed. */
  readonly onHold: (message: Priced, before: HoldState | undefined) => void
  /** A gateway starts to send a message. */
  readonly onLeaving: (outbound: Outbound) => void
  /** The platform accepts a message. */
  readonly onTaken: (outbound: Outbound) => void
  /** The numbers by which the platform knows customers. */
  readonly numbers: Numbers
  readonly backUp: BackUp
}

/** The parts that the rules observe. */
export type RuleParts = {
  readonly world: World
  readonly platform: () => Pick<SimulatedPlatform, 'writtenAt'>
  readonly messages: () => Iterable<Priced>
  readonly people: ReadonlyArray<Renumbered>
  readonly check: (isKept: boolean, promise: string, seen: () => string) => void
}

/** The customer service window, the day of a limit, and how long after its request began a send may call the platform: written again here. */
const WINDOW_MS = 24 * HOUR_MS
const DAY_MS = 24 * HOUR_MS
const LEAVES_WITHIN_MS = 20 * SECOND_MS

/** What the platform charges for each category: written again here. */
const CHARGES: Readonly<Record<string, bigint>> = { service: 10_000n, marketing: 40_000n, utility: 20_000n, authentication: 30_000n }

/** The price of a charge in a workspace: the second one pays a quarter more. */
const priceIn = (workspace: WorkspaceId, charge: bigint): bigint => (workspace.endsWith('2') ? charge / 4n * 5n : charge)

/** The highest price of a message in the simulation. */
const HIGHEST_PRICE = 50_000n

/** A customer's latest choice. Two different choices in the same second leave it undefined. */
type Choice = { readonly at: Instant; readonly stopped: boolean | undefined }

/** Makes the checker of sends. */
export const makeRules = ({ world, platform, messages, people, check }: RuleParts): Rules => {
  const requests = new AsyncLocalStorage<Request>()
  const underWay = new Set<Request>()
  /** By workspace and customer. Recorded data is never forgotten here, because a send may have read it before. */
  const [everWritten, written, choices] = [new Map<string, Instant>(), new Map<string, Instant>(), new Map<string, Choice>()]
  const failing = new Map<WorkspaceId, boolean>()
  /** Keys and days whose limit was exceeded by a late report: a hold that is captured after its release counts again. */
  const passed = new Set<string>()
  const of = (workspace: string, customer: string): string => `${workspace} ${customer}`
  const changed = (customer: string): void => {
    for (const request of underWay) if (request.countsFor === customer) request.hasStopped = undefined
  }

  const numbers = makeNumbers(people, ({ workspace, dialled }) => {
    for (const request of underWay) {
      if (request.workspace === workspace && request.to === dialled) request.hasStopped = request.writtenAt = undefined
    }
  })
  /** The number to which a customer's acts count; undefined if it is uncertain which number a dialled one leads to. */
  const countedNumber = (workspace: string, to: string): string | undefined => {
    const person = numbers.find(workspace, to)
    return person?.dialled === to ? numbers.leadsTo(person) : to
  }
  /** The numbers under which a message of the customer may open the window of a number. */
  const numbersOf = (workspace: string, to: string): ReadonlyArray<string> => {
    const person = numbers.find(workspace, to)
    return person === undefined ? [to] : [person.dialled, ...person.others]
  }
  const lastUnderAny = (workspace: string, to: string): Instant | undefined =>
    numbersOf(workspace, to).map((number) => everWritten.get(of(workspace, number))).reduce(
      (last, at) => (at === undefined || (last ?? at) > at ? last : at), undefined,
    )

  const during: Rules['during'] = async (asked, send) => {
    const number = countedNumber(asked.workspace, asked.to)
    const countsFor = of(asked.workspace, number ?? asked.to)
    const choice = choices.get(countsFor)
    const hasStopped = number === undefined ? undefined : choice === undefined ? false : choice.stopped
    const writtenAt = number === undefined ? undefined : written.get(countsFor)
    const request: Request = { ...asked, begunAt: world.now(), hasStopped, writtenAt, countsFor, mostSpent: mostSpentBy(asked.key) }
    underWay.add(request)
    try {
      const answer = await requests.run(request, send)
      checkAnswer(request, answer)
      return answer
    } finally {
      underWay.delete(request)
    }
  }

  /** The maximum that a key has spent of one day, for any day that its gateways may use. */
  const mostSpentBy = (key: string): bigint => {
    const byDay = new Map<number, bigint>()
    for (const { spent, hold, micros } of messages()) {
      if (spent?.key === key && (hold === 'held' || hold === 'captured')) byDay.set(spent.day, (byDay.get(spent.day) ?? 0n) + micros)
    }
    return [...byDay.values()].reduce((most, sum) => (sum > most ? sum : most), 0n)
  }

  const checkAnswer = (request: Request, answer: E.Either<object, object>): void => {
    const { gateway, writtenAt, countsFor, workspace, to } = request
    const { _tag, messageId, replayed } = (E.isLeft(answer) ? answer.left : answer.right) as {
      readonly _tag?: string
      readonly messageId?: MessageId
      readonly replayed?: boolean
    }
    if (_tag === 'WindowClosed') {
      const isOpen = writtenAt !== undefined && written.has(countsFor) && gateway.now() - writtenAt < WINDOW_MS
      check(!isOpen, 'an open window is not called closed', () => `${to} wrote to ${workspace} at ${writtenAt}, and it is ${gateway.now()}`)
      const closed = lastUnderAny(workspace, to)
      if (closed !== undefined && gateway.now() - closed < WINDOW_MS + SECOND_MS) world.reach('window: closed for less than a second')
      if (closed !== undefined && gateway.now() - closed < WINDOW_MS + MINUTE_MS) world.reach('window: closed for less than a minute')
    }
    if (_tag === 'CustomerOptedOut') {
      check(request.hasStopped !== false, 'who takes marketing messages gets them', () => `${to} of ${workspace} has not stopped them`)
      world.reach('a customer has stopped marketing messages')
    }
    if (_tag === 'SpendingLimitReached' && replayed !== true) {
      const { limit, mostSpent, key } = request
      const isReached = limit !== undefined && mostSpent + HIGHEST_PRICE > limit
      check(isReached, 'a key may spend up to its limit', () => `${key} of ${workspace} had spent at most ${mostSpent} of ${limit} in a day`)
    }
    const isLed = to === numbers.find(workspace, to)?.dialled && countsFor !== of(workspace, to)
    if (isLed && E.isRight(answer)) world.reach('a message goes to a customer whom the platform knows by another number')
    if (isLed && _tag === 'CustomerOptedOut') world.reach('a customer stops marketing messages under another number')
    if (_tag === 'PortFailure' && world.now() - request.begunAt >= LEAVES_WITHIN_MS) world.reach('a storage is too slow for a send')
    if (replayed === true) return
    const isRefused = _tag === 'CredentialsRefused' && messageId !== undefined
    if (E.isRight(answer) && request.isFailing === true) {
      check(request.noted === 'recovered', 'a sender that works again is noted as recovered', () => workspace)
    }
    if (isRefused && request.isFailing === false) {
      check(request.noted === 'failing', 'a sender that is refused is noted as failing', () => workspace)
    }
  }

  const onLost: Rules['onLost'] = ({ port, method, args }) => {
    const request = requests.getStore()
    if (request !== undefined && port === 'senders' && method === 'noteHealth') request.noted = args[1] === true ? 'failing' : 'recovered'
  }

  const onDone: Rules['onDone'] = (call, answer, types) => {
    const { port, method, args: [first, second, third] } = call
    const workspace = first as WorkspaceId
    const isDone = typeof answer === 'object' && answer !== null && '_tag' in answer && answer._tag === 'Right'
    switch (`${port}.${method}`) {
      case 'windowClock.recordInbound': recordInbound(workspace, second as CustomerIds, third as Instant, isDone); break
      case 'customers.learn': learn(of(workspace, second as string), third as CustomerFact, isDone); break
      case 'personalData.erase': for (const id of idsIn(second as CustomerIds & DialledNumbers)) erase(workspace, id); break
      case 'personalData.forgetBefore': numbers.onGone(); break
      case 'senders.senderOf': readSender(answer as E.Either<unknown, O.Option<Sender>>); break
      case 'senders.noteHealth':
        onLost(call)
        return noteHealth(
          workspace, second as boolean, isDone ? (answer as E.Right<boolean>).right : types.some((type) => type.startsWith('sender.')),
        )
    }
    return []
  }

  const recordInbound = (workspace: WorkspaceId, { phoneNumber }: CustomerIds, at: Instant, isDone: boolean): void => {
    const customer = of(workspace, String(phoneNumber))
    everWritten.set(customer, Math.max(at, everWritten.get(customer) ?? 0))
    if (isDone) written.set(customer, Math.max(at, written.get(customer) ?? 0))
  }

  const learn = (customer: string, { _tag, at }: CustomerFact, isDone: boolean): void => {
    if (_tag !== 'MarketingStopped' && _tag !== 'MarketingResumed') return
    const [before, stopped] = [choices.get(customer), _tag === 'MarketingStopped']
    if (before !== undefined && before.at > at) return
    const isCertain = isDone && (before === undefined || before.at < at || before.stopped === stopped)
    choices.set(customer, { at, stopped: isCertain ? stopped : undefined })
    if (before?.stopped !== stopped) changed(customer)
    world.reach(stopped ? 'a customer stops marketing messages' : 'a customer takes marketing messages again')
  }

  const erase = (workspace: string, id: string): void => {
    const customer = of(workspace, id)
    const person = numbers.find(workspace, id)
    if (person !== undefined) numbers.onGone(person)
    written.delete(customer)
    choices.delete(customer)
    changed(customer)
  }

  const readSender = (answer: E.Either<unknown, O.Option<Sender>>): void => {
    const request = requests.getStore()
    if (request !== undefined && E.isRight(answer) && O.isSome(answer.right)) {
      request.isFailing = answer.right.value.failingSince !== undefined
    }
  }

  /** Of identical concurrent notes, only one changes something and makes the event. */
  const noteHealth = (workspace: WorkspaceId, isFailing: boolean, hasChanged: boolean): ReadonlyArray<string> => {
    check(!hasChanged || (failing.get(workspace) ?? false) !== isFailing, 'the health of a sender changes once', () => `${workspace} is noted as ${isFailing ? 'failing' : 'recovered'} again`)
    if (!hasChanged) return []
    failing.set(workspace, isFailing)
    const type = isFailing ? 'sender.failing' : 'sender.recovered'
    world.reach(type)
    return [type]
  }

  const onOpened: Rules['onOpened'] = ({ id, workspace, message, price: { micros, category }, cost = micros, at }) => {
    const charge = CHARGES[category] ?? -1n
    const isFree = micros === 0n && category === 'service'
    check(
      isFree ? cost === 0n : micros === priceIn(workspace, charge) && cost === charge, 'a workspace pays its own price, beside what it costs',
      () => `${id} of ${workspace} is ${category} at ${micros}, and costs ${cost}`,
    )
    if (!isFree && micros > cost) world.reach('a price above its cost')
    const request = requests.getStore()
    if (request === undefined) return undefined
    const { gateway, begunAt, phoneNumberId, key, limit } = request
    const begun = gateway.now() - (world.now() - begunAt)
    check(at >= begun && at <= gateway.now(), 'a message is dated by the clock of its gateway', () => `${id} is of ${at}, and was opened from ${begun} to ${gateway.now()}`)
    if (message._tag !== 'Template') {
      // A gateway's decision is judged by its own clock, which also sets the message's timestamp.
      const all = numbersOf(workspace, message.to).flatMap((number) => [...platform().writtenAt(phoneNumberId, number)])
      const last = lastUnderAny(workspace, message.to)
      const left = last === undefined ? 0 : last + WINDOW_MS - at
      check(last === undefined || all.includes(last), 'a customer wrote when the platform says so', () => `${message.to} at ${last}`)
      check(left > 0, 'the window is 24 hours', () => `${id} is opened at ${at}, and ${message.to} wrote at ${last}: ${-left} ms too late`)
      if (left <= MINUTE_MS) world.reach('window: open for a last minute')
      if (left <= SECOND_MS) world.reach('window: open for a last second')
    }
    return limit === undefined ? undefined : { key, limit, day: Math.floor(at / DAY_MS) }
  }

  const onHold: Rules['onHold'] = (message, before) => {
    const { spent, hold, id } = message
    if (spent === undefined) return
    const { key, limit, day } = spent
    const most = mostSpentBy(key)
    for (const request of underWay) if (request.key === key && request.mostSpent < most) request.mostSpent = most
    if (before === 'released' && hold === 'captured') passed.add(`${key} ${day}`)
    if (before !== undefined || hold !== 'held' || passed.has(`${key} ${day}`)) return
    const counted = [...messages()].filter((one) => one.spent?.key === key && (one.hold === 'held' || one.hold === 'captured'))
    const sum = counted.reduce((all, one) => (one.spent?.day === day ? all + one.micros : all), 0n)
    check(sum <= limit, 'a key keeps its limit of a day', () => `${id} is paid for, and its key has spent ${sum} of ${limit}`)
    if (sum === limit) world.reach('a key spends its limit to the last')
    if (counted.some((one) => one.spent?.day === day - 1)) world.reach('a key spends on two days')
    const gateways = new Set(counted.map((one) => byWhom.get(one.id)))
    if (gateways.size > 1) world.reach('a key spends through several gateways')
  }

  const byWhom = new Map<MessageId, string>()

  const onLeaving: Rules['onLeaving'] = ({ id }) => {
    const request = requests.getStore()
    if (request === undefined) return
    byWhom.set(id, request.gateway.name)
    const took = world.now() - request.begunAt
    check(took < LEAVES_WITHIN_MS, 'what was opened too late never leaves', () => `${id} leaves after ${took} ms`)
    if (took >= LEAVES_WITHIN_MS / 2) world.reach('a message leaves late')
  }

  const onTaken: Rules['onTaken'] = ({ id, message }) => {
    const request = requests.getStore()
    if (request === undefined || message._tag !== 'Template' || message.name !== OFFER) return
    const { workspace, to, countsFor, hasStopped } = request
    check(hasStopped !== true, 'who stopped marketing messages gets none', () => `${id} to ${to} of ${workspace}`)
    if (choices.get(countsFor)?.stopped === true) world.reach('a customer stops marketing messages while one is under way')
  }

  const backUp: BackUp = () => {
    const copies = [[written, new Map(written)], [choices, new Map(choices)], [failing, new Map(failing)]] as const
    return () => {
      for (const [map, copy] of copies) refill<unknown, unknown>(map as Map<unknown, unknown>, copy)
      numbers.onGone()
      for (const request of underWay) request.hasStopped = undefined
    }
  }

  return { during, onLost, onDone, onOpened, onHold, onLeaving, onTaken, numbers, backUp }
}

/** Every id in the request of an erasure. */
const idsIn = ({ phoneNumber, userId, dialled = [] }: CustomerIds & DialledNumbers): ReadonlyArray<string> =>
  [phoneNumber, userId, ...dialled.map(({ number }) => number)].filter((id) => id !== undefined)
