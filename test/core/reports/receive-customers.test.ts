import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { type CustomerId, isForgotten, isUserId, type PhoneNumber, type UserId } from '../../../core/customers/customer.js'
import { findCustomer } from '../../../core/customers/learn.js'
import { makeShowCustomer } from '../../../core/customers/use-cases.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { auditIdOf } from '../../../core/kernel/ids.js'
import { HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { makeListMessages } from '../../../core/messages/message-log.js'
import { makeEraseCustomer, makeRunRetention } from '../../../core/privacy.js'
import { makeReceive, type Report } from '../../../core/reports/receive.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, type Gateway, NOON } from '../gateway.js'

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
  stopped: (stopped: boolean, at: number): Report => ({
    _tag: 'MarketingPreference', phoneNumberId, customer: { userId: ADAS_ID }, stopped, at,
  }),
  notice: (event: string, at?: number): Report => ({
    _tag: 'AccountNotice', accountId: ACCOUNT, field: 'account_update', subject: 'ACCOUNT_RESTRICTION', value: { event },
    ...(at !== undefined && { at }),
  }),
})

const mayWriteTo = async (gw: Gateway, to: CustomerId): Promise<boolean> => E.isRight(await gw.sendText({ to }))
const customerOf = (gw: Gateway, id: CustomerId) => findCustomer(gw.storage.customers, gw.workspace, id).then(rightOf)

