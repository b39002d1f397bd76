import type { KeySuccession } from '../../core/access/keys.js'
import type { CustomerFact } from '../../core/customers/customer.js'
import {
  apply, balanceData, type EntriesFixture, isChain, keyData, learnedData, newEvent, nodeOf, NOON, opened, record, storedData, telling,
} from './entries-fixture.js'
import { done, holds, refused, same } from './expect.js'
import { newMessageId, newName, newPhoneNumber, newPlatformId, newUserId, newWorkspaceId, times } from './ids.js'
import { minted, MINTED_AT, newKey } from './key-fixture.js'
import type { Law } from './law.js'

/** Which events each write stores. */
export const writeEntriesLaws: ReadonlyArray<Law<EntriesFixture>> = [
  {
    name: 'a change that moves a message stores what was made of the state before and the message afterwards',
    check: async (fixture) => {
      const { workspace, currency } = await fixture.openWorkspace()
      const id = await opened(fixture, workspace, currency)
      const platformId = newPlatformId()
      await apply(fixture, workspace, id, { state: 'accepted', at: NOON, platformId })
      await apply(fixture, workspace, id, { state: 'delivered', at: NOON + 1 })
      const found = await done('the message is looked for', fixture.messageLog.find(workspace, { id }))
      await apply(
        fixture, workspace, id, { state: 'read', at: NOON + 2 },
        ({ message }) => [newEvent(workspace, { history: message.history.map(({ state }) => state) })],
      )
      holds('the message is there', found._tag === 'Some', found)
      same('what is stored', await storedData(fixture, workspace), [
        { id, from: 'pending', state: 'accepted', platform_id: platformId },
        { id, from: 'accepted', state: 'delivered', platform_id: platformId }, { history: ['pending', 'accepted', 'delivered', 'read'] },
      ])
    },
  },
  {
    name: 'a change that does not move the state of a message stores nothing',
    check: async (fixture) => {
      const [{ workspace, currency }, other] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const id = await opened(fixture, workspace, currency)
      await apply(fixture, workspace, id, { state: 'delivered', at: NOON, platformId: newPlatformId() })
      const before = await storedData(fixture, workspace)
      await apply(fixture, workspace, id, { state: 'delivered', at: NOON })
      await apply(fixture, workspace, id, { state: 'sent', at: NOON })
      await apply(fixture, workspace, id, { state: 'failed', at: NOON })
      await apply(fixture, workspace, id, { state: 'read', at: NOON, platformId: newPlatformId() })
      await apply(fixture, workspace, newMessageId(NOON), { state: 'sent', at: NOON })
      await apply(fixture, other.workspace, id, { state: 'read', at: NOON })
      same('repeated, late and other changes', await storedData(fixture, workspace), before)
      same('another workspace', await storedData(fixture, other.workspace), [])
    },
  },
  {
    name: 'concurrent changes of one message store one event for each move, in the order of the moves',
    check: async (fixture) => {
      const { workspace, currency } = await fixture.openWorkspace()
      const id = await opened(fixture, workspace, currency)
      const states = [
        'accepted', 'sent', 'delivered', 'read', 'played', 'unconfirmed', 'delivered', 'sent', 'read', 'played', 'played', 'accepted',
      ] as const
      await Promise.all(states.map((state, index) => apply(nodeOf(fixture, index), workspace, id, { state, at: NOON + index })))
      const moves = await storedData(fixture, workspace)
      holds('the first move is from pending', moves[0]?.['from'] === 'pending', moves)
      holds('each move begins where the one before it ended', isChain(moves, 'from', 'state'), moves)
      holds('the last move is to played', moves.at(-1)?.['state'] === 'played', moves)
      same('a move to played is one event', moves.filter(({ state }) => state === 'played').length, 1)
    },
  },
  {
    name: 'an inbound message stores what was made of the moments before and afterwards, also where it moves nothing',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const customer = newPhoneNumber()
      for (const at of [NOON, NOON + 5, NOON + 5, NOON + 1]) await record(fixture, workspace, customer, at)
      same('what is stored', await storedData(fixture, workspace), [
        { before: null, last_inbound: NOON }, { before: NOON, last_inbound: NOON + 5 }, { before: NOON + 5, last_inbound: NOON + 5 },
        { before: NOON + 5, last_inbound: NOON + 5 },
      ])
    },
  },
  {
    name: 'of concurrent first messages of a customer exactly one finds none before it',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const customer = newPhoneNumber()
      await Promise.all(times(20, (index) => record(nodeOf(fixture, index), workspace, customer, NOON + ((index * 7) % 20))))
      const messages = await storedData(fixture, workspace)
      same('every message is stored', messages.length, 20)
      same('how many are the first', messages.filter(({ before }) => before === null).length, 1)
      holds('each begins where the one before it ended', isChain(messages, 'before', 'last_inbound'), messages)
    },
  },
  {
    name: 'a fact that changes a record stores what was made of the record before and afterwards, and any other fact nothing',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [customer, one, another] = [newPhoneNumber(), newUserId(), newUserId()]
      const learn = (fact: CustomerFact): Promise<void> =>
        done('a fact is learned', fixture.customers.learn(workspace, customer, fact, telling(workspace, learnedData)))
      await learn({ _tag: 'Paired', other: one, at: NOON })
      await learn({ _tag: 'Paired', other: one, at: NOON })
      await learn({ _tag: 'Shared', other: another, at: NOON + 1 })
      await learn({ _tag: 'Named', name: 'Ana', at: NOON })
      await learn({ _tag: 'Named', name: 'Ana', at: NOON + 1 })
      await learn({ _tag: 'Paired', other: another, at: NOON + 2 })
      await learn({ _tag: 'Ended', at: NOON + 3 })
      same('what is stored', await storedData(fixture, workspace), [
        { before: null, after: one, name: null }, { before: one, after: one, name: 'Ana' }, { before: one, after: another, name: 'Ana' },
        { before: another, after: null, name: 'Ana' },
      ])
    },
  },
  {
    name: 'concurrent facts of one record store one event for each change, in the order of the changes',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const customer = newPhoneNumber()
      await Promise.all(times(20, (index) => done('a fact is learned', nodeOf(fixture, index).customers.learn(
        workspace, customer, { _tag: 'Paired', other: newUserId(), at: NOON + ((index * 7) % 20) }, telling(workspace, learnedData)))))
      const changes = (await storedData(fixture, workspace)).filter(({ before, after }) => before !== after)
      holds('the first change is from nothing', changes[0]?.['before'] === null, changes)
      holds('each begins where the one before it ended', isChain(changes, 'before', 'after'), changes)
      const known = await done('the record is read', fixture.customers.find(workspace, customer))
      same('the last change leads to what is known', changes.at(-1)?.['after'], known.own.other)
    },
  },
  {
    name: 'a top-up stores what was made of the new balance, once for its reference',
    check: async (fixture) => {
      const { workspace, currency } = await fixture.openWorkspace()
      const credit = (micros: bigint, reference: string) => ({ workspace, micros, reference, at: NOON })
      const outboxEntries = telling(workspace, balanceData)
      await done('a top-up', fixture.ledger.topUp(credit(7n, 'a'), outboxEntries))
      await done('the same again', fixture.ledger.topUp(credit(7n, 'a'), outboxEntries))
      await Promise.all(times(8, (index) => done('the same at once', nodeOf(fixture, index).ledger.topUp(credit(5n, 'b'), outboxEntries))))
      same('what is stored', await storedData(fixture, workspace), [
        { available: '7', held: '0', currency }, { available: '12', held: '0', currency },
      ])
    },
  },
  {
    name: 'a top-up that adds nothing stores nothing',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const credit = { workspace, micros: 7n, reference: newName(), at: NOON }
      const outboxEntries = telling(workspace, balanceData)
      await done('a top-up without events', fixture.ledger.topUp(credit))
      await refused('a used reference', 'ReferenceReused', fixture.ledger.topUp({ ...credit, micros: 8n }, outboxEntries))
      await refused(
        'more than a wallet holds', 'BalanceOutOfRange',
        fixture.ledger.topUp({ ...credit, micros: 10n ** 30n, reference: newName() }, outboxEntries),
      )
      const unknown = newWorkspaceId()
      await refused(
        'no such workspace', 'UnknownWorkspace', fixture.ledger.topUp({ ...credit, workspace: unknown }, telling(unknown, balanceData)),
      )
      same('the workspace', await storedData(fixture, workspace), [])
      same('a workspace that does not exist', await storedData(fixture, unknown), [])
    },
  },
  {
    name: 'a correction stores what was made of the new balance, once for its reference, and one that changes nothing stores nothing',
    check: async (fixture) => {
      const { workspace, currency } = await fixture.openWorkspace()
      const correction = (micros: bigint, reference: string) => ({ workspace, micros, reference, note: 'typed wrong', at: NOON })
      const outboxEntries = telling(workspace, balanceData)
      await done('a correction', fixture.ledger.adjust(correction(7n, 'a'), outboxEntries))
      await done('the same again', fixture.ledger.adjust(correction(7n, 'a'), outboxEntries))
      await Promise.all(
        times(8, (index) => done('the same at once', nodeOf(fixture, index).ledger.adjust(correction(-5n, 'b'), outboxEntries))),
      )
      await refused('a used reference', 'ReferenceReused', fixture.ledger.adjust(correction(8n, 'a'), outboxEntries))
      await refused('more than the wallet has', 'BalanceOutOfRange', fixture.ledger.adjust(correction(-3n, 'c'), outboxEntries))
      same('what is stored', await storedData(fixture, workspace), [
        { available: '7', held: '0', currency }, { available: '2', held: '0', currency },
      ])
    },
  },
  {
    name: 'a key that is made stores what was made of its id and its name',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const outboxEntries = telling(workspace, keyData)
      const { id } = await done('a key is minted', fixture.keyStore.mint(newKey(workspace, { name: ' Größe ' }), outboxEntries))
      const unknown = newWorkspaceId()
      await refused('no such workspace', 'UnknownWorkspace', fixture.keyStore.mint(newKey(unknown), telling(unknown, keyData)))
      same('what is stored', await storedData(fixture, workspace), [{ workspace, id, name: ' Größe ' }])
      same('a workspace that does not exist', await storedData(fixture, unknown), [])
    },
  },
  {
    name: 'a key that is revoked stores what was made of its workspace, its id and its name, once',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { id } = await minted(fixture, workspace)
      const outboxEntries = telling(workspace, keyData)
      await Promise.all(times(8, (index) => done('the key is revoked', nodeOf(fixture, index).keyStore.revoke(id, NOON, outboxEntries))))
      await done('it is revoked again', fixture.keyStore.revoke(id, NOON + 1, outboxEntries))
      await refused('no such key', 'UnknownApiKey', fixture.keyStore.revoke(newName(), NOON, outboxEntries))
      same('what is stored', await storedData(fixture, workspace), [{ workspace, id, name: 'crm' }])
    },
  },
  {
    name: 'a key that is rotated stores what was made of both its keys and of its end, once',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { id } = await minted(fixture, workspace)
      const outboxEntries = telling<KeySuccession>(workspace, ({ successor, endsAt, ...key }) => ({ ...keyData(key), successor, endsAt }))
      const rotated = await Promise.all(
        times(8, (index) => nodeOf(fixture, index).keyStore.rotate(id, { at: MINTED_AT + 1, overlapMs: 10 }, outboxEntries)),
      )
      const [successor] = rotated.flatMap((outcome) => (outcome._tag === 'Right' ? [outcome.right] : []))
      await refused('no such key', 'UnknownApiKey', fixture.keyStore.rotate(newName(), { at: MINTED_AT, overlapMs: 0 }, outboxEntries))
      same('what is stored', await storedData(fixture, workspace), [
        { workspace, id, name: 'crm', successor: successor?.id ?? '', endsAt: MINTED_AT + 11 },
      ])
    },
  },
]
