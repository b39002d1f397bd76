import * as O from 'fp-ts/lib/Option.js'
import type { Instant, PhoneNumber, WindowClock, WorkspaceId } from '../../core/ports/window-clock.js'
import { isOpen, WINDOW_MS } from '../../core/window.js'
import { done, holds, same } from './expect.js'
import { newPhoneNumber, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** A window clock, and the powers over the outside that its laws need. */
export type WindowClockWorld = {
  readonly windowClock: WindowClock
  /** Opens a workspace to which no customer ever wrote. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
}

// A moment with milliseconds that no coarser column keeps.
const NOON = Date.UTC(2026, 2, 1, 12, 0, 0, 1)

const record = ({ windowClock }: WindowClockWorld, workspace: WorkspaceId, customer: PhoneNumber, at: Instant): Promise<void> =>
  done('an inbound message is recorded', windowClock.recordInbound(workspace, customer, at))

const last = ({ windowClock }: WindowClockWorld, workspace: WorkspaceId, customer: PhoneNumber): Promise<O.Option<Instant>> =>
  done('the last inbound message is told', windowClock.lastInbound(workspace, customer))

/** What every `WindowClock` promises. */
export const windowClockLaws: ReadonlyArray<Law<WindowClockWorld>> = [
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
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      same('a customer who never wrote', await last(world, workspace, newPhoneNumber()), O.none)
      same('a workspace that does not exist', await last(world, newWorkspaceId(), newPhoneNumber()), O.none)
    },
  },
  {
    name: 'an inbound message is remembered to the millisecond',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      for (const customer of [newPhoneNumber(), '1234567' as PhoneNumber, '999999999999999' as PhoneNumber]) {
        await record(world, workspace, customer, NOON)
        same(`the moment at which ${customer.length} digits wrote`, await last(world, workspace, customer), O.some(NOON))
      }
    },
  },
  {
    name: 'the window is open at 23:59:59.999 after an inbound message and closed at 24:00:00.000',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const customer = newPhoneNumber()
      await record(world, workspace, customer, NOON)
      const lastInbound = await last(world, workspace, customer)
      same('open one millisecond before 24 hours', isOpen(NOON + WINDOW_MS - 1, lastInbound), true)
      same('closed at 24 hours', isOpen(NOON + WINDOW_MS, lastInbound), false)
    },
  },
  {
    name: 'a later inbound message moves the moment on',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const customer = newPhoneNumber()
      await record(world, workspace, customer, NOON)
      await record(world, workspace, customer, NOON + 1)
      same('the later of two moments a millisecond apart is kept', await last(world, workspace, customer), O.some(NOON + 1))
    },
  },
  {
    name: 'an earlier inbound message, or the same again, changes nothing',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const customer = newPhoneNumber()
      for (const at of [NOON, NOON, NOON - 1, NOON - WINDOW_MS]) await record(world, workspace, customer, at)
      same('a late duplicate never moves the moment back', await last(world, workspace, customer), O.some(NOON))
    },
  },
  {
    name: 'concurrent recordings keep the latest',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const customer = newPhoneNumber()
      await Promise.all(times(20, (index) => record(world, workspace, customer, NOON + ((index * 7) % 20))))
      same('the latest of twenty concurrent recordings is kept', await last(world, workspace, customer), O.some(NOON + 19))
    },
  },
  {
    name: 'customers are apart',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const customers = times(10, newPhoneNumber)
      await Promise.all(customers.map((customer, index) => record(world, workspace, customer, NOON + index)))
      const seen = await Promise.all(customers.map((customer) => last(world, workspace, customer)))
      same('each customer has a moment of their own', seen, customers.map((_, index) => O.some(NOON + index)))
    },
  },
  {
    name: 'workspaces are apart',
    check: async (world) => {
      const [ours, theirs] = [await world.openWorkspace(), await world.openWorkspace()]
      const customer = newPhoneNumber()
      await record(world, ours.workspace, customer, NOON)
      same('a customer of one workspace never wrote to another', await last(world, theirs.workspace, customer), O.none)
      await record(world, theirs.workspace, customer, NOON + 5)
      same('what reaches another workspace opens no window here', await last(world, ours.workspace, customer), O.some(NOON))
    },
  },
]
