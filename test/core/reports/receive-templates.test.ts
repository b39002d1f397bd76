import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import type { TemplateChanged } from '../../../core/reports/account.js'
import { makeReceive } from '../../../core/reports/receive.js'
import type { ChangedPart, Template, TemplateRecord } from '../../../core/templates/template.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { gateway, type Gateway, NOON } from '../gateway.js'

const ACCOUNT = '102290129340398'
const KEY = { name: 'order_update', language: 'en' }
const LISTED: Template = {
  ...KEY, id: '1', category: 'utility', status: 'approved', quality: 'green', parameterFormat: 'positional', components: [],
}

const changed = (part: ChangedPart, at?: number): TemplateChanged =>
  ({ _tag: 'TemplateChanged', accountId: ACCOUNT, change: { ...KEY, ...part }, ...(at !== undefined && { at }) })

const withTemplate = async (at = NOON): Promise<Gateway> => {
  const gw = await gateway()
  await done(gw.storage.templateCatalogue.replaceAll(ACCOUNT, [LISTED], at))
  return gw
}
const templateOf = async (gw: Gateway): Promise<TemplateRecord | undefined> =>
  (await done(gw.storage.templateCatalogue.find(ACCOUNT, KEY.name))).templates[0]

describe('A changed template', () => {
  const parts: ReadonlyArray<ChangedPart> = [{ status: 'paused' }, { category: 'marketing' }, { quality: 'red' }]
  for (const part of parts) {
    it(`has its ${Object.keys(part).join()} at once, and keeps the rest`, async () => {
      const gw = await withTemplate()
      assert.deepEqual(await gw.receive(changed(part, NOON + 1)), E.right(['template_changed']))
      assert.deepInclude(await templateOf(gw), { ...LISTED, ...part })
    })

    it(`never gets its ${Object.keys(part).join()} back in time, by a report or by the list`, async () => {
      const gw = await withTemplate()
      rightOf(await gw.receive(changed(part, NOON + MINUTE_MS)))
      const older = Object.fromEntries(Object.keys(part).map((name) => [name, 'older']))
      assert.deepEqual(await gw.receive(changed(older as ChangedPart, NOON + MINUTE_MS - 1)), E.right(['template_changed']))
      await done(gw.storage.templateCatalogue.replaceAll(ACCOUNT, [{ ...LISTED, ...older }], NOON + MINUTE_MS - 1))
      assert.deepInclude(await templateOf(gw), part)
      await done(gw.storage.templateCatalogue.replaceAll(ACCOUNT, [{ ...LISTED, ...older }], NOON + MINUTE_MS))
      assert.deepInclude(await templateOf(gw), older)
    })
  }

  it('ends in the latest status, in whatever order and however often its reports come', async () => {
    const minutes = fc.shuffledSubarray([1, 2, 3, 4, 5, 6], { minLength: 1 })
    await fc.assert(fc.asyncProperty(minutes, minutes, async (first, second) => {
      const gw = await withTemplate(NOON - HOUR_MS)
      gw.passes(HOUR_MS)
      for (const minute of [...first, ...second]) rightOf(await gw.receive(changed({ status: `s${minute}` }, NOON + minute * MINUTE_MS)))
      assert.equal((await templateOf(gw))?.status, `s${Math.max(...first, ...second)}`)
    }), { numRuns: 50 })
  })

  it('is dated by its arrival if the platform does not say when it changed', async () => {
    const gw = await withTemplate(NOON - HOUR_MS)
    rightOf(await gw.receive(changed({ status: 'paused' })))
    assert.deepInclude(await templateOf(gw), { status: 'paused', statusAt: NOON })
  })

  it('does not outlast later reports if it is dated in the future', async () => {
    const gw = await withTemplate()
    rightOf(await gw.receive(changed({ status: 'paused' }, NOON + 1_000 * HOUR_MS)))
    gw.passes(2 * MINUTE_MS)
    rightOf(await gw.receive(changed({ status: 'approved' }, gw.now())))
    assert.equal((await templateOf(gw))?.status, 'approved')
  })

  it('that the catalogue does not have, or whose new state the platform does not report, is acknowledged', async () => {
    const gw = await withTemplate()
    const { at: _, change: __, ...unsaid } = changed({ status: 'paused' })
    const other = { ...changed({ status: 'paused' }), change: { ...KEY, language: 'de', status: 'paused' } }
    const elsewhere = { ...changed({ status: 'paused' }), accountId: '1' }
    assert.deepEqual(await gw.receive(unsaid, other, elsewhere), E.right(['unknown_template', 'unknown_template', 'unknown_template']))
    assert.deepInclude(await templateOf(gw), LISTED)
  })

  it('is acknowledged if no templates are kept, and asked for again if it could not be written', async () => {
    const gw = await withTemplate()
    const { windowClock, senders, messageLog, wallet, templateCatalogue } = gw.storage
    const receive = makeReceive({ windowClock, senders, messageLog, wallet })
    assert.deepEqual(await receive([changed({ status: 'paused' })]), E.right(['template_dropped']))
    const down = makeReceive({
      windowClock, senders, messageLog, wallet, templateCatalogue: { change: failing(templateCatalogue.change, { times: 1 }) },
    })
    assert.deepEqual(leftOf(await down([changed({ status: 'paused' })])), DOWN)
    assert.deepEqual(await down([changed({ status: 'paused' })]), E.right(['template_changed']))
  })
})
