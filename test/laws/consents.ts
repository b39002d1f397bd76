import type { AuditLog } from '../../core/access/acting.js'
import {
  type Consent, type ConsentFact, type ConsentItem, type Consents, type ConsentSettings, type CustomerConsent, DEFAULT_CONSENT_SETTINGS,
  type ListedConsent, NO_CONSENT, type RecordedConsent,
} from '../../core/consent/consent.js'
import type { CustomerId } from '../../core/customers/customer.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import { auditIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import { HOUR_MS } from '../../core/kernel/time.js'
import type { PersonalData } from '../../core/privacy.js'
import { done, same } from './expect.js'
import { GARBAGE_CURSORS, newDigits, newName, newPhoneNumber, newUserId, times } from './ids.js'
import type { Law } from './law.js'

/** What customers allowed and stopped, and what erases people of the same storage. */
export type ConsentsFixture = {
  readonly consents: Consents
  readonly personalData: Pick<PersonalData, 'erase'>
  readonly auditLog: Pick<AuditLog, 'list'>
  /** Creates a workspace in which nothing is known. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
  /** The same storage as another gateway opens it, if there are several. */
  readonly elsewhere?: { readonly consents: Consents }
}

const NOON = Date.UTC(2026, 10, 1, 12)

const fact = (more: Partial<ConsentFact> = {}): ConsentFact =>
  ({ topic: 'marketing', status: 'withdrawn', since: NOON, source: 'word', ...more })

/** The details of the audit entries with a subject, in the order of their texts. */
const noted = async ({ auditLog }: ConsentsFixture, mark: string): Promise<ReadonlyArray<string>> =>
  (await done('the audit log is listed', auditLog.list({ limit: 1_000 }))).items.filter(({ subject }) => subject === mark)
    .map(({ details }) => Object.values(details ?? {}).map((value) => JSON.stringify(value)).join(' ')).sort()

const known = ({ topic: _, ...consent }: ConsentFact): Consent => consent

const openConsents = async (fixture: ConsentsFixture) => {
  const { consents } = fixture
  const { workspace } = await fixture.openWorkspace()
  const record = (ids: ReadonlyArray<CustomerId>, facts: ReadonlyArray<ConsentFact>, more: Partial<ConsentItem> = {}) =>
    done('facts are recorded', consents.record(workspace, facts.map((one) => ({ ids, fact: one, ...more }))))
  const find = async (id: CustomerId, from = consents): Promise<CustomerConsent> =>
    (await done('a consent is read', from.find(workspace, [id])))[0] ?? NO_CONSENT
  const history = (id: CustomerId, limit = 100) => done('a history is read', consents.history(workspace, id, limit))
  return { workspace, record, find, history }
}

