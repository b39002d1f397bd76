import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { TemplateSyncReport } from '../../../adapters/jobs/template-sync.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { logTemplateSync, makeGatewayUpkeep } from '../../../apps/server/jobs.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { DAY_MS } from '../../../core/kernel/time.js'
import { makeSyncTemplates, type SyncTemplatesError } from '../../../core/templates/sync.js'
import { openNotedLeases } from '../../support/leases.js'
import { administrationOf } from '../../support/use-cases.js'

describe('The upkeep of a gateway', () => {
  /** The first pass of each job. */
  const passes = async (settings: {
    readonly retentionMs: number | undefined
    readonly countsMessages: boolean
  }): Promise<ReadonlyArray<string>> => {
    const storage = makeMemoryStorage()
    const { upkeep } = administrationOf(storage)
    const noted = new Array<string>()
    const { leases, asked } = openNotedLeases()
    const { start, stop } = makeGatewayUpkeep({
      postern: {
        sending: {
          draining: {
            sendersDue: async () => E.right([{ workspace: workspaceIdOf('ws_1'), sender: '1', oldestDueAt: 0 }]),
            drainSender: async () => E.right({ sent: 0, refused: 0, postponed: 0, left: 0, isMoreDue: false }),
            heldBy: () => undefined,
          },
        },
        upkeep,
        templates: { syncTemplates: makeSyncTemplates({ ...storage, templateSource: { list: async () => E.right([]) } }) },
      },
      storage: {
        ...storage, removeExpiredClaims: () => Promise.resolve(0), addUpLedgers: () => Promise.resolve(true),
        compareNames: () => Promise.resolve(true),
        leases,
        gateways: {
          note: async () => void noted.push('seen'), remove: async () => void noted.push('gone'), list: () => Promise.resolve([]),
        },
      },
      log: (level, event, fields) => { if (level === 'error') throw new Error(event, { cause: fields }) },
      countForgotten: () => undefined, countTemplateSync: () => undefined,
    }, { reconcileEveryMs: 60_000, eventRetentionMs: DAY_MS, ...settings })
    start()
    await new Promise(setImmediate)
    await stop()
    assert.deepEqual(noted, ['seen', 'gone'])
    assert.isTrue(E.isRight(await upkeep.reconcile()))
    return [...new Set(asked.map(({ name }) => name.replace(/^queue-[0-9a-f]{32}$/, 'queue of a sender')))].sort()
  }

  it('is all done by one gateway at a time, but for its sign of life', async () => {
    assert.deepEqual(await passes({ retentionMs: DAY_MS, countsMessages: true }), [
      'access-cleanup', 'customer-names', 'delivery-deadlines', 'event-retention', 'ledger-sums', 'message-counts', 'portfolio-days',
      'queue of a sender', 'reconcile', 'request-retention', 'retention',
    ])
  })

  it('has no job of retention if everything is kept, and no job that counts if there are no pages', async () => {
    assert.deepEqual(await passes({ retentionMs: undefined, countsMessages: false }), [
      'access-cleanup', 'delivery-deadlines', 'event-retention', 'queue of a sender', 'reconcile',
    ])
  })
})

describe('A reading of a list of templates', () => {
  const lines = (...readings: ReadonlyArray<TemplateSyncReport>): ReadonlyArray<unknown> => {
    const noted = new Array<unknown>()
    readings.forEach(logTemplateSync((...line) => void noted.push(line)))
    return noted
  }

  it('is logged with its account, and as news only once', () => {
    const outcome = E.right({ accountId: '1', templates: 3 })
    assert.deepEqual(lines({ accountId: '1', outcome, isFirst: true }, { accountId: '1', outcome, isFirst: false }), [
      ['info', 'templates_synced', { business_account_id: '1', templates: 3 }],
      ['debug', 'templates_synced', { business_account_id: '1', templates: 3 }],
    ])
  })

  it('that failed is logged with what to do, or with what the storage failed with', () => {
    const failed = (error: SyncTemplatesError): TemplateSyncReport => ({ accountId: '1', outcome: E.left(error), isFirst: true })
    assert.deepEqual(lines(
      failed({ _tag: 'PlatformRejected', error: { code: 100 } }), failed({ _tag: 'PlatformUnreachable', cause: 'down' }),
      failed(portFailure('Senders')('the storage is down')), failed({ _tag: 'SyncStopped' }),
    ), [
      ['warn', 'template_sync_failed', {
        business_account_id: '1', fault: 'The business account does not exist, or this access token has no access to it (error code 100).',
      }],
      ['warn', 'template_sync_failed', { business_account_id: '1', fault: 'The list of templates could not be read: down.' }],
      ['error', 'template_sync_failed', { cause: { type: 'string', message: 'the storage is down' } }],
    ])
  })
})
