import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { machine } from '../../adapters/machine/machine.js'
import { makeMemoryStorage, type MemoryStorage } from '../../adapters/memory/index.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import { portFailure } from '../../core/kernel/failure.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { Tracer } from '../../core/kernel/tracing.js'
import type { MediaId } from '../../core/messages/conversation.js'
import { type IdempotencyKey, messageIdOf, type PlatformId } from '../../core/messages/message.js'
import type { RateCard } from '../../core/money/rate-card.js'
import type { Ports } from '../../core/ports.js'
import { makePostern } from '../../core/postern.js'
import type { Settings } from '../../core/settings.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { rightOf } from '../support/right-of.js'

const NOW = Date.UTC(2026, 9, 1, 12)
const USD = 'USD' as Currency
const WORKSPACE = workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')
const TO = '5511999990000' as PhoneNumber
const SENDER = { phoneNumberId: senderIdOf('1'), accessToken: 't', businessAccountId: '10229' }
const CARD: RateCard = {
  currency: USD, effective: '2026-01-01', markets: new Map(), templateCategory: 'marketing',
  default: { service: 1n, marketing: 1n, utility: 1n, authentication: 1n },
}
const DOWN = new Error('down')

/** The methods that cannot return a failure. */
const PLAIN = ['now', 'lastSenderOf', 'reservingOver']

/** How a method fails: it throws, it rejects, or it keeps its promise. */
type Way = 'throws' | 'rejects' | 'fails'

const broken = (way: Way, failure?: unknown) => (): Promise<E.Either<never, never>> => {
  if (way === 'throws') throw DOWN
  return way === 'rejects' ? Promise.reject(DOWN) : Promise.resolve(E.left(failure as never))
}

/** The use cases over memory, of which parts are replaced, with ids that count up. */
const open = async (replace: (storage: MemoryStorage) => Partial<Ports> = () => ({}), settings: Partial<Settings> = {}) => {
  const storage = makeMemoryStorage({ now: () => NOW })
  rightOf(await storage.workspaces.create({ id: WORKSPACE, name: 'Shop', currency: USD, createdAt: NOW }))
  rightOf(await storage.ledger.topUp({ workspace: WORKSPACE, micros: 1_000n, reference: 'r', at: NOW }))
  rightOf(await storage.senders.assign(WORKSPACE, SENDER))
  rightOf(await storage.windowClock.recordInbound(WORKSPACE, { phoneNumber: TO }, NOW))
  rightOf(await storage.eventOutbox.notePull(WORKSPACE, NOW))
  const ports: Ports = {
    ...storage,
    platform: { send: async ({ id }) => E.right({ platformId: `wamid.${id}` as PlatformId }) },
    conversation: {
      markRead: async () => E.right(undefined), uploadMedia: async () => E.right('1' as MediaId),
      openMedia: async () => E.left({ _tag: 'MediaGone' }),
    },
    templateSource: { list: async () => E.right([]) },
    senderVerification: 'trusted',
    fileBytes: { typeOf: async () => undefined, newDigest: () => ({ update: () => undefined, hex: () => '' }) },
    webhooks: { sinkFor: () => assert.fail('no endpoint is called') },
    passwords: { hash: async () => E.right(''), verify: async () => E.right(false) },
    ...replace(storage),
  }
  let made = 0
  const newUuid = () => `0199a1b2-c3d4-7e5f-8a9b-${String((made += 1)).padStart(12, '0')}`
  const postern = makePostern(ports, {
    ...machine, newUuid, rateCard: () => CARD, priceOf: async () => E.right({ micros: 1n, currency: USD, category: 'marketing' }),
    retryLater: () => undefined, unconfirmedAfterMs: 120_000, releaseAfterMs: 604_800_000, ...settings,
  })
  return { storage, postern }
}

