import * as E from 'fp-ts/lib/Either.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { Conversation, Media, MediaError, WantedMedia } from '../../core/messages/conversation.js'
import type { CloudApiDeps } from './cloud-api.js'
import { MAX_MEDIA_BYTES, readDescription, readDownload } from './read-media.js'
import { unanswered } from './repeatable.js'
import { baseOf, makeDownloadRequest, makeMediaRequest } from './request.js'
import { type BodyLimits, type Download, MAX_DOWNLOADS } from './transport.js'

/** How long the bytes of an attachment may take. */
export type MediaDeadlines = Omit<BodyLimits, 'maxBytes'>

/** What opening attachments needs: the platform's address, and a transport that reaches it. */
export type MediaDeps = CloudApiDeps & {
  readonly download: Download
  /** How long the bytes of an attachment may take; 30 seconds without a byte and ten minutes in all by default. */
  readonly mediaDeadlines?: MediaDeadlines
}

const DEADLINES: MediaDeadlines = { idleMs: 30 * SECOND_MS, totalMs: 600 * SECOND_MS }

/** How many attachments of one sender may be open at once, so that those of others can be opened too. */
const MAX_OF_SENDER = MAX_DOWNLOADS / 4

/** Makes the opening of attachments: one call says where the bytes are, and another one gets them. */
export const makeOpenMedia = ({ transport, download, now = Date.now, mediaDeadlines = DEADLINES, ...endpoint }: MediaDeps): Conversation['openMedia'] => {
  const mediaRequest = makeMediaRequest(endpoint)
  const downloadRequest = makeDownloadRequest(endpoint, { maxBytes: MAX_MEDIA_BYTES, ...mediaDeadlines })
  const { origin } = baseOf(endpoint)
  const open = async (wanted: WantedMedia, onClosed: () => void): Promise<E.Either<MediaError, Media>> => {
    const described = readDescription(await transport(mediaRequest(wanted)), origin, now())
    if (E.isLeft(described)) return described
    const opened = await download(downloadRequest(wanted, described.right.address))
    const media = readDownload(opened, described.right, wanted.range, now())
    if (E.isRight(media) && opened._tag === 'Opened') void opened.closed.then(onClosed)
    return media
  }
  const places = makePlaces(MAX_OF_SENDER)
  return (wanted) => async () => {
    const leave = places.take(wanted.sender.phoneNumberId)
    if (leave === undefined) return E.left(unanswered(`${MAX_OF_SENDER} attachments of this sender are being read already`))
    const media = await open(wanted, leave)
    if (E.isLeft(media)) leave()
    return media
  }
}

/** Places for so many at once with each name. */
const makePlaces = (most: number) => {
  const taken = new Map<string, number>()
  const leave = (name: string): void => {
    const rest = (taken.get(name) ?? 0) - 1
    if (rest > 0) taken.set(name, rest)
    else taken.delete(name)
  }
  return {
    /** Takes a place and returns how to leave it; `undefined` where all are taken. */
    take: (name: string): (() => void) | undefined => {
      const others = taken.get(name) ?? 0
      if (others >= most) return undefined
      taken.set(name, others + 1)
      return () => leave(name)
    },
  }
}
