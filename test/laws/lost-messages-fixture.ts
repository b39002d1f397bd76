import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { EventOutbox } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { LostMessage, LostMessages, LostSettlement, LostStatus, SettledLost } from '../../core/reports/status.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { allPages, done } from './expect.js'
import { newMessageId, newPhoneNumber, newPlatformId } from './ids.js'
import { type LedgerFixture, NOON, openLedgerWorkspace } from './ledger-fixture.js'
import type { MessageLogFixture } from './message-fixture.js'

/** The lost messages, the wallets to which they are charged, and the outbox that stores the entries of settlements. */
export type LostMessagesFixture = LedgerFixture & MessageLogFixture & {
  readonly lostMessages: LostMessages
  /** How many lost messages of a workspace this adapter stores: `LOST_MESSAGES_KEPT`, or fewer, at least 4, so that the laws take less time. */
  readonly lostMessagesKept: number
  readonly eventOutbox: Pick<EventOutbox, 'append' | 'after'>
  /** The same storage as another node opens it, if there are several nodes. */
  readonly elsewhere?: { readonly lostMessages: LostMessages }
}

/** A status of a new lost message; `more` replaces parts of it. */
export const newStatus = (workspace: WorkspaceId, more: Partial<LostStatus> = {}): LostStatus => ({
  workspace, message: newMessageId(more.at ?? NOON), platformId: newPlatformId(), phoneNumberId: senderIdOf('27681414235104944'),
  to: newPhoneNumber(), state: 'sent', category: undefined, billable: undefined, at: NOON, ...more,
})

/** A lost message according to one status. */
export const toldBy = ({ at, ...status }: LostStatus): LostMessage => ({ ...status, firstAt: at, lastAt: at })

/** A workspace with money in its wallet, and the repeated actions of the laws of lost messages. */
export const openLossy = async (fixture: LostMessagesFixture, money = 1_000n) => {
  const opened = await openLedgerWorkspace(fixture)
  const { workspace } = opened
  if (money > 0n) await opened.topUp(money)
  const settlement = ({ message: id }: Pick<LostStatus, 'message'>, more: Partial<LostSettlement> = {}): LostSettlement =>
    ({ workspace, id, micros: 70n, note: 'after the failover', at: NOON, ...more })
  return {
    ...opened, settlement,
    note: async (...statuses: ReadonlyArray<LostStatus>): Promise<void> => {
      for (const status of statuses) await done('a status is noted', fixture.lostMessages.note(status))
    },
    /** A lost message of the workspace, which was stored. */
    noted: async (more: Partial<LostStatus> = {}): Promise<LostStatus> => {
      const status = newStatus(workspace, more)
      await done('a status is noted', fixture.lostMessages.note(status))
      return status
    },
    settle: (status: Pick<LostStatus, 'message'>, more: Partial<LostSettlement> = {}): Promise<SettledLost> =>
      done('a lost message is settled', fixture.lostMessages.settle(settlement(status, more))),
    listed: (): Promise<ReadonlyArray<LostMessage>> => listedOf(fixture, workspace),
  }
}

/** The lost messages of a workspace; laws run in fixtures in which other workspaces have some. */
export const listedOf = async (
  { lostMessages }: LostMessagesFixture, workspace: WorkspaceId, limit = 1_000,
): Promise<ReadonlyArray<LostMessage>> =>
  (await allPages('the lost messages are listed', lostMessages.list, limit)).filter((message) => message.workspace === workspace)

/** The time this many milliseconds after noon. */
export const after = (ms: number): Instant => NOON + ms
