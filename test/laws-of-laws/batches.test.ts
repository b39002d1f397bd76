import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Batch, BatchCounts, NewLine, StoredLine } from '../../core/batches/batch.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import { batchesAtRestLaws } from '../laws/batch-lines.js'
import { batchesLaws } from '../laws/batches.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { brokenMemory, followedBy, withResult } from './broken-memory.js'
import { describeMutations, namesOf } from './mutation.js'

const broken = (defect: Parameters<typeof brokenMemory<'batches'>>[1]) => brokenMemory('batches', defect)
const forgetful = (defect: Parameters<typeof brokenMemory<'personalData'>>[1]) => brokenMemory('personalData', defect)

const LAWS = namesOf(batchesLaws)
const at = (...indexes: ReadonlyArray<number>): ReadonlyArray<string> => indexes.map((index) => LAWS[index] ?? '')

/** Adds other lines than the given ones. */
const appending = (change: (line: NewLine) => NewLine) => broken(({ append }) => ({
  append: (of, upload, lines) => append(of, upload, lines.map(change)),
}))

/** Reads lines differently. */
const reading = (change: (lines: ReadonlyArray<StoredLine>) => ReadonlyArray<StoredLine>) => broken(({ lines }) => ({
  lines: (of, upload, query) => withResult(lines(of, upload, query), change),
}))

/** Counts lines differently. */
const counting = (change: (counts: BatchCounts) => BatchCounts) => broken(({ counts }) => ({
  counts: (of, upload) => withResult(counts(of, upload), change),
}))