describe('A customer who gets other ids', () => {
  it('keeps the window of messages in the same notification, wherever the change is in it', async () => {
    for (const place of [0, 1, 2]) {
      const gw = await gateway({ lastInbound: undefined })
      const { wrote, moved } = reportsOf(gw)
      const messages = [wrote(ADA, ADAS_ID, NOON - HOUR_MS), wrote(undefined, ADAS_ID, NOON - MINUTE_MS)]
      const outcomes = rightOf(await gw.receive(...messages.toSpliced(place, 0, moved(ADAS_ID, NEW_ID, NOON))))
      assert.deepEqual<ReadonlyArray<string>>(outcomes, ['window_marked', 'window_marked'].toSpliced(place, 0, 'customer_learned'))
      assert.isTrue(await mayWriteTo(gw, NEW_ID))
      assert.isFalse(await mayWriteTo(gw, ADA))
    }
  })

  it('keeps it through several changes in one notification', async () => {
    const gw = await gateway({ lastInbound: undefined })
    const { wrote, moved } = reportsOf(gw)
    const last = 'GB.3' as UserId
    rightOf(await gw.receive(moved(ADAS_ID, NEW_ID, NOON - 2), moved(NEW_ID, last, NOON - 1), wrote(ADA, ADAS_ID, NOON - HOUR_MS)))
    assert.isTrue(await mayWriteTo(gw, last))
  })

  it('is not held by a change that is dated in the future', async () => {
    const gw = await gateway({ lastInbound: undefined })
    const { wrote, moved } = reportsOf(gw)
    rightOf(await gw.receive(wrote(ADA, ADAS_ID, NOON - HOUR_MS), moved(ADAS_ID, NEW_ID, NOON + 1_000 * HOUR_MS)))
    assert.isUndefined((await customerOf(gw, ADA)).userId)
    gw.passes(2 * MINUTE_MS)
    rightOf(await gw.receive(wrote(ADA, ADAS_ID, gw.now())))
    assert.equal((await customerOf(gw, ADA)).userId, ADAS_ID)
  })

  it('does not get the old ids back from a message that is dated in the future and delivered again', async () => {
    const gw = await gateway({ lastInbound: undefined })
    const { wrote } = reportsOf(gw)
    const ahead = wrote(ADA, ADAS_ID, NOON + 1_000 * HOUR_MS)
    rightOf(await gw.receive(ahead))
    assert.equal((await customerOf(gw, ADA)).userId, ADAS_ID)
    gw.passes(MINUTE_MS)
    rightOf(await gw.receive(wrote(ADA, NEW_ID, gw.now())))
    gw.passes(MINUTE_MS)
    rightOf(await gw.receive(ahead))
    assert.equal((await customerOf(gw, ADA)).userId, NEW_ID)
  })

  it('keeps the window of a message under the number only if it was written after the number was another customer’s', async () => {
    for (const [later, follows] of [[0, false], [1, true]] as const) {
      for (const before of [{ phoneNumber: ADA, userId: ADAS_ID }, { phoneNumber: ADA }]) {
        const gw = await gateway({ lastInbound: undefined })
        const { wrote } = reportsOf(gw)
        rightOf(await gw.receive(wrote(ADA, 'DE.9' as UserId, NOON - 2 * HOUR_MS)))
        const isPair = before.userId !== undefined
        rightOf(await gw.receive(isPair
          ? { ...gw.status(undefined, 'read'), customer: before, change: { state: 'read', at: NOON - HOUR_MS } }
          : {
              _tag: 'IdsChanged', phoneNumberId: gw.phoneNumberId, before: { phoneNumber: ADA, userId: 'DE.9' as UserId },
              after: { userId: 'DE.9' as UserId }, at: NOON - HOUR_MS,
            }))
        rightOf(await gw.receive(wrote(ADA, undefined, NOON - HOUR_MS + later)))
        rightOf(await gw.receive({
          _tag: 'IdsChanged', phoneNumberId: gw.phoneNumberId, before, after: { phoneNumber: NEW_NUMBER, userId: NEW_ID }, at: NOON,
        }))
        assert.equal(await mayWriteTo(gw, NEW_ID), follows, `${isPair ? 'a pair' : 'a number'}, ${later} ms later`)
      }
    }
  })

  it('takes along what was written under a user id, however long ago', async () => {
    for (const before of [{ userId: ADAS_ID }, { phoneNumber: ADA, userId: ADAS_ID }]) {
      const gw = await gateway({ lastInbound: undefined })
      const { wrote } = reportsOf(gw)
      rightOf(await gw.receive(wrote(before.phoneNumber, ADAS_ID, 0)))
      rightOf(await gw.receive({ _tag: 'IdsChanged', phoneNumberId: gw.phoneNumberId, before, after: { userId: NEW_ID }, at: NOON }))
      assert.deepEqual(rightOf(await gw.storage.windowClock.lastInbound(gw.workspace, NEW_ID)), O.some(0))
    }
  })

  it('gives no window to the person who has the number then', async () => {
    const gw = await gateway({ lastInbound: undefined })
    const { wrote } = reportsOf(gw)
    rightOf(await gw.receive(wrote(ADA, undefined, NOON - 2 * HOUR_MS), wrote(ADA, ADAS_ID, NOON - HOUR_MS)))
    rightOf(await gw.receive({
      _tag: 'IdsChanged', phoneNumberId: gw.phoneNumberId, before: { phoneNumber: ADA, userId: ADAS_ID },
      after: { phoneNumber: NEW_NUMBER, userId: NEW_ID }, at: NOON,
    }))
    assert.isTrue(await mayWriteTo(gw, NEW_NUMBER))
    assert.isFalse(await mayWriteTo(gw, ADA))
    gw.passes(MINUTE_MS)
    rightOf(await gw.receive(wrote(ADA, 'DE.9' as UserId, gw.now())))
    assert.isTrue(await mayWriteTo(gw, ADA))
  })
})

