import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { auditIdOf } from '../../../core/kernel/ids.js'
import { type MessageId, messageIdOf } from '../../../core/messages/message.js'
import { makeResolveMessage } from '../../../core/sending/reconcile.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { gateway, type Gateway, KEY, OPENING_BALANCE, TEMPLATE_PRICE, UNCONFIRMED_AFTER_MS } from '../gateway.js'
import { UNKNOWN } from '../../support/scripted-platform.js'
import { bySystem } from '../use-cases/by-system.js'

const SPENT = { available: OPENING_BALANCE - TEMPLATE_PRICE, held: 0n }
const UNTOUCHED = { available: OPENING_BALANCE, held: 0n }
const NOTE = 'looked up on 1 October'

const unconfirmed = async (gw: Gateway): Promise<MessageId> => {
  gw.willAnswer(UNKNOWN)
  leftOf(await gw.sendTemplate({ idempotencyKey: KEY }))
  return gw.sent.at(-1)!.id
}

const resolve = (gw: Gateway, message: MessageId, outcome: 'sent' | 'not_sent', note = NOTE) =>
  bySystem(makeResolveMessage(gw.deps))({ workspace: gw.workspace, message, outcome, note })

const notes = async (gw: Gateway) =>
  (await done(gw.storage.ledger.statement(gw.workspace, { limit: 100 }))).items.map(({ kind, note }) => [kind, note])

describe('Resolving an unconfirmed message', () => {
  it('as sent charges its price, with the note in the statement', async () => {
    const gw = await gateway()
    const id = await unconfirmed(gw)
    assert.deepInclude(rightOf(await resolve(gw, id, 'sent')), { id, state: 'accepted' })
    assert.deepEqual(await gw.balance(), SPENT)
    assert.deepEqual((await notes(gw))[0], ['capture', NOTE])
    assert.isEmpty(await gw.brokenBooks())
  })

  it('as not sent releases its price and frees its key, with the note in the statement', async () => {
    const gw = await gateway()
    const id = await unconfirmed(gw)
    assert.deepInclude(rightOf(await resolve(gw, id, 'not_sent')), { id, state: 'released' })
    assert.deepEqual(await gw.balance(), UNTOUCHED)
    assert.deepEqual((await notes(gw))[0], ['release', NOTE])
    assert.isFalse(rightOf(await gw.sendTemplate({ idempotencyKey: KEY })).replayed)
  })

  it('again changes nothing, and another outcome is refused once one is known', async () => {
    const gw = await gateway()
    const id = await unconfirmed(gw)
    rightOf(await resolve(gw, id, 'sent'))
    const before = await notes(gw)
    assert.equal(rightOf(await resolve(gw, id, 'sent', 'another note')).state, 'accepted')
    assert.deepEqual(leftOf(await resolve(gw, id, 'not_sent')), { _tag: 'NotUnconfirmed', id, state: 'accepted' })
    assert.deepEqual(await notes(gw), before)
    assert.deepEqual(await gw.balance(), SPENT)
  })

  it('leaves the last word to a report of the platform', async () => {
    const gw = await gateway()
    const id = await unconfirmed(gw)
    rightOf(await resolve(gw, id, 'not_sent'))
    rightOf(await gw.receive(gw.status(id, 'delivered')))
    assert.deepEqual([(await gw.message(id)).state, await gw.balance()], ['delivered', SPENT])
    const second = await gateway()
    const failed = await unconfirmed(second)
    rightOf(await resolve(second, failed, 'sent'))
    rightOf(await second.receive(second.status(failed, 'failed')))
    assert.deepEqual([(await second.message(failed)).state, await second.balance()], ['failed', UNTOUCHED])
  })

  it('takes a pending message only once no process can be sending it', async () => {
    const gw = await gateway({
      ports: ({ messageLog }) => ({ messageLog: { ...messageLog, apply: failing(messageLog.apply, { times: 1 }) } }),
    })
    const id = await unconfirmed(gw)
    gw.passes(UNCONFIRMED_AFTER_MS)
    assert.deepEqual(leftOf(await resolve(gw, id, 'sent')), { _tag: 'NotUnconfirmed', id, state: 'pending' })
    gw.passes(1)
    assert.equal(rightOf(await resolve(gw, id, 'sent')).state, 'accepted')
  })

  it('returns the stored outcome to the loser of two that contradict each other, and records only the winner as done', async () => {
    const gw = await gateway()
    const id = await unconfirmed(gw)
    const audit = { auditLog: gw.storage.auditLog, newAuditId: () => auditIdOf(uuidv7()), now: gw.now }
    const resolveMessage = bySystem(makeResolveMessage({ ...gw.deps, audit }))
    const answers = await Promise.all(
      (['sent', 'not_sent'] as const).map((outcome) => resolveMessage({ workspace: gw.workspace, message: id, outcome, note: NOTE })),
    )
    const { state } = await gw.message(id)
    const winner = state === 'accepted' ? 0 : 1
    assert.equal(rightOf(answers[winner]!).state, state)
    assert.deepEqual(leftOf(answers[1 - winner]!), { _tag: 'NotUnconfirmed', id, state })
    const { items } = await done(gw.storage.auditLog.list({ limit: 10, workspace: gw.workspace }))
    const [outcome, other] = winner === 0 ? ['sent', 'not_sent'] : ['not_sent', 'sent']
    assert.sameDeepMembers(items.map((entry) => [entry.act, entry.outcome, entry.details]), [
      ['message.resolve', 'done', { outcome, note: NOTE }],
      ['message.resolve', 'refused', { outcome: other, note: NOTE, reason: 'NotUnconfirmed' }],
    ])
    assert.isEmpty(await gw.brokenBooks())
  })

  it('changes nothing if it could not be stored, and can be repeated', async () => {
    const gw = await gateway()
    const id = await unconfirmed(gw)
    const messageMoney = { ...gw.storage.messageMoney, resolve: failing(gw.storage.messageMoney.resolve, { times: 1 }) }
    const resolveMessage = bySystem(makeResolveMessage({ ...gw.deps, messageMoney }))
    const command = { workspace: gw.workspace, message: id, outcome: 'not_sent', note: NOTE } as const
    assert.deepEqual(leftOf(await resolveMessage(command)), DOWN)
    assert.equal(rightOf(await resolveMessage(command)).state, 'released')
    assert.deepEqual((await notes(gw)).filter(([, note]) => note === NOTE), [['release', NOTE]])
    assert.isEmpty(await gw.brokenBooks())
  })

  it('refuses an invalid note, and a message that does not exist', async () => {
    const gw = await gateway()
    const id = await unconfirmed(gw)
    assert.deepEqual(leftOf(await resolve(gw, id, 'sent', ' ')), { _tag: 'InvalidNote' })
    const nowhere = messageIdOf(uuidv7())
    assert.deepEqual(leftOf(await resolve(gw, nowhere, 'sent')), { _tag: 'NoSuchMessage', id: nowhere })
    assert.equal((await gw.message(id)).state, 'unconfirmed')
  })
})
