import * as O from 'fp-ts/lib/Option.js'
import type { AuditLog } from '../../core/access/acting.js'
import type { AuditActor, AuditEntry } from '../../core/kernel/actor.js'
import { auditIdOf, type MemberId, type WorkspaceId } from '../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../../core/kernel/time.js'
import type { MessageLog } from '../../core/messages/message-log.js'
import type { MessageQueue } from '../../core/messages/queue.js'
import { INSTALLATION_KEPT_MS, type QueueHold, type QueueHolds } from '../../core/messages/queue-holds.js'
import { done, same } from './expect.js'
import { newName, times } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, openMessageWorkspace } from './message-fixture.js'

/** The holds of the queue, and the queue, the message log and the audit log of the same storage. */
export type QueueHoldsFixture = MessageLogFixture & {
  readonly messageLog: MessageLog
  readonly messageQueue: MessageQueue
  readonly queueHolds: QueueHolds
  readonly auditLog: Pick<AuditLog, 'list'>
  /** The same storage as another node opens it, if there are several nodes. */
  readonly elsewhere?: { readonly queueHolds: QueueHolds }
}

const MANY = 10_000
const FAR = Number.MAX_SAFE_INTEGER

/** Each law begins so long after the one before that the installations of other laws are forgotten. */
let begun = Date.UTC(2100, 0, 1, 0, 0, 0, 1)
const nextBegin = (): Instant => { begun += INSTALLATION_KEPT_MS + DAY_MS; return begun }

const nodeOf = ({ queueHolds, elsewhere }: QueueHoldsFixture, index: number): QueueHolds =>
  (index % 2 === 0 ? queueHolds : elsewhere?.queueHolds ?? queueHolds)

/** Opens a storage in which nothing is held, and which one installation has sent at `at`. By default one message is queued. */
const openHolds = async (fixture: QueueHoldsFixture, { isEmpty = false } = {}) => {
  const { queueHolds, messageQueue } = fixture
  const { workspace, opened } = await openMessageWorkspace(fixture)
  const [at, installation] = [nextBegin(), newName()]
  for (const { workspace: of } of await listed(queueHolds)) await done('a queue is resumed', queueHolds.resume(of))
  const beat = async (
    later: number, more: { readonly of?: string; readonly heldAfterMs?: number | undefined; readonly node?: number } = {},
  ) => {
    const { of = installation, node = 0 } = more
    const heldAfterMs = 'heldAfterMs' in more ? more.heldAfterMs : HOUR_MS
    return done('a heartbeat', nodeOf(fixture, node).heartbeat({ installation: of, at: at + later, heldAfterMs }))
  }
  if (isEmpty) {
    for (const { workspace: of, sender } of await done('the senders are read', messageQueue.sendersDue({ at: FAR, limit: MANY }))) {
      for (const isBatch of [false, true]) {
        const due = messageQueue.due({ workspace: of, sender, isBatch, at: FAR, limit: MANY })
        for (const { record } of await done('what is due is read', due)) {
          await done('a claim', messageQueue.claim({ workspace: of, message: record.id }, at))
        }
      }
    }
  } else {
    await opened({ queue: { dueAt: at + DAY_MS, endsAt: at + 2 * DAY_MS } })
  }
  await beat(0, { heldAfterMs: undefined })
  return { workspace, at, installation, beat, reasons: async (node = 0) => (await listed(nodeOf(fixture, node))).map(({ why }) => why) }
}

const listed = (queueHolds: QueueHolds): Promise<ReadonlyArray<QueueHold>> => done('the holds are listed', queueHolds.list())

const OPERATOR: AuditActor = { type: 'member', id: 'mem_1' as MemberId, email: 'ada@example.com' }

const byOperator = (since: Instant, more: Partial<QueueHold> = {}): QueueHold => ({ since, why: 'operator', by: OPERATOR, ...more })

/** An audit entry with the reason of the hold. */
const noting = (mark: string) => ({ why }: QueueHold): ReadonlyArray<AuditEntry> =>
  [{ id: auditIdOf(newName()), at: begun, by: { type: 'system' }, act: 'queue.hold', outcome: 'done', subject: mark, details: { why } }]

const noted = async ({ auditLog }: QueueHoldsFixture, mark: string): Promise<ReadonlyArray<unknown>> =>
  (await done('the audit log is listed', auditLog.list({ limit: 1_000 }))).items.filter(({ subject }) => subject === mark)
    .map(({ details }) => details?.['why'])

