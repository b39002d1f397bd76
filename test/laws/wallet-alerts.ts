import * as O from 'fp-ts/lib/Option.js'
import { MAX_MICROS } from '../../core/kernel/money.js'
import type { MakeOutboxEntries } from '../../core/kernel/outbox.js'
import { NO_ALERTS, type WalletAlert } from '../../core/money/wallet.js'
import { newEvent } from './entries-fixture.js'
import { done, holds, refused, same } from './expect.js'
import { newName, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { NOON } from './ledger-fixture.js'
import { alertData, names, openAlerting, type WalletAlertsFixture } from './wallet-alerts-fixture.js'

export type { WalletAlertsFixture, WalletAlertsPorts } from './wallet-alerts-fixture.js'

const LOW = ['WalletLow']
const EXHAUSTED = ['WalletExhausted']

/** The joint promises of a `Wallet`, its `Ledger` and its `WalletAlerts`, if the entries of a write are stored. */
export const walletAlertsLaws: ReadonlyArray<Law<WalletAlertsFixture>> = [
  {
    name: 'the first hold that leaves less than the threshold raises WalletLow once, with the balance that it left',
    check: async (fixture) => {
      const { send, raised, alerts, currency } = await openAlerting(fixture, 20n, 10n)
      for (const micros of [4n, 6n]) await send(micros)
      same('exactly the threshold is left', await raised(), [])
      await send(1n)
      same('a micro less is left', await raised(), [{ alert: 'WalletLow', at: NOON, available: '9', held: '11', currency, amount: '10' }])
      same('the alerts', await alerts(), { threshold: 10n, lowSince: NOON, exhaustedSince: undefined })
      for (const micros of [1n, 0n, 8n]) await send(micros)
      same('it is low already', await raised(), [])
    },
  },
  {
    name: 'a wallet without a threshold is never low',
    check: async (fixture) => {
      const { send, raised, alerts } = await openAlerting(fixture, 20n)
      same('a new wallet', await alerts(), NO_ALERTS)
      for (const micros of [10n, 10n]) await send(micros)
      same('all is spent', await raised(), [])
      same('the alerts', await alerts(), NO_ALERTS)
    },
  },
  {
    name: 'the first hold that the balance cannot cover raises WalletExhausted once, with and without a threshold',
    check: async (fixture) => {
      for (const threshold of [undefined, 5n]) {
        const { send, raised, alerts, currency } = await openAlerting(fixture, 20n, threshold)
        await send(10n)
        for (const micros of [11n, 12n, 10_000n]) await send(micros)
        same('the first refusal', await raised(), [
          { alert: 'WalletExhausted', at: NOON, available: '10', held: '10', currency, amount: '11' },
        ])
        await send(1n)
        await send(500n)
        same('a hold that succeeds does not clear it', await raised(), [])
        same('the alerts', await alerts(), { threshold, lowSince: undefined, exhaustedSince: NOON })
      }
    },
  },
  {
    name: 'concurrent holds raise each alert once, and WalletLow by the very hold that passes the threshold',
    check: async (fixture) => {
      for (const round of times(3, (index) => index)) {
        const { send, raised, has } = await openAlerting(fixture, 600n, 301n)
        const outcomes = await Promise.all(times(256, (index) => send(3n, index)))
        same('as many are sent as the balance covers', outcomes.filter(Boolean).length, 200)
        await has('nothing is left', 0n, 600n)
        const alerts = await raised()
        same(`each alert once, in round ${round}`, [...names(alerts)].sort(), [...EXHAUSTED, ...LOW])
        same('what the hold left that raised it', alerts.find(({ alert }) => alert === 'WalletLow')?.['available'], '300')
      }
    },
  },
  {
    name: 'concurrent holds that pass the threshold only together raise WalletLow',
    check: async (fixture) => {
      const workspaces = await Promise.all(times(20, () => openAlerting(fixture, 14n, 10n)))
      for (const { send, raised } of workspaces) {
        await Promise.all([send(3n, 0), send(3n, 1)])
        same('what the later one left', (await raised()).map(({ alert, available }) => [alert, available]), [['WalletLow', '8']])
      }
    },
  },
  {
    name: 'a top-up that brings available to the threshold makes the wallet no longer low, and one that brings less does not',
    check: async (fixture) => {
      const { send, topUp, raised, alerts } = await openAlerting(fixture, 10n, 10n)
      await send(6n)
      same('low', names(await raised()), LOW)
      await topUp(5n)
      await send(1n)
      same('still low', await raised(), [])
      same('since then', (await alerts()).lowSince, NOON)
      await topUp(2n)
      same('exactly the threshold', await alerts(), { threshold: 10n, lowSince: undefined, exhaustedSince: undefined })
      await send(1n)
      same('low again', names(await raised()), LOW)
    },
  },
  {
    name: 'a top-up that leaves anything to spend makes the wallet no longer exhausted, and a reference that repeats does not',
    check: async (fixture) => {
      const { send, topUp, raised, alerts, workspace } = await openAlerting(fixture, 0n)
      await send(1n)
      same('exhausted', names(await raised()), EXHAUSTED)
      const reference = newName()
      await topUp(1n, reference)
      same('no longer', (await alerts()).exhaustedSince, undefined)
      await send(2n)
      same('exhausted again', names(await raised()), EXHAUSTED)
      await topUp(1n, reference)
      await fixture.ledger.topUp({ workspace, micros: 2n, reference, at: NOON })
      await send(2n)
      same('nothing was added', await raised(), [])
    },
  },
  {
    name: 'money added to a wallet below zero leaves it exhausted until there is something to spend',
    check: async (fixture) => {
      const { send, topUp, price, raised, has } = await openAlerting(fixture, 10n)
      const late = price(10n)
      await done('a hold succeeds', fixture.wallet.hold(late))
      await done('it is given back', fixture.wallet.release(late))
      await send(10n)
      await done('it is captured late', fixture.wallet.capture(late))
      await send(1n)
      same('exhausted', names(await raised()), EXHAUSTED)
      await topUp(10n)
      await has('nothing to spend', 0n, 10n)
      await send(1n)
      same('still exhausted', await raised(), [])
    },
  },
  {
    name: 'an adjustment that adds money clears the alerts as a top-up does, and one that takes money away changes none',
    check: async (fixture) => {
      const { send, adjust, raised, alerts } = await openAlerting(fixture, 20n, 10n)
      await adjust(-11n)
      same('an adjustment raises nothing', await raised(), [])
      await send(1n)
      await send(100n)
      same('low and exhausted', names(await raised()), [...LOW, ...EXHAUSTED])
      await adjust(-1n)
      const { lowSince, exhaustedSince } = await alerts()
      same('still both', [lowSince, exhaustedSince], [NOON, NOON])
      await adjust(20n)
      same('neither', await alerts(), { ...NO_ALERTS, threshold: 10n })
    },
  },
  {
    name: 'what is released or refunded clears no alert',
    check: async (fixture) => {
      const { send, price, raised, alerts, adjust, has } = await openAlerting(fixture, 20n, 10n)
      const [first, second] = [price(8n), price(12n)]
      for (const hold of [first, second]) await done('a hold succeeds', fixture.wallet.hold(hold))
      await send(1n)
      same('one that took nothing along leaves nothing to read', names(await raised()), EXHAUSTED)
      await done('it is released', fixture.wallet.release(first))
      await done('it is refunded', fixture.wallet.refund(second))
      await has('all is available', 20n)
      same('the alerts', await alerts(), { threshold: 10n, lowSince: NOON, exhaustedSince: NOON })
      await adjust(-5n)
      same('the alerts after money was taken away', await alerts(), { threshold: 10n, lowSince: NOON, exhaustedSince: NOON })
      await send(14n)
      await send(14n)
      same('no alert again', await raised(), [])
    },
  },
  {
    name: 'a hold that is repeated, has another currency or passes a limit raises nothing',
    check: async (fixture) => {
      const { workspace, price, raised, alerts, currency } = await openAlerting(fixture, 10n, 5n)
      const outboxEntries: MakeOutboxEntries<WalletAlert> = (alert) => [newEvent(workspace, alertData(alert))]
      const hold = price(3n)
      for (const micros of [3n, 100n]) {
        await done('a repetition succeeds', fixture.wallet.hold({ ...hold, amount: { micros, currency } }, outboxEntries))
      }
      const foreign = { ...price(100n), amount: { micros: 100n, currency: 'XXX' as typeof currency } }
      await refused('another currency', 'PortFailure', fixture.wallet.hold(foreign, outboxEntries))
      same('nothing was raised', await raised(), [])
      same('the alerts', await alerts(), { ...NO_ALERTS, threshold: 5n })
    },
  },
  {
    name: 'a threshold is read back as it was set, replaced and removed, and raises nothing by itself',
    check: async (fixture) => {
      const { setThreshold, alerts, raised, send } = await openAlerting(fixture, 20n)
      for (const threshold of [1n, MAX_MICROS, undefined, 30n, 30n]) {
        same('the answer', await setThreshold(threshold), { ...NO_ALERTS, threshold })
        same('what is read', await alerts(), { ...NO_ALERTS, threshold })
      }
      same('nothing is raised', await raised(), [])
      await send(1n)
      same('the next hold raises it', names(await raised()), LOW)
    },
  },
  {
    name: 'another threshold keeps a wallet low that has less, and no other',
    check: async (fixture) => {
      const { setThreshold, alerts, raised, send } = await openAlerting(fixture, 20n, 10n)
      await send(15n)
      same('low', names(await raised()), LOW)
      for (const threshold of [8n, 6n, 100n]) same('still low', (await setThreshold(threshold)).lowSince, NOON)
      await send(1n)
      same('no alert again', await raised(), [])
      same('exactly what is left', await setThreshold(4n), { ...NO_ALERTS, threshold: 4n })
      await send(1n)
      same('low again', names(await raised()), LOW)
      await setThreshold(undefined)
      same('without a threshold', await alerts(), NO_ALERTS)
    },
  },
  {
    name: 'a price that is due soon raises WalletLow once, if it would leave less than the threshold',
    check: async (fixture) => {
      const { workspace, send, topUp, raised, alerts, has, currency } = await openAlerting(fixture, 20n, 10n)
      const raise = (micros: bigint, at = NOON) => done('a price is due soon', fixture.walletAlerts.raiseLow(
        { workspace, micros, at }, (alert) => [newEvent(alert.workspace, alertData(alert))],
      ))
      same('exactly the threshold would be left', [await raise(0n), await raise(10n), await raised()], [false, false, []])
      await send(1n)
      same('a micro less would be left', await raise(10n), true)
      same('the alert', await raised(), [{ alert: 'WalletLow', at: NOON, available: '19', held: '1', currency, amount: '10' }])
      same('the alerts', await alerts(), { threshold: 10n, lowSince: NOON, exhaustedSince: undefined })
      same('it is low already', [await raise(19n, NOON + 1), await send(15n), await raised()], [false, true, []])
      await has('nothing was paid', 4n, 16n)
      await topUp(6n)
      same('no longer', (await alerts()).lowSince, undefined)
      const concurrent = await Promise.all(times(8, (index) => (index % 2 === 0 ? fixture : fixture.elsewhere ?? fixture).walletAlerts
        .raiseLow({ workspace, micros: 1n, at: NOON }, (alert) => [newEvent(alert.workspace, alertData(alert))])))
      same('one of concurrent calls', concurrent.map((one) => one._tag === 'Right' && one.right).filter(Boolean).length, 1)
      same('again', names(await raised()), LOW)
    },
  },
  {
    name: 'a price that is due soon raises nothing in a wallet without a threshold, or without a wallet',
    check: async (fixture) => {
      const { workspace, raised, alerts } = await openAlerting(fixture, 20n)
      for (const of of [workspace, newWorkspaceId()]) {
        const raise = fixture.walletAlerts.raiseLow({ workspace: of, micros: 30n, at: NOON }, () => [newEvent(workspace, {})])
        same('whether it raised one', await done('a price is due soon', raise), false)
      }
      same('what was raised', await raised(), [])
      same('the alerts', await alerts(), NO_ALERTS)
    },
  },
  {
    name: 'a threshold concerns its own workspace alone',
    check: async (fixture) => {
      const ours = await openAlerting(fixture, 20n, 10n)
      const theirs = await openAlerting(fixture, 20n, 15n)
      await Promise.all([ours.send(9n), theirs.send(9n), ours.send(50n, 1)])
      same('ours', names(await ours.raised()), EXHAUSTED)
      same('theirs', names(await theirs.raised()), LOW)
      await theirs.topUp(20n)
      same('their top-up', (await ours.alerts()).exhaustedSince, NOON)
    },
  },
  {
    name: 'setting a threshold stores what was made of the alerts afterwards',
    check: async (fixture) => {
      const { workspace, raised, send } = await openAlerting(fixture, 20n, 10n)
      await send(15n)
      await raised()
      for (const threshold of [8n, undefined]) {
        await done('a threshold is set', fixture.walletAlerts.setThreshold(workspace, threshold, (state) =>
          [newEvent(workspace, { threshold: String(state.threshold), low: String(state.lowSince) })]))
      }
      same('what is stored', await raised(), [{ threshold: '8', low: String(NOON) }, { threshold: 'undefined', low: 'undefined' }])
    },
  },
  {
    name: 'a workspace that does not exist has no alerts, and no threshold can be set',
    check: async ({ walletAlerts, eventOutbox }) => {
      const workspace = newWorkspaceId()
      same('no alerts', await done('the alerts are read', walletAlerts.alertsOf(workspace)), O.none)
      for (const threshold of [5n, undefined]) {
        await refused('no workspace', 'UnknownWorkspace', walletAlerts.setThreshold(workspace, threshold, () => [newEvent(workspace, {})]))
      }
      same('nothing is stored', await done('the events are read', eventOutbox.after(workspace, 0, 10)), [])
    },
  },
  {
    name: 'alerts change nothing in the books',
    check: async (fixture) => {
      const { workspace, send, topUp, setThreshold, raised } = await openAlerting(fixture, 50n, 40n)
      await Promise.all([
        ...times(30, (index) => send(7n, index)), ...times(5, () => topUp(20n)),
        ...times(5, (index) => setThreshold(index === 0 ? undefined : BigInt(index * 20))),
      ])
      const { broken } = await done('an audit', fixture.ledger.audit())
      same('the books are exact', broken.filter((finding) => finding.workspace === workspace), [])
      const balance = await done('a balance is read', fixture.ledger.balance(workspace))
      holds('available is not below zero', O.isSome(balance) && balance.value.available >= 0n, balance)
      holds('no more alerts than top-ups and thresholds', (await raised()).length <= 22, 'more')
    },
  },
]
