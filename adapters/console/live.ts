import { createHash } from 'node:crypto'
import { PassThrough, type Readable } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import { render } from 'preact-render-to-string'
import { SECOND_MS } from '../../core/time.js'
import type { LiveAnswer } from './answer.js'

/** How long after one reading the next one is made. */
const READ_EVERY_MS = SECOND_MS
/** A stream ends after so long, and the browser opens another one: then it is checked anew who watches. */
const STREAM_MS = 60 * SECOND_MS
const MOST_STREAMS = 500

/** The streams of all browsers that watch a live part of a page. */
export type LiveParts = {
  /** A stream of server-sent events; none if too many are open. `seen` is the id of the last event that the browser has. */
  readonly watch: (part: Omit<LiveAnswer, '_tag'>, seen: string | undefined) => Readable | undefined
  /** Ends every stream. */
  readonly close: () => void
}

/** One live part: its text as it was last read, and who watches. */
type Watched = { readonly streams: Set<Watching>; last: Shown | undefined; timer: NodeJS.Timeout | undefined }
type Watching = { readonly stream: PassThrough; seen: string | undefined }
type Shown = { readonly id: string; readonly html: string }

/** Reads each live part once for all who watch it, and sends it whole whenever it has changed, so that nothing is missed by who was away. */
export const makeLiveParts = (): LiveParts => {
  const parts = new Map<string, Watched>()
  let open = 0

  const watch: LiveParts['watch'] = (live, seen) => {
    if (open >= MOST_STREAMS) return undefined
    const { key } = live
    open += 1
    const stream = new PassThrough()
    const watching: Watching = { stream, seen }
    const known = parts.get(key)
    const part: Watched = known ?? { streams: new Set(), last: undefined, timer: undefined }
    part.streams.add(watching)
    const end = setTimeout(() => stream.end(), STREAM_MS).unref()
    stream.once('close', () => {
      open -= 1
      clearTimeout(end)
      part.streams.delete(watching)
      if (part.streams.size > 0) return
      clearTimeout(part.timer)
      parts.delete(key)
    })
    // What waits in a slow reader's stream is whole, but old: it gets the present state when it has read on.
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
    const html = await textOf(read)
    if (parts.get(key) !== part) return
    if (html !== undefined) part.last = { id: createHash('sha256').update(html).digest('base64url').slice(0, 16), html }
    for (const watching of part.streams) show(part, watching)
    part.timer = setTimeout(() => void readOn(part, live), everyMs).unref()
  }

  const close = (): void => {
    for (const { streams } of parts.values()) for (const { stream } of streams) stream.end()
  }

  return { watch, close }
}

/** A part that cannot be read stays as it was, until it can. */
const textOf = async (read: LiveAnswer['read']): Promise<string | undefined> => {
  try {
    const part = await read()
    return E.isRight(part) ? render(part.right) : undefined
  } catch {
    return undefined
  }
}

const show = ({ last }: Watched, watching: Watching): void => {
  if (last === undefined || watching.seen === last.id || watching.stream.writableNeedDrain || watching.stream.writableEnded) return
  watching.seen = last.id
  watching.stream.write(`id: ${last.id}\n${last.html.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`).join('')}\n`)
}
