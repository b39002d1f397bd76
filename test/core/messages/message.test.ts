import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { parsePhoneNumber, parseWrittenPhoneNumber, type PhoneNumber, phoneNumberOf, TRUNK_ZERO } from '../../../core/customers/customer.js'
import { isWorkspaceId, workspaceIdOf } from '../../../core/kernel/ids.js'
import { HOUR_MS } from '../../../core/kernel/time.js'
import {
  applyChange, claimStands, entersHistory, forgottenError, idempotencyKeyOf, isMessageId, isOutcomeUnknown, keepsIdempotencyKey,
  KEY_KEPT_MS, merge, MESSAGE_STATES, messageIdOf, messageCsvLine, MESSAGES_CSV_HEADER, type MessageState, moneyMove, type NewMessage,
  openRecord, parseIdempotencyKey, type PlatformId, requestOf, type StateChange, type TemplateMessage,
} from '../../../core/messages/message.js'
import { errorCodeOf, ownError, withOwnCode } from '../../../core/messages/own-errors.js'
import { readRecord, writeRecord } from '../../../core/messages/message-log.js'
import { newMessageId, newWorkspaceId } from '../../laws/ids.js'
import { withRedeliveries } from '../delivery-orders.js'
import { CUSTOMER, NOON, USD } from '../gateway.js'

const OTHER_DIGITS = ['٤٩١٥١٢٣٤٥٦٧٨', '４９１５１２３４５６７', '४९१५१२३४५६७', '49151234567²', '49151234567½', '4915123456Ⅷ']

const DIGITS = fc.stringMatching(/^[1-9][0-9]{6,14}$/)
const SEPARATORS = fc.stringMatching(/^[ \-.()]{0,3}$/)

const refusedByBoth = (text: string): void => {
  assert.deepEqual(parsePhoneNumber(text), E.left({ _tag: 'InvalidPhoneNumber', form: 'digits' }), JSON.stringify(text))
  assert.deepEqual(parseWrittenPhoneNumber(text), E.left({ _tag: 'InvalidPhoneNumber', form: 'written' }), JSON.stringify(text))
}

describe('A message in a CSV file', () => {
  it('has a cell under each name of the header', () => {
    const [id, workspace] = [newMessageId(NOON), newWorkspaceId()]
    const message: TemplateMessage = { _tag: 'Template', to: CUSTOMER, name: 'order_update', language: 'de' }
    const opened = openRecord({ id, workspace, message, price: { micros: 62_500n, currency: USD, category: 'utility' }, at: NOON })
    const record = { ...opened, platformId: 'wamid.1' as PlatformId, state: 'failed' as const, error: { code: 131026 } }
    const [names, cells] = [MESSAGES_CSV_HEADER, messageCsvLine(record)].map((line) => line.trimEnd().split(','))
    assert.deepEqual(names?.map((name, index) => [name, cells?.[index]]), [
      ['id', id], ['platform_id', 'wamid.1'], ['at', '2026-03-01T12:00:00.000Z'], ['to', CUSTOMER], ['kind', 'template'],
      ['summary', record.summary], ['template', 'order_update'], ['language', 'de'], ['state', 'failed'], ['error', '131026'],
      ['category', 'utility'], ['price', '0.062500'], ['charged', '0.000000'], ['currency', 'USD'], ['metadata', ''],
    ])
    assert.lengthOf(cells ?? [], names?.length ?? 0)
    assert.include(messageCsvLine({ ...record, state: 'read' }), ',0.062500,0.062500,USD,')
  })
})

