import type { WorkspaceId } from '../../core/kernel/ids.js'
import * as E from 'fp-ts/lib/Either.js'
import { makeMemoryStorage } from '../../adapters/memory/index.js'
import { eventIdOf, workspaceIdOf } from '../../core/kernel/ids.js'
import { type MakeOutboxEntries, type OutboxEntry, eventsIn } from '../../core/kernel/outbox.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { writeEntriesLaws } from '../laws/entries-of-writes.js'
import { storedEntriesLaws } from '../laws/entries-order.js'
import type { EntriesFixture, EntriesPorts } from '../laws/entries.js'
import { andThen, brokenMemory, followedBy, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

/** What a defective storage does with the events of a write. */
type Telling = <Outcome>(outboxEntries: MakeOutboxEntries<Outcome> | undefined) => MakeOutboxEntries<Outcome> | undefined

/** Memory whose writes hand on their events by a rule of its own. */
const telling = (change: (fixture: EntriesPorts) => Telling) => async (): Promise<EntriesFixture> => {
  const fixture = await openMemoryFixture()
  const { messageLog, windowClock, customers, ledger, keyStore } = fixture
  const changed = change(fixture)
  return {
    ...fixture,
    messageLog: { ...messageLog, apply: (workspace, id, by, outboxEntries) => messageLog.apply(workspace, id, by, changed(outboxEntries)) },
    windowClock: {
      ...windowClock,
      recordInbound: (workspace, ids, at, statedAt, outboxEntries) =>
        windowClock.recordInbound(workspace, ids, at, statedAt, changed(outboxEntries)),
    },
    customers: {
      ...customers, learn: (workspace, id, fact, outboxEntries) => customers.learn(workspace, id, fact, changed(outboxEntries)),
    },
    ledger: {
      ...ledger, topUp: (credit, outboxEntries) => ledger.topUp(credit, changed(outboxEntries)),
      adjust: (adjustment, outboxEntries) => ledger.adjust(adjustment, changed(outboxEntries)),
    },
    keyStore: {
      ...keyStore, mint: (key, outboxEntries) => keyStore.mint(key, changed(outboxEntries)),
      revoke: (id, at, outboxEntries) => keyStore.revoke(id, at, changed(outboxEntries)),
      rotate: (id, rotation, outboxEntries) => keyStore.rotate(id, rotation, changed(outboxEntries)),
    },
  }
}

/** Memory whose writes make their events after the write, from what another write may have changed meanwhile. */
const late = async (): Promise<EntriesFixture> => {
  const fixture = await openMemoryFixture()
  const { messageLog, windowClock, customers, ledger, keyStore, eventOutbox } = fixture
  const append = async (entries: ReadonlyArray<OutboxEntry>): Promise<E.Either<never, void>> => {
    for (const event of eventsIn(entries)) await eventOutbox.append(event.workspace, [event])
    return E.right(undefined)
  }
  const pause = async (): Promise<E.Either<never, void>> => E.right(await new Promise((resolve) => { setImmediate(resolve) }))
  return {
    ...fixture,
    messageLog: {
      ...messageLog,
      apply: (workspace, id, change, outboxEntries) => andThen(messageLog.find(workspace, { id }), (before) => followedBy(
        andThen(pause(), () => messageLog.apply(workspace, id, change)),
        () => andThen(messageLog.find(workspace, { id }), (message) => append(
          before._tag === 'Some' && message._tag === 'Some'
            ? outboxEntries?.({ from: before.value.state, message: message.value }) ?? []
            : [])))),
    },
    windowClock: {
      ...windowClock,
      recordInbound: (workspace, ids, at, statedAt, outboxEntries) => andThen(
        windowClock.lastInbound(workspace, ids.phoneNumber ?? workspace as never), (before) =>
          followedBy(andThen(pause(), () => windowClock.recordInbound(workspace, ids, at, statedAt)), () =>
            append(outboxEntries?.({ before: before._tag === 'Some' ? before.value : undefined, lastInbound: at }) ?? [])),
      ),
    },
    customers: {
      ...customers,
      learn: (workspace, id, fact, outboxEntries) => andThen(customers.find(workspace, id), ({ own: before }) => followedBy(
        andThen(pause(), () => customers.learn(workspace, id, fact)),
        () => andThen(customers.find(workspace, id), ({ own: after }) => append(outboxEntries?.({ before, after }) ?? [])))),
    },
    ledger: {
      ...ledger,
      topUp: (credit, outboxEntries) => followedBy(ledger.topUp(credit), (balance) => append(outboxEntries?.(balance) ?? [])),
      adjust: (adjustment, outboxEntries) => followedBy(ledger.adjust(adjustment), (balance) => append(outboxEntries?.(balance) ?? [])),
    },
    keyStore: {
      ...keyStore,
      mint: (key, outboxEntries) =>
        followedBy(keyStore.mint(key), ({ id }) => append(outboxEntries?.({ workspace: key.workspace, id, name: key.name.trim() }) ?? [])),
      rotate: (id, rotation, outboxEntries) => andThen(keyStore.find(id), (old) => followedBy(
        keyStore.rotate(id, rotation), ({ id: successor }) =>
          append(old._tag === 'Some'
            ? outboxEntries?.({ workspace: old.value.workspace, id, name: 'crm', successor, endsAt: rotation.at }) ?? []
            : []),
      )),
      revoke: (id, at, outboxEntries) => followedBy(keyStore.revoke(id, at), () =>
        append(outboxEntries?.({ workspace: workspaceIdOf('019c0000000070008000000000000000'), id, name: 'crm' }) ?? [])),
    },
  }
}

const FORGETS: Telling = () => undefined

describeMutations('events that are stored with a write', [...writeEntriesLaws, ...storedEntriesLaws], [
  {
    defect: 'ignores events', open: telling(() => FORGETS),
    breaks: [
      'a change that moves a message stores what was made of the state before and the message afterwards',
      'an inbound message stores what was made of the moments before and afterwards, also where it moves nothing',
      'a fact that changes a record stores what was made of the record before and afterwards, and any other fact nothing',
      'a top-up stores what was made of the new balance, once for its reference',
      'a correction stores what was made of the new balance, once for its reference, and one that changes nothing stores nothing',
      'a key that is made stores what was made of its id and its name',
      'a key that is revoked stores what was made of its workspace, its id and its name, once',
      'a key that is rotated stores what was made of both its keys and of its end, once', 'a workspace has only its own events',
    ],
  },
  {
    defect: 'makes events after the write', open: late,
    breaks: [
      'a change that does not move the state of a message stores nothing', 'concurrent changes of one message store one event for each move, in the order of the moves',
      'of concurrent first messages of a customer exactly one finds none before it',
      'concurrent facts of one record store one event for each change, in the order of the changes',
      'a top-up stores what was made of the new balance, once for its reference', 'a key that is made stores what was made of its id and its name',
    ],
  },
  {
    defect: 'makes an event of a refused top-up', open: brokenMemory('ledger', ({ topUp }, { eventOutbox }) => ({
      topUp: async (credit, outboxEntries) => {
        const outcome = await topUp(credit, outboxEntries)
        if (E.isLeft(outcome)) {
          await eventOutbox.append(credit.workspace, eventsIn(outboxEntries?.({ available: 0n, held: 0n, currency: 'USD' as never }) ?? []))
        }
        return outcome
      },
    })),
    breaks: ['a top-up that adds nothing stores nothing'],
  },
  {
    defect: 'makes an event by itself', open: brokenMemory('windowClock', ({ recordInbound }) => ({
      recordInbound: (inbox, ids, at, statedAt, outboxEntries) => recordInbound(inbox, ids, at, statedAt, outboxEntries ?? (() =>
        [{ id: eventIdOf(crypto.randomUUID()), type: 'window.opened', workspace: inbox as WorkspaceId, at, subject: inbox, data: {} }])),
    })),
    breaks: ['a write without events stores none'],
  },
  {
    defect: 'stores the events of a write in another order',
    open: telling(() => (outboxEntries) => outboxEntries && ((outcome) => outboxEntries(outcome).toReversed())),
    breaks: ['the events of one write are stored as they were made, side by side and in their order'],
  },
  {
    defect: 'ignores keys',
    open: telling(() => (outboxEntries) =>
      outboxEntries && ((outcome) => eventsIn(outboxEntries(outcome)).map(({ key: _key, ...event }) => event))),
    breaks: ['an event whose key the workspace has already is left out, and its write is made all the same', 'of concurrent writes that report the same, one event is stored'],
  },
  {
    defect: 'lists the events of every workspace',
    open: async () => {
      const { eventOutbox, ...fixture } = await openMemoryFixture()
      const everywhere = workspaceIdOf('019c0000000070008000000000000000')
      const one = makeMemoryStorage().eventOutbox
      return {
        ...fixture,
        eventOutbox: {
          ...eventOutbox,
          after: (workspace, position, limit) => andThen(eventOutbox.after(workspace, position, limit), (own) =>
            andThen(one.append(everywhere, own.map((event) => ({ ...event, workspace: everywhere }))), () =>
              one.after(everywhere, position, limit))),
        },
      }
    },
    breaks: ['a workspace has only its own events'],
  },
  {
    defect: 'lists the latest events first',
    open: brokenMemory('eventOutbox', ({ after }) => ({ after: (...of) => withResult(after(...of), (events) => events.toReversed()) })),
    breaks: ['positions grow, and a reader who follows them misses no event while many write at once'],
  },
])
