import { assert } from 'chai'
import { fileBytes } from '../../../adapters/machine/file-bytes.js'
import { takeUpload } from '../../../adapters/memory/sandbox.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { Container, ContainerModule } from 'inversify'
import {
  PORTS, POSTERN, SEND_TEMPLATE, SEND_TEXT, SENDING, SENDING_SETTINGS, sends, SETTINGS, useCases,
} from '../../../adapters/inversify/index.js'
import { machine } from '../../../adapters/machine/machine.js'
import { makeMemoryStorage, type MemoryStorage } from '../../../adapters/memory/index.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import type { PlatformId } from '../../../core/messages/message.js'
import type { Wallet } from '../../../core/money/wallet.js'
import { makePostern } from '../../../core/postern.js'
import type { SendingSettings } from '../../../core/settings.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { plainHasher } from '../../support/plain-hasher.js'
import { SETTINGS as ADMINISTRATION } from '../../support/use-cases.js'

const now = Date.UTC(2026, 9, 1)
const usd = 'USD' as Currency
const workspace = workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')
const to = '5511999990000' as PhoneNumber

const SENDING_ONLY: SendingSettings = {
  newUuid: machine.newUuid, priceOf: async () => E.right({ micros: 1n, currency: usd, category: 'marketing' }), retryLater: () => undefined,
  unconfirmedAfterMs: 120_000, releaseAfterMs: 604_800_000,
}

/** A container with the ports of a send, and the storage behind them. */
const withSends = () => {
  const storage = makeMemoryStorage({ now: () => now })
  const container = new Container({ defaultScope: 'Singleton' })
  container.load(sends)
  for (const port of ['wallet', 'messageLog', 'senders', 'windowClock'] as const) {
    container.bind<unknown>(PORTS[port]).toConstantValue(storage[port])
  }
  container.bind(PORTS.platform).toConstantValue({ send: async () => E.right({ platformId: 'wamid.1' as PlatformId }) })
  container.bind(SENDING_SETTINGS).toConstantValue(SENDING_ONLY)
  return { container, storage }
}

/** A container with every port that must be bound. */
const withAll = () => {
  const storage = makeMemoryStorage({ now: () => now })
  const container = new Container({ defaultScope: 'Singleton' })
  container.load(useCases)
  const { onEvents: _onEvents, leases: _leases, migrate: _migrate, close: _close, ...ports } = storage
  for (const port of Object.keys(ports) as ReadonlyArray<keyof typeof ports>) {
    container.bind<unknown>(PORTS[port]).toConstantValue(storage[port])
  }
  container.bind(PORTS.platform).toConstantValue({ send: async () => E.right({ platformId: 'wamid.1' as PlatformId }) })
  container.bind(PORTS.conversation).toConstantValue({
    markRead: async () => E.right(undefined), openMedia: async () => E.left({ _tag: 'MediaGone' }), uploadMedia: takeUpload(new Map()),
  })
  container.bind(PORTS.fileBytes).toConstantValue(fileBytes)
  container.bind(PORTS.templateSource).toConstantValue({ list: async () => E.right([]) })
  container.bind(PORTS.senderVerification).toConstantValue('trusted')
  container.bind(PORTS.webhooks).toConstantValue({
    sinkFor: () => ({ deliver: () => Promise.reject(new Error('nothing is delivered here')) }),
  })
  container.bind(PORTS.passwords).toConstantValue(plainHasher())
  container.bind(SETTINGS).toConstantValue({ ...ADMINISTRATION, ...SENDING_ONLY })
  return { container, storage }
}

const openShop = async ({ workspaces, ledger, senders }: MemoryStorage): Promise<void> => {
  await workspaces.create({ id: workspace, name: 'Shop', currency: usd, createdAt: now })
  await ledger.topUp({ workspace, micros: 5n, reference: 'r', at: now })
  await senders.assign(workspace, { phoneNumberId: senderIdOf('1'), accessToken: 't', businessAccountId: undefined })
}

