import type { CustomerId } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Event } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { MessageId } from '../../core/messages/message.js'
import type { Entry } from '../../core/money/ledger.js'
import type { MessageTimeline } from '../../core/timeline.js'
import { addedEndpoint, type EventEndpointsFixture, newAttempt, NOON, stored } from './event-fixture.js'
import { done, same } from './expect.js'
import { newMessageId, newName, newPhoneNumber, newUserId } from './ids.js'
import type { Law } from './law.js'
import { type LedgerFixture, openLedgerWorkspace } from './ledger-fixture.js'

/** The data about a message other than its record, and the ports that store it, over one storage. */
export type MessageTimelineFixture = LedgerFixture & EventEndpointsFixture & { readonly messageTimeline: MessageTimeline }

const entriesOf = (
  { messageTimeline }: MessageTimelineFixture, workspace: WorkspaceId, message: MessageId, moments: ReadonlyArray<Instant> = [],
): Promise<ReadonlyArray<Entry>> => done('the entries of a message', messageTimeline.entries({ workspace, message, moments }))

/** The promises of every `MessageTimeline`. */
export const messageTimelineLaws: ReadonlyArray<Law<MessageTimelineFixture>> = [
  {
    name: 'the moves of a message\'s money are those of the statement, oldest first',
    check: async (fixture) => {
      const { workspace, topUp, price, statement } = await openLedgerWorkspace(fixture)
      await topUp(1_000n)
      const [one, other] = [price(30n), price(40n)]
      for (const hold of [one, other]) await done('a hold', fixture.wallet.hold(hold))
      same('a hold alone', (await entriesOf(fixture, workspace, one.message)).map(({ kind, micros }) => [kind, micros]), [['hold', 30n]])
      await done('a release', fixture.wallet.release(one))
      await done('a capture', fixture.wallet.capture({ ...one, note: 'seen as sent' }))
      await done('a refund', fixture.wallet.refund(one))
      await done('a capture', fixture.wallet.capture(other))
      const all = await statement()
      for (const near of [[], [NOON, Date.now()], [0]]) {
        for (const { message } of [one, other]) {
          same(
            'the entries of a message', await entriesOf(fixture, workspace, message, near),
            all.filter((entry) => entry.message === message).toReversed(),
          )
        }
      }
    },
  },
  {
    name: 'a message without a hold, or of another workspace, has no moves',
    check: async (fixture) => {
      const [ours, theirs] = [await openLedgerWorkspace(fixture), await openLedgerWorkspace(fixture)]
      await ours.topUp(100n)
      const hold = ours.price(30n)
      await done('a hold', fixture.wallet.hold(hold))
      await done('a capture', fixture.wallet.capture(hold))
      same('of another workspace', await entriesOf(fixture, theirs.workspace, hold.message, [NOON]), [])
      same('without a hold', await entriesOf(fixture, ours.workspace, newMessageId(NOON), [NOON]), [])
    },
  },
  {
    name: 'the events of a message are given with the attempts to deliver each, oldest first',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [endpoint, other] = [await addedEndpoint(fixture, workspace), await addedEndpoint(fixture, workspace)]
      const [message, another] = [newMessageId(NOON), newMessageId(NOON)]
      const [accepted, , sent] = await stored(fixture, workspace,
        {
          type: 'message.accepted', subject: message,
        }, { type: 'message.accepted', subject: another }, { type: 'message.sent', subject: message, at: NOON + 5_000 })
      if (accepted === undefined || sent === undefined) throw new Error('the events are stored')
      const failed = newAttempt(endpoint, accepted, {
        at: NOON + 1, delivered: false, httpStatus: 500, error: 'it answered 500', nextAttemptAt: NOON + 10_000,
      })
      const again = newAttempt(endpoint, accepted, { at: NOON + 10_000 })
      const elsewhere = newAttempt(other, accepted, { at: NOON + 2 })
      for (const attempt of [again, failed, elsewhere]) await done('an attempt is logged', fixture.eventDeliveries.log(attempt))
      const timeline = (of: MessageId, moments: ReadonlyArray<Instant>) =>
        done('the events of a message', fixture.messageTimeline.events({ workspace, message: of, moments }))
      for (const near of [[NOON], [NOON, NOON + 5_000]]) {
        same('the events, and the attempts of each', await timeline(message, near), [
          { id: accepted.id, type: accepted.type, at: accepted.at, attempts: [failed, elsewhere, again] },
          { id: sent.id, type: sent.type, at: sent.at, attempts: [] },
        ])
      }
      same('an event without an attempt', (await timeline(another, [NOON])).map(({ attempts }) => attempts), [[]])
      same('a message without events', await timeline(newMessageId(NOON), [NOON]), [])
      const { workspace: theirs } = await fixture.openWorkspace()
      same('another workspace', await done('events', fixture.messageTimeline.events({ workspace: theirs, message, moments: [NOON] })), [])
    },
  },
  {
    name: 'what a customer wrote is given by any of the ids, newest first, with its content as long as that is stored',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [number, user, other] = [newPhoneNumber(), newUserId(), newPhoneNumber()]
      const wrote = (subject: CustomerId, more: Partial<Event> = {}) =>
        ({ type: 'message.received', subject, data: { id: newName() }, ...more } as const)
      const said = { content: { body: 'Hello' }, context: null }
      const [first, , second] = await stored(fixture, workspace,
        wrote(number, {
          content: said,
        }), wrote(other, { content: said }), wrote(user, { at: NOON + 1 }), { type: 'message.sent', subject: number })
      if (first === undefined || second === undefined) throw new Error('the events are stored')
      const received = (customer: ReadonlyArray<CustomerId>, limit = 10, of = workspace, moments: ReadonlyArray<Instant> = [NOON]) =>
        done('what a customer wrote', fixture.messageTimeline.received({ workspace: of, customer, moments, limit }))
      for (const moments of [[], [NOON], [NOON, NOON + 1, 0]]) {
        same('of both ids', await received([number, user], 10, workspace, moments), [second, first])
      }
      same('of one', await received([number]), [first])
      same('the newest', await received([number, user], 1), [second])
      same('of no one', [await received([]), await received([newPhoneNumber()])], [[], []])
      const { workspace: theirs } = await fixture.openWorkspace()
      same('of another workspace', await received([number], 10, theirs), [])
    },
  },
]