describe('The error of a message that the gateway did not send', () => {
  it('has a code of the API and a sentence', () => {
    assert.deepEqual(ownError('The wallet could not cover the price'), {
      code: 'insufficient_balance', message: 'The wallet could not cover the price',
    })
    assert.equal(errorCodeOf(ownError('The platform could not be reached')), 'platform_unreachable')
    assert.deepEqual(forgottenError(ownError('The API key has reached its spending limit')), { code: 'spending_limit_reached' })
  })

  it('has its code, too, if an earlier release stored the sentence alone', () => {
    const stored = { message: 'It took too long to set its price aside' }
    assert.equal(errorCodeOf(stored), 'storage_unavailable')
    assert.deepEqual(withOwnCode(stored), { code: 'storage_unavailable', ...stored })
    assert.deepEqual(forgottenError(stored), { code: 'storage_unavailable' })
  })

  it('is not one of the platform, whatever that says', () => {
    const said = { code: 131042, message: 'The wallet could not cover the price' }
    assert.equal(errorCodeOf(said), 131042)
    assert.deepEqual([withOwnCode(said), forgottenError(said)], [said, { code: 131042 }])
    for (const error of [{ code: 'toString' }, { message: 'toString' }, { code: 'not_ours' }, {}]) assert.isUndefined(errorCodeOf(error))
  })
})

describe('A phone number', () => {
  it('is 7 to 15 digits that do not begin with a zero', () => {
    for (const text of ['1234567', '491512345678', '123456789012345']) {
      assert.deepEqual(parsePhoneNumber(text), E.right(text))
      assert.deepEqual(parseWrittenPhoneNumber(text), E.right(text))
    }
    for (const text of ['', '123456', '1234567890123456', '0491512345678', '00491512345678']) refusedByBoth(text)
  })

  it('in digits has no plus and no separators', () => {
    for (const text of [
      '+491512345678', '49 1512345678', '49-1512345678', '49.1512345678', '(49)1512345678', ' 491512345678', '491512345678\n',
    ]) {
      const meant = /\n/.test(text) ? {} : { meant: '491512345678' }
      assert.deepEqual<unknown>(
        parsePhoneNumber(text), E.left({ _tag: 'InvalidPhoneNumber', form: 'digits', ...meant }), JSON.stringify(text),
      )
    }
  })

  it('as written may have a leading plus, and separators anywhere', () => {
    for (const text of ['+49 151 2345678', '49-151-2345678', '(+49) 151.234.5678', ' +49(151)2345678 ', '+ 4-9.1(5)1 2345678']) {
      assert.deepEqual(parseWrittenPhoneNumber(text), E.right('491512345678'), text)
    }
    fc.assert(
      fc.property(DIGITS, fc.array(SEPARATORS, { minLength: 15, maxLength: 15 }), fc.boolean(), (digits, between, plus) => {
        const written = [...digits].map((digit, index) => `${digit}${between[index]}`).join('')
        fc.pre(!TRUNK_ZERO.test(written))
        assert.deepEqual(parseWrittenPhoneNumber(`${plus ? '+' : ''}${written}`), E.right(digits))
      }),
    )
  })

  it('has no zero in parentheses, which would become a digit of another number', () => {
    for (const text of [
      '+49 (0) 151 23456789', '+49(0)151 23456789', '49 ( 0 ) 15123456789', '(+49) (0)151-23456789', '+44 (0.)20 7946 0958',
      '+49 151 (0) 23456789',
    ]) {
      assert.deepEqual(parseWrittenPhoneNumber(text), E.left({ _tag: 'InvalidPhoneNumber', form: 'written', hasTrunkZero: true }), text)
      assert.deepEqual(parsePhoneNumber(text), E.left({ _tag: 'InvalidPhoneNumber', form: 'digits', hasTrunkZero: true }), text)
    }
    for (const [text, number] of [
      ['+39 06 6982 1234', '390669821234'], ['+39 (06) 6982 1234', '390669821234'], ['+49 (151) 0 2345678', '4915102345678'],
    ] as const) {
      assert.deepEqual<unknown>(parseWrittenPhoneNumber(text), E.right(number), text)
    }
  })

  it('as written has one plus at most, and only in front', () => {
    for (const text of ['++491512345678', '49+1512345678', '491512345678+', '+', '+49+1512345678']) {
      assert.deepEqual(parseWrittenPhoneNumber(text), E.left({ _tag: 'InvalidPhoneNumber', form: 'written' }), text)
    }
  })

  it('has no letters, no other separators and no digits of other scripts', () => {
    for (const text of [
      '49151234567a', 'call 491512345', '4915123/45678', '491512345678,', '49\u00a01512345678', '49\t1512345678', '49\u20131512345678',
      '49\u200b1512345678', '４９+', ...OTHER_DIGITS,
    ]) {
      refusedByBoth(text)
    }
  })
})

