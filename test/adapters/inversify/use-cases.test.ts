import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { Container, ContainerModule } from 'inversify'
import {
  ACCOUNT_NOTICES, ADMISSION, CONVERSATION, CUSTOMERS, ENDPOINT_DEPS, EVENT_DELIVERIES, EVENT_ENDPOINTS, EVENT_OUTBOX, EVENT_USE_CASES, LEDGER, LIMITS,
  MARK_READ, MESSAGE_LOG, NEW_EVENT_ID, NEW_MESSAGE_ID, OPEN_MEDIA, PLATFORM, PRICE_OF, QUOTE_TEMPLATE, QUOTE_TEXT, RECEIVE, RECONCILE, RETRY_LATER,
  SEND_TEMPLATE, SEND_TEXT, SENDERS, SYNC_TEMPLATES, TEMPLATE_CATALOGUE, TEMPLATE_PREFLIGHT, TEMPLATE_SOURCE, useCases, WALLET, WINDOW_CLOCK,
} from '../../../adapters/inversify/index.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import type { PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { endpointIdOf, endpointSecretOf } from '../../../core/events/endpoint.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { eventIdOf, workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import type { MediaId } from '../../../core/messages/conversation.js'
import { messageIdOf, type PlatformId } from '../../../core/messages/message.js'
import type { Wallet } from '../../../core/money/wallet.js'
import { makeReconcile } from '../../../core/sending/reconcile.js'
import { makeSendText } from '../../../core/sending/send.js'
import { rightOf } from '../../support/right-of.js'

const now = Date.UTC(2026, 9, 1)
const usd = 'USD' as Currency
const workspace = workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')

const gateway = () => {
  const storage = makeMemoryStorage({ now: () => now })
  const container = new Container({ defaultScope: 'Singleton' })
  container.load(useCases)
  container.bind(WALLET).toConstantValue(storage.wallet)
  container.bind(LEDGER).toConstantValue(storage.ledger)
  container.bind(MESSAGE_LOG).toConstantValue(storage.messageLog)
  container.bind(SENDERS).toConstantValue(storage.senders)
  container.bind(WINDOW_CLOCK).toConstantValue(storage.windowClock)
  container.bind(PLATFORM).toConstantValue({ send: async () => E.right({ platformId: 'wamid.1' as PlatformId }) })
  container.bind(PRICE_OF).toConstantValue(async () => E.right({ micros: 1n, currency: usd, category: 'marketing' }))
  container.bind(RETRY_LATER).toConstantValue(() => undefined)
  container.bind(NEW_MESSAGE_ID).toConstantValue(() => messageIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c'))
  container.bind(LIMITS).toConstantValue({ unconfirmedAfterMs: 120_000, releaseAfterMs: 604_800_000 })
  return { container, storage }
}

describe('The container module of the use cases', () => {
  it('resolves every use case from the ports an app has bound', () => {
    const { container } = gateway()
    for (const useCase of [SEND_TEXT, SEND_TEMPLATE, QUOTE_TEXT, QUOTE_TEMPLATE, RECEIVE, RECONCILE]) assert.isFunction(container.get<unknown>(useCase))
  })

  it('makes each use case once', () => {
    const { container } = gateway()
    assert.strictEqual(container.get(SEND_TEXT), container.get(SEND_TEXT))
  })

  it('sends through the very ports that were bound', async () => {
    const { container, storage } = gateway()
    await storage.workspaces.create({ id: workspace, name: 'Shop', currency: usd, createdAt: now })
    await storage.ledger.topUp({ workspace, micros: 5n, reference: 'r', at: now })
    await storage.senders.assign(workspace, { phoneNumberId: '1', accessToken: 't', businessAccountId: undefined })
    const sent = await container.get(SEND_TEMPLATE)({ workspace, to: '5511999990000' as PhoneNumber, name: 'hello' })
    assert.isTrue(E.isRight(sent))
    assert.deepEqual(await storage.ledger.balance(workspace), E.right(O.some({ available: 4n, held: 0n, currency: usd })))
  })

  it('stores events of templates, whichever reading finds the change', async () => {
    const { container, storage } = gateway()
    let status = 'approved'
    const listed = () => [{ id: '1', name: 'hello', language: 'en', category: 'utility', status, quality: undefined, parameterFormat: undefined, components: [] }]
    container.bind(TEMPLATE_CATALOGUE).toConstantValue(storage.templateCatalogue)
    container.bind(TEMPLATE_SOURCE).toConstantValue({ list: async () => E.right(listed()) })
    container.bind(EVENT_OUTBOX).toConstantValue(storage.eventOutbox)
    container.bind(NEW_EVENT_ID).toConstantValue(() => eventIdOf(randomUUID()))
    await storage.workspaces.create({ id: workspace, name: 'Shop', currency: usd, createdAt: now })
    await storage.ledger.topUp({ workspace, micros: 5n, reference: 'r', at: now })
    await storage.senders.assign(workspace, { phoneNumberId: '1', accessToken: 't', businessAccountId: '10229' })
    await storage.eventOutbox.notePull(workspace, now)
    const sync = async () => assert.isTrue(E.isRight(await container.get(SYNC_TEMPLATES)({ workspace })))
    const changed = async () => rightOf(await storage.eventOutbox.after(workspace, 0, 10)).filter(({ type }) => type === 'template.changed').length
    await sync()
    status = 'paused'
    await sync()
    assert.equal(await changed(), 1)
    status = 'approved'
    assert.isTrue(E.isRight(await container.get(SEND_TEMPLATE)({ workspace, to: '5511999990000' as PhoneNumber, name: 'hello' })))
    assert.equal(await changed(), 2)
  })

  it('checks templates where an app has bound a catalogue, and asks the platform once for a send and its quote', async () => {
    const command = { workspace, to: '5511999990000' as PhoneNumber, name: 'hello' }
    for (const [isBound, preflight, expected] of [[false, 'on', 'Right'], [true, 'on', 'Left'], [true, 'off', 'Right']] as const) {
      const { container, storage } = gateway()
      let asked = 0
      if (isBound) {
        container.bind(TEMPLATE_CATALOGUE).toConstantValue(storage.templateCatalogue)
        container.bind(TEMPLATE_SOURCE).toConstantValue({ list: async () => { asked += 1; return E.right([]) } })
        container.bind(TEMPLATE_PREFLIGHT).toConstantValue({ templatePreflight: preflight })
      }
      await storage.workspaces.create({ id: workspace, name: 'Shop', currency: usd, createdAt: now })
      await storage.ledger.topUp({ workspace, micros: 5n, reference: 'r', at: now })
      await storage.senders.assign(workspace, { phoneNumberId: '1', accessToken: 't', businessAccountId: '10229' })
      await storage.templateCatalogue.replaceAll('10229', [], now)
      const [quoted, sent] = [await container.get(QUOTE_TEMPLATE)(command), await container.get(SEND_TEMPLATE)(command)]
      assert.deepEqual([quoted._tag, sent._tag], [expected, expected])
      assert.equal(asked, expected === 'Left' ? 1 : 0)
    }
  })

  it('keeps what is reported of customers, accounts and templates where an app has bound ports for it', async () => {
    const [user, account] = ['DE.1' as UserId, '10229']
    for (const isBound of [false, true]) {
      const { container, storage } = gateway()
      if (isBound) {
        container.bind(CUSTOMERS).toConstantValue(storage.customers)
        container.bind(ACCOUNT_NOTICES).toConstantValue(storage.accountNotices)
        container.bind(TEMPLATE_CATALOGUE).toConstantValue(storage.templateCatalogue)
      }
      await storage.workspaces.create({ id: workspace, name: 'Shop', currency: usd, createdAt: now })
      await storage.senders.assign(workspace, { phoneNumberId: '1', accessToken: 't', businessAccountId: undefined })
      const received = await container.get(RECEIVE)([
        { _tag: 'Inbound', phoneNumberId: '1', customer: { userId: user, name: 'Ada' }, at: now },
        { _tag: 'AccountNotice', accountId: account, field: 'account_update', subject: '', value: {} },
        { _tag: 'TemplateChanged', accountId: account },
      ])
      const kept = isBound ? ['notice_kept', 'unknown_template'] : ['notice_dropped', 'template_dropped']
      assert.deepEqual<unknown>(received, E.right(['window_marked', ...kept]))
      const [known, notices] = [await storage.customers.find(workspace, user), await storage.accountNotices.latest(account)]
      assert.equal(E.isRight(known) && known.right.own.name, isBound ? 'Ada' : undefined)
      assert.lengthOf(E.isRight(notices) ? notices.right : [], isBound ? 1 : 0)
    }
  })

  it('makes events where an app has bound an outbox', async () => {
    for (const isBound of [false, true]) {
      const { container, storage } = gateway()
      if (isBound) {
        container.bind(EVENT_OUTBOX).toConstantValue(storage.eventOutbox)
        container.bind(NEW_EVENT_ID).toConstantValue(() => eventIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d'))
      }
      await storage.workspaces.create({ id: workspace, name: 'Shop', currency: usd, createdAt: now })
      await storage.ledger.topUp({ workspace, micros: 5n, reference: 'r', at: now })
      await storage.senders.assign(workspace, { phoneNumberId: '1', accessToken: 't', businessAccountId: undefined })
      await storage.eventOutbox.notePull(workspace, now)
      await container.get(RECEIVE)([{ _tag: 'Inbound', phoneNumberId: '1', customer: { phoneNumber: '5511999990000' as PhoneNumber }, at: now }])
      await container.get(SEND_TEXT)({ workspace, to: '5511999990000' as PhoneNumber, text: 'Hello' })
      const stored = await storage.eventOutbox.after(workspace, 0, 10)
      assert.deepEqual(E.isRight(stored) && stored.right.map(({ type }) => type), isBound ? ['window.opened', 'message.accepted'] : [])
    }
  })

  it('manages endpoints where an app has bound the ports of events', async () => {
    const { container, storage } = gateway()
    assert.throws(() => container.get(EVENT_USE_CASES), /postern\/Event/)
    container.bind(EVENT_OUTBOX).toConstantValue(storage.eventOutbox)
    container.bind(EVENT_ENDPOINTS).toConstantValue(storage.eventEndpoints)
    container.bind(EVENT_DELIVERIES).toConstantValue(storage.eventDeliveries)
    container.bind(NEW_EVENT_ID).toConstantValue(() => eventIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d'))
    container.bind(ENDPOINT_DEPS).toConstantValue({
      newEndpointId: () => endpointIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5e'), newSecret: () => endpointSecretOf('c2VjcmV0'), newAttemptId: () => 'a'.repeat(32),
      sinkFor: () => ({ deliver: async () => ({ delivered: true, httpStatus: 204, error: undefined, answer: undefined, durationMs: 1 }) }),
    })
    await storage.workspaces.create({ id: workspace, name: 'Shop', currency: usd, createdAt: now })
    const { addEndpoint, testEndpoint, listDeliveries } = container.get(EVENT_USE_CASES)
    const added = await addEndpoint({ by: SYSTEM, workspace, url: 'https://shop.example/' })
    const named = { by: SYSTEM, workspace, id: E.isRight(added) ? added.right.endpoint.id : '' }
    const tested = await testEndpoint(named)
    const listed = await listDeliveries(named, { limit: 1 })
    assert.deepEqual(E.isRight(listed) && listed.right.items, E.isRight(tested) && [tested.right])
  })

  it('refuses an outbox without ids for its events', () => {
    const { container, storage } = gateway()
    container.bind(EVENT_OUTBOX).toConstantValue(storage.eventOutbox)
    assert.throws(() => container.get(SEND_TEXT), /NEW_EVENT_ID/)
  })

  it('marks messages and opens attachments through the conversation that an app has bound, and admits marks where an admission is bound', async () => {
    for (const isFull of [false, true]) {
      const { container, storage } = gateway()
      assert.throws(() => container.get(MARK_READ), /postern\/Conversation/)
      const marked: Array<string> = []
      container.bind(CONVERSATION).toConstantValue({
        markRead: async ({ message }) => E.right(void marked.push(message)), openMedia: async () => E.left({ _tag: 'MediaGone' }),
      })
      if (isFull) container.bind(ADMISSION).toConstantValue({ admit: async () => E.left({ _tag: 'PlatformUnreachable', cause: 'full' }), hasRoom: () => false })
      await storage.workspaces.create({ id: workspace, name: 'Shop', currency: usd, createdAt: now })
      await storage.senders.assign(workspace, { phoneNumberId: '1', accessToken: 't', businessAccountId: undefined })
      await container.get(MARK_READ)({ workspace, message: 'wamid.1' as PlatformId, typing: false })
      assert.deepEqual(marked, isFull ? [] : ['wamid.1'])
      assert.deepEqual(await container.get(OPEN_MEDIA)({ workspace, id: '1' as MediaId }), E.left({ _tag: 'MediaGone' }))
    }
  })

  it('fails at the first resolution, and not at a send, where a port is not bound', () => {
    const container = new Container({ defaultScope: 'Singleton' })
    container.load(useCases)
    assert.throws(() => container.get(SEND_TEXT), /postern\/MessageLog/)
  })

  it('lets the compiler refuse wrong wiring', () => {
    const wrong = new ContainerModule(({ bind }) => {
      bind(SEND_TEXT).toResolvedValue(
        (messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, limits) =>
          // @ts-expect-error two tokens are swapped
          makeSendText({ messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, ...limits }),
        [WALLET, MESSAGE_LOG, PLATFORM, SENDERS, WINDOW_CLOCK, PRICE_OF, NEW_MESSAGE_ID, RETRY_LATER, LIMITS],
      )
      bind(RECONCILE).toResolvedValue(
        // @ts-expect-error the limits are missing
        (windowClock, messageLog, wallet) => makeReconcile({ windowClock, messageLog, wallet }),
        [WINDOW_CLOCK, MESSAGE_LOG, WALLET],
      )
      // @ts-expect-error a constant of another type
      bind(LIMITS).toConstantValue({ unconfirmedAfterMs: '120000', releaseAfterMs: 1 })
    })
    // @ts-expect-error what is resolved has the type its token names
    const readsAsWallet = (container: Container): Wallet => container.get(PLATFORM)
    assert.instanceOf(wrong, ContainerModule)
    assert.isFunction(readsAsWallet)
  })
})