/** What the use cases answer, in a history that calls most methods of the ports. */
const history = async ({ postern }: Awaited<ReturnType<typeof open>>): Promise<ReadonlyArray<unknown>> => {
  const { sending, upkeep } = postern
  const by = SYSTEM
  const answers: unknown[] = []
  let rounds = 0
  const call = async (work: Promise<E.Either<unknown, unknown>>): Promise<void> => { answers.push(await work) }
  const text = { workspace: WORKSPACE, to: TO, text: 'Hello' }
  await call(sending.sendText(text))
  await call(sending.sendText({ ...text, idempotencyKey: 'k' as IdempotencyKey }))
  await call(sending.sendText({ ...text, idempotencyKey: 'k' as IdempotencyKey }))
  await call(sending.sendTemplate({ workspace: WORKSPACE, to: TO, name: 'hello' }))
  await call(sending.quote({ workspace: WORKSPACE, message: { _tag: 'Text', to: TO, text: 'Hello' } }))
  await call(upkeep.receive([
    { _tag: 'Inbound', phoneNumberId: senderIdOf('1'), customer: { phoneNumber: TO, name: 'Ada' }, at: NOW },
    {
      _tag: 'StatusReport', phoneNumberId: senderIdOf('1'), messageId: undefined, platformId: 'wamid.other' as PlatformId,
      change: { state: 'sent', at: NOW - 60_000 },
    },
    {
      _tag: 'StatusReport', phoneNumberId: senderIdOf('1'), messageId: messageIdOf('0199a1b2-c3d4-7e5f-8a9b-00000000ffff'),
      platformId: 'wamid.lost' as PlatformId, change: { state: 'sent', at: NOW },
    },
    { _tag: 'AccountNotice', accountId: '10229', field: 'account_update', subject: '', value: {} },
    { _tag: 'TemplateChanged', accountId: '10229' },
  ]))
  await call(upkeep.reconcile())
  await call(upkeep.rollUpMessages(async () => (rounds += 1) < 3))
  await call(postern.conversation.markRead({ workspace: WORKSPACE, message: 'wamid.1' as PlatformId, typing: false }))
  await call(postern.conversation.openMedia({ workspace: WORKSPACE, id: '1' as MediaId }))
  await call(postern.workspaces.listWorkspaces({ by }))
  await call(postern.workspaces.createWorkspace({ by, name: 'Other', currency: USD }))
  await call(postern.money.topUp({ by, workspace: WORKSPACE, micros: 1n, reference: 'again' }))
  await call(postern.money.auditBooks())
  await call(postern.messages.listMessages(WORKSPACE, { limit: 10 }))
  await call(postern.customers.showCustomer(WORKSPACE, TO))
  return answers
}

const methodsOf = (port: object): ReadonlyArray<string> =>
  Object.entries(port).flatMap(([name, method]: readonly [string, unknown]) =>
    typeof method === 'function' && !PLAIN.includes(name) ? [name] : [])

