import type * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { MessageId, Sent } from '../../core/messages/message.js'
import type { Outbound } from '../../core/sending/dispatch.js'
import type { TopUp } from './at-the-end.js'
import type { BackUp } from './backup.js'
import type { Batched } from './batched.js'
import type { Deadlines } from './deadlines.js'
import type { Gateway, SimulatedStorage, Watch } from './gateway.js'
import type { Renumbered } from './numbers.js'
import type { HearForeign, SimulatedPlatform, Taken } from './platform.js'
import type { Limits, QueuedPromises } from './queued.js'
import type { Rules } from './rules.js'
import type { Senders } from './senders.js'
import type { Shares } from './shares.js'
import type { Known } from './states.js'
import type { World } from './world.js'

/** What the outside world has seen at the end. */
export type Seen = {
  readonly platform: SimulatedPlatform
  /** The ids of the events that were delivered. */
  readonly received: ReadonlyMap<string, unknown>
  /** The top-ups that an operator requested, and whether one of the responses confirmed it. */
  readonly topUps: ReadonlyArray<TopUp>
}

/** Observes the effects of gateways on a storage, and compares them with Postern's promises. */
export type Promises = {
  readonly watch: Watch
  /** The promises about each send. */
  readonly rules: Pick<Rules, 'during' | 'onReport' | 'onLost' | 'numbers' | 'senders'>
  /** A gateway starts to send a message. */
  readonly onLeaving: (outbound: Outbound, gateway: Gateway) => void
  readonly queued: Pick<QueuedPromises, 'during' | 'onAnswer' | 'onCanceled' | 'areWaiting' | 'isHeld' | 'leftBefore'>
  readonly foreign: { readonly hear: HearForeign; readonly hearElsewhere: HearForeign }
  readonly shares: Pick<Shares, 'open'>
  readonly batched: Pick<Batched, 'onLines' | 'onStatement' | 'onSubmit' | 'areOpen' | 'has'>
  readonly deadlines: Pick<Deadlines, 'areOpen'>
  /** The platform is about to accept a message. */
  readonly onTaken: (outbound: Outbound, takenBefore: ReadonlyArray<Taken>) => void
  /** A client has received a response to a send. */
  readonly onAnswer: (workspace: WorkspaceId, key: string | undefined, answer: E.Either<object, Sent>) => void
  /** Checks everything once nothing is in progress and no report is left. */
  readonly atTheEnd: (seen: Seen) => Promise<void>
  readonly known: ReadonlyMap<MessageId, Known>
  /** Backs up the known data of the storage; the returned function restores it after the storage was restored, and compares both. */
  readonly backUp: BackUp<Promise<void>>
}

/** The parts that the checker observes. */
export type PromiseParts = {
  readonly world: World
  readonly storage: SimulatedStorage
  readonly platform: () => SimulatedPlatform
  readonly people: ReadonlyArray<Renumbered>
  readonly senders: Senders
  /** Whether the storage performs a call immediately, before it responds. */
  readonly isAtOnce: boolean
  /** Whether a message is opened and paid for in one step. */
  readonly isJoint: boolean
  /** The limits of pairs and of senders, if the history has them. */
  readonly limits: Limits | undefined
  /** The queue as the gateways have it. */
  readonly queue: () => SimulatedStorage['messageQueue']
  /** The time at which a workspace was archived, if it was: the lower number came first. */
  readonly archivedAt: (workspace: WorkspaceId) => number | undefined
  /** Whether a life of a gateway has ended. */
  readonly isOver: (gateway: string, life: number) => boolean
}
