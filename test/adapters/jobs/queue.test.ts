import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { queue } from '../../../adapters/jobs/queue.js'
import type { RunningJob } from '../../../adapters/jobs/job.js'
import { type HeldLeases, makeMemoryLeases } from '../../../adapters/memory/kernel.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Draining } from '../../../core/sending/drain.js'
import type { Drained, Turn } from '../../../core/sending/turns.js'
import { eventually } from '../../support/eventually.js'

const WORKSPACE = workspaceIdOf('ws_1')
const NOTHING: Drained = { sent: 0, refused: 0, postponed: 0, left: 0, isMoreDue: false }

describe('The job of the queue', () => {
  const jobs: RunningJob[] = []
  afterEach(() => Promise.all(jobs.splice(0).map(({ stop }) => stop())))

  /** Gateways that share leases and the senders that have messages; a turn is what `turnOf` says. */
  const world = (senders: () => ReadonlyArray<string>, turnOf: (sender: string, turn: Turn, gateway: number) => Promise<Drained>) => {
    const held: HeldLeases = new Map()
    let now = 0
    const failures: unknown[] = []
    const start = (gateway: number): RunningJob => {
      const draining: Draining = {
        sendersDue: async (limit) =>
          E.right(senders().slice(0, limit).map((sender, index) => ({ workspace: WORKSPACE, sender, oldestDueAt: index }))),
        drainSender: async ({ sender }, turn) => E.right(await turnOf(sender, turn, gateway)),
      }
      const job = queue(
        { draining, leases: makeMemoryLeases(held, Date.now), onFailure: (_event, error) => failures.push(error), now: () => now }, 1,
      )
      jobs.push(job)
      job.start()
      return job
    }
    return { start, failures, held, passes: (ms: number) => { now += ms } }
  }

  it('gives each sender a turn at a time in all gateways, and a slow one holds up no other', async () => {
    const [begun, underWay]: [string[], Set<string>] = [[], new Set()]
    let together = 0
    let finish = (): void => undefined
    const finished = new Promise<void>((resolve) => { finish = resolve })
    const { start, failures } = world(() => ['slow', 'b', 'c'], async (sender) => {
      if (underWay.has(sender)) together += 1
      underWay.add(sender)
      begun.push(sender)
      if (sender === 'slow') await finished
      else await new Promise(setImmediate)
      underWay.delete(sender)
      return NOTHING
    })
    start(1)
    start(2)
    await eventually('turns of the others', () => begun.filter((one) => one === 'b').length > 5 || undefined)
    assert.lengthOf(begun.filter((one) => one === 'slow'), 1)
    assert.equal(together, 0)
    assert.isEmpty(failures)
    finish()
  })

  it('ends a turn after a second if other senders wait for one, and not if none does', async () => {
    let count = 40
    const ended = new Set<string>()
    const { start, passes } = world(() => Array.from({ length: count }, (_, index) => `s${index}`), async (sender, { hasEnded }) => {
      await eventually('the end of the turn', () => hasEnded() || undefined)
      ended.add(sender)
      return NOTHING
    })
    start(1)
    passes(500)
    await new Promise(setImmediate)
    assert.isEmpty(ended)
    passes(500)
    await eventually('a turn of each sender', () => {
      passes(1_000)
      return ended.size === 40 || undefined
    })
    count = 1
  })

  it('is fenced: a process whose lease has expired no longer holds it', async () => {
    const turns: Turn[] = []
    const { start, passes } = world(() => (turns.length === 0 ? ['a'] : []), async (_sender, turn) => {
      turns.push(turn)
      await eventually('the end of the turn', () => turn.hasEnded() || undefined)
      return NOTHING
    })
    start(1)
    await eventually('the turn', () => turns[0]?.isHeld() || undefined)
    passes(14_999)
    assert.isTrue(turns[0]?.isHeld())
    // As after SIGSTOP and SIGCONT: the clock went on, and the lease was not renewed.
    passes(1)
    assert.deepEqual(turns.map(({ isHeld, hasEnded }) => [isHeld(), hasEnded()]), [[false, true]])
  })

  it('releases the lease of a sender after its turn, so that another gateway may have the next one', async () => {
    const by: number[] = []
    const { start } = world(() => ['a'], async (_sender, _turn, gateway) => {
      by.push(gateway)
      return NOTHING
    })
    const first = start(1)
    await eventually('a turn', () => by.length > 0 || undefined)
    await first.stop()
    start(2)
    await eventually('a turn of the other gateway', () => by.includes(2) || undefined)
  })

  it('pauses a sender of which something was left for five seconds, and reports a turn that failed', async () => {
    let [left, failed] = [0, 0]
    const held: HeldLeases = new Map()
    let now = 0
    const failures: unknown[] = []
    const job = queue({
      draining: {
        sendersDue: async () => E.right(['left', 'fails'].map((sender) => ({ workspace: WORKSPACE, sender, oldestDueAt: 0 }))),
        drainSender: async ({ sender }) => {
          if (sender === 'left') {
            left += 1
            return E.right({ ...NOTHING, left: 1 })
          }
          failed += 1
          return E.left(portFailure('MessageQueue')('no connection'))
        },
      },
      leases: makeMemoryLeases(held, Date.now), onFailure: (_event, error) => failures.push(error), now: () => now,
    }, 1)
    jobs.push(job)
    job.start()
    await eventually('both turns', () => (left === 1 && failed === 1) || undefined)
    assert.deepEqual(failures, ['no connection'])
    now = 4_999
    await new Promise(setImmediate)
    assert.deepEqual([left, failed], [1, 1])
    now = 5_000
    await eventually('both turns again', () => (left === 2 && failed === 2) || undefined)
  })
})
