import { AsyncLocalStorage } from 'node:async_hooks'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type CustomerId, type CustomerIds, type DialledNumbers, isUserId } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { Draft } from '../../core/messages/message-log.js'
import type { MessageId, MessageState } from '../../core/messages/message.js'
import type { HoldState } from '../../core/money/wallet.js'
import type { Report } from '../../core/reports/receive.js'
import type { Sender, SenderId, SenderInUse, SenderOf } from '../../core/senders/sender.js'
import type { Outbound } from '../../core/sending/dispatch.js'
import { type BackUp, refill } from './backup.js'
import type { Gateway, StorageCall } from './gateway.js'
import { makeNumbers, type Numbers, type Renumbered } from './numbers.js'
import { OFFER, type SimulatedPlatform, type Told } from './platform.js'
import { ACCOUNT, accountOf, changeBy, type SenderChange, type Senders, type SimulatedSender } from './senders.js'
import { makeStops } from './stops.js'
import type { World } from './world.js'

/** A send as an application requests it from a gateway, and its key. */
export type Asked = {
  readonly gateway: Gateway
  readonly workspace: WorkspaceId
  /** The sender that it names, if any. */
  readonly sender: SenderId | undefined
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
  /** The sender and the number to which a message of the customer counts; the workspace and the number to which a choice counts. */
  readonly countsFor: string
  readonly choosesFor: string
  /** The id through which it goes; undefined if its workspace has no such sender. The ids through which it may go, because that changed meanwhile. */
  readonly goesThrough: SenderId | undefined
  readonly mayGoThrough: Set<SenderId>
  isChanged?: true
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
type Priced = {
  readonly id: MessageId; readonly state: MessageState; readonly micros: bigint; readonly hold: HoldState | undefined
  readonly spent: Spent | undefined
}

/** The promises about a send: its sender, its window, its customer's choice, its key's limit, its time, and the health of its sender. */
export type Rules = {
  /** The platform sends a report to a gateway. */
  readonly onReport: (report: Report, tell: () => Promise<Told>) => Promise<Told>
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
  readonly onLeaving: (outbound: Pick<Outbound, 'id'>) => void
  /** The platform accepts a message. */
  readonly onTaken: (outbound: Outbound) => void
  /** When a customer last wrote to a sender, under any of the ids that may open the window. */
  readonly lastWritten: (sender: SenderId, to: string) => Instant | undefined
  /** The sender of a message, and that it has moved to another one. */
  readonly senderOf: (message: MessageId) => SenderId | undefined
  readonly onMoved: (message: MessageId, to: SenderId) => void
  /** The numbers by which the platform knows customers. */
  readonly numbers: Numbers
  readonly senders: Senders
  readonly backUp: BackUp
}

/** The parts that the rules observe. */
export type RuleParts = {
  readonly world: World
  readonly platform: () => Pick<SimulatedPlatform, 'writtenAt'>
  readonly messages: () => Iterable<Priced>
  readonly people: ReadonlyArray<Renumbered>
  readonly senders: Senders
  readonly check: (isKept: boolean, promise: string, seen: () => string) => void
}

/** The customer service window, the day of a limit, and how long after its request began a send may call the platform: written again here. */
const [WINDOW_MS, DAY_MS] = [24 * HOUR_MS, 24 * HOUR_MS]
const LEAVES_WITHIN_MS = 20 * SECOND_MS

/** What the platform charges for each category: written again here. */
const CHARGES: Readonly<Record<string, bigint>> = { service: 10_000n, marketing: 40_000n, utility: 20_000n, authentication: 30_000n }

/** The price of a charge in a workspace: the second one pays a quarter more. */
const priceIn = (workspace: WorkspaceId, charge: bigint): bigint => (workspace.endsWith('2') ? charge / 4n * 5n : charge)

/** The highest price of a message in the simulation, and how long reports for the former id of a moved number count, minus the difference of clocks. */
const [HIGHEST_PRICE, FORMER_ID_MS] = [50_000n, 7 * DAY_MS - MINUTE_MS]

/** The category of the template in the other business account, and of all offers. A template that no gateway has read yet is priced as marketing, too. */
const isMarketing = (sender: SenderId, name: string): boolean => name === OFFER || accountOf(sender) !== ACCOUNT

/** Makes the checker of sends. */
export const makeRules = ({ world, platform, messages, people, senders, check }: RuleParts): Rules => {
  const requests = new AsyncLocalStorage<Request>()
  const underWay = new Set<Request>()
  const reported = new Set<{ readonly sender: SimulatedSender; readonly ids: ReadonlyArray<CustomerId>; readonly at: Instant }>()
  /** By sender and customer. Reported data is never forgotten here, because a send may have read it before. The other id of a customer who named both. */
  const [everWritten, written, pairs] = [new Map<string, Instant>(), new Map<string, Instant>(), new Map<string, CustomerId>()]
  /** When the user ids of a sender became those of another business account. */
  const formerUserIds = new Map<string, Instant>()
  /** Increases when data of a workspace's customers may be gone. */
  const gone = new Map<WorkspaceId, number>()
  const [failing, goingThrough] = [new Map<SenderId, boolean>(), new Map<MessageId, SenderId>()]
  /** Keys and days whose limit was exceeded by a late report: a hold that is captured after its release counts again. */
  const passed = new Set<string>()
  const of = (workspace: string, customer: string): string => `${workspace} ${customer}`
  const stops = makeStops((customer) => {
    for (const request of underWay) if (request.choosesFor === customer) request.hasStopped = undefined
  })

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
  /** The ids under which a message of the customer to a sender may open the window of an id. */
  const idsOf = ({ name, workspace }: SimulatedSender, to: string): ReadonlyArray<string> => {
    const person = numbers.find(workspace, to)
    return person === undefined ? [to, ...[pairs.get(of(name, to)) ?? []].flat()] : [person.dialled, ...person.others]
  }
  const lastUnderAny = (sender: SimulatedSender, to: string): Instant | undefined =>
    idsOf(sender, to).map((id) => everWritten.get(of(sender.name, id)))
      .reduce((last, at) => (at === undefined || (last ?? at) > at ? last : at), undefined)
  const later = (map: Map<string, Instant>, key: string, at: Instant): void => void map.set(key, Math.max(at, map.get(key) ?? 0))

  const during: Rules['during'] = async (asked, send) => {
    const { workspace, to } = asked
    const goesThrough = senders.chosen(workspace, asked.sender)
    const { name = '' } = (goesThrough && senders.find(goesThrough)) ?? {}
    const number = countedNumber(workspace, to)
    const [countsFor, choosesFor] = [of(name, number ?? to), of(workspace, number ?? to)]
    const hasStopped = number === undefined ? undefined : stops.hasStopped(choosesFor, name)
    const writtenAt = number === undefined ? undefined : written.get(countsFor)
    const request: Request = {
      ...asked, begunAt: world.now(), hasStopped, writtenAt, countsFor, choosesFor, goesThrough,
      mayGoThrough: new Set(goesThrough === undefined ? [] : [goesThrough]), mostSpent: mostSpentBy(asked.key),
    }
    underWay.add(request)
    try {
      const answer = await requests.run(request, send)
      checkAnswer(request, answer)
      return answer
    } finally {
      underWay.delete(request)
    }
  }

  /** Whether a workspace has a sender under an id now, or reports for this former id still count. */
  const isHad = (id: SenderId): boolean => senders.has(id) || world.now() - (senders.movedAt(id) ?? -Infinity) < FORMER_ID_MS

  const onReport: Rules['onReport'] = async (report, tell) => {
    const sender = 'phoneNumberId' in report ? senders.find(report.phoneNumberId) : undefined
    if (!('phoneNumberId' in report) || sender === undefined) return tell()
    const [{ phoneNumberId: id }, { workspace, name }] = [report, sender]
    const [wasHad, isFormer, goneBefore] = [isHad(id), senders.movedAt(id) !== undefined, gone.get(workspace)]
    // User ids belong to a business account, so those in a report for a former id mean nothing.
    const { phoneNumber, userId }: CustomerIds = report._tag === 'Inbound' ? report.customer : {}
    const ids = [phoneNumber, isFormer ? undefined : userId].filter((one) => one !== undefined)
    const begun = { sender, ids, at: 'at' in report ? report.at : 0 }
    reported.add(begun)
    for (const one of ids) later(everWritten, of(name, one), begun.at)
    if (phoneNumber !== undefined && userId !== undefined && !isFormer) {
      pairs.set(of(name, phoneNumber), userId)
      pairs.set(of(name, userId), phoneNumber)
    }
    const onChosen = report._tag === 'MarketingPreference'
      ? stops.onReported(of(workspace, String(report.customer.phoneNumber)), { sender: name, at: report.at, stopped: report.stopped })
      : undefined
    const answer = await tell()
    reported.delete(begun)
    if (answer === 'lost' || E.isLeft(answer)) return answer
    if (answer.right.includes('unknown_sender')) {
      const namesNumber = report._tag !== 'Inbound' || phoneNumber !== undefined
      const isDropped = wasHad && isHad(id) && (senders.has(id) || namesNumber)
      check(!isDropped, 'a report for a sender is not dropped', () => `${report._tag} for ${id} of ${workspace}`)
      world.reach(isFormer ? 'sender: a report for a former id is dropped' : 'sender: a report for a removed sender is dropped')
      return answer
    }
    if (isFormer) world.reach(`sender: a report for a former id: ${report._tag}`)
    onChosen?.()
    if (report._tag === 'MarketingPreference') {
      world.reach(report.stopped ? 'a customer stops marketing messages' : 'a customer takes marketing messages again')
    }
    if (gone.get(workspace) === goneBefore) for (const one of ids) later(written, of(name, one), begun.at)
    return answer
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
    const { gateway, writtenAt, countsFor, choosesFor, workspace, to, goesThrough } = request
    const sender = goesThrough && senders.find(goesThrough)
    const { _tag, messageId, replayed } = (E.isLeft(answer) ? answer.left : answer.right) as {
      readonly _tag?: string
      readonly messageId?: MessageId
      readonly replayed?: boolean
    }
    if (_tag === 'WindowClosed') {
      const isOpen = writtenAt !== undefined && written.has(countsFor) && gateway.now() - writtenAt < WINDOW_MS
      check(!isOpen, 'an open window is not called closed', () => `${to} wrote to ${workspace} at ${writtenAt}, and it is ${gateway.now()}`)
      const closed = sender && lastUnderAny(sender, to)
      if (closed !== undefined && gateway.now() - closed < WINDOW_MS + SECOND_MS) world.reach('window: closed for less than a second')
      if (closed !== undefined && gateway.now() - closed < WINDOW_MS + MINUTE_MS) world.reach('window: closed for less than a minute')
      const isOpenAt = ({ name }: SimulatedSender): boolean => gateway.now() - (written.get(of(name, to)) ?? 0) < WINDOW_MS
      if (senders.all.some((other) => other.workspace === workspace && other !== sender && isOpenAt(other))) {
        world.reach('sender: a window is closed, and open at another sender')
      }
      if (formerUserIds.has(countsFor)) world.reach('sender: the window of a former user id is closed')
    }
    if (_tag === 'UnknownSender' || _tag === 'SenderNotConfigured') {
      const isThere = goesThrough !== undefined && request.isChanged === undefined
      check(!isThere, 'a sender of the workspace is found', () => `${goesThrough} of ${workspace}: ${_tag}`)
    }
    if (_tag === 'TemplateNotApproved') {
      const mayBePaused = [...request.mayGoThrough].some((id) => accountOf(id) === ACCOUNT)
      check(mayBePaused, 'a template counts for its own business account', () => `it is paused at ${ACCOUNT}, and not at ${goesThrough}`)
    }
    if (_tag === 'CustomerOptedOut') {
      check(request.hasStopped !== false, 'who takes marketing messages gets them', () => `${to} of ${workspace} has not stopped them`)
      world.reach('a customer has stopped marketing messages')
      if (sender !== undefined && !stops.isAt(choosesFor, sender.name)) world.reach('sender: a customer has stopped marketing messages at another sender')
    }
    if (_tag === 'SpendingLimitReached' && replayed !== true) {
      const { limit, mostSpent, key } = request
      const isReached = limit !== undefined && mostSpent + HIGHEST_PRICE > limit
      check(isReached, 'a key may spend up to its limit', () => `${key} of ${workspace} had spent at most ${mostSpent} of ${limit} in a day`)
    }
    const isLed = to === numbers.find(workspace, to)?.dialled && choosesFor !== of(workspace, to)
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
    const { port, method, args: [first, second] } = call
    const isDone = typeof answer === 'object' && answer !== null && '_tag' in answer && answer._tag === 'Right'
    const change = changeBy(call)
    if (change !== undefined) onChange(change, answer as E.Either<{ readonly _tag: string }, void>)
    switch (`${port}.${method}`) {
      case 'personalData.erase':
        for (const one of second as ReadonlyArray<CustomerIds & DialledNumbers>) {
          for (const id of idsIn(one)) erase(first as WorkspaceId, id, isDone)
        }
        break
      case 'personalData.forgetBefore': numbers.onGone(); break
      case 'senders.senderOf': readSender(answer as E.Either<unknown, O.Option<Sender>>); break
      case 'senders.noteHealth':
        onLost(call)
        return noteHealth(
          (first as SenderOf).sender, second as boolean,
          isDone ? (answer as E.Right<boolean>).right : types.some((type) => type.startsWith('sender.')),
        )
    }
    return []
  }

  /** A sender is removed or replaced only when none of its messages is under way, and is refused only then. */
  const onChange = (change: SenderChange, answer: E.Either<{ readonly _tag: string }, void>): void => {
    const { workspace, sender: id, method } = change
    const ofSender = [...messages()].filter((message) => isUnderWay(message) && goingThrough.get(message.id) === id)
    const isInUse = ofSender.some(({ state }) => method === 'remove' || state !== 'queued')
    if (E.isLeft(answer)) {
      world.reach(`sender: ${method}: ${answer.left._tag}`)
      if (answer.left._tag !== 'SenderInUse') return
      const { count } = answer.left as SenderInUse
      return check(isInUse === count > 0, 'a sender without messages under way may be removed or replaced', () => id)
    }
    const ends = ['remove', 'replace'].includes(method)
    check(!isInUse || !ends, 'a sender with messages under way is not removed or replaced', () => id)
    world.reach(`sender: ${method}`)
    senders.onChange(change, world.now())
    if (ends) failing.delete(id)
    if (method === 'replace') for (const { id: message } of ofSender) goingThrough.set(message, change.by)
    const sender = senders.find(id)
    if (sender !== undefined && method === 'replace') forgetUserIds(sender)
    for (const request of underWay) {
      if (request.workspace !== workspace) continue
      const now = senders.chosen(workspace, request.sender)
      if (now !== undefined) request.mayGoThrough.add(now)
      if (now === request.goesThrough) continue
      request.isChanged = true
      request.writtenAt = undefined
      request.hasStopped = request.hasStopped === true ? true : undefined
      world.reach('sender: the sender of a send changes while it is under way')
    }
  }

  /** A customer's window of a user id becomes that of the number, and the user ids of the previous business account mean nothing. */
  const forgetUserIds = (sender: SimulatedSender): void => {
    const { name, workspace } = sender
    gone.set(workspace, (gone.get(workspace) ?? 0) + 1)
    for (const key of [...everWritten.keys()].filter((one) => one.startsWith(`${name} `))) {
      const [id, at, number] = [key.slice(name.length + 1) as CustomerId, everWritten.get(key), pairs.get(key)]
      if (!isUserId(id) || at === undefined) continue
      if (number !== undefined) later(everWritten, of(name, number), at)
      everWritten.delete(key)
      written.delete(key)
      formerUserIds.set(key, world.now())
    }
    for (const key of [...pairs.keys()].filter((one) => one.startsWith(`${name} `))) pairs.delete(key)
    // A gateway that processes a report may have found the sender before it moved.
    for (const one of reported) {
      if (one.sender === sender) for (const id of one.ids) later(everWritten, of(name, id), one.at)
    }
  }

  /** An erasure that fails may have erased something. */
  const erase = (workspace: WorkspaceId, id: string, isDone: boolean): void => {
    const person = numbers.find(workspace, id)
    if (person !== undefined) numbers.onGone(person)
    gone.set(workspace, (gone.get(workspace) ?? 0) + 1)
    for (const sender of senders.all) if (sender.workspace === workspace) written.delete(of(sender.name, id))
    stops.onGone(of(workspace, id), isDone)
  }

  const readSender = (answer: E.Either<unknown, O.Option<Sender>>): void => {
    const request = requests.getStore()
    if (request !== undefined && E.isRight(answer) && O.isSome(answer.right)) {
      request.isFailing = answer.right.value.failingSince !== undefined
    }
  }

  /** Of identical concurrent notes, only one changes something and makes the event. */
  const noteHealth = (sender: SenderId, isFailing: boolean, hasChanged: boolean): ReadonlyArray<string> => {
    check(!hasChanged || (failing.get(sender) ?? false) !== isFailing, 'the health of a sender changes once', () => `${sender} is noted as ${isFailing ? 'failing' : 'recovered'} again`)
    if (!hasChanged) return []
    failing.set(sender, isFailing)
    const type = isFailing ? 'sender.failing' : 'sender.recovered'
    world.reach(type)
    return [type]
  }

  const onOpened: Rules['onOpened'] = ({
    id, workspace, sender: through, message, price: { micros, category }, cost = micros, at, queue,
  }) => {
    const charge = CHARGES[category] ?? -1n
    const isFree = micros === 0n && category === 'service'
    check(
      isFree ? cost === 0n : micros === priceIn(workspace, charge) && cost === charge, 'a workspace pays its own price, beside what it costs',
      () => `${id} of ${workspace} is ${category} at ${micros}, and costs ${cost}`,
    )
    if (!isFree && micros > cost) world.reach('a price above its cost')
    const request = requests.getStore()
    if (request === undefined || queue !== undefined) {
      if (through !== undefined) goingThrough.set(id, through)
      return undefined
    }
    const { gateway, begunAt, key, limit } = request
    const sender = through && senders.find(through)
    if (through === undefined || sender === undefined || !request.mayGoThrough.has(through)) {
      world.violate('a message goes through the sender that its request names, or the default one', `${id} of ${workspace} goes through ${through}, and not ${[...request.mayGoThrough].join()}`)
      return undefined
    }
    goingThrough.set(id, through)
    if (!senders.has(through)) world.reach('sender: a message is opened after its sender was removed or replaced')
    if (senders.chosen(workspace, undefined) !== through) world.reach('sender: a message goes through another sender than the default one')
    if (message._tag === 'Template') {
      const isOwn = category === 'marketing' || (category === 'utility' && !isMarketing(through, message.name))
      check(isOwn, 'a template has the price of its own business account', () => `${message.name} of ${accountOf(through)} is ${category}`)
    }
    const begun = gateway.now() - (world.now() - begunAt)
    check(at >= begun && at <= gateway.now(), 'a message is dated by the clock of its gateway', () => `${id} is of ${at}, and was opened from ${begun} to ${gateway.now()}`)
    if (message._tag !== 'Template') {
      // A gateway's decision is judged by its own clock, which also sets the message's timestamp.
      const all = idsOf(sender, message.to).flatMap((one) => [...platform().writtenAt(sender, one)])
      const last = lastUnderAny(sender, message.to)
      const movedAt = formerUserIds.get(of(sender.name, message.to))
      if (last === undefined && movedAt !== undefined) {
        check(begunAt < movedAt, 'a user id from before a move opens no window', () => `${id} to ${message.to}, and ${through} has moved at ${movedAt}`)
        return undefined
      }
      const left = last === undefined ? 0 : last + WINDOW_MS - at
      check(last === undefined || all.includes(last), 'a customer wrote when the platform says so', () => `${message.to} at ${last}`)
      check(left > 0, 'the window is 24 hours', () => `${id} is opened at ${at}, and ${message.to} wrote at ${last}: ${-left} ms too late`)
      if (sender.ids[0] !== through && all.some((at) => at === last && at < (senders.movedAt(sender.ids.at(-2) ?? through) ?? 0))) {
        world.reach('sender: the window of a number is open after it has moved')
      }
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

  const onTaken: Rules['onTaken'] = ({ id, message, sender: { phoneNumberId } }) => {
    const request = requests.getStore()
    check(goingThrough.get(id) === phoneNumberId, 'a message goes through the sender of its record', () => `${id} goes through ${phoneNumberId}, and its record has ${goingThrough.get(id)}`)
    if (request === undefined || message._tag !== 'Template' || !isMarketing(phoneNumberId, message.name)) return
    const { workspace, to, choosesFor, hasStopped } = request
    check(hasStopped !== true, 'who stopped marketing messages gets none', () => `${id} to ${to} of ${workspace}`)
    if (stops.hasStopped(choosesFor, '') === true) world.reach('a customer stops marketing messages while one is under way')
  }

  const backUp: BackUp = () => {
    const [copies, putStopsBack] = [[[written, new Map(written)], [failing, new Map(failing)]] as const, stops.backUp()]
    return () => {
      putStopsBack()
      for (const { workspace } of senders.all) gone.set(workspace, (gone.get(workspace) ?? 0) + 1)
      for (const [map, copy] of copies) refill<unknown, unknown>(map as Map<unknown, unknown>, copy)
      numbers.onGone()
      for (const request of underWay) request.hasStopped = undefined
    }
  }

  return {
    during, onReport, onLost, onDone, onOpened, onHold, onLeaving, onTaken, numbers, senders, backUp,
    senderOf: (message) => goingThrough.get(message),
    onMoved: (message, to) => { goingThrough.set(message, to) },
    lastWritten: (id, to) => {
      const sender = senders.find(id)
      return sender && lastUnderAny(sender, to)
    },
  }
}

const isUnderWay = ({ state }: Priced): boolean => state === 'queued' || state === 'pending' || state === 'unconfirmed'

/** Every id in the request of an erasure. */
const idsIn = ({ phoneNumber, userId, dialled = [] }: CustomerIds & DialledNumbers): ReadonlyArray<string> =>
  [phoneNumber, userId, ...dialled.map(({ number }) => number)].filter((id) => id !== undefined)
