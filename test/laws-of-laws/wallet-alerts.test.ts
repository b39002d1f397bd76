import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type MakeOutboxEntries, eventsIn } from '../../core/kernel/outbox.js'
import type { Ledger } from '../../core/money/ledger.js'
import { type NewHold, NO_ALERTS, type Wallet, type WalletAlert, type WalletAlerts } from '../../core/money/wallet.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { newName } from '../laws/ids.js'
import { type WalletAlertsFixture, walletAlertsLaws } from '../laws/wallet-alerts.js'
import { andThen, noting } from './broken-memory.js'
import { describeMutations } from './mutation.js'

type Memory = Awaited<ReturnType<typeof openMemoryFixture>>

const broken = (defect: (memory: Memory) => Partial<WalletAlertsFixture>) => async (): Promise<WalletAlertsFixture> => {
  const memory = await openMemoryFixture()
  return { ...memory, ...defect(memory) }
}

const brokenWallet = (defect: (wallet: Wallet, memory: Memory) => Partial<Wallet>) =>
  broken((memory) => ({ wallet: { ...memory.wallet, ...defect(memory.wallet, memory) } }))
const brokenLedger = (defect: (ledger: Ledger) => Partial<Ledger>) => broken(({ ledger }) => ({ ledger: { ...ledger, ...defect(ledger) } }))
const brokenAlerts = (defect: (alerts: WalletAlerts) => Partial<WalletAlerts>) =>
  broken(({ walletAlerts }) => ({ walletAlerts: { ...walletAlerts, ...defect(walletAlerts) } }))

/** A wallet that stores something else of an alert. */
const storing = (change: (outboxEntries: MakeOutboxEntries<WalletAlert>) => MakeOutboxEntries<WalletAlert>) =>
  brokenWallet((wallet) => ({ hold: (hold, outboxEntries = () => []) => wallet.hold(hold, change(outboxEntries)) }))

/** A wallet that raises another alert of its own after a hold, where `when` says so. */
const raisingToo = (when: (memory: Memory, hold: NewHold) => Promise<(outcome: Awaited<ReturnType<Wallet['hold']>>) => boolean>) =>
  brokenWallet((wallet, memory) => ({
    hold: async (hold, outboxEntries = () => []) => {
      const raises = await when(memory, hold)
      const outcome = await wallet.hold(hold, outboxEntries)
      if (!raises(outcome)) return outcome
      const { workspace, at, amount: { micros: required, currency } } = hold
      const alert: WalletAlert = { _tag: 'WalletExhausted', workspace, at, required, balance: { available: 0n, held: 0n, currency } }
      await memory.eventOutbox.append(workspace, eventsIn(outboxEntries(alert)))
      return outcome
    },
  }))

/** Adds money and takes it away again, which clears every alert. */
const clear = async ({ adjust }: Ledger, workspace: WorkspaceId): Promise<void> => {
  for (const micros of [1_000n, -1_000n]) await adjust({ workspace, micros, reference: newName(), note: 'to clear', at: 0 })
}

const ONCE_LOW = 'the first hold that leaves less than the threshold raises WalletLow once, with the balance that it left'
const NEVER_LOW = 'a wallet without a threshold is never low'
const ONCE_EXHAUSTED = 'the first hold that the balance cannot cover raises WalletExhausted once, with and without a threshold'
const CONCURRENT = 'concurrent holds raise each alert once, and WalletLow by the very hold that passes the threshold'
const TOGETHER = 'concurrent holds that pass the threshold only together raise WalletLow'
const LOW_CLEARED = 'a top-up that brings available to the threshold makes the wallet no longer low, and one that brings less does not'
const EXHAUSTED_CLEARED = 'a top-up that leaves anything to spend makes the wallet no longer exhausted, and a reference that repeats does not'
const BELOW_ZERO = 'money added to a wallet below zero leaves it exhausted until there is something to spend'
const ADJUSTED = 'an adjustment that adds money clears the alerts as a top-up does, and one that takes money away changes none'
const GIVEN_BACK = 'what is released or refunded clears no alert'
const NO_ALERT = 'a hold that is repeated, has another currency or passes a limit raises nothing'
const READ_BACK = 'a threshold is read back as it was set, replaced and removed, and raises nothing by itself'
const REPLACED = 'another threshold keeps a wallet low that has less, and no other'
const OWN = 'a threshold concerns its own workspace alone'
const ALONG = 'setting a threshold stores what was made of the alerts afterwards'
const UNKNOWN = 'a workspace that does not exist has no alerts, and no threshold can be set'
const BOOKS = 'alerts change nothing in the books'

