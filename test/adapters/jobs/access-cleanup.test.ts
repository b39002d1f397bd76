import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { runJob } from '../../../adapters/jobs/job.js'
import { accessCleanup } from '../../../adapters/jobs/removals.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { ANONYMOUS_RETENTION_MS } from '../../../core/access/audit.js'
import type { Digest } from '../../../core/access/members.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { auditIdOf } from '../../../core/kernel/ids.js'
import { eventually } from '../../support/eventually.js'
import { openNotedLeases } from '../../support/leases.js'
import { rightOf } from '../../support/right-of.js'

describe('the cleanup of sessions, links and attempts', () => {
  const world = () => {
    const { members, sessions, auditLog } = makeMemoryStorage()
    const lines = new Array<string>()
    const { leases, asked, released, holdElsewhere } = openNotedLeases()
    const onFailure = (event: string): void => { lines.push(event) }
    const job = (removeOld = sessions.removeOld, everyMs = 20) =>
      runJob(accessCleanup({ sessions: { removeOld }, auditLog, onFailure }, everyMs), { leases, onFailure })
    const addLink = async (digest: string, expiresAt: number) =>
      rightOf(await members.addFirstLink({ digest: digest as Digest, expiresAt }))
    // The moment of the question is long ago, so a link is there until it is deleted.
    const isThere = async (digest: string) => rightOf(await members.peekLink(digest as Digest, 0))._tag === 'Some'
    return { job, asked, released, holdElsewhere, lines, auditLog, addLink, isThere }
  }

  it('deletes what has ended, again and again, and releases its lease', async () => {
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

  it('deletes the anonymous callers that could not sign in after three months, and no others', async () => {
    const { job, auditLog } = world()
    const [uuid, at] = ['0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5', Date.now() - ANONYMOUS_RETENTION_MS]
    const base = { act: 'member.sign_in', outcome: 'refused' } as const
    rightOf(await auditLog.append([
      { ...base, id: auditIdOf(`${uuid}0`), at: at - 1, by: { type: 'unknown' } },
      { ...base, id: auditIdOf(`${uuid}1`), at: at + 60_000, by: { type: 'unknown' } },
      { ...base, id: auditIdOf(`${uuid}2`), at: at - 1, by: { type: 'system' } },
    ]))
    const { start, stop } = job()
    start()
    const left = await eventually('the deletion', async () => {
      const { items } = rightOf(await auditLog.list({ limit: 9 }))
      return items.length < 3 ? items : undefined
    })
    await stop()
    assert.deepEqual(left.map(({ id }) => id.at(-1)), ['2', '1'])
  })

  it('goes on soon if a pass has left some, so that a flood is not faster', async () => {
    const { job } = world()
    let left = 60
    const { start, stop } = job(async () => { left -= 1; return E.right(left < 0 ? 0 : 500) }, 3_600_000)
    start()
    await eventually('the first pass', () => (left <= 10 ? true : undefined))
    await eventually('all to be deleted', () => (left < 0 ? true : undefined))
    await stop()
  })

  it('deletes nothing while another gateway has the lease', async () => {
    const { job, asked, holdElsewhere, addLink, isThere } = world()
    await addLink('old', 1_000)
    holdElsewhere()
    const { start, stop } = job()
    start()
    await eventually('two passes', async () => (asked.length > 1 ? true : undefined))
    await stop()
    assert.isTrue(await isThere('old'))
  })

  it('logs that the storage fails, and goes on', async () => {
    const { job, lines } = world()
    const { start, stop } = job(async () => E.left(portFailure('Sessions')('down')))
    start()
    await eventually('two failures', async () => (lines.length > 1 ? true : undefined))
    await stop()
    assert.equal(lines[0], 'access_cleanup_failed')
  })
})
