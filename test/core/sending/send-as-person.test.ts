import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { fileBytes } from '../../../adapters/machine/file-bytes.js'
import { openSandbox } from '../../../adapters/memory/index.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { type Actor, type Role, SYSTEM } from '../../../core/kernel/actor.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { auditIdOf, memberIdOf, type WorkspaceId } from '../../../core/kernel/ids.js'
import type { IncomingFile } from '../../../core/messages/files.js'
import { type IdempotencyKey, templateMessage } from '../../../core/messages/message.js'
import { makeSending } from '../../../core/postern.js'
import { makeSendFile, makeSendFileAsPerson, makeUploadFile } from '../../../core/sending/files.js'
import { makeQuoteMessage } from '../../../core/sending/quote.js'
import { makeSendAsPerson } from '../../../core/sending/send.js'
import { rightOf } from '../../support/right-of.js'

const CUSTOMER = '4915123456789' as PhoneNumber
const KEY = 'form-1' as IdempotencyKey

const actor = (workspace: WorkspaceId, role: Role): Actor => ({
  principal: {
    _tag: 'Member', member: memberIdOf(uuidv7()), email: `${role}@example.com`, isOperator: false, roles: new Map([[workspace, role]]),
  },
  address: '203.0.113.7',
})

const world = async (change: object = {}) => {
  const sandbox = { ...await openSandbox({ customers: [CUSTOMER] }), ...change }
  const audit = { auditLog: sandbox.auditLog, newAuditId: () => auditIdOf(uuidv7()), now: Date.now }
  const person = { ...makeSending(sandbox, sandbox), audit, workspaces: sandbox.workspaces }
  const send = makeSendAsPerson(person)
  const sendFile = makeSendFileAsPerson({
    ...person,
    sendFile: makeSendFile({ ...sandbox, fileBytes, quote: makeQuoteMessage(sandbox), upload: makeUploadFile({ ...sandbox, fileBytes }) }),
  })
  const entries = async () => rightOf(await sandbox.auditLog.list({ limit: 50 })).items.filter(({ act }) => act === 'message.send')
  return { ...sandbox, send, sendFile, entries, audit }
}

describe('A send by a person', () => {
  it('is noted with the message and who sent it, and never with its text', async () => {
    const { workspace, send, entries } = await world()
    const sent = rightOf(
      await send({ by: actor(workspace, 'developer'), workspace, message: { _tag: 'Text', to: CUSTOMER, text: 'a secret text' } }),
    )
    const [entry, ...more] = await entries()
    assert.isEmpty(more)
    assert.include(entry, { act: 'message.send', outcome: 'done', workspace, subject: sent.id, address: '203.0.113.7' })
    assert.deepEqual(entry?.details, { kind: 'text' })
    assert.notInclude(JSON.stringify(entry), 'secret')
  })

  it('is noted once, though the form is sent again', async () => {
    const { workspace, send, entries, sent } = await world()
    const command = {
      by: actor(workspace, 'owner'), workspace, message: { _tag: 'Text', to: CUSTOMER, text: 'Hello' }, idempotencyKey: KEY,
    } as const
    const first = rightOf(await send(command))
    assert.deepEqual(rightOf(await send(command)), { ...first, replayed: true })
    assert.lengthOf(sent, 1)
    assert.lengthOf(await entries(), 1)
  })

  it('is refused to who may not, and noted; nothing is sent', async () => {
    const { workspace, send, entries, sent } = await world()
    const refused = await send({ by: actor(workspace, 'viewer'), workspace, message: { _tag: 'Text', to: CUSTOMER, text: 'Hello' } })
    assert.deepEqual(refused, E.left({ _tag: 'Forbidden', act: 'message.send' }))
    assert.isEmpty(sent)
    assert.deepEqual((await entries()).map(({ outcome, details }) => [outcome, details]), [
      ['refused', { kind: 'text', reason: 'Forbidden' }],
    ])
  })

  it('is refused in an archived workspace to everyone, and noted; nothing is sent', async () => {
    const { workspace, workspaces, send, entries, sent } = await world()
    rightOf(await workspaces.archive(workspace, Date.now()))
    const everyone: ReadonlyArray<Actor> = [actor(workspace, 'owner'), { principal: { _tag: 'CommandLine' } }, SYSTEM]
    for (const by of everyone) {
      const refused = await send({ by, workspace, message: { _tag: 'Text', to: CUSTOMER, text: 'Hello' } })
      assert.deepEqual(E.isLeft(refused) && refused.left, { _tag: 'Forbidden', act: 'message.send', isArchived: true })
    }
    assert.isEmpty(sent)
    assert.deepEqual((await entries()).map(({ outcome }) => outcome), everyone.map(() => 'refused'))
  })

  it('is noted with the reason if a template or a text is refused', async () => {
    const { workspace, send, entries } = await world()
    const by = actor(workspace, 'owner')
    assert.isTrue(E.isLeft(await send({ by, workspace, message: { _tag: 'Text', to: '4915123456780' as PhoneNumber, text: 'Hello' } })))
    rightOf(await send({ by, workspace, message: templateMessage({ to: CUSTOMER, name: 'birthday' }) }))
    assert.deepEqual((await entries()).map(({ outcome, details }) => [outcome, details]), [
      ['done', { kind: 'template', template: 'birthday' }], ['refused', { kind: 'text', reason: 'WindowClosed' }],
    ])
  })

  it('is not an error if the platform has accepted it and the audit log fails', async () => {
    const sandbox = await openSandbox({ customers: [CUSTOMER] })
    const audit = {
      auditLog: { append: async () => E.left(portFailure('AuditLog')('down')) }, newAuditId: () => auditIdOf(uuidv7()), now: Date.now,
    }
    const send = makeSendAsPerson({ ...makeSending(sandbox, sandbox), audit, workspaces: sandbox.workspaces })
    assert.isTrue(E.isRight(await send({
      by: actor(sandbox.workspace, 'owner'), workspace: sandbox.workspace, message: { _tag: 'Text', to: CUSTOMER, text: 'Hello' },
    })))
  })
})

