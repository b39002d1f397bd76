import type * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { Instant } from '../../core/kernel/time.js'
import type { RateCard } from '../../core/money/rate-card.js'
import type { Postern } from '../../core/postern.js'
import type { AccountNotice } from '../../core/reports/account.js'
import type { Sender } from '../../core/senders/sender.js'
import type { FileForms } from './form-body.js'

/** The use cases behind the pages, by group. Without one of the optional groups, the console has no pages for it. */
export type ShownUseCases =
  & Partial<Pick<Postern, 'alerts' | 'apps' | 'batches' | 'consent' | 'events' | 'numbers' | 'queue' | 'requests' | 'search' | 'sending'>>
  & Pick<
      Postern,
      'audit' | 'clock' | 'customers' | 'keys' | 'members' | 'messages' | 'money' | 'overview' | 'templates' | 'upkeep' | 'workspaces'
    >

/** The use cases of a group that the console has. */
export type UsesOf<Group extends keyof ShownUseCases> = NonNullable<ShownUseCases[Group]>

/** What the pages show of their gateway, and need from it, in addition to its use cases. */
export type GatewayFacts = {
  /** The rate card in force. */
  readonly rateCard: () => RateCard
  /** Creates a unique text for each form. */
  readonly newFormKey: () => string
  readonly fileForms: FileForms
  /** Asks the platform whether it accepts a sender, and for details of it. Left: one sentence with the fault. */
  readonly readSender: (sender: Sender) => Promise<E.Either<string, PlatformSays>>
  /** What the platform last reported about a business account, in one sentence. */
  readonly summaryOf: (notices: ReadonlyArray<AccountNotice>) => string
  /** Whether alerts are sent by e-mail; false if absent. */
  readonly sendsMail?: boolean
  /** Whether access tokens and secrets can be stored, which needs `POSTERN_SECRET`. */
  readonly isSecretSet: boolean
  /** After how many days data about people is deleted; undefined for never. */
  readonly retentionDays: number | undefined
  /** How many requests of a workspace are kept per minute: of those that succeeded, and of those that were refused. */
  readonly keptAMinute: { readonly answered: number; readonly refused: number }
  /** The state of the whole installation; without it there is no page about it. */
  readonly health?: GatewayHealth
}

/** The platform's data about the sender's phone number, unchanged. */
export type PlatformSays = {
  readonly name?: string
  readonly number?: string
  readonly quality?: string
  readonly limit?: string
  readonly throughput?: string
}

/** The state of the whole installation. */
export type GatewayHealth = {
  /** The processes that serve the gateway. */
  readonly gateways: () => Promise<E.Either<PortFailure, ReadonlyArray<GatewayShown>>>
  /** How many messages have an unknown outcome. */
  readonly unconfirmed: () => Promise<E.Either<PortFailure, UnconfirmedMessages>>
  /** The rate card in force. */
  readonly rateCard: () => RateCardShown
  /** Runs the checks of `postern doctor` for a limited time, and yields each result as soon as it is available. */
  readonly runChecks: () => AsyncIterable<CheckShown>
}

/** A process that serves the gateway. */
export type GatewayShown = {
  readonly id: string; readonly version: string; readonly host: string; readonly pid: number
  readonly startedAt: Instant; readonly seenAt: Instant; readonly isAlive: boolean; readonly reconciledAt: Instant | undefined
}

/** The number of messages with an unknown outcome, counted up to a limit. */
export type UnconfirmedMessages = { readonly count: number; readonly isMore: boolean }

/** The rate card in force: its currency, the first day of its prices, and when its file was last read. */
export type RateCardShown = { readonly currency: string; readonly effective: string; readonly cards: number; readonly readAt: Instant }

/** The result of one check: no fault, or a fault and how to fix it. */
export type CheckShown = { readonly check: string; readonly fault: string | null; readonly remedy: string | null; readonly note?: string }
