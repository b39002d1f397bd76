import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import type { MemoryStorage } from '../../adapters/memory/index.js'
import { messageIdOf } from '../../core/messages/message.js'
import type { HoldPart, SharedHolds } from '../../core/money/shared-holds.js'
import { newName } from '../laws/ids.js'
import { type SharedHoldsFixture, sharedHoldsLaws } from '../laws/shared-holds.js'
import { andThen, brokenMemory, noting, withResult } from './broken-memory.js'
import { describeMutations, namesOf } from './mutation.js'

const RESERVED = 'a shared hold sets its money aside, and holding again under its id changes nothing'
const OVERDRAWN = 'concurrent holds of messages and batches never overdraw, and one of the same id is set aside once'
const REFUSED = 'a shared hold that cannot be set aside is refused like the hold of a message, and there is none'
const LIMIT = 'a shared hold counts for the limit of its key, and what it or a part gives back counts for its day'
const ALERTS = 'a shared hold raises the alerts of a wallet like the hold of a message, and a part raises none'
const PART = 'a part becomes the hold of its message, and the balance stays as it is'
const SETTLED = 'a part is captured, released and refunded like every hold, and nothing returns to the shared hold'
const ONCE = 'a message takes a part once, whatever is asked for it again'
const CONCURRENT = 'concurrent splits never take more than is left, and all of it if enough is asked for'
const EXCEEDS = 'a part of more than is left, or of less than nothing, is ExceedsHold, and changes nothing'
const UNKNOWN = 'a shared hold that the workspace does not have is NoSuchSharedHold'
const RELEASED = 'a release gives back what no message has taken, once, and then no message takes a part'
const RACE = 'concurrent splits and releases leave every micro with one message or with the wallet'
const STATEMENT = 'a statement has a shared hold under its batch, its parts as the holds of their messages, and its release with the note'
const BOOKS = 'the books are exact after each step of a shared hold, and contain what is left of it'
const STALE = 'a shared hold is never stale and never compared with a message, and a part is, from the moment it was taken'
const OPEN = 'the open holds of a workspace include what is left of its shared holds, oldest first'

const broken = (defect: (sharedHolds: SharedHolds, storage: MemoryStorage) => Partial<SharedHolds>): (() => Promise<SharedHoldsFixture>) =>
  brokenMemory('sharedHolds', defect)

type Split = Awaited<ReturnType<SharedHolds['split']>>

/** A split whose answer is replaced if it fails in a given way. */
const insteadOf = (tag: string, instead: (part: HoldPart, storage: MemoryStorage) => Promise<Split>) =>
  broken((sharedHolds, storage) => ({
    split: async (part) => {
      const answer = await sharedHolds.split(part)
      return E.isLeft(answer) && answer.left._tag === tag ? instead(part, storage) : answer
    },
  }))

/** Sets a part aside from the available money. */
const setAside = async ({ workspace, message, micros, at }: HoldPart, { wallet, ledger }: MemoryStorage): Promise<Split> => {
  const balance = await ledger.balance(workspace)
  if (E.isRight(balance) && O.isSome(balance.right)) {
    await wallet.hold({ workspace, message, amount: { micros, currency: balance.right.value.currency }, at })
  }
  return E.right(undefined)
}

