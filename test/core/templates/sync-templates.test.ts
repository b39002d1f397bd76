import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { MINUTE_MS } from '../../../core/kernel/time.js'
import type { ListReading, TemplateSource, TemplateSourceError } from '../../../core/templates/catalogue.js'
import { makeSyncTemplates } from '../../../core/templates/sync.js'
import type { Template } from '../../../core/templates/template.js'
import { done, leftOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { ACCOUNT, gateway, type Gateway, type GatewayOptions, NOON } from '../gateway.js'

const TEMPLATE: Template = {
  id: '1', name: 'order_update', language: 'en', category: 'utility', status: 'approved', quality: 'green', parameterFormat: 'positional',
  components: [],
}
const SECRET = 'EAAG-secret'

/** A platform with templates, which answers with an error while it has one. */
const platformWith = (templates: ReadonlyArray<Template>) => {
  let [all, error, during]: [ReadonlyArray<Template>, TemplateSourceError | undefined, () => Promise<unknown>] = [
    templates, undefined, () => Promise.resolve(),
  ]
  const templateSource: TemplateSource = {
    list: async ({ businessAccountId }) => {
      await during()
      if (businessAccountId !== ACCOUNT) return E.left({ _tag: 'PlatformRejected', error: { code: 100 } })
      return error === undefined ? E.right(all) : E.left(error)
    },
  }
  return {
    templateSource,
    has: (now: ReadonlyArray<Template>) => { all = now },
    fails: (now: TemplateSourceError | undefined) => { error = now },
    whileReading: (now: () => Promise<unknown>) => { during = now },
  }
}

const worldWith = async (templates: ReadonlyArray<Template>, options: GatewayOptions = {}) => {
  const gw = await gateway({ templates: [], ...options })
  gw.passes(MINUTE_MS)
  const platform = platformWith(templates)
  const { workspace } = gw
  const sync = (deps: Partial<Gateway['deps']> = {}, reading?: ListReading) =>
    makeSyncTemplates({ ...gw.deps, ...deps, templateSource: platform.templateSource })({ workspace, ...(reading && { reading }) })
  const { templateCatalogue } = gw.storage
  const names = () => done(templateCatalogue.names(ACCOUNT))
  return { gw, platform, sync, names, templateCatalogue, state: () => done(templateCatalogue.stateOf(ACCOUNT)) }
}

describe('Reading the list of templates', () => {
  it('takes in what the platform has, and removes what it no longer has', async () => {
    const { gw, platform, sync, names, state } = await worldWith([TEMPLATE, { ...TEMPLATE, language: 'de' }])
    assert.deepEqual(await sync(), E.right({ accountId: ACCOUNT, templates: 2 }))
    assert.deepEqual(await names(), ['order_update'])
    platform.has([{ ...TEMPLATE, name: 'welcome' }])
    gw.passes(MINUTE_MS)
    assert.deepEqual(await sync(), E.right({ accountId: ACCOUNT, templates: 1 }))
    assert.deepEqual(await names(), ['welcome'])
    assert.deepEqual(await state(), { listedAt: NOON + 2 * MINUTE_MS, fault: undefined })
  })

  it('changes nothing once it is stopped, even if the whole list has arrived, and is not a fault', async () => {
    const { platform, sync, names, state } = await worldWith([TEMPLATE])
    await sync()
    const before = await state()
    let isStopped = false
    platform.whileReading(async () => { isStopped = true })
    platform.has([])
    const reading = { onPage: () => undefined, isStopped: () => isStopped }
    assert.deepEqual(await sync({}, reading), E.left({ _tag: 'SyncStopped' }))
    platform.fails({ _tag: 'PlatformUnreachable', cause: 'it was stopped' })
    assert.deepEqual(await sync({}, reading), E.left({ _tag: 'SyncStopped' }))
    assert.deepEqual([await names(), await state()], [['order_update'], before])
  })

  it('is dated by its beginning, so that what is reported meanwhile stays', async () => {
    const { gw, platform, sync, templateCatalogue, state } = await worldWith([TEMPLATE])
    await sync()
    platform.whileReading(async () => {
      gw.passes(1_000)
      await done(templateCatalogue.change(ACCOUNT, { name: 'order_update', language: 'en', status: 'paused', at: gw.now() }))
      gw.passes(1_000)
    })
    gw.passes(MINUTE_MS)
    await sync()
    const { templates } = await done(templateCatalogue.find(ACCOUNT, 'order_update'))
    assert.deepEqual(templates.map(({ status }) => status), ['paused'])
    assert.equal((await state()).listedAt, NOON + 2 * MINUTE_MS)
  })

  const faults: ReadonlyArray<readonly [TemplateSourceError, string]> = [
    [{ _tag: 'PlatformRejected', error: { code: 100, message: `Malformed ${SECRET}` } },
      'The business account does not exist, or this access token has no access to it (error code 100).'],
    [{ _tag: 'CredentialsRefused', error: { code: 190, message: `Malformed ${SECRET}` } },
      'This access token may not read templates (error code 190).'],
    [{ _tag: 'PlatformThrottled', error: { code: 80_008 }, retryAfterSeconds: 60 },
      'There were too many requests for the templates of this business account (error code 80008).'],
    [{ _tag: 'PlatformThrottled', error: {} }, 'There were too many requests for the templates of this business account.'],
    [{ _tag: 'PlatformUnreachable', cause: new Error('connect ECONNREFUSED') },
      'The list of templates could not be read: connect ECONNREFUSED.'],
  ]
  for (const [error, sentence] of faults) {
    it(`leaves the catalogue as it is and notes why: ${sentence}`, async () => {
      const { gw, platform, sync, names, state } = await worldWith([TEMPLATE])
      await sync()
      gw.passes(MINUTE_MS)
      platform.fails(error)
      assert.deepEqual(await sync(), E.left(error))
      assert.deepEqual(await names(), ['order_update'])
      assert.deepEqual(await state(), { listedAt: NOON + MINUTE_MS, fault: { sentence, at: NOON + 2 * MINUTE_MS } })
      gw.passes(MINUTE_MS)
      platform.fails(undefined)
      await sync()
      assert.deepEqual(await state(), { listedAt: NOON + 3 * MINUTE_MS, fault: undefined })
    })
  }

  it('needs a sender with a business account', async () => {
    const [without, bare] = [await worldWith([], { sender: false }), await gateway()]
    assert.equal(leftOf(await without.sync())._tag, 'SenderNotConfigured')
    const synced = await makeSyncTemplates({ ...bare.deps, templateSource: without.platform.templateSource })({ workspace: bare.workspace })
    assert.equal(leftOf(synced)._tag, 'BusinessAccountNotConfigured')
  })

  it('fails if the list cannot be stored, and returns the platform\'s refusal if that cannot be recorded', async () => {
    const { gw, platform, sync } = await worldWith([TEMPLATE])
    const { templateCatalogue } = gw.storage
    const down = {
      ...templateCatalogue, replaceAll: failing(templateCatalogue.replaceAll), noteFault: failing(templateCatalogue.noteFault),
    }
    assert.deepEqual(await sync({ templateCatalogue: down }), E.left(DOWN))
    platform.fails({ _tag: 'PlatformRejected', error: { code: 100 } })
    assert.equal(leftOf(await sync({ templateCatalogue: down }))._tag, 'PlatformRejected')
    assert.deepEqual(await sync({ senders: { ...gw.storage.senders, senderOf: failing(gw.storage.senders.senderOf) } }), E.left(DOWN))
  })
})