describe('A customer whom the platform knows by another number than the one that is dialled', () => {
  const [DIALLED, OWN, OTHER] = ['2250707123456', '22507123456', '22501020304'] as [PhoneNumber, PhoneNumber, PhoneNumber]
  const isOneCustomer = async (gw: Gateway): Promise<boolean> => (await customerOf(gw, DIALLED)).phoneNumber === OWN
  const stoppedBy = ({ phoneNumberId }: Gateway, phoneNumber: PhoneNumber, at: number): Report =>
    ({ _tag: 'MarketingPreference', phoneNumberId, customer: { phoneNumber }, stopped: true, at })
  /** A gateway that has learned the pair from the answer to a template, and a customer who never wrote. */
  const renumbered = async (): Promise<Gateway> => {
    const gw = await gateway({ lastInbound: undefined })
    gw.willAnswer({ customer: { phoneNumber: OWN }, dialled: DIALLED })
    rightOf(await gw.sendTemplate({ to: DIALLED }))
    return gw
  }

  it('is known from the answer to a send, and from a status of our own message alone', async () => {
    assert.isTrue(await isOneCustomer(await renumbered()))
    const gw = await gateway({ lastInbound: undefined })
    const { id } = rightOf(await gw.sendTemplate({ to: DIALLED }))
    rightOf(await gw.receive(gw.status(undefined, 'delivered', { to: OWN })))
    assert.isFalse(await isOneCustomer(gw), 'a message of another program')
    rightOf(await gw.receive(gw.status(id, 'delivered', { to: OWN })))
    assert.isTrue(await isOneCustomer(gw))
  })

  it('is another customer again once a customer writes under the dialled number, or an answer names it, and no late report changes that', async () => {
    for (const endsWith of ['a message', 'an answer']) {
      const gw = await renumbered()
      gw.passes(HOUR_MS)
      const late = gw.status((await gw.messages())[0]?.id, 'delivered', { to: OWN })
      gw.passes(MINUTE_MS)
      const { wrote } = reportsOf(gw)
      if (endsWith === 'a message') rightOf(await gw.receive(wrote(DIALLED, undefined, gw.now())))
      else {
        gw.willAnswer({ customer: { phoneNumber: DIALLED }, dialled: DIALLED })
        rightOf(await gw.sendTemplate({ to: DIALLED }))
      }
      assert.isFalse(await isOneCustomer(gw), endsWith)
      rightOf(await gw.receive(late))
      assert.isFalse(await isOneCustomer(gw), `${endsWith}, and a late report`)
    }
  })

  it('stays so if the answer to a free-form message confirms the dialled number, and an older report of a third number comes after it', async () => {
    const gw = await renumbered()
    const { wrote } = reportsOf(gw)
    gw.passes(MINUTE_MS)
    rightOf(await gw.receive(wrote(DIALLED, undefined, gw.now())))
    gw.passes(HOUR_MS)
    const late = gw.status((await gw.messages())[0]?.id, 'read', { to: OTHER })
    gw.passes(HOUR_MS)
    gw.willAnswer({ customer: { phoneNumber: DIALLED }, dialled: DIALLED })
    rightOf(await gw.sendText({ to: DIALLED }))
    rightOf(await gw.receive(late))
    assert.equal((await customerOf(gw, DIALLED)).phoneNumber, DIALLED)
  })

  it('has one window, which a message under the platform\'s number opens, and the dialled number is dialled', async () => {
    const gw = await renumbered()
    assert.isFalse(await mayWriteTo(gw, DIALLED))
    const { wrote } = reportsOf(gw)
    rightOf(await gw.receive(wrote(OWN, undefined, NOON - HOUR_MS)))
    assert.isTrue(await mayWriteTo(gw, DIALLED))
    assert.equal(gw.sent.at(-1)?.message.to, DIALLED)
    assert.isTrue(await mayWriteTo(gw, OWN))
    assert.isFalse(await mayWriteTo(gw, OTHER))
    gw.passes(23 * HOUR_MS)
    assert.isFalse(await mayWriteTo(gw, DIALLED), 'it ends after 24 hours')
  })

  it('gets no marketing message under either number after stopping them under one', async () => {
    for (const number of [OWN, DIALLED]) {
      const gw = await renumbered()
      gw.passes(MINUTE_MS)
      rightOf(await gw.receive(stoppedBy(gw, number, gw.now())))
      for (const to of [DIALLED, OWN]) assert.equal(leftOf(await gw.sendTemplate({ to }))._tag, 'CustomerOptedOut', `${number} has stopped, and ${to} is dialled`)
      assert.equal((await gw.sendTemplate({ to: OTHER }))._tag, 'Right')
    }
  })

  it('is listed with every message, whichever number is asked for', async () => {
    const gw = await renumbered()
    const own = rightOf(await gw.sendTemplate({ to: OWN })).id
    rightOf(await gw.sendTemplate({ to: OTHER }))
    rightOf(await gw.receive(reportsOf(gw).wrote(OWN, undefined, NOON)))
    for (const to of [DIALLED, OWN]) {
      const listed = rightOf(await makeListMessages(gw.deps)(gw.workspace, { to, limit: 10 })).items
      assert.sameDeepMembers(listed.map((message): [string, string] => [message.id, message.to]), [
        [own, OWN], [(await gw.messages())[0]?.id ?? '', DIALLED],
      ])
      const shown = O.toUndefined(rightOf(await makeShowCustomer(gw.deps)(gw.workspace, to)))
      assert.deepEqual([shown?.phoneNumber, shown && O.toUndefined(shown.lastInbound)], [OWN, NOON])
    }
  })

  it('is erased by either number: the records of both, the window, and the number of every message', async () => {
    for (const customer of [DIALLED, OWN]) {
      const gw = await renumbered()
      rightOf(await gw.receive(reportsOf(gw).wrote(OWN, undefined, NOON), stoppedBy(gw, OWN, NOON)))
      const erase = makeEraseCustomer({
        ...gw.deps, audit: { auditLog: gw.storage.auditLog, newAuditId: () => auditIdOf(uuidv7()), now: gw.now },
      })
      assert.deepInclude(rightOf(await erase({ by: SYSTEM, workspace: gw.workspace, customer })), { messages: 1, customers: 2, windows: 1 })
      assert.isFalse(await isOneCustomer(gw))
      for (const number of [DIALLED, OWN]) {
        assert.isTrue(O.isNone(rightOf(await makeShowCustomer(gw.deps)(gw.workspace, number))))
        assert.isEmpty(rightOf(await makeListMessages(gw.deps)(gw.workspace, { to: number, limit: 10 })).items)
      }
      for (const { to } of await gw.messages()) assert.isTrue(isForgotten(to))
    }
  })

  it('is forgotten when neither number was seen for long, and not while a message under the platform\'s number is younger', async () => {
    const forget = (gw: Gateway) => makeRunRetention(gw.deps)({ before: gw.now() - 24 * HOUR_MS })
    for (const hasWritten of [false, true]) {
      const gw = await renumbered()
      gw.passes(48 * HOUR_MS)
      if (hasWritten) rightOf(await gw.receive(reportsOf(gw).wrote(OWN, undefined, gw.now() - HOUR_MS)))
      rightOf(await forget(gw))
      assert.equal(await isOneCustomer(gw), hasWritten)
    }
  })

  it('is remembered without end after stopping marketing messages under the platform\'s number', async () => {
    const gw = await renumbered()
    rightOf(await gw.receive(stoppedBy(gw, OWN, NOON)))
    gw.passes(1_000 * HOUR_MS)
    rightOf(await makeRunRetention(gw.deps)({ before: gw.now() - HOUR_MS }))
    assert.equal(leftOf(await gw.sendTemplate({ to: DIALLED }))._tag, 'CustomerOptedOut')
  })
})

