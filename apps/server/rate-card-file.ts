import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type { Log } from '../../adapters/koa/index.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { RateCards } from '../../core/money/rate-card.js'
import { BUILT_IN, readRateCards } from './rate-card.js'

/** The rate cards that were read, or a sentence for each fault. */
type Read = E.Either<ReadonlyArray<string>, RateCards>

/** Reads the rate cards of a file, or the built-in one. Left: a sentence for each fault. */
export const loadRateCards = async (path: string | undefined): Promise<Read> =>
  path === undefined ? readRateCards(BUILT_IN) : cardsIn(await textOf(path))

/** The rate cards of a file that may change. */
export type RateCardFile = {
  /** The cards that the file had when it was last read without a fault. */
  readonly cards: () => RateCards
  /** When the file was last read, and was not faulty. */
  readonly readAt: () => Instant
  /** Reads the file again. */
  readonly refresh: (signal?: AbortSignal) => Promise<void>
}

/**
 * Follows a file, which had these cards when it was first read.
 *
 * A file that has become faulty is logged once and changes nothing. So is one in another currency, since wallets are in the currency of the start. What is
 * compared is the text of the file, because its date may stay the same when it is replaced.
 */
export const rateCardFile = (path: string, atStart: RateCards, log: Log): RateCardFile => {
  let current = atStart
  let readAt = Date.now()
  let isFaulty = false
  let seen: E.Either<string, string> | undefined
  return {
    cards: () => current,
    readAt: () => readAt,
    refresh: async (signal) => {
      const text = await textOf(path, signal)
      if (signal?.aborted === true) return
      if (isDeepStrictEqual(text, seen)) {
        if (!isFaulty) readAt = Date.now()
        return
      }
      seen = text
      const read = inOneCurrency(current, cardsIn(text))
      isFaulty = E.isLeft(read)
      if (E.isLeft(read)) return log('error', 'rate_card_refused', { fault: read.left.join(' ') })
      readAt = Date.now()
      if (isDeepStrictEqual(read.right, current)) return
      current = read.right
      log('info', 'rate_card_changed', { effective: current.map(({ effective }) => effective).join(', ') })
    },
  }
}

/** The rate cards of the gateway, as they are now. `close` ends the timer. */
export type WatchedRateCards = Pick<RateCardFile, 'cards' | 'readAt'> & { readonly close: () => void }

const EVERY_MS = 2 * SECOND_MS

/** Reads the file again after each pause of `everyMs`; without a file, the cards stay as they are. */
export const watchRateCards = (path: string | undefined, atStart: RateCards, log: Log, everyMs = EVERY_MS): WatchedRateCards => {
  const startedAt = Date.now()
  if (path === undefined) return { cards: () => atStart, readAt: () => startedAt, close: () => undefined }
  const { cards, readAt, refresh } = rateCardFile(path, atStart, log)
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const refreshLater = (): void => {
    timer = setTimeout(() => void refresh(closing.signal).then(() => { if (!closing.signal.aborted) refreshLater() }), everyMs)
  }
  refreshLater()
  return {
    cards,
    readAt,
    close: () => {
      closing.abort()
      clearTimeout(timer)
    },
  }
}

const textOf = async (path: string, signal?: AbortSignal): Promise<E.Either<string, string>> => {
  try {
    return E.right(await readFile(path, { encoding: 'utf8', ...(signal && { signal }) }))
  } catch {
    return E.left('The rate card at RATE_CARD cannot be read.')
  }
}

const cardsIn = (text: E.Either<string, string>): Read => {
  if (E.isLeft(text)) return E.left([text.left])
  try {
    return readRateCards(JSON.parse(text.right))
  } catch {
    return E.left(['The rate card at RATE_CARD is not JSON.'])
  }
}

const inOneCurrency = ([{ currency }]: RateCards, read: Read): Read =>
  E.isRight(read) && read.right[0].currency !== currency
    ? E.left([`Rate card: its currency is now ${read.right[0].currency}, but the gateway began with ${currency}; restart it to change the currency.`])
    : read
