import * as E from 'fp-ts/lib/Either.js'
import type { PlatformError } from '../errors.js'
import { senderFailing, senderRecovered } from '../event-data.js'
import type { Accepted } from '../message.js'
import type { Sender, Senders } from '../ports/senders.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { alongFor, type EventDeps } from './event-deps.js'

/** What noting the health of a sender needs; where `noteHealth` is absent, nothing is noted. */
export type SenderHealthDeps = EventDeps & { readonly senders: Partial<Pick<Senders, 'noteHealth'>> }

/** What the platform answered to a message that was sent through a sender. */
export type SenderAnswer = { readonly workspace: WorkspaceId; readonly sender: Sender; readonly answer: E.Either<PlatformError, Accepted>; readonly at: Instant }

/**
 * Notes that the platform refuses the credentials of a sender that was not failing, or accepts a message of one that was.
 *
 * So it writes only at a change. If that fails, the next message of the sender says the same, so a failure changes nothing.
 */
export const noteSenderHealth = async ({ events, senders }: SenderHealthDeps, { workspace, sender, answer, at }: SenderAnswer): Promise<void> => {
  const wasFailing = sender.failingSince !== undefined
  if (E.isRight(answer)) {
    if (wasFailing) await senders.noteHealth?.(workspace, false, at, await alongFor(events, workspace, senderRecovered(workspace)))()
  } else if (answer.left._tag === 'CredentialsRefused' && !wasFailing) {
    await senders.noteHealth?.(workspace, true, at, await alongFor(events, workspace, senderFailing(workspace, answer.left.error)))()
  }
}
