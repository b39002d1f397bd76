import { createHash } from 'node:crypto'
import { PassThrough, type Readable } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import { render } from 'preact-render-to-string'
import type { FindChangedWatchers, Watcher } from '../../core/access/member-use-cases.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { LiveAnswer } from './answer.js'
import { makeThrottle } from './limits.js'

/** The pause between two readings. */
const READ_EVERY_MS = SECOND_MS
/** The share of the time in which parts are read and rendered; if many are watched, each is read less often. */
const READING = 0.15
/** The duration of a stream. The browser then opens another one, and access is checked again. */
const STREAM_MS = 60 * SECOND_MS
/** How often it is checked who may still watch, for changes on this gateway and on every other. */
const CHECK_EVERY_MS = SECOND_MS
/** If access could not be checked for this long, for example because the database does not respond, the stream shows nothing new. */
const UNCHECKED_MS = 2 * SECOND_MS

/** The streams of all browsers that watch a live part of a page. */
export type LiveParts = {
  /** A stream of server-sent events. `seen` is the id of the last event that the browser received. */
  readonly watch: (part: Omit<LiveAnswer, '_tag'>, seen: string | undefined) => Readable
  /** Ends the streams of people whose rights have changed, without waiting for the next check. */
  readonly check: () => void
  /** Ends every stream. */
  readonly close: () => void
}

/** One live part: its text at the last reading, and its streams. */
type Watched = { readonly streams: Set<Watching>; last: Shown | undefined; timer: NodeJS.Timeout | undefined }
type Watching = { readonly stream: PassThrough; readonly watcher: Watcher; seen: string | undefined; checkedAt: number }
/** The event is created once for all streams. */
type Shown = { readonly id: string; readonly event: Buffer }

/**
 * Reads each live part once for all its streams, and sends it whole whenever it has changed, so a browser that was disconnected misses nothing.
 *
 * One query a second, for all streams together, finds the people who may no longer watch. If the query fails, no stream ends, but nothing new is shown.
 */
export const makeLiveParts = (findChanged: FindChangedWatchers): LiveParts => {
  const parts = new Map<string, Watched>()
  const throttle = makeThrottle(READING)
  let open = 0
  let checking: 'no' | 'yes' | 'again' = 'no'
  let nextCheck: NodeJS.Timeout | undefined

  const check = async (): Promise<void> => {
    if (checking !== 'no') {
      checking = 'again'
      return
    }
    clearTimeout(nextCheck)
    if (open === 0) return
    checking = 'yes'
    const [at, watching] = [performance.now(), [...parts.values()].flatMap((part) => Array.from(part.streams, (one) => ({ one, part })))]
    const changed = await changedOf(findChanged, watching.map(({ one }) => one.watcher))
    for (const { one, part } of changed === undefined ? [] : watching) {
      if (changed?.has(one.watcher) === true) end(part, one)
      else {
        one.checkedAt = at
        show(part, one)
      }
    }
    const isDue = (checking as 'yes' | 'again') === 'again'
    checking = 'no'
    nextCheck = setTimeout(() => void check(), isDue ? 0 : Math.max(0, CHECK_EVERY_MS - (performance.now() - at))).unref()
  }

  const end = (part: Watched, watching: Watching): void => {
    part.streams.delete(watching)
    watching.stream.end()
  }

  const watch: LiveParts['watch'] = (live, seen) => {
    const { key, watcher } = live
    open += 1
    if (open === 1) nextCheck = setTimeout(() => void check(), CHECK_EVERY_MS).unref()
    const stream = new PassThrough()
    const watching: Watching = { stream, watcher, seen, checkedAt: performance.now() }
    const known = parts.get(key)
    const part: Watched = known ?? { streams: new Set(), last: undefined, timer: undefined }
    part.streams.add(watching)
    const lifetime = setTimeout(() => stream.end(), STREAM_MS).unref()
    stream.once('close', () => {
      open -= 1
      clearTimeout(lifetime)
      part.streams.delete(watching)
      if (part.streams.size > 0) return
      clearTimeout(part.timer)
      if (parts.get(key) === part) parts.delete(key)
    })
    // The data that waits in a slow reader's stream is complete but old: the reader gets the current state after reading it.
    stream.on('drain', () => show(part, watching))
    stream.write(': watching\n\n')
    if (known === undefined) {
      parts.set(key, part)
      void readOn(part, live)
    } else show(part, watching)
    return stream
  }

  const readOn = async (part: Watched, live: Omit<LiveAnswer, '_tag'>): Promise<void> => {
    const { key, read, everyMs = READ_EVERY_MS } = live
    const shown = await throttle(async () => (parts.get(key) === part ? shownBy(read, part.last) : undefined))
    if (parts.get(key) !== part) return
    if (shown !== undefined) part.last = shown
    for (const watching of part.streams) show(part, watching)
    part.timer = setTimeout(() => void readOn(part, live), everyMs).unref()
  }

  const close = (): void => {
    for (const { streams } of parts.values()) for (const { stream } of streams) stream.end()
  }

  return { watch, check: () => void check(), close }
}

/** If the query fails, the result is unknown. */
const changedOf = async (findChanged: FindChangedWatchers, watchers: ReadonlyArray<Watcher>): Promise<ReadonlySet<Watcher> | undefined> => {
  try {
    const changed = await findChanged(watchers)
    return E.isRight(changed) ? changed.right : undefined
  } catch {
    return undefined
  }
}

/** A part that cannot be read stays unchanged until it can be read. */
const shownBy = async (read: LiveAnswer['read'], last: Shown | undefined): Promise<Shown | undefined> => {
  try {
    const part = await read()
    if (E.isLeft(part)) return undefined
    const html = render(part.right)
    const id = createHash('sha256').update(html).digest('base64url').slice(0, 16)
    return id === last?.id ? last : { id, event: Buffer.from(`id: ${id}\n${html.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`).join('')}\n`) }
  } catch {
    return undefined
  }
}

const show = ({ last }: Watched, watching: Watching): void => {
  if (performance.now() - watching.checkedAt > UNCHECKED_MS) return
  if (last === undefined || watching.seen === last.id || watching.stream.writableNeedDrain || watching.stream.writableEnded) return
  watching.seen = last.id
  watching.stream.write(last.event)
}
