import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { holdOfDraft, type Reserving } from '../../core/money/ledger.js'
import { type ReservingFixture, reservingLaws } from '../laws/reserving.js'
import { type openMemoryFixture, openMemoryReserving } from '../adapters/memory/memory-fixture.js'
import { describeMutations } from './mutation.js'

const DONE = 'a message is opened and its price set aside, with a key and without one'
const CLAIMED = 'a key that guards another message is answered with it, and nothing is opened or set aside'
const UNPAID = 'a price that cannot be set aside leaves the message open and the wallet as it was'
const CONCURRENT = 'of concurrent messages with one key one is opened, and only that one is paid for'
const COVERED = 'of concurrent messages exactly as many are paid for as the wallet can cover, with keys and without'
const FREE = 'a message that is offered a free one takes it and costs nothing, once, until none is left'
const MOVED = 'the hold of a free message is spent and given back like any other, and moves nothing'
const REPEATED = 'a key that guards another message takes no free one'
const LEFT = 'of concurrent messages exactly as many are free as are left'
const OWN = 'the step is for the ports of this storage alone'

type Memory = Awaited<ReturnType<typeof openMemoryFixture>>

const broken = (defect: (reserving: Reserving, memory: Memory) => Reserving) => async (): Promise<ReservingFixture> => {
  const fixture = await openMemoryReserving()
  return { ...fixture, reserving: defect(fixture.reserving, fixture) }
}

describeMutations('the step that opens a message and sets its price aside', reservingLaws, [
  {
    defect: 'sets the price aside whatever the key guards',
    open: broken((_reserving, { messageLog, wallet }) => async (draft, spending) => {
      const [opening, holding] = await Promise.all([messageLog.open(draft), wallet.hold(holdOfDraft(draft, spending))])
      return E.isLeft(holding) ? holding : opening
    }),
    breaks: [CLAIMED, CONCURRENT],
  },
  {
    defect: 'opens the message alone',
    open: broken((_reserving, { messageLog }) => (draft) => messageLog.open(draft)),
    breaks: [DONE, UNPAID, COVERED],
  },
  {
    defect: 'opens nothing where the price cannot be set aside',
    open: broken((reserving, { ledger, wallet, messageLog }) => async (draft, spending) => {
      const balance = await ledger.balance(draft.workspace)
      const isCovered = E.isRight(balance) && O.isSome(balance.right) && balance.right.value.available >= draft.price.micros
      if (isCovered && spending === undefined) return reserving(draft, spending)
      const holding = await wallet.hold(holdOfDraft(draft, spending))
      return E.isLeft(holding) ? holding : messageLog.open(draft)
    }),
    breaks: [UNPAID],
  },
  { defect: 'looks a key up before it claims it', open: broken((reserving, { messageLog }) => async ({ claim, ...draft }, spending) => {
    const claimed = claim === undefined ? E.right(O.none) : await messageLog.claimed(draft.workspace, claim, draft.at)
    await Promise.resolve()
    return E.isRight(claimed) && O.isSome(claimed.right) ? E.right(claimed.right.value) : reserving(draft, spending)
  }), breaks: [CONCURRENT] },
  { defect: 'pays for what the wallet cannot cover', open: broken((reserving, { ledger }) => async (draft, spending) => {
    const reserved = await reserving(draft, spending)
    if (E.isRight(reserved) || reserved.left._tag !== 'InsufficientBalance') return reserved
    await ledger.topUp({ workspace: draft.workspace, micros: 1_000n, reference: draft.id, at: draft.at })
    return E.right({ _tag: 'Opened' })
  }), breaks: [UNPAID, COVERED] },
  {
    defect: 'offers no free message',
    open: broken((reserving) => (draft, spending, outboxEntries) => reserving(draft, spending, outboxEntries)),
    breaks: [FREE, MOVED, REPEATED, LEFT],
  },
  {
    defect: 'takes a free message before it looks the key up',
    open: broken((reserving, { freeMessages }) => async (draft, spending, outboxEntries, free) => {
      if (free !== undefined) await freeMessages.take({ workspace: draft.workspace, message: draft.id, ...free })
      return reserving(draft, spending, outboxEntries, free)
    }),
    breaks: [REPEATED],
  },
  {
    defect: 'holds the price of a free message, too',
    open: broken((reserving, { freeMessages }) => async (draft, spending, outboxEntries, free) => {
      const reserved = await reserving(draft, spending, outboxEntries)
      if (free === undefined || E.isLeft(reserved) || reserved.right._tag === 'Claimed') return reserved
      const taken = await freeMessages.take({ workspace: draft.workspace, message: draft.id, ...free })
      return E.isRight(taken) && taken.right ? E.right({ _tag: 'Opened', isFree: true }) : reserved
    }),
    breaks: [FREE, MOVED, REPEATED, LEFT],
  },
  { defect: 'counts before it takes', open: broken((reserving, { freeMessages }) => async (draft, spending, outboxEntries, free) => {
    const taken = free === undefined ? E.right(0) : await freeMessages.taken(free.phoneNumberId, free.month)
    await Promise.resolve()
    const isLeft = free !== undefined && E.isRight(taken) && taken.right < free.limit
    return reserving(draft, spending, outboxEntries, isLeft ? { ...free, limit: 1_000 } : undefined)
  }), breaks: [LEFT] },
  { defect: 'takes the ports of another storage for its own', open: async () => {
    const fixture = await openMemoryReserving()
    return { ...fixture, messageMoney: { ...fixture.messageMoney, reservingOver: () => fixture.reserving } }
  }, breaks: [OWN] },
])