describe('A file that a person sends', () => {
  const fileOf = (asked: Array<string>): IncomingFile => ({
    name: 'secret.txt', declared: undefined, sizeAtMost: undefined,
    bytes: (async function* () {
      asked.push('asked')
      yield Buffer.from('Your invoice')
    })(),
  })

  it('is noted with its kind and the message, and never with its name', async () => {
    const { workspace, sendFile, entries, sent } = await world()
    const { id } = rightOf(
      await sendFile({ by: actor(workspace, 'developer'), workspace, message: { type: 'document', to: CUSTOMER }, file: fileOf([]) }),
    )
    assert.deepEqual(
      (await entries()).map(({ outcome, subject, details }) => [outcome, subject, details]), [['done', id, { kind: 'document' }]],
    )
    assert.deepEqual(
      sent.map(({ message }) => (message._tag === 'Content' && 'filename' in message.content ? message.content['filename'] : undefined)),
      ['secret.txt'],
    )
  })

  it('is not read if the key with which it is sent has spent its limit', async () => {
    const sandbox = await openSandbox({ customers: [CUSTOMER] })
    const { workspace, sent } = sandbox
    const asked: Array<string> = []
    const sendFile = makeSendFile({
      ...sandbox, fileBytes, quote: makeQuoteMessage(sandbox), upload: makeUploadFile({ ...sandbox, fileBytes }),
    })
    const refused = await sendFile(
      { workspace, message: { type: 'document', to: CUSTOMER }, file: fileOf(asked), key: { id: 'shop', spendingLimit: 1n } },
      (message) => makeSending(sandbox, sandbox).send({ workspace, message }),
    )
    assert.equal(E.isLeft(refused) && refused.left._tag, 'SpendingLimitReached')
    assert.deepEqual([asked, sent], [[], []])
  })

  it('is not read of those who may not send, and of those whose file is refused the reason is noted', async () => {
    const { workspace, sendFile, entries, sent } = await world()
    const asked: Array<string> = []
    assert.deepEqual(
      await sendFile({ by: actor(workspace, 'viewer'), workspace, message: { type: 'document', to: CUSTOMER }, file: fileOf(asked) }),
      E.left({ _tag: 'Forbidden', act: 'message.send' }),
    )
    assert.deepEqual([asked, sent], [[], []])
    assert.isTrue(
      E.isLeft(await sendFile({ by: actor(workspace, 'owner'), workspace, message: { type: 'image', to: CUSTOMER }, file: fileOf(asked) })),
    )
    assert.deepEqual((await entries()).map(({ outcome, details }) => [outcome, details]), [
      ['refused', { kind: 'image', reason: 'MediaInvalid' }], ['refused', { kind: 'document', reason: 'Forbidden' }],
    ])
  })
})