describe('Reports that contradict each other in one notification', () => {
  it('open the window of each customer who wrote and of no other, in whatever order they come', async () => {
    for (const turned of [false, true]) {
      const gw = await gateway({ lastInbound: undefined })
      const { wrote } = reportsOf(gw)
      const reports = [wrote(ADA, ADAS_ID, NOON - HOUR_MS), wrote(ADA, NEW_ID, NOON - HOUR_MS)]
      rightOf(await gw.receive(...(turned ? reports.toReversed() : reports)))
      const { userId } = await customerOf(gw, ADA)
      assert.equal(userId, NEW_ID, 'of two in one moment the greater id')
      for (const id of [ADAS_ID, NEW_ID]) assert.isTrue(await mayWriteTo(gw, id))
      assert.isUndefined((await customerOf(gw, ADAS_ID)).phoneNumber)
    }
  })

  it('are at most one if the same pair is reported a thousand times', async () => {
    const gw = await gateway({ lastInbound: undefined })
    const { wrote } = reportsOf(gw)
    assert.lengthOf(rightOf(await gw.receive(...Array.from({ length: 1_000 }, (_, index) => wrote(ADA, ADAS_ID, NOON - index)))), 1_000)
    const { phoneNumber, userId, numberSince } = await customerOf(gw, ADA)
    assert.deepEqual({ phoneNumber, userId, numberSince }, { phoneNumber: ADA, userId: ADAS_ID, numberSince: undefined })
    assert.isTrue(isUserId(ADAS_ID) && (await mayWriteTo(gw, ADAS_ID)))
  })
})

