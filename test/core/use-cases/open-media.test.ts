import { assert } from 'chai'
import { openSandbox } from '../../../adapters/memory/index.js'
import { makeOpenMedia, type MediaId, parseMediaId } from '../../../core/messages/conversation.js'
import { DOWN, failing } from '../failing-method.js'
import { gateway, left, right } from '../gateway.js'

const ID = '1003383421387256' as MediaId

describe('Opening an attachment', () => {
  it('gives its bytes and its type', async () => {
    const sandbox = await openSandbox()
    sandbox.attachments.set(ID, { type: 'image/png', bytes: Uint8Array.of(1, 2, 3) })
    const { workspace } = sandbox
    const { bytes, close, ...media } = right(await makeOpenMedia(sandbox)({ workspace, id: ID, range: { first: 0 } }))
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
      assert.deepEqual(left(await openMedia({ workspace: sandbox.workspace, id: ID, range })), { _tag: 'MediaGone' })
    }
    await openMedia({ workspace: sandbox.workspace, id: ID })
    assert.deepEqual(wanted, [['1000001', ID, { first: 1, last: 2 }], ['1000001', ID, { lastBytes: 3 }], ['1000001', ID, undefined]])
  })

  it('opens nothing for a workspace without a sender, and says where the senders failed', async () => {
    const { workspace, storage } = await gateway({ sender: false })
    const { conversation } = await openSandbox()
    assert.deepEqual(left(await makeOpenMedia({ ...storage, conversation })({ workspace, id: ID })), { _tag: 'SenderNotConfigured' })
    const senders = { senderOf: failing(storage.senders.senderOf) }
    assert.deepEqual(left(await makeOpenMedia({ senders, conversation })({ workspace, id: ID })), DOWN)
  })

  it('takes digits alone for the id of an attachment', () => {
    for (const id of ['1', ID, '0'.repeat(64)]) assert.equal(parseMediaId(id), id)
    for (const id of ['', '0'.repeat(65), '1a', '1/../2', '1?x', ' 1', '1\n', '١', '-1', '1.0']) assert.isUndefined(parseMediaId(id), id)
  })
})