describe('An id', () => {
  it('of a message has 32 lowercase hexadecimal digits', () => {
    const id = messageIdOf(uuidv7())
    assert.isTrue(isMessageId(id))
    for (const text of [
      '', 'msg_', id.slice(0, -1), `${id}0`, id.toUpperCase(), `${id}\n`, id.replace('msg_', 'ws_'), `${id.slice(0, -1)}g`,
    ]) {
      assert.isFalse(isMessageId(text), text)
    }
  })

  it('of a workspace has 32 lowercase hexadecimal digits', () => {
    const id = workspaceIdOf(uuidv7())
    assert.isTrue(isWorkspaceId(id))
    for (const text of [
      '', 'ws_', id.slice(0, -1), `${id}0`, `${id}\n`, id.replace('ws_', 'msg_'),
    ]) {
      assert.isFalse(isWorkspaceId(text), text)
    }
  })
})

describe('The text of a request', () => {
  const to = '491512345678' as PhoneNumber
  const offer: TemplateMessage = {
    _tag: 'Template', to, name: 'offer', language: 'en', components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }],
  }

  it('is the same for the same message, whatever the order of its fields', () => {
    const reordered: TemplateMessage = {
      components: [{ parameters: [{ text: 'Ann', type: 'text' }], type: 'body' }], language: 'en', name: 'offer', to, _tag: 'Template',
    }
    assert.equal(requestOf(reordered), requestOf(offer))
  })

  it('differs if anything that would be sent differs', () => {
    const { components: _, ...bare } = offer
    const others = [
      { ...offer, to: '491512345679' as PhoneNumber }, { ...offer, name: 'Offer' }, { ...offer, language: 'en_US' }, bare,
      { ...offer, components: [] },
      { ...offer, components: [{ type: 'body', parameters: [{ type: 'text', text: 'Bob' }] }] },
      { _tag: 'Text' as const, to, text: 'Ann' }, { _tag: 'Text' as const, to, text: 'Ann ' },
    ]
    assert.equal(new Set([offer, ...others].map((one) => requestOf(one))).size, others.length + 1)
  })
})

const mergedFrom = (from: MessageState, reports: ReadonlyArray<MessageState>): MessageState => reports.reduce(merge, from)
const merged = (reports: ReadonlyArray<MessageState>): MessageState => mergedFrom('pending', reports)

const state = fc.constantFrom(...MESSAGE_STATES)

/** What can truthfully become known of one message: it was never accepted, or it was, and then reached the customer or failed. */
const truthfulLife: fc.Arbitrary<ReadonlyArray<MessageState>> = fc.oneof(
  fc.subarray<MessageState>(['unconfirmed', 'refused']),
  fc.subarray<MessageState>(['unconfirmed', 'released']),
  fc.subarray<MessageState>(['unconfirmed', 'released', 'accepted', 'sent', 'delivered', 'read']),
  fc.subarray<MessageState>(['unconfirmed', 'released', 'accepted', 'sent', 'failed']),
)

