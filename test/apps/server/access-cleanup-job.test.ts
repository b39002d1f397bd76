import { assert } from 'chai'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { makeAccessCleanupJob } from '../../../apps/server/access-cleanup-job.js'
import { portFailure } from '../../../core/errors.js'
import type { Digest } from '../../../core/session.js'
import { eventually } from '../../support/eventually.js'
import { rightOf } from '../../support/right-of.js'

describe('the cleanup of sessions, links and attempts', () => {
  const world = () => {
    const { members, sessions } = makeMemoryStorage()
    const [released, lines] = [new Array<string>(), new Array<string>()]
    const job = (more: Partial<Parameters<typeof makeAccessCleanupJob>[0]> = {}) => makeAccessCleanupJob({
      sessions, everyMs: 20, log: (_level, event) => void lines.push(event),
      lease: async (name, _holder, ttlMs) => {
        if (ttlMs === 0) released.push(name)
        return true
      },
      ...more,
    })
    const addLink = async (digest: string, expiresAt: number) => rightOf(await members.addFirstLink({ digest: digest as Digest, expiresAt })())
    // The moment of the question is long ago, so a link is there until it is deleted.
    const isThere = async (digest: string) => rightOf(await members.peekLink(digest as Digest, 0)())._tag === 'Some'
    return { job, released, lines, addLink, isThere }
  }

  it('deletes what has ended, again and again, and gives its lease back', async () => {
    const { job, released, addLink, isThere } = world()
    await addLink('fresh', Date.now() + 3_600_000)
    const { start, stop } = job()
    start()
    for (const digest of ['old', 'older']) {
      await addLink(digest, 1_000)
      await eventually('the deletion', async () => ((await isThere(digest)) ? undefined : true))
    }
    await stop()
    assert.isTrue(await isThere('fresh'))
    assert.deepEqual(released, ['access-cleanup'])
  })

  it('deletes nothing while another gateway has the lease', async () => {
    const { job, addLink, isThere } = world()
    await addLink('old', 1_000)
    let asked = 0
    const { start, stop } = job({ lease: async () => { asked += 1; return false } })
    start()
    await eventually('two passes', async () => (asked > 1 ? true : undefined))
    await stop()
    assert.isTrue(await isThere('old'))
  })

  it('logs that the storage fails, and goes on', async () => {
    const { job, lines } = world()
    const { start, stop } = job({ sessions: { ...makeMemoryStorage().sessions, removeOld: () => TE.left(portFailure('Sessions')('down')) } })
    start()
    await eventually('two failures', async () => (lines.length > 1 ? true : undefined))
    await stop()
    assert.equal(lines[0], 'access_cleanup_failed')
  })
})
