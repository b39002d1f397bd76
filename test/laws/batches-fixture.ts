import * as O from 'fp-ts/lib/Option.js'
import type { AuditLog } from '../../core/access/acting.js'
import {
  type Batch, type BatchChange, type BatchCounts, type Batches, type BatchRef, type BatchState, type CheckedLine, type Count, DEFAULT_BRAKE,
  type LinesQuery, type NewLine, type StoredLine,
} from '../../core/batches/batch.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import { auditIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { MessageState } from '../../core/messages/message.js'
import type { PersonalData } from '../../core/privacy.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { done } from './expect.js'
import { newBatchId, newMessageId, newName, newPhoneNumber, times } from './ids.js'
import { type MessageLogFixture, NOON, openMessageWorkspace } from './message-fixture.js'

/** Batches, and the ports of the same storage that see them. */
export type BatchesFixture = MessageLogFixture & {
  readonly batches: Batches
  readonly personalData: Pick<PersonalData, 'digestOf' | 'erase' | 'forgetBefore'>
  readonly auditLog: Pick<AuditLog, 'list'>
  /** The same storage as another node opens it, if there are several nodes. */
  readonly elsewhere?: { readonly batches: Batches }
}

export const UPLOAD = 7

/** The nodes alternately, so that half of the calls come from another one. */
export const nodeOf = ({ batches, elsewhere = { batches } }: BatchesFixture, index: number): Batches =>
  (index % 2 === 0 ? batches : elsewhere.batches)

export const rated = (line: number, micros = 1_000n * BigInt(line)): CheckedLine => ({ line, rate: { micros, category: 'marketing' } })

export const problematic = (line: number, problem = 'invalid_recipient'): CheckedLine => ({ line, problem })

/** New lines with consecutive numbers, starting at the given one. */
export const linesFrom = (first: number, count: number): ReadonlyArray<NewLine> =>
  times(count, (index) => ({ line: first + index, to: newPhoneNumber() }))

export const numbersOf = (lines: ReadonlyArray<{ readonly line: number }>): ReadonlyArray<number> => lines.map(({ line }) => line)

/** An audit entry with a subject, which says in what state the batch was. */
export const noting = (mark: string) => ({ state }: Batch): ReadonlyArray<AuditEntry> => [{
  id: auditIdOf(newName()), at: NOON, by: { type: 'system' }, act: 'customer.erase', outcome: 'done', subject: mark, details: { state },
}]

/** The states in the audit entries with a subject, sorted. */
export const noted = async ({ auditLog }: BatchesFixture, mark: string): Promise<ReadonlyArray<unknown>> =>
  (await done('the audit log is listed', auditLog.list({ limit: 1_000 }))).items.filter(({ subject }) => subject === mark)
    .map(({ details }) => details?.['state']).sort()

export const draftOf = (workspace: WorkspaceId, more: Partial<Batch> = {}): Batch => ({
  id: newBatchId(NOON), workspace, sender: senderIdOf('106540352242922'), templateName: 'order', language: 'de', timing: {},
  brake: DEFAULT_BRAKE, createdAt: NOON, state: 'draft', upload: 0, ...more,
})

/** A batch that was confirmed. */
export const confirmed = (currency: Currency): NonNullable<Batch['confirmed']> => ({
  at: NOON, total: 9_007_199_254_740_993n, currency, sendable: 3, heldAt: NOON + 1,
  parts: [{ lines: 3, micros: 9_007_199_254_740_993n, category: 'marketing', market: '49' }],
})

export const openBatches = async (fixture: BatchesFixture) => {
  const { batches } = fixture
  const messages = await openMessageWorkspace(fixture)
  const { workspace } = messages
  const create = async (more: Partial<Batch> = {}): Promise<Batch> => {
    const batch = draftOf(workspace, more)
    await done('a batch is created', batches.create(batch))
    return batch
  }
  const found = async ({ batch, workspace: of }: BatchRef, from = batches): Promise<Batch | undefined> =>
    O.toUndefined(await done('a batch is read', from.find({ workspace: of, batch })))
  const change = async (of: BatchRef, from: ReadonlyArray<BatchState>, set: BatchChange['set'], more: Partial<BatchChange> = {}) =>
    O.toUndefined(await done('a batch is changed', batches.change({ ...of, from, set, ...more })))
  /** A draft with the given lines, or a number of lines that begins at 2. */
  const filled = async (lines: number | ReadonlyArray<NewLine>): Promise<BatchRef> => {
    const of = { workspace, batch: (await create()).id }
    await done('lines are added', batches.append(of, UPLOAD, typeof lines === 'number' ? linesFrom(2, lines) : lines))
    await change(of, ['draft'], { upload: UPLOAD })
    return of
  }
  const check = (of: BatchRef, lines: ReadonlyArray<CheckedLine>) => done('a check is stored', batches.noteChecked(of, UPLOAD, lines))
  const read = (of: BatchRef, query: Partial<LinesQuery> = {}, upload = UPLOAD): Promise<ReadonlyArray<StoredLine>> =>
    done('lines are read', batches.lines(of, upload, { after: 0, limit: 1_000, ...query }))
  const assign = (of: BatchRef, lines: ReadonlyArray<number>, node = 0) => {
    const assignments = lines.map((line) => ({ line, message: newMessageId(NOON + line) }))
    return done('messages are assigned', nodeOf(fixture, node).assign(of, UPLOAD, assignments)).then((given) => ({ assignments, given }))
  }
  const counts = (of: BatchRef, upload = UPLOAD): Promise<BatchCounts> => done('lines are counted', batches.counts(of, upload))
  return { ...messages, create, found, change, filled, check, read, assign, counts }
}

/** The counts as texts that compare. */
export const shown = ({ lines, problems, unsent, states }: BatchCounts) => ({
  lines, unsent, problems: Object.fromEntries(problems), states: Object.fromEntries(states) as Partial<Record<MessageState, Count>>,
})
