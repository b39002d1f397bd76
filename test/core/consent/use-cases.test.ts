import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { MAX_SOURCE_LENGTH } from '../../../core/consent/consent.js'
import {
  customerConsentView, makeConsentUseCases, makeShowCustomerWithConsent, type RecordConsentCommand,
} from '../../../core/consent/use-cases.js'
import { MAX_OPT_OUT_WORDS, SHIPPED_WORDS } from '../../../core/consent/words.js'
import type { PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { auditIdOf } from '../../../core/kernel/ids.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, NOON } from '../gateway.js'

const USER_ID = 'DE.1234567890' as UserId
const STRANGER = '4915123456700' as PhoneNumber

const opened = async () => {
  const gw = await gateway({ broker: true })
  const { storage, workspace } = gw
  const deps = { ...gw.deps, audit: { auditLog: storage.auditLog, newAuditId: () => auditIdOf(uuidv7()), now: gw.now }, now: gw.now }
  const consent = makeConsentUseCases({ ...deps, consents: storage.consents, senders: storage.senders })
  return {
    ...gw, ...consent,
    record: (more: Partial<RecordConsentCommand> = {}) =>
      consent.recordConsent({ by: SYSTEM, workspace, customer: CUSTOMER, topic: 'marketing', status: 'granted', source: 'form', ...more }),
    showCustomer: makeShowCustomerWithConsent({ ...deps, consents: storage.consents, senders: storage.senders }),
    opted: async () => (await gw.events()).filter(({ type }) => type.startsWith('customer.opted')).map(({ type }) => type),
    noted: async () =>
      (await done(storage.auditLog.list({ workspace, limit: 100 }))).items
        .map(({ act, outcome, details }): JsonObject => ({ act, outcome, ...details })),
    pair: async (phoneNumber: PhoneNumber, userId: UserId, at = NOON - DAY_MS) => {
      await done(storage.customers.learn(workspace, phoneNumber, { _tag: 'Paired', other: userId, at }))
      await done(storage.customers.learn(workspace, userId, { _tag: 'Paired', other: phoneNumber, at }))
    },
  }
}

describe('Consent that is recorded', () => {
  it('is shown with its source, time and note, and is noted in the audit log without the customer', async () => {
    const gw = await opened()
    assert.deepEqual(rightOf(await gw.record({ source: ' signup form ', note: 'ticked the box' })), {
      marketing: { status: 'granted', since: NOON, source: 'signup form', note: 'ticked the box' },
    })
    assert.deepEqual(await gw.noted(), [{ act: 'consent.record', outcome: 'done', of: 'marketing', status: 'granted' }])
    assert.deepEqual(await gw.opted(), ['customer.opted_in'])
  })

  it('is changed by nothing older, and the answer is what is known', async () => {
    const gw = await opened()
    rightOf(await gw.record({ status: 'withdrawn' }))
    assert.deepInclude(rightOf(await gw.record({ at: NOON - 1 })).marketing, { status: 'withdrawn', since: NOON })
    assert.deepEqual(await gw.opted(), ['customer.opted_out'])
    assert.lengthOf(await gw.noted(), 2)
  })

  it('counts as now if it is a little ahead of our clock, and is refused if it is more', async () => {
    const gw = await opened()
    assert.equal(rightOf(await gw.record({ at: NOON + 4 * MINUTE_MS })).marketing?.since, NOON)
    assert.deepInclude(leftOf(await gw.record({ at: NOON + 6 * MINUTE_MS })), { _tag: 'InvalidConsent', field: 'at' })
  })

  it('needs a source, and takes one line as a note', async () => {
    const gw = await opened()
    for (const source of ['', '  ', 'a\nb', 'x'.repeat(MAX_SOURCE_LENGTH + 1)]) {
      assert.deepInclude(leftOf(await gw.record({ source })), { _tag: 'InvalidConsent', field: 'source' })
    }
    for (const note of ['', 'a\nb', 'x'.repeat(1_001)]) {
      assert.deepInclude(leftOf(await gw.record({ note })), { _tag: 'InvalidConsent', field: 'note' })
    }
    rightOf(await gw.record({ source: 'x'.repeat(MAX_SOURCE_LENGTH), note: 'x'.repeat(1_000) }))
  })

  it('counts for every id of the customer, and is shown under each, once in the history', async () => {
    const gw = await opened()
    await gw.pair(CUSTOMER, USER_ID)
    rightOf(await gw.record({ customer: USER_ID }))
    for (const id of [CUSTOMER, USER_ID]) {
      assert.equal(rightOf(await gw.showConsent(gw.workspace, id)).marketing?.status, 'granted')
      assert.lengthOf(rightOf(await gw.showHistory(gw.workspace, id, 10)), 1)
    }
    assert.deepEqual((await gw.events()).filter(({ type }) => type === 'customer.opted_in').map(({ data }) => data['to']), [CUSTOMER])
  })

  it('of a time before the customer had the number does not count for the customer', async () => {
    const gw = await opened()
    await gw.pair(CUSTOMER, 'DE.1' as UserId, NOON - 3 * DAY_MS)
    await gw.pair(CUSTOMER, USER_ID, NOON - DAY_MS)
    rightOf(await gw.record({ at: NOON - 2 * DAY_MS }))
    assert.deepEqual(rightOf(await gw.showConsent(gw.workspace, USER_ID)), {})
  })

  it('makes a customer known, of whom nothing else is', async () => {
    const gw = await opened()
    assert.isTrue(O.isNone(rightOf(await gw.showCustomer(gw.workspace, STRANGER))))
    rightOf(await gw.record({ customer: STRANGER, topic: 'all', status: 'withdrawn', source: 'phone call' }))
    const shown = O.toUndefined(rightOf(await gw.showCustomer(gw.workspace, STRANGER)))
    assert.deepEqual(shown && customerConsentView(shown.consent), {
      marketing: { status: 'unknown', since: null, source: null, note: null },
      all: { status: 'withdrawn', since: new Date(NOON).toISOString(), source: 'phone call', note: null },
    })
  })

  it('of many is imported with their events, and with one entry of the audit log', async () => {
    const gw = await opened()
    const fact = { topic: 'marketing', status: 'withdrawn', since: NOON - HOUR_MS, source: 'import' } as const
    rightOf(await gw.record({ at: NOON }))
    const imported = rightOf(await gw.importConsents({
      by: SYSTEM, workspace: gw.workspace,
      async* read() {
        yield E.right({ line: 2, to: CUSTOMER, fact })
        yield E.right({ line: 3, to: STRANGER, fact })
      },
    }))
    assert.deepEqual(imported, { lines: 2, changed: 1, refused: 0, problems: [] })
    assert.deepEqual((await gw.noted())[0], { act: 'consent.record', outcome: 'done', lines: 2, changed: 1, refused: 0 })
    assert.deepEqual(await gw.opted(), ['customer.opted_in', 'customer.opted_out'])
  })
})

describe('The words that stop messages', () => {
  it('are the shipped ones until a workspace sets its own', async () => {
    const gw = await opened()
    assert.deepEqual(rightOf(await gw.showSettings(gw.workspace)).optOut, { words: SHIPPED_WORDS, topic: 'marketing' })
    const optOut = { words: { en: [' Enough ', 'ENOUGH!'], de: [] }, topic: 'all' } as const
    const set = { words: { en: ['ENOUGH!'] }, topic: 'all' } as const
    assert.deepEqual(rightOf(await gw.setOptOut({ by: SYSTEM, workspace: gw.workspace, optOut })), set)
    assert.deepEqual(rightOf(await gw.showSettings(gw.workspace)).optOut, set)
    assert.deepEqual(await gw.noted(), [{ act: 'consent.set_words', outcome: 'done', words: 1, of: 'all' }])
  })

  it('are refused if one cannot be written, if there are too many, or if the language is not one', async () => {
    const gw = await opened()
    const refused = async (words: Record<string, ReadonlyArray<string>>) =>
      leftOf(await gw.setOptOut({ by: SYSTEM, workspace: gw.workspace, optOut: { words, topic: 'all' } }))
    for (const word of ['', '🙂', 'x'.repeat(81), 'a\nb']) assert.equal((await refused({ en: [word] }))._tag, 'InvalidOptOut')
    const many = (letter: string) => Array.from({ length: MAX_OPT_OUT_WORDS / 2 }, (_, index) => `${letter}${index}`)
    assert.equal((await refused({ en: many('a'), de: [...many('b'), 'c'] }))._tag, 'InvalidOptOut')
    rightOf(await gw.setOptOut({ by: SYSTEM, workspace: gw.workspace, optOut: { words: { en: many('a'), de: many('b') }, topic: 'all' } }))
    assert.equal((await refused({ English: ['STOP'] }))._tag, 'InvalidOptOut')
  })

  it('may have a reply of several lines, which is a text that can be sent', async () => {
    const gw = await opened()
    const set = (reply: string) =>
      gw.setOptOut({ by: SYSTEM, workspace: gw.workspace, optOut: { words: { en: ['STOP'] }, topic: 'all', reply } })
    for (const reply of [' \n', 'a'.repeat(4_097), 'a\u0000b', '\ud800']) assert.equal(leftOf(await set(reply))._tag, 'InvalidOptOut')
    assert.deepEqual(rightOf(await gw.showSettings(gw.workspace)).optOut, { words: SHIPPED_WORDS, topic: 'marketing' })
    rightOf(await set(' Bye.\nSee you 👋 '))
    const optOut = { words: { en: ['STOP'] }, topic: 'all', reply: 'Bye.\nSee you 👋' } as const
    assert.deepEqual(rightOf(await gw.showSettings(gw.workspace)).optOut, optOut)
  })

  it('may be none, so that no word stops anything', async () => {
    const gw = await opened()
    rightOf(await gw.setOptOut({ by: SYSTEM, workspace: gw.workspace, optOut: { words: {}, topic: 'all' } }))
    assert.deepEqual(rightOf(await gw.showSettings(gw.workspace)).optOut, { words: {}, topic: 'all' })
  })
})

describe('The requirement of consent to marketing', () => {
  it('is set without changing the words, and is noted', async () => {
    const gw = await opened()
    rightOf(await gw.setOptOut({ by: SYSTEM, workspace: gw.workspace, optOut: { words: { en: ['ENOUGH'] }, topic: 'all' } }))
    rightOf(await gw.setMarketingConsent({ by: SYSTEM, workspace: gw.workspace, needsConsent: true }))
    const { marketingNeedsConsent, optOut } = rightOf(await gw.showSettings(gw.workspace))
    assert.deepEqual([marketingNeedsConsent, optOut.topic], [true, 'all'])
    assert.deepEqual((await gw.noted())[0], { act: 'workspace.set_consent', outcome: 'done', marketing_needs_consent: true })
  })
})
