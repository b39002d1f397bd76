import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import type { Sender } from '../../../core/ports/senders.js'
import { makeAssignSender } from '../../../core/use-cases/assign-sender.js'
import { workspaceIdOf } from '../../../core/workspace.js'
import { done, gateway, left, right } from '../gateway.js'
import { bySystem } from './by-system.js'

const SENDER: Sender = { phoneNumberId: '1000', accessToken: 'EAAtoken', businessAccountId: '2000' }

const open = async () => {
  const { workspace, addWorkspace, storage: { senders } } = await gateway({ sender: false })
  return { workspace, addWorkspace, senders, assignSender: bySystem(makeAssignSender({ senders })) }
}

describe('Assigning a sender', () => {
  it('stores the account with its token, without the spaces around it', async () => {
    const { workspace, senders, assignSender } = await open()
    assert.deepEqual(right(await assignSender({ workspace, ...SENDER, accessToken: ' EAAtoken\n' })()), SENDER)
    assert.deepEqual(await done(senders.senderOf(workspace)), O.some(SENDER))
  })

  it("refuses an id that is none of the platform's, and names it", async () => {
    const { workspace, senders, assignSender } = await open()
    const wrong = ['', 'abc', '1'.repeat(33), '12 34']
    for (const id of wrong) {
      assert.deepEqual(left(await assignSender({ workspace, ...SENDER, phoneNumberId: id })()), { _tag: 'InvalidAccountId', id })
      assert.deepEqual(left(await assignSender({ workspace, ...SENDER, businessAccountId: id })()), { _tag: 'InvalidAccountId', id })
    }
    assert.deepEqual(await done(senders.senderOf(workspace)), O.none)
  })

  it('refuses a token that is empty, too long or has characters that no token has', async () => {
    const { workspace, assignSender } = await open()
    for (const accessToken of ['', ' \n', 'two words', 'é', 'x'.repeat(4_097)]) {
      assert.deepEqual(left(await assignSender({ workspace, ...SENDER, accessToken })()), { _tag: 'InvalidAccessToken' })
    }
  })

  it('refuses a phone number id that another workspace has, and a workspace that does not exist', async () => {
    const { workspace, addWorkspace, assignSender } = await open()
    right(await assignSender({ workspace, ...SENDER })())
    const other = await addWorkspace()
    assert.deepEqual(left(await assignSender({ workspace: other.workspace, ...SENDER })()), { _tag: 'SenderTaken' })
    const nowhere = workspaceIdOf('0'.repeat(32))
    assert.deepEqual(left(await assignSender({ workspace: nowhere, ...SENDER, phoneNumberId: '3000' })()), { _tag: 'UnknownWorkspace' })
  })
})
