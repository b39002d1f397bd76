import * as O from 'fp-ts/lib/Option.js'
import type { CustomerIds } from '../../core/customers/customer.js'
import type { CustomerWindow, CustomerWindows, CustomerWindowsQuery, WindowClock } from '../../core/customers/window.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { HOUR_MS } from '../../core/kernel/time.js'
import { allPages, done, same } from './expect.js'
import { GARBAGE_CURSORS, newPhoneNumber, newUserId, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** The customers by the time of their last message, and the window clock that records it, over one storage. */
export type CustomerWindowsFixture = {
  readonly customerWindows: CustomerWindows
  readonly windowClock: Pick<WindowClock, 'lastInbound' | 'recordInbound'>
  /** Opens a workspace to which no customer ever wrote. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
}

const NOON = Date.UTC(2026, 2, 1, 12, 0, 0, 1)

const wrote = ({ windowClock }: CustomerWindowsFixture, workspace: WorkspaceId, ids: CustomerIds, at: number): Promise<void> =>
  done('an inbound message is recorded', windowClock.recordInbound(workspace, ids, at))

const listed = async (
  { customerWindows }: CustomerWindowsFixture, workspace: WorkspaceId, query: Partial<CustomerWindowsQuery> = {},
): Promise<ReadonlyArray<CustomerWindow>> =>
  (await done('a list', customerWindows.list([workspace], { limit: 100, since: 0, ...query }))).items

/** The promises of every `CustomerWindows`. */
export const customerWindowsLaws: ReadonlyArray<Law<CustomerWindowsFixture>> = [
  {
    name: 'a list has who wrote after a moment, and when, the latest first',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      same('where no customer wrote', await listed(fixture, workspace), [])
      const [first, second, third] = [newPhoneNumber(), newUserId(), newPhoneNumber()]
      await wrote(fixture, workspace, { phoneNumber: first }, NOON)
      await wrote(fixture, workspace, { userId: second }, NOON + HOUR_MS)
      await wrote(fixture, workspace, { phoneNumber: third }, NOON + 1)
      const all = [
        { inbox: workspace, customer: second, lastInbound: NOON + HOUR_MS }, { inbox: workspace, customer: third, lastInbound: NOON + 1 },
        { inbox: workspace, customer: first, lastInbound: NOON },
      ]
      same('all of them', await listed(fixture, workspace), all)
      same('those who wrote after a moment', await listed(fixture, workspace, { since: NOON }), all.slice(0, 2))
      await wrote(fixture, workspace, { phoneNumber: first }, NOON + 2 * HOUR_MS)
      same('who wrote again is listed once', await listed(fixture, workspace), [
        { inbox: workspace, customer: first, lastInbound: NOON + 2 * HOUR_MS }, ...all.slice(0, 2),
      ])
    },
  },
  {
    name: 'each id has the moment that counts for it',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [userId, phoneNumber, other] = [newUserId(), newPhoneNumber(), newPhoneNumber()]
      await wrote(fixture, workspace, { phoneNumber, userId }, NOON)
      same('a message of a user id', await listed(fixture, workspace), [{ inbox: workspace, customer: userId, lastInbound: NOON }])
      await wrote(fixture, workspace, { phoneNumber: other }, NOON + 1)
      await wrote(fixture, workspace, { phoneNumber: other, userId }, NOON + 10)
      await wrote(fixture, workspace, { phoneNumber }, NOON + 5)
      const shown = await listed(fixture, workspace)
      same('the ids, the latest first', shown.map(({ customer }) => customer), [userId, phoneNumber, other])
      for (const { customer, lastInbound } of shown) {
        same(
          `what the window clock says of ${customer}`, await done('a moment', fixture.windowClock.lastInbound(workspace, customer)),
          O.some(lastInbound),
        )
      }
      same('of a number, its own messages count', await listed(fixture, workspace, { since: NOON + 4 }), shown.slice(0, 2))
    },
  },
  {
    name: 'pages have each id once, even of those who wrote at one moment',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const ids: ReadonlyArray<CustomerIds> = [
        ...times(4, () => ({ phoneNumber: newPhoneNumber() })), ...times(4, () => ({ userId: newUserId() })),
        { userId: newUserId(), phoneNumber: newPhoneNumber() },
      ]
      for (const [index, one] of ids.entries()) await wrote(fixture, workspace, one, NOON + (index % 2))
      const numbers = times(3, newPhoneNumber)
      for (const phoneNumber of numbers) {
        await wrote(fixture, workspace, { phoneNumber }, NOON)
        await wrote(fixture, workspace, { phoneNumber, userId: newUserId() }, NOON + 1)
      }
      const all = await listed(fixture, workspace)
      same('each is listed once', [all.length, new Set(all.map(({ customer }) => customer)).size], [15, 15])
      const read = (query: Partial<CustomerWindowsQuery> & { readonly limit: number }) =>
        fixture.customerWindows.list([workspace], { since: 0, ...query })
      for (const limit of [1, 2, 15]) same(`pages of ${limit}`, await allPages('a list', read, limit), all)
      let at = NOON + 10
      const seen = await allPages('a list', read, 4, async () => wrote(fixture, workspace, { phoneNumber: newPhoneNumber() }, (at += 1)))
      same('pages while customers write', seen, all)
    },
  },
  {
    name: 'a list of several inboxes has who wrote to each of them, in one order and in pages',
    check: async (fixture) => {
      const [first, second, third] = (await Promise.all(times(3, () => fixture.openWorkspace()))).map(({ workspace }) => workspace) as [
        WorkspaceId, WorkspaceId, WorkspaceId,
      ]
      const [both, one] = [newPhoneNumber(), newPhoneNumber()]
      for (const inbox of [first, second, third]) await wrote(fixture, inbox, { phoneNumber: both }, NOON)
      await wrote(fixture, second, { phoneNumber: one }, NOON + 1)
      const list = (query: Partial<CustomerWindowsQuery> & { readonly limit: number }) =>
        fixture.customerWindows.list([first, second], { since: 0, ...query })
      const { items } = await done('a list', list({ limit: 100 }))
      same('the latest first', items[0], { inbox: second, customer: one, lastInbound: NOON + 1 })
      same(
        'who wrote to both is listed for each', items.slice(1).map(({ inbox, customer }) => `${inbox} ${customer}`).sort(),
        [`${first} ${both}`, `${second} ${both}`].sort(),
      )
      for (const limit of [1, 2]) same(`pages of ${limit}`, await allPages('a list', list, limit), items)
    },
  },
  {
    name: 'a list never has who wrote to another workspace, and no cursor fails',
    check: async (fixture) => {
      const [ours, theirs] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const [phoneNumber, other] = [newPhoneNumber(), newPhoneNumber()]
      await wrote(fixture, ours.workspace, { phoneNumber }, NOON)
      await wrote(fixture, theirs.workspace, { phoneNumber: other }, NOON)
      same('our customers', await listed(fixture, ours.workspace), [{ inbox: ours.workspace, customer: phoneNumber, lastInbound: NOON }])
      same('a workspace that does not exist', await listed(fixture, newWorkspaceId()), [])
      for (const cursor of [...GARBAGE_CURSORS, `${NOON + 1}.${ours.workspace}.${other}`, phoneNumber, ours.workspace]) {
        same(
          'no one else is listed', (await listed(fixture, ours.workspace, { cursor })).filter(({ customer }) => customer !== phoneNumber),
          [],
        )
      }
    },
  },
]
