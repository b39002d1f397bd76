import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { openSandbox } from '../../../adapters/memory/index.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { Actor, Role } from '../../../core/kernel/actor.js'
import { auditIdOf, memberIdOf, type WorkspaceId } from '../../../core/kernel/ids.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { keptContentOf } from '../../../core/messages/kept-content.js'
import {
  idempotencyKeyOf, type Message, type MessageId, messageIdOf, type MessageState, templateMessage,
} from '../../../core/messages/message.js'
import { makeSending } from '../../../core/postern.js'
import { makeQuoteAgain, makeSendAgain } from '../../../core/sending/again.js'
import { makeQuoteMessage } from '../../../core/sending/quote.js'
import type { Template, TemplateRecord } from '../../../core/templates/template.js'
import { rightOf } from '../../support/right-of.js'
import { USD } from '../gateway.js'
import { body, templateOf } from '../template-samples.js'

const CUSTOMER = '4915123456789' as PhoneNumber
const KEY = idempotencyKeyOf('form-1')
const TEXT: Message = { _tag: 'Text', to: CUSTOMER, text: 'Hello', metadata: { order: '17' } }

const actor = (workspace: WorkspaceId, role: Role): Actor => ({
  principal: {
    _tag: 'Member', member: memberIdOf(uuidv7()), email: `${role}@example.com`, isOperator: false, roles: new Map([[workspace, role]]),
  },
})

const listed = (template: Template): TemplateRecord => ({ ...template, listedAt: 0, statusAt: 0, categoryAt: 0, qualityAt: 0 })

/** A gateway in memory that keeps the contents given here. */
const world = async (templates: ReadonlyArray<TemplateRecord> = []) => {
  const sandbox = await openSandbox({ customers: [CUSTOMER] })
  const kept = new Map<MessageId, JsonObject>()
  const deps = {
    ...sandbox, ...makeSending(sandbox, sandbox), quote: makeQuoteMessage(sandbox),
    audit: { auditLog: sandbox.auditLog, newAuditId: () => auditIdOf(uuidv7()), now: Date.now },
    messageContents: { find: async () => E.right(kept) },
    listTemplates: async () => E.right({ items: templates, next: undefined }),
  }
  const opened = async (message: Message, state: MessageState, isKept = true): Promise<MessageId> => {
    const id = messageIdOf(uuidv7())
    const price = { micros: 0n, currency: USD, category: 'service' } as const
    rightOf(await sandbox.messageLog.open({ id, workspace: sandbox.workspace, at: Date.now(), price, message }))
    if (state !== 'pending' && state !== 'queued') rightOf(await sandbox.messageLog.apply(sandbox.workspace, id, { state, at: Date.now() }))
    if (isKept) kept.set(id, keptContentOf(message))
    return id
  }
  const { workspace } = sandbox
  const again = makeSendAgain(deps)
  const send = (message: MessageId, role: Role = 'developer', idempotencyKey = KEY) =>
    again({ by: actor(workspace, role), workspace, message, idempotencyKey })
  const quote = (message: MessageId) => makeQuoteAgain(deps)({ workspace, message })
  const entries = async () => rightOf(await sandbox.auditLog.list({ limit: 50 })).items.filter(({ act }) => act === 'message.send')
  return { ...sandbox, opened, send, quote, entries }
}

describe('Sending a message again', () => {
  it('sends the stored content as a new message with its own price, and notes the first one', async () => {
    const { opened, send, quote, entries, sent, workspace, ledger, messageLog } = await world()
    const first = await opened(TEXT, 'failed')
    const price = rightOf(await quote(first)).price.micros
    assert.isAbove(Number(price), 0)
    const before = rightOf(await ledger.totals())[0]?.available ?? 0n
    const second = rightOf(await send(first))
    assert.notEqual(second.id, first)
    assert.deepEqual(sent.map(({ message }) => message), [TEXT])
    assert.equal(rightOf(await ledger.totals())[0]?.available, before - price)
    assert.lengthOf(rightOf(await messageLog.list(workspace, { limit: 10 })).items, 2)
    const [entry] = await entries()
    assert.include(entry, { act: 'message.send', outcome: 'done', subject: second.id })
    assert.deepEqual(entry?.details, { again: first })
  })

  it('sends once, though the form is sent again', async () => {
    const { opened, send, sent, entries } = await world()
    const first = await opened(TEXT, 'refused')
    const second = rightOf(await send(first))
    assert.deepEqual(rightOf(await send(first)), { ...second, replayed: true })
    assert.lengthOf(sent, 1)
    assert.lengthOf(await entries(), 1)
  })

  it('keeps templates with their variables, and content of every type', async () => {
    const { opened, send, sent } = await world()
    const components = [{ type: 'body', parameters: [{ type: 'text', text: '7' }] }]
    const template: Message = { _tag: 'Template', to: CUSTOMER, name: 'order_update', language: 'de', components }
    const location: Message = { _tag: 'Content', to: CUSTOMER, type: 'location', content: { latitude: '52.5', longitude: '13.4' } }
    const contacts: Message = { _tag: 'Content', to: CUSTOMER, type: 'contacts', content: [{ name: { formatted_name: 'Ann' } }] }
    const all = [template, location, contacts]
    for (const [index, message] of all.entries()) {
      rightOf(await send(await opened(message, 'failed'), 'owner', idempotencyKeyOf(`form-${index}`)))
    }
    assert.deepEqual(sent.map(({ message }) => message), all)
  })

  it('needs no stored content for a template without variables, and refuses every other', async () => {
    const plain = await world([listed(templateOf([body('Hello')], { name: 'hello_world' }))])
    const hello = templateMessage({ to: CUSTOMER, name: 'hello_world', language: 'en' })
    rightOf(await plain.send(await plain.opened(hello, 'failed', false)))
    assert.deepEqual(plain.sent.map(({ message }) => message), [hello])
    const filled = await world([listed(templateOf([body('Hello {{1}}')], { name: 'hello_world' }))])
    for (const message of [hello, TEXT]) {
      const first = await filled.opened(message, 'failed', false)
      assert.deepEqual(await filled.quote(first), E.left({ _tag: 'ContentNotKept' }))
      assert.deepEqual(await filled.send(first), E.left({ _tag: 'ContentNotKept' }))
    }
    assert.isEmpty(filled.sent)
  })

  it('refuses a message that may have reached the customer, one of no workspace, and people who may not send', async () => {
    const { opened, send, sent, entries } = await world()
    for (const state of ['pending', 'unconfirmed', 'accepted', 'delivered', 'read'] as const) {
      assert.deepEqual(await send(await opened(TEXT, state)), E.left({ _tag: 'NotFailed' }), state)
    }
    const unknown = messageIdOf(uuidv7())
    assert.deepEqual(await send(unknown), E.left({ _tag: 'NoSuchMessage', id: unknown }))
    const failed = await opened(TEXT, 'failed')
    assert.deepEqual(await send(failed, 'viewer'), E.left({ _tag: 'Forbidden', act: 'message.send' }))
    assert.isEmpty(sent)
    assert.deepEqual((await entries())[0]?.details, { again: failed, reason: 'Forbidden' })
  })
})