describe('The container module of the sends', () => {
  it('sends through the very ports that were bound, and needs no others', async () => {
    const { container, storage } = withSends()
    await openShop(storage)
    assert.isTrue(E.isRight(await container.get(SEND_TEMPLATE)({ workspace, to, name: 'hello' })))
    assert.deepEqual(await storage.ledger.balance(workspace), E.right(O.some({ available: 4n, held: 0n, currency: usd })))
    assert.strictEqual(container.get(SEND_TEXT), container.get(SENDING).sendText)
  })

  it('uses a port that need not be there if it is bound', async () => {
    for (const isBound of [false, true]) {
      const { container, storage } = withSends()
      if (isBound) container.bind(PORTS.eventOutbox).toConstantValue(storage.eventOutbox)
      await openShop(storage)
      await storage.eventOutbox.notePull(workspace, now)
      assert.isTrue(E.isRight(await container.get(SEND_TEMPLATE)({ workspace, to, name: 'hello' })))
      const stored = await storage.eventOutbox.after(workspace, 0, 10)
      assert.deepEqual(E.isRight(stored) && stored.right.map(({ type }) => type), isBound ? ['message.accepted'] : [])
    }
  })

  it('fails at the first resolution, and not at a send, if a port is not bound', async () => {
    const { container } = withSends()
    await container.unbindAsync(PORTS.messageLog)
    assert.throws(() => container.get(SEND_TEXT), /postern\/MessageLog/)
  })
})

/** The ports without which the use cases are made, too. */
const OPTIONAL: ReadonlySet<keyof typeof PORTS> = new Set([
  'admission', 'alerts', 'apps', 'batches', 'consents', 'deliveryDeadlines', 'messageQueue', 'numberHealth', 'pairLimits',
  'passwordHashQueue',
  'platformNumbers', 'portfolioBudget', 'queueHolds', 'reading', 'requestLog', 'senderBudget', 'sharedHolds', 'templateResults', 'tracer',
])

describe('The container module of all use cases', () => {
  it('makes them once, of the very ports that were bound', async () => {
    const { container, storage } = withAll()
    await openShop(storage)
    const { keys } = container.get(POSTERN)
    assert.isTrue(E.isRight(await keys.mintKey({ by: SYSTEM, workspace, name: 'till' })))
    const stored = await storage.keyStore.list(workspace)
    assert.lengthOf(E.isRight(stored) ? stored.right : [], 1)
    assert.strictEqual(container.get(SEND_TEXT), container.get(POSTERN).sending.sendText)
    assert.strictEqual(container.get(SEND_TEMPLATE), container.get(POSTERN).sending.sendTemplate)
  })

  it('admits sends if an admission is bound', async () => {
    const { container, storage } = withAll()
    container.bind(PORTS.admission).toConstantValue({
      admit: async () => E.left({ _tag: 'PlatformUnreachable', cause: 'full' }), hasRoom: () => false,
    })
    await openShop(storage)
    const sent = await container.get(SEND_TEMPLATE)({ workspace, to, name: 'hello' })
    assert.deepEqual(E.isLeft(sent) && sent.left._tag, 'PlatformUnreachable')
  })

  it('fails at the first resolution if any port is not bound', async () => {
    for (const port of Object.keys(PORTS) as ReadonlyArray<keyof typeof PORTS>) {
      const { container } = withAll()
      if (container.isBound(PORTS[port])) await container.unbindAsync(PORTS[port])
      if (OPTIONAL.has(port)) assert.isObject(container.get(POSTERN), port)
      else assert.throws(() => container.get(POSTERN), /postern\//, port)
    }
  })

  it('lets the compiler refuse wrong wiring', () => {
    const wrong = new ContainerModule(({ bind }) => {
      // @ts-expect-error the ports are missing
      bind(POSTERN).toResolvedValue((settings) => makePostern({}, settings), [SETTINGS])
      // @ts-expect-error one port is bound as another
      bind(PORTS.wallet).toResolvedValue((messageLog) => messageLog, [PORTS.messageLog])
      // @ts-expect-error a constant of another type
      bind(SENDING_SETTINGS).toConstantValue({ ...SENDING_ONLY, unconfirmedAfterMs: '120000' })
    })
    // @ts-expect-error what is resolved has the type its token names
    const readsAsWallet = (container: Container): Wallet => container.get(PORTS.platform)
    assert.instanceOf(wrong, ContainerModule)
    assert.isFunction(readsAsWallet)
  })
})
