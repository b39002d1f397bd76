import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, perform } from '../access/acting.js'
import type { CustomerId } from '../customers/customer.js'
import { findEverywhere, type FindEverywhereDeps } from '../customers/learn.js'
import { customerView, type CustomerView, findShownCustomer, type ShowCustomerDeps, type ShownCustomer } from '../customers/use-cases.js'
import type { FreeForm } from '../customers/window.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import { isStorable, MAX_TEXT_LENGTH } from '../kernel/text.js'
import { type Clock, type Instant, isoOrNull } from '../kernel/time.js'
import { consentOf } from './asking.js'
import {
  type Consent, type ConsentFact, type ConsentRules, type Consents, type ConsentSettings,
  type ConsentStatus, type ConsentTopic, type CustomerConsent, ERASED_SOURCE, factsIn, NO_CONSENT,
  type OptOut,
  type RecordedConsent, SHIPPED_OPT_OUT,
} from './consent.js'
import { idsToRecord } from './hearing.js'
import { type ImportConsents, makeImportConsents } from './import.js'
import { type GivenConsent, type InvalidConsent, parseConsent, recordFacts } from './record.js'
import { comparedWord, MAX_OPT_OUT_WORD_LENGTH, MAX_OPT_OUT_WORDS } from './words.js'

/** What is known of one topic as JSON; null if nothing is known. */
export type ConsentView = {
  readonly status: ConsentStatus | 'unknown'
  readonly since: string | null
  readonly source: string | null
  readonly note: string | null
}

/** What a customer allowed and stopped as JSON. */
export type CustomerConsentView = { readonly [Topic in ConsentTopic]: ConsentView }

/** Shows what a customer allowed and stopped. */
export const customerConsentView = ({ marketing, all }: CustomerConsent): CustomerConsentView =>
  ({ marketing: consentView(marketing), all: consentView(all) })

/** A customer as JSON, with what the customer allowed and stopped. */
export type CustomerWithConsentView = CustomerView & { readonly consent: CustomerConsentView }

/** Shows a customer at a given time. */
export const customerWithConsentView = (now: Instant, customer: CustomerWithConsent, freeForm?: FreeForm): CustomerWithConsentView =>
  ({ ...customerView(now, customer, freeForm), consent: customerConsentView(customer.consent) })

const consentView = (consent: Consent | undefined): ConsentView => ({
  status: consent?.status ?? 'unknown', since: isoOrNull(consent?.since), source: consent?.source ?? null, note: consent?.note ?? null,
})

/** The dependencies of recording and showing what customers said. */
export type ConsentDeps = ActDeps & FindEverywhereDeps & {
  readonly consents: Pick<Consents, 'find' | 'history' | 'record' | 'rules' | 'set'>
  readonly now: Clock
}

/** Records what a customer allowed or stopped. Right: everything that is known of the customer then, which a later statement may have decided. */
export type RecordConsent = (command: RecordConsentCommand) => Promise<E.Either<RecordConsentError, CustomerConsent>>

/** Who records it, and where. */
export type RecordConsentCommand = GivenConsent & { readonly by: Actor; readonly workspace: WorkspaceId }

/** How recording can fail. */
export type RecordConsentError = InvalidConsent | Forbidden | PortFailure

/** The audit entry contains neither the customer's id nor the source, which may name a person, so that a customer can be erased. */
export const makeRecordConsent =
  (deps: ConsentDeps): RecordConsent =>
  async ({ by, workspace, ...given }) => {
    const { customer, topic, status } = given
    const fact = parseConsent(given, deps.now())
    const recorded = await perform(
      deps, { by, act: 'consent.record', workspace, details: { of: topic, status } }, {},
      async (outboxEntries: MakeOutboxEntries<RecordedConsent>): Promise<E.Either<InvalidConsent | PortFailure, unknown>> =>
        (E.isLeft(fact) ? fact : recordFacts(deps, workspace, [{ customer, fact: fact.right }], outboxEntries)),
    )
    return E.isLeft(recorded) ? recorded : makeShowConsent(deps)(workspace, customer)
  }

/** Shows what is known of a customer, under all ids of the customer. */
export type ShowConsent = (workspace: WorkspaceId, id: CustomerId) => Promise<E.Either<PortFailure, CustomerConsent>>

export const makeShowConsent = (deps: ShowConsentDeps): ShowConsent => (workspace, id) => showConsent(deps, workspace, id)

