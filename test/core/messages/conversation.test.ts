import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { openSandbox } from '../../../adapters/memory/index.js'
import type { Admission } from '../../../core/kernel/limits.js'
import { makeMarkRead, makeOpenMedia, type MediaId, parseMediaId } from '../../../core/messages/conversation.js'
import type { PlatformId } from '../../../core/messages/message.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { CUSTOMER, gateway } from '../gateway.js'

const MESSAGE = 'wamid.HBgN1' as PlatformId

/** An admission with a number of permits, none of which is waited for. */
const permits = (count: number) => {
  let free = count
  const admission: Pick<Admission, 'admit'> = {
    admit: async () => {
      if (free === 0) return E.left({ _tag: 'PlatformUnreachable', cause: 'full' })
      free -= 1
      return E.right({ release: () => { free += 1 } })
    },
  }
  return { admission, free: () => free }
}

describe('Marking a customer\'s message as read', () => {
  it('marks it through the sender of the workspace, with typing if that is asked for', async () => {
    const sandbox = await openSandbox()
    const { workspace } = sandbox
    const markRead = makeMarkRead(sandbox)
    rightOf(await markRead({ workspace, message: MESSAGE, typing: false }))
    rightOf(await markRead({ workspace, message: MESSAGE, typing: true }))
    const sender = O.toUndefined(await done(sandbox.senders.senderOf(workspace)))
    assert.deepEqual(sandbox.marked as unknown, [{ sender, message: MESSAGE, typing: false }, { sender, message: MESSAGE, typing: true }])
  })

  it('opens no window and costs nothing', async () => {
    const sandbox = await openSandbox()
    const { workspace, windowClock, ledger } = sandbox
    const before = rightOf(await ledger.balance(workspace))
    rightOf(await makeMarkRead(sandbox)({ workspace, message: MESSAGE, typing: true }))
    assert.deepEqual(rightOf(await windowClock.lastInbound(workspace, CUSTOMER)), O.none)
    assert.deepEqual(rightOf(await ledger.balance(workspace)), before)
  })

  it('marks nothing for a workspace without a sender', async () => {
    const { workspace, storage } = await gateway({ sender: false })
    const { conversation, marked } = await openSandbox()
    assert.deepEqual(
      leftOf(await makeMarkRead({ ...storage, conversation })({ workspace, message: MESSAGE, typing: false })),
      { _tag: 'SenderNotConfigured' },
    )
    assert.isEmpty(marked)
  })

  it('reports that the senders failed', async () => {
    const sandbox = await openSandbox()
    const senders = { senderOf: failing(sandbox.senders.senderOf) }
    assert.deepEqual(
      leftOf(await makeMarkRead({ ...sandbox, senders })({ workspace: sandbox.workspace, message: MESSAGE, typing: false })), DOWN,
    )
    assert.isEmpty(sandbox.marked)
  })

  it('takes a permit like a send, and releases it even if the platform fails', async () => {
    const sandbox = await openSandbox()
    const command = { workspace: sandbox.workspace, message: MESSAGE, typing: false }
    const one = permits(1)
    rightOf(await makeMarkRead({ ...sandbox, ...one })(command))
    const fails = { markRead: () => Promise.reject(new Error('bug')) }
    const thrown: unknown = await makeMarkRead({ ...sandbox, ...one, conversation: fails })(command).catch((error: unknown) => error)
    assert.match(String(thrown), /bug/)
    assert.equal(one.free(), 1)
    assert.deepEqual(leftOf(await makeMarkRead({ ...sandbox, ...permits(0) })(command)), { _tag: 'PlatformUnreachable', cause: 'full' })
    assert.lengthOf(sandbox.marked, 1)
  })
})

const ID = '1003383421387256' as MediaId

describe('Opening an attachment', () => {
  it('gives its bytes and its type', async () => {
    const sandbox = await openSandbox()
    sandbox.attachments.set(ID, { type: 'image/png', bytes: Uint8Array.of(1, 2, 3) })
    const { workspace } = sandbox
    const { bytes, close, ...media } = rightOf(await makeOpenMedia(sandbox)({ workspace, id: ID, range: { first: 0 } }))
    assert.deepEqual(media, { type: 'image/png', length: 3, part: undefined })
    const chunks: Array<number> = []
    for await (const chunk of bytes) chunks.push(...chunk)
    assert.deepEqual(chunks, [1, 2, 3])
    close()
  })

  it('passes on through which sender and which part is wanted', async () => {
    const sandbox = await openSandbox()
    const wanted: Array<unknown> = []
    const openMedia = makeOpenMedia({ ...sandbox, conversation: { openMedia: (one) => {
      wanted.push([one.sender.phoneNumberId, one.id, one.range])
      return sandbox.conversation.openMedia(one)
    } } })
    for (const range of [{ first: 1, last: 2 }, { lastBytes: 3 }]) {
      assert.deepEqual(leftOf(await openMedia({ workspace: sandbox.workspace, id: ID, range })), { _tag: 'MediaGone' })
    }
    await openMedia({ workspace: sandbox.workspace, id: ID })
    assert.deepEqual(wanted, [['1000001', ID, { first: 1, last: 2 }], ['1000001', ID, { lastBytes: 3 }], ['1000001', ID, undefined]])
  })

  it('opens nothing for a workspace without a sender, and reports that the senders failed', async () => {
    const { workspace, storage } = await gateway({ sender: false })
    const { conversation } = await openSandbox()
    assert.deepEqual(leftOf(await makeOpenMedia({ ...storage, conversation })({ workspace, id: ID })), { _tag: 'SenderNotConfigured' })
    const senders = { senderOf: failing(storage.senders.senderOf) }
    assert.deepEqual(leftOf(await makeOpenMedia({ senders, conversation })({ workspace, id: ID })), DOWN)
  })

  it('takes digits alone for the id of an attachment', () => {
    for (const id of ['1', ID, '0'.repeat(64)]) assert.equal(parseMediaId(id), id)
    for (const id of ['', '0'.repeat(65), '1a', '1/../2', '1?x', ' 1', '1\n', '١', '-1', '1.0']) assert.isUndefined(parseMediaId(id), id)
  })
})