describe('a port that throws', () => {
  for (const [port, methods] of Object.entries(makeMemoryStorage({ now: () => NOW })).filter(([name, port]) =>
    name !== 'leases' && methodsOf(port).length > 0)) {
    const title = port.replace(/^./, (first) => first.toUpperCase())
    it(`of storage is one that fails: ${title}`, async () => {
      for (const method of methodsOf(methods)) {
        const play = async (way: Way) => {
          const replaced = broken(way, portFailure(title)(DOWN))
          return history(await open((storage) => {
            const found = Object.entries(storage).find(([name]) => name === port)
            return { [port]: { ...found?.[1], [method]: replaced } }
          }))
        }
        const expected = await play('fails')
        for (const way of ['throws', 'rejects'] as const) assert.deepEqual(await play(way), expected, `${port}.${method} ${way}`)
      }
    })
  }

  it('of members or sessions is one that fails if a person signs in to the console', async () => {
    for (const port of ['members', 'sessions'] as const) {
      for (const way of ['throws', 'rejects'] as const) {
        const { postern } = await open((storage) => ({
          [port]: Object.fromEntries(methodsOf(storage[port]).map((method) => [method, broken(way)])),
        }))
        const answer = await postern.members.signIn({ email: 'ann@example.com', password: 'three blind otters', address: '203.0.113.7' })
        assert.deepInclude(E.isLeft(answer) ? answer.left : {}, { _tag: 'PortFailure', cause: DOWN }, `${port} ${way}`)
      }
    }
  })

  it('in the joint step of opening and paying is one that fails', async () => {
    for (const way of ['throws', 'rejects'] as const) {
      const { postern } = await open(({ messageMoney }) => ({ messageMoney: { ...messageMoney, reservingOver: () => broken(way) } }))
      assert.deepEqual(
        await postern.sending.sendText({ workspace: WORKSPACE, to: TO, text: 'Hello' }), E.left(portFailure('MessageMoney')(DOWN)),
      )
    }
  })

  it('at the platform has an unknown outcome: the message is unconfirmed, and its price stays on hold', async () => {
    for (const way of ['throws', 'rejects'] as const) {
      const { postern, storage } = await open(() => ({ platform: { send: broken(way) } }))
      const sent = await postern.sending.sendText({ workspace: WORKSPACE, to: TO, text: 'Hello' })
      const [message] = rightOf(await storage.messageLog.list(WORKSPACE, { limit: 2 })).items
      if (message === undefined) assert.fail('the message is opened')
      assert.deepEqual(sent, E.left({ _tag: 'OutcomeUnknown', cause: DOWN, messageId: message.id, replayed: false }))
      assert.equal(message.state, 'unconfirmed')
      assert.deepInclude(rightOf(await postern.money.auditBooks()), { broken: [] })
      assert.nestedInclude(rightOf(await storage.ledger.balance(WORKSPACE)), { 'value.held': 1n, 'value.available': 999n })
    }
  })

  it('around the platform says nothing of the outcome: reads, files and templates are unanswered', async () => {
    for (const way of ['throws', 'rejects'] as const) {
      const { postern } = await open(() => ({
        conversation: { markRead: broken(way), uploadMedia: broken(way), openMedia: broken(way) }, templateSource: { list: broken(way) },
        senderVerification: { checkSender: broken(way), checkAccount: broken(way) },
      }))
      const unanswered = E.left({ _tag: 'PlatformUnanswered', cause: DOWN } as const)
      assert.deepEqual(
        await postern.conversation.markRead({ workspace: WORKSPACE, message: 'wamid.1' as PlatformId, typing: false }), unanswered,
      )
      assert.deepEqual(await postern.conversation.openMedia({ workspace: WORKSPACE, id: '1' as MediaId }), unanswered)
      assert.equal((await postern.templates.syncTemplates({ workspace: WORKSPACE }))._tag, 'Left')
      assert.deepEqual(
        await postern.workspaces.assignSender({ by: SYSTEM, workspace: WORKSPACE, ...SENDER }),
        E.left({ _tag: 'SenderNotConfirmed', of: 'number', reason: 'The platform could not be asked' }),
      )
    }
  })

  it('hides no outcome of a send: the tracer, the admission, a guess, and the queue of retries', async () => {
    const fail = (): never => { throw DOWN }
    const refusing: Tracer = { span: fail, current: fail }
    const late: Tracer = {
      span: async (_wanted, work) => { await work({ isRecording: true, name: fail, say: fail, link: fail, fail }); throw DOWN },
      current: fail,
    }
    for (const tracer of [refusing, late]) {
      const { postern, storage } = await open(({ senders, messageLog, messageMoney: { resolve, mismatches } }) => ({
        tracer, admission: { admit: async () => E.right({ release: fail }), hasRoom: fail }, senders: { ...senders, lastSenderOf: fail },
        messageLog: { ...messageLog, apply: broken('throws') }, messageMoney: { resolve, mismatches },
      }), { retryLater: fail })
      assert.equal(
        (await postern.sending.sendText({ workspace: WORKSPACE, to: TO, text: 'Hello', idempotencyKey: 'k' as IdempotencyKey }))._tag,
        'Right',
      )
      assert.lengthOf(rightOf(await storage.messageLog.list(WORKSPACE, { limit: 9 })).items, 1)
    }
    const { postern } = await open(() => ({ admission: { admit: broken('throws'), hasRoom: () => true } }))
    assert.deepEqual(
      await postern.sending.sendText({ workspace: WORKSPACE, to: TO, text: 'Hello' }), E.left({ _tag: 'PlatformUnreachable', cause: DOWN }),
    )
  })

  it('may be a frozen object, or an instance of a class with private fields', async () => {
    class Prices {
      readonly #price = 1n
      async priceOf() { return E.right({ micros: this.#price, currency: USD, category: 'marketing' as const }) }
    }
    class OwnPlatform {
      readonly #prefix = 'wamid.'
      async send({ id }: { readonly id: string }) { return E.right({ platformId: `${this.#prefix}${id}` as PlatformId }) }
    }
    const prices = new Prices()
    const { postern } = await open(
      ({ windowClock }) => ({ platform: new OwnPlatform(), windowClock: Object.freeze({ ...windowClock }) }),
      { priceOf: () => prices.priceOf() },
    )
    rightOf(await postern.sending.sendText({ workspace: WORKSPACE, to: TO, text: 'Hello' }))
  })
})
