import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Event, EventOutbox } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import {
  type KnownNumber, type NumberChange, type NumberHealth, type NumberReading, READ_EVERY_MS,
} from '../../core/senders/number-health.js'
import { senderIdOf, type SenderOf } from '../../core/senders/sender.js'
import { newEvent } from './entries-fixture.js'
import { done, same } from './expect.js'
import { longAgo, newDigits, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { assigned, newSender, type SendersFixture } from './senders-fixture.js'

/** The numbers, the senders and the events over one storage, and the control over the environment that their laws need. */
export type NumberHealthFixture = SendersFixture & {
  readonly numberHealth: NumberHealth
  readonly eventOutbox: Pick<EventOutbox, 'after'>
  readonly archiveWorkspace: (workspace: WorkspaceId) => Promise<void>
  /** The same numbers as another node has them, if there are several nodes. */
  readonly elsewhere?: { readonly numberHealth: NumberHealth }
}

/** Later than any other time in these laws. */
const FAR = Date.UTC(2100, 0, 1)
const MANY = 10_000

const READING = {
  displayNumber: '+1 555-078-3881', verifiedName: 'Café 🔑 "O\'Hara"', quality: 'green', customersPerDay: 2_000, messagesPerSecond: 80,
} as const

/** A sender with its business account, and a time at which nothing else happened. */
const opened = async (fixture: NumberHealthFixture): Promise<SenderOf & { readonly accountId: string; readonly at: Instant }> => {
  const { workspace } = await fixture.openWorkspace()
  const { phoneNumberId: sender, businessAccountId: accountId = '' } = await assigned(fixture, workspace)
  return { workspace, sender, accountId, at: longAgo() }
}

const note = (
  { numberHealth }: Pick<NumberHealthFixture, 'numberHealth'>, { workspace, sender }: SenderOf, reading: NumberReading,
): Promise<boolean> =>
  done('a reading is stored', numberHealth.note({ workspace, sender }, reading, changeEvents(workspace)))

/** An event that contains what has changed. */
const changeEvents = (workspace: WorkspaceId) => ({ before, after }: NumberChange): ReadonlyArray<Event> => [
  newEvent(workspace, { before: before.quality ?? null, after: after.quality ?? null }),
]

const known = ({ numberHealth }: NumberHealthFixture, workspace: WorkspaceId): Promise<ReadonlyArray<KnownNumber>> =>
  done('the numbers of a workspace are read', numberHealth.of(workspace))

/** What the events of changes contain. */
const changes = async ({ eventOutbox }: NumberHealthFixture, workspace: WorkspaceId): Promise<ReadonlyArray<unknown>> =>
  (await done('the events are read', eventOutbox.after(workspace, 0, 100))).map(({ data }) => data)

/** The numbers of a workspace that are taken; laws run in fixtures in which others may be due, too. */
const claimed = async (
  { numberHealth }: Pick<NumberHealthFixture, 'numberHealth'>, workspace: WorkspaceId, at: Instant, until: Instant = FAR,
): Promise<number> =>
  (await done('numbers are taken', numberHealth.claim(at, until, MANY))).filter((number) => number.workspace === workspace).length

const want = ({ numberHealth }: NumberHealthFixture, accountId: string, at: Instant, digits?: string): Promise<void> =>
  done('numbers are wanted', numberHealth.want({ accountId, ...(digits !== undefined && { digits }) }, at))

/** The promises of every `NumberHealth` over the same storage as its `Senders`. */
export const numberHealthLaws: ReadonlyArray<Law<NumberHealthFixture>> = [
  {
    name: 'a number that was never read is not known, even after it was taken or wanted',
    check: async (fixture) => {
      const { workspace, accountId, at } = await opened(fixture)
      await claimed(fixture, workspace, at)
      await want(fixture, accountId, at)
      for (const one of [workspace, newWorkspaceId()]) same('its numbers', await known(fixture, one), [])
    },
  },
  {
    name: 'a reading comes back as it was given',
    check: async (fixture) => {
      const [ours, theirs] = [await opened(fixture), await opened(fixture)]
      const { at, sender: phoneNumberId } = ours
      same('it is stored', await note(fixture, ours, { ...READING, at }), true)
      same('another one', await note(fixture, theirs, { quality: 'unknown', customersPerDay: 'unlimited', at }), true)
      same('all facts', await known(fixture, ours.workspace), [{ ...READING, phoneNumberId, qualitySince: at, readAt: at }])
      same('some facts', await known(fixture, theirs.workspace), [
        { phoneNumberId: theirs.sender, quality: 'unknown', customersPerDay: 'unlimited', qualitySince: at, readAt: at },
      ])
    },
  },
  {
    name: 'the numbers of a workspace are listed by their ids, and those of others are not',
    check: async (fixture) => {
      const [ours, theirs] = [await opened(fixture), await opened(fixture)]
      const { workspace, at } = ours
      const further = times(3, newSender)
      for (const sender of further) await done('a further sender is added', fixture.senders.assign(workspace, sender))
      const senders = [ours.sender, ...further.map(({ phoneNumberId }) => phoneNumberId)]
      for (const sender of senders) await note(fixture, { workspace, sender }, { ...READING, at })
      await note(fixture, theirs, { ...READING, at })
      same('ours', (await known(fixture, workspace)).map(({ phoneNumberId }) => phoneNumberId), senders.toSorted())
    },
  },
  {
    name: 'a later reading replaces the facts that it has and keeps the others',
    check: async (fixture) => {
      const number = await opened(fixture)
      const { at, sender: phoneNumberId, workspace } = number
      await note(fixture, number, { ...READING, at })
      await note(fixture, number, { quality: 'red', at: at + 1 })
      await note(fixture, number, { quality: 'red', messagesPerSecond: 1_000, at: at + 2 })
      same('what is known', await known(fixture, workspace), [
        { ...READING, phoneNumberId, quality: 'red', qualitySince: at + 1, messagesPerSecond: 1_000, readAt: at + 2 },
      ])
      same('of the same time', await note(fixture, number, { quality: 'yellow', at: at + 2 }), true)
      same('the last one', (await known(fixture, workspace))[0]?.quality, 'yellow')
    },
  },
  {
    name: 'an older reading changes nothing',
    check: async (fixture) => {
      const number = await opened(fixture)
      const { at, workspace } = number
      await note(fixture, number, { ...READING, at: at + 1 })
      const before = await known(fixture, workspace)
      same('it is not stored', await note(fixture, number, { ...READING, quality: 'red', at }), false)
      same('what is known', await known(fixture, workspace), before)
      same('no event', await changes(fixture, workspace), [])
    },
  },
  {
    name: 'a reading of a number that is not a sender of the workspace changes nothing',
    check: async (fixture) => {
      const [ours, theirs] = [await opened(fixture), await opened(fixture)]
      const { at, workspace, sender } = ours
      for (const number of [
        { workspace, sender: theirs.sender }, { workspace: newWorkspaceId(), sender }, { workspace, sender: senderIdOf(newDigits(15)) },
      ]) same('it is not stored', await note(fixture, number, { ...READING, at }), false)
      same('our numbers', await known(fixture, workspace), [])
      same('theirs', await known(fixture, theirs.workspace), [])
      await done('a sender is removed', fixture.senders.remove(theirs))
      same('a removed number', await note(fixture, theirs, { ...READING, at }), false)
      same('no number of theirs', await known(fixture, theirs.workspace), [])
    },
  },
  {
    name: 'a reading with a new quality or a new limit of a known number stores what was made of the change, and any other reading nothing',
    check: async (fixture) => {
      const number = await opened(fixture)
      const { at, workspace } = number
      await note(fixture, number, { displayNumber: READING.displayNumber, quality: 'green', at })
      await note(fixture, number, { ...READING, at: at + 1 })
      await note(fixture, number, { ...READING, verifiedName: 'Other', displayNumber: '+1 555-078-3882', at: at + 2 })
      await note(fixture, number, { at: at + 3 })
      same('facts that become known, names, and nothing', await changes(fixture, workspace), [])
      await note(fixture, number, { quality: 'yellow', at: at + 4 })
      await note(fixture, number, { customersPerDay: 'unlimited', at: at + 5 })
      await note(fixture, number, { messagesPerSecond: 1_000, at: at + 6 })
      await note(fixture, number, { quality: 'yellow', customersPerDay: 'unlimited', messagesPerSecond: 1_000, at: at + 7 })
      same('a quality and two limits', await changes(fixture, workspace), [
        { before: 'green', after: 'yellow' }, { before: 'yellow', after: 'yellow' }, { before: 'yellow', after: 'yellow' },
      ])
    },
  },
  {
    name: 'of concurrent identical readings only one finds a change',
    check: async (fixture) => {
      const number = await opened(fixture)
      const { at, workspace } = number
      const nodes = [fixture, fixture.elsewhere ?? fixture]
      const together = (reading: NumberReading) =>
        Promise.all(times(12, (index) => note(nodes[index % 2] ?? fixture, number, reading)))
      await together({ ...READING, at })
      await together({ ...READING, quality: 'red', at: at + 1 })
      same('the events', await changes(fixture, workspace), [{ before: 'green', after: 'red' }])
    },
  },
  {
    name: 'a number that is taken is due again at the end of the claim',
    check: async (fixture) => {
      const { workspace, at } = await opened(fixture)
      same('it was never read', await claimed(fixture, workspace, at, at + 100), 1)
      same('during the claim', await claimed(fixture, workspace, at + 99, at + 100), 0)
      same('after the claim', await claimed(fixture, workspace, at + 100), 1)
    },
  },
  {
    name: 'a number that was read is due after the usual time',
    check: async (fixture) => {
      const number = await opened(fixture)
      const { workspace, at } = number
      await claimed(fixture, workspace, at, at + 10)
      await note(fixture, number, { ...READING, at })
      same('before', await claimed(fixture, workspace, at + READ_EVERY_MS - 1, at + READ_EVERY_MS), 0)
      same('then', await claimed(fixture, workspace, at + READ_EVERY_MS), 1)
    },
  },
  {
    name: 'wanted numbers are due at the given time: those of senders of the account, and those with the digits',
    check: async (fixture) => {
      const [ours, theirs] = [await opened(fixture), await opened(fixture)]
      const { at } = ours
      const displayNumber = `+${newDigits(4)} ${newDigits(8)}`
      for (const number of [ours, theirs]) await note(fixture, number, { ...READING, displayNumber, at })
      await note(fixture, theirs, { displayNumber: `+${newDigits(12)}`, at: at + 1 })
      await want(fixture, ours.accountId, at + 20)
      same('before', await claimed(fixture, ours.workspace, at + 19), 0)
      same('by the account', await claimed(fixture, ours.workspace, at + 20), 1)
      await want(fixture, newDigits(15), at + 30, displayNumber.replace(/[^0-9]/g, ''))
      same('by the digits', await claimed(fixture, ours.workspace, at + 30), 1)
      await want(fixture, newDigits(15), at + 40)
      same('another account', await claimed(fixture, ours.workspace, at + 40), 0)
      same('the other number', await claimed(fixture, theirs.workspace, at + 40), 0)
    },
  },
  {
    name: 'a wanted number that is due earlier stays due, and a reading that started before does not postpone it',
    check: async (fixture) => {
      const number = await opened(fixture)
      const { workspace, accountId, at } = number
      await note(fixture, number, { ...READING, at })
      await want(fixture, accountId, at + 20)
      await want(fixture, accountId, at + 30)
      same('the earlier time', await claimed(fixture, workspace, at + 20, at + 90), 1)
      await note(fixture, number, { ...READING, at: at + 21 })
      same('wanted after the reading', await claimed(fixture, workspace, at + 30, at + 90), 1)
      await note(fixture, number, { ...READING, at: at + 30 })
      same('wanted before the reading', await claimed(fixture, workspace, at + 90), 0)
    },
  },
  {
    name: 'of concurrent claims one takes a number',
    check: async (fixture) => {
      const number = await opened(fixture)
      const { workspace, at } = number
      const nodes = [fixture, fixture.elsewhere ?? fixture]
      const together = async (from: Instant) =>
        (await Promise.all(times(8, (index) => claimed(nodes[index % 2] ?? fixture, workspace, from)))).reduce((sum, count) => sum + count)
      same('one that was never read', await together(at), 1)
      await note(fixture, number, { ...READING, at })
      same('one that was read', await together(at + READ_EVERY_MS), 1)
    },
  },
  {
    name: 'at most the given number is taken, longest due first',
    check: async (fixture) => {
      const [first, second] = [await opened(fixture), await opened(fixture)]
      const { at } = first
      // The numbers of other laws are due later.
      await claimed(fixture, first.workspace, FAR)
      await want(fixture, second.accountId, at + 2)
      await want(fixture, first.accountId, at + 1)
      const taken = async (limit: number) =>
        (await done('numbers are taken', fixture.numberHealth.claim(at + 5, FAR, limit))).map(({ sender }) => sender)
      same('one', await taken(1), [first.sender])
      same('the others', await taken(5), [second.sender])
    },
  },
  {
    name: 'the numbers of archived workspaces and of removed senders are not taken',
    check: async (fixture) => {
      const [archived, removed] = [await opened(fixture), await opened(fixture)]
      await note(fixture, removed, { ...READING, at: removed.at })
      await fixture.archiveWorkspace(archived.workspace)
      await done('a sender is removed', fixture.senders.remove(removed))
      for (const { workspace } of [archived, removed]) same('its numbers', await claimed(fixture, workspace, FAR), 0)
    },
  },
]