/** The promises of every `QueueHolds`. */
export const queueHoldsLaws: ReadonlyArray<Law<QueueHoldsFixture>> = [
  {
    name: 'a hold is in force as it was given, everywhere, that of every workspace first, until it is resumed',
    check: async (fixture) => {
      const { queueHolds } = fixture
      const { at, workspace } = await openHolds(fixture)
      const { workspace: other } = await fixture.openWorkspace()
      const given = [
        byOperator(at, { workspace, note: 'A wrong price, see #4\u00fc' }),
        byOperator(at + 1, { workspace: other, by: { type: 'command_line', user: 'root' } }),
        byOperator(at + 2, { by: { type: 'system' }, note: 'All' }),
      ]
      for (const hold of given) same('a new hold', await done('a hold', queueHolds.hold(hold)), { hold, isNew: true })
      const idOf = ({ workspace: of }: QueueHold) => of ?? ('' as WorkspaceId)
      same('the holds', await listed(nodeOf(fixture, 1)), given.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1)))
      same('the removed hold', await done('a queue is resumed', nodeOf(fixture, 1).resume(workspace)), O.some(given[0]))
      same('the holds that are left', (await listed(queueHolds)).map(idOf), ['', other])
      same('no hold to remove', await done('a queue is resumed', queueHolds.resume(workspace)), O.none)
      same('the removed hold of every workspace', await done('the queue is resumed', queueHolds.resume(undefined)), O.some(given[2]))
      same('the hold that is left', (await listed(queueHolds)).map(idOf), [other])
    },
  },
  {
    name: 'a hold that is in force stays as it is, and so does that of every workspace if one workspace is held later',
    check: async (fixture) => {
      const { queueHolds } = fixture
      const { at, workspace } = await openHolds(fixture)
      const first = byOperator(at, { workspace, note: 'First' })
      await done('a hold', queueHolds.hold(first))
      const again = await done('a hold', queueHolds.hold(byOperator(at + 1, { workspace, note: 'Second' })))
      same('a second hold of the workspace', again, { hold: first, isNew: false })
      const all = byOperator(at + 2, { note: 'All' })
      same('a hold of every workspace', await done('a hold', queueHolds.hold(all)), { hold: all, isNew: true })
      const { workspace: other } = await fixture.openWorkspace()
      const covered = await done('a hold', queueHolds.hold(byOperator(at + 3, { workspace: other })))
      same('a hold of a workspace while all are held', covered, { hold: all, isNew: false })
      same('the holds', await listed(queueHolds), [all, first])
    },
  },
  {
    name: 'of concurrent holds one is added, and of concurrent resumptions one removes it',
    check: async (fixture) => {
      const { at, workspace } = await openHolds(fixture)
      const given = times(8, (index) => byOperator(at + index, { workspace }))
      const answers = await Promise.all(given.map((hold, index) => done('a hold', nodeOf(fixture, index).hold(hold))))
      const added = answers.filter(({ isNew }) => isNew)
      same('the number of added holds', added.length, 1)
      for (const { hold } of answers) same('the hold in force', hold, added[0]?.hold)
      const removed = await Promise.all(given.map((_, index) => done('a queue is resumed', nodeOf(fixture, index).resume(workspace))))
      same('the number of removed holds', removed.filter(O.isSome).length, 1)
    },
  },
  {
    name: 'an installation that has sent the queue within the limit goes on, and after a longer sleep the queue is held',
    check: async (fixture) => {
      const { at, beat, reasons } = await openHolds(fixture)
      same('after the whole limit', await beat(HOUR_MS), { holds: [], isNew: false })
      same('after less than the limit', await beat(HOUR_MS + MINUTE_MS, { node: 1 }), { holds: [], isNew: false })
      const hold: QueueHold = { since: at + 2 * HOUR_MS + MINUTE_MS + 1, why: 'asleep', by: { type: 'system' } }
      same('after more than the limit', await beat(2 * HOUR_MS + MINUTE_MS + 1), { holds: [hold], isNew: true })
      same('the next heartbeat', await beat(2 * HOUR_MS + 2 * MINUTE_MS), { holds: [hold], isNew: false })
      same('the reasons', await reasons(1), ['asleep'])
    },
  },
  {
    name: 'a heartbeat is stored before it is a minute old',
    check: async (fixture) => {
      const { beat, reasons } = await openHolds(fixture)
      for (const minutes of times(59, (index) => index + 1)) await beat(minutes * MINUTE_MS, { node: minutes })
      await beat(59 * MINUTE_MS + HOUR_MS)
      same('the reasons', await reasons(), [])
    },
  },
  {
    name: 'another installation does not send what is queued, even if the first one has just sent the queue',
    check: async (fixture) => {
      const { at, beat } = await openHolds(fixture)
      const hold: QueueHold = { since: at + 1, why: 'other_installation', by: { type: 'system' } }
      same('the first heartbeat elsewhere', await beat(1, { of: newName(), node: 1 }), { holds: [hold], isNew: true })
    },
  },
  {
    name: 'an installation does not send what is queued if another one has sent the queue since',
    check: async (fixture) => {
      const { queueHolds } = fixture
      const { beat } = await openHolds(fixture)
      const other = newName()
      await beat(HOUR_MS, { of: other })
      await done('the queue is resumed', queueHolds.resume(undefined))
      await beat(2 * HOUR_MS, { of: other })
      same('the reason', (await beat(2 * HOUR_MS + 1)).holds.map(({ why }) => why), ['other_installation'])
    },
  },
  {
    name: 'a queue that was resumed after a held start is sent, and is not held again for the same sleep',
    check: async (fixture) => {
      const { queueHolds } = fixture
      const { beat } = await openHolds(fixture)
      await beat(2 * HOUR_MS)
      await done('the queue is resumed', queueHolds.resume(undefined))
      same('the heartbeat after it', await beat(2 * HOUR_MS + 1), { holds: [], isNew: false })
      same('a heartbeat of a later minute', await beat(2 * HOUR_MS + MINUTE_MS, { node: 1 }), { holds: [], isNew: false })
    },
  },
  {
    name: 'two installations that both send the queue are not held after it was resumed for both',
    check: async (fixture) => {
      const { queueHolds } = fixture
      const { beat } = await openHolds(fixture)
      const other = newName()
      await beat(1, { of: other })
      await done('the queue is resumed', queueHolds.resume(undefined))
      for (const minutes of times(90, (index) => index + 1)) {
        const { holds: held } = await beat(minutes * MINUTE_MS, minutes % 2 === 0 ? {} : { of: other, node: 1 })
        same(`the holds after ${minutes} minutes`, held, [])
      }
    },
  },
  {
    name: 'an empty queue is not held',
    check: async (fixture) => {
      const { beat } = await openHolds(fixture, { isEmpty: true })
      same('after a sleep', await beat(2 * HOUR_MS), { holds: [], isNew: false })
      same('elsewhere', await beat(2 * HOUR_MS + 1, { of: newName() }), { holds: [], isNew: false })
    },
  },
  {
    name: 'without a limit nothing is held, and the heartbeat counts',
    check: async (fixture) => {
      const { beat } = await openHolds(fixture)
      same('after a sleep', await beat(2 * HOUR_MS, { heldAfterMs: undefined }), { holds: [], isNew: false })
      same('elsewhere', await beat(2 * HOUR_MS, { of: newName(), heldAfterMs: undefined }), { holds: [], isNew: false })
      same('with a limit, later', await beat(3 * HOUR_MS), { holds: [], isNew: false })
    },
  },
  {
    name: 'a clock that was set back by more than the limit counts as a sleep',
    check: async (fixture) => {
      const { beat } = await openHolds(fixture)
      same('an hour before', await beat(-HOUR_MS), { holds: [], isNew: false })
      same('more than another hour before', (await beat(-2 * HOUR_MS - 1)).isNew, true)
    },
  },
  {
    name: 'a held start leaves a hold of every workspace as it is, and is added to that of one workspace',
    check: async (fixture) => {
      const { queueHolds } = fixture
      const { at, beat, workspace } = await openHolds(fixture)
      await done('a hold', queueHolds.hold(byOperator(at, { workspace })))
      await beat(2 * HOUR_MS)
      same('the reasons', (await listed(queueHolds)).map(({ why }) => why), ['asleep', 'operator'])
      await done('the queue is resumed', queueHolds.resume(undefined))
      const all = byOperator(at, { note: 'All' })
      await done('a hold', queueHolds.hold(all))
      same('the hold of every workspace', (await beat(4 * HOUR_MS)).holds[0], all)
    },
  },
  {
    name: 'of concurrent heartbeats one holds the queue, and the others see it',
    check: async (fixture) => {
      for (const of of [undefined, newName()]) {
        const { beat } = await openHolds(fixture)
        const answers = await Promise.all(times(8, (node) => beat(2 * HOUR_MS, { node, ...(of !== undefined && { of }) })))
        same('the number of added holds', answers.filter(({ isNew }) => isNew).length, 1)
        for (const { holds: held } of answers) same('the number of holds', held.length, 1)
      }
    },
  },
  {
    name: 'a hold that is added or removed stores the entries made of it, and one that is not stores none',
    check: async (fixture) => {
      const { queueHolds } = fixture
      const { at, workspace, installation } = await openHolds(fixture)
      const marks = times(3, () => newName())
      const [holding = '', resuming = '', beating = ''] = marks
      const hold = byOperator(at, { workspace })
      for (const one of [hold, hold]) await done('a hold', queueHolds.hold(one, noting(holding)))
      for (const of of [workspace, workspace]) await done('a queue is resumed', queueHolds.resume(of, noting(resuming)))
      for (const later of [1, 2 * HOUR_MS, 2 * HOUR_MS + MINUTE_MS]) {
        await done('a heartbeat', queueHolds.heartbeat({ installation, at: at + later, heldAfterMs: HOUR_MS }, noting(beating)))
      }
      same('the entries', [await noted(fixture, holding), await noted(fixture, resuming), await noted(fixture, beating)], [
        ['operator'], ['operator'], ['asleep'],
      ])
      same('the number of holds', (await listed(queueHolds)).length, 1)
    },
  },
]