describe('The recipient whom a status names', () => {
  it('is kept as the number by which the platform knows the customer, if the message went to a phone number', async () => {
    const gw = await gateway()
    rightOf(await gw.receive({ ...gw.status(rightOf(await gw.sendText()).id, 'delivered'), to: ADA }))
    assert.equal((await customerOf(gw, CUSTOMER)).phoneNumber, ADA)
  })
})

describe('A preference of a customer', () => {
  it('is not held by one that is dated in the future', async () => {
    const gw = await gateway()
    const { stopped } = reportsOf(gw)
    rightOf(await gw.receive(stopped(true, NOON + 1_000 * HOUR_MS)))
    assert.isTrue((await customerOf(gw, ADAS_ID)).optedOut)
    gw.passes(2 * MINUTE_MS)
    rightOf(await gw.receive(stopped(false, gw.now())))
    assert.isFalse((await customerOf(gw, ADAS_ID)).optedOut)
  })
})

describe('A notice on an account', () => {
  it('is kept with its moment, or with its arrival if it states none', async () => {
    const gw = await gateway()
    const { notice } = reportsOf(gw)
    assert.deepEqual(rightOf(await gw.receive(notice('a', NOON - HOUR_MS))), ['notice_kept'])
    assert.deepEqual(
      rightOf(await gw.storage.accountNotices.latest(ACCOUNT)).map(({ value, at }) => [value['event'], at]), [['a', NOON - HOUR_MS]],
    )
    rightOf(await gw.receive(notice('b')))
    assert.deepEqual(rightOf(await gw.storage.accountNotices.latest(ACCOUNT)).map(({ value, at }) => [value['event'], at]), [['b', NOON]])
  })

  it('does not outlast later ones if it is dated in the future', async () => {
    const gw = await gateway()
    const { notice } = reportsOf(gw)
    rightOf(await gw.receive(notice('a', NOON + 1_000 * HOUR_MS)))
    gw.passes(2 * MINUTE_MS)
    rightOf(await gw.receive(notice('b', gw.now())))
    assert.deepEqual(rightOf(await gw.storage.accountNotices.latest(ACCOUNT)).map(({ value }) => value['event']), ['b'])
  })

  it('is acknowledged if no notices are kept, and asked for again if it could not be written', async () => {
    const gw = await gateway()
    const { notice } = reportsOf(gw)
    const { windowClock, senders, messageLog, wallet } = gw.storage
    assert.deepEqual(rightOf(await makeReceive({ windowClock, senders, messageLog, wallet })([notice('a')])), ['notice_dropped'])
    const down = { record: async () => E.left({ _tag: 'PortFailure' as const, port: 'AccountNotices', cause: 'down' }) }
    assert.equal(
      leftOf(await makeReceive({ windowClock, senders, messageLog, wallet, accountNotices: down })([notice('a')]))._tag, 'PortFailure',
    )
  })
})
