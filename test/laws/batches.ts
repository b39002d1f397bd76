import * as O from 'fp-ts/lib/Option.js'
import type { Batch, BatchChange, BatchState } from '../../core/batches/batch.js'
import type { BatchId } from '../../core/kernel/ids.js'
import { batchLinesLaws } from './batch-lines.js'
import {
  type BatchesFixture, confirmed, draftOf, linesFrom, nodeOf, noted, noting, openBatches, problematic, rated, UPLOAD,
} from './batches-fixture.js'
import { allPages, done, holds, same } from './expect.js'
import { GARBAGE_CURSORS, longAgo, newBatchId, newName, times } from './ids.js'
import type { Law } from './law.js'
import { NOON } from './message-fixture.js'

/** The promises of every `Batches`. */
export const batchesLaws: ReadonlyArray<Law<BatchesFixture>> = [
  {
    name: 'a batch is found as it was created, and a batch that exists stays as it is',
    check: async (fixture) => {
      const { create, found, workspace } = await openBatches(fixture)
      const full = await create({
        name: 'Frühling 🌷',
        timing: { sendAt: NOON + 1, until: NOON + 2, hours: { from: '09:00', to: '20:00', days: ['mon'], timezone: 'customer' } },
        firstWave: { recipients: 100, waitMs: 3_600_000 }, brake: { share: 0.125, of: 50 }, metadata: { campaign: 'spring ✿' },
        keyId: newName(),
      })
      const plain = await create()
      await done('it is created again', fixture.batches.create({ ...full, language: 'en', state: 'canceled' }))
      for (const from of [fixture.batches, nodeOf(fixture, 1)]) {
        const both = [await found({ workspace, batch: full.id }, from), await found({ workspace, batch: plain.id }, from)]
        same('the batches', both, [full, plain])
      }
      const unknown = newBatchId(NOON)
      same('an unknown batch', await found({ workspace, batch: unknown }), undefined)
      const ownerOf = async (batch: BatchId) => O.toUndefined(await done('its workspace', fixture.batches.ownerOf(batch)))
      same('their workspaces', [await ownerOf(full.id), await ownerOf(unknown)], [workspace, undefined])
    },
  },
  {
    name: 'a workspace never reads or changes the batch of another one',
    check: async (fixture) => {
      const { batches } = fixture
      const { filled, found, change, read, check, assign, counts, workspace } = await openBatches(fixture)
      const { batch } = await filled(3)
      const own = { workspace, batch }
      await check(own, [rated(2), rated(3)])
      const other = { workspace: (await fixture.openWorkspace()).workspace, batch }
      const before = [await found(own), await read(own)]
      same('what it reads', [await found(other), await read(other), (await counts(other)).lines], [undefined, [], 0])
      same('its list', (await done('a list', batches.list(other.workspace, { limit: 10 }))).items, [])
      same('its change', await change(other, ['draft'], { state: 'canceled' }), undefined)
      same('its check', await check(other, [problematic(2)]), false)
      same('its assignment', (await assign(other, [2, 3])).given, [])
      await done('it adds lines', batches.append(other, UPLOAD, linesFrom(9, 1)))
      await done('it notes messages', batches.noteOpened(other, UPLOAD, [2]))
      await done('it ends lines', batches.endUnsent(other, UPLOAD, 'queue_expired'))
      same('what it removes', await done('it removes lines', batches.removeOthers(other, UPLOAD + 1, 10)), 0)
      same('the batch', [await found(own), await read(own)], before)
    },
  },
  {
    name: 'a list has the batches of its workspace, newest first and page by page, and an unknown cursor never fails',
    check: async (fixture) => {
      const { batches } = fixture
      const { create, workspace } = await openBatches(fixture)
      await (await openBatches(fixture)).create()
      const made = []
      for (const index of [2, 0, 3, 1, 4]) made.push(await create({ id: newBatchId(NOON + index) }))
      const wanted = made.toSorted((a, b) => (a.id > b.id ? -1 : 1))
      for (const limit of [1, 2, 5, 100]) {
        same(`pages of ${limit}`, await allPages('a list', (query) => batches.list(workspace, query), limit), wanted)
      }
      for (const cursor of GARBAGE_CURSORS) await done('an unknown cursor', batches.list(workspace, { limit: 1, cursor }))
    },
  },
  {
    name: 'the open batches are those of all workspaces that are neither drafts nor settled, in the order of their ids',
    check: async (fixture) => {
      const [one, other] = [await openBatches(fixture), await openBatches(fixture)]
      const at = longAgo()
      const { currency } = await fixture.openWorkspace()
      const make = async (of: typeof one, index: number, set: BatchChange['set']): Promise<Batch> => {
        const batch = await of.create({ id: newBatchId(at + index) })
        return await of.change({ workspace: batch.workspace, batch: batch.id }, ['draft'], set) ?? batch
      }
      const first = await one.create({ id: newBatchId(at) })
      const open = { confirmed: confirmed(currency) }
      const wanted = [
        await make(one, 1, { ...open, state: 'confirmed' }), await make(other, 2, { ...open, state: 'paused' }),
        await make(one, 5, { ...open, state: 'canceled', endedAt: NOON }), await make(other, 6, { state: 'canceled', endedAt: NOON }),
      ]
      await make(one, 3, { ...open, state: 'done', endedAt: NOON, settledAt: NOON })
      await make(other, 4, { state: 'canceled', endedAt: NOON, settledAt: NOON })
      const read = (limit: number, after = first.id) => done('open batches', fixture.batches.open({ after, limit }))
      same('the first four', await read(4), wanted)
      same('the first two', await read(2), wanted.slice(0, 2))
      same('the next one', await read(1, wanted[1]?.id), wanted.slice(2, 3))
      holds('all of them are open', (await done('open batches', fixture.batches.open({ limit: 4 }))).length === 4, 'fewer than four')
    },
  },
  {
    name: 'a change sets and removes fields, and applies only from its states and for its upload',
    check: async (fixture) => {
      const { create, found, change, workspace, draft } = await openBatches(fixture)
      const batch = await create({ upload: 8_999_999_999_999_999 })
      const of = { workspace, batch: batch.id }
      const none = [
        await change(of, ['confirmed', 'paused'], { state: 'canceled' }), await change(of, ['draft'], { state: 'canceled' }, { upload: 1 }),
        await change(of, [], { state: 'canceled' }), await change({ workspace, batch: newBatchId(NOON) }, ['draft'], { state: 'canceled' }),
      ]
      same('changes that do not apply', [none, await found(of)], [times(4, () => undefined), batch])
      const set = {
        state: 'paused', pausedBecause: 'quality_red', confirmed: confirmed(draft().price.currency), brakeSince: NOON + 1,
        waveUntil: NOON + 2, endedAt: NOON + 3, settledAt: NOON + 4,
      } as const
      const after = { ...batch, ...set }
      same('a change', [await change(of, ['draft', 'paused'], set, { upload: batch.upload }), await found(of)], [after, after])
      const { pausedBecause: _why, waveUntil: _wave, endedAt: _ended, settledAt: _settled, ...left } = after
      const removing = {
        state: 'sending', pausedBecause: undefined, waveUntil: undefined, endedAt: undefined, settledAt: undefined,
      } as const
      const sending = { ...left, state: 'sending' } as const
      same('fields are removed', [await change(of, ['paused'], removing), await found(of)], [sending, sending])
    },
  },
  {
    name: 'of concurrent changes from one state one applies',
    check: async (fixture) => {
      const { create, found, workspace } = await openBatches(fixture)
      const { id: batch } = await create()
      const states = times(8, (index) => (index % 2 === 0 ? 'confirmed' : 'canceled') as BatchState)
      const changed = await Promise.all(states.map((state, index) =>
        done('a change', nodeOf(fixture, index).change({ workspace, batch, from: ['draft'], set: { state, brakeSince: index } }))))
      const applied = changed.flatMap((one) => (O.isSome(one) ? [one.value] : []))
      same('the number of changes that applied', applied.length, 1)
      same('the batch', await found({ workspace, batch }), applied[0])
    },
  },
  {
    name: 'the entries of a batch are stored if it is created or changed, and otherwise none',
    check: async (fixture) => {
      const { batches } = fixture
      const { workspace } = await openBatches(fixture)
      const mark = newName()
      const batch = draftOf(workspace)
      for (const _ of times(2, () => undefined)) await done('it is created', batches.create(batch, noting(mark)))
      same('the entries of the batch', await noted(fixture, mark), ['draft'])
      const change = { workspace, batch: batch.id, from: ['draft'], set: { state: 'canceled' } } as const
      for (const _ of times(2, () => undefined)) await done('it is changed', batches.change(change, noting(mark)))
      same('the entries of the change', await noted(fixture, mark), ['canceled', 'draft'])
    },
  },
  ...batchLinesLaws,
  {
    name: 'of the batches of a workspace with one key one is stored, even of concurrent ones, and each call returns it',
    check: async (fixture) => {
      const { found, workspace } = await openBatches(fixture)
      const [key, mark] = [newName(), newName()]
      const drafts = times(8, (index) => draftOf(workspace, { request: { key, digest: `digest ${index}` } }))
      const made = await Promise.all(drafts.map((draft, index) =>
        done('a batch is created', nodeOf(fixture, index).create(draft, noting(mark)))))
      const stored = drafts.filter(({ id }) => id === made[0]?.id)
      same('the batches that were returned', made, times(8, () => stored[0]))
      const read = await Promise.all(drafts.map(({ id }) => found({ workspace, batch: id })))
      same('the batches that were stored', read.filter((batch) => batch !== undefined), stored)
      same('the entries', await noted(fixture, mark), ['draft'])
      const others = [
        draftOf((await fixture.openWorkspace()).workspace, { request: { key, digest: 'digest 0' } }),
        draftOf(workspace, { request: { key: newName(), digest: 'digest 0' } }), draftOf(workspace), draftOf(workspace),
      ]
      for (const one of others) same('a batch without that key', await done('it is created', fixture.batches.create(one)), one)
    },
  },
  {
    name: 'a batch is found by the key of its request, in its workspace only, until a change removes the request, which frees the key',
    check: async (fixture) => {
      const { create, change, workspace } = await openBatches(fixture)
      const { workspace: other } = await fixture.openWorkspace()
      const request = { key: newName(), digest: newName() }
      const byKey = async (of = workspace, key = request.key) =>
        O.toUndefined(await done('a batch is read', fixture.batches.findByRequest(of, key)))
      same('before', await byKey(), undefined)
      const [batch] = [await create({ request }), await create()]
      same('it is found', [await byKey(), await byKey(other), await byKey(workspace, newName())], [batch, undefined, undefined])
      const of = { workspace, batch: batch.id }
      const canceled = await change(of, ['draft'], { state: 'canceled' })
      same('a change that keeps the request', await byKey(), canceled)
      const { request: _freed, ...freed } = { ...batch, state: 'paused' } as const
      same('a change that removes it', await change(of, ['canceled'], { state: 'paused', request: undefined }), freed)
      same('it is not found by its key', await byKey(), undefined)
      const next = draftOf(workspace, { request })
      same('the next one', [await done('it is created', fixture.batches.create(next)), await byKey()], [next, next])
    },
  },
  {
    name: 'a change may require that the total of its batch is reserved, or that it is not',
    check: async (fixture) => {
      const { create, found, change, workspace, draft } = await openBatches(fixture)
      const of = { workspace, batch: (await create()).id }
      const held = confirmed(draft().price.currency)
      const { heldAt: _none, ...unheld } = held
      const tries = async (isHeld: boolean) => await change(of, ['draft', 'confirmed'], { brakeSince: NOON }, { isHeld }) !== undefined
      same('of a draft', [await tries(true), await tries(false)], [false, true])
      await change(of, ['draft'], { state: 'confirmed', confirmed: unheld })
      same('of a batch that is not reserved', [await tries(true), await tries(false)], [false, true])
      await change(of, ['confirmed'], { confirmed: held }, { isHeld: false })
      same('of a reserved batch', [await tries(true), await tries(false)], [true, false])
      same('the batch', (await found(of))?.confirmed, held)
    },
  },
  {
    name: 'a change may require that a certain total is confirmed',
    check: async (fixture) => {
      const { create, found, change, workspace, draft } = await openBatches(fixture)
      const of = { workspace, batch: (await create()).id }
      const one = confirmed(draft().price.currency)
      const tries = async (total: bigint) => await change(of, ['draft', 'confirmed'], { brakeSince: NOON }, { total }) !== undefined
      same('of a draft', [await tries(one.total), await tries(0n)], [false, false])
      await change(of, ['draft'], { state: 'confirmed', confirmed: one })
      same('of a batch', [await tries(one.total - 1n), await tries(one.total), await tries(0n)], [false, true, false])
      same('the batch', [(await found(of))?.confirmed, (await found(of))?.brakeSince], [one, NOON])
    },
  },
]
