import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { Leases } from '../../../core/kernel/leases.js'
import { MINUTE_MS } from '../../../core/kernel/time.js'
import { type HeldLeases, makeMemoryLeases } from '../../../adapters/memory/kernel.js'
import { type LeasedPass, runJob, type RunningJob } from '../../../adapters/jobs/job.js'
import { makeUpkeep } from '../../../adapters/jobs/upkeep.js'
import { eventually } from '../../support/eventually.js'
import { rightOf } from '../../support/right-of.js'

describe('A job that one gateway at a time does', () => {
  const jobs: RunningJob[] = []
  afterEach(() => Promise.all(jobs.splice(0).map(({ stop }) => stop())))

  const held: HeldLeases = new Map()
  /** How far the clock of the leases is ahead, in milliseconds. */
  let aheadMs = 0
  const now = (): number => Date.now() + aheadMs
  const isFree = (name: string): boolean => (held.get(name)?.until ?? 0) <= now()
  const start = (pass: (leased: LeasedPass) => Promise<number | undefined>): RunningJob => {
    const job = runJob(
      { name: 'work', everyMs: 1, failed: 'work_failed', pass }, { leases: makeMemoryLeases(held, now), onFailure: () => undefined },
    )
    jobs.push(job)
    job.start()
    return job
  }
  /** A job that counts its passes. */
  const count = () => {
    const seen = { passes: 0 }
    const job = start(async () => { seen.passes += 1 })
    return { job, seen, passed: (passes: number) => eventually(`pass ${passes}`, () => seen.passes >= passes || undefined) }
  }

  it('passes to another gateway when the first one is stopped', async () => {
    const first = count()
    await first.passed(2)
    const second = count()
    await first.passed(first.seen.passes + 3)
    assert.equal(second.seen.passes, 0)
    await first.job.stop()
    await second.passed(2)
    await second.job.stop()
    assert.isTrue(isFree('work'))
  })

  it('keeps the lease after it is stopped if a pass has asked for that', async () => {
    const resting = { kept: false }
    const first = start(async ({ keepFor }) => {
      resting.kept = await keepFor(MINUTE_MS)
      return MINUTE_MS
    })
    await eventually('the rest', () => resting.kept || undefined)
    await first.stop()
    assert.isFalse(isFree('work'))
    const second = count()
    aheadMs += MINUTE_MS
    await second.passed(1)
  })

  it('says once that it waits for its lease, and again after it had the lease', async () => {
    const logged = new Array<string>()
    const [own, other] = [makeMemoryLeases(held, Date.now), makeMemoryLeases(held, Date.now)]
    let refused = 0
    const leases: Leases = {
      ...own,
      take: async (...asked) => {
        const taken = await own.take(...asked)
        if (E.isRight(taken) && !taken.right) refused += 1
        return taken
      },
    }
    let passes = 0
    const job = runJob(
      { name: 'some-work', everyMs: 1, failed: 'work_failed', pass: async () => void (passes += 1) },
      { leases, log: (_level, event) => void logged.push(event), onFailure: () => undefined },
    )
    jobs.push(job)
    for (const round of [1, 2]) {
      await eventually('the other holder', async () =>
        E.isRight(await own.release('some-work')) && rightOf(await other.take('some-work', 60_000)) || undefined)
      job.start()
      const seen = refused
      await eventually('some refusals', () => refused > seen + 3 || undefined)
      assert.deepEqual(logged, new Array(round).fill('some_work_waits_for_lease'))
      const passed = passes
      await other.release('some-work')
      await eventually('a pass', () => passes > passed || undefined)
    }
  })

  it('goes on after leases that throw, and stops though its lease cannot be released', async () => {
    const failures: unknown[] = []
    const own = makeMemoryLeases(held, Date.now)
    let [takes, passes] = [0, 0]
    const leases: Leases = {
      take: (...asked) => {
        takes += 1
        if (takes % 2 === 1) throw new Error('down')
        return own.take(...asked)
      },
      release: () => { throw new Error('down') },
    }
    const job = runJob(
      { name: 'other-work', everyMs: 1, failed: 'work_failed', pass: async () => void (passes += 1) },
      { leases, onFailure: (event, error) => { failures.push(event, error instanceof Error ? error.message : error) } },
    )
    job.start()
    await eventually('two passes', () => passes >= 2 || undefined)
    await job.stop()
    assert.deepEqual(failures.slice(0, 2), ['work_failed', 'down'])
  })

  it('goes on after a pass whose port throws', async () => {
    let passes = 0
    const failures: string[] = []
    const upkeep = makeUpkeep({
      leases: makeMemoryLeases(held, Date.now), onFailure: (event) => { failures.push(event) },
      reconcile: async () => E.right({ unconfirmed: 0, refused: 0, released: 0, captured: 0, refunded: 0 }),
      removeExpiredClaims: () => {
        passes += 1
        throw new Error('down')
      },
      presence: { note: () => { throw new Error('down') }, remove: () => { throw new Error('down') } },
    }, { reconcileEveryMs: 1 })
    upkeep.start()
    await eventually('two passes', () => passes >= 2 || undefined)
    await upkeep.stop()
    assert.sameMembers([...new Set(failures)], ['reconcile_failed', 'heartbeat_failed'])
  })

  it('lets a pass that is under way see that the job has been stopped', async () => {
    let rounds = 0
    const job = start(async ({ hasEnded, renew }) => {
      while (!hasEnded()) {
        assert.isTrue(await renew())
        rounds += 1
        await new Promise(setImmediate)
      }
    })
    await eventually('a few rounds', () => rounds > 3 || undefined)
    await job.stop()
    assert.isTrue(isFree('work'))
  })
})