const SOON = 'a price that is due soon raises WalletLow once, if it would leave less than the threshold'
const NEVER_SOON = 'a price that is due soon raises nothing in a wallet without a threshold, or without a wallet'

describeMutations('the alerts of wallets', walletAlertsLaws, [
  {
    defect: 'stores nothing of an alert',
    open: storing(() => () => []),
    breaks: [ONCE_LOW, ONCE_EXHAUSTED, CONCURRENT, LOW_CLEARED, ADJUSTED, OWN],
  },
  {
    defect: 'stores alerts again and again',
    open: storing((outboxEntries) => (alert) => Array.from({ length: 30 }, () => outboxEntries(alert)).flat()),
    breaks: [
      ONCE_LOW, ONCE_EXHAUSTED, CONCURRENT, BOOKS,
    ],
  },
  {
    defect: 'tells the balance before the hold',
    open: storing((outboxEntries) => (alert) =>
      outboxEntries({ ...alert, balance: { ...alert.balance, available: alert.balance.available + alert.balance.held, held: 0n } })),
    breaks: [ONCE_LOW, CONCURRENT],
  },
  {
    defect: 'raises each alert once for ever',
    open: broken(({ wallet }) => {
      const seen = new Set<string>()
      const once = (outboxEntries: MakeOutboxEntries<WalletAlert>): MakeOutboxEntries<WalletAlert> => (alert) => {
        const name = `${alert.workspace} ${alert._tag}`
        if (seen.has(name)) return []
        seen.add(name)
        return outboxEntries(alert)
      }
      return { wallet: { ...wallet, hold: (hold, outboxEntries = () => []) => wallet.hold(hold, once(outboxEntries)) } }
    }),
    breaks: [LOW_CLEARED, EXHAUSTED_CLEARED, REPLACED],
  },
  {
    defect: 'raises WalletExhausted at each refusal',
    open: raisingToo(() => Promise.resolve((outcome) => E.isLeft(outcome) && outcome.left._tag === 'InsufficientBalance')),
    breaks: [
      ONCE_EXHAUSTED, CONCURRENT, BELOW_ZERO,
    ],
  },
  {
    defect: 'reads whether an alert is raised, waits and raises it',
    open: raisingToo(async ({ walletAlerts, ledger }, { workspace }) => {
      const [state, balance] = [await walletAlerts.alertsOf(workspace), await ledger.balance(workspace)]
      const isFree = E.isRight(state) && O.isSome(state.right) && state.right.value.exhaustedSince === undefined
      const isSpent = E.isRight(balance) && O.isSome(balance.right) && balance.right.value.available < 550n
      await new Promise((resolve) => { setImmediate(resolve) })
      return (outcome) => isFree && isSpent && E.isLeft(outcome)
    }),
    breaks: [ONCE_EXHAUSTED],
  },
  {
    defect: 'reads the balance, waits and judges what it has read',
    open: brokenWallet((wallet, { ledger }) => ({
      hold: async (hold, outboxEntries = () => []) => {
        const read = await ledger.balance(hold.workspace)
        await new Promise((resolve) => { setImmediate(resolve) })
        const left = E.isRight(read) && O.isSome(read.right) ? read.right.value.available - hold.amount.micros : 0n
        return wallet.hold(hold, (alert) => (alert._tag === 'WalletLow' && left >= alert.threshold ? [] : outboxEntries(alert)))
      },
    })),
    breaks: [TOGETHER],
  },
  {
    defect: 'raises an alert for a price in another currency',
    open: raisingToo(() => Promise.resolve((outcome) => E.isLeft(outcome) && outcome.left._tag === 'PortFailure')),
    breaks: [NO_ALERT],
  },
  {
    defect: 'takes a repeated hold for a new one',
    open: raisingToo(async ({ wallet }, hold) => {
      const before = await wallet.holdOf(hold)
      return () => E.isRight(before) && before.right !== undefined
    }),
    breaks: [NO_ALERT],
  },
  { defect: 'is low at the threshold', open: brokenAlerts(({ setThreshold }) => ({
    setThreshold: (workspace, threshold, outboxEntries) =>
      setThreshold(workspace, threshold === undefined ? undefined : threshold + 1n, outboxEntries),
  })), breaks: [ONCE_LOW, LOW_CLEARED, READ_BACK, REPLACED] },
  { defect: 'has a threshold from the beginning', open: broken(({ openWorkspace, walletAlerts }) => ({
    openWorkspace: async () => {
      const opened = await openWorkspace()
      await walletAlerts.setThreshold(opened.workspace, 5n)
      return opened
    },
  })), breaks: [NEVER_LOW] },
  { defect: 'clears every alert at every top-up', open: brokenLedger((ledger) => ({
    topUp: (credit, outboxEntries) => noting(ledger.topUp(credit, outboxEntries), () => clear(ledger, credit.workspace)),
  })), breaks: [LOW_CLEARED] },
  { defect: 'clears every alert before a top-up', open: brokenLedger((ledger) => ({
    topUp: async (credit, outboxEntries) => {
      await clear(ledger, credit.workspace)
      return ledger.topUp(credit, outboxEntries)
    },
  })), breaks: [EXHAUSTED_CLEARED, BELOW_ZERO] },
  { defect: 'clears every alert at an adjustment that takes money away', open: brokenLedger((ledger) => ({
    adjust: (adjustment, outboxEntries) => noting(ledger.adjust(adjustment, outboxEntries), () => clear(ledger, adjustment.workspace)),
  })), breaks: [ADJUSTED] },
  { defect: 'clears every alert when money is released', open: brokenWallet(({ release }, { ledger }) => ({
    release: (of) => noting(release(of), () => clear(ledger, of.workspace)),
  })), breaks: [GIVEN_BACK] },
  { defect: 'clears low with every threshold', open: brokenAlerts(({ setThreshold }) => ({
    setThreshold: (workspace, threshold, outboxEntries) =>
      andThen(setThreshold(workspace, undefined), () => setThreshold(workspace, threshold, outboxEntries)),
  })), breaks: [REPLACED] },
  { defect: 'has one threshold for all workspaces', open: broken(({ walletAlerts }) => {
    const workspaces = new Set<WorkspaceId>()
    return {
      walletAlerts: {
        ...walletAlerts,
        setThreshold: async (workspace, threshold, outboxEntries) => {
          for (const other of workspaces.add(workspace)) await walletAlerts.setThreshold(other, threshold)
          return walletAlerts.setThreshold(workspace, threshold, outboxEntries)
        },
      },
    }
  }), breaks: [OWN] },
  { defect: 'stores nothing of a threshold', open: brokenAlerts(({ setThreshold }) => ({
    setThreshold: (workspace, threshold) => setThreshold(workspace, threshold),
  })), breaks: [ALONG] },
  { defect: 'has alerts of every workspace', open: brokenAlerts(({ alertsOf }) => ({
    alertsOf: (workspace) => alertsOf(workspace).then(E.map(O.alt(() => O.some(NO_ALERTS)))),
  })), breaks: [UNKNOWN] },
  { defect: 'never counts a price that is due soon', open: brokenAlerts(() => ({ raiseLow: async () => E.right(false) })), breaks: [SOON] },
  { defect: 'is low if a price that is due soon leaves the threshold', open: brokenAlerts(({ raiseLow }) => ({
    raiseLow: (due, ...more) => raiseLow({ ...due, micros: due.micros + 1n }, ...more),
  })), breaks: [SOON] },
  { defect: 'stores nothing of an alert of a price that is due soon', open: brokenAlerts(({ raiseLow }) => ({
    raiseLow: (due) => raiseLow(due),
  })), breaks: [SOON] },
  { defect: 'raises an alert for each price that is due soon', open: broken(({ walletAlerts, ledger }) => ({
    walletAlerts: {
      ...walletAlerts,
      raiseLow: (due, ...more) => andThen(ledger.balance(due.workspace), async (balance) => {
        if (O.isSome(balance) && balance.value.available > 4n) await clear(ledger, due.workspace)
        return walletAlerts.raiseLow(due, ...more)
      }),
    },
  })), breaks: [SOON] },
  { defect: 'answers that every price that is due soon raises an alert', open: brokenAlerts(({ raiseLow }) => ({
    raiseLow: (...of) => raiseLow(...of).then(E.map(() => true)),
  })), breaks: [SOON, NEVER_SOON] },
])
