import * as O from 'fp-ts/lib/Option.js'
import { type CustomerId, customerOf, type PhoneNumber, type UserId } from '../../core/customers/customer.js'
import { lastInboundOf } from '../../core/customers/window.js'
import { type InboxId, isWorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import type { MessageQueue } from '../../core/messages/queue.js'
import { inboxOf, type SenderId } from '../../core/senders/sender.js'
import { done, refused, same } from './expect.js'
import { newPhoneNumber, newUserId, times } from './ids.js'
import type { Law } from './law.js'
import { accepted, DAY, openPeople, type PersonalDataFixture, text } from './personal-data-fixture.js'
import { newSender, NOON, type SendersFixture } from './senders-fixture.js'

/** The senders, and the data about messages and customers over the same storage. */
export type SenderDataFixture = PersonalDataFixture & SendersFixture

/** A workspace with two senders. */
const openTwo = async (fixture: SenderDataFixture) => {
  const people = await openPeople(fixture)
  const { workspace } = people
  const ids = times(2, newSender).map((sender) => ({ ...sender }))
  for (const sender of ids) await done('a sender is added', fixture.senders.assign(workspace, sender))
  const listed = await done('the senders are listed', fixture.senders.sendersOf(workspace))
  const [first, second] = ids.map(({ phoneNumberId }) => {
    const sender = listed.find((one) => one.phoneNumberId === phoneNumberId)
    return { sender: phoneNumberId, inbox: inboxOf(workspace, sender) }
  }) as [{ sender: SenderId; inbox: InboxId }, { sender: SenderId; inbox: InboxId }]
  return { ...people, first, second }
}

const lastInbound = async (fixture: SenderDataFixture, inbox: InboxId, ...[id]: [Parameters<typeof lastInboundOf>[2]]) =>
  O.toUndefined(await done('a window is read', lastInboundOf(fixture, inbox, id)))

/** The promises of `Senders` over the same storage as the messages and the customers. */
export const senderDataLaws: ReadonlyArray<Law<SenderDataFixture>> = [
  {
    name: 'a message has its sender, and is listed with those of its sender',
    check: async (fixture) => {
      const { workspace, opened, first, second } = await openTwo(fixture)
      const [old, one, other] = [
        await opened(), await opened({ sender: first.sender }), await opened({ sender: second.sender }),
      ]
      const found = await done('a message is found', fixture.messageLog.find(workspace, { id: other.id }))
      same('its sender', O.toUndefined(found)?.sender, second.sender)
      const listed = async (ids: ReadonlyArray<SenderId>, orNone: boolean) =>
        (await done('messages are listed', fixture.messageLog.list(workspace, { sender: { ids, orNone }, limit: 10 })))
          .items.map(({ id }) => id)
      same('of one sender', await listed([second.sender], false), [other.id])
      same('with those that name none', [...(await listed([first.sender], true))].sort(), [old.id, one.id].sort())
      same('of both', (await listed([first.sender, second.sender], false)).length, 2)
    },
  },
  {
    name: 'what is recorded in one inbox counts for no other',
    check: async (fixture) => {
      const { first, second } = await openTwo(fixture)
      const [phoneNumber, userId] = [newPhoneNumber(), newUserId()]
      await done('a customer writes', fixture.windowClock.recordInbound(second.inbox, { phoneNumber }, NOON))
      for (const [id, other] of [[phoneNumber, userId], [userId, phoneNumber]] as const) {
        await done('a pair is learned', fixture.customers.learn(second.inbox, id, { _tag: 'Paired', other, at: NOON }))
      }
      same('to the one', await lastInbound(fixture, second.inbox, userId), NOON)
      same('to the other', await lastInbound(fixture, first.inbox, phoneNumber), undefined)
      const known = await done('a customer is found', fixture.customers.find(first.inbox, userId))
      same('the pair is not known there', customerOf(userId, known).phoneNumber, undefined)
    },
  },
  {
    name: 'a sender whose messages are under way is neither removed nor replaced, and the answer says how many',
    check: async (fixture) => {
      const { workspace, opened, apply, first, second } = await openTwo(fixture)
      const open = [await opened({ sender: second.sender }), await opened({ sender: second.sender })]
      await opened({ sender: first.sender })
      const of = { workspace, sender: second.sender }
      const inUse = await refused('it is removed', 'SenderInUse', fixture.senders.remove(of))
      same('how many', inUse, { _tag: 'SenderInUse', count: 2 })
      await refused('it is replaced', 'SenderInUse', fixture.senders.replace(of, newSender(), NOON))
      for (const { id } of open) await apply(id, accepted(NOON))
      await done('it is removed', fixture.senders.remove(of))
      // The first sender also has the messages of an earlier version, which name none.
      const own = isWorkspaceId(first.inbox) ? first : second
      await opened()
      const isOwn = await refused('the first is removed', 'SenderInUse', fixture.senders.remove({ workspace, sender: own.sender }))
      same('those without a sender', isOwn, {
        _tag: 'SenderInUse', count: 2,
      })
    },
  },
  {
    name: 'of a number that moves, what was recorded for numbers stays, and what was recorded for user ids is gone',
    check: async (fixture) => {
      const { workspace, second: { sender, inbox }, first } = await openTwo(fixture)
      const [alone, phoneNumber, userId, stranger] = [newPhoneNumber(), newPhoneNumber(), newUserId(), newUserId()]
      const wrote = (at: number, ids: Parameters<typeof fixture.windowClock.recordInbound>[1], to: InboxId = inbox) =>
        done('a customer writes', fixture.windowClock.recordInbound(to, ids, at))
      for (const [id, other] of [[phoneNumber, userId], [userId, phoneNumber]] as const) {
        await done('a pair is learned', fixture.customers.learn(inbox, id, { _tag: 'Paired', other, at: NOON }))
      }
      await wrote(NOON, { phoneNumber: alone })
      await wrote(NOON + 1, { phoneNumber, userId })
      await wrote(NOON + 2, { userId })
      await wrote(NOON + 3, { userId: stranger })
      await wrote(NOON + 4, { userId: stranger }, first.inbox)
      await done('the customer stops', fixture.customers.learn(inbox, userId, { _tag: 'MarketingStopped', at: NOON + 5 }))
      await done('the number moves', fixture.senders.replace({ workspace, sender }, newSender(), NOON + 10))
      same('a number that wrote', await lastInbound(fixture, inbox, alone), NOON)
      same('a number whose user id wrote', await lastInbound(fixture, inbox, phoneNumber), NOON + 2)
      for (const id of [userId, stranger]) same('a user id', await lastInbound(fixture, inbox, id), undefined)
      const number = customerOf(phoneNumber, await done('a customer is found', fixture.customers.find(inbox, phoneNumber)))
      same('the number has no user id', number.userId, undefined)
      same('who stopped has stopped', number.optedOut, true)
      same('the other sender keeps its user ids', await lastInbound(fixture, first.inbox, stranger), NOON + 4)
    },
  },
  {
    name: 'a number that moves keeps what its present user id did, and nothing of a user id that had the number before',
    check: async (fixture) => {
      const { workspace, second: { sender, inbox } } = await openTwo(fixture)
      const [one, another] = times(2, newPhoneNumber) as [PhoneNumber, PhoneNumber]
      const people = await Promise.all([one, another].map(async (phoneNumber) => {
        const [before, present] = times(2, newUserId) as [UserId, UserId]
        for (const [userId, at] of [[before, NOON], [present, NOON + 2]] as const) {
          await done('a customer writes', fixture.windowClock.recordInbound(inbox, { phoneNumber, userId }, at))
          await done('a pair is learned', fixture.customers.learn(inbox, phoneNumber, { _tag: 'Paired', other: userId, at }))
          await done('a pair is learned', fixture.customers.learn(inbox, userId, { _tag: 'Paired', other: phoneNumber, at }))
        }
        return { phoneNumber, before }
      }))
      const former = people[1]?.before
      await done('the person before writes', fixture.windowClock.recordInbound(inbox, { userId: former }, NOON + 4))
      if (former !== undefined) await done('and stops', fixture.customers.learn(inbox, former, { _tag: 'MarketingStopped', at: NOON + 5 }))
      await done('the number moves', fixture.senders.replace({ workspace, sender }, newSender(), NOON + 10))
      for (const { phoneNumber } of people) same('a number', await lastInbound(fixture, inbox, phoneNumber), NOON + 2)
      const number = customerOf(another, await done('a customer is found', fixture.customers.find(inbox, another)))
      same('it has stopped nothing', number.optedOut, false)
    },
  },
  {
    name: 'a person is erased in every inbox of the workspace',
    check: async (fixture) => {
      const { workspace, first, second } = await openTwo(fixture)
      const phoneNumber = newPhoneNumber()
      for (const { inbox } of [first, second]) {
        await done('a customer writes', fixture.windowClock.recordInbound(inbox, { phoneNumber }, NOON))
        await done('a name is learned', fixture.customers.learn(inbox, phoneNumber, { _tag: 'Named', name: 'Ana', at: NOON }))
      }
      const erased = await done('a person is erased', fixture.personalData.erase(workspace, [{ phoneNumber }]))
      same('what was found', [erased.customers, erased.windows], [2, 2])
      for (const { inbox } of [first, second]) {
        same('nothing is left', await lastInbound(fixture, inbox, phoneNumber), undefined)
        same('no name', (await done('a record is read', fixture.customers.find(inbox, phoneNumber))).own.name, undefined)
      }
    },
  },
]

/** The senders, their queue, and the data about messages and customers over the same storage. */
export type QueuedSendersFixture = SenderDataFixture & { readonly messageQueue: MessageQueue }

/** Two senders of a workspace, one of which has queued messages to a number and to a user id. */
const openQueued = async (fixture: QueuedSendersFixture) => {
  const { workspace, opened, found, first: other, second: { sender } } = await openTwo(fixture)
  const queued = (through: SenderId, to: CustomerId, dueAt = LATER) =>
    opened({ sender: through, message: text(to), queue: { dueAt, endsAt: LATER + DAY } })
  const [toNumber, toUserId] = [await queued(sender, newPhoneNumber()), await queued(sender, newUserId())]
  const ofOther = await queued(other.sender, newPhoneNumber())
  return {
    workspace, sender, other: other.sender, queued, toNumber, toUserId, ofOther, found,
    replace: async (by = newSender()) => {
      await done('it is replaced', fixture.senders.replace({ workspace, sender }, by, NOON))
      return by.phoneNumberId
    },
    due: async (of: SenderId, at: Instant) => (await done(
      'what is due is read', fixture.messageQueue.due({ workspace, sender: of, at, limit: 9 }),
    )).map(({ record, message, place: { dueAt } }) => ({ id: record.id, through: record.sender, to: message.to, dueAt })),
  }
}

const LATER = NOON + DAY

/** The promises of `Senders` over the same storage as a queue of messages. */
export const queuedSendersLaws: ReadonlyArray<Law<QueuedSendersFixture>> = [
  {
    name: 'what a sender has queued for numbers is queued for the new id of a number that moves, at its time, and nothing else is',
    check: async (fixture) => {
      const { replace, due, other, toNumber, ofOther, found } = await openQueued(fixture)
      const now = await replace()
      same('before its time', await due(now, LATER - 1), [])
      same('at its time', await due(now, LATER), [{ id: toNumber.id, through: now, to: toNumber.message.to, dueAt: LATER }])
      same('its record', (await found(toNumber.id))?.sender, now)
      same('of the other sender', (await due(other, LATER)).map(({ id, through }) => [id, through]), [[ofOther.id, other]])
    },
  },
  {
    name: 'what a sender has queued for user ids keeps the former id of a number that moves, and is due immediately',
    check: async (fixture) => {
      const { replace, due, sender, toUserId } = await openQueued(fixture)
      await replace()
      same('of the former id', await due(sender, NOON), [{ id: toUserId.id, through: sender, to: toUserId.message.to, dueAt: NOON }])
    },
  },
  {
    name: 'what is queued for a former id after the number moved is moved later as what was queued before, and nothing is moved from another id',
    check: async (fixture) => {
      const { replace, due, queued, workspace, sender, other, found } = await openQueued(fixture)
      await replace()
      const [toNumber, toUserId] = [await queued(sender, newPhoneNumber()), await queued(sender, newUserId())]
      const moveLate = (of: SenderId, at = NOON) => done('it is moved', fixture.senders.moveLate({ workspace, sender: of }, at))
      const before = (await due(other, LATER)).length
      same('of a sender', await moveLate(other), false)
      same('of an unknown one', await moveLate(newSender().phoneNumberId), false)
      const by = newSender()
      const [first] = await done('the senders', fixture.senders.sendersOf(workspace)).then((all) =>
        all.flatMap(({ phoneNumberId }) => (phoneNumberId === other ? [] : [phoneNumberId])))
      if (first === undefined) throw new Error('the sender is gone')
      await done('it moves again', fixture.senders.replace({ workspace, sender: first }, by, NOON))
      same('of the former id', [await moveLate(sender), await moveLate(sender, NOON + 1)], [true, true])
      same('its record', (await found(toNumber.id))?.sender, by.phoneNumberId)
      const moved = (await due(by.phoneNumberId, LATER)).find(({ id }) => id === toNumber.id)
      same('of the new id', moved, { id: toNumber.id, through: by.phoneNumberId, to: toNumber.message.to, dueAt: LATER })
      same('for user ids', (await due(sender, NOON)).filter(({ id }) => id === toUserId.id).length, 1)
      same('of the other sender', (await due(other, LATER)).length, before)
    },
  },
  {
    name: 'a queued message whose sender was replaced is not claimed for the former one',
    check: async (fixture) => {
      const { messageQueue } = fixture
      const { replace, workspace, sender, toNumber, found } = await openQueued(fixture)
      const of = { workspace, message: toNumber.id }
      const now = await replace()
      same('for the former one', await done('a claim', messageQueue.claim({ ...of, sender }, LATER)), false)
      same('its state', (await found(toNumber.id))?.state, 'queued')
      same('for the new one', await done('a claim', messageQueue.claim({ ...of, sender: now }, LATER)), true)
    },
  },
  {
    name: 'a sender with queued messages is not removed, and not replaced under the same id while some are for user ids',
    check: async (fixture) => {
      const { replace, workspace, sender, toUserId, due } = await openQueued(fixture)
      const of = { workspace, sender }
      const removed = await refused('it is removed', 'SenderInUse', fixture.senders.remove(of))
      same('removed', removed, { _tag: 'SenderInUse', count: 2 })
      const again = { ...newSender(), phoneNumberId: sender }
      const replaced = await refused('it is replaced', 'SenderInUse', fixture.senders.replace(of, again, NOON))
      same('replaced', replaced, { _tag: 'SenderInUse', count: 1 })
      await done('one is claimed', fixture.messageQueue.claim({ workspace, message: toUserId.id }, NOON))
      await done('and ends', fixture.messageLog.apply(workspace, toUserId.id, { state: 'refused', at: NOON }))
      await replace(again)
      same('what is queued', (await due(sender, LATER)).length, 1)
    },
  },
]
