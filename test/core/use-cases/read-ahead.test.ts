import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeReadAhead } from '../../../core/sending/prepare.js'
import { makeSendTemplate, makeSendText } from '../../../core/sending/send.js'
import { failing } from '../failing-method.js'
import { ACCOUNT, CUSTOMER, done, gateway, left, NOON, right } from '../gateway.js'
import { body, templateOf } from '../template-samples.js'

const SALE = templateOf([body('All at half price')], { name: 'sale' })
const PAUSED = { ...templateOf([body('All at half price')], { name: 'paused' }), status: 'paused' }
const STRANGER = '4915123456780' as typeof CUSTOMER

describe('Reads that were begun before the send', () => {
  it('are used, so that nothing is read twice', async () => {
    const gw = await gateway({ templates: [SALE] })
    const { workspace, deps } = gw
    const text = makeReadAhead(deps).text({ workspace, to: CUSTOMER })
    const template = makeReadAhead(deps).template({ workspace, to: CUSTOMER, name: SALE.name })
    await Promise.all([text.reads, template.reads])
    const senders = { ...deps.senders, senderOf: failing(deps.senders.senderOf) }
    right(await makeSendText({ ...deps, senders })({ workspace, to: CUSTOMER, text: 'Hello', ahead: text }))
    right(await makeSendTemplate({ ...deps, senders })({ workspace, to: CUSTOMER, name: SALE.name, ahead: template }))
  })

  it('are not used for another workspace, another customer or another template', async () => {
    const gw = await gateway({ templates: [SALE, PAUSED] })
    const { workspace, deps } = gw
    const other = await gw.addWorkspace()
    const ahead = makeReadAhead({ ...deps, senders: { ...deps.senders, lastAccountOf: () => ACCOUNT } })
    const open = ahead.text({ workspace, to: CUSTOMER })
    assert.equal(left(await gw.sendText({ to: STRANGER, ahead: open }))._tag, 'WindowClosed')
    right(await makeSendText(deps)({ workspace: other.workspace, to: CUSTOMER, text: 'Hello', ahead: open }))
    assert.equal(gw.sent.at(-1)?.sender.phoneNumberId, other.phoneNumberId)
    const sale = ahead.template({ workspace, to: CUSTOMER, name: SALE.name })
    assert.equal(left(await gw.sendTemplate({ name: PAUSED.name, ahead: sale }))._tag, 'TemplateNotApproved')
    right(await makeSendTemplate(deps)({ workspace: other.workspace, to: CUSTOMER, name: SALE.name, ahead: sale }))
    assert.equal(gw.sent.at(-1)?.sender.phoneNumberId, other.phoneNumberId)
  })

  it('are refused in the same order as reads of the send itself', async () => {
    const gw = await gateway({ lastInbound: undefined, sender: false })
    const ahead = makeReadAhead(gw.deps).text({ workspace: gw.workspace, to: CUSTOMER })
    assert.equal(left(await gw.sendText({ ahead }))._tag, 'WindowClosed')
  })

  it('read the templates of the right business account, whichever one is remembered', async () => {
    const gw = await gateway({ templates: [SALE] })
    const { workspace, deps } = gw
    await done(deps.templateCatalogue.replaceAll('another', [{ ...SALE, status: 'paused' }], NOON))
    for (const lastAccountOf of [undefined, () => undefined, () => ACCOUNT, () => 'another', () => 'unknown']) {
      const senders = { ...deps.senders, ...(lastAccountOf && { lastAccountOf }) }
      const sent = await makeSendTemplate({ ...deps, senders })({ workspace, to: CUSTOMER, name: SALE.name })
      assert.isTrue(E.isRight(sent), String(lastAccountOf))
    }
  })
})