/** The dependencies of showing it. */
export type ShowConsentDeps = FindEverywhereDeps & { readonly consents: Pick<Consents, 'find'> }

const showConsent = async (
  deps: ShowConsentDeps, workspace: WorkspaceId, id: CustomerId,
): Promise<E.Either<PortFailure, CustomerConsent>> => {
  const people = await findEverywhere(deps, workspace, id)
  if (E.isLeft(people)) return people
  const found = await consentOf(deps.consents, workspace, [{ id, customers: people.right }])
  return E.map(([consent = NO_CONSENT]: ReadonlyArray<CustomerConsent>) => consent)(found)
}

/** Shows the data that a workspace has about the customer whom an id names; none if it has no record of the id, and the customer never wrote, allowed or stopped anything. */
export type ShowCustomerWithConsent = (
  workspace: WorkspaceId, id: CustomerId,
) => Promise<E.Either<PortFailure, O.Option<CustomerWithConsent>>>

/** A customer, and what the customer allowed and stopped. */
export type CustomerWithConsent = ShownCustomer & { readonly consent: CustomerConsent }

/** Without `consents` nothing is known of what customers allow and stop. */
export const makeShowCustomerWithConsent =
  ({ consents, ...deps }: ShowCustomerDeps & { readonly consents?: Pick<Consents, 'find'> | undefined }): ShowCustomerWithConsent =>
  async (workspace, id) => {
    const [found, consent] = await Promise.all([
      findShownCustomer(deps, workspace, id),
      consents === undefined ? E.right(NO_CONSENT) : showConsent({ ...deps, consents }, workspace, id),
    ])
    if (E.isLeft(found)) return found
    if (E.isLeft(consent)) return consent
    const { isKnown, customer } = found.right
    // That an erased person has stopped counts for sends, and does not make the person known.
    const isRecorded = factsIn(consent.right).some(({ source }) => source !== ERASED_SOURCE)
    return E.right(isKnown || isRecorded ? O.some({ ...customer, consent: consent.right }) : O.none)
  }

/** Shows the facts that changed what is known of a customer, the latest first, at most `limit`. */
export type ShowConsentHistory = (
  workspace: WorkspaceId, id: CustomerId, limit: number,
) => Promise<E.Either<PortFailure, ReadonlyArray<ConsentFact>>>

/** A fact is recorded for each id of a customer, and is shown once. */
export const makeShowConsentHistory =
  (deps: Pick<ConsentDeps, 'consents' | 'customers' | 'senders'>): ShowConsentHistory =>
  async (workspace, id, limit) => {
    const people = await findEverywhere(deps, workspace, id)
    if (E.isLeft(people)) return people
    const ids = idsToRecord([id], people.right, Infinity)
    const read = E.sequenceArray(await Promise.all(ids.map((one) => deps.consents.history(workspace, one, limit))))
    if (E.isLeft(read)) return read
    const once = new Map(read.right.flat().map((fact) => [[fact.topic, fact.since, fact.status, fact.source].join(' '), fact]))
    return E.right([...once.values()].sort((a, b) => b.since - a.since).slice(0, limit))
  }

/** Shows the words by which customers stop messages, and whether the workspace requires consent. */
export type ShowConsentSettings = (workspace: WorkspaceId) => Promise<E.Either<PortFailure, ConsentRules & { readonly optOut: OptOut }>>

export const makeShowConsentSettings =
  ({ consents }: Pick<ConsentDeps, 'consents'>): ShowConsentSettings =>
  async (workspace) =>
    E.map((rules: ConsentRules) => ({ ...rules, optOut: rules.optOut ?? SHIPPED_OPT_OUT }))(await consents.rules(workspace))

/** Sets the words by which customers stop messages, what they stop, and what is answered. */
export type SetOptOut = (command: SetOptOutCommand) => Promise<E.Either<SetOptOutError, OptOut>>

/** The words replace all earlier ones; a language without words is left out. */
export type SetOptOutCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly optOut: OptOut }

/** The words, or the reply, break a rule; `reason` is a sentence for people. */
export type InvalidOptOut = { readonly _tag: 'InvalidOptOut'; readonly field: 'words' | 'reply'; readonly reason: string }

/** How setting them can fail. */
export type SetOptOutError = InvalidOptOut | Forbidden | PortFailure

