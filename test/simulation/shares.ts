import * as E from 'fp-ts/lib/Either.js'
import type { BatchId, WorkspaceId } from '../../core/kernel/ids.js'
import { type Instant, uuidPrefixOf } from '../../core/kernel/time.js'
import type { MessageId } from '../../core/messages/message.js'
import type { HoldPart, NewSharedHold, SharedHold, SharedHolds } from '../../core/money/shared-holds.js'
import type { HoldState } from '../../core/money/wallet.js'
import type { Ports } from '../../core/ports.js'
import { type BackUp, refill } from './backup.js'
import type { Choices } from './choices.js'
import type { StorageCall } from './gateway.js'
import type { Known } from './states.js'
import type { World } from './world.js'

/** A shared hold as the simulation knows it, apart from the storage. */
type Share = {
  readonly workspace: WorkspaceId
  readonly reserved: bigint
  readonly parts: ReadonlyMap<MessageId, bigint>
  readonly isReleased: boolean
}

/** The money of a message before and after a call, and what the wallet then has available. */
type Seen = {
  readonly workspace: WorkspaceId
  readonly message: Known | undefined
  /** The money of the message after the call, even if the message does not exist yet. */
  readonly after: HoldState | undefined
  readonly before: HoldState | undefined
  readonly available: bigint
}

/** Checks where the money of each hold and of each shared hold goes; it shares no rule with the core. */
export type Shares = {
  /** A call of a storage has had its effect. */
  readonly onDone: (call: StorageCall, seen: Seen) => Promise<void>
  /** Whether a shared hold was set aside. */
  readonly isHeld: (hold: BatchId | undefined) => boolean
  /** The shared holds that were not released yet. */
  readonly open: () => ReadonlyArray<{ readonly workspace: WorkspaceId; readonly hold: BatchId }>
  readonly atTheEnd: () => void
  readonly backUp: BackUp
}

/** The parts that the checker observes. */
export type SharesParts = {
  readonly world: World
  readonly sharedHolds: Pick<SharedHolds, 'find'>
  readonly check: (isKept: boolean, promise: string, seen: () => string) => void
}

