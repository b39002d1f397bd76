import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { runJob } from '../../../adapters/jobs/job.js'
import { retention } from '../../../adapters/jobs/retention.js'
import type { UpkeepReports } from '../../../adapters/jobs/upkeep.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { auditIdOf, workspaceIdOf } from '../../../core/kernel/ids.js'
import { DAY_MS } from '../../../core/kernel/time.js'
import { makeRunRetention } from '../../../core/privacy.js'
import { failing } from '../../core/failing-method.js'
import { eventually } from '../../support/eventually.js'
import { openNotedLeases } from '../../support/leases.js'
import { rightOf } from '../../support/right-of.js'

describe('The retention of people', () => {
  const world = async () => {
    const { personalData, auditLog, windowClock } = makeMemoryStorage()
    const workspace = workspaceIdOf(uuidv7())
    for (const [index, days] of [100, 40, 20].entries()) {
      rightOf(await windowClock.recordInbound(workspace, { phoneNumber: `3360000000${index}` as PhoneNumber }, Date.now() - days * DAY_MS))
    }
    const [lines, counts] = [new Array<string>(), new Array<number>()]
    const { leases, asked, released, holdElsewhere } = openNotedLeases()
    const reports: UpkeepReports = {
      log: (_level, event) => void lines.push(event), onFailure: (event) => void lines.push(event),
      onForgotten: ({ windows }) => void counts.push(windows),
    }
    const job = (port: Pick<typeof personalData, 'forgetBefore'> = personalData) => {
      const runRetention = makeRunRetention({
        personalData: port, audit: { auditLog, newAuditId: () => auditIdOf(uuidv7()), now: Date.now },
      })
      return runJob(retention({ ...reports, runRetention }, 30 * DAY_MS, 10), { ...reports, leases })
    }
    return {
      job, lines, released, asked, holdElsewhere, personalData,
      counted: () => counts.reduce((sum, count) => sum + count, 0),
      entries: async () =>
        rightOf(await auditLog.list({ limit: 10 })).items.map(({ act, by, details }) => [act, by.type, details?.['windows']]),
      until: (line: string) => eventually(line, async () => (lines.includes(line) ? true : undefined)),
    }
  }

  it('forgets what is older than it says, says so once, and keeps the lease so that no gateway begins again', async () => {
    const { job, until, counted, entries, released, asked, lines } = await world()
    const { start, stop } = job()
    start()
    await until('retention_run')
    await stop()
    assert.equal(counted(), 2)
    assert.deepEqual(await entries(), [['retention.run', 'system', 2]])
    assert.deepEqual(released, [])
    assert.equal(asked.at(-1)?.ttlMs, 23 * 3_600_000)
    assert.deepEqual(lines, ['retention_run'])
  })

  it('does nothing without the lease', async () => {
    const { job, entries, lines, holdElsewhere } = await world()
    holdElsewhere()
    const one = job()
    one.start()
    await one.stop()
    assert.deepEqual(await entries(), [])
    assert.deepEqual(lines, ['retention_waits_for_lease'])
  })

  it('goes on after the database has failed', async () => {
    const { job, until, lines, counted, personalData } = await world()
    const { start, stop } = job({ forgetBefore: failing(personalData.forgetBefore, { times: 1 }) })
    start()
    await until('retention_run')
    await stop()
    assert.deepEqual(lines, ['retention_failed', 'retention_run'])
    assert.equal(counted(), 2)
  })

  it('notes no run that forgot nothing', async () => {
    const { auditLog, personalData } = makeMemoryStorage()
    const run = makeRunRetention({ personalData, audit: { auditLog, newAuditId: () => auditIdOf(uuidv7()), now: Date.now } })
    assert.deepEqual(await run({ before: Date.now() }), E.right({ forgotten: { messages: 0, customers: 0, windows: 0 }, finished: true }))
    assert.deepEqual(rightOf(await auditLog.list({ limit: 10 })).items, [])
  })
})
