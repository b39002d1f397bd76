import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { StoredEvent } from '../../../core/kernel/outbox.js'
import { messageView } from '../../../core/messages/message.js'
import { makeResolveMessage } from '../../../core/sending/reconcile.js'
import { rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { gateway, type Gateway, RELEASE_AFTER_MS, UNCONFIRMED_AFTER_MS } from '../gateway.js'
import { REJECTED, UNKNOWN } from '../../support/scripted-platform.js'
import { bySystem } from '../use-cases/by-system.js'

const typesOf = async (gw: Gateway): Promise<ReadonlyArray<StoredEvent['type']>> => (await gw.events()).map(({ type }) => type)

describe('The events of messages', () => {
  it('show the message in each state that it came into, as a reader of it sees it then', async () => {
    const gw = await gateway({ broker: true })
    const { id } = rightOf(await gw.sendText())
    const seen = [messageView(await gw.message(id))]
    for (const state of ['sent', 'delivered', 'read'] as const) {
      rightOf(await gw.receive(gw.status(id, state)))
      seen.push(messageView(await gw.message(id)))
    }
    const events = await gw.events()
    assert.deepEqual(events.map(({ type }) => type), ['message.accepted', 'message.sent', 'message.delivered', 'message.read'])
    assert.deepEqual<unknown>(events.map(({ data }) => data), seen)
    for (const event of events) assert.deepInclude(event, { workspace: gw.workspace, subject: id, at: gw.now() })
  })

  it('do not repeat a status that is reported again or too late', async () => {
    const gw = await gateway({ broker: true })
    const { id } = rightOf(await gw.sendText())
    for (const state of ['delivered', 'delivered', 'sent', 'failed'] as const) rightOf(await gw.receive(gw.status(id, state)))
    await Promise.all([gw.receive(gw.status(id, 'read')), gw.receive(gw.status(id, 'read'))])
    assert.deepEqual(await typesOf(gw), ['message.accepted', 'message.delivered', 'message.read'])
  })

  it('have the reason if a message failed or was refused, by the platform or for lack of money', async () => {
    const gw = await gateway({ broker: true })
    const { id } = rightOf(await gw.sendText())
    rightOf(await gw.receive(gw.status(id, 'failed', { change: { state: 'failed', at: gw.now(), error: { code: 131_026 } } })))
    gw.willAnswer(REJECTED)
    await gw.sendText()
    assert.deepEqual((await gw.events()).map(({ type, data }) => [type, data['error']]), [
      ['message.accepted', null], ['message.failed', { code: 131_026 }], ['message.refused', REJECTED.error],
    ])
    const poor = await gateway({ broker: true, balance: 1n })
    await poor.sendText()
    assert.deepEqual((await poor.events()).map(({ type, data }) => [type, data['error']]), [
      ['wallet.exhausted', undefined],
      ['message.refused', { code: 'insufficient_balance', message: 'The wallet could not cover the price' }],
    ])
  })

  it('tell of an unknown outcome, and how reconciliation or an operator ends it', async () => {
    const gw = await gateway({ broker: true })
    gw.willAnswer(UNKNOWN, UNKNOWN)
    await gw.sendText()
    await gw.sendText()
    const [first] = await gw.messages()
    if (first === undefined) assert.fail('no message was opened')
    const resolve = bySystem(makeResolveMessage(gw.deps))
    rightOf(await resolve({ workspace: gw.workspace, message: first.id, outcome: 'sent', note: 'seen there' }))
    gw.passes(RELEASE_AFTER_MS + 1)
    await gw.reconcile()
    assert.deepEqual(await typesOf(gw), ['message.unconfirmed', 'message.unconfirmed', 'message.accepted', 'message.released'])
  })

  it('report what reconciliation finds for a message whose process crashed', async () => {
    const gw = await gateway({
      broker: true, ports: ({ messageLog }) => ({ messageLog: { ...messageLog, apply: failing(messageLog.apply, { times: 1 }) } }),
    })
    rightOf(await gw.sendText())
    gw.later.splice(0)
    assert.deepEqual(await typesOf(gw), [])
    gw.passes(UNCONFIRMED_AFTER_MS + 1)
    await gw.reconcile()
    assert.deepEqual(await typesOf(gw), ['message.accepted'])
  })

  it('are made once if a write is tried again, even if its answer was lost', async () => {
    for (const answerLost of [false, true]) {
      const gw = await gateway({
        broker: true,
        ports: ({ messageLog }) => ({ messageLog: { ...messageLog, apply: failing(messageLog.apply, { times: 1, answerLost }) } }),
      })
      rightOf(await gw.sendText())
      await gw.retry()
      assert.deepEqual(await typesOf(gw), ['message.accepted'])
    }
  })

  it('are not made if nothing listens, and nothing is handed to the log', async () => {
    const handed: unknown[] = []
    const gw = await gateway({
      ports: ({ messageLog }) => ({
        messageLog: { ...messageLog, apply: (...args) => { handed.push(args[3]); return messageLog.apply(...args) } },
      }),
    })
    const { id } = rightOf(await gw.sendText())
    rightOf(await gw.receive(gw.status(id, 'sent')))
    assert.deepEqual(handed, [undefined, undefined])
    assert.isEmpty(await gw.events())
  })

  it('are made if it cannot be found out whether anything listens', async () => {
    const gw = await gateway({ ports: ({ eventOutbox }) => ({ eventOutbox: { ...eventOutbox, listens: async () => E.left(DOWN) } }) })
    rightOf(await gw.sendText())
    assert.deepEqual(await typesOf(gw), ['message.accepted'])
  })

  it('are of the workspace whose message it is, and of no other', async () => {
    const gw = await gateway({ broker: true })
    const other = await gw.addWorkspace()
    rightOf(await gw.sendText({ workspace: other.workspace }))
    assert.isEmpty(await gw.events())
  })
})
