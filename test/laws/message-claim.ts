import * as O from 'fp-ts/lib/Option.js'
import type { Claim, Opening } from '../../core/messages/message-log.js'
import { type IdempotencyKey, KEY_KEPT_MS, type MessageState, openRecord } from '../../core/messages/message.js'
import { done, same } from './expect.js'
import { newPlatformId, times } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, type MessageWorkspace, newKey, NOON, openMessageWorkspace } from './message-fixture.js'

const OPENED: Opening = { _tag: 'Opened' }

type Settled = Exclude<MessageState, 'queued' | 'pending'>

/** Opens a message with a new key and brings it to a state; returns its id and a function that uses the key again. */
const guarded = async (log: MessageWorkspace, state?: Settled) => {
  const claim = { key: newKey(), request: 'request' }
  const { id } = await log.opened({ claim })
  // A message that was never sent has no platform id, so that a report may still add one.
  const platformId = state === 'refused' || state === 'released' ? {} : { platformId: newPlatformId() }
  if (state !== undefined) await log.apply(id, { state, at: NOON + 1, ...platformId })
  return { id, claim, again: (at = NOON + 2) => log.open(log.draft({ claim, at })) }
}

/** The promises of a `MessageLog` about idempotency keys. */
export const claimLaws: ReadonlyArray<Law<MessageLogFixture>> = [
  {
    name: 'a key that guards a message answers Claimed, and nothing is written',
    check: async (fixture) => {
      const { draft, opened, open, found } = await openMessageWorkspace(fixture)
      const claim = { key: newKey(), request: 'request' }
      const first = await opened({ claim })
      const second = draft({ claim, at: NOON + 1 })
      same('the second use of a key', await open(second), { _tag: 'Claimed', by: openRecord(first), sameRequest: true })
      same('a message that met a claim is not written', await found(second.id), undefined)
    },
  },
  {
    name: 'a claim says whether the request was the same',
    check: async (fixture) => {
      const { draft, opened, open } = await openMessageWorkspace(fixture)
      const request = `{"text":"${'é🌍'.repeat(2_000)}","to":"1"}`
      const key = newKey()
      const first = await opened({ claim: { key, request } })
      const openWith = async (other: string) => open(draft({ claim: { key, request: other } }))
      same('the same request', await openWith(request), { _tag: 'Claimed', by: openRecord(first), sameRequest: true })
      for (const other of [`${request} `, request.replace('"1"', '"2"'), '', request.toUpperCase()]) {
        same('another request', await openWith(other), { _tag: 'Claimed', by: openRecord(first), sameRequest: false })
      }
    },
  },
  {
    name: 'a look at a key answers as opening would, and nothing is written',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const claimed = async (claim: Claim, at: number) =>
        O.toUndefined(await done('a claim is looked for', fixture.messageLog.claimed(log.workspace, claim, at)))
      const free = { key: newKey(), request: 'request' }
      same('a new key', await claimed(free, NOON), undefined)
      same('a key that was only asked for is free', await log.open(log.draft({ claim: free })), OPENED)
      const claim = { key: newKey(), request: 'request' }
      const first = await log.opened({ claim })
      same('a key that guards a message', await claimed(claim, NOON + 1), { _tag: 'Claimed', by: openRecord(first), sameRequest: true })
      same('another request', await claimed({ ...claim, request: 'other' }, NOON + 1), {
        _tag: 'Claimed', by: openRecord(first), sameRequest: false,
      })
      await log.apply(first.id, { state: 'accepted', at: NOON + 1, platformId: newPlatformId() })
      same('a day later the key is free', await claimed(claim, NOON + KEY_KEPT_MS), undefined)
    },
  },
  {
    name: 'of concurrent opens with one key exactly one is opened',
    check: async (fixture) => {
      const { draft, open, found } = await openMessageWorkspace(fixture)
      const key = newKey()
      const drafts = times(10, (index) => draft({ claim: { key, request: `request ${index % 2}` } }))
      const outcomes = await Promise.all(drafts.map(open))
      const winner = outcomes.findIndex(({ _tag }) => _tag === 'Opened')
      const first = drafts[winner]
      const promised = drafts.map((one, index): Opening =>
        index === winner || first === undefined
          ? OPENED
          : { _tag: 'Claimed', by: openRecord(first), sameRequest: one.claim?.request === first.claim?.request },
      )
      same('one is opened and every other is answered Claimed by it', outcomes, promised)
      const seen = await Promise.all(drafts.map(({ id }) => found(id)))
      same('only the one opened is written', seen.filter((record) => record !== undefined).map(({ id }) => id), first && [first.id])
    },
  },
  {
    name: 'one key among concurrent opens that guards a message costs its neighbours nothing',
    check: async (fixture) => {
      const { draft, opened, open, found } = await openMessageWorkspace(fixture)
      for (const _ of times(3, (index) => index)) {
        const claim = { key: newKey(), request: 'request' }
        const first = await opened({ claim })
        const others = times(12, (index) => draft(index % 3 === 0 ? {} : { claim: { key: newKey(), request: 'request' } }))
        const outcomes = await Promise.all([...others.slice(0, 6), draft({ claim }), ...others.slice(6)].map(open))
        same('the repeated one', outcomes[6], { _tag: 'Claimed', by: openRecord(first), sameRequest: true })
        same('its neighbours', outcomes.filter((_, index) => index !== 6), others.map(() => OPENED))
        const seen = await Promise.all(others.map(({ id }) => found(id)))
        same('are written', seen.map((record) => record?.id), others.map(({ id }) => id))
      }
    },
  },
  {
    name: 'a key of another workspace is a key of its own',
    check: async (fixture) => {
      const claim = { key: newKey(), request: 'request' }
      await (await openMessageWorkspace(fixture)).opened({ claim })
      const other = await openMessageWorkspace(fixture)
      same('the same key in another workspace', await other.open(other.draft({ claim })), OPENED)
    },
  },
  {
    name: 'keys that differ in any character are different keys',
    check: async (fixture) => {
      const { draft, open } = await openMessageWorkspace(fixture)
      const long = newKey().padEnd(254, 'x')
      const short = ['Order-a', 'order-a', 'ORDER-A', 'order_a', 'order%a', '__proto__']
      const keys = [...short, `${long}1`, `${long}2`, long.slice(0, 190)] as IdempotencyKey[]
      const using = async (key: IdempotencyKey) => (await open(draft({ claim: { key, request: 'r' } })))._tag
      for (const key of keys) same(`a first use of ${key.slice(0, 9)}`, await using(key), 'Opened')
      for (const key of keys) same(`a second use of ${key.slice(0, 9)}`, await using(key), 'Claimed')
    },
  },
  {
    name: 'messages without a key never meet a claim',
    check: async (fixture) => {
      const { opened } = await openMessageWorkspace(fixture)
      await opened({ claim: { key: newKey(), request: 'request' } })
      await Promise.all(times(5, () => opened()))
    },
  },
  ...(['refused', 'released'] as const).map((state): Law<MessageLogFixture> => ({
    name: `a message that ends ${state} frees its key`,
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const { id, again } = await guarded(log, state)
      same(`a key freed by a message that ended ${state}`, await again(), OPENED)
      same('the message whose key was freed is still there', (await log.found(id))?.state, state)
      same('a key used afresh guards the new message', (await again())._tag, 'Claimed')
    },
  })),
  {
    name: 'a key that was freed stays free, even where its message has gone after all',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const { id, again } = await guarded(log, 'refused')
      await log.apply(id, { state: 'delivered', at: NOON + 2, platformId: newPlatformId() })
      same('the message that was refused', (await log.found(id))?.state, 'delivered')
      same('the key of a message that was refused and then delivered', await again(), OPENED)
    },
  },
  {
    name: 'a message that ended refused never frees a key another message has claimed since',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const { id, again } = await guarded(log, 'refused')
      same('the freed key', await again(), OPENED)
      for (const state of ['refused', 'released'] as const) await log.apply(id, { state, at: NOON + 3 })
      same('the key goes on guarding the new message', (await again())._tag, 'Claimed')
    },
  },
  {
    name: 'a key guards its message 24 hours long',
    check: async (fixture) => {
      for (const state of ['accepted', 'sent', 'delivered', 'read', 'played', 'failed'] as const) {
        const log = await openMessageWorkspace(fixture)
        const { id, again } = await guarded(log, state)
        const record = await log.found(id)
        const claimed = record && { _tag: 'Claimed' as const, by: record, sameRequest: true }
        same(`a message that is ${state} is guarded to the last millisecond`, await again(NOON + KEY_KEPT_MS - 1), claimed)
        same(`a message that is ${state} is guarded no longer than 24 hours`, await again(NOON + KEY_KEPT_MS), OPENED)
        same('a key used afresh guards the new message', (await again(NOON + KEY_KEPT_MS + 1))._tag, 'Claimed')
      }
    },
  },
  {
    name: 'a key guards its message for as long as the outcome is unknown',
    check: async (fixture) => {
      for (const state of [undefined, 'unconfirmed'] as const) {
        const log = await openMessageWorkspace(fixture)
        const { again } = await guarded(log, state)
        const late = await again(NOON + 30 * KEY_KEPT_MS)
        same(`a message that is ${state ?? 'pending'} is guarded for a month`, late._tag, 'Claimed')
      }
    },
  },
  {
    name: 'of concurrent opens with a key that was given up exactly one is opened',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const [expired, freed] = [await guarded(log, 'accepted'), await guarded(log, 'refused')]
      for (const [why, { again }] of [['expired', expired], ['freed', freed]] as const) {
        const outcomes = await Promise.all(times(10, () => again(NOON + KEY_KEPT_MS)))
        same(`one open wins a key that ${why}`, outcomes.filter(({ _tag }) => _tag === 'Opened').length, 1)
      }
    },
  },
]
