import type { PhoneNumber } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import type { IdempotencyKey, Message } from '../../core/messages/message.js'
import type { Ports } from '../../core/ports.js'
import type { SenderId } from '../../core/senders/sender.js'
import type { TopUp } from './at-the-end.js'
import type { BackUp } from './backup.js'
import type { Gateway } from './gateway.js'
import type { SimulatedPlatform } from './platform.js'
import type { Promises } from './promise-parts.js'
import type { SimulatedSender } from './senders.js'
import type { World } from './world.js'

/** A workspace of the simulation, with the keys of its application. */
export type Tenant = {
  readonly id: WorkspaceId
  readonly senders: readonly [SimulatedSender, ...SimulatedSender[]]
  readonly customers: readonly [PhoneNumber, ...PhoneNumber[]]
  readonly keys: Array<{ readonly id: string; readonly key: string; readonly limit: bigint | undefined; revokedAt?: number }>
  archivedAt?: number
}

/** The objects that the acts of a simulation use. */
export type Scene = {
  readonly world: World
  readonly gateways: readonly [Gateway, ...Gateway[]]
  readonly tenants: readonly [Tenant, ...Tenant[]]
  readonly platform: SimulatedPlatform
  readonly promises: Promises
  /** Keys of past sends with their content, for later repetitions. */
  readonly sent: Array<Send>
  readonly topUps: Array<TopUp>
  /** The people that an operator erased. */
  readonly erased: Array<{ readonly workspace: WorkspaceId; readonly customer: PhoneNumber }>
  /** The operator's command line, connected to the storage. */
  readonly operator: Gateway
  /** Backs up the storage; the returned function restores it. */
  readonly backUp: BackUp<Promise<void>>
  /** The restore of the latest backup, the gateways that are stopped for it, and whether they have to stay stopped. */
  readonly restoring: {
    latest: { readonly at: Instant; readonly putBack: () => Promise<void> } | undefined
    readonly stopped: ReadonlyArray<Gateway>; isUnderWay: boolean
  }
  /** The gateways that have the turns of senders, and until when. */
  readonly turns: Map<string, { readonly gateway: Gateway; readonly life: number; readonly until: Instant }>
  /** How many times a receiver has received an event, by its id. */
  readonly received: Map<string, number>
  /** Whether failures have stopped. */
  readonly isCalm: () => boolean
}

/** A send as a client requests it. */
export type Send = {
  readonly tenant: Tenant
  readonly message: Message
  /** The sender that it names; the default sender if it names none. */
  readonly sender?: SenderId | undefined
  readonly key: IdempotencyKey | undefined
  /** For how long its delivery is awaited, in milliseconds, if it is. */
  readonly confirmWithinMs?: number | undefined
  /** The API key of the send, and the gateway that it uses; any by default. */
  readonly presented?: Tenant['keys'][number] | undefined
  readonly through?: Gateway
  /** The ports that the gateway uses for it, made of its own. */
  readonly over?: ((ports: Ports) => Ports) | undefined
}

/** All acts of a simulation, and their relative frequencies. */
export const ACTS = {
  send: 34, 'send twice at once': 5, 'repeat an old send': 5, write: 8, 'top up': 3, adjust: 2, 'set an alert': 2, resolve: 4,
  'revoke a key': 0.7, archive: 0.3, erase: 1, reconcile: 12, deliver: 6, retention: 1, look: 3, 'sync templates': 2,
  'pause the template': 0.6, 'cut a gateway off': 2, 'kill a gateway': 4,
  // These are planned separately, for few histories.
  'back up': 0, restore: 0, 'answer when the window ends': 0, 'spend around midnight': 0, 'stop marketing': 0, 'slow the storage down': 0,
  'refuse the credentials': 0, 'meet a renumbered customer': 0, 'hear of another program': 0, 'share a hold': 0,
  'await a delivery': 0,
  'queue messages': 0, 'queue under limits': 0, 'reach many customers': 0, 'queue for hours': 0, 'queue before a restore': 0,
  'send a batch': 0, 'send another batch': 0, 'submit a batch': 0,
  'move a number': 0, 'remove a sender': 0, 'change the default sender': 0, 'report at another app': 0,
} as const satisfies Readonly<Record<string, number>>

/** The name of an act of a simulation. */
export type ActKind = keyof typeof ACTS

/** One act of a plan. */
export type PlannedAct = { readonly at: Instant; readonly kind: ActKind; readonly name: string }
