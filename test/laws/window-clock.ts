import * as O from 'fp-ts/lib/Option.js'
import type { CustomerId, CustomerIds, PhoneNumber, UserId } from '../../core/customers/customer.js'
import { isOpen, WINDOW_MS, type WindowClock } from '../../core/customers/window.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import { done, holds, same } from './expect.js'
import { newPhoneNumber, newUserId, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** A window clock, and the control over the environment that its laws need. */
export type WindowClockFixture = {
  readonly windowClock: WindowClock
  /** Opens a workspace to which no customer ever wrote. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
}

// A timestamp with milliseconds that a coarser column would lose.
const NOON = Date.UTC(2026, 2, 1, 12, 0, 0, 1)

const record = ({ windowClock }: WindowClockFixture, workspace: WorkspaceId, customer: PhoneNumber, at: Instant): Promise<void> =>
  done('an inbound message is recorded', windowClock.recordInbound(workspace, { phoneNumber: customer }, at))

const recordStated = (
  { windowClock }: WindowClockFixture, workspace: WorkspaceId, customer: PhoneNumber, at: Instant, statedAt: Instant,
): Promise<void> =>
  done('an inbound message with a later date is recorded', windowClock.recordInbound(workspace, { phoneNumber: customer }, at, statedAt))

const recordIds = ({ windowClock }: WindowClockFixture, workspace: WorkspaceId, ids: CustomerIds, at: Instant): Promise<void> =>
  done('an inbound message is recorded', windowClock.recordInbound(workspace, ids, at))

const last = ({ windowClock }: WindowClockFixture, workspace: WorkspaceId, customer: CustomerId): Promise<O.Option<Instant>> =>
  done('the last inbound message is read', windowClock.lastInbound(workspace, customer))

/** The promises of every `WindowClock`. */
export const windowClockLaws: ReadonlyArray<Law<WindowClockFixture>> = [
  {
    name: 'the present moment is a whole number of milliseconds since the epoch',
    check: async ({ windowClock }) => {
      const now = windowClock.now()
      const plausible = Number.isSafeInteger(now) && now > Date.UTC(2000, 0, 1) && now < Date.UTC(2200, 0, 1)
      holds('the present moment is in milliseconds since the epoch', plausible, now)
    },
  },
  {
    name: 'a customer who never wrote has no last inbound message',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      same('a customer who never wrote', await last(fixture, workspace, newPhoneNumber()), O.none)
      same('a workspace that does not exist', await last(fixture, newWorkspaceId(), newPhoneNumber()), O.none)
    },
  },
  {
    name: 'an inbound message is remembered to the millisecond',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      for (const customer of [newPhoneNumber(), '1234567' as PhoneNumber, '999999999999999' as PhoneNumber]) {
        await record(fixture, workspace, customer, NOON)
        same(`the moment at which ${customer.length} digits wrote`, await last(fixture, workspace, customer), O.some(NOON))
      }
    },
  },
  {
    name: 'the window is open at 23:59:59.999 after an inbound message and closed at 24:00:00.000',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const customer = newPhoneNumber()
      await record(fixture, workspace, customer, NOON)
      const lastInbound = await last(fixture, workspace, customer)
      same('open one millisecond before 24 hours', isOpen(NOON + WINDOW_MS - 1, lastInbound), true)
      same('closed at 24 hours', isOpen(NOON + WINDOW_MS, lastInbound), false)
    },
  },
  {
    name: 'a later inbound message moves the moment on',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const customer = newPhoneNumber()
      await record(fixture, workspace, customer, NOON)
      await record(fixture, workspace, customer, NOON + 1)
      same('the later of two moments a millisecond apart is kept', await last(fixture, workspace, customer), O.some(NOON + 1))
    },
  },
  {
    name: 'an earlier inbound message, or the same again, changes nothing',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const customer = newPhoneNumber()
      for (const at of [NOON, NOON, NOON - 1, NOON - WINDOW_MS]) await record(fixture, workspace, customer, at)
      same('a late duplicate never moves the moment back', await last(fixture, workspace, customer), O.some(NOON))
    },
  },
  {
    name: 'concurrent recordings keep the latest',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const customer = newPhoneNumber()
      await Promise.all(times(20, (index) => record(fixture, workspace, customer, NOON + ((index * 7) % 20))))
      same('the latest of twenty concurrent recordings is kept', await last(fixture, workspace, customer), O.some(NOON + 19))
    },
  },
  {
    name: 'a message that is dated later than its arrival counts at its arrival',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [first, other] = [newPhoneNumber(), newPhoneNumber()]
      await recordStated(fixture, workspace, first, NOON, NOON + 100 * WINDOW_MS)
      same('a first message', await last(fixture, workspace, first), O.some(NOON))
      await record(fixture, workspace, other, NOON)
      await recordStated(fixture, workspace, other, NOON + 1, NOON + 100 * WINDOW_MS)
      same('a message after another', await last(fixture, workspace, other), O.some(NOON + 1))
      await recordStated(fixture, workspace, other, NOON - 1, NOON + 101 * WINDOW_MS)
      same('an earlier arrival', await last(fixture, workspace, other), O.some(NOON + 1))
    },
  },
  {
    name: 'a message that is dated later than its arrival counts once, however often and however late it comes again',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const customer = newPhoneNumber()
      const statedAt = NOON + 100 * WINDOW_MS
      for (const later of [0, 1, 2 * WINDOW_MS, 100 * WINDOW_MS - 1]) {
        await recordStated(fixture, workspace, customer, NOON + later, statedAt)
      }
      await record(fixture, workspace, customer, statedAt)
      same('the arrival of the first delivery is kept', await last(fixture, workspace, customer), O.some(NOON))
    },
  },
  {
    name: 'a date that is not later than the latest stated one changes nothing, and a later one counts',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const customer = newPhoneNumber()
      const statedAt = NOON + 100 * WINDOW_MS
      await recordStated(fixture, workspace, customer, NOON, statedAt)
      await recordStated(fixture, workspace, customer, NOON + 1, statedAt - 1)
      same('an earlier date', await last(fixture, workspace, customer), O.some(NOON))
      await recordStated(fixture, workspace, customer, NOON + 2, statedAt + 1)
      same('a later date', await last(fixture, workspace, customer), O.some(NOON + 2))
      await recordStated(fixture, workspace, customer, NOON + 3, statedAt)
      same('the first date again', await last(fixture, workspace, customer), O.some(NOON + 2))
    },
  },
  {
    name: 'a message without a later date counts, whatever date another one stated',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const customer = newPhoneNumber()
      const statedAt = NOON + 100 * WINDOW_MS
      await recordStated(fixture, workspace, customer, NOON, statedAt)
      for (const at of [NOON + 1, NOON + WINDOW_MS, statedAt - 1, statedAt + 1]) {
        await record(fixture, workspace, customer, at)
        same('a message after one with a wrong date', await last(fixture, workspace, customer), O.some(at))
      }
    },
  },
  {
    name: 'concurrent recordings keep the latest that counts',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [customer, other] = [newPhoneNumber(), newPhoneNumber()]
      const statedAt = NOON + 100 * WINDOW_MS
      await recordStated(fixture, workspace, customer, NOON, statedAt)
      await Promise.all(times(20, (index) => index % 5 === 1
        ? recordStated(fixture, workspace, customer, NOON + WINDOW_MS, statedAt - index)
        : record(fixture, workspace, customer, statedAt - ((index * 7) % 20))))
      same('the date that was counted, and earlier dates, change nothing', await last(fixture, workspace, customer), O.some(statedAt - 1))
      await Promise.all(times(20, (index) => recordStated(fixture, workspace, other, NOON, statedAt + index)))
      await recordStated(fixture, workspace, other, NOON + 1, statedAt + 19)
      same('the latest of twenty dates is kept', await last(fixture, workspace, other), O.some(NOON))
    },
  },
  {
    name: 'a message that names a user id counts for the user id alone',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [phoneNumber, userId, other] = [newPhoneNumber(), newUserId(), newUserId()]
      await recordIds(fixture, workspace, { phoneNumber, userId }, NOON + 10)
      same('for the user id', await last(fixture, workspace, userId), O.some(NOON + 10))
      same('for the number', await last(fixture, workspace, phoneNumber), O.none)
      await recordIds(fixture, workspace, { userId: other }, NOON)
      same('for a user id without a number', await last(fixture, workspace, other), O.some(NOON))
      await recordIds(fixture, workspace, { phoneNumber, userId: other }, NOON + 11)
      same('for another user id with the number', await last(fixture, workspace, other), O.some(NOON + 11))
      same('for the first user id', await last(fixture, workspace, userId), O.some(NOON + 10))
      same('for the number of both', await last(fixture, workspace, phoneNumber), O.none)
    },
  },
  {
    name: 'what counts for a number stays, whatever counts for a user id that is named with it',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [phoneNumber, userId] = [newPhoneNumber(), newUserId()]
      const seen = async (what: string, at: Instant): Promise<void> => {
        same(what, await last(fixture, workspace, phoneNumber), O.some(at))
      }
      await record(fixture, workspace, phoneNumber, NOON)
      await recordIds(fixture, workspace, { phoneNumber, userId }, NOON - 1)
      await seen('after an earlier message of the user id', NOON)
      await recordIds(fixture, workspace, { phoneNumber, userId }, NOON)
      await recordIds(fixture, workspace, { phoneNumber, userId }, NOON + 10)
      await recordIds(fixture, workspace, { phoneNumber, userId }, NOON + 11)
      await seen('after later messages of the user id', NOON)
      await record(fixture, workspace, phoneNumber, NOON + 5)
      await record(fixture, workspace, phoneNumber, NOON + 4)
      await seen('an earlier message of the number', NOON + 5)
      await record(fixture, workspace, phoneNumber, NOON + 20)
      await seen('a later message of the number', NOON + 20)
      await recordIds(fixture, workspace, { phoneNumber, userId }, NOON + 30)
      await seen('after another message of the user id', NOON + 20)
      same('the user id', await last(fixture, workspace, userId), O.some(NOON + 30))
    },
  },
  {
    name: 'concurrent messages of a number and of its user id count for each',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [phoneNumber, userId] = [newPhoneNumber(), newUserId()]
      await Promise.all(times(20, (index) => {
        const step = (index * 7) % 20
        return recordIds(fixture, workspace, step % 2 === 0 ? { phoneNumber } : { phoneNumber, userId }, NOON + step)
      }))
      same('the number', await last(fixture, workspace, phoneNumber), O.some(NOON + 18))
      same('the user id', await last(fixture, workspace, userId), O.some(NOON + 19))
    },
  },
  {
    name: 'letter case and length of user ids count',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const long = 'aB3'.repeat(42)
      const ids = [
        newUserId(), newUserId().toLowerCase().replace(/^../, 'DE'), `DE.${long}xy`, `DE.${long}xY`, `DE.ENT.${long}xy`, `DE.${long}x`,
      ].map((id) => id as UserId)
      for (const [index, userId] of ids.entries()) await recordIds(fixture, workspace, { userId }, NOON + index)
      for (const [index, userId] of ids.entries()) same(userId, await last(fixture, workspace, userId), O.some(NOON + index))
    },
  },
  {
    name: 'customers are apart',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const customers = times(10, newPhoneNumber)
      await Promise.all(customers.map((customer, index) => record(fixture, workspace, customer, NOON + index)))
      const seen = await Promise.all(customers.map((customer) => last(fixture, workspace, customer)))
      same('each customer has a moment of their own', seen, customers.map((_, index) => O.some(NOON + index)))
    },
  },
  {
    name: 'workspaces are apart',
    check: async (fixture) => {
      const [ours, theirs] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const customer = newPhoneNumber()
      await record(fixture, ours.workspace, customer, NOON)
      same('a customer of one workspace never wrote to another', await last(fixture, theirs.workspace, customer), O.none)
      await record(fixture, theirs.workspace, customer, NOON + 5)
      same('what reaches another workspace opens no window here', await last(fixture, ours.workspace, customer), O.some(NOON))
    },
  },
]