export const makeSetOptOut =
  ({ consents, ...deps }: ConsentDeps): SetOptOut =>
  ({ by, workspace, optOut: given }) => {
    const optOut = parseOptOut(given)
    const details = E.isLeft(optOut) ? {} : {
      words: Object.values(optOut.right.words).flat().length, of: optOut.right.topic,
      ...(optOut.right.reply !== undefined && { reply: true }),
    }
    return perform(
      deps, { by, act: 'consent.set_words', workspace, subject: workspace, details }, {},
      async (outboxEntries: MakeOutboxEntries<ConsentSettings>): Promise<E.Either<InvalidOptOut | PortFailure, OptOut>> => {
        if (E.isLeft(optOut)) return optOut
        const set = await consents.set(workspace, { optOut: optOut.right }, outboxEntries)
        return E.isLeft(set) ? set : optOut
      },
    )
  }

/** A text that is sent may have several lines. */
const UNSTORABLE = /(?![\n\r\t])\p{Cc}|\p{Cs}/u

const LANGUAGE_FORM = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$/

/** Checks the words of a workspace. Words that are compared as the same word are one word. */
export const parseOptOut = ({ words: given, topic, reply: written }: OptOut): E.Either<InvalidOptOut, OptOut> => {
  const no = (reason: string, field: InvalidOptOut['field'] = 'words'): E.Either<InvalidOptOut, never> =>
    E.left({ _tag: 'InvalidOptOut', field, reason })
  const words: Record<string, ReadonlyArray<string>> = {}
  for (const [language, list] of Object.entries(given)) {
    if (!LANGUAGE_FORM.test(language)) return no(`words has the key ${JSON.stringify(language.slice(0, 20))}, which is not a language such as en or pt-BR`)
    for (const word of list) {
      if (!isStorable(word.trim(), MAX_OPT_OUT_WORD_LENGTH)) return no(`a word must have 1 to ${MAX_OPT_OUT_WORD_LENGTH} characters on one line`)
      if (comparedWord(word) === '') return no('a word must contain a letter or a digit')
    }
    const once = [...new Map(list.map((word) => [comparedWord(word), word.trim()])).values()]
    if (once.length > 0) words[language] = once
  }
  if (Object.values(words).flat().length > MAX_OPT_OUT_WORDS) return no(`words may have ${MAX_OPT_OUT_WORDS} words in all languages together`)
  const reply = written?.trim()
  if (reply === undefined) return E.right({ words, topic })
  return reply !== '' && reply.length <= MAX_TEXT_LENGTH && !UNSTORABLE.test(reply)
    ? E.right({ words, topic, reply })
    : no(`reply must have 1 to ${MAX_TEXT_LENGTH} characters, not only blanks, or be null`, 'reply')
}

/** Sets whether a workspace requires consent before marketing messages. */
export type SetMarketingConsent = (command: SetMarketingConsentCommand) => Promise<E.Either<Forbidden | PortFailure, ConsentSettings>>

/** The workspace, and whether it requires it. */
export type SetMarketingConsentCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly needsConsent: boolean }

export const makeSetMarketingConsent =
  ({ consents, ...deps }: ConsentDeps): SetMarketingConsent =>
  ({ by, workspace, needsConsent }) =>
    perform(
      deps, { by, act: 'workspace.set_consent', workspace, subject: workspace, details: { marketing_needs_consent: needsConsent } }, {},
      (outboxEntries: MakeOutboxEntries<ConsentSettings>) =>
        consents.set(workspace, { marketingNeedsConsent: needsConsent }, outboxEntries),
    )

/** The use cases of consent, if the storage keeps it. */
export type ConsentUseCases = {
  readonly recordConsent: RecordConsent
  readonly importConsents: ImportConsents
  readonly showConsent: ShowConsent
  readonly showHistory: ShowConsentHistory
  readonly listConsents: Consents['list']
  readonly showSettings: ShowConsentSettings
  readonly setOptOut: SetOptOut
  readonly setMarketingConsent: SetMarketingConsent
}

/** Makes the use cases of consent. */
export const makeConsentUseCases = (deps: ConsentDeps & { readonly consents: Consents }): ConsentUseCases => ({
  recordConsent: makeRecordConsent(deps), importConsents: makeImportConsents(deps), showConsent: makeShowConsent(deps),
  showHistory: makeShowConsentHistory(deps), listConsents: deps.consents.list, showSettings: makeShowConsentSettings(deps),
  setOptOut: makeSetOptOut(deps), setMarketingConsent: makeSetMarketingConsent(deps),
})
