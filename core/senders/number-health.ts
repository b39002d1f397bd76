import * as E from 'fp-ts/lib/Either.js'
import type {
  CredentialsRefused, PlatformRejected, PlatformThrottled, PlatformUnreachable, PortFailure,
} from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { entriesFor, type EventDeps, type MakeOutboxEntries, type NewEvent } from '../kernel/outbox.js'
import { type Clock, HOUR_MS, type Instant, iso, MINUTE_MS, SECOND_MS } from '../kernel/time.js'
import { type NoSender, requiredSender, type Sender, type SenderDirectory, type SenderId, type SenderOf } from './sender.js'

/** The ratings of a number by the platform, which depend on how customers react to its messages; `unknown` if the platform does not rate it. */
export const NUMBER_QUALITIES = ['green', 'yellow', 'red', 'unknown'] as const

/** The platform's rating of a number. */
export type NumberQuality = (typeof NUMBER_QUALITIES)[number]

/** How many different customers may get messages outside of windows in 24 hours. All numbers of a business portfolio share one such limit. */
export type CustomersPerDay = number | 'unlimited'

/** The facts about a phone number. A fact that the platform does not report is absent. */
export type NumberFacts = {
  /** The number as the platform writes it, such as `+1 555-078-3881`; up to 40 characters. */
  readonly displayNumber?: string
  /** The name that customers see, as the platform has verified it; up to 100 characters. */
  readonly verifiedName?: string
  readonly quality?: NumberQuality
  readonly customersPerDay?: CustomersPerDay
  /** How many messages a second the number may send and receive. */
  readonly messagesPerSecond?: number
}

/** The facts that the platform reported; `at` is when the reading started. */
export type NumberReading = NumberFacts & { readonly at: Instant }

/** What is known of a number: the latest value of each fact. */
export type KnownNumber = NumberFacts & {
  readonly phoneNumberId: SenderId
  /** When the current quality was first read; absent if the quality is not known. */
  readonly qualitySince?: Instant
  /** When the latest reading started. */
  readonly readAt: Instant
}

/** A change of a number that was known before. */
export type NumberChange = { readonly before: KnownNumber; readonly after: KnownNumber }

/** A number is read again after this time. */
export const READ_EVERY_MS = 6 * HOUR_MS

/** A number that the platform has reported on is read after this time, because such reports arrive in groups. */
export const READ_SOON_MS = 30 * SECOND_MS

/**
 * What is known after a reading; `undefined` if a later reading is known already. Readings of the same time replace each other. A fact that the reading does
 * not have keeps its value: the platform may omit a fact in one answer and report it in the next.
 */
export const afterReading = (
  phoneNumberId: SenderId, known: KnownNumber | undefined, { at, ...facts }: NumberReading,
): KnownNumber | undefined => {
  if (known !== undefined && known.readAt > at) return undefined
  const after = { ...known, ...facts, phoneNumberId, readAt: at }
  const isSame = facts.quality === undefined || facts.quality === known?.quality
  return isSame ? after : { ...after, qualitySince: at }
}

/** When a number is read next, after a reading at a given time: soon if it was wanted for a time after that. */
export const nextReadingAt = (readAt: Instant, wantedAt: Instant | undefined): Instant =>
  wantedAt !== undefined && wantedAt > readAt ? wantedAt : readAt + READ_EVERY_MS

const WATCHED = ['quality', 'customersPerDay', 'messagesPerSecond'] as const

/** Whether a limit or the quality of a number has changed. A fact that becomes known has not changed. */
export const hasNumberChanged = ({ before, after }: NumberChange): boolean =>
  WATCHED.some((fact) => before[fact] !== undefined && after[fact] !== before[fact])

/** The digits of a number as the platform writes it. Its notifications contain only these. */
export const numberDigits = (displayNumber: string): string => displayNumber.replace(/[^0-9]/g, '')