/** Makes the checker. */
export const makeShares = ({ world, sharedHolds, check }: SharesParts): Shares => {
  const shares = new Map<BatchId, Share>()
  /** What was captured of a message. */
  const spent = new Map<MessageId, bigint>()
  const lastAvailable = new Map<WorkspaceId, bigint>()

  const find = async (workspace: WorkspaceId, hold: BatchId): Promise<SharedHold | undefined> => {
    const found = await sharedHolds.find({ workspace, hold })
    return E.isRight(found) ? found.right : undefined
  }

  /** What a message's move adds to the available money; undefined if that is not known. */
  const added = ({ method, args }: StorageCall, { id, micros, hold }: Known, before: HoldState): bigint | undefined => {
    if (before === hold) return 0n
    if (hold === 'captured') {
      const part = method === 'capturePart' ? (args[0] as { readonly micros: bigint }).micros : micros
      spent.set(id, part)
      if (part < micros) world.reach(`a part of a ${before} message is captured`)
      return before === 'held' ? micros - part : -part
    }
    if (before === 'captured') return spent.get(id)
    return before === 'held' ? micros : 0n
  }

  const onHold = async ({ hold, workspace, amount: { micros } }: NewSharedHold, added: bigint | undefined): Promise<void> => {
    const [known, found] = [shares.get(hold), await find(workspace, hold)]
    const isNew = known === undefined && found !== undefined
    if (isNew) shares.set(hold, { workspace, reserved: micros, parts: new Map(), isReleased: false })
    const isKept = added === undefined || added === (isNew ? -micros : 0n)
    check(isKept, 'a shared hold is set aside once', () => `${hold} of ${micros} adds ${added}`)
    checkShare(hold, found)
  }

  const onSplit = async (
    { hold, workspace, micros, message: id }: HoldPart, { after, before }: Pick<Seen, 'after' | 'before'>, added: bigint | undefined,
  ): Promise<void> => {
    const share = shares.get(hold)
    if (before === undefined && after !== undefined && share?.parts.has(id) !== true) {
      check(share?.isReleased === false, 'no part is taken of what was released', () => `${id} takes ${micros} of ${hold}`)
      if (share !== undefined) shares.set(hold, { ...share, parts: new Map([...share.parts, [id, micros]]) })
      world.reach('a message takes its part')
    } else if (share?.isReleased === true) world.reach('a part comes after the release')
    else if (share !== undefined && leftOf(share) < micros) world.reach('a part is more than what is left')
    check(added === undefined || added === 0n, 'a part is not set aside again', () => `a part of ${micros} of ${hold} adds ${added}`)
    checkShare(hold, await find(workspace, hold))
  }

  const onRelease = async ({ hold, workspace }: Pick<NewSharedHold, 'hold' | 'workspace'>, added: bigint | undefined): Promise<void> => {
    const [share, found] = [shares.get(hold), await find(workspace, hold)]
    if (share !== undefined && !share.isReleased && found?.state === 'released') {
      check(added === undefined || added === leftOf(share), 'a release gives back what no message took', () => `${hold} has ${leftOf(share)} left, and gives ${added} back`)
      world.reach(share.parts.size === 0 ? 'a shared hold is released whole' : 'a shared hold is released')
      shares.set(hold, { ...share, isReleased: true })
    } else check(added === undefined || added === 0n, 'a shared hold is released once', () => `${hold} gives ${added} back again`)
    checkShare(hold, found)
  }

  const checkShare = (hold: BatchId, found: SharedHold | undefined): void => {
    const share = shares.get(hold)
    const isKept = share === undefined
      ? found === undefined
      : found?.reserved === share.reserved && found.left === leftOf(share) && leftOf(share) >= 0n
        && found.state === (share.isReleased ? 'released' : 'held')
    check(isKept, 'a shared hold is its parts and what is left', () => `${hold} is ${found?.state}, ${found?.left} of ${found?.reserved}, and ${share && leftOf(share)} of ${share?.reserved} is left`)
  }

  return {
    onDone: async (call, { workspace, message, before, after, available }) => {
      const last = lastAvailable.get(workspace)
      lastAvailable.set(workspace, available)
      const gained = last === undefined ? undefined : available - last
      switch (`${call.port}.${call.method}`) {
        case 'sharedHolds.hold': return onHold(call.args[0] as NewSharedHold, gained)
        case 'sharedHolds.split': return onSplit(call.args[0] as HoldPart, { after, before }, gained)
        case 'sharedHolds.release': return onRelease(call.args[0] as NewSharedHold, gained)
      }
      const expected = message === undefined || before === undefined ? undefined : added(call, message, before)
      check(
        expected === undefined || gained === undefined || gained === expected, 'a hold gives back what was not spent, and a refund what was',
        () => `${message?.id} goes from ${before} to ${message?.hold} by ${call.method}, and adds ${gained} instead of ${expected}`,
      )
    },
    isHeld: (hold) => hold !== undefined && shares.has(hold),
    open: () => [...shares].flatMap(([hold, { workspace, isReleased }]) => (isReleased ? [] : [{ workspace, hold }])),
    atTheEnd: () => {
      for (const [hold, { isReleased }] of shares) check(isReleased, 'every shared hold is released in the end', () => hold)
    },
    backUp: () => {
      const copies = [new Map(shares), new Map(spent)] as const
      return () => {
        refill(shares, copies[0])
        refill(spent, copies[1])
        lastAvailable.clear()
      }
    },
  }
}

const leftOf = ({ reserved, parts }: Share): bigint => [...parts.values()].reduce((left, micros) => left - micros, reserved)

/** A new id, which sorts by its time. */
export const newIdOf = (choices: Choices, kind: string, at: Instant): string =>
  `${kind}_${uuidPrefixOf(at)}7${Array.from({ length: 19 }, () => choices.whole(0, 15).toString(16)).join('')}`

/**
 * The ports of a gateway whose messages take the parts of a shared hold instead of holds of their own. With a `discount`, a message is captured for that much less than its
 * price.
 */
export const takingFrom = (hold: BatchId, discount: bigint) => (ports: Ports): Ports => {
  const { wallet, sharedHolds } = ports
  const prices = new Map<MessageId, bigint>()
  return {
    ...ports,
    wallet: {
      ...wallet,
      hold: async ({ workspace, message, amount: { micros, currency }, at }) => {
        prices.set(message, micros)
        const taken = await sharedHolds?.split({ workspace, hold, message, micros, at }) ?? E.right(undefined)
        return E.isRight(taken) || taken.left._tag === 'PortFailure'
          ? (taken as Awaited<ReturnType<typeof wallet.hold>>)
          : E.left({ _tag: 'InsufficientBalance', required: micros, available: 0n, held: 0n, currency })
      },
      capture: async (of) => {
        const price = prices.get(of.message)
        if (price === undefined || discount === 0n) return wallet.capture(of)
        const captured = await wallet.capturePart({ ...of, micros: price - discount })
        if (E.isRight(captured)) return captured
        if (captured.left._tag !== 'PortFailure') throw new Error(`a part of ${price} is refused`)
        return E.left(captured.left)
      },
    },
  }
}
