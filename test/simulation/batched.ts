import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Batch, BatchChange, BatchRef, BatchState } from '../../core/batches/batch.js'
import type { Submitted } from '../../core/batches/submit.js'
import type { BatchId, WorkspaceId } from '../../core/kernel/ids.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { Draft } from '../../core/messages/message-log.js'
import type { MessageId } from '../../core/messages/message.js'
import type { SharedHolds } from '../../core/money/shared-holds.js'
import type { SenderInUse, SenderOf } from '../../core/senders/sender.js'
import type { Outbound } from '../../core/sending/dispatch.js'
import type { Gateway, SimulatedStorage, StorageCall } from './gateway.js'
import type { Pass } from './pass.js'
import { HOLD_OF, type Known } from './states.js'
import type { World } from './world.js'

/** A line as an application gives it: its number, its customer as written, and the digits of that customer; none if it is not a phone number. */
export type GivenLine = { readonly line: number; readonly to: string; readonly digits: string | undefined }

/** A batch as an application requests it with a key. No other request has its name, except those that repeat it. */
export type AskedBatch = {
  readonly workspace: WorkspaceId; readonly key: string; readonly name: string; readonly lines: ReadonlyArray<GivenLine>
}

/** A batch as the simulation knows it, apart from the storage. */
type KnownBatch = {
  readonly workspace: WorkspaceId
  readonly id: BatchId
  readonly lines: ReadonlyArray<GivenLine>
  /** The request with a key that made it, if one did. */
  readonly asked: AskedBatch | undefined
  readonly state: BatchState
  /** Since when, and the number of that time. */
  readonly since: Instant
  readonly tick: number
  readonly total: bigint | undefined
  readonly isHeld: boolean
  /** When it was settled. */
  readonly settledAt: number | undefined
  /** The messages of its lines. */
  readonly messages: ReadonlyMap<number, MessageId>
}

/** What a customer said about messages: stopped marketing messages or all, or allowed them again. */
export type Statement = {
  readonly customer: string; readonly topic: 'marketing' | 'all'; readonly hasStopped: boolean
  readonly at: Instant
  /** When a gateway had confirmed it: the lower number came first. */
  keptAt?: number
}

/** The promises about batches and about the consent of their customers; they share no rule with the core. */
export type Batched = {
  /** An application adds lines to a draft. */
  readonly onLines: (of: BatchRef, lines: ReadonlyArray<GivenLine>) => void
  /** An application requests a batch with a key. The returned function is called with the answer. */
  readonly onSubmit: (asked: AskedBatch) => (answer: E.Either<{ readonly _tag: string }, Submitted>) => void
  /** A customer says something. The returned function is called when a gateway has confirmed it. */
  readonly onStatement: (said: Omit<Statement, 'at' | 'keptAt'>) => () => void
  /** A call has had its effect. */
  readonly onDone: (call: StorageCall, answer: unknown) => Promise<void>
  readonly onOpened: (draft: Draft) => void
  /** A gateway starts to send a message in a pass over the queue, and the number of the time of its claim. */
  readonly onLeaving: (outbound: Outbound, gateway: Gateway, pass: Pass | undefined, claimedAt: number | undefined) => void
  readonly onTaken: (outbound: Outbound) => void
  /** Whether a shared hold is one of a batch. */
  readonly has: (hold: BatchId) => boolean
  /** Whether a batch has something left to do. */
  readonly areOpen: () => boolean
  readonly atTheEnd: () => Promise<void>
}

/** The parts that the checker observes. */
export type BatchedParts = {
  readonly world: World
  readonly storage: Pick<SimulatedStorage, 'batches' | 'ledger'> & { readonly sharedHolds: Pick<SharedHolds, 'find'> }
  readonly known: ReadonlyMap<MessageId, Known>
  readonly check: (isKept: boolean, promise: string, seen: () => string) => void
}

/** The allowed next states, according to the documents. */
const MAY_FOLLOW: Readonly<Record<BatchState, ReadonlyArray<BatchState>>> = {
  draft: ['confirmed', 'canceled'], confirmed: ['draft', 'sending', 'paused', 'canceled', 'done'],
  sending: ['paused', 'canceled', 'done'], paused: ['confirmed', 'canceled', 'done'], done: [], canceled: [],
}