describeMutations('the shared holds', sharedHoldsLaws, [
  { defect: 'reserves nothing', open: broken(() => ({ hold: async () => E.right(undefined) })), breaks: namesOf(sharedHoldsLaws) },
  {
    defect: 'reserves again under an id that it has',
    open: broken((sharedHolds, { wallet }) => ({
      hold: async (of) => {
        const before = await sharedHolds.find(of)
        const isThere = E.isRight(before) && before.right !== undefined
        return isThere ? wallet.hold({ ...of, message: messageIdOf(uuidv7()) }) : sharedHolds.hold(of)
      },
    })),
    breaks: [RESERVED],
  },
  {
    defect: 'answers a price that the wallet cannot cover with success',
    open: broken(({ hold }) => ({ hold: async (of, outboxEntries) => E.orElseW(() => E.right(undefined))(await hold(of, outboxEntries)) })),
    breaks: [OVERDRAWN, REFUSED],
  },
  {
    defect: 'forgets the key of a shared hold',
    open: broken(({ hold }) => ({ hold: ({ spending: _forgotten, ...of }, outboxEntries) => hold(of, outboxEntries) })),
    breaks: [LIMIT],
  },
  {
    defect: 'raises no alert',
    open: broken(({ hold }, { walletAlerts }) => ({
      hold: async (of, outboxEntries) => {
        const alerts = await walletAlerts.alertsOf(of.workspace)
        await walletAlerts.setThreshold(of.workspace, undefined)
        const held = await hold(of, outboxEntries)
        if (E.isRight(alerts) && O.isSome(alerts.right)) await walletAlerts.setThreshold(of.workspace, alerts.right.value.threshold)
        return held
      },
    })),
    breaks: [ALERTS],
  },
  {
    defect: 'sets a part aside again',
    open: broken((_sharedHolds, storage) => ({ split: (part) => setAside(part, storage) })),
    breaks: [PART, SETTLED, ONCE, CONCURRENT, EXCEEDS, UNKNOWN, RELEASED, STATEMENT, BOOKS, OPEN],
  },
  {
    defect: 'takes another part for a message that has one',
    open: broken(({ split }) => {
      const seen = new Set<string>()
      return {
        split: async (part) => {
          const repeated = seen.has(part.message)
          seen.add(part.message)
          return repeated ? andThen(split(part), () => split({ ...part, message: messageIdOf(uuidv7()) })) : split(part)
        },
      }
    }),
    breaks: [ONCE],
  },
  {
    defect: 'keeps the last part',
    open: broken(({ split, find }) => ({
      split: (part) => andThen(find(part), async (shared) =>
        (shared !== undefined && part.micros === shared.left && shared.left > 0n
          ? E.left({ _tag: 'ExceedsHold', requested: part.micros, held: shared.left } as const)
          : split(part))),
    })),
    breaks: [PART, EXCEEDS],
  },
  {
    defect: 'answers a part that exceeds what is left with success',
    open: insteadOf('ExceedsHold', async () => E.right(undefined)),
    breaks: [CONCURRENT, EXCEEDS],
  },
  {
    defect: 'takes what is left for a part that exceeds it',
    open: insteadOf('ExceedsHold', (part, { sharedHolds }) => andThen(sharedHolds.find(part), (shared) =>
      sharedHolds.split({ ...part, micros: shared?.left ?? 0n }))),
    breaks: [SETTLED, CONCURRENT, EXCEEDS],
  },
  {
    defect: 'answers an unknown shared hold with success',
    open: insteadOf('NoSuchSharedHold', async () => E.right(undefined)),
    breaks: [UNKNOWN],
  },
  {
    defect: 'sets a part aside from the available money after the release',
    open: insteadOf('SharedHoldReleased', setAside),
    breaks: [RELEASED, RACE],
  },
  {
    defect: 'gives back the whole of a shared hold',
    open: broken(({ release }, { ledger }) => ({
      release: (of) => noting(release(of), async (shared) => {
        const micros = shared === undefined ? 0n : shared.reserved - shared.left
        if (micros > 0n) await ledger.adjust({ ...of, micros, reference: newName(), note: 'the whole' })
      }),
    })),
    breaks: [RELEASED, RACE],
  },
  {
    defect: 'never releases',
    open: broken(({ find }) => ({ release: find })),
    breaks: [RESERVED, LIMIT, RELEASED, RACE, STATEMENT, BOOKS, OPEN],
  },
  {
    defect: 'keeps no note of a release',
    open: broken(({ release }) => ({ release: ({ note: _note, ...of }) => release(of) })),
    breaks: [STATEMENT],
  },
  {
    defect: 'dates a part by its shared hold',
    open: broken(({ hold, split }) => {
      const heldAt = new Map<string, number>()
      return {
        hold: (of, outboxEntries) => noting(hold(of, outboxEntries), () => void heldAt.set(of.hold, of.at)),
        split: (part) => split({ ...part, at: heldAt.get(part.hold) ?? part.at }),
      }
    }),
    breaks: [STATEMENT, STALE],
  },
  {
    defect: 'lists a stale part without its batch',
    open: brokenMemory('wallet', ({ stale }) => ({
      stale: (query) => withResult(stale(query), ({ items, next }) => ({ items: items.map(({ batch: _lost, ...one }) => one), next })),
    })),
    breaks: [STALE],
  },
])
