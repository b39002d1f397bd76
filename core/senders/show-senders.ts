import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Instant, iso } from '../kernel/time.js'
import { type CustomersPerDay, type KnownNumber, limitsView, type NumberHealth, type NumberQuality } from './number-health.js'
import {
  type ListedSender, listedSenders, type SenderDirectory, type SenderId, type SenderLists, type SenderOf, type UnknownSender,
} from './sender.js'

/** A sender, and what is known of its number; `undefined` if the number was never read. */
export type ShownSender = {
  readonly sender: ListedSender
  readonly number: KnownNumber | undefined
  /** How many customers its portfolio has reached outside of windows in 24 hours; absent if that is not counted, or has no limit. */
  readonly customersUsed?: number
}

/** Counts the customers whom the portfolios of some senders have reached, by sender. */
export type CustomersUsed = (senders: ReadonlyArray<ListedSender>) => Promise<E.Either<PortFailure, ReadonlyMap<SenderId, number>>>

/** The senders of a workspace as applications and people see them: its default sender, then the others by their ids. */
export type ShowSenders = (workspace: WorkspaceId) => Promise<E.Either<PortFailure, ReadonlyArray<ShownSender>>>

/** One of them. */
export type ShowSender = (of: SenderOf) => Promise<E.Either<UnknownSender | PortFailure, ShownSender>>

/** The dependencies of showing senders. Without `numberHealth`, nothing is known of their numbers; without `customersUsed`, no customers are counted. */
export type ShowSendersDeps = {
  readonly senders: Pick<SenderDirectory, 'senderOf'> & Partial<Pick<SenderLists, 'sendersOf'>>
  readonly numberHealth?: Pick<NumberHealth, 'of'> | undefined
  readonly customersUsed?: CustomersUsed | undefined
}

export const makeShowSenders =
  ({ senders, numberHealth, customersUsed }: ShowSendersDeps): ShowSenders =>
  async (workspace) => {
    const [found, numbers] = await Promise.all([listedSenders(senders)(workspace), numberHealth?.of(workspace) ?? E.right([])])
    if (E.isLeft(found)) return found
    if (E.isLeft(numbers)) return numbers
    const known = new Map(numbers.right.map((number) => [number.phoneNumberId, number]))
    const limited = found.right.filter(({ phoneNumberId }) => typeof known.get(phoneNumberId)?.customersPerDay === 'number')
    const used = limited.length === 0 ? undefined : await customersUsed?.(limited)
    if (used !== undefined && E.isLeft(used)) return used
    return E.right(found.right.map((sender): ShownSender => {
      const count = used?.right.get(sender.phoneNumberId)
      return { sender, number: known.get(sender.phoneNumberId), ...(count !== undefined && { customersUsed: count }) }
    }))
  }

export const makeShowSender = (deps: ShowSendersDeps): ShowSender => {
  const showSenders = makeShowSenders(deps)
  return async ({ workspace, sender }) => {
    const shown = await showSenders(workspace)
    if (E.isLeft(shown)) return shown
    const found = shown.right.find((one) => one.sender.phoneNumberId === sender)
    return found === undefined ? E.left({ _tag: 'UnknownSender', sender }) : E.right(found)
  }
}

/** Why nothing can be sent through a sender: the platform refuses its access token, or the stored token cannot be decrypted. */
export const FAILING_REASONS = ['token_refused', 'token_unreadable'] as const

/** One of these reasons. */
export type FailingReason = (typeof FAILING_REASONS)[number]

const failingReason = ({ isUnreadable, failingSince }: ListedSender): FailingReason | undefined =>
  (isUnreadable ? 'token_unreadable' : failingSince === undefined ? undefined : 'token_refused')

/** A sender as JSON. What is not known is null. */
export type SenderView = {
  readonly phone_number_id: string
  readonly display_phone_number: string | null
  readonly verified_name: string | null
  readonly business_account_id: string | null
  readonly default: boolean
  /** Whether its access token can be decrypted and the platform accepts it. */
  readonly status: 'failing' | 'ok'
  readonly failing_reason: FailingReason | null
  readonly failing_since: string | null
  readonly quality: NumberQuality | null
  readonly quality_since: string | null
  readonly messages_per_second: number | null
  readonly customers_per_day: { readonly limit: CustomersPerDay | null; readonly used: number | null }
  readonly direct_send: { readonly status: 'unknown'; readonly until: string | null }
  /** When the platform reported these facts of the number. */
  readonly read_at: string | null
}

/** Shows a sender. Whether it can use Direct Send is not known. */
export const senderView = ({ sender, number, customersUsed }: ShownSender): SenderView => {
  const { phoneNumberId, businessAccountId, isDefault, failingSince } = sender
  const reason = failingReason(sender)
  const { quality, messages_per_second, customers_per_day } = limitsView(number ?? {})
  return {
    phone_number_id: phoneNumberId, display_phone_number: number?.displayNumber ?? null, verified_name: number?.verifiedName ?? null,
    business_account_id: businessAccountId ?? null, default: isDefault === true,
    status: reason === undefined ? 'ok' : 'failing', failing_reason: reason ?? null, failing_since: timeOf(failingSince),
    quality, quality_since: timeOf(number?.qualitySince), messages_per_second,
    customers_per_day: { ...customers_per_day, used: customersUsed ?? null }, direct_send: { status: 'unknown', until: null },
    read_at: timeOf(number?.readAt),
  }
}

const timeOf = (at: Instant | undefined): string | null => (at === undefined ? null : iso(at))
