import { consentsToErase, type ErasedIds } from '../../core/consent/asking.js'
import {
  type Consent, type ConsentFact, type Consents, type ConsentSettings, CONSENT_TOPICS, type CustomerConsent, DEFAULT_CONSENT_SETTINGS,
  laterConsent, type ListedConsent, mergeConsents, NO_CONSENT, type RecordedConsent, ERASED_SOURCE,
} from '../../core/consent/consent.js'
import { CUSTOMER_DIGEST_FORM, type CustomerDigest, type CustomerId, recordKeyOf } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { pageOf } from '../../core/kernel/page.js'
import type { OutboxEntry } from '../../core/kernel/outbox.js'
import { type EventState, storeEvents } from './events.js'
import { infallible } from './kernel.js'

/** The consents of each workspace by the key of the customer, every fact that changed one, oldest first, and the settings. */
export type ConsentState = {
  readonly consents: Map<WorkspaceId, Map<string, CustomerConsent>>
  readonly history: Map<WorkspaceId, Array<ConsentFact & { readonly key: string }>>
  readonly settings: Map<WorkspaceId, ConsentSettings>
}

/** The empty state. */
export const openConsentState = (): ConsentState => ({ consents: new Map(), history: new Map(), settings: new Map() })

/** The digest that replaces an id of an erased person. */
export type DigestOfId = (workspace: WorkspaceId, id: CustomerId) => CustomerDigest

/** What customers allowed and stopped, in memory. */
export const makeMemoryConsents = ({ consents, history, settings }: ConsentState, events: EventState, digestOf: DigestOfId): Consents => {
  const of = (workspace: WorkspaceId) => consents.get(workspace) ?? new Map<string, CustomerConsent>()
  const knownOf = (workspace: WorkspaceId, id: CustomerId): CustomerConsent =>
    mergeConsents([recordKeyOf(id), digestOf(workspace, id)].map((key) => of(workspace).get(key) ?? NO_CONSENT))
  const learn = (workspace: WorkspaceId, id: CustomerId, { topic, ...fact }: ConsentFact): void => {
    const known = knownOf(workspace, id)[topic]
    const after: Consent = laterConsent(known, fact)
    if (after === known) return
    const key = recordKeyOf(id)
    consents.set(workspace, new Map(of(workspace)).set(key, { ...of(workspace).get(key), [topic]: after }))
    history.set(workspace, [...history.get(workspace) ?? [], { key, topic, ...after }])
  }
  return {
    find: (workspace, ids) => infallible(() => ids.map((id) => knownOf(workspace, id))),
    record: (workspace, items, outboxEntries) => infallible(() => {
      const entries: Array<OutboxEntry> = []
      const recorded = items.map((item): RecordedConsent => {
        const { ids, fact, onlyIfUnknown } = item
        const knownNow = (): Consent | undefined => mergeConsents(ids.map((id) => knownOf(workspace, id)))[fact.topic]
        const before = knownNow()
        if (before !== undefined && onlyIfUnknown) return { before, after: before }
        for (const id of ids) learn(workspace, id, fact)
        const result = { before, after: knownNow() ?? fact }
        if (result.after.status !== before?.status) entries.push(...outboxEntries?.(item)?.(result) ?? [])
        return result
      })
      storeEvents(events, entries)
      return recorded
    }),
    history: (workspace, id, limit) => infallible(() =>
      (history.get(workspace) ?? []).filter(({ key }) => key === recordKeyOf(id)).map(({ key: _, ...fact }) => fact)
        .sort((a, b) => b.since - a.since || (a.status === b.status ? (a.topic < b.topic ? -1 : 1) : a.status > b.status ? -1 : 1))
        .slice(0, limit)),
    list: (workspace, { topic, status, cursor, limit }) => infallible(() => {
      const listed = [...of(workspace)].filter(([key]) => !CUSTOMER_DIGEST_FORM.test(key)).flatMap(([key, known]) =>
        CONSENT_TOPICS.flatMap((one): ReadonlyArray<ListedConsent> =>
          (known[one] === undefined ? [] : [{ id: key as CustomerId, topic: one, ...known[one] }])))
      const [after = '', from = ''] = cursor?.split(' ') ?? []
      const left = listed.filter((one) => (topic === undefined || one.topic === topic) && (status === undefined || one.status === status)
        && (one.id > after || (one.id === after && one.topic > from)))
        .sort((a, b) => (a.id === b.id ? (a.topic < b.topic ? -1 : 1) : a.id < b.id ? -1 : 1))
      return pageOf(left.slice(0, limit + 1), limit, (one) => `${one.id} ${one.topic}`)
    }),
    rules: (workspace) => infallible(() => ({
      ...settings.get(workspace) ?? DEFAULT_CONSENT_SETTINGS,
      hasWithdrawals: [...of(workspace).values()].some((known) => CONSENT_TOPICS.some((topic) => known[topic]?.status === 'withdrawn')),
    })),
    set: (workspace, change, outboxEntries) => infallible(() => {
      const after = { ...settings.get(workspace) ?? DEFAULT_CONSENT_SETTINGS, ...change }
      settings.set(workspace, after)
      if (outboxEntries !== undefined) storeEvents(events, outboxEntries(after))
      return after
    }),
  }
}

/** Erases a person's consents. What the person stopped is kept under a digest. */
export const eraseConsents = (
  { consents, history }: ConsentState, workspace: WorkspaceId, person: ReadonlyArray<ErasedIds>, digestOf: DigestOfId,
): void => {
  const left = new Map(consents.get(workspace) ?? [])
  const kept = consentsToErase(person, (key) =>
    mergeConsents([key, digestOf(workspace, key)].map((one) => left.get(one) ?? NO_CONSENT)))
  const keys = new Set(kept.keys())
  for (const [key, known] of kept) {
    const digest = digestOf(workspace, key)
    left.delete(key)
    left.delete(digest)
    const stopped = Object.fromEntries(CONSENT_TOPICS.flatMap((topic) => {
      const { status, since } = known[topic] ?? {}
      return status === 'withdrawn' && since !== undefined ? [[topic, { status, since, source: ERASED_SOURCE }]] : []
    }))
    if (Object.keys(stopped).length > 0) left.set(digest, stopped)
  }
  consents.set(workspace, left)
  history.set(workspace, (history.get(workspace) ?? []).filter(({ key }) => !keys.has(key as CustomerId)))
}