/** The quality or a limit of a number has changed. */
export const numberChanged = (workspace: WorkspaceId) => ({ before, after }: NumberChange): ReadonlyArray<NewEvent> => {
  const { phoneNumberId, displayNumber = null, qualitySince, readAt } = after
  const data = {
    phone_number_id: phoneNumberId, display_phone_number: displayNumber, ...limitsView(after),
    quality_since: qualitySince === undefined ? null : iso(qualitySince), read_at: iso(readAt), previous: limitsView(before),
  }
  return [{ type: 'sender.quality', workspace, subject: phoneNumberId, data }]
}

/** The quality and the limits of a number as JSON; null if they are not known. */
export const limitsView = ({ quality, messagesPerSecond, customersPerDay }: NumberFacts) => ({
  quality: quality ?? null, messages_per_second: messagesPerSecond ?? null, customers_per_day: { limit: customersPerDay ?? null },
})

/** The numbers whose facts may have changed according to the platform. */
export type WantedNumbers = {
  /** The business account of their senders. */
  readonly accountId: string
  /** The digits of a number, if the platform names one. */
  readonly digits?: string
}

/** What is known of the phone numbers of senders, and when they are read again. */
export interface NumberHealth {
  /**
   * Stores what the platform reported of a number of a workspace (`afterReading`), and plans its next reading (`nextReadingAt`). Right: whether it was stored.
   *
   * A reading of a number that is not a sender of the workspace, or that is older than the stored one, changes nothing. `outboxEntries` is called if the number has
   * changed (`hasNumberChanged`), and its entries are stored in the same step. Of concurrent identical readings only one finds a change.
   */
  readonly note: (
    of: SenderOf, reading: NumberReading, outboxEntries?: MakeOutboxEntries<NumberChange>,
  ) => Promise<E.Either<PortFailure, boolean>>
  /** What is known of the numbers of a workspace's senders, by their ids. A number that was never read is left out. */
  readonly of: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, ReadonlyArray<KnownNumber>>>
  /**
   * Makes numbers due at a given time: those of senders with a business account, and those with the given digits. A number that is due earlier stays due, and
   * a reading that started before the given time does not postpone it.
   */
  readonly want: (wanted: WantedNumbers, at: Instant) => Promise<E.Either<PortFailure, void>>
  /**
   * Takes at most `limit` numbers that are due, longest due first, and makes them due again at `until`, so that no other process takes them meanwhile. Of concurrent
   * calls only one takes a number.
   *
   * A number that was never read is due first. Numbers of archived workspaces are left out.
   */
  readonly claim: (at: Instant, until: Instant, limit: number) => Promise<E.Either<PortFailure, ReadonlyArray<SenderOf>>>
}

/** What the platform has reported of the number of a sender; `undefined` if nothing is known of it. */
export type KnownNumbers = (of: SenderOf) => Promise<KnownNumber | undefined>

/** How long what is known of a number is kept in memory, in milliseconds, and of how many numbers at most. */
const KNOWN_MS = MINUTE_MS
const MAX_KNOWN = 4_096

/** Reads what is known of numbers. A number is read again after a minute, so nearly every send reads nothing; if it cannot be read, it counts as unknown. */
export const makeKnownNumbers = ({ numberHealth, now }: {
  readonly numberHealth: Pick<NumberHealth, 'of'>
  readonly now: () => Instant
}): KnownNumbers => {
  const kept = new Map<string, { readonly until: Instant; readonly number: Promise<KnownNumber | undefined> }>()
  return ({ workspace, sender }) => {
    const key = `${workspace} ${sender}`
    const known = kept.get(key)
    if (known !== undefined && now() < known.until) return known.number
    if (kept.size >= MAX_KNOWN) kept.clear()
    const number = numberHealth.of(workspace).then((found) =>
      (E.isLeft(found) ? undefined : found.right.find(({ phoneNumberId }) => phoneNumberId === sender)))
    kept.set(key, { until: now() + KNOWN_MS, number })
    return number
  }
}

