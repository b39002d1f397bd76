import type { Either } from 'fp-ts/lib/Either.js'
import type { CustomerId } from '../customers/customer.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { Page, PageQuery } from '../kernel/page.js'
import type { Instant } from '../kernel/time.js'
import { type OptOutWords, SHIPPED_WORDS } from './words.js'

/** What a customer allows or stops: marketing messages, or every message. */
export const CONSENT_TOPICS = ['marketing', 'all'] as const

/** What a customer allows or stops. */
export type ConsentTopic = (typeof CONSENT_TOPICS)[number]

/** Whether the customer allows it (`granted`) or stopped it (`withdrawn`). */
export const CONSENT_STATUSES = ['granted', 'withdrawn'] as const

/** Whether the customer allows it or stopped it. */
export type ConsentStatus = (typeof CONSENT_STATUSES)[number]

/** What is known of one topic: since when, and how it is known. */
export type Consent = {
  readonly status: ConsentStatus
  readonly since: Instant
  /** The source: `word`, `platform`, or the text of the application or the person who recorded it. */
  readonly source: string
  /** For people, such as the words that the customer wrote. */
  readonly note?: string
}

/** What a customer allowed or stopped. */
export type ConsentFact = Consent & { readonly topic: ConsentTopic }

/** The consent of one id of a customer, by topic. A topic of which nothing is known is absent. */
export type CustomerConsent = { readonly [Topic in ConsentTopic]?: Consent }

/** Nothing is known. */
export const NO_CONSENT: CustomerConsent = {}

/** What is known, as facts. */
export const factsIn = (consent: CustomerConsent): ReadonlyArray<ConsentFact> => CONSENT_TOPICS.flatMap((topic) => {
  const known = consent[topic]
  return known === undefined ? [] : [{ topic, ...known }]
})

/** The source of a stop that is kept of an erased person. */
export const ERASED_SOURCE = 'erased'

/** The maximum number of characters of a source, in UTF-16 units. */
export const MAX_SOURCE_LENGTH = 100

/**
 * What is known after a fact. The latest fact counts, in whichever order facts arrive; of two facts of the same time the withdrawal does. Then a fact that is
 * repeated changes nothing.
 */
export const laterConsent = (known: Consent | undefined, fact: Consent): Consent => {
  if (known === undefined || fact.since > known.since) return fact
  return fact.since === known.since && fact.status === 'withdrawn' && known.status === 'granted' ? fact : known
}

/** The consents of several ids of one customer as one. */
export const mergeConsents = (consents: ReadonlyArray<CustomerConsent>): CustomerConsent =>
  Object.fromEntries(CONSENT_TOPICS.flatMap((topic) => {
    const merged = consents.flatMap((one) => one[topic] ?? []).reduce<Consent | undefined>(laterConsent, undefined)
    return merged === undefined ? [] : [[topic, merged]]
  }))

/** A fact about a customer, who is known by one or more ids. */
export type ConsentItem = {
  /** The ids of the customer. The fact is recorded for each, so that it counts whichever of them is sent to. */
  readonly ids: ReadonlyArray<CustomerId>
  readonly fact: ConsentFact
  /** The fact counts only if nothing is known of the topic: its time is not known. */
  readonly onlyIfUnknown?: true
}

/** What was known of the topic of a fact before it, and what is known since. They are the same if the fact changed nothing. */
export type RecordedConsent = { readonly before: Consent | undefined; readonly after: Consent }

/** Makes the entries that are stored with the fact of an item; `undefined` if none are. */
export type EntriesOfItem = (item: ConsentItem) => MakeOutboxEntries<RecordedConsent> | undefined

/** The consent of an id, as it is listed. */
export type ListedConsent = ConsentFact & { readonly id: CustomerId }

/** Which consents are listed: of one topic or all, of one status or both. */
export type ConsentsQuery = PageQuery & { readonly topic?: ConsentTopic | undefined; readonly status?: ConsentStatus | undefined }

/** What a workspace understands as a wish to stop messages, what it stops, and what it answers. */
export type OptOut = {
  readonly words: OptOutWords
  readonly topic: ConsentTopic
  /** A text that is sent once to a customer who stops messages by a word. */
  readonly reply?: string
}

/** What is understood until a workspace chooses its own words: they stop marketing messages, and nothing is answered. */
export const SHIPPED_OPT_OUT: OptOut = { words: SHIPPED_WORDS, topic: 'marketing' }

/** What a workspace demands of its customers, and what it understands. */
export type ConsentSettings = {
  /** Marketing messages are sent only to customers who granted it. */
  readonly marketingNeedsConsent: boolean
  /** The words that stop messages; absent until the workspace has chosen its own. */
  readonly optOut?: OptOut
}

/** The settings of a workspace that has chosen none. */
export const DEFAULT_CONSENT_SETTINGS: ConsentSettings = { marketingNeedsConsent: false }

/** What a send has to know before it asks for the consent of a customer. */
export type ConsentRules = ConsentSettings & {
  /** Any customer of the workspace stopped anything, so the consent of each recipient has to be read. */
  readonly hasWithdrawals: boolean
}

/**
 * What the customers of each workspace allowed and stopped. Variants of one phone number have one record: `recordKeyOf` is the rule.
 *
 * What an erased person stopped is still found by the person's ids, without a note, and is not listed.
 */
export interface Consents {
  /** The consent of each of the given ids, in their order. */
  readonly find: (
    workspace: WorkspaceId, ids: ReadonlyArray<CustomerId>,
  ) => Promise<Either<PortFailure, ReadonlyArray<CustomerConsent>>>
  /**
   * Records facts; `laterConsent` is the rule for each id. Right: for each fact, what was known before it (of all its ids together) and since.
   *
   * Concurrent facts leave the same consents as the same facts one after the other. `outboxEntries` is called for each fact that changed the status or was the first of its
   * topic, and the entries are stored in the same step.
   */
  readonly record: (
    workspace: WorkspaceId, items: ReadonlyArray<ConsentItem>, outboxEntries?: EntriesOfItem,
  ) => Promise<Either<PortFailure, ReadonlyArray<RecordedConsent>>>
  /** Every fact that changed what is known of an id, the latest first, at most `limit`. */
  readonly history: (
    workspace: WorkspaceId, id: CustomerId, limit: number,
  ) => Promise<Either<PortFailure, ReadonlyArray<ConsentFact>>>
  /** The consents of a workspace in the order of their ids, a topic each. An unknown cursor never fails. */
  readonly list: (workspace: WorkspaceId, query: ConsentsQuery) => Promise<Either<PortFailure, Page<ListedConsent>>>
  /**
   * The settings of a workspace, and whether any of its customers stopped anything. A change through this adapter counts immediately; one of another process may take two
   * seconds to be seen.
   */
  readonly rules: (workspace: WorkspaceId) => Promise<Either<PortFailure, ConsentRules>>
  /** Changes the given settings and leaves the others. `outboxEntries` is called with the settings after it, and the entries are stored in the same step. */
  readonly set: (
    workspace: WorkspaceId, change: Partial<ConsentSettings>, outboxEntries?: MakeOutboxEntries<ConsentSettings>,
  ) => Promise<Either<PortFailure, ConsentSettings>>
}
