import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceState, WorkspaceStates, WorkspaceSum } from '../../core/all-workspaces.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { DAY_MS, HOUR_MS, type Instant } from '../../core/kernel/time.js'
import type { Workspaces } from '../../core/kernel/workspace.js'
import type { MessageLog } from '../../core/messages/message-log.js'
import type { MessageState } from '../../core/messages/message.js'
import { bucketSpan, bucketStart, type MessageStatistics } from '../../core/messages/statistics.js'
import type { Ledger } from '../../core/money/ledger.js'
import type { Wallet, WalletAlerts } from '../../core/money/wallet.js'
import type { Senders } from '../../core/senders/sender.js'
import { done, same } from './expect.js'
import { newMessageId, newName, newPhoneNumber, newWorkspaceId } from './ids.js'
import type { Law } from './law.js'
import { NOON } from './message-fixture.js'
import { newSender } from './senders-fixture.js'

/** The state of all workspaces, and the ports that write it, over one storage. */
export type WorkspaceStatesFixture = {
  readonly workspaceStates: WorkspaceStates
  readonly workspaces: Workspaces
  readonly ledger: Ledger
  readonly wallet: Wallet
  readonly walletAlerts: WalletAlerts
  readonly senders: Senders
  readonly messageLog: MessageLog
  readonly messageStatistics: MessageStatistics
}

const CURRENCY = 'USD' as Currency
const HOUR = bucketStart('1h', NOON)

const opened = async ({ workspaces }: WorkspaceStatesFixture): Promise<WorkspaceId> => {
  const id = newWorkspaceId()
  await done('a workspace is created', workspaces.create({ id, name: newName(), currency: CURRENCY, createdAt: NOON }))
  return id
}

/** Opens messages at a time, moves each into a state, and counts the hour. */
const counted = async (
  { messageLog, messageStatistics }: WorkspaceStatesFixture, workspace: WorkspaceId, at: Instant, states: ReadonlyArray<MessageState>,
): Promise<void> => {
  for (const state of states) {
    const id = newMessageId(at)
    await done('a message is opened', messageLog.open({
      id, workspace, at, price: { micros: 50_000n, currency: CURRENCY, category: 'utility' },
      message: { _tag: 'Text', to: newPhoneNumber(), text: 'Hello' },
    }))
    if (state !== 'pending' && state !== 'queued') await done('a message changes', messageLog.apply(workspace, id, { state, at }))
  }
  await done('the hour is counted', messageStatistics.recount(workspace, '1h', bucketStart('1h', at)))
}

/** The promises of every `WorkspaceStates`. */
export const workspaceStatesLaws: ReadonlyArray<Law<WorkspaceStatesFixture>> = [
  {
    name: 'the states are those of every workspace, oldest first, with its balance, its alerts and since when its sender fails',
    check: async (fixture) => {
      const { workspaceStates, workspaces, ledger, wallet, walletAlerts, senders } = fixture
      const [failing, low, archived] = [await opened(fixture), await opened(fixture), await opened(fixture)]

      const sender = newSender()
      for (const one of [newSender(), sender]) await done('a sender', senders.assign(failing, one))
      await done('it fails', senders.noteHealth({ workspace: failing, sender: sender.phoneNumberId }, true, NOON))
      await done('money', ledger.topUp({ workspace: low, micros: 100n, reference: newName(), at: NOON }))
      await done('a threshold', walletAlerts.setThreshold(low, 90n))
      const amount = { micros: 20n, currency: CURRENCY }
      await done('a hold', wallet.hold({ workspace: low, message: newMessageId(NOON), amount, at: NOON }))
      await done('an archived one', workspaces.archive(archived, NOON))
      const expected: Array<WorkspaceState> = []
      for (const workspace of await done('the workspaces', workspaces.list())) {
        const balance = O.toUndefined(await done('a balance', ledger.balance(workspace.id)))
        const alerts = O.toUndefined(await done('alerts', walletAlerts.alertsOf(workspace.id)))
        const has = (await done('senders', senders.sendersOf(workspace.id))).find(({ failingSince }) => failingSince !== undefined)
        if (balance !== undefined && alerts !== undefined) expected.push({ workspace, balance, alerts, failingSince: has?.failingSince })
      }
      const states = await done('the states', workspaceStates.states())
      const ours = [failing, low, archived]
      const isOurs = ({ workspace: { id } }: WorkspaceState): boolean => ours.includes(id)
      same('all of them', states.filter(isOurs), expected.filter(isOurs))
      same('in order', states.map(({ workspace: { id } }) => id), expected.map(({ workspace: { id } }) => id))
    },
  },
  {
    name: 'the sums of a period have the messages of each workspace, those that were not delivered, and what they cost',
    check: async (fixture) => {
      const [one, other, none] = [await opened(fixture), await opened(fixture), await opened(fixture)]
      await counted(fixture, one, HOUR - 1, ['read'])
      await counted(fixture, one, HOUR, ['read', 'failed', 'refused', 'released', 'pending'])
      await counted(fixture, one, HOUR + HOUR_MS, ['delivered', 'sent'])
      await counted(fixture, other, HOUR, ['accepted'])
      const sums = async (width: '1h' | '1d', from: Instant, to: Instant): Promise<ReadonlyArray<WorkspaceSum>> =>
        (await done('the sums', fixture.workspaceStates.sums(width, { from, to })))
          .filter(({ workspace }) => [one, other, none].includes(workspace)).toSorted((a) => (a.workspace === one ? -1 : 1))
      const ofOther = { workspace: other, messages: 1, failed: 0, micros: 50_000n }
      same('one hour', await sums('1h', HOUR, HOUR + HOUR_MS), [{ workspace: one, messages: 5, failed: 3, micros: 50_000n }, ofOther])
      const { from, to } = bucketSpan('1d', bucketStart('1d', HOUR))
      same('the day', await sums('1d', from, to), [{ workspace: one, messages: 8, failed: 3, micros: 200_000n }, ofOther])
      same('another day', await sums('1d', from - DAY_MS, from), [])
    },
  },
  {
    name: 'the buckets of a period have the messages of the given workspaces, ordered by bucket',
    check: async (fixture) => {
      const [one, other] = [await opened(fixture), await opened(fixture)]
      await counted(fixture, one, HOUR + HOUR_MS, ['delivered', 'failed'])
      await counted(fixture, one, HOUR, ['read'])
      await counted(fixture, other, HOUR, ['accepted'])
      const buckets = (of: ReadonlyArray<WorkspaceId>, to: Instant) =>
        done('the buckets', fixture.workspaceStates.buckets(of, '1h', { from: HOUR, to }))
      const first = { workspace: one, start: HOUR, messages: 1 }
      same('both hours', await buckets([one], HOUR + 2 * HOUR_MS), [first, { workspace: one, start: HOUR + HOUR_MS, messages: 2 }])
      same('the first hour', await buckets([one], HOUR + HOUR_MS), [first])
      same('of both', (await buckets([one, other], HOUR + HOUR_MS)).length, 2)
      same('of none', await buckets([], HOUR + HOUR_MS), [])
    },
  },
]