describe('The life of a message', () => {
  it('ends in the same state whatever the order and number of the platform\'s truthful reports', () => {
    fc.assert(
      fc.property(withRedeliveries(truthfulLife), ([life, heard]) => { assert.equal(merged(heard), merged(life)) }), { numRuns: 2_000 },
    )
  })

  it('ends with the same move of money whatever the order and number of the platform\'s truthful reports', () => {
    fc.assert(
      fc.property(withRedeliveries(truthfulLife), ([life, heard]) => { assert.equal(moneyMove(merged(heard)), moneyMove(merged(life))) }),
    )
  })

  it('is not changed by hearing anything again', () => {
    fc.assert(
      fc.property(fc.array(state), fc.array(state, { minLength: 1 }), (before, reports) => {
        const after = mergedFrom(merged(before), reports)
        assert.equal(mergedFrom(after, [...reports, ...reports]), after)
      }),
    )
  })

  it('goes sent, delivered, read, and never back', () => {
    assert.equal(merged(['accepted', 'sent', 'delivered', 'read']), 'read')
    assert.equal(merged(['read', 'delivered', 'sent', 'accepted']), 'read')
    assert.equal(merged(['read', 'played']), 'played')
    assert.equal(merged(['played', 'read', 'delivered']), 'played')
    assert.equal(merged(['delivered', 'sent']), 'delivered')
    assert.equal(merged(['sent', 'accepted', 'unconfirmed', 'refused', 'released']), 'sent')
  })

  it('ends with a failure, unless the message is known to be delivered', () => {
    for (const later of MESSAGE_STATES) assert.equal(merge('failed', later), 'failed')
    for (const from of MESSAGE_STATES) {
      assert.equal(merge(from, 'failed'), ['delivered', 'read', 'played', 'queued', 'canceled'].includes(from) ? from : 'failed', from)
    }
  })

  it('goes on after a refusal or a release if the platform reports on the message after all', () => {
    for (const from of ['refused', 'released'] as const) {
      for (const to of ['accepted', 'sent', 'delivered', 'read', 'failed'] as const) assert.equal(merge(from, to), to)
      for (const to of ['pending', 'unconfirmed', 'refused', 'released'] as const) assert.equal(merge(from, to), from)
    }
  })

  it('becomes unconfirmed only while nothing else is known', () => {
    for (const from of MESSAGE_STATES) assert.equal(merge(from, 'unconfirmed'), from === 'pending' ? 'unconfirmed' : from)
  })

  it('is canceled or refused while it is queued, and then stays so, and no other message is canceled', () => {
    for (const to of MESSAGE_STATES) assert.equal(merge('queued', to), to === 'canceled' || to === 'refused' ? to : 'queued', to)
    for (const to of MESSAGE_STATES) assert.equal(merge('canceled', to), 'canceled', to)
    for (const from of MESSAGE_STATES) if (from !== 'queued') assert.equal(merge(from, 'canceled'), from, from)
  })

  it('is never pending again', () => {
    for (const from of MESSAGE_STATES) assert.equal(merge(from, 'pending'), from)
  })

  it('only ever moves to what was heard, or stays', () => {
    fc.assert(fc.property(state, state, (from, to) => { assert.include([from, to], merge(from, to)) }))
  })
})

describe('The history of a message', () => {
  it('remembers whatever moves the message', () => {
    for (const from of MESSAGE_STATES) for (const to of MESSAGE_STATES) if (merge(from, to) !== from) {
      assert.isTrue(entersHistory(from, to), `${from} to ${to}`)
    }
  })

  it('remembers that a message was sent, delivered and read, though that is heard late', () => {
    for (const late of ['sent', 'delivered'] as const) assert.isTrue(entersHistory('read', late))
    assert.isTrue(entersHistory('delivered', 'sent'))
    for (const late of ['sent', 'delivered', 'read'] as const) assert.isTrue(entersHistory('played', late))
  })

  it('ignores reports after a failure, and a failure after delivery', () => {
    for (const to of MESSAGE_STATES) if (to !== 'failed') assert.isFalse(entersHistory('failed', to), to)
    for (const from of ['delivered', 'read', 'played'] as const) assert.isFalse(entersHistory(from, 'failed'))
  })

  it('forgets an acceptance, an unknown outcome, a refusal or a release that comes late', () => {
    for (const from of ['sent', 'delivered', 'read', 'played'] as const) {
      for (const late of ['pending', 'accepted', 'unconfirmed', 'refused', 'released'] as const) {
        assert.isFalse(entersHistory(from, late), `${from} to ${late}`)
      }
    }
  })
})

