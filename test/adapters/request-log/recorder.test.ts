import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { type DropReason, makeRecorder, type RecorderLimits } from '../../../adapters/request-log/recorder.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import type { AnsweredCall, RequestLog } from '../../../core/requests/request-log.js'
import { eventually } from '../../support/eventually.js'
import { rightOf } from '../../support/right-of.js'

const [WORKSPACE, OTHER] = [workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'), workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c')]
const NOON = Date.parse('2026-11-03T12:00:00Z')
const AN_HOUR = 3_600_000

const call = (more: Partial<AnsweredCall> = {}): AnsweredCall => ({
  workspace: WORKSPACE, requestId: 'a', key: 'key', method: 'POST', route: '/v1/messages/send-text', status: 202, durationMs: 1.5, ...more,
})

/** A recorder over memory, which writes when it is closed unless it says otherwise. */
const world = ({ everyMs = AN_HOUR, ...limits }: RecorderLimits = {}, append?: RequestLog['append']) => {
  const { requestLog } = makeMemoryStorage()
  const leftOut: Array<readonly [DropReason, number]> = []
  const failures: Array<unknown> = []
  let now = NOON
  const recorder = makeRecorder({
    requestLog: { append: append ?? requestLog.append }, now: () => now, onLeftOut: (why, count) => { leftOut.push([why, count]) },
    onFailure: (cause) => { failures.push(cause) },
  }, { everyMs, ...limits })
  const stored = async (workspace = WORKSPACE) => rightOf(await requestLog.list(workspace, { limit: 10_000 })).items
  return { ...recorder, requestLog, leftOut, failures, stored, passes: (ms: number) => { now += ms } }
}

describe('The recorder of calls', () => {
  it('stores a call in the background, with its moment and an id of its own', async () => {
    const { record, stored, close } = world({ everyMs: 1 })
    record(call({ requestId: 'the same' }))
    record(call({ requestId: 'the same', status: 400, code: 'window_closed' }))
    const [second, first] = await eventually('the write', async () => ((await stored()).length === 2 ? stored() : undefined))
    await close()
    assert.deepInclude(first, { ...call({ requestId: 'the same' }), at: NOON })
    assert.deepInclude(second, { status: 400, code: 'window_closed' })
    assert.match(first?.id ?? '', /^[0-9a-f]{32}$/)
    assert.notEqual(first?.id, second?.id)
  })

  it('goes on after a storage that throws', async () => {
    let isDown = true
    const { record, stored, close, leftOut, failures, requestLog } = world({ everyMs: 1 }, (entries) => {
      if (isDown) throw new Error('down')
      return requestLog.append(entries)
    })
    record(call())
    await eventually('the failure', () => failures.length > 0 || undefined)
    isDown = false
    record(call({ status: 400 }))
    await eventually('the write', async () => ((await stored()).length === 1 ? true : undefined))
    await close()
    assert.deepEqual([leftOut, (await stored())[0]?.status], [[['storage', 1]], 400])
  })

  it('stores what waits when it is closed, in writes of a bounded size, and takes no more', async () => {
    const sizes: Array<number> = []
    const { record, close, leftOut } = world({ width: 3 }, async (entries) => {
      sizes.push(entries.length)
      return E.right(undefined)
    })
    for (let count = 0; count < 8; count += 1) record(call())
    assert.deepEqual(sizes, [], 'the call never waits for a write')
    await Promise.all([close(), close()])
    assert.deepEqual(sizes, [3, 3, 2])
    record(call())
    assert.deepEqual(leftOut, [['queue', 1]])
  })

  it('keeps the first calls of a minute of each workspace, of those that were refused more, and says how many it left out', async () => {
    const { record, stored, close, leftOut, passes } = world({ answeredAMinute: 2, refusedAMinute: 3 })
    for (let count = 0; count < 5; count += 1) {
      record(call())
      record(call({ status: 429, code: 'rate_limited' }))
    }
    record(call({ workspace: OTHER }))
    passes(60_000)
    record(call({ requestId: 'a minute later' }))
    await close()
    const found = await stored()
    assert.deepEqual(found.map(({ status }) => status), [202, 429, 429, 202, 429, 202])
    assert.deepEqual(found.map(({ leftOut: count }) => count), [4, 1, undefined, undefined, undefined, undefined])
    assert.equal(found[0]?.requestId, 'a minute later')
    assert.equal((await stored(OTHER)).length, 1, 'another workspace has a minute of its own')
    assert.deepEqual(leftOut, Array.from({ length: 5 }, () => ['limit', 1]))
  })

  it('drops and counts what does not fit while the storage stands still', async () => {
    const { record, close, leftOut } = world({ depth: 4, everyMs: 1, closeMs: 5 }, () => new Promise(() => {}))
    for (let count = 0; count < 4; count += 1) record(call())
    record(call())
    assert.deepEqual(leftOut, [['queue', 1]])
    await close()
    assert.equal(leftOut.reduce((sum, [, count]) => sum + count, 0), 5, 'those that waited are counted, too')
  })

  it('goes on after a write that failed, threw or took too long, and loses no more than that write', async () => {
    const answers = ['left', 'throws', 'hangs'] as const
    const written: Array<string> = []
    let writes = 0
    const { record, close, leftOut, failures } = world({ width: 1, everyMs: 1, deadlineMs: 5 }, async (entries) => {
      const answer = answers[writes]
      writes += 1
      if (answer === 'left') return E.left(portFailure('RequestLog')(new Error('down')))
      if (answer === 'throws') throw new Error('a defect')
      if (answer === 'hangs') return new Promise(() => {})
      written.push(...entries.map(({ requestId }) => requestId))
      return E.right(undefined)
    })
    for (const requestId of ['1', '2', '3', '4']) record(call({ requestId }))
    await eventually('the last write', async () => (written.length > 0 ? true : undefined))
    await close()
    assert.deepEqual(written, ['4'])
    assert.deepEqual(leftOut, [['storage', 1], ['storage', 1], ['storage', 1]])
    assert.match(failures.map(String).join('; '), /down.*a defect.*not written within 5 ms/)
  })

  it('writes one batch at a time', async () => {
    let [underWay, most] = [0, 0]
    const { record, close } = world({ width: 1, everyMs: 1 }, async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise((resolve) => { setTimeout(resolve, 3) })
      underWay -= 1
      return E.right(undefined)
    })
    for (let count = 0; count < 6; count += 1) record(call())
    await close()
    assert.equal(most, 1)
  })
})
