import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type CustomerId, isUserId, type PhoneNumber, type UserId } from '../../../core/customers/customer.js'
import { findCustomer } from '../../../core/customers/learn.js'
import { HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { makeReceive, type Report } from '../../../core/reports/receive.js'
import { CUSTOMER, gateway, type Gateway, left, NOON, right } from '../gateway.js'

const ADA = '4915112345678' as PhoneNumber
const NEW_NUMBER = '33612345678' as PhoneNumber
const ADAS_ID = 'DE.1' as UserId
const NEW_ID = 'FR.2' as UserId
const ACCOUNT = '102290129340398'

const reportsOf = ({ phoneNumberId }: Gateway) => ({
  wrote: (phoneNumber: PhoneNumber | undefined, userId: UserId | undefined, at: number): Report =>
    ({ _tag: 'Inbound', phoneNumberId, customer: { phoneNumber, userId }, at }),
  moved: (before: UserId, after: UserId, at: number): Report =>
    ({ _tag: 'IdsChanged', phoneNumberId, before: { userId: before }, after: { userId: after }, at }),
  stopped: (stopped: boolean, at: number): Report => ({ _tag: 'MarketingPreference', phoneNumberId, customer: { userId: ADAS_ID }, stopped, at }),
  notice: (event: string, at?: number): Report => ({
    _tag: 'AccountNotice', accountId: ACCOUNT, field: 'account_update', subject: 'ACCOUNT_RESTRICTION', value: { event }, ...(at !== undefined && { at }),
  }),
})

const mayWriteTo = async (gw: Gateway, to: CustomerId): Promise<boolean> => E.isRight(await gw.sendText({ to }))
const customerOf = (gw: Gateway, id: CustomerId) => findCustomer(gw.storage.customers, gw.workspace, id).then(right)

describe('A customer who gets other ids', () => {
  it('keeps the window of messages in the same notification, wherever the change is in it', async () => {
    for (const place of [0, 1, 2]) {
      const gw = await gateway({ lastInbound: undefined })
      const { wrote, moved } = reportsOf(gw)
      const messages = [wrote(ADA, ADAS_ID, NOON - HOUR_MS), wrote(undefined, ADAS_ID, NOON - MINUTE_MS)]
      const outcomes = right(await gw.receive(...messages.toSpliced(place, 0, moved(ADAS_ID, NEW_ID, NOON))))
      assert.deepEqual<ReadonlyArray<string>>(outcomes, ['window_marked', 'window_marked'].toSpliced(place, 0, 'customer_learned'))
      assert.isTrue(await mayWriteTo(gw, NEW_ID))
      assert.isFalse(await mayWriteTo(gw, ADA))
    }
  })

  it('keeps it through several changes in one notification', async () => {
    const gw = await gateway({ lastInbound: undefined })
    const { wrote, moved } = reportsOf(gw)
    const last = 'GB.3' as UserId
    right(await gw.receive(moved(ADAS_ID, NEW_ID, NOON - 2), moved(NEW_ID, last, NOON - 1), wrote(ADA, ADAS_ID, NOON - HOUR_MS)))
    assert.isTrue(await mayWriteTo(gw, last))
  })

  it('is not held by a change that is dated in the future', async () => {
    const gw = await gateway({ lastInbound: undefined })
    const { wrote, moved } = reportsOf(gw)
    right(await gw.receive(wrote(ADA, ADAS_ID, NOON - HOUR_MS), moved(ADAS_ID, NEW_ID, NOON + 1_000 * HOUR_MS)))
    assert.isUndefined((await customerOf(gw, ADA)).userId)
    gw.passes(2 * MINUTE_MS)
    right(await gw.receive(wrote(ADA, ADAS_ID, gw.now())))
    assert.equal((await customerOf(gw, ADA)).userId, ADAS_ID)
  })

  it('does not get the old ids back from a message that is dated in the future and delivered again', async () => {
    const gw = await gateway({ lastInbound: undefined })
    const { wrote } = reportsOf(gw)
    const ahead = wrote(ADA, ADAS_ID, NOON + 1_000 * HOUR_MS)
    right(await gw.receive(ahead))
    assert.equal((await customerOf(gw, ADA)).userId, ADAS_ID)
    gw.passes(MINUTE_MS)
    right(await gw.receive(wrote(ADA, NEW_ID, gw.now())))
    gw.passes(MINUTE_MS)
    right(await gw.receive(ahead))
    assert.equal((await customerOf(gw, ADA)).userId, NEW_ID)
  })

  it('keeps the window of a message under the number only if it was written after the number was another customer’s', async () => {
    for (const [later, follows] of [[0, false], [1, true]] as const) {
      for (const before of [{ phoneNumber: ADA, userId: ADAS_ID }, { phoneNumber: ADA }]) {
        const gw = await gateway({ lastInbound: undefined })
        const { wrote } = reportsOf(gw)
        right(await gw.receive(wrote(ADA, 'DE.9' as UserId, NOON - 2 * HOUR_MS)))
        const isPair = before.userId !== undefined
        right(await gw.receive(isPair
          ? { ...gw.status(undefined, 'read'), customer: before, change: { state: 'read', at: NOON - HOUR_MS } }
          : { _tag: 'IdsChanged', phoneNumberId: gw.phoneNumberId, before: { phoneNumber: ADA, userId: 'DE.9' as UserId }, after: { userId: 'DE.9' as UserId }, at: NOON - HOUR_MS }))
        right(await gw.receive(wrote(ADA, undefined, NOON - HOUR_MS + later)))
        right(await gw.receive({ _tag: 'IdsChanged', phoneNumberId: gw.phoneNumberId, before, after: { phoneNumber: NEW_NUMBER, userId: NEW_ID }, at: NOON }))
        assert.equal(await mayWriteTo(gw, NEW_ID), follows, `${isPair ? 'a pair' : 'a number'}, ${later} ms later`)
      }
    }
  })

  it('takes along what was written under a user id, however long ago', async () => {
    for (const before of [{ userId: ADAS_ID }, { phoneNumber: ADA, userId: ADAS_ID }]) {
      const gw = await gateway({ lastInbound: undefined })
      const { wrote } = reportsOf(gw)
      right(await gw.receive(wrote(before.phoneNumber, ADAS_ID, 0)))
      right(await gw.receive({ _tag: 'IdsChanged', phoneNumberId: gw.phoneNumberId, before, after: { userId: NEW_ID }, at: NOON }))
      assert.deepEqual(right(await gw.storage.windowClock.lastInbound(gw.workspace, NEW_ID)), O.some(0))
    }
  })

  it('gives no window to the person who has the number then', async () => {
    const gw = await gateway({ lastInbound: undefined })
    const { wrote } = reportsOf(gw)
    right(await gw.receive(wrote(ADA, undefined, NOON - 2 * HOUR_MS), wrote(ADA, ADAS_ID, NOON - HOUR_MS)))
    right(await gw.receive({
      _tag: 'IdsChanged', phoneNumberId: gw.phoneNumberId, before: { phoneNumber: ADA, userId: ADAS_ID }, after: { phoneNumber: NEW_NUMBER, userId: NEW_ID }, at: NOON,
    }))
    assert.isTrue(await mayWriteTo(gw, NEW_NUMBER))
    assert.isFalse(await mayWriteTo(gw, ADA))
    gw.passes(MINUTE_MS)
    right(await gw.receive(wrote(ADA, 'DE.9' as UserId, gw.now())))
    assert.isTrue(await mayWriteTo(gw, ADA))
  })
})

describe('Reports that contradict each other in one notification', () => {
  it('open the window of each customer who wrote and of no other, in whatever order they come', async () => {
    for (const turned of [false, true]) {
      const gw = await gateway({ lastInbound: undefined })
      const { wrote } = reportsOf(gw)
      const reports = [wrote(ADA, ADAS_ID, NOON - HOUR_MS), wrote(ADA, NEW_ID, NOON - HOUR_MS)]
      right(await gw.receive(...(turned ? reports.toReversed() : reports)))
      const { userId } = await customerOf(gw, ADA)
      assert.equal(userId, NEW_ID, 'of two in one moment the greater id')
      for (const id of [ADAS_ID, NEW_ID]) assert.isTrue(await mayWriteTo(gw, id))
      assert.isUndefined((await customerOf(gw, ADAS_ID)).phoneNumber)
    }
  })

  it('are no more than one where the same pair is reported a thousand times', async () => {
    const gw = await gateway({ lastInbound: undefined })
    const { wrote } = reportsOf(gw)
    assert.lengthOf(right(await gw.receive(...Array.from({ length: 1_000 }, (_, index) => wrote(ADA, ADAS_ID, NOON - index)))), 1_000)
    const { phoneNumber, userId, numberSince } = await customerOf(gw, ADA)
    assert.deepEqual({ phoneNumber, userId, numberSince }, { phoneNumber: ADA, userId: ADAS_ID, numberSince: undefined })
    assert.isTrue(isUserId(ADAS_ID) && (await mayWriteTo(gw, ADAS_ID)))
  })
})

describe('The recipient whom a status names', () => {
  it('is kept as the number by which the platform knows the customer, if the message went to a phone number', async () => {
    const gw = await gateway()
    right(await gw.receive({ ...gw.status(right(await gw.sendText()).id, 'delivered'), to: ADA }))
    assert.equal((await customerOf(gw, CUSTOMER)).phoneNumber, ADA)
  })
})

describe('A preference of a customer', () => {
  it('is not held by one that is dated in the future', async () => {
    const gw = await gateway()
    const { stopped } = reportsOf(gw)
    right(await gw.receive(stopped(true, NOON + 1_000 * HOUR_MS)))
    assert.isTrue((await customerOf(gw, ADAS_ID)).optedOut)
    gw.passes(2 * MINUTE_MS)
    right(await gw.receive(stopped(false, gw.now())))
    assert.isFalse((await customerOf(gw, ADAS_ID)).optedOut)
  })
})

describe('A notice on an account', () => {
  it('is kept with its moment, or with its arrival where it states none', async () => {
    const gw = await gateway()
    const { notice } = reportsOf(gw)
    assert.deepEqual(right(await gw.receive(notice('a', NOON - HOUR_MS))), ['notice_kept'])
    assert.deepEqual(right(await gw.storage.accountNotices.latest(ACCOUNT)).map(({ value, at }) => [value['event'], at]), [['a', NOON - HOUR_MS]])
    right(await gw.receive(notice('b')))
    assert.deepEqual(right(await gw.storage.accountNotices.latest(ACCOUNT)).map(({ value, at }) => [value['event'], at]), [['b', NOON]])
  })

  it('does not outlast later ones where it is dated in the future', async () => {
    const gw = await gateway()
    const { notice } = reportsOf(gw)
    right(await gw.receive(notice('a', NOON + 1_000 * HOUR_MS)))
    gw.passes(2 * MINUTE_MS)
    right(await gw.receive(notice('b', gw.now())))
    assert.deepEqual(right(await gw.storage.accountNotices.latest(ACCOUNT)).map(({ value }) => value['event']), ['b'])
  })

  it('is acknowledged where no notices are kept, and asked for again where it could not be written', async () => {
    const gw = await gateway()
    const { notice } = reportsOf(gw)
    const { windowClock, senders, messageLog, wallet } = gw.storage
    assert.deepEqual(right(await makeReceive({ windowClock, senders, messageLog, wallet })([notice('a')])), ['notice_dropped'])
    const down = { record: async () => E.left({ _tag: 'PortFailure' as const, port: 'AccountNotices', cause: 'down' }) }
    assert.equal(left(await makeReceive({ windowClock, senders, messageLog, wallet, accountNotices: down })([notice('a')]))._tag, 'PortFailure')
  })
})