/** Reads the facts of a number from the platform. */
export interface PlatformNumbers {
  /**
   * Reads what the platform reports of a sender's phone number. It returns before a deadline and may be repeated.
   *
   * `CredentialsRefused`: the platform does not accept the access token for this number. `PlatformRejected`: it refuses the request. `PlatformThrottled`: it received
   * too many. `PlatformUnreachable`: no valid answer arrived.
   */
  readonly read: (sender: Pick<Sender, 'accessToken' | 'phoneNumberId'>) => Promise<E.Either<PlatformNumberError, NumberFacts>>
}

/** Why the facts of a number could not be read. */
export type PlatformNumberError = PlatformRejected | PlatformThrottled | CredentialsRefused | PlatformUnreachable

/** Reads a number from the platform, and stores what it reports. `UnknownSender`: the workspace has no such sender. */
export type RefreshNumber = (of: SenderOf) => Promise<E.Either<RefreshNumberError, NumberFacts>>

/** How reading a number can fail. */
export type RefreshNumberError = NoSender | PlatformNumberError | PortFailure

/** The dependencies of reading a number. */
export type RefreshNumberDeps = EventDeps & {
  readonly senders: Pick<SenderDirectory, 'senderOf'>
  readonly platformNumbers: PlatformNumbers
  readonly numberHealth: Pick<NumberHealth, 'note'>
  readonly now: Clock
}

export const makeRefreshNumber =
  (deps: RefreshNumberDeps): RefreshNumber =>
  async (of) => {
    const sender = await requiredSender(deps.senders, of)
    if (E.isLeft(sender)) return sender
    const at = deps.now()
    const facts = await deps.platformNumbers.read(sender.right)
    if (E.isLeft(facts)) return facts
    const outboxEntries = await entriesFor(deps.events, of.workspace, numberChanged(of.workspace))
    const noted = await deps.numberHealth.note(of, { ...facts.right, at }, outboxEntries)
    return E.isLeft(noted) ? noted : facts
  }

/** Reads the numbers that are due, and stores what the platform reports. It continues while `goOn` allows it. A number that cannot be read delays no other. */
export type RefreshNumbers = (goOn: () => boolean) => Promise<E.Either<PortFailure, RefreshedNumbers>>

/** How many numbers were read, and how many could not be read and are tried again later. */
export type RefreshedNumbers = { readonly read: number; readonly failed: number }

/** The dependencies of reading the numbers that are due. */
export type RefreshNumbersDeps = {
  readonly refreshNumber: RefreshNumber; readonly numberHealth: Pick<NumberHealth, 'claim'>; readonly now: Clock
}

/** A number that could not be read, or whose process ended meanwhile, is tried again after this time. */
const RETRY_AFTER_MS = 30 * MINUTE_MS

/** The number of readings in one call, and how many run simultaneously. */
const MAX_READINGS = 500
const AT_ONCE = 4

export const makeRefreshNumbers =
  ({ refreshNumber, numberHealth, now }: RefreshNumbersDeps): RefreshNumbers =>
  async (goOn) => {
    let [read, failed, left] = [0, 0, MAX_READINGS]
    let failure: PortFailure | undefined
    const work = async (): Promise<void> => {
      for (; left > 0 && goOn(); left -= 1) {
        const at = now()
        const claimed = await numberHealth.claim(at, at + RETRY_AFTER_MS, 1)
        if (E.isLeft(claimed)) return void (failure = claimed.left)
        const [number] = claimed.right
        if (number === undefined) return
        const refreshed = await refreshNumber(number)
        if (E.isRight(refreshed)) read += 1
        else failed += 1
        if (E.isLeft(refreshed) && refreshed.left._tag === 'PortFailure') failure = refreshed.left
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return failure === undefined ? E.right({ read, failed }) : E.left(failure)
  }