describeMutations('batches', batchesLaws, [
  {
    defect: 'finds no batch', breaks: at(0, 4, 5),
    open: broken(() => ({ find: async () => E.right(O.none) })),
  },
  {
    defect: 'does not tell the workspace of a batch', breaks: at(0),
    open: broken(() => ({ ownerOf: async () => E.right(O.none) })),
  },
  {
    defect: 'loses the hours', breaks: at(0),
    open: broken(({ create }) => ({
      create: ({ timing: { hours: _lost, ...timing }, ...batch }, make) => create({ ...batch, timing }, make),
    })),
  },
  {
    defect: 'replaces a batch that exists', breaks: at(0),
    open: broken(({ create, change }) => ({
      create: (batch, make) => followedBy(create(batch, make), () => change({
        workspace: batch.workspace, batch: batch.id, from: ['draft'], set: { state: batch.state },
      })),
    })),
  },
  {
    defect: 'finds batches of any workspace', breaks: at(1),
    open: broken(({ find }, { workspaces }) => ({
      find: async ({ workspace, batch }) => {
        const all = await workspaces.list()
        for (const { id } of E.isRight(all) ? all.right : []) {
          const found = await find({ workspace: id, batch })
          if (E.isRight(found) && O.isSome(found.right)) return found
        }
        return find({ workspace, batch })
      },
    })),
  },
  {
    defect: 'lists only the first page', breaks: at(2),
    open: broken(({ list }) => ({
      list: (workspace, query) => withResult(list(workspace, query), ({ items }) => ({ items, next: undefined })),
    })),
  },
  {
    defect: 'takes a batch for open that is settled', breaks: at(3),
    open: broken(({ open, change }) => ({
      change: ({ set: { settledAt: _lost, ...set }, ...rest }, make) => change({ ...rest, set }, make), open,
    })),
  },
  {
    defect: 'has at most two open batches', breaks: at(3),
    open: broken(({ open }) => ({ open: (query) => open({ ...query, limit: Math.min(2, query.limit) }) })),
  },
  {
    defect: 'removes no field', breaks: at(4),
    open: broken(({ change }) => ({
      change: (one, make) => change({
        ...one, set: Object.fromEntries(Object.entries(one.set).filter(([, value]) => value !== undefined)),
      }, make),
    })),
  },
  {
    defect: 'does not ask for the upload', breaks: at(4),
    open: broken(({ change }) => ({ change: ({ upload: _lost, ...one }, make) => change(one, make) })),
  },
  {
    defect: 'changes a batch in any state', breaks: at(4, 5, 6),
    open: broken(({ change }) => ({
      change: (one, make) => change({ ...one, from: ['draft', 'confirmed', 'sending', 'paused', 'done', 'canceled'] }, make),
    })),
  },
  {
    defect: 'stores no entries', breaks: at(6),
    open: broken(({ change, create }) => ({ change: (one) => change(one), create: (batch) => create(batch) })),
  },
  { defect: 'loses the contents of lines', breaks: at(7, 8, 11), open: appending(({ content: _lost, ...line }) => line) },
  { defect: 'loses the problems of lines', breaks: at(7), open: appending(({ problem: _lost, ...line }) => line) },
  { defect: 'cannot store every character', breaks: at(7), open: appending((line) => ({ ...line, to: line.to.replace(/[^ -~]/gu, '?') })) },
  { defect: 'reads lines in another order', breaks: at(7, 8), open: reading((lines) => lines.toReversed()) },
  {
    defect: 'reads every line', breaks: at(7, 14),
    open: broken(({ lines }) => ({ lines: (of, upload) => lines(of, upload, { after: -1, limit: 1_000 }) })),
  },
  {
    defect: 'has one upload', breaks: at(8, 10),
    open: broken(({ append, lines }) => ({ append: (of, _, added) => append(of, 7, added), lines: (of, _, query) => lines(of, 7, query) })),
  },
  {
    defect: 'replaces a line that exists', breaks: at(8),
    open: broken(({ append, removeOthers, lines }) => ({
      append: async (of, upload, added) => {
        const known = await lines(of, upload, { after: -1, limit: 1_000 })
        if (E.isLeft(known)) return known
        const numbers = new Set(added.map(({ line }) => line))
        const kept = known.right.filter(({ line }) => !numbers.has(line))
        return followedBy(removeOthers(of, -1, 1_000), () => append(of, upload, [...kept, ...added]))
          .then(E.map(() => undefined))
      },
    })),
  },
  {
    defect: 'adds lines to any batch', breaks: at(9),
    open: broken(({ append, change, find }) => ({
      append: async (of, upload, lines) => {
        const before = await find(of)
        const state = E.isRight(before) && O.isSome(before.right) ? before.right.value.state : 'draft'
        await change({ ...of, from: [state], set: { state: 'draft' } })
        return followedBy(append(of, upload, lines), () => change({ ...of, from: ['draft'], set: { state } }))
      },
    })),
  },
  {
    defect: 'removes every other line at once', breaks: at(10),
    open: broken(({ removeOthers }) => ({ removeOthers: (of, upload) => removeOthers(of, upload, 1_000) })),
  },
  {
    defect: 'keeps what the first check found', breaks: at(11),
    open: broken(({ noteChecked, lines }) => ({
      noteChecked: async (of, upload, checked) => {
        const known = await lines(of, upload, { after: -1, limit: 1_000 })
        const done = new Set(E.isRight(known) ? known.right.filter(({ rate }) => rate !== undefined).map(({ line }) => line) : [])
        return noteChecked(of, upload, checked.filter(({ line }) => !done.has(line)))
      },
    })),
  },
  {
    defect: 'rounds prices', breaks: at(11),
    open: broken(({ noteChecked }) => ({
      noteChecked: (of, upload, checked) => noteChecked(of, upload, checked.map((one) =>
        (one.rate === undefined ? one : { ...one, rate: { ...one.rate, micros: BigInt(Number(one.rate.micros)) } }))),
    })),
  },
  {
    defect: 'lets checks write that are late', breaks: at(12),
    open: broken(({ noteChecked, change, find }) => ({
      noteChecked: async (of, upload, checked) => {
        await new Promise((resolve) => { setTimeout(resolve, 5) })
        const before = await find(of)
        const state = E.isRight(before) && O.isSome(before.right) ? before.right.value.state : 'draft'
        await change({ ...of, from: [state], set: { state: 'draft' } })
        return followedBy(noteChecked(of, upload, checked), () => change({ ...of, from: ['draft'], set: { state } }))
      },
    })),
  },
  {
    defect: 'says that it assigned every line', breaks: at(13, 14),
    open: broken(({ assign }) => ({
      assign: (of, upload, lines) => withResult(assign(of, upload, lines), () => lines.map(({ line }) => line)),
    })),
  },
  {
    defect: 'forgets that messages exist', breaks: at(14),
    open: broken(() => ({ noteOpened: async () => E.right(undefined) })),
  },
  { defect: 'ends no line', breaks: at(15), open: broken(() => ({ endUnsent: async () => E.right(undefined) })) },
  {
    defect: 'counts every line as unsent', breaks: at(16),
    open: counting((counts) => {
      const all = [counts.unsent, ...counts.states.values()]
      const sum = { lines: all.reduce((sum, { lines }) => sum + lines, 0), micros: all.reduce((sum, { micros }) => sum + micros, 0n) }
      return { ...counts, unsent: sum, states: new Map() }
    }),
  },
  { defect: 'counts no failures', breaks: at(16, 17), open: counting((counts) => ({ ...counts, failures: new Map() })) },
  { defect: 'counts no problems', breaks: at(16), open: counting((counts) => ({ ...counts, problems: new Map() })) },
  {
    defect: 'has the last messages in the order of their lines', breaks: at(18),
    open: broken(({ lastSent }) => ({
      lastSent: (of, upload, limit) => withResult(lastSent(of, upload, 1_000), (ids) => ids.toReversed().slice(0, limit)),
    })),
  },
  {
    defect: 'deletes the contents of every batch that has ended', breaks: at(19),
    open: broken(({ forgetContents }) => ({ forgetContents: (_, limit) => forgetContents(Number.MAX_SAFE_INTEGER, limit) })),
  },
  {
    defect: 'deletes contents without a limit', breaks: at(19),
    open: broken(({ forgetContents }) => ({ forgetContents: (before) => forgetContents(before, 1_000_000) })),
  },
  {
    defect: 'erases no line', breaks: at(20, 21),
    open: forgetful(() => ({
      erase: async () => E.right({ messages: 0, customers: 0, windows: 0, events: 0 }),
    })),
  },
  {
    defect: 'stores a batch for each request', breaks: at(23),
    open: broken(({ create }) => ({
      create: async ({ request, ...batch }, make) =>
        E.map((stored: Batch) => ({ ...stored, ...(request && { request }) }))(await create(batch, make)),
    })),
  },
  {
    defect: 'returns the batch that it was given', breaks: at(23),
    open: broken(({ create }) => ({ create: async (batch, make) => E.map(() => batch)(await create(batch, make)) })),
  },
  {
    defect: 'finds no batch by its request', breaks: at(24),
    open: broken(() => ({ findByRequest: async () => E.right(O.none) })),
  },
  {
    defect: 'never frees the key of a request', breaks: at(24),
    open: broken(({ change }) => ({ change: ({ set: { request: _kept, ...set }, ...one }, make) => change({ ...one, set }, make) })),
  },
  {
    defect: 'does not ask whether the total is reserved', breaks: at(25),
    open: broken(({ change }) => ({ change: ({ isHeld: _lost, ...one }, make) => change(one, make) })),
  },
  {
    defect: 'does not ask which total was confirmed', breaks: at(26),
    open: broken(({ change }) => ({ change: ({ total: _lost, ...one }, make) => change(one, make) })),
  },
  {
    defect: 'forgets no recipient', breaks: at(22),
    open: forgetful(() => ({
      forgetBefore: async () => E.right({ forgotten: { messages: 0, customers: 0, windows: 0 }, next: undefined }),
    })),
  },
])

describeMutations('batches at rest', batchesAtRestLaws, [
  {
    defect: 'stores contents that can be read', breaks: namesOf(batchesAtRestLaws),
    open: async () => {
      const fixture = await openMemoryFixture()
      const stored: Array<string> = [workspaceIdOf('0')]
      const { append } = fixture.batches
      const keeping: typeof append = (of, upload, lines) => {
        stored.push(JSON.stringify([of, lines]))
        return append(of, upload, lines)
      }
      return { ...fixture, batches: { ...fixture.batches, append: keeping }, atRest: async () => stored.join('\n') }
    },
  },
])
