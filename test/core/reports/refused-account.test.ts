import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { makeShowOverview } from '../../../core/overview.js'
import { makeReceive } from '../../../core/reports/receive.js'
import { readableAccount, senderIdOf } from '../../../core/senders/sender.js'
import { makeBrowseTemplates, makeListTemplates, makeRefreshTemplate } from '../../../core/templates/use-cases.js'
import { done, rightOf } from '../../support/right-of.js'
import { ACCOUNT, gateway, NOON, TEMPLATE_PRICE, UTILITY_PRICE } from '../gateway.js'
import { templatePlatform } from '../../support/template-platform.js'
import { body, templateOf } from '../template-samples.js'

const ORDER = templateOf([body('Their secret offer')])
const PAUSED = { ...ORDER, id: '2', name: 'paused', status: 'paused' }

/** Two workspaces on one account; the token of the first may not read it any more. */
const world = async () => {
  const platform = templatePlatform([ORDER, PAUSED])
  const gw = await gateway({ templates: [ORDER, PAUSED], source: platform.source, broker: true })
  const other = (await gw.addWorkspace()).workspace
  const note = (isRefused: boolean) =>
    done(gw.storage.senders.noteAccount(
      { workspace: gw.workspace, sender: gw.phoneNumberId }, { businessAccountId: ACCOUNT, accessToken: 'token' }, isRefused, NOON,
    ))
  await note(true)
  const types = async (workspace: WorkspaceId) =>
    (await done(gw.storage.eventOutbox.after(workspace, 0, 100))).filter(({ type }) => type === 'template.changed').length
  return { gw, asked: platform.asked, other, note, types }
}

describe('A workspace whose token may not read its business account', () => {
  it('has an account that it may read only without the note', () => {
    const sender = { phoneNumberId: senderIdOf('1'), accessToken: 'token', businessAccountId: ACCOUNT }
    assert.deepEqual([sender, { ...sender, accountRefusedSince: 0 }, undefined].map(readableAccount), [ACCOUNT, undefined, undefined])
  })

  it('sees none of its templates, which the other workspace sees, until the token may read it again', async () => {
    const { gw: { storage, workspace }, other, note } = await world()
    const counts = async () => Promise.all([workspace, other].map(async (one) => {
      const browsed = await done(makeBrowseTemplates(storage)({ workspace: one }, { limit: 10 }))
      return [
        (await done(makeListTemplates(storage)({ workspace: one }, { limit: 10 }))).items.length, browsed.page.items.length,
        browsed.account,
        browsed.state.listedAt, browsed.refusedSince,
      ]
    }))
    const [none, all] = [[0, 0, undefined, undefined, NOON], [2, 2, ACCOUNT, NOON, undefined]]
    assert.deepEqual(await counts(), [none, all])
    await note(false)
    assert.deepEqual(await counts(), [all, all])
  })

  it('sees it on its overview, and nothing of the templates that the platform has stopped', async () => {
    const { gw, other } = await world()
    const attention = async (workspace: WorkspaceId) =>
      (await done(makeShowOverview({ ...gw.storage, now: gw.now })({ workspace, range: '1h' }))).attention
    assert.deepEqual(await attention(gw.workspace), [{ _tag: 'AccountRefused', sender: gw.phoneNumberId, since: NOON }])
    assert.deepEqual((await attention(other)).map(({ _tag }) => _tag), ['TemplatesStopped'])
  })

  it('sends a template that the catalogue would refuse, unchecked and at the general rate, and asks the platform for none', async () => {
    const { gw, asked, other } = await world()
    for (const name of ['order_update', 'paused', 'no_such_name']) {
      const { price, preview } = rightOf(await gw.quoteTemplate({ name }))
      assert.deepEqual([price.micros, preview], [TEMPLATE_PRICE, undefined])
      rightOf(await gw.sendTemplate({ name }))
    }
    assert.isEmpty(asked)
    const theirs = rightOf(await gw.quoteTemplate({ workspace: other }))
    assert.equal(theirs.price.micros, UTILITY_PRICE)
    assert.isTrue(E.isLeft(await gw.quoteTemplate({ workspace: other, name: 'paused' })))
  })

  it('gets no event about its templates, however a change is learned of', async () => {
    const { gw, other, types } = await world()
    const reported = {
      _tag: 'TemplateChanged', accountId: ACCOUNT, at: NOON, change: { name: 'order_update', language: 'en', quality: 'red' },
    } as const
    await done(makeReceive(gw.deps)([reported]))
    gw.passes(1_000)
    const refresh = makeRefreshTemplate({ ...gw.deps, templateSource: templatePlatform([{ ...ORDER, category: 'marketing' }]).source })
    assert.isTrue(await refresh({ businessAccountId: ACCOUNT, accessToken: 'another' }, 'order_update'))
    assert.deepEqual([await types(gw.workspace), await types(other)], [0, 2])
  })
})
