import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { type ImportConsents, makeImportConsents, MAX_PROBLEMS } from '../../../core/consent/import.js'
import type { ConsentLine } from '../../../core/consent/lines.js'
import type { CustomerId } from '../../../core/customers/customer.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { auditIdOf, workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Line, LineProblem } from '../../../core/kernel/lines.js'
import { done } from '../../support/right-of.js'

const NOW = Date.parse('2026-11-28T12:00:00Z')
const WORKSPACE = workspaceIdOf('0'.repeat(32))

type Read = E.Either<LineProblem, Line<ConsentLine>>

const line = (at: number, status: 'granted' | 'withdrawn' = 'granted', customer = at): Read =>
  E.right({
    line: at, to: `49151${String(customer).padStart(8, '0')}` as CustomerId,
    fact: { topic: 'marketing', status, source: 'shop', since: NOW + at },
  })

const problem = (at: number, isLast = false): Read =>
  E.left({ line: at, column: 'to', code: 'invalid_phone_number', message: 'to is not a number', ...(isLast && { isLast }) })

const world = () => {
  const storage = makeMemoryStorage()
  let audited = 0
  const newAuditId = () => auditIdOf(`0199a1b2-c3d4-7e5f-8a9b-${String((audited += 1)).padStart(12, '0')}`)
  const audit = { auditLog: storage.auditLog, newAuditId, now: () => NOW }
  const deps = { consents: storage.consents, now: () => NOW, audit }
  const run = (lines: ReadonlyArray<Read>, more: Partial<Parameters<ImportConsents>[0]> = {}, over: Partial<typeof deps> = {}) =>
    makeImportConsents({ ...deps, ...over })({
      by: SYSTEM, workspace: WORKSPACE,
      async* read() {
        yield* lines
      },
      ...more,
    })
  return { storage, deps, run }
}

describe('An import of consents', () => {
  it('records the lines, and counts those that changed what is known', async () => {
    const { run, deps } = world()
    const first = await done(run([line(2), line(3, 'withdrawn'), line(4, 'granted', 2), problem(5)]))
    assert.deepEqual(first, {
      lines: 4, changed: 2, refused: 1, problems: [{ line: 5, column: 'to', code: 'invalid_phone_number', message: 'to is not a number' }],
    })
    const listed = await done(deps.consents.list(WORKSPACE, { limit: 10 }))
    assert.deepEqual(listed.items.map(({ id, status }) => [id, status]), [['4915100000002', 'granted'], ['4915100000003', 'withdrawn']])
  })

  it('changes nothing if the same file is imported again', async () => {
    const { run } = world()
    const lines = [line(2), line(3, 'withdrawn'), line(4, 'withdrawn', 2)]
    await done(run(lines))
    assert.deepEqual(await done(run(lines)), { lines: 3, changed: 0, refused: 0, problems: [] })
  })

  it('records many lines in blocks, reports its progress, and is one entry of the audit log', async () => {
    const { run, storage } = world()
    const progress: Array<number> = []
    const many = Array.from({ length: 1_234 }, (_, at) => (at % 10 === 0 ? problem(at) : line(at)))
    const imported = await done(run(many, { onProgress: ({ lines }) => progress.push(lines) }))
    assert.deepEqual([imported.lines, imported.changed, imported.refused, imported.problems.length], [1_234, 1_110, 124, MAX_PROBLEMS])
    assert.deepEqual(progress, [500, 1_000, 1_234])
    const audited = (await done(storage.auditLog.list({ limit: 10 }))).items
    const details = { lines: 1_234, changed: 1_110, refused: 124 }
    assert.deepEqual(audited.map((entry) => [entry.act, entry.details]), [['consent.record', details]])
  })

  it('says why the rest of a file could not be read, however many lines had problems', async () => {
    const { run } = world()
    const imported = await done(run([...Array.from({ length: 200 }, (_, at) => problem(at)), problem(201, true)]))
    assert.deepEqual([imported.lines, imported.refused, imported.problems.length], [200, 200, MAX_PROBLEMS + 1])
    assert.deepInclude(imported.problems.at(-1), { line: 201, isLast: true })
  })

  it('keeps what it recorded before its source or the storage fails', async () => {
    const { run, deps } = world()
    const failed = await run([], {
      async* read() {
        for (let at = 0; at < 600; at += 1) yield line(at)
        throw new Error('cut off')
      },
    })
    assert.equal(E.isLeft(failed) && failed.left._tag, 'LinesIncomplete')
    const listed = await done(deps.consents.list(WORKSPACE, { limit: 1_000 }))
    assert.equal(listed.items.length, 500)
    const down = await run([line(2)], {}, { consents: { ...deps.consents, record: async () => E.left(portFailure('Consents')('down')) } })
    assert.equal(E.isLeft(down) && down.left._tag, 'PortFailure')
  })

  it('is refused to a key that may only read', async () => {
    const { run } = world()
    const by = { principal: { _tag: 'Key', workspace: WORKSPACE, key: '1', scopes: ['read'] } } as const
    const refused = await run([line(2)], { by })
    assert.equal(E.isLeft(refused) && refused.left._tag, 'Forbidden')
  })
})
