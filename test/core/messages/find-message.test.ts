import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { messageIdOf } from '../../../core/messages/message.js'
import { makeFindMessage } from '../../../core/timeline.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { gateway } from '../gateway.js'

describe('Finding a message', () => {
  it('finds it in whichever workspace it is', async () => {
    const gw = await gateway()
    for (let more = 0; more < 120; more += 1) await gw.addWorkspace()
    const other = await gw.addWorkspace()
    const findMessage = makeFindMessage(gw.storage)
    const { id } = rightOf(await gw.sendTemplate({ workspace: other.workspace }))
    assert.deepInclude(rightOf(await findMessage(id)), { id, workspace: other.workspace, state: 'accepted' })
  })

  it('finds none by an id that no message has', async () => {
    const { storage } = await gateway()
    for (const id of ['nope', messageIdOf(uuidv7())]) {
      assert.deepEqual(leftOf(await makeFindMessage(storage)(id)), { _tag: 'NoSuchMessage', id })
    }
  })

  it('reports that the log failed, because the message may exist', async () => {
    const { storage } = await gateway()
    const messageLog = { find: failing(storage.messageLog.find) }
    assert.deepEqual(leftOf(await makeFindMessage({ ...storage, messageLog })(messageIdOf(uuidv7()))), DOWN)
  })
})
