import * as E from 'fp-ts/lib/Either.js'
import { recordKeyOf } from '../../core/customers/customer.js'
import { FORGOTTEN_PLATFORM_ID, type MessageId } from '../../core/messages/message.js'
import { addedEndpoint, allEvents, newAttempt, newEvent, positionOf, progressOf, stored } from './event-fixture.js'
import { done, holds, refused, same } from './expect.js'
import { GARBAGE_CURSORS, longAgo, newName, newPhoneNumber, newPlatformId, newUserId, times } from './ids.js'
import type { Law } from './law.js'
import { newKey } from './message-fixture.js'
import {
  accepted, DAY, digestOf, failed, forgetAll, isKnown, newVariants, openPeople, type PersonalDataFixture, staying, sum, text,
} from './personal-data-fixture.js'

export type { PersonalDataFixture } from './personal-data-fixture.js'

/** The promises of every `PersonalData`. */
export const personalDataLaws: ReadonlyArray<Law<PersonalDataFixture>> = [
  {
    name: 'a digest is the same for every variant of a number, another one in each workspace, and does not show the id',
    check: async (fixture) => {
      const [{ workspace }, { workspace: other }] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const [number, variant] = newVariants()
      const digest = await digestOf(fixture, workspace, number)
      holds('a digest has its form', /^forgotten\.[0-9a-f]{32}$/.test(digest), digest)
      same('the digest once more', await digestOf(fixture, workspace, number), digest)
      same('the digest of another variant', await digestOf(fixture, workspace, variant), digest)
      const others = [
        await digestOf(fixture, other, number), await digestOf(fixture, workspace, newPhoneNumber()),
        await digestOf(fixture, workspace, newUserId()),
      ]
      same('the digests that are equal', new Set([digest, ...others]).size, 4)
      holds('a digest does not show the number', !digest.includes(number), digest)
    },
  },
  {
    name: 'an old message loses its person, and keeps its price, its state and its history',
    check: async (fixture) => {
      const at = longAgo()
      const { workspace, sent, found } = await openPeople(fixture)
      const number = newPhoneNumber()
      const [old, recent] = [
        await sent(number, at, accepted(at + 1), failed(at + 2, number)), await sent(number, at + DAY, accepted(at + DAY)),
      ]
      const [oldBefore, recentBefore] = [await found(old), await found(recent)]
      await forgetAll(fixture, at + 1)
      const after = await found(old)
      same('the recipient', after?.to, await digestOf(fixture, workspace, number))
      same("the platform's id", after?.platformId, FORGOTTEN_PLATFORM_ID)
      same('the error', after?.error, { code: 131_026 })
      same('what the application noted', after?.metadata, undefined)
      same('the trace of its send', after?.trace, undefined)
      same('everything else', after && staying(after), oldBefore && staying(oldBefore))
      same('a message that is not so old', await found(recent), recentBefore)
      same(
        'the messages to the number',
        (await done(
          'messages are listed', fixture.messageLog.list(workspace, { limit: 10, to: [{ id: number }] }),
        )).items.map(({ id }) => id),
        [recent],
      )
    },
  },
  {
    name: 'a message whose outcome is unknown is never forgotten',
    check: async (fixture) => {
      const at = longAgo()
      const { sent, found } = await openPeople(fixture)
      const [pending, unconfirmed] = [await sent(newPhoneNumber(), at), await sent(newPhoneNumber(), at, { state: 'unconfirmed', at })]
      const before = [await found(pending), await found(unconfirmed)]
      await forgetAll(fixture, at + DAY)
      same('both messages', [await found(pending), await found(unconfirmed)], before)
    },
  },
  {
    name: 'each step looks at no more than its limit, and a second pass forgets nothing',
    check: async (fixture) => {
      const at = longAgo()
      const { sent, wrote, learn, found } = await openPeople(fixture)
      const numbers = times(5, newPhoneNumber)
      const messages: Array<MessageId> = []
      for (const number of numbers) {
        messages.push(await sent(number, at, accepted(at)))
        await wrote({ phoneNumber: number }, at)
        await learn(number, { _tag: 'Named', name: 'Ana', at })
      }
      const steps = await forgetAll(fixture, at + 1, 2)
      for (const { forgotten } of steps) {
        holds('a step forgets at most two', forgotten.messages + forgotten.customers + forgotten.windows <= 2, forgotten)
      }
      for (const kind of ['messages', 'customers', 'windows'] as const) {
        holds(`the ${kind} that were forgotten are counted`, sum(steps, kind) >= 5, steps.length)
      }
      const records = await Promise.all(messages.map(found))
      holds('every message is forgotten', records.every((record) => record?.platformId === FORGOTTEN_PLATFORM_ID), records)
      const again = await forgetAll(fixture, at + 1)
      for (const kind of ['messages', 'customers', 'windows'] as const) same(`the ${kind} of a second pass`, sum(again, kind), 0)
      same('the messages after a second pass', await Promise.all(messages.map(found)), records)
    },
  },
  {
    name: 'customers and windows that were not seen since are forgotten, and those that were are kept',
    check: async (fixture) => {
      const at = longAgo()
      const { workspace, wrote, learn, record, lastInbound } = await openPeople(fixture)
      const [[variant, gone], wroteSince, named, userId] = [newVariants(), newPhoneNumber(), newPhoneNumber(), newUserId()]
      for (const id of [gone, wroteSince, named, userId]) await learn(id, { _tag: 'Named', name: 'Ana', at })
      await learn(gone, { _tag: 'Paired', other: newUserId(), at })
      await wrote({ phoneNumber: gone }, at)
      await wrote({ phoneNumber: wroteSince }, at + DAY)
      await learn(named, { _tag: 'Named', name: 'Bea', at: at + DAY })
      const partner = newPhoneNumber()
      await learn(userId, { _tag: 'Paired', other: partner, at })
      await wrote({ phoneNumber: partner }, at + DAY)
      await forgetAll(fixture, at + 1)
      same('a customer who was not seen', isKnown(await record(variant)), false)
      same('the window of a customer who did not write', await lastInbound(gone), undefined)
      same('a customer who wrote since', [(await record(wroteSince)).name, await lastInbound(wroteSince)], ['Ana', at + DAY])
      same('a customer of whom something was reported since', (await record(named)).name, 'Bea')
      if (fixture.customers.named !== undefined) {
        const found = await done('customers are looked for', fixture.customers.named([workspace], 'ana', 10))
        same('who is found by name', found.customers.map(({ id }) => id).sort(), [recordKeyOf(wroteSince), userId].sort())
      }
      same('a customer who wrote since under the other id', (await record(userId)).name, 'Ana')
    },
  },
  {
    name: 'a customer who stopped marketing messages is kept without a name',
    check: async (fixture) => {
      const at = longAgo()
      const { workspace, learn, record } = await openPeople(fixture)
      const [stopped, resumed, other] = [newPhoneNumber(), newPhoneNumber(), newUserId()]
      await learn(
        stopped, { _tag: 'Paired', other, at }, { _tag: 'Named', name: 'Ana', username: 'ana', at }, { _tag: 'MarketingStopped', at },
      )
      await learn(resumed, { _tag: 'MarketingStopped', at }, { _tag: 'MarketingResumed', at: at + 1 })
      await forgetAll(fixture, at + 2)
      const named = await fixture.customers.named?.([workspace], 'ana', 10)
      same('who is found by name', named, named && E.right({ customers: [], isComplete: true }))
      const after = await record(stopped)
      same('what is known of the customer', [after.optedOut, after.other, after.name, after.username], [true, other, undefined, undefined])
      same('a customer who resumed them', isKnown(await record(resumed)), false)
      const [number, userId, dialled] = [newPhoneNumber(), newUserId(), newPhoneNumber()]
      await learn(number, { _tag: 'Paired', other: userId, at }, { _tag: 'Named', name: 'Bea', at })
      await learn(userId, { _tag: 'Paired', other: number, at }, { _tag: 'MarketingStopped', at })
      await learn(dialled, { _tag: 'KnownAs', number, at }, { _tag: 'Named', name: 'Bea', at })
      await forgetAll(fixture, at + 2)
      const pair = await record(number)
      same('the other id of a customer who stopped them under one', [pair.other, pair.name], [userId, undefined])
      const leading = await record(dialled)
      same('a number that is dialled for this customer', [leading.knownAs, leading.name], [number, undefined])
    },
  },
  {
    name: 'a report on a forgotten message moves its state, and brings nothing of the person back',
    check: async (fixture) => {
      const at = longAgo()
      const { workspace, sent, apply, found } = await openPeople(fixture)
      const number = newPhoneNumber()
      const [message, reported] = [await sent(number, at, accepted(at)), newPlatformId()]
      await forgetAll(fixture, at + 1)
      same('the state after a report', await apply(message, { ...failed(at + DAY, number), platformId: reported }), 'failed')
      const after = await found(message)
      same('what is known of the recipient', [after?.to, after?.platformId, after?.error], [
        await digestOf(fixture, workspace, number), FORGOTTEN_PLATFORM_ID, { code: 131_026 },
      ])
    },
  },
  {
    name: 'an unknown cursor begins at the beginning and never fails',
    check: async (fixture) => {
      const at = longAgo()
      const { sent, found } = await openPeople(fixture)
      for (const cursor of GARBAGE_CURSORS) {
        await done('a step with an unknown cursor', fixture.personalData.forgetBefore({ before: at, limit: 1, cursor }))
      }
      const message = await sent(newPhoneNumber(), at, accepted(at))
      await done('a step with an unknown cursor', fixture.personalData.forgetBefore({ before: at + 1, limit: 100_000, cursor: '{"a":1}' }))
      same("the platform's id", (await found(message))?.platformId, FORGOTTEN_PLATFORM_ID)
    },
  },
  {
    name: 'erasing takes a person out of everything, under every id and variant',
    check: async (fixture) => {
      const at = longAgo()
      const { workspace, sent, wrote, learn, record, lastInbound, found, erase } = await openPeople(fixture)
      const [[number, variant], userId] = [newVariants(), newUserId()]
      const messages = [
        await sent(number, at, accepted(at)), await sent(variant, at, accepted(at), failed(at, variant)),
        await sent(userId, at, accepted(at)),
      ]
      await learn(number, { _tag: 'Paired', other: userId, at }, { _tag: 'Named', name: 'Ana', at }, { _tag: 'MarketingStopped', at })
      await learn(userId, { _tag: 'Paired', other: number, at })
      await wrote({ phoneNumber: variant, userId }, at)
      await wrote({ phoneNumber: number }, at)
      const stale = newUserId()
      await learn(stale, { _tag: 'Paired', other: variant, at: at - DAY })
      const endpoint = await addedEndpoint(fixture, workspace)
      const from = (await positionOf(fixture, endpoint)) ?? 0
      const events = await stored(
        fixture, workspace,
        { type: 'message.received', subject: userId, data: { from: { phone_number: variant } }, content: { content: { body: 'Hello' } } },
        { subject: messages[0] ?? '', data: { to: number } }, { type: 'window.opened', subject: variant, data: {} },
        { subject: newName(), data: { to: userId } },
        // The message of another customer quotes the person.
        {
          type: 'message.received', subject: newPhoneNumber(), data: {}, content: { content: { body: 'Hello' }, context: { from: number } },
        },
      )
      const [first, last] = [events[0], events.at(-1)]
      if (first !== undefined && last !== undefined) {
        await done('a failed attempt is noted', fixture.eventDeliveries.record(progressOf(endpoint, from, {
          to: last.position, attempts: [newAttempt(endpoint, first, { delivered: false, answer: `no ${variant}` })],
          retry: [{ event: first.id, attempts: 1, firstAttemptAt: at, at: at + DAY }],
        })))
      }
      const erased = await erase({ phoneNumber: number, userId })
      same('the messages and events that were found', [erased.messages, erased.events], [3, 5])
      const digests: ReadonlyArray<string> = [
        await digestOf(fixture, workspace, number), await digestOf(fixture, workspace, variant), await digestOf(fixture, workspace, userId),
      ]
      same('the recipients', (await Promise.all(messages.map(found))).map((message) => String(message?.to)), digests)
      same('what is known of the ids', (await Promise.all([number, variant, userId].map(record))).map(isKnown), [false, false, false])
      const named = await fixture.customers.named?.([workspace], 'ana', 10)
      same('who is found by name', named, named && E.right({ customers: [], isComplete: true }))
      same('the windows', await Promise.all([number, variant, userId].map(lastInbound)), [undefined, undefined, undefined])
      same('another record that named the number', (await record(stale)).other, undefined)
      same('the events', await allEvents(fixture, workspace), [])
      same('the attempts that wait', await done('retries are read', fixture.eventDeliveries.retries(endpoint.id, at + 2 * DAY, 10)), [])
      same(
        'the log of deliveries', (await done('attempts are read', fixture.eventDeliveries.attempts(endpoint.id, { limit: 10 }))).items, [],
      )
    },
  },
  {
    name: 'erasing leaves everyone else as they are',
    check: async (fixture) => {
      const at = longAgo()
      const { workspace, sent, wrote, learn, record, lastInbound, found, erase } = await openPeople(fixture)
      const elsewhere = await openPeople(fixture)
      const [person, neighbour] = [newPhoneNumber(), newPhoneNumber()]
      const seen = async () => Promise.all([
        found(kept), record(neighbour), lastInbound(neighbour), elsewhere.found(abroad), elsewhere.record(person),
        elsewhere.lastInbound(person), allEvents(fixture, workspace), allEvents(fixture, elsewhere.workspace),
      ])
      const [kept, abroad] = [await sent(neighbour, at, accepted(at)), await elsewhere.sent(person, at, accepted(at))]
      await learn(neighbour, { _tag: 'Named', name: 'Bea', at })
      await elsewhere.learn(person, { _tag: 'Named', name: 'Ana', at })
      await wrote({ phoneNumber: neighbour }, at)
      await elsewhere.wrote({ phoneNumber: person }, at)
      await stored(
        fixture, workspace, { subject: neighbour, data: { to: neighbour } }, { data: { to: `${person}0`, note: `to ${person}` } },
      )
      await stored(fixture, elsewhere.workspace, { subject: person, data: { to: person } })
      const before = await seen()
      await sent(person, at, accepted(at))
      await erase({ phoneNumber: person })
      same('everything else', await seen(), before)
    },
  },
  {
    name: 'a person with a message whose outcome is unknown is not erased, and nothing changes',
    check: async (fixture) => {
      const at = longAgo()
      const { workspace, sent, wrote, learn, record, lastInbound, found } = await openPeople(fixture)
      const [number, variant] = newVariants()
      const [settled] = [
        await sent(number, at, accepted(at)), await sent(variant, at), await sent(number, at, { state: 'unconfirmed', at }),
      ]
      await learn(number, { _tag: 'Named', name: 'Ana', at })
      await wrote({ phoneNumber: number }, at)
      await stored(fixture, workspace, { subject: number })
      const seen = async () => Promise.all([found(settled), record(number), lastInbound(number), allEvents(fixture, workspace)])
      const before = await seen()
      const { count } = await refused(
        'erasing such a person', 'MessagesUnderWay', fixture.personalData.erase(workspace, [{ phoneNumber: number }]),
      )
      same('how many messages', count, 2)
      same('everything', await seen(), before)
    },
  },
  {
    name: 'erasing again finds nothing more',
    check: async (fixture) => {
      const at = longAgo()
      const { sent, wrote, learn, found, erase } = await openPeople(fixture)
      const phoneNumber = newPhoneNumber()
      const message = await sent(phoneNumber, at, accepted(at))
      await learn(phoneNumber, { _tag: 'Named', name: 'Ana', at })
      await wrote({ phoneNumber }, at)
      same('what was found', await erase({ phoneNumber }), { messages: 1, customers: 1, windows: 1, events: 0 })
      const after = await found(message)
      same('what was found again', await erase({ phoneNumber }), { messages: 0, customers: 0, windows: 0, events: 0 })
      same('the message', await found(message), after)
    },
  },
  {
    name: 'the idempotency key of an erased message still guards it, and no request is the same',
    check: async (fixture) => {
      const at = longAgo()
      const { workspace, opened, apply, open, draft, erase } = await openPeople(fixture)
      const [phoneNumber, claim] = [newPhoneNumber(), { key: newKey(), request: 'Good morning' }]
      const { id } = await opened({ at, message: text(phoneNumber), claim })
      await apply(id, accepted(at))
      await erase({ phoneNumber })
      const opening = await open(draft({ at: at + 1, message: text(phoneNumber), claim }))
      same(
        'what a repetition gets', opening._tag === 'Claimed' && [opening.by.id, opening.sameRequest, opening.by.workspace],
        [id, false, workspace],
      )
    },
  },
  {
    name: 'what an erasure takes along is stored with it, even if nothing was found',
    check: async (fixture) => {
      const { workspace, sent } = await openPeople(fixture)
      const phoneNumber = newPhoneNumber()
      await sent(phoneNumber, longAgo(), accepted(longAgo()))
      for (const messages of [1, 0]) {
        await done(
          'a person is erased',
          fixture.personalData.erase(workspace, [{ phoneNumber }], (erased) => [newEvent(workspace, { data: { ...erased } })]),
        )
        same('what was taken along', (await allEvents(fixture, workspace)).at(-1)?.data, { messages, customers: 0, windows: 0, events: 0 })
      }
    },
  },
]