/** The message that a gateway wants for a line. */
type Assigned = { readonly line: number; readonly message: MessageId }

/** How long a gateway may remember the state of a batch, and by how much the times of statements may differ from the real ones. */
const REMEMBERED_MS = SECOND_MS
const UNSURE_MS = 5 * SECOND_MS

/** The prices of a line: the template is one of utility messages in one business account, and of marketing messages in the other. */
const PRICES = [20_000n, 40_000n] as const

/** The answers that say nothing about the batch of a key: its outcome is not known yet, or the workspace was archived. */
const UNKNOWN: ReadonlyArray<string> = ['PortFailure', 'IdempotencyInProgress', 'Forbidden']

/** Makes the checker. */
export const makeBatched = ({ world, storage, known, check }: BatchedParts): Batched => {
  const [batches, batchOf, taken] = [new Map<BatchId, KnownBatch>(), new Map<MessageId, BatchId>(), new Map<string, MessageId>()]
  const [said, asked] = [new Map<string, ReadonlyArray<Statement>>(), new Map<string, AskedBatch>()]

  /** Whether a customer had stopped these messages for certain: a gateway had confirmed it, and the customer cannot have allowed them again. */
  const hasStopped = (customer: string, topic: Statement['topic'], before: number): boolean => {
    const all = (said.get(customer) ?? []).filter((one) => one.topic === topic)
    return all.some((stop) => stop.hasStopped && stop.keptAt !== undefined && stop.keptAt < before
      && all.every((other) => other.hasStopped || other.at + UNSURE_MS < stop.at))
  }

  /** Whoever stopped messages before one of them was claimed does not get it. */
  const checkConsent = (customer: string, id: MessageId, claimedAt: number): void => {
    check(!hasStopped(customer, 'all', claimedAt), 'who stopped all messages gets none of the queue', () => `${id} to ${customer}`)
    const stopped = hasStopped(customer, 'marketing', claimedAt)
    check(!stopped || !isMarketing(id), 'who stopped marketing messages gets none of the queue', () => `${id} to ${customer}`)
    if (stopped) world.reach('consent: another message goes to who stopped marketing messages')
  }

  const addDraft = ({ workspace, batch: id }: BatchRef, lines: ReadonlyArray<GivenLine>, by?: AskedBatch): void => {
    batches.set(id, {
      workspace, id, lines, asked: by, state: 'draft', since: world.now(), tick: world.tick(), total: undefined, isHeld: false,
      settledAt: undefined, messages: new Map(),
    })
  }

  /** The batches that this request and others with its key have made. */
  const withKeyOf = ({ workspace, key }: AskedBatch): ReadonlyArray<KnownBatch> =>
    [...batches.values()].filter((one) => one.workspace === workspace && one.asked?.key === key)

  const onCreated = (given: Batch, stored: Batch): void => {
    const request = asked.get(given.name ?? '')
    if (request === undefined || stored.id !== given.id) return
    // A draft that was canceled has lost its key, because its request was refused.
    const other = withKeyOf(request).find((one) => one.asked !== request && (one.isHeld || one.state !== 'canceled'))
    check(other === undefined, 'a request with the key of another one makes no batch', () => `${given.id} of ${request.name}, beside ${other?.id}`)
    if (withKeyOf(request).length > 0) world.reach('batch: a key makes another batch after a refusal')
    addDraft({ workspace: given.workspace, batch: given.id }, request.lines, request)
  }

  /** A request is answered with the one batch of its key, which is confirmed, or refused if that is the batch of another request. */
  const onSubmit: Batched['onSubmit'] = (request) => {
    asked.set(request.name, request)
    const before = withKeyOf(request)
    return (answer) => {
      const tag = E.isLeft(answer) ? answer.left._tag : answer.right.isReplayed === true ? 'repeated' : 'confirmed'
      world.reach(`batch: submit: ${tag}`)
      const shown = (): string => `${request.name}: ${E.isLeft(answer) ? tag : answer.right.batch.id}`
      if (E.isRight(answer)) {
        const found = batches.get(answer.right.batch.id)
        check(found?.asked === request && found.isHeld, 'a request with a key is answered with its own batch, which is confirmed', shown)
      }
      if (UNKNOWN.includes(tag)) return
      // A key keeps its batch once the total is reserved. Until then, the request may be refused.
      const isConfirmed = (isOwn: boolean): boolean => before.some(({ isHeld, asked: by }) => isHeld && (by === request) === isOwn)
      const isReused = tag === 'IdempotencyKeyReused'
      check(E.isRight(answer) || !isConfirmed(true), 'a request whose batch is confirmed is answered with it', shown)
      check(isReused || !isConfirmed(false), 'another request with the key of a confirmed batch is refused', shown)
      check(!isReused || withKeyOf(request).some((one) => one.asked !== request), 'a key is reused only by another request', shown)
    }
  }

  const noteState = (before: KnownBatch, { state, confirmed, settledAt }: Batch): void => {
    const isMoved = state !== before.state
    check(
      !isMoved || MAY_FOLLOW[before.state].includes(state), 'a batch goes from state to state',
      () => `${before.id}: ${before.state} → ${state}`,
    )
    if (isMoved) {
      world.reach(`batch: ${before.state} → ${state}`)
      world.note('batches', () => `${before.id}: ${before.state} → ${state}`)
    }
    check(
      !before.isHeld || confirmed?.total === before.total, 'a confirmed total stays',
      () => `${before.id}: ${before.total} → ${confirmed?.total}`,
    )
    const one: KnownBatch = {
      ...before, state, total: confirmed?.total, isHeld: confirmed?.heldAt !== undefined,
      settledAt: settledAt === undefined ? undefined : before.settledAt ?? world.tick(),
      ...(isMoved && { since: world.now(), tick: world.tick() }),
    }
    batches.set(one.id, one)
    if (isMoved && state === 'canceled' && waitingOf(one) > 0) world.reach('batch: canceled with queued lines')
    if (one.isHeld && !before.isHeld) {
      checkTotal(one, confirmed?.sendable ?? 0)
      const same = one.asked && withKeyOf(one.asked).find(({ id, isHeld }) => isHeld && id !== one.id)
      check(same === undefined, 'the requests with one key confirm one batch', () => `${one.id} and ${same?.id}: ${one.asked?.key}`)
    }
    if (one.settledAt !== undefined && before.settledAt === undefined) {
      check(waitingOf(one) === 0, 'nothing of a settled batch waits in the queue', () => one.id)
      world.reach(`batch: settled ${state}`)
    }
  }

  const statesOf = ({ messages }: KnownBatch): ReadonlyArray<Known> => [...messages.values()].flatMap((id) => known.get(id) ?? [])
  const waitingOf = (batch: KnownBatch): number => statesOf(batch).filter(({ state }) => state === 'queued').length

  const checkTotal = ({ id, workspace, total, lines }: KnownBatch, sendable: number): void => {
    const prices = PRICES.map((price) => (workspace.endsWith('2') ? price / 4n * 5n : price))
    check(
      prices.some((price) => total === price * BigInt(sendable)), 'the total of a batch is the sum of its prices',
      () => `${id} costs ${total} for ${sendable} lines`,
    )
    const customers = new Set(lines.flatMap(({ digits }) => digits ?? []))
    check(
      sendable <= customers.size, 'a batch is for each of its customers once',
      () => `${id} has ${sendable} lines for ${customers.size} customers`,
    )
  }

  const onAssigned = ({ batch: id }: BatchRef, given: ReadonlyArray<Assigned>, done: ReadonlyArray<number>): void => {
    const batch = batches.get(id)
    if (batch === undefined) return
    const messages = new Map(batch.messages)
    for (const { line, message } of given.filter((one) => done.includes(one.line))) {
      check(!messages.has(line), 'a line has one message', () => `line ${line} of ${id} has ${messages.get(line)}, and gets ${message}`)
      messages.set(line, message)
    }
    if (done.length < given.length) world.reach('batch: two gateways assign the same lines')
    batches.set(id, { ...batch, messages })
  }

  const checkEnd = async (batch: KnownBatch): Promise<void> => {
    const { id, workspace, state, total, settledAt, lines: given } = batch
    if (state === 'draft' || total === undefined) return
    check(
      ['done', 'canceled'].includes(state) && settledAt !== undefined, 'a confirmed batch is done or canceled, and settled, in the end',
      () => `${id} is ${state}`,
    )
    const stored = await storage.batches.find({ workspace, batch: id })
    if (E.isLeft(stored) || O.isNone(stored.right)) return
    const lines = await storage.batches.lines({ workspace, batch: id }, stored.right.value.upload, { after: 0, limit: 100_000 })
    if (E.isLeft(lines)) return
    check(lines.right.length === given.length, 'a batch keeps its lines', () => `${id} has ${lines.right.length} of ${given.length} lines`)
    const seen = new Set<string>()
    for (const { line, problem, message } of lines.right) {
      const own = message === undefined ? undefined : known.get(message)
      const isOver = own !== undefined && own.state !== 'queued' && own.state !== 'pending'
      check(
        isOver !== (problem !== undefined), 'every line of a batch has one outcome',
        () => `line ${line} of ${id}: ${problem}, ${message} is ${own?.state}`,
      )
      check(message === batch.messages.get(line), 'a line keeps its message', () => `line ${line} of ${id}: ${message}`)
      const digits = given.find((one) => one.line === line)?.digits
      const expected = digits === undefined ? 'invalid_phone_number' : seen.has(digits) ? 'duplicate_recipient' : undefined
      if (digits !== undefined) seen.add(digits)
      check(
        expected === undefined || problem === expected, 'a line that cannot be sent says why',
        () => `line ${line} of ${id}: ${problem} instead of ${expected}`,
      )
      if (problem === undefined || expected !== undefined) continue
      const mayHaveStopped = problem === 'customer_opted_out' && said.has(`${workspace} ${digits}`)
      check(
        mayHaveStopped || problem === (state === 'canceled' ? 'canceled' : 'queue_expired'), 'a line that can be sent is sent',
        () => `line ${line} of ${id}: ${problem}`,
      )
    }
    await checkMoney(batch, total)
  }

  /** What was confirmed was charged or given back. */
  const checkMoney = async (batch: KnownBatch, total: bigint): Promise<void> => {
    const { id, workspace } = batch
    const statement = await storage.ledger.statement(workspace, { limit: 100_000 })
    const hold = await storage.sharedHolds.find({ workspace, hold: id })
    if (E.isLeft(statement) || E.isLeft(hold)) return
    const own = new Set<string>(batch.messages.values())
    const charged = statement.right.items.reduce((sum, { kind, message, micros }) => {
      const isOwn = message !== undefined && own.has(message) && (kind === 'capture' || kind === 'refund')
      const amount = micros < 0n ? -micros : micros
      return isOwn ? sum + (kind === 'capture' ? amount : -amount) : sum
    }, 0n)
    const sum = (...holds: ReadonlyArray<Known['hold']>): bigint =>
      statesOf(batch).reduce((micros, one) => (holds.includes(one.hold) ? micros + one.micros : micros), 0n)
    const [kept, back] = [sum('captured'), sum('released', 'refunded')]
    check(charged === kept, 'a batch is charged what its messages cost', () => `${id}: ${charged} instead of ${kept}`)
    const left = hold.right?.left ?? 0n
    check(
      hold.right?.state === 'released' && kept + back + left === total, 'what a batch reserved is charged or given back',
      () => `${id} reserved ${total}: ${kept} is charged, ${back} of messages and ${left} of the rest are given back`,
    )
    check(
      statesOf(batch).every(({ state, hold: of }) => of === undefined || of === HOLD_OF[state]), 'money follows the lines of a batch',
      () => id,
    )
  }

  /** The batches of a sender follow its number, and it is not removed while one of them is neither done nor canceled. */
  const checkSender = async (
    method: string, { workspace, sender }: SenderOf, answer: E.Either<{ readonly _tag: string }, unknown>,
  ): Promise<void> => {
    const found = await storage.batches.list(workspace, { limit: 100_000 })
    if (E.isLeft(found)) return
    const open = found.right.items.filter((one) => one.sender === sender && one.state !== 'done' && one.state !== 'canceled')
    if (E.isRight(answer)) {
      check(open.length === 0, 'a sender that is removed or replaced has no batch to send', () => `${open[0]?.id} of ${sender}`)
    } else if (method === 'remove' && answer.left._tag === 'SenderInUse') {
      const { batches: said = 0 } = answer.left as SenderInUse
      check(said === open.length, 'a sender that is not removed says how many batches it has', () => `${sender}: ${said} instead of ${open.length}`)
      if (said > 0) world.reach('batch: its sender is not removed')
    }
  }

  return {
    onLines: (of, lines) => {
      const before = batches.get(of.batch)
      if (before === undefined) addDraft(of, lines)
      else batches.set(of.batch, { ...before, lines })
    },
    onSubmit,
    onStatement: (one) => {
      const statement: Statement = { ...one, at: world.now() }
      said.set(one.customer, [...said.get(one.customer) ?? [], statement])
      return () => { statement.keptAt ??= world.tick() }
    },
    onDone: async ({ port, method, args: [first, , third] }, answer) => {
      if (port === 'senders' && (method === 'remove' || method === 'replace')) {
        await checkSender(method, first as SenderOf, answer as E.Either<{ readonly _tag: string }, unknown>)
      }
      if (port !== 'batches') return
      if (method === 'change') {
        const { workspace, batch: id } = first as BatchChange
        const [before, found] = [batches.get(id), await storage.batches.find({ workspace, batch: id })]
        if (before !== undefined && E.isRight(found) && O.isSome(found.right)) noteState(before, found.right.value)
      }
      if (method === 'create' && E.isRight(answer as E.Either<unknown, unknown>)) {
        onCreated(first as Batch, (answer as E.Right<Batch>).right)
      }
      if (method === 'assign' && E.isRight(answer as E.Either<unknown, unknown>)) {
        const given = third as ReadonlyArray<Assigned>
        onAssigned(first as BatchRef, given, (answer as E.Right<ReadonlyArray<number>>).right)
      }
    },
    onOpened: ({ id, message: { to }, queue }) => {
      const batch = queue?.batch === undefined ? undefined : batches.get(queue.batch)
      if (batch === undefined) return
      batchOf.set(id, batch.id)
      const line = [...batch.messages].find(([, message]) => message === id)?.[0]
      const given = batch.lines.find((one) => one.line === line)
      check(
        given?.digits === digitsOf(to), 'a message of a batch is that of its line',
        () => `${id} to ${to} is of line ${line} of ${batch.id}`,
      )
      check(batch.isHeld, 'nothing of a batch is queued before it is paid for', () => `${id} of ${batch.id}`)
    },
    onLeaving: ({ id, message }, gateway, pass, claimedAt) => {
      if (claimedAt !== undefined) checkConsent(`${known.get(id)?.workspace} ${digitsOf(message.to)}`, id, claimedAt)
      const batch = batches.get(batchOf.get(id) ?? '' as BatchId)
      if (batch === undefined) return
      check(batch.isHeld, 'nothing of a batch is sent before it is confirmed', () => `${id} of ${batch.id}`)
      const isLate = batch.settledAt !== undefined && claimedAt !== undefined && claimedAt > batch.settledAt
      check(
        !isLate || batch.state !== 'canceled', 'nothing of a batch is claimed after it was canceled and settled',
        () => `${id} of ${batch.id}`,
      )
      if (pass === undefined) return
      const begunAt = world.now() - (gateway.now() - pass.at)
      const isClosed = batch.state === 'paused' || batch.state === 'canceled'
      if (isClosed) world.reach(`batch: a message leaves that was claimed when it was ${batch.state}`)
      check(
        !isClosed || begunAt <= batch.since + REMEMBERED_MS, 'a paused or canceled batch sends nothing',
        () => `${id} of ${batch.id}, which has been ${batch.state} for ${begunAt - batch.since} ms`,
      )
    },
    onTaken: ({ id, message: { to } }) => {
      const batch = batchOf.get(id)
      if (batch === undefined) return
      const before = taken.get(`${batch} ${digitsOf(to)}`)
      check(
        before === undefined || before === id, 'a customer gets one message of a batch',
        () => `${to} gets ${before} and ${id} of ${batch}`,
      )
      taken.set(`${batch} ${digitsOf(to)}`, id)
      world.reach('batch: a message is sent')
    },
    has: (hold) => batches.has(hold),
    areOpen: () => [...batches.values()].some(({ total, settledAt }) => total !== undefined && settledAt === undefined),
    atTheEnd: async () => {
      for (const batch of batches.values()) await checkEnd(batch)
    },
  }

  /** The price of utility messages is the lower one. */
  function isMarketing(id: MessageId): boolean {
    const message = known.get(id)
    return message !== undefined && message.micros >= 40_000n
  }
}

const digitsOf = (to: string): string => to.replaceAll(/\D/g, '')
