import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makePrefetch } from '../../../core/sending/prepare.js'
import { makeSendTemplate, makeSendText } from '../../../core/sending/send.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { failing } from '../failing-method.js'
import { ACCOUNT, CUSTOMER, gateway, NOON } from '../gateway.js'
import { body, templateOf } from '../template-samples.js'

const SALE = templateOf([body('All at half price')], { name: 'sale' })
const PAUSED = { ...templateOf([body('All at half price')], { name: 'paused' }), status: 'paused' }
const STRANGER = '4915123456780' as typeof CUSTOMER

describe('Reads that were begun before the send', () => {
  it('are used, so that nothing is read twice', async () => {
    const gw = await gateway({ templates: [SALE] })
    const { workspace, deps } = gw
    const text = makePrefetch(deps)({ workspace, to: CUSTOMER })
    const template = makePrefetch(deps)({ workspace, to: CUSTOMER, name: SALE.name })
    await Promise.all([text.reads, template.reads])
    const senders = { ...deps.senders, senderOf: failing(deps.senders.senderOf) }
    rightOf(await makeSendText({ ...deps, senders })({ workspace, to: CUSTOMER, text: 'Hello', prefetched: text }))
    rightOf(await makeSendTemplate({ ...deps, senders })({ workspace, to: CUSTOMER, name: SALE.name, prefetched: template }))
  })

  it('are not used for another workspace, another customer or another template', async () => {
    const gw = await gateway({ templates: [SALE, PAUSED] })
    const { workspace, deps } = gw
    const other = await gw.addWorkspace()
    const prefetch = makePrefetch({ ...deps, senders: { ...deps.senders, lastSenderOf: () => ({ inbox: workspace, accountId: ACCOUNT }) } })
    const open = prefetch({ workspace, to: CUSTOMER })
    assert.equal(leftOf(await gw.sendText({ to: STRANGER, prefetched: open }))._tag, 'WindowClosed')
    rightOf(await makeSendText(deps)({ workspace: other.workspace, to: CUSTOMER, text: 'Hello', prefetched: open }))
    assert.equal(gw.sent.at(-1)?.sender.phoneNumberId, other.phoneNumberId)
    const sale = prefetch({ workspace, to: CUSTOMER, name: SALE.name })
    assert.equal(leftOf(await gw.sendTemplate({ name: PAUSED.name, prefetched: sale }))._tag, 'TemplateNotApproved')
    rightOf(await makeSendTemplate(deps)({ workspace: other.workspace, to: CUSTOMER, name: SALE.name, prefetched: sale }))
    assert.equal(gw.sent.at(-1)?.sender.phoneNumberId, other.phoneNumberId)
  })

  it('are refused in the same order as reads of the send itself', async () => {
    const gw = await gateway({ lastInbound: undefined, sender: false })
    const prefetched = makePrefetch(gw.deps)({ workspace: gw.workspace, to: CUSTOMER })
    assert.equal(leftOf(await gw.sendText({ prefetched }))._tag, 'WindowClosed')
  })

  it('read the templates of the right business account, and the right customer, if another sender is remembered', async () => {
    const gw = await gateway({ templates: [SALE] })
    const { workspace, deps } = gw
    await done(deps.templateCatalogue.replaceAll('another', [{ ...SALE, status: 'paused' }], NOON))
    const elsewhere = (await gw.addWorkspace()).workspace
    const guesses = [undefined, ACCOUNT, 'another', 'unknown'].flatMap((accountId) =>
      [workspace, elsewhere].map((inbox) => ({ inbox, accountId })))
    for (const guess of [undefined, ...guesses]) {
      const senders = { ...deps.senders, lastSenderOf: () => guess }
      const sent = await makeSendTemplate({ ...deps, senders })({ workspace, to: CUSTOMER, name: SALE.name })
      assert.isTrue(E.isRight(sent), JSON.stringify(guess))
      rightOf(await makeSendText({ ...deps, senders })({ workspace, to: CUSTOMER, text: 'Hello' }))
    }
  })
})
