import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { machine } from '../../adapters/machine/machine.js'
import { makeMemoryStorage } from '../../adapters/memory/index.js'
import type { PhoneNumber, UserId } from '../../core/customers/customer.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { type PlatformId, templateMessage } from '../../core/messages/message.js'
import type { AllStoragePorts, SendingPorts } from '../../core/ports.js'
import { makeQuotes, makeSending } from '../../core/postern.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { rightOf } from '../support/right-of.js'

const now = Date.UTC(2026, 9, 1)
const usd = 'USD' as Currency
const ACCOUNT = '10229'
const workspace = workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')
const to = '5511999990000' as PhoneNumber

const settings = {
  ...machine, priceOf: async () => E.right({ micros: 1n, currency: usd, category: 'marketing' as const }), retryLater: () => undefined,
  unconfirmedAfterMs: 120_000, releaseAfterMs: 604_800_000,
}

/** The ports of a send, and those of the storage that are named. */
const open = async (...more: ReadonlyArray<keyof AllStoragePorts>) => {
  const storage = makeMemoryStorage({ now: () => now })
  const { messageLog, senders: { senderOf, ownerOf }, wallet, windowClock } = storage
  const ports: SendingPorts = {
    messageLog, senders: { senderOf, ownerOf }, wallet, windowClock,
    platform: { send: async () => E.right({ platformId: 'wamid.1' as PlatformId }) },
    ...Object.fromEntries(more.map((port) => [port, storage[port]])),
  }
  rightOf(await storage.workspaces.create({ id: workspace, name: 'Shop', currency: usd, createdAt: now }))
  rightOf(await storage.ledger.topUp({ workspace, micros: 5n, reference: 'r', at: now }))
  rightOf(await storage.senders.assign(workspace, { phoneNumberId: senderIdOf('1'), accessToken: 't', businessAccountId: ACCOUNT }))
  return { storage, ports }
}

describe('makeSending', () => {
  it('checks templates if there is a catalogue, and asks the platform once for repeated sends', async () => {
    for (const [isThere, templatePreflight, expected] of [[false, 'on', 'Right'], [true, 'on', 'Left'], [true, 'off', 'Right']] as const) {
      const { storage, ports } = await open(...(isThere ? ['templateCatalogue'] as const : []))
      let asked = 0
      rightOf(await storage.templateCatalogue.replaceAll(ACCOUNT, [], now))
      const templateSource = { list: async () => { asked += 1; return E.right([]) } }
      const { sendTemplate } = makeSending({ ...ports, templateSource }, { ...settings, templatePreflight })
      for (const _again of [1, 2]) assert.equal((await sendTemplate({ workspace, to, name: 'hello' }))._tag, expected)
      assert.equal(asked, expected === 'Left' ? 1 : 0)
    }
  })

  it('keeps what is reported of customers, accounts and templates if there are ports for it', async () => {
    for (const isThere of [false, true]) {
      const { storage, ports } = await open(...(isThere ? ['customers', 'accountNotices', 'templateCatalogue'] as const : []))
      const user = 'DE.1' as UserId
      const received = await makeSending(ports, settings).receive([
        { _tag: 'Inbound', phoneNumberId: senderIdOf('1'), customer: { userId: user, name: 'Ada' }, at: now },
        { _tag: 'AccountNotice', accountId: ACCOUNT, field: 'account_update', subject: '', value: {} },
        { _tag: 'TemplateChanged', accountId: ACCOUNT },
      ])
      assert.deepEqual<unknown>(
        received, E.right(['window_marked', ...(isThere ? ['notice_kept', 'unknown_template'] : ['notice_dropped', 'template_dropped'])]),
      )
      assert.equal(rightOf(await storage.customers.find(workspace, user)).own.name, isThere ? 'Ada' : undefined)
      assert.lengthOf(rightOf(await storage.accountNotices.latest(ACCOUNT)), isThere ? 1 : 0)
    }
  })

  it('makes events if there is an outbox', async () => {
    for (const isThere of [false, true]) {
      const { storage, ports } = await open(...(isThere ? ['eventOutbox'] as const : []))
      const { sendText, receive } = makeSending(ports, settings)
      rightOf(await storage.eventOutbox.notePull(workspace, now))
      rightOf(await receive([{ _tag: 'Inbound', phoneNumberId: senderIdOf('1'), customer: { phoneNumber: to }, at: now }]))
      rightOf(await sendText({ workspace, to, text: 'Hello' }))
      assert.deepEqual(
        rightOf(await storage.eventOutbox.after(workspace, 0, 10)).map(({ type }) => type),
        isThere ? ['window.opened', 'message.accepted'] : [],
      )
    }
  })
})

describe('makeQuotes', () => {
  it('refuses what the send would refuse, and says what it would cost otherwise', async () => {
    const { storage, ports } = await open()
    const { quote } = makeQuotes({ ...ports, ledger: storage.ledger }, settings)
    assert.equal((await quote({ workspace, message: { _tag: 'Text', to, text: 'Hello' } }))._tag, 'Left')
    assert.deepNestedInclude(rightOf(await quote({ workspace, message: templateMessage({ to, name: 'hello' }) })), { 'price.micros': 1n })
  })
})