describe('What a state says', () => {
  it('of the money: keep while unknown, capture once accepted, release if nothing went, refund after a failure', () => {
    assert.deepEqual(
      Object.fromEntries(MESSAGE_STATES.map((one) => [one, moneyMove(one)])),
      {
        pending: 'keep', unconfirmed: 'keep', accepted: 'capture', sent: 'capture', delivered: 'capture', read: 'capture',
        played: 'capture', refused: 'release', released: 'release', failed: 'refund', queued: 'keep', canceled: 'release',
      },
    )
  })

  it('of the idempotency key: free if nothing went', () => {
    assert.deepEqual(MESSAGE_STATES.filter((one) => !keepsIdempotencyKey(one)).sort(), ['refused', 'released'])
  })

  it('of the outcome: unknown while pending or unconfirmed', () => {
    assert.deepEqual(MESSAGE_STATES.filter(isOutcomeUnknown).sort(), ['pending', 'unconfirmed'])
  })
})

const text: NewMessage = {
  id: newMessageId(NOON), workspace: newWorkspaceId(NOON), at: NOON,
  message: { _tag: 'Text', to: CUSTOMER, text: 'Hello' },
  price: { micros: 7_700n, currency: USD, category: 'service' },
}
const PLATFORM_ID = 'wamid.1' as PlatformId

const after = (...changes: ReadonlyArray<StateChange>) => changes.reduce(applyChange, openRecord(text))
const historyAfter = (...changes: ReadonlyArray<StateChange>) => after(...changes).history.map(({ state, at }) => [state, at - NOON])

describe('a message record', () => {
  it('opens as pending, without what the message says', () => {
    assert.deepEqual(openRecord(text), {
      id: text.id, workspace: text.workspace, kind: 'text', to: CUSTOMER, price: text.price, templateName: undefined,
      language: undefined, summary: 'text', metadata: undefined, createdAt: NOON, platformId: undefined, state: 'pending', error: undefined,
      pricing: undefined, history: [{ state: 'pending', at: NOON }],
    })
  })

  it("keeps a template's name and language and drops its components", () => {
    const record = openRecord({
      ...text, message: { _tag: 'Template', to: CUSTOMER, name: 'order_update', language: 'de', components: [{ type: 'body' }] },
    })
    assert.deepInclude(record, { kind: 'template', templateName: 'order_update', language: 'de' })
    assert.notProperty(record, 'components')
  })

  it('lists its states in the order in which one leads to the next', () => {
    assert.deepEqual(
      historyAfter({ state: 'delivered', at: NOON + 3 }, { state: 'sent', at: NOON + 2 }),
      [['pending', 0], ['sent', 2], ['delivered', 3]],
    )
  })

  it('lists them so if the platform, which reports whole seconds, dates one before what led to it', () => {
    assert.deepEqual(
      historyAfter({ state: 'accepted', at: NOON + 412 }, { state: 'delivered', at: NOON }, { state: 'sent', at: NOON }),
      [['pending', 0], ['accepted', 412], ['sent', 0], ['delivered', 0]],
    )
  })

  it('enters a state once, at the first moment that was reported', () => {
    assert.deepEqual(historyAfter({ state: 'sent', at: NOON + 1 }, { state: 'sent', at: NOON + 5 }), [['pending', 0], ['sent', 1]])
  })

  it('keeps an error as long as the state that it explains', () => {
    const error = { code: 131000 }
    assert.deepEqual(after({ state: 'refused', at: NOON, error }).error, error)
    assert.isUndefined(after({ state: 'refused', at: NOON, error }, { state: 'delivered', at: NOON }).error)
  })

  it("takes the platform's id and its report on billing from the first change that brings them, also from a late one", () => {
    const pricing = { category: 'utility' }
    const record = after(
      { state: 'delivered', at: NOON },
      { state: 'accepted', at: NOON, platformId: PLATFORM_ID, pricing },
      { state: 'read', at: NOON, pricing: { category: 'marketing' } },
    )
    assert.deepInclude(record, { state: 'read', platformId: PLATFORM_ID, pricing })
  })

  it('does not take a change that names another platform id than the recorded one', () => {
    const record = after({ state: 'accepted', at: NOON, platformId: PLATFORM_ID })
    const foreign: StateChange = { state: 'failed', at: NOON, platformId: 'wamid.2' as PlatformId, error: { code: 1 }, pricing: {} }
    assert.deepEqual(applyChange(record, foreign), record)
    assert.equal(applyChange(record, { ...foreign, platformId: PLATFORM_ID }).state, 'failed')
  })
})

