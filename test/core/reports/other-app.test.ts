import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import type { PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { type AppId, appIdOf } from '../../../core/kernel/ids.js'
import type { AccountNoticeReport } from '../../../core/reports/account.js'
import type { Report } from '../../../core/reports/receive.js'
import { senderIdOf, type Senders } from '../../../core/senders/sender.js'
import { addApp } from '../../support/add-app.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { ACCOUNT, gateway, type Gateway, NOON } from '../gateway.js'
import { body, templateOf } from '../template-samples.js'

const [OURS, THEIRS] = [appIdOf(uuidv7()), appIdOf(uuidv7())]
const WRITER = '4930123456' as PhoneNumber
const USER = 'DE.13491208655302741918' as UserId

const NOTICE: AccountNoticeReport = { _tag: 'AccountNotice', accountId: ACCOUNT, field: 'account_update', subject: '', value: {}, at: NOON }

/** A gateway whose workspace has a template, a sent message, and a sender of an app; `undefined` is the app of the environment. */
const withApp = async (app: AppId | undefined, options: Parameters<typeof gateway>[0] = {}) => {
  const gw = await gateway({ templates: [templateOf([body('Hello')])], ...options })
  const sender = O.toUndefined(await done(gw.storage.senders.senderOf(gw.workspace))) ?? assert.fail('a sender was expected')
  for (const one of [OURS, THEIRS]) await addApp(gw.storage, one)
  await done(gw.storage.senders.assign(gw.workspace, { ...sender, ...(app !== undefined && { app }) }))
  const sent = rightOf(await gw.sendText())
  return { gw, message: sent.id }
}

/** One report of each kind about the sender, and two about its account. */
const reportsOf = ({ gw, message }: Awaited<ReturnType<typeof withApp>>): ReadonlyArray<Report> => {
  const { phoneNumberId } = gw
  return [
    { _tag: 'Inbound', phoneNumberId, customer: { phoneNumber: WRITER }, at: NOON },
    gw.status(message, 'delivered'),
    { _tag: 'NumberShared', phoneNumberId, userId: USER, phoneNumber: WRITER, at: NOON },
    { _tag: 'IdsChanged', phoneNumberId, before: { phoneNumber: WRITER }, after: { userId: USER }, at: NOON },
    { _tag: 'MarketingPreference', phoneNumberId, customer: { phoneNumber: WRITER }, stopped: true, at: NOON },
    NOTICE,
    { _tag: 'TemplateChanged', accountId: ACCOUNT, change: { name: 'order_update', language: 'en', status: 'paused' }, at: NOON + 1 },
  ]
}

const nameOf = (app: AppId | undefined): string =>
  (app === undefined ? 'the app of the environment' : app === OURS ? 'one app' : 'another app')

const at = (app: AppId | undefined) => (report: Report): Report => ({ ...report, ...(app !== undefined && { app }) })

/** Everything that the reports could change, as a text. */
const state = async ({ storage, workspace, messages, lastInbound }: Gateway): Promise<string> => JSON.stringify([
  await messages(), await lastInbound(WRITER), await done(storage.customers.find(workspace, WRITER)),
  await done(storage.customers.find(workspace, USER)), await done(storage.accountNotices.latest(ACCOUNT)),
  await done(storage.templateCatalogue.find(ACCOUNT, 'order_update')), await done(storage.lostMessages.counts()),
], (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

describe('A report at the webhook of an app', () => {
  for (const [of, arrived] of [[OURS, THEIRS], [OURS, undefined], [undefined, OURS]] as const) {
    it(`has no effect if its sender and its account belong to ${nameOf(of)} and it arrives at ${nameOf(arrived)}`, async () => {
      const world = await withApp(of)
      const before = await state(world.gw)
      const reports = reportsOf(world)
      assert.deepEqual(await world.gw.receive(...reports.map(at(arrived))), E.right(reports.map(() => 'other_app' as const)))
      assert.equal(await state(world.gw), before)
    })
  }

  for (const of of [OURS, undefined]) {
    it(`is processed if it arrives at ${of === undefined ? 'that of the environment' : 'the app'} of its sender and its account`, async () => {
      const world = await withApp(of)
      assert.deepEqual(await world.gw.receive(...reportsOf(world).map(at(of))), E.right([
        'window_marked', 'message_moved', 'customer_learned', 'customer_learned', 'customer_learned', 'notice_kept', 'template_changed',
      ]))
    })
  }

  it('is for an unknown sender if no workspace has the number, and about a strange account if no sender has it', async () => {
    const { gw } = await withApp(OURS)
    const unknown: ReadonlyArray<Report> = [
      { _tag: 'Inbound', phoneNumberId: senderIdOf('404'), customer: { phoneNumber: WRITER }, at: NOON },
      { ...NOTICE, accountId: '404' },
    ]
    assert.deepEqual(await gw.receive(...unknown.map(at(OURS))), E.right(['unknown_sender', 'other_app']))
    assert.deepEqual(await gw.receive(...unknown), E.right(['unknown_sender', 'notice_kept']))
  })

  it('about an account counts for each app that one of its senders belongs to, even if that sender may not be used', async () => {
    const { gw } = await withApp(undefined)
    const { workspace } = await gw.addWorkspace()
    const theirs = { phoneNumberId: senderIdOf('2002'), accessToken: 'token', businessAccountId: ACCOUNT, app: THEIRS }
    await done(gw.storage.senders.assign(workspace, theirs))
    await done(gw.storage.workspaces.archive(workspace, NOON))
    assert.deepEqual(await gw.receive(...[undefined, THEIRS, OURS].map((app) => at(app)(NOTICE))), E.right([
      'notice_kept', 'notice_kept', 'other_app',
    ]))
  })

  it('is asked for again if the senders of its account cannot be read', async () => {
    const faults: ReadonlyArray<(senders: Senders) => Partial<Senders>> = [
      ({ sharing }) => ({ sharing: failing(sharing) }), ({ notSharing }) => ({ notSharing: failing(notSharing) }),
      ({ ownerOf }) => ({ ownerOf: failing(ownerOf) }),
    ]
    for (const fault of faults) {
      const { gw } = await withApp(OURS, { ports: ({ senders }) => ({ senders: { ...senders, ...fault(senders) } }) })
      assert.deepEqual<unknown>(leftOf(await gw.receive(at(OURS)(NOTICE))), DOWN)
    }
  })
})