const listAll = async (consents: Consents, workspace: WorkspaceId, limit: number): Promise<ReadonlyArray<ListedConsent>> => {
  const listed: Array<ListedConsent> = []
  let cursor: string | undefined
  do {
    const page = await done('a page is listed', consents.list(workspace, { limit, ...(cursor !== undefined && { cursor }) }))
    listed.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  return listed
}

/** Every order of some items. */
const ordersOf = <Item>(items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> =>
  items.length < 2
    ? [items]
    : items.flatMap((first, index) => ordersOf(items.filter((_, other) => other !== index)).map((others) => [first, ...others]))

/** The promises of every `Consents`. */
export const consentsLaws: ReadonlyArray<Law<ConsentsFixture>> = [
  {
    name: 'of a customer about whom nothing was recorded nothing is known',
    check: async (fixture) => {
      const { consents } = fixture
      const { workspace, record, history } = await openConsents(fixture)
      const [one, other] = [newPhoneNumber(), newUserId()]
      await record([newPhoneNumber()], [fact()])
      same('the consents', await done('consents are read', consents.find(workspace, [one, other])), [NO_CONSENT, NO_CONSENT])
      same('no ids', await done('consents are read', consents.find(workspace, [])), [])
      same('the history', await history(one), [])
    },
  },
  {
    name: 'a fact is found as it was recorded, under each id of the customer, for its topic and in its workspace alone',
    check: async (fixture) => {
      const { consents } = fixture
      const { workspace, record, find, history } = await openConsents(fixture)
      const { workspace: elsewhere } = await fixture.openWorkspace()
      const [phone, user, other] = [newPhoneNumber(), newUserId(), newPhoneNumber()]
      const given = fact({ source: 'sign-up form', note: 'Ticket 7 – „bitte nicht“ 🙏', status: 'granted' })
      same('what is answered', await record([phone, user], [given]), [{ before: undefined, after: known(given) }])
      const found = { marketing: known(given) }
      same('the consents', await done('consents are read', consents.find(workspace, [other, user, phone])), [NO_CONSENT, found, found])
      same('another workspace', await done('consents are read', consents.find(elsewhere, [phone])), [NO_CONSENT])
      const all = fact({ topic: 'all', since: NOON + 1 })
      await record([phone], [all])
      same('both topics', await find(phone), { marketing: known(given), all: known(all) })
      same('the history', [await history(phone), await history(user)], [[all, given], [given]])
    },
  },
  {
    name: 'the latest fact counts, in whichever order facts arrive, and of the same time the withdrawal',
    check: async (fixture) => {
      const { record, find } = await openConsents(fixture)
      const facts = [
        fact({ since: NOON, status: 'granted' }), fact({ since: NOON + 1 }), fact({ since: NOON + 2, status: 'granted', note: 'again' }),
        fact({ since: NOON + 2, source: 'platform' }),
      ]
      for (const order of ordersOf(facts)) {
        const id = newPhoneNumber()
        for (const one of order) await record([id], [one])
        same('the consent', await find(id), { marketing: known(fact({ since: NOON + 2, source: 'platform' })) })
        const together = newPhoneNumber()
        await record([together], order)
        same('the consent of facts that came together', await find(together), await find(id))
      }
    },
  },
  {
    name: 'a fact that changes nothing is not in the history, and the latest facts of a history come first',
    check: async (fixture) => {
      const { record, history } = await openConsents(fixture)
      const id = newPhoneNumber()
      const facts = times(4, (index) => fact({ since: NOON + index * HOUR_MS, status: index % 2 === 0 ? 'granted' : 'withdrawn' }))
      for (const one of facts) await record([id], [one])
      for (const one of facts) await record([id], [one, { ...one, source: 'late' }])
      await record([id], [fact({ since: NOON - 1 })])
      same('the history', await history(id), facts.toReversed())
      same('its beginning', await history(id, 2), facts.toReversed().slice(0, 2))
    },
  },
  {
    name: 'variants of one number have one consent',
    check: async (fixture) => {
      const { record, find, history } = await openConsents(fixture)
      const digits = newDigits(10)
      const [one, other] = [`52${digits}` as CustomerId, `521${digits}` as CustomerId]
      await record([one, other], [fact()])
      same('under both', [await find(one), await find(other)], [{ marketing: known(fact()) }, { marketing: known(fact()) }])
      same('the history', await history(other), [fact()])
    },
  },
  {
    name: 'a fact without a time of its own counts only if nothing is known of its topic',
    check: async (fixture) => {
      const { record, find } = await openConsents(fixture)
      const [one, other] = [newPhoneNumber(), newUserId()]
      await record([one], [fact()])
      const late = fact({ status: 'granted', since: NOON + HOUR_MS, source: 'import' })
      const answer = await record([other, one], [late], { onlyIfUnknown: true })
      same('what is answered', answer, [{ before: known(fact()), after: known(fact()) }])
      same('both ids', [await find(one), await find(other)], [{ marketing: known(fact()) }, NO_CONSENT])
      const fresh = newPhoneNumber()
      await record([fresh], [late], { onlyIfUnknown: true })
      same('an unknown customer', await find(fresh), { marketing: known(late) })
    },
  },
  {
    name: 'a fact answers what was known of all ids together before it, and since',
    check: async (fixture) => {
      const { record } = await openConsents(fixture)
      const [one, other] = [newPhoneNumber(), newUserId()]
      const [old, later] = [fact({ status: 'granted' }), fact({ since: NOON + 2 })]
      await record([one], [old])
      await record([other], [later])
      const between = fact({ since: NOON + 1 })
      same('a fact between both', await record([one, other], [between]), [{ before: known(later), after: known(later) }])
      const latest = fact({ since: NOON + 3, status: 'granted' })
      same('the latest fact', await record([one, other], [latest]), [{ before: known(later), after: known(latest) }])
    },
  },
  {
    name: 'concurrent facts leave the latest one, and each gateway sees it',
    check: async (fixture) => {
      const { consents, elsewhere = { consents } } = fixture
      const { workspace, find } = await openConsents(fixture)
      const ids = [newPhoneNumber(), newUserId()]
      const facts = times(8, (index) => fact({ since: NOON + index, status: index % 2 === 0 ? 'withdrawn' : 'granted' }))
      await Promise.all(facts.map((one, index) =>
        done('a fact', (index % 2 === 0 ? consents : elsewhere.consents)
          .record(workspace, [{ ids: index % 3 === 0 ? ids.toReversed() : ids, fact: one }]))))
      const latest = { marketing: known(fact({ since: NOON + 7, status: 'granted' })) }
      for (const id of ids) same('the consent', [await find(id), await find(id, elsewhere.consents)], [latest, latest])
    },
  },
  {
    name: 'the entries of a fact are stored if it was the first of its topic or changed the status, and otherwise none',
    check: async (fixture) => {
      const { consents } = fixture
      const { workspace } = await openConsents(fixture)
      const [id, mark] = [newPhoneNumber(), newName()]
      const noting = ({ before, after }: RecordedConsent): ReadonlyArray<AuditEntry> => [{
        id: auditIdOf(newName()), at: NOON, by: { type: 'system' }, act: 'customer.erase', outcome: 'done', subject: mark,
        details: { from: before?.status ?? 'unknown', to: after.status },
      }]
      const facts = [
        fact({ status: 'granted' }), fact({ status: 'granted', since: NOON + 1 }), fact({ since: NOON + 2 }), fact({ since: NOON + 3 }),
        fact({ since: NOON, status: 'withdrawn' }), fact({ topic: 'all', since: NOON + 4 }),
      ]
      for (const one of facts) await done('a fact', consents.record(workspace, [{ ids: [id], fact: one }], () => noting))
      same('the entries', await noted(fixture, mark), ['"granted" "withdrawn"', '"unknown" "granted"', '"unknown" "withdrawn"'])
    },
  },
  {
    name: 'a list has each consent of its workspace once, in the order of the ids, and of one topic or status if asked',
    check: async (fixture) => {
      const { consents } = fixture
      const { workspace, record } = await openConsents(fixture)
      await (await openConsents(fixture)).record([newPhoneNumber()], [fact()])
      const ids: ReadonlyArray<CustomerId> = [...times(4, () => newPhoneNumber()), newUserId()].sort()
      for (const id of ids.toReversed()) await record([id], [fact({ topic: 'all', status: 'granted' }), fact({ note: id })])
      const wanted = ids.flatMap((id) =>
        [fact({ topic: 'all', status: 'granted' }), fact({ note: id })].map((one): ListedConsent => ({ ...one, id })))
      for (const limit of [1, 3, 100]) same(`pages of ${limit}`, await listAll(consents, workspace, limit), wanted)
      const some = async (query: object) => (await done('a list', consents.list(workspace, { limit: 100, ...query }))).items
      same('one status', await some({ status: 'withdrawn' }), wanted.filter(({ status }) => status === 'withdrawn'))
      same('one topic', await some({ topic: 'all' }), wanted.filter(({ topic }) => topic === 'all'))
      for (const cursor of GARBAGE_CURSORS) await done('an unknown cursor', consents.list(workspace, { limit: 1, cursor }))
    },
  },
  {
    name: 'the settings are those that were set last, a change leaves the others, and each gateway sees them',
    check: async (fixture) => {
      const { consents, elsewhere = { consents } } = fixture
      const { workspace } = await openConsents(fixture)
      const mark = newName()
      const noting = (after: ConsentSettings): ReadonlyArray<AuditEntry> => [{
        id: auditIdOf(newName()), at: NOON, by: { type: 'system' }, act: 'customer.erase', outcome: 'done', subject: mark,
        details: { needs: after.marketingNeedsConsent },
      }]
      const rules = (of = consents) => done('the rules are read', of.rules(workspace))
      same('the rules at first', await rules(), { ...DEFAULT_CONSENT_SETTINGS, hasWithdrawals: false })
      const optOut = { words: { de: ['STOPP', 'Ende ✋'], ar: ['توقف'] }, topic: 'all', reply: 'Schade.\nBis bald 👋' } as const
      const set = await done('a setting', consents.set(workspace, { optOut }, noting))
      same('what is answered', set, { marketingNeedsConsent: false, optOut })
      await done('a setting', consents.set(workspace, { marketingNeedsConsent: true }, noting))
      same('the rules', await rules(), { marketingNeedsConsent: true, optOut, hasWithdrawals: false })
      same('another workspace', await done('the rules are read', consents.rules((await fixture.openWorkspace()).workspace)), {
        ...DEFAULT_CONSENT_SETTINGS, hasWithdrawals: false,
      })
      const { reply: _, ...silent } = optOut
      await done('a setting', consents.set(workspace, { optOut: { ...silent, words: {} } }))
      same('without an answer', await rules(), { marketingNeedsConsent: true, optOut: { ...silent, words: {} }, hasWithdrawals: false })
      same('the rules elsewhere', await rules(elsewhere.consents), await rules())
      same('the entries', await noted(fixture, mark), ['false', 'true'])
    },
  },
  {
    name: 'the rules show at once that a customer stopped something, and no withdrawal after the last one ended',
    check: async (fixture) => {
      const { consents } = fixture
      const { workspace, record } = await openConsents(fixture)
      const stops = async () => (await done('the rules are read', consents.rules(workspace))).hasWithdrawals
      const id = newPhoneNumber()
      await record([id], [fact({ status: 'granted', since: NOON - 1 })])
      same('a grant', await stops(), false)
      await record([id], [fact({ topic: 'all' })])
      same('a withdrawal', await stops(), true)
      await record([id], [fact({ topic: 'all', status: 'granted', since: NOON + 1 })])
      same('a later grant', await stops(), false)
    },
  },
  {
    name: 'what an erased person stopped still counts, is not listed, and no older fact undoes it',
    check: async (fixture) => {
      const { consents, personalData } = fixture
      const { workspace, record, find, history } = await openConsents(fixture)
      const [phone, user, other] = [newPhoneNumber(), newUserId(), newPhoneNumber()]
      await record([phone, user], [fact({ note: 'STOP' }), fact({ topic: 'all', status: 'granted', note: 'a form' })])
      await record([other], [fact({ status: 'granted' })])
      for (const _ of times(2, () => undefined)) {
        await done('a person is erased', personalData.erase(workspace, [{ phoneNumber: phone, userId: user }]))
        const kept = { marketing: { status: 'withdrawn', since: NOON, source: 'erased' } } as const
        same('what is known', [await find(phone), await find(user)], [kept, kept])
        same('the history', [await history(phone), await history(user)], [[], []])
        same('the list', (await listAll(consents, workspace, 10)).map(({ id }) => id), [other])
        same('the rules', (await done('the rules are read', consents.rules(workspace))).hasWithdrawals, true)
        const answers = [
          await record([phone], [fact({ status: 'granted', since: NOON - 1 })]),
          await record([phone], [fact({ status: 'granted', since: NOON + 1 })], { onlyIfUnknown: true }),
        ]
        const unchanged = [{ before: kept.marketing, after: kept.marketing }]
        same('what undoes nothing', answers, [unchanged, unchanged])
      }
      const again = fact({ status: 'granted', since: NOON + 1, source: 'a new form' })
      await record([phone], [again])
      same('a later grant', [await find(phone), await history(phone)], [{ marketing: known(again) }, [again]])
    },
  },
]
