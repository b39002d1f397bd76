import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { portFailure } from '../../core/kernel/failure.js'
import { pageOf } from '../../core/kernel/page.js'
import { messageIdOf } from '../../core/messages/message.js'
import type { Wallet } from '../../core/money/wallet.js'
import { type WalletFixture, walletLaws } from '../laws/wallet.js'
import { andThen, brokenMemory, ignoring, noting, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'
import { openNaiveFixture } from './naive-wallet.js'

const broken = (defect: (wallet: Wallet) => Partial<Wallet>): (() => Promise<WalletFixture>) => brokenMemory('wallet', defect)
const down = portFailure('Wallet')('down')

const PART = 'a capture of a part spends it and releases the rest'
const NOTHING = 'a capture of nothing releases the whole'
const WHOLE = 'a capture of a part that is the whole spends the whole'
const ONCE = 'a hold is captured once, and later captures of any amount change nothing'
const SPENT = 'a part of a hold that was spent is not captured again'
const NO_RELEASE = 'a release after the capture of a part changes nothing'
const PART_BACK = 'a refund after the capture of a part gives the part back, once'
const REFUNDED = 'a part of a refunded hold is not captured'
const LATE = 'a part of a released hold is spent from what is available, even below zero'
const EXCEEDS = 'more than the hold and less than nothing are refused, and change nothing'
const ANY_ORDER = 'parts, captures, releases and refunds give the same books in any order, with the amount of the first capture'
const CONCURRENT_PARTS = 'of concurrent captures of different amounts one happens'
const NO_HOLD = 'a message without a hold has no part to capture'

describeMutations('the wallet', walletLaws, [
  { defect: 'reads, waits and writes', open: openNaiveFixture, breaks: [
      'concurrent holds never overdraw',
      'concurrent holds of different prices never overdraw',
      'refunding a hold that was given back gives nothing back twice',
    ] },
  { defect: 'holds nothing', open: broken(() => ({ hold: async () => E.right(undefined) })), breaks: ['a hold sets the price of a message aside'] },
  { defect: 'refuses a balance equal to the price', open: broken(({ hold }) => ({
    hold: async (of) => {
      const result = await hold({ ...of, amount: { ...of.amount, micros: of.amount.micros + 1n } })
      return E.isLeft(result) ? result : E.right(undefined)
    },
  })), breaks: [
      'a hold sets the price of a message aside',
      'a balance equal to the price succeeds and leaves zero available',
      'concurrent holds for the same message set the price aside once',
    ] },
  {
    defect: 'refuses a zero price',
    open: broken(({ hold }) => ({ hold: async (of) => (of.amount.micros === 0n ? E.left(down) : hold(of)) })),
    breaks: [
        'money is conserved under concurrent calls of every kind',
        'a zero price is legal',
      ],
  },
  { defect: 'counts in floating point', open: broken(({ hold }) => ({
    hold: (of) => hold({ ...of, amount: { ...of.amount, micros: BigInt(Number(of.amount.micros)) } }),
  })), breaks: ['amounts beyond 2^53 micros are exact'] },
  { defect: 'answers a repeated hold with a failure', open: broken(({ hold }) => {
    const seen = new Set<string>()
    return {
      hold: (of) => andThen(Promise.resolve(E.right(seen.has(of.message))), async (again) => {
        if (again) return E.left(down)
        return noting(hold(of), () => void seen.add(of.message))
      }),
    }
  }), breaks: [
      'holding again for the same message changes nothing',
      'holding again for a message that was settled changes nothing',
    ] },
  { defect: 'refuses a message for good once its hold was refused', open: broken(({ hold }) => {
    const refused = new Set<string>()
    return {
      hold: async (of) => {
        if (refused.has(of.message)) return E.left(down)
        const result = await hold(of)
        if (E.isLeft(result)) refused.add(of.message)
        return result
      },
    }
  }), breaks: ['a message whose hold was refused can be held once there is money'] },
  { defect: 'says that the price was the balance', open: broken(({ hold }) => ({
    hold: async (of) => {
      const result = await hold(of)
      return E.isLeft(result) && result.left._tag === 'InsufficientBalance'
        ? E.left({ ...result.left, required: result.left.available })
        : result
    },
  })), breaks: [
      'a late capture may take available below zero, and then a hold is refused',
      'an insufficient balance says what was required, available and held, and sets nothing aside',
    ] },
  { defect: 'ignores a PortFailure of a hold', open: broken(({ hold }) => ({ hold: (of) => ignoring(hold(of), 'PortFailure') })), breaks: [
      'a price in another currency than the wallet\'s is a PortFailure',
      'a hold in a workspace without a wallet is a PortFailure',
    ] },
  { defect: 'fails every hold that runs at the same time as a failing one', open: broken(({ hold }) => {
    let batch: Array<Promise<Awaited<ReturnType<Wallet['hold']>>>> = []
    return {
      hold: async (of) => {
        if (batch.length === 0) setImmediate(() => { batch = [] })
        const together = batch
        const own = hold(of)
        together.push(own)
        await new Promise((resolve) => { setImmediate(resolve) })
        return (await Promise.all(together)).find((one) => E.isLeft(one) && one.left._tag === 'PortFailure') ?? own
      },
    }
  }), breaks: ['one bad hold among concurrent ones costs its neighbours nothing'] },
  {
    defect: 'captures the whole instead of a part',
    open: broken(({ capture }) => ({ capturePart: ({ micros: _part, ...of }) => capture(of) })),
    breaks: [PART, NOTHING, ONCE, NO_RELEASE, LATE, EXCEEDS, ANY_ORDER],
  },
  {
    defect: 'keeps the last micro of a hold',
    open: broken(({ capturePart }) => ({ capturePart: (of) => capturePart({ ...of, micros: of.micros === 30n ? 29n : of.micros }) })),
    breaks: [WHOLE],
  },
  {
    defect: 'captures as much of a part as the hold has',
    open: broken(({ capture, capturePart }) => ({
      capturePart: async (of) => {
        const answer = await capturePart(of)
        return E.isLeft(answer) && answer.left._tag === 'ExceedsHold' ? capture(of) : answer
      },
    })),
    breaks: [EXCEEDS],
  },
  {
    defect: 'spends a part of a hold that was settled',
    open: broken(({ hold, capture, capturePart, holdOf }) => ({
      capturePart: (of) => andThen(holdOf(of), async (state) => {
        const phantom = { ...of, message: messageIdOf(uuidv7()), amount: { micros: of.micros, currency: 'USD' as never } }
        if ((state === 'captured' || state === 'refunded') && of.micros > 0n) {
          await hold(phantom)
          await capture(phantom)
        }
        return capturePart(of)
      }),
    })),
    breaks: [ONCE, SPENT, REFUNDED, ANY_ORDER],
  },
  {
    defect: 'releases a captured part',
    open: broken(({ capturePart, release, refund }) => {
      const parts = new Set<string>()
      return {
        capturePart: (of) => noting(capturePart(of), () => void parts.add(of.message)),
        release: (of) => (parts.has(of.message) ? refund(of) : release(of)),
      }
    }),
    breaks: [NO_RELEASE, ANY_ORDER],
  },
  {
    defect: 'refunds the price instead of the part',
    open: async () => {
      const fixture = await brokenMemory('wallet', () => ({}))()
      const { hold, refund } = fixture.wallet
      const prices = new Map<string, bigint>()
      return {
        ...fixture,
        wallet: {
          ...fixture.wallet,
          hold: (of) => noting(hold(of), () => void prices.set(of.message, of.amount.micros)),
          refund: async (of) => {
            const { available } = await fixture.balance(of.workspace)
            const answer = await refund(of)
            const back = (await fixture.balance(of.workspace)).available - available
            const rest = (prices.get(of.message) ?? back) - back
            const more = { workspace: of.workspace, micros: rest, reference: of.message, at: of.at }
            if (rest > 0n && back > 0n) await fixture.ledger.topUp(more)
            return answer
          },
        },
      }
    },
    breaks: [PART_BACK, LATE, ANY_ORDER, CONCURRENT_PARTS],
  },
  {
    defect: 'fails to capture a part of no hold',
    open: broken(({ capturePart }) => ({
      capturePart: (of) => andThen(capturePart(of), async (state) => (state === undefined ? E.left(down) : E.right(state))),
    })),
    breaks: [NO_HOLD],
  },
  { defect: 'never captures', open: broken(() => ({ capture: async () => E.right('captured') })), breaks: ['capture spends a hold'] },
  { defect: 'never releases', open: broken(() => ({ release: async () => E.right('released') })), breaks: ['release gives a hold back'] },
  { defect: 'never refunds', open: broken(() => ({ refund: async () => E.right('refunded') })), breaks: [
      'refund gives the price of a spent hold back',
      'refunding again changes nothing',
      'concurrent calls of refund happen once',
      'refund gives the price of a hold back that was not spent',
    ] },
  { defect: 'releases what is captured', open: broken(({ release }) => ({ capture: release })), breaks: [
      'capture spends a hold',
      'concurrent calls of capture happen once',
    ] },
  { defect: 'refunds what is released', open: broken(({ refund }) => ({ release: refund })), breaks: [
      'capture spends a hold even after it was given back',
      'releasing again changes nothing',
      'releasing a spent hold changes nothing',
      'concurrent captures, releases and refunds give the same books as any order of them',
      'release gives a hold back',
      'concurrent calls of release happen once',
      'holdOf answers the state of a hold at once, and undefined where a message has none',
    ] },
  { defect: 'fails for a message without a hold', open: broken(({ capture, release, refund }) => {
    const strict = (move: Wallet['capture']): Wallet['capture'] => (of) =>
      andThen(move(of), async (state) => (state === undefined ? E.left(down) : E.right(state)))
    return { capture: strict(capture), release: strict(release), refund: strict(refund) }
  }), breaks: ['an insufficient balance says what was required, available and held, and sets nothing aside'] },
  { defect: 'answers a repeated capture with no state', open: broken(({ capture }) => {
    const seen = new Set<string>()
    return {
      capture: (of) => andThen(Promise.resolve(E.right(seen.has(of.message))), async (again) =>
        (again ? E.right(undefined) : noting(capture(of), () => void seen.add(of.message)))),
    }
  }), breaks: [
      'capturing again changes nothing',
      'a refund is for good',
      'capture, release and refund give the same books in any order and however often they are repeated',
    ] },
  { defect: 'moves the hold of a message in whichever workspace has it', open: broken(({ hold, capture, release, refund }) => {
    const owners = new Map<string, Parameters<Wallet['capture']>[0]['workspace']>()
    const anywhere = (move: Wallet['capture']): Wallet['capture'] => (of) =>
      move({ ...of, workspace: owners.get(of.message) ?? of.workspace })
    return {
      hold: (of) => noting(hold(of), () => void owners.set(of.message, of.workspace)),
      capture: anywhere(capture), release: anywhere(release), refund: anywhere(refund),
    }
  }), breaks: ['a hold in one workspace never touches another\'s'] },
  { defect: 'refuses a capture that takes available below zero', open: async () => {
    const fixture = await brokenMemory('wallet', () => ({}))()
    const { capture, release } = fixture.wallet
    const released = new Map<string, bigint>()
    return {
      ...fixture,
      wallet: {
        ...fixture.wallet,
        release: (of) => noting(release(of), () => void released.set(of.message, 0n)),
        capture: (of) => andThen((async () => E.right(await fixture.balance(of.workspace)))(), async ({ available }) =>
          (released.has(of.message) && available <= 0n ? E.right('released') : capture(of))),
      },
    }
  }, breaks: ['a message without a hold is left so'] },
  {
    defect: 'lists every hold as stale',
    open: broken(({ stale }) => ({ stale: ({ before: _before, ...query }) => stale({ ...query, before: Number.MAX_SAFE_INTEGER }) })),
    breaks: ['stale lists only holds still held that were made before the moment'],
  },
  {
    defect: 'lists the first stale holds only',
    open: broken(({ stale }) => ({ stale: (query) => withResult(stale(query), ({ items }) => ({ items, next: undefined })) })),
    breaks: [
        'stale lists the holds of all workspaces, each in exactly one part',
        'stale parts lose no hold while those already listed are settled',
      ],
  },
  { defect: 'sorts stale holds by their moments and goes on after the id of the last one', open: broken(({ hold, stale }) => {
    const moments = new Map<string, number>()
    return {
      hold: (of) => noting(hold(of), () => void moments.set(of.message, of.at)),
      stale: ({ before, limit, cursor = '' }) => withResult(stale({ before, limit: 1_000 }), ({ items }) => {
        const rest = items.filter(({ message }) => message > cursor).sort((a, b) =>
          (moments.get(a.message) ?? 0) - (moments.get(b.message) ?? 0))
        return pageOf(rest.slice(0, limit + 1), limit, ({ message }) => message)
      }),
    }
  }), breaks: ['stale lists each hold in exactly one part even if the ids of the messages do not sort by the moments of their holds'] },
  { defect: 'compares the currency before it looks for the hold', open: broken(({ hold }) => ({
    hold: async (of) => (of.amount.currency === 'USD' ? hold(of) : E.left(down)),
  })), breaks: ['holding again in another currency succeeds and changes nothing'] },
  { defect: 'sets a zero price aside at any balance', open: broken(({ hold }) => ({
    hold: (of) => (of.amount.micros === 0n ? ignoring(hold(of), 'InsufficientBalance') : hold(of)),
  })), breaks: ['a zero price is refused while available is below zero'] },
  { defect: 'sets next though the last part of stale is full', open: broken(({ stale }) => ({
    stale: (query) =>
      withResult(stale(query), ({ items }) => ({ items, next: items.length === query.limit ? items.at(-1)?.message : undefined })),
  })), breaks: ['the last part of stale has no next, also where it is full'] },
  { defect: 'fails for a cursor that is not the id of a message', open: broken(({ stale }) => ({
    stale: async (query) => (query.cursor === undefined || /^msg_[0-9a-f]{32}$/.test(query.cursor) ? stale(query) : E.left(down)),
  })), breaks: ['a cursor that no part of stale gave never fails'] },
])
