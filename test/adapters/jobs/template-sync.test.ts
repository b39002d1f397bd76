import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { type HeldLeases, makeMemoryLeases } from '../../../adapters/memory/kernel.js'
import { makeTemplateSync, type TemplateSyncReport, type TemplateSync } from '../../../adapters/jobs/template-sync.js'
import { MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import type { TemplateSource, TemplateSourceError } from '../../../core/templates/catalogue.js'
import { makeSyncTemplates } from '../../../core/templates/sync.js'
import type { Template } from '../../../core/templates/template.js'
import { DOWN } from '../../core/failing-method.js'
import { NOON } from '../../core/gateway.js'
import { fundedWorkspace } from '../../support/account.js'
import { done } from '../../support/right-of.js'

const EVERY_MS = 15 * MINUTE_MS
const TEMPLATE: Template = {
  id: '1', name: 'order_update', language: 'en', category: 'utility', status: 'approved', quality: 'green', parameterFormat: 'positional',
  components: [],
}

/** A database with workspaces, a platform that notes each reading of a list, and processes that keep the catalogue. */
const world = async (...accountIds: ReadonlyArray<string>) => {
  let now = NOON
  const storage = makeMemoryStorage({ now: () => now })
  const leases: HeldLeases = new Map()
  const readings: TemplateSyncReport[] = []
  const failures: unknown[] = []
  const read: string[] = []
  const errors = new Map<string, TemplateSourceError>()
  let whileReading = async (_accountId: string): Promise<void> => undefined

  const addAccount = async (businessAccountId: string): Promise<void> => {
    const workspace = await fundedWorkspace(storage, 0n)
    await done(storage.senders.assign(workspace, { phoneNumberId: senderIdOf(uuidv7()), accessToken: 'token', businessAccountId }))
  }
  for (const accountId of accountIds) await addAccount(accountId)

  const templateSource: TemplateSource = {
    list: async ({ businessAccountId }) => {
      read.push(businessAccountId)
      await whileReading(businessAccountId)
      const error = errors.get(businessAccountId)
      return error === undefined ? E.right([TEMPLATE]) : E.left(error)
    },
  }
  return {
    storage, leases, readings, failures, addAccount,
    passes: (ms: number) => { now += ms },
    fails: (accountId: string, error: TemplateSourceError) => { errors.set(accountId, error) },
    recovers: (accountId: string) => { errors.delete(accountId) },
    whileReading: (act: (accountId: string) => Promise<void>) => { whileReading = act },
    /** The accounts whose lists were read since this was asked last. */
    read: () => read.splice(0),
    process: (ports: Partial<typeof storage> = {}): TemplateSync => {
      const { senders, templateCatalogue, windowClock } = { ...storage, ...ports }
      return makeTemplateSync({
        syncTemplates: makeSyncTemplates({ senders, templateCatalogue, windowClock, templateSource }), senders, templateCatalogue,
        leases: makeMemoryLeases(leases, () => now),
        onTemplatesRead: (reading) => void readings.push(reading),
        onFailure: (event, error) => void failures.push([event, error]),
        now: () => now, everyMs: EVERY_MS,
      })
    },
  }
}

describe('The catalogue of templates', () => {
  it('is read at the start, and again when it is old', async () => {
    const { process, read, passes } = await world('1', '2')
    const sync = process()
    assert.equal(await sync.pass(), EVERY_MS)
    assert.sameMembers(read(), ['1', '2'])
    passes(EVERY_MS - 1)
    assert.equal(await sync.pass(), 1)
    assert.deepEqual(read(), [])
    passes(1)
    await sync.pass()
    assert.sameMembers(read(), ['1', '2'])
  })

  it('is read soon after the platform reported a change, and once a minute at most', async () => {
    const { process, read, passes } = await world('1', '2')
    const sync = process()
    await sync.pass()
    read()
    passes(5 * MINUTE_MS)
    assert.isTrue(sync.want('1'))
    for (let n = 0; n < 100; n += 1) assert.isFalse(sync.want('1'))
    await sync.pass()
    assert.deepEqual(read(), ['1'])
    passes(1)
    assert.isTrue(sync.want('1'))
    assert.equal(await sync.pass(), MINUTE_MS - 1)
    assert.deepEqual(read(), [])
    passes(MINUTE_MS - 1)
    await sync.pass()
    assert.deepEqual(read(), ['1'])
    passes(2 * MINUTE_MS)
    await sync.pass()
    assert.deepEqual(read(), [])
  })

  it('is read again if a change is reported while it is read', async () => {
    const { process, read, passes, whileReading } = await world('1')
    const sync = process()
    whileReading(async () => {
      passes(SECOND_MS)
      sync.want('1')
    })
    await sync.pass()
    assert.deepEqual(read(), ['1'])
    whileReading(() => Promise.resolve())
    passes(MINUTE_MS - 2 * SECOND_MS)
    await sync.pass()
    assert.deepEqual(read(), [])
    passes(SECOND_MS)
    await sync.pass()
    assert.deepEqual(read(), ['1'])
  })

  it('is read for a new account in the next pass, and not for one that no sender has', async () => {
    const { process, read, addAccount } = await world('1')
    const sync = process()
    await sync.pass()
    assert.deepEqual(read(), ['1'])
    await addAccount('2')
    sync.want('3')
    await sync.pass()
    assert.deepEqual(read(), ['2'])
  })

  it('is read by one process, whichever that is', async () => {
    const { process, read, passes } = await world('1')
    const processes = [process(), process(), process()]
    await Promise.all(processes.map((sync) => sync.pass()))
    assert.deepEqual(read(), ['1'])
    passes(MINUTE_MS)
    const late = process()
    for (const sync of [...processes, late]) await sync.pass()
    assert.deepEqual(read(), [])
    for (const sync of processes) sync.want('1')
    for (const sync of processes) await sync.pass()
    assert.deepEqual(read(), ['1'])
    for (let n = 0; n < 15; n += 1) {
      passes(MINUTE_MS)
      await Promise.all([...processes, late].map((sync) => sync.pass()))
    }
    assert.deepEqual(read(), ['1'])
  })

  it('is read by another process if a process crashes while it reads', async () => {
    const { process, read, passes, whileReading } = await world('1')
    whileReading(() => new Promise(() => undefined))
    void process().pass()
    await new Promise(setImmediate)
    assert.deepEqual(read(), ['1'])
    whileReading(() => Promise.resolve())
    const other = process()
    for (let n = 0; n < 3; n += 1) {
      await other.pass()
      assert.deepEqual(read(), [], String(n))
      passes(MINUTE_MS)
    }
    await other.pass()
    assert.deepEqual(read(), ['1'])
  })

  it('of one account is read whatever happens to others', async () => {
    const { process, read, fails, readings, storage } = await world('1', '2', '3')
    fails('1', { _tag: 'PlatformRejected', error: { code: 100 } })
    fails('3', { _tag: 'PlatformUnreachable', cause: 'down' })
    await process().pass()
    assert.sameMembers(read(), ['1', '2', '3'])
    assert.sameDeepMembers<unknown>(readings, [
      { accountId: '1', outcome: E.left({ _tag: 'PlatformRejected', error: { code: 100 } }), isFirst: true },
      { accountId: '2', outcome: E.right({ accountId: '2', templates: 1 }), isFirst: true },
      { accountId: '3', outcome: E.left({ _tag: 'PlatformUnreachable', cause: 'down' }), isFirst: true },
    ])
    assert.isUndefined((await done(storage.templateCatalogue.stateOf('2'))).fault)
  })

  it('is read although the lists of three other accounts hang', async () => {
    const { process, read, whileReading } = await world('1', '2', '3', '4', '5', '6', '7')
    whileReading((accountId) => (accountId < '4' ? new Promise(() => undefined) : Promise.resolve()))
    void process().pass()
    for (let n = 0; n < 20; n += 1) await new Promise(setImmediate)
    assert.sameMembers(read(), ['1', '2', '3', '4', '5', '6', '7'])
  })

  it('that could not be read is read again when it is due, not sooner', async () => {
    const { process, read, passes, fails, recovers, readings } = await world('1')
    fails('1', { _tag: 'CredentialsRefused', error: { code: 200 } })
    const sync = process()
    await sync.pass()
    passes(EVERY_MS - 1)
    await sync.pass()
    assert.deepEqual(read(), ['1'])
    recovers('1')
    passes(1)
    await sync.pass()
    assert.deepEqual(read(), ['1'])
    passes(EVERY_MS)
    await sync.pass()
    assert.deepEqual(readings.map(({ outcome, isFirst }) => [outcome._tag, isFirst]), [['Left', true], ['Right', true], ['Right', false]])
  })

  for (const [said, retryAfterSeconds, waitMs] of [
    ['for an hour', 3_600, 60 * MINUTE_MS], ['without saying how long', undefined, EVERY_MS],
  ] as const) {
    it(`is read by no process while the platform wants not to be asked ${said}`, async () => {
      const { process, read, passes, fails, recovers } = await world('1')
      fails('1', { _tag: 'PlatformThrottled', error: { code: 80_008 }, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) })
      const [first, second] = [process(), process()]
      await first.pass()
      assert.deepEqual(read(), ['1'])
      recovers('1')
      for (let n = 0; n < waitMs / MINUTE_MS; n += 1) {
        for (const sync of [first, second, process()]) {
          sync.want('1')
          await sync.pass()
        }
        assert.deepEqual(read(), [], String(n))
        passes(MINUTE_MS)
      }
      await first.pass()
      assert.deepEqual(read(), ['1'])
    })
  }

  it('is read when the database works again', async () => {
    const { storage, process, read, passes, failures } = await world('1')
    const { senders, templateCatalogue } = storage
    const down = { is: true }
    const accounts: typeof senders.accounts = async () => (down.is ? E.left(DOWN) : senders.accounts())
    const sync = process({ senders: { ...senders, accounts } })
    assert.equal(await sync.pass(), MINUTE_MS)
    down.is = false
    await sync.pass()
    assert.deepEqual(read(), ['1'])
    passes(EVERY_MS)
    const stateOf: typeof templateCatalogue.stateOf = async (accountId) => (down.is ? E.left(DOWN) : templateCatalogue.stateOf(accountId))
    const other = process({ templateCatalogue: { ...templateCatalogue, stateOf } })
    down.is = true
    assert.equal(await other.pass(), MINUTE_MS)
    assert.deepEqual(read(), [])
    down.is = false
    passes(MINUTE_MS)
    await other.pass()
    assert.deepEqual(read(), ['1'])
    assert.deepEqual(failures, [['template_sync_failed', DOWN.cause], ['template_sync_failed', DOWN.cause]])
  })

  it('is read for no further account after the end', async () => {
    const { process, read, whileReading } = await world('1', '2', '3', '4', '5', '6')
    const sync = process()
    whileReading(async () => sync.end())
    await sync.pass()
    assert.lengthOf(read(), 4)
    await sync.pass()
    assert.deepEqual(read(), [])
  })
})
