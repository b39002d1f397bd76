import * as O from 'fp-ts/lib/Option.js'
import type { JsonObject } from '../../core/kernel/json.js'
import { entersHistory, merge, type MessageState, openRecord, type StateChange } from '../../core/messages/message.js'
import { done, same } from './expect.js'
import { LONG_NUMBERS, newMessageId, newPlatformId, newWorkspaceId, numbersFrom, ordersOf, times } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, newKey, NOON, openMessageWorkspace } from './message-fixture.js'

type Reported = Exclude<MessageState, 'queued' | 'pending'>

const STATES: ReadonlyArray<Reported> = ['unconfirmed', 'refused', 'released', 'accepted', 'sent', 'delivered', 'read', 'played', 'failed']

/** The promises of a `MessageLog` about recording the status of a message. */
export const settleLaws: ReadonlyArray<Law<MessageLogFixture>> = [
  {
    name: 'a change moves the message and is kept in its history',
    check: async (fixture) => {
      const { opened, apply, found } = await openMessageWorkspace(fixture)
      const draft = await opened()
      const platformId = newPlatformId()
      same('the state afterwards', await apply(draft.id, { state: 'accepted', at: NOON + 5, platformId }), 'accepted')
      same('the record afterwards', await found(draft.id), {
        ...openRecord(draft),
        platformId,
        state: 'accepted',
        history: [{ state: 'pending', at: NOON }, { state: 'accepted', at: NOON + 5 }],
      })
    },
  },
  {
    name: 'a change of a message that does not exist is answered none',
    check: async (fixture) => {
      const { opened, apply, found } = await openMessageWorkspace(fixture)
      const draft = await opened()
      const change: StateChange = { state: 'accepted', at: NOON + 1, platformId: newPlatformId() }
      same('an unknown id', await apply(newMessageId(NOON), change), undefined)
      for (const elsewhere of [(await openMessageWorkspace(fixture)).workspace, newWorkspaceId()]) {
        same('from another workspace', await done('apply', fixture.messageLog.apply(elsewhere, draft.id, change)), O.none)
      }
      same('another workspace cannot move a message', await found(draft.id), openRecord(draft))
      const elsewhere = (await openMessageWorkspace(fixture)).workspace
      const read: StateChange = { state: 'read', at: NOON + 1 }
      const [, ours] = await Promise.all(
        [elsewhere, draft.workspace, elsewhere].map((workspace) => done('apply', fixture.messageLog.apply(workspace, draft.id, read))),
      )
      same('another workspace that asks at once does not keep a message from its own', O.toUndefined(ours ?? O.none)?.state, 'read')
    },
  },
  {
    name: 'a change that names another platform id than the recorded one changes nothing, and is answered the recorded one',
    check: async (fixture) => {
      const { workspace, opened, apply, found } = await openMessageWorkspace(fixture)
      for (const from of ['accepted', 'sent', 'delivered', 'read', 'played'] as const) {
        const { id } = await opened()
        const [platformId, another] = [newPlatformId(), newPlatformId()]
        await apply(id, { state: from, at: NOON + 1, platformId })
        const before = await found(id)
        for (const state of STATES) {
          const change: StateChange = { state, at: NOON + 2, platformId: another, error: { code: 1 }, pricing: { billable: true } }
          const answer = O.toUndefined(await done('a change is applied', fixture.messageLog.apply(workspace, id, change)))
          same(`${state} after ${from}`, [answer?.state, answer?.platformId], [from, platformId])
        }
        same(`the record of a message that is ${from}`, await found(id), before)
        same(
          'the message by the other id', await done('a message is looked for', fixture.messageLog.find(workspace, { platformId: another })),
          O.none,
        )
      }
    },
  },
  {
    name: 'of concurrent changes that name different platform ids one is recorded, and the others change nothing',
    check: async (fixture) => {
      const { workspace, opened, found } = await openMessageWorkspace(fixture)
      await Promise.all(times(5, async () => {
        const { id } = await opened()
        const changes = times(6, (index): StateChange => ({
          state: index % 2 === 0 ? 'failed' : 'delivered', at: NOON + 1, platformId: newPlatformId(),
        }))
        const answers = await Promise.all(
          changes.map((change) => done('a change is applied', fixture.messageLog.apply(workspace, id, change))),
        )
        const record = await found(id)
        const applied = changes.find(({ platformId }) => platformId === record?.platformId)
        same('the state is that of the recorded id', record?.state, applied?.state)
        for (const answer of answers) same('each is answered the recorded id', O.toUndefined(answer)?.platformId, record?.platformId)
      }))
    },
  },
  {
    name: 'noting a change again changes nothing',
    check: async (fixture) => {
      const { opened, apply, found } = await openMessageWorkspace(fixture)
      const { id } = await opened()
      const change: StateChange = { state: 'sent', at: NOON + 5, platformId: newPlatformId(), pricing: { billable: true } }
      await apply(id, change)
      const once = await found(id)
      same('the state answered again', await apply(id, change), 'sent')
      await Promise.all(times(5, (index) => apply(id, { ...change, at: NOON + 6 + index })))
      same('the record after repetitions', await found(id), once)
    },
  },
  {
    name: 'concurrent notes of one change keep it once',
    check: async (fixture) => {
      const { opened, apply, found } = await openMessageWorkspace(fixture)
      const { id } = await opened()
      const platformId = newPlatformId()
      const states = await Promise.all(times(10, () => apply(id, { state: 'delivered', at: NOON + 5, platformId })))
      same('each is answered with the state afterwards', states, times<MessageState | undefined>(10, () => 'delivered'))
      same('the history has it once', (await found(id))?.history.map(({ state }) => state), ['pending', 'delivered'])
    },
  },
  {
    name: 'changes merge to the same state in any order',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const steps = (['accepted', 'sent', 'delivered', 'read'] as const).map((state, index) => ({ state, at: NOON + index + 1 }))
      await Promise.all(
        ordersOf(steps).map(async (order) => {
          const { id } = await log.opened()
          const platformId = newPlatformId()
          for (const step of order) await log.apply(id, { ...step, platformId })
          const record = await log.found(id)
          const said = order.map(({ state }) => state).join(', ')
          same(`after ${said} the state`, record?.state, 'read')
          same(`after ${said} the platform's id`, record?.platformId, platformId)
          same(`after ${said} the history`, record?.history, historyOf(order))
        }),
      )
    },
  },
  {
    name: 'the history is in the order in which one state leads to the next, whatever their moments say',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      // The platform's timestamps are whole seconds, so the timestamp of a quick delivery may be earlier than the acceptance.
      const steps = [['accepted', 412], ['sent', 0], ['delivered', 0], ['read', 1_000], ['played', 1_000]] as const
      const { id } = await log.opened({ at: NOON + 300 })
      for (const [state, ms] of steps) await log.apply(id, { state, at: NOON + ms })
      const promised = [{ state: 'pending' as const, at: NOON + 300 }, ...steps.map(([state, ms]) => ({ state, at: NOON + ms }))]
      same('the history of a quick delivery', (await log.found(id))?.history, promised)
    },
  },
  {
    name: 'concurrent changes merge to the furthest state',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      await Promise.all(
        times(10, async () => {
          const { id } = await log.opened()
          const platformId = newPlatformId()
          const states = ['unconfirmed', 'accepted', 'sent', 'delivered', 'read', 'played'] as const
          await Promise.all(states.map((state, index) => log.apply(id, { state, at: NOON + index + 1, platformId })))
          const record = await log.found(id)
          same('the furthest of concurrent changes', record?.state, 'played')
          const inOrder = record?.history.toSorted(byState)
          same('what concurrent changes leave in the history is in order', record?.history, inOrder)
          const always: ReadonlyArray<MessageState> = ['pending', 'sent', 'delivered', 'read', 'played']
          const kept = record?.history.map(({ state }) => state).filter((state) => always.includes(state))
          same('concurrent changes that are always remembered are kept once', kept, always)
        }),
      )
    },
  },
  {
    name: 'any sequence of changes moves a message as merge says and is remembered as entersHistory says',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const random = numbersFrom(7)
      const sequences = times(20, () => times(6, (): Reported => STATES[Math.floor(random() * STATES.length)] ?? 'sent'))
      await Promise.all(
        sequences.map(async (states) => {
          const { id } = await log.opened()
          const platformId = newPlatformId()
          let promised: MessageState = 'pending'
          for (const [index, state] of states.entries()) {
            promised = merge(promised, state)
            const seen = await log.apply(id, { state, at: NOON + index + 1, platformId })
            same(`after ${states.slice(0, index + 1).join(', ')} the state`, seen, promised)
          }
          const promisedHistory = historyOf(states.map((state, index) => ({ state, at: NOON + index + 1 })))
          same(`after ${states.join(', ')} the history`, (await log.found(id))?.history, promisedHistory)
        }),
      )
    },
  },
  {
    name: 'a failure that comes after delivery changes nothing',
    check: async (fixture) => {
      const { opened, apply, found } = await openMessageWorkspace(fixture)
      const { id } = await opened()
      await apply(id, { state: 'delivered', at: NOON + 5, platformId: newPlatformId() })
      const before = await found(id)
      same('the state afterwards', await apply(id, { state: 'failed', at: NOON + 6, error: { code: 131_026 } }), 'delivered')
      same('a late failure leaves no mark', await found(id), before)
    },
  },
  {
    name: 'an error is kept whole',
    check: async (fixture) => {
      const { opened, apply, found } = await openMessageWorkspace(fixture)
      const error: JsonObject = {
        ...LONG_NUMBERS, code: 131_026, title: 'Message "undeliverable" \\ \'', nested: [{ deep: [null, true, 1.5, -1e21] }],
        '日本': '🌍\u2028\u0000'.repeat(1_000),
      }
      for (const state of ['refused', 'failed'] as const) {
        const { id } = await opened()
        await apply(id, { state, at: NOON + 1, error })
        same(`the error of a message that ${state === 'failed' ? 'failed' : 'was refused'}`, (await found(id))?.error, error)
      }
    },
  },
  {
    name: 'what the platform reports on billing is kept whole',
    check: async (fixture) => {
      const { opened, apply, found } = await openMessageWorkspace(fixture)
      const { id } = await opened()
      const pricing = { billable: true, pricing_model: 'PMP', category: 'utility', ...LONG_NUMBERS }
      await apply(id, { state: 'sent', at: NOON + 1, platformId: newPlatformId(), pricing })
      await apply(id, { state: 'delivered', at: NOON + 2 })
      same('the pricing of a message', (await found(id))?.pricing, pricing)
    },
  },
  {
    name: 'a message that was refused or given up moves on where the platform reports on it after all',
    check: async (fixture) => {
      const { opened, apply, found } = await openMessageWorkspace(fixture)
      for (const state of ['refused', 'released'] as const) {
        const { id } = await opened({ claim: { key: newKey(), request: 'r' } })
        await apply(id, { state, at: NOON + 1, error: { code: 1 } })
        const platformId = newPlatformId()
        same('the state afterwards', await apply(id, { state: 'delivered', at: NOON + 2, platformId }), 'delivered')
        const record = await found(id)
        same('the platform\'s id is known', record?.platformId, platformId)
        same('a message that was delivered has no error', record?.error, undefined)
      }
    },
  },
  {
    name: 'an acceptance that comes late still brings the platform\'s id',
    check: async (fixture) => {
      const { opened, apply, found } = await openMessageWorkspace(fixture)
      const { id } = await opened()
      const platformId = newPlatformId()
      await apply(id, { state: 'sent', at: NOON + 2 })
      same('the state afterwards', await apply(id, { state: 'accepted', at: NOON + 1, platformId }), 'sent')
      same('the platform\'s id is known', (await found(id))?.platformId, platformId)
    },
  },
  {
    name: 'one change among concurrent ones that finds no message costs its neighbours nothing',
    check: async (fixture) => {
      const { opened, apply } = await openMessageWorkspace(fixture)
      const drafts = await Promise.all(times(5, () => opened()))
      const ids = drafts.flatMap(({ id }) => [id, newMessageId(NOON)])
      const states = await Promise.all(ids.map((id) => apply(id, { state: 'sent', at: NOON + 1 })))
      same(
        'each is answered with the state of its own message', states,
        drafts.flatMap((): ReadonlyArray<MessageState | undefined> => ['sent', undefined]),
      )
    },
  },
]

/** The expected history after changes in this order: each state once, with its first timestamp, before the states that it leads to. */
const historyOf = (changes: ReadonlyArray<{ readonly state: Reported; readonly at: number }>) => {
  const history: { readonly state: MessageState; readonly at: number }[] = [{ state: 'pending', at: NOON }]
  let state: MessageState = 'pending'
  for (const change of changes) {
    if (entersHistory(state, change.state) && !history.some((mark) => mark.state === change.state)) history.push(change)
    state = merge(state, change.state)
  }
  return history.sort(byState)
}

const ORDER: ReadonlyArray<MessageState> = ['pending', ...STATES]

/** A message never has two states of which neither leads to the other. */
const byState = (a: { readonly state: MessageState }, b: { readonly state: MessageState }): number =>
  ORDER.indexOf(a.state) - ORDER.indexOf(b.state)
