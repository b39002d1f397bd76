import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  Accepted, CredentialsRefused, Message, MessageId, OutcomeUnknown, Outbound, Platform, PlatformError, PlatformId, PlatformRejected, PlatformThrottled,
  PlatformUnreachable, Sender,
} from '../../../core/ports/platform.js'

const rejected: PlatformRejected = { _tag: 'PlatformRejected', error: { code: 131_026 } }
const throttled: PlatformThrottled = { _tag: 'PlatformThrottled', error: { code: 130_429 }, retryAfterSeconds: 1 }
const refused: CredentialsRefused = { _tag: 'CredentialsRefused', error: { code: 190 } }
const unreachable: PlatformUnreachable = { _tag: 'PlatformUnreachable', cause: undefined }
const unknown: OutcomeUnknown = { _tag: 'OutcomeUnknown', cause: undefined }

const FAILURES: ReadonlyArray<PlatformError> = [rejected, throttled, refused, unreachable, unknown]

export const platform = (take: (id: MessageId, sender: Sender, message: Message) => PlatformId | undefined): Platform => ({
  send: ({ id, sender, message }: Outbound): TE.TaskEither<PlatformError, Accepted> => {
    const taken = take(id, sender, message)
    return taken === undefined ? TE.left(FAILURES[id.length % FAILURES.length] ?? unknown) : TE.right({ platformId: taken })
  },
})