const CLAIMED_AT = Date.UTC(2026, 2, 1)

describe('A phone number of the program itself', () => {
  it('is read as people write it, and throws if it is not one', () => {
    assert.deepEqual(parsePhoneNumber('33639980001'), E.right(phoneNumberOf('+33 6 39 98 00 01')))
    for (const text of ['', '33', 'DE.1', '+49 (0) 151 23456789']) assert.throws(() => phoneNumberOf(text), TypeError, 'country code')
  })
})

describe('An idempotency key', () => {
  it('is 1 to 255 printable ASCII characters', () => {
    for (const text of [
      '1', '~', '!', 'order 1234', `a${' '.repeat(253)}b`, 'x'.repeat(255), '{"a":[1]}', '__proto__',
    ]) {
      assert.deepEqual(parseIdempotencyKey(text), E.right(text))
    }
    for (const text of ['', 'x'.repeat(256), `a${' '.repeat(254)}b`]) {
      assert.deepEqual(parseIdempotencyKey(text), E.left({ _tag: 'InvalidIdempotencyKey' }))
    }
  })

  it('has no API key, secret of an endpoint or access token in it, since it is stored', () => {
    const secrets = [`pst_${'0af3'.repeat(4)}_${'9c'.repeat(24)}`, `whsec_${'Ab1+'.repeat(8)}`, `EAAG${'mX0'.repeat(20)}`]
    for (const secret of secrets) {
      for (const text of [secret, secret.toUpperCase(), `order-7:${secret}`, `Bearer ${secret} x`]) {
        assert.isTrue(E.isLeft(parseIdempotencyKey(text)), text)
      }
    }
    for (const text of ['post_pst_7', 'pst_', 'whsec_x', 'EAA-7', 'SEAAgents0123456789abcdef']) {
      assert.isTrue(E.isRight(parseIdempotencyKey(text)), text)
    }
  })

  it('may be any digest or random identifier, also one that begins as an access token does', () => {
    const identifiers = ['eaa0'.repeat(8), 'eaa0'.repeat(16), 'eaa0'.repeat(32), `EAAz${'mX0'.repeat(6)}`, `eaa${'mX0z'.repeat(10)}`]
    for (const text of identifiers) {
      for (const key of [text, text.toUpperCase(), `order-${text}`]) assert.isTrue(E.isRight(parseIdempotencyKey(key)), key)
    }
  })

  it('neither begins nor ends with a space', () => {
    for (const text of [' ', '  ', ' a', 'a ', ' a ']) assert.isTrue(E.isLeft(parseIdempotencyKey(text)), JSON.stringify(text))
  })

  it('has no control characters and none beyond ASCII', () => {
    for (const character of ['\u0000', '\t', '\n', '\r', '\u001f', '\u007f', '\u0080', 'é', '١', '日', '🌍']) {
      for (const text of [character, `a${character}`, `${character}a`, `a${character}b`]) {
        assert.isTrue(E.isLeft(parseIdempotencyKey(text)), JSON.stringify(text))
      }
    }
  })

  it('is made of a text of the program, and throws if it cannot be one', () => {
    assert.deepEqual(parseIdempotencyKey('ann order-1'), E.right(idempotencyKeyOf('ann order-1')))
    for (const text of ['', ' a', 'é', 'x'.repeat(256)]) assert.throws(() => idempotencyKeyOf(text), TypeError, 'An idempotency key is')
  })

  it('is any printable ASCII text without spaces at its ends', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: 'binary-ascii' }), (text) => {
        const expected = text.length >= 1 && text.length <= 255 && [...text].every((c) => c >= ' ' && c <= '~') && text.trim() === text
        assert.equal(E.isRight(parseIdempotencyKey(text)), expected)
      }),
    )
  })
})

