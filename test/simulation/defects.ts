import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { KeyStore } from '../../core/access/keys.js'
import { isUserId } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { StaleMessage } from '../../core/messages/message-log.js'
import type { HoldPart, SharedHolds } from '../../core/money/shared-holds.js'
import type { Wallet } from '../../core/money/wallet.js'
import type { Ports } from '../../core/ports.js'
import { inboxOf, type Sender, type SenderOwner } from '../../core/senders/sender.js'
import type { SettledLost } from '../../core/reports/status.js'
import { BATCH_DEFECTS } from './batch-defects.js'
import type { SimulatedStorage } from './gateway.js'
import { QUEUE_DEFECTS } from './queue-defects.js'
import type { Defect } from './simulate.js'

/** Replaces some methods of one port. */
const inPort = <All extends Partial<SimulatedStorage>, Name extends keyof SimulatedStorage>(
  name: Name, change: (all: All) => Partial<SimulatedStorage[Name]>,
) =>
  (all: All): All => ({ ...all, [name]: { ...all[name], ...change(all) } })

/**
 * Defects that this project has had, or that its rules prevent, planted one at a time. If histories do not find them, they prove little, so the tests
 * require that each defect is found.
 */
export const DEFECTS: ReadonlyArray<Defect> = [
  {
    name: 'a message that was opened and never paid for stays pending, and its key with it',
    spoil: inPort('messageLog', (ports) => ({
      stale: async (query) => {
        const stale = await ports.messageLog.stale(query)
        return E.isLeft(stale) || query.state !== 'pending' ? stale : E.right(await thoseWithHold(ports, stale.right))
      },
    })),
  },
  {
    name: 'a failure of another program’s message under our id gives the price back',
    spoil: inPort('messageLog', (ports) => ({
      apply: (workspace, id, { platformId, ...change }, outboxEntries) =>
        ports.messageLog.apply(
          workspace, id, change.state === 'failed' || platformId === undefined ? change : { ...change, platformId }, outboxEntries,
        ),
    })),
  },
  {
    name: 'a refused message keeps the free message that it took',
    spoil: inPort('freeMessages', () => ({ giveBack: () => Promise.resolve(E.right(undefined)) })),
  },
  {
    name: 'an alert ends when money is given back, and not only when it is added',
    spoilStorage: inPort('wallet', (storage) => ({
      release: async (of) => {
        const released = await storage.wallet.release(of)
        const alerts = await storage.walletAlerts.alertsOf(of.workspace)
        if (E.isRight(alerts) && O.isSome(alerts.right)) await storage.walletAlerts.setThreshold(of.workspace, alerts.right.value.threshold)
        return released
      },
    })),
  },
  {
    name: 'a message that the platform has accepted counts as delivered in time',
    spoilStorage: inPort('deliveryDeadlines', ({ deliveryDeadlines: { settle } }: SimulatedStorage) => ({
      settle: (until, limit, outboxEntries) =>
        settle(until, limit, (message) => (message.state === 'accepted' ? [] : outboxEntries(message))),
    })),
  },
  {
    name: 'each gateway that looks at a deadline makes the event of its message',
    spoilStorage: inPort('deliveryDeadlines', ({ deliveryDeadlines: { settle } }: SimulatedStorage) => ({
      settle: (until, limit, outboxEntries) =>
        settle(until, limit, (message) => [...outboxEntries(message), ...outboxEntries(message)]),
    })),
  },
  {
    name: 'every workspace pays the prices of the rate card',
    spoil: inPort('workspacePricing', () => ({ pricingOf: () => Promise.resolve(E.right(O.none)) })),
  },
  {
    name: 'a send whose answer was lost is sent again',
    spoil: (ports) => ({
      ...ports,
      platform: {
        send: async (outbound) => {
          const answer = await ports.platform.send(outbound)
          return E.isLeft(answer) && answer.left._tag === 'OutcomeUnknown' ? ports.platform.send(outbound) : answer
        },
      },
    }),
  },
  {
    name: 'a send whose answer was lost counts as refused',
    spoil: (ports) => ({
      ...ports,
      platform: {
        send: async (outbound) => {
          const answer = await ports.platform.send(outbound)
          return E.isLeft(answer) && answer.left._tag === 'OutcomeUnknown'
            ? E.left({ _tag: 'PlatformUnreachable', cause: 'a timeout' })
            : answer
        },
      },
    }),
  },
  {
    name: 'a gateway remembers whose key it is, and asks no more',
    spoil: inPort('keyStore', ({ keyStore }) => ({ principalOf: remembering(keyStore) })),
  },
  {
    name: 'a message in doubt is given up after an hour',
    spoil: inPort('messageLog', (ports) => ({
      stale: (query) =>
        ports.messageLog.stale(query.state === 'unconfirmed' ? { ...query, before: ports.windowClock.now() - 3_600_000 } : query),
    })),
  },
  {
    name: 'a message that is read makes no event',
    spoil: inPort('messageLog', (ports) => ({
      apply: (workspace, id, change, outboxEntries) =>
        ports.messageLog.apply(workspace, id, change, change.state === 'read' ? undefined : outboxEntries),
    })),
  },
  {
    name: 'a key does not guard a message in doubt',
    spoil: inPort('messageLog', (ports) => ({
      open: async ({ claim, ...draft }) => {
        const opening = await ports.messageLog.open(claim === undefined ? draft : { ...draft, claim })
        const isInDoubt = E.isRight(opening) && opening.right._tag === 'Claimed' && opening.right.by.state === 'unconfirmed'
        return isInDoubt ? ports.messageLog.open(draft) : opening
      },
    })),
  },
  {
    name: 'a top-up whose answer was lost is made under a new reference',
    spoil: inPort('ledger', (ports) => ({
      topUp: async (credit, outboxEntries) => {
        const added = await ports.ledger.topUp(credit, outboxEntries)
        return E.isLeft(added) && added.left._tag === 'PortFailure'
          ? ports.ledger.topUp({ ...credit, reference: `${credit.reference} again` }, outboxEntries)
          : added
      },
    })),
  },
  {
    name: 'an event whose delivery failed is not delivered again',
    spoil: (ports) => ({
      ...ports,
      eventDeliveries: {
        ...ports.eventDeliveries,
        record: (progress, outboxEntries) => ports.eventDeliveries.record({ ...progress, retry: [] }, outboxEntries),
      },
    }),
  },
  {
    name: 'a price is set aside beside the send, and not before it',
    spoil: inPort('wallet', (ports) => ({
      hold: (hold, outboxEntries) => {
        void ports.wallet.hold(hold, outboxEntries)
        return Promise.resolve(E.right(undefined))
      },
    })),
  },
  {
    name: 'an operator may say of a message that it was sent though nothing was set aside for it',
    spoilStorage: inPort('messageMoney', (storage) => ({
      resolve: async (resolution, outboxEntries) => {
        const { workspace, message: id, outcome, at } = resolution
        const hold = await storage.wallet.holdOf({ workspace, message: id })
        if (outcome === 'sent' && E.isRight(hold) && hold.right === undefined) {
          await storage.messageLog.apply(workspace, id, { state: 'accepted', at }, outboxEntries)
        }
        return storage.messageMoney.resolve(resolution, outboxEntries)
      },
    })),
  },
  {
    name: 'a status of a message that the storage has lost is confirmed, and not noted',
    spoil: inPort('lostMessages', () => ({ note: () => Promise.resolve(E.right(undefined)) })),
  },
  {
    name: 'a lost message is charged again when it is settled again',
    spoilStorage: inPort('lostMessages', (storage) => {
      const before = new Map<string, SettledLost>()
      return {
        settle: async (settlement, outboxEntries) => {
          const answer = await storage.lostMessages.settle(settlement, outboxEntries)
          const { workspace, id, micros, note, at } = settlement
          const known = before.get(id)
          if (E.isRight(answer)) before.set(id, answer.right)
          if (known === undefined || micros === 0n || E.isRight(answer) || answer.left._tag !== 'LostMessageSettled') return answer
          await storage.ledger.adjust({ workspace, micros: -micros, reference: `lost ${id} again`, note, at })
          return E.right(known)
        },
      }
    }),
  },
  { name: 'a gateway is not stopped while the storage is restored', runsOn: true },
  {
    name: 'the window is open for a minute too long',
    spoil: inPort('windowClock', (ports) => ({
      lastInbound: async (workspace, customer) =>
        E.map(O.map((at: number) => at + 60_000))(await ports.windowClock.lastInbound(workspace, customer)),
    })),
  },
  {
    name: 'marketing goes to a customer who stopped it',
    spoil: inPort('customers', () => ({ needsLookup: () => Promise.resolve(E.right(false)) })),
  },
  {
    name: 'the spending limit of a key is forgotten',
    spoil: inPort('wallet', (ports) => ({
      hold: ({ spending: _forgotten, ...hold }, outboxEntries) => ports.wallet.hold(hold, outboxEntries),
    })),
  },
  {
    name: 'a key is refused at half of its limit',
    spoil: inPort('wallet', (ports) => ({
      hold: ({ spending, ...hold }, outboxEntries) =>
        ports.wallet.hold(
          { ...hold, ...(spending !== undefined && { spending: { ...spending, limit: spending.limit / 2n } }) }, outboxEntries,
        ),
    })),
  },
  { name: 'a message that was opened too late is sent all the same', spoil: (ports) => blindToTime(ports) },
  {
    name: 'a sender is never noted as recovered',
    spoil: inPort('senders', (ports) => ({
      noteHealth: (workspace, isFailing, at, outboxEntries) =>
        isFailing ? ports.senders.noteHealth(workspace, isFailing, at, outboxEntries) : Promise.resolve(E.right(false)),
    })),
  },
  {
    name: 'a message is found by its id alone, whoever asks',
    spoilStorage: inPort('messageLog', (storage) => ({
      find: async (workspace, by) => {
        const all = await storage.workspaces.list()
        for (const { id } of [{ id: workspace }, ...(E.isRight(all) ? all.right : [])]) {
          const found = await storage.messageLog.find(id, by)
          if (E.isLeft(found) || O.isSome(found.right)) return found
        }
        return E.right(O.none)
      },
    })),
  },
  {
    name: 'it is never learned by which number the platform knows a customer',
    spoil: inPort('customers', ({ customers }) => ({
      learn: (workspace, id, fact, outboxEntries) =>
        fact._tag === 'KnownAs' ? Promise.resolve(E.right(undefined)) : customers.learn(workspace, id, fact, outboxEntries),
    })),
  },
  {
    name: 'a late report ends that a customer is known by another number',
    spoil: inPort('customers', ({ customers, windowClock }) => ({
      learn: (workspace, id, fact, outboxEntries) =>
        customers.learn(workspace, id, fact._tag === 'KnownAs' ? { ...fact, at: windowClock.now() } : fact, outboxEntries),
    })),
  },
  {
    name: 'an erasure leaves out the number under which the customer is dialled',
    spoil: inPort('personalData', ({ personalData }) => ({
      erase: (workspace, person, outboxEntries) =>
        personalData.erase(workspace, person.map(({ phoneNumber, userId }) => ({ phoneNumber, userId })), outboxEntries),
    })),
  },
  {
    name: 'a status of another program moves the latest message of its workspace',
    spoil: inPort('messageLog', ({ messageLog }) => ({
      find: async (workspace, by) => {
        const found = await messageLog.find(workspace, by)
        if (E.isLeft(found) || O.isSome(found.right) || !('platformId' in by)) return found
        const latest = await messageLog.list(workspace, { limit: 1 })
        return E.isLeft(latest) ? latest : E.right(O.fromNullable(latest.right.items[0]))
      },
    })),
  },
  {
    name: 'a part of a shared hold is also held from the wallet',
    spoilStorage: inPort('sharedHolds', ({ wallet }: SimulatedStorage) => ({ split: (part) => setAside(wallet, part) })),
  },
  {
    name: 'a message still takes its part when the shared hold was released',
    spoilStorage: inPort('sharedHolds', ({ wallet, sharedHolds }: SimulatedStorage) => {
      const released = new Set<string>()
      return {
        split: (part) => (released.has(part.hold) ? setAside(wallet, part) : sharedHolds.split(part)),
        release: (of) => {
          released.add(of.hold)
          return sharedHolds.release(of)
        },
      }
    }),
  },
  {
    name: 'a refund gives more back than the part that was captured',
    spoilStorage: inPort('wallet', ({ wallet, ledger }: SimulatedStorage) => {
      const parts = new Set<string>()
      return {
        capturePart: (of) => {
          parts.add(of.message)
          return wallet.capturePart(of)
        },
        refund: (of) => {
          const { workspace, message: reference, at } = of
          if (parts.delete(reference)) void ledger.adjust({ workspace, micros: 1_000n, reference, note: 'the rest', at })
          return wallet.refund(of)
        },
      }
    }),
  },
  {
    name: 'all senders of a workspace share one inbox',
    spoil: inPort('senders', ({ senders }) => ({
      senderOf: async (...of) => E.map(O.map(withoutInbox))(await senders.senderOf(...of)),
      ownerOf: async (...of) => E.map(O.map((owner: SenderOwner) => ({ ...owner, inbox: owner.workspace })))(await senders.ownerOf(...of)),
    })),
  },
  {
    name: 'a send that names a sender goes through the default one',
    spoil: inPort('senders', ({ senders }) => ({ senderOf: (workspace) => senders.senderOf(workspace) })),
  },
  {
    name: 'a sender that cannot be read has the inbox of the workspace',
    spoil: inPort('senders', ({ senders }) => {
      const last = new Map<string, Sender>()
      return {
        senderOf: async (workspace, named) => {
          const [found, key] = [await senders.senderOf(workspace, named), `${workspace} ${named}`]
          if (E.isRight(found) && O.isSome(found.right)) last.set(key, found.right.value)
          const known = last.get(key)
          return E.isLeft(found) && known !== undefined ? E.right(O.some(withoutInbox(known))) : found
        },
      }
    }),
  },
  {
    name: 'once a default sender was removed, the sender with the lowest id becomes the default',
    spoilStorage: inPort('senders', ({ senders }) => {
      const removedFrom = new Set<WorkspaceId>()
      return {
        remove: (of, outboxEntries) => {
          removedFrom.add(of.workspace)
          return senders.remove(of, outboxEntries)
        },
        assign: async (workspace, sender, outboxEntries) => {
          const assigned = await senders.assign(workspace, sender, outboxEntries)
          const all = await senders.sendersOf(workspace)
          const ids = E.isRight(all) && removedFrom.has(workspace) ? all.right.map(({ phoneNumberId }) => phoneNumberId) : []
          const [lowest] = ids.toSorted()
          if (lowest !== undefined) await senders.makeDefault({ workspace, sender: lowest })
          return assigned
        },
      }
    }),
  },
  {
    name: 'the templates of the default sender count for all senders',
    spoil: inPort('senders', ({ senders }) => ({
      senderOf: async (workspace, named) => {
        const [found, first] = await Promise.all([senders.senderOf(workspace, named), senders.senderOf(workspace)])
        const businessAccountId = E.isRight(first) ? O.toUndefined(first.right)?.businessAccountId : undefined
        return E.map(O.map((sender: Sender) => ({ ...sender, businessAccountId })))(found)
      },
    })),
  },
  {
    name: 'reports for the former id of a moved number count with the user ids of the previous business account',
    spoil: inPort('senders', ({ senders }) => ({
      ownerOf: async (...of) => E.map(O.map(({ isFormer: _isFormer, ...owner }: SenderOwner) => owner))(await senders.ownerOf(...of)),
    })),
  },
  {
    name: 'reports for the former id of a moved number are dropped',
    spoil: inPort('senders', ({ senders }) => ({
      ownerOf: async (...of) => E.map((owner: O.Option<SenderOwner>) => O.filter(isPresent)(owner))(await senders.ownerOf(...of)),
    })),
  },
  {
    name: 'a report counts at the address of any app',
    spoilReport: ({ app: _app, ...report }, app) => ({ ...report, ...(app !== undefined && { app }) }),
  },
  {
    name: 'a moved number keeps the windows of its former user ids',
    spoilStorage: inPort('senders', ({ senders, customerWindows, windowClock }) => ({
      replace: async (of, by, at, outboxEntries) => {
        const found = await senders.senderOf(of.workspace, of.sender)
        const inbox = inboxOf(of.workspace, E.isRight(found) ? O.toUndefined(found.right) : undefined)
        const windows = await customerWindows.list([inbox], { since: 0, limit: 1_000 })
        const replaced = await senders.replace(of, by, at, outboxEntries)
        for (const { customer, lastInbound } of E.isRight(windows) && E.isRight(replaced) ? windows.right.items : []) {
          if (isUserId(customer)) await windowClock.recordInbound(inbox, { userId: customer }, lastInbound)
        }
        return replaced
      },
    })),
  },
  ...QUEUE_DEFECTS,
  ...BATCH_DEFECTS,
]

