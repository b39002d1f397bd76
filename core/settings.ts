import type { PairLimit } from './customers/pair-limit.js'
import type { Instant } from './kernel/time.js'
import type { PriceOf, RateCard } from './money/rate-card.js'
import type { SenderLimit } from './senders/sender-budget.js'
import type { HeldStart } from './sending/holds.js'
import type { OnLimit, RetryLater } from './sending/dispatch.js'

/** The functions of the machine that the core needs because it is pure: ids, random bytes and digests. */
export type Machine = {
  /** A new UUIDv7 with its hyphens, which sorts after the previous ones. */
  readonly newUuid: () => string
  /** Encodes the given number of bytes from a cryptographically secure random generator. */
  readonly randomText: (bytes: number, encoding: 'base64' | 'base64url') => string
  /** The SHA-256 digest of a text, in lowercase hexadecimal digits. */
  readonly sha256: (text: string) => string
  /** The HMAC-SHA-256 of a text, in base64url. */
  readonly hmacSha256: (key: string, text: string) => string
}

/** The settings of the sends: prices, limits, and the function that makes ids. */
export type SendingSettings = Pick<Machine, 'newUuid'> & {
  /** What a message costs. A workspace pays that, unless a storage with `workspacePricing` prices it otherwise. */
  readonly priceOf: PriceOf
  /** Accepts a write that failed, to run it again later. */
  readonly retryLater: RetryLater
  /** The age of a pending message, in milliseconds, from which its process counts as crashed; the same for every gateway of the storage. */
  readonly unconfirmedAfterMs: number
  /** The age of a message with an unknown outcome, in milliseconds, from which it is given up. */
  readonly releaseAfterMs: number
  /** Whether templates are checked before they are sent; default `on`. */
  readonly templatePreflight?: 'on' | 'off'
  /** How many messages a sender may send to one customer; if it is absent, or if the storage has no `pairLimits`, there is no limit. */
  readonly pairLimit?: PairLimit
  /**
   * How fast a sender may send whose rate the platform has not reported, and how long a send waits for its turn; if it is absent, or if the storage has no `senderBudget`, there is no limit.
   */
  readonly senderLimit?: SenderLimit
  /**
   * Whether the customers that a portfolio reaches outside of windows are counted, up to the limit that the platform has reported; default `off`. It needs `portfolioBudget` and
   * `numberHealth` of the storage.
   */
  readonly portfolioLimit?: 'on' | 'off'
  /** Is notified of each slot that a sender takes or loses, of each request that a limit refuses, and of each answer that slows a sender down, so that an app can count them. */
  readonly onLimit?: OnLimit
  /** When queued messages are held after a sleep of the database, or in a copy of it; if it is absent, or if the storage has no `queueHolds`, they are not. */
  readonly heldStart?: HeldStart
}

/** The settings of the use cases of operators: the rate card, limits, and the machine's ids and digests. */
export type AdministrationSettings = Machine
  & Pick<SendingSettings, 'portfolioLimit' | 'releaseAfterMs' | 'senderLimit' | 'unconfirmedAfterMs'> & {
  /** The rate card in force, now or at a given time. */
  readonly rateCard: (at?: Instant) => RateCard
}

/** The settings of all use cases. */
export type Settings = SendingSettings & AdministrationSettings