describe('A record as a text', () => {
  const opened = openRecord(text)

  it('is read as it was written, at the beginning and with everything that a report brings', () => {
    const report: StateChange = {
      state: 'failed', at: NOON + 1, platformId: 'wamid.1' as PlatformId,
      error: { code: 131_047, id: JSON.rawJSON('123456789012345678') as never }, pricing: { category: 'utility' },
    }
    const failed = applyChange({ ...opened, metadata: { order: 'A-17' }, keyId: '0123456789abcdef' }, report)
    for (const record of [opened, failed]) assert.deepEqual(readRecord(writeRecord(record)), record)
    assert.include(writeRecord(readRecord(writeRecord(failed))), '"id":123456789012345678')
  })

  it('is refused if it is another text', () => {
    const written = JSON.parse(writeRecord(opened))
    for (const other of [
      'null', '[]', '{}', JSON.stringify({ ...written, id: 'msg_1' }), JSON.stringify({ ...written, workspace: 'ws_1' }),
      JSON.stringify({ ...written, price: null }),
    ]) {
      assert.throws(() => readRecord(other), 'This text is not a message record that writeRecord wrote.', other)
    }
  })
})

describe('A claimed key', () => {
  it('guards a message that has gone for 24 hours, and no longer', () => {
    assert.equal(KEY_KEPT_MS, 24 * HOUR_MS)
    for (const state of ['accepted', 'sent', 'delivered', 'read', 'failed'] as const) {
      assert.isTrue(claimStands(CLAIMED_AT, CLAIMED_AT, state))
      assert.isTrue(claimStands(CLAIMED_AT + KEY_KEPT_MS - 1, CLAIMED_AT, state))
      assert.isFalse(claimStands(CLAIMED_AT + KEY_KEPT_MS, CLAIMED_AT, state))
    }
  })

  it('guards a message of unknown outcome for as long as that is so', () => {
    for (const state of ['pending', 'unconfirmed'] as const) {
      assert.isTrue(claimStands(CLAIMED_AT + 1_000 * KEY_KEPT_MS, CLAIMED_AT, state))
    }
  })

  it('guards nothing if the message was refused or given up', () => {
    for (const state of ['refused', 'released'] as const) assert.isFalse(claimStands(CLAIMED_AT, CLAIMED_AT, state))
  })

  it('is never restored once it has lapsed, while the message stays where it is', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MESSAGE_STATES), fc.nat({ max: 3 * KEY_KEPT_MS }), fc.nat({ max: 3 * KEY_KEPT_MS }), (state, a, b) => {
        const [early, late] = [Math.min(a, b), Math.max(a, b)]
        assert.isTrue(claimStands(CLAIMED_AT + early, CLAIMED_AT, state) || !claimStands(CLAIMED_AT + late, CLAIMED_AT, state))
      }),
    )
  })
})