const isPresent = ({ isFormer }: SenderOwner): boolean => isFormer === undefined

const withoutInbox = ({ inbox: _inbox, ...sender }: Sender): Sender => sender

/** Sets a part of a shared hold aside from the available money. */
const setAside = async (wallet: Wallet, { workspace, message, micros, at }: HoldPart): ReturnType<SharedHolds['split']> => {
  const held = await wallet.hold({ workspace, message, amount: { micros, currency: 'USD' as Currency }, at })
  if (E.isRight(held)) return held
  return held.left._tag === 'PortFailure' ? E.left(held.left) : E.left({ _tag: 'ExceedsHold', requested: micros, held: 0n })
}

const thoseWithHold = async ({ wallet }: Ports, stale: ReadonlyArray<StaleMessage>): Promise<ReadonlyArray<StaleMessage>> => {
  const held: StaleMessage[] = []
  for (const one of stale) {
    const hold = await wallet.holdOf({ workspace: one.workspace, message: one.id })
    if (E.isRight(hold) && hold.right !== undefined) held.push(one)
  }
  return held
}

const remembering = (keyStore: KeyStore): KeyStore['principalOf'] => {
  const remembered = new Map<string, Awaited<ReturnType<KeyStore['principalOf']>>>()
  return async (presented, at) => {
    const known = remembered.get(presented)
    if (known !== undefined) return known
    const principal = await keyStore.principalOf(presented, at)
    if (E.isRight(principal)) remembered.set(presented, principal)
    return principal
  }
}

/** The clock is not read again after the price was reserved: its next reading returns the time of the draft. */
const blindToTime = (ports: Ports): Ports => {
  let draftedAt: number | undefined
  const hold: Ports['wallet']['hold'] = async (of, outboxEntries) => {
    const held = await ports.wallet.hold(of, outboxEntries)
    draftedAt = of.at
    return held
  }
  const now = (): number => {
    const at = draftedAt ?? ports.windowClock.now()
    draftedAt = undefined
    return at
  }
  return { ...ports, wallet: { ...ports.wallet, hold }, windowClock: { ...ports.windowClock, now } }
}
