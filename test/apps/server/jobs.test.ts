import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { makeGatewayUpkeep } from '../../../apps/server/jobs.js'
import { DAY_MS } from '../../../core/kernel/time.js'
import { openNotedLeases } from '../../support/leases.js'
import { administrationOf } from '../../support/use-cases.js'

describe('The upkeep of a gateway', () => {
  /** The first pass of each job. */
  const passes = async (settings: { readonly retentionMs: number | undefined; readonly countsMessages: boolean }): Promise<ReadonlyArray<string>> => {
    const storage = makeMemoryStorage()
    const { upkeep } = administrationOf(storage)
    const noted = new Array<string>()
    const { leases, asked } = openNotedLeases()
    const { start, stop } = makeGatewayUpkeep({
      postern: { upkeep },
      storage: {
        ...storage, removeExpiredClaims: () => Promise.resolve(0),
        leases,
        gateways: { note: async () => void noted.push('seen'), remove: async () => void noted.push('gone'), list: () => Promise.resolve([]) },
      },
      log: (level, event, fields) => { if (level === 'error') throw new Error(event, { cause: fields }) },
      countForgotten: () => undefined,
    }, { reconcileEveryMs: 60_000, eventRetentionMs: DAY_MS, ...settings })
    start()
    await new Promise(setImmediate)
    await stop()
    assert.deepEqual(noted, ['seen', 'gone'])
    assert.isTrue(E.isRight(await upkeep.reconcile()))
    return [...new Set(asked.map(({ name }) => name))].sort()
  }

  it('is all done by one gateway at a time, but for its sign of life', async () => {
    assert.deepEqual(await passes({ retentionMs: DAY_MS, countsMessages: true }), ['access-cleanup', 'event-retention', 'message-counts', 'reconcile', 'request-retention', 'retention'])
  })

  it('has no job of retention where everything is kept, and none that counts where there are no pages', async () => {
    assert.deepEqual(await passes({ retentionMs: undefined, countsMessages: false }), ['access-cleanup', 'event-retention', 'reconcile'])
  })
})
