import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { type Sender, senderIdOf } from '../../../core/senders/sender.js'
import { makeAssignSender, type SenderVerification } from '../../../core/senders/use-cases.js'
import { makeCheckAccount } from '../../../core/templates/catalogue.js'
import { addApp } from '../../support/add-app.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { gateway } from '../gateway.js'
import { bySystem } from '../use-cases/by-system.js'

const SENDER: Sender = { phoneNumberId: senderIdOf('1000'), accessToken: 'EAAtoken', businessAccountId: '2000' }

const open = async () => {
  const { workspace, addWorkspace, now, storage: { senders, apps } } = await gateway({ sender: false })
  return {
    workspace,
    addWorkspace,
    now,
    senders,
    apps,
    assignSender: bySystem(makeAssignSender({ senders, verification: PLATFORM, now })),
    trusted: bySystem(makeAssignSender({ senders, verification: 'trusted', now })),
  }
}

/** A platform with two tenants: the token of each may use its own number and account, and no other. */
const OWN: Readonly<Record<string, ReadonlyArray<string>>> = { EAAtoken: ['1000', '2000', '3000'], theirs: ['1001', '2001'] }
const PLATFORM: SenderVerification = {
  checkSender: async ({ accessToken, phoneNumberId }) =>
    OWN[accessToken]?.includes(phoneNumberId) === true ? E.right(undefined) : E.left('The platform does not know the number'),
  checkAccount: makeCheckAccount({
    list: async ({ accessToken, businessAccountId }) =>
      OWN[accessToken]?.includes(businessAccountId) === true ? E.right([]) : E.left({ _tag: 'CredentialsRefused', error: { code: 200 } }),
  }),
}

describe('Assigning a sender', () => {
  it('stores the account with its token, without the spaces around it', async () => {
    const { workspace, senders, assignSender } = await open()
    assert.deepEqual(rightOf(await assignSender({ workspace, ...SENDER, accessToken: ' EAAtoken\n' })), SENDER)
    assert.deepEqual<unknown>(await done(senders.senderOf(workspace)), O.some({ ...SENDER, isDefault: true }))
  })

  it("refuses an id that is not from the platform, and names it", async () => {
    const { workspace, senders, assignSender } = await open()
    const wrong = ['', 'abc', '1'.repeat(33), '12 34']
    for (const id of wrong) {
      assert.deepEqual(leftOf(await assignSender({ workspace, ...SENDER, phoneNumberId: id })), { _tag: 'InvalidAccountId', id })
      assert.deepEqual(leftOf(await assignSender({ workspace, ...SENDER, businessAccountId: id })), { _tag: 'InvalidAccountId', id })
    }
    assert.deepEqual(await done(senders.senderOf(workspace)), O.none)
  })

  it('refuses a token that is empty, too long or has characters that no token has', async () => {
    const { workspace, assignSender } = await open()
    for (const accessToken of ['', ' \n', 'two words', 'é', 'x'.repeat(4_097)]) {
      assert.deepEqual(leftOf(await assignSender({ workspace, ...SENDER, accessToken })), { _tag: 'InvalidAccessToken' })
    }
  })

  it('stores nothing that the platform has not confirmed for the token that was given', async () => {
    const { workspace, senders, assignSender } = await open()
    const number = { _tag: 'SenderNotConfirmed', of: 'number', reason: 'The platform does not know the number' } as const
    assert.deepEqual(leftOf(await assignSender({ workspace, ...SENDER, phoneNumberId: senderIdOf('1001') })), number)
    assert.deepEqual(leftOf(await assignSender({ workspace, ...SENDER, accessToken: 'theirs' })), number)
    assert.deepEqual(leftOf(await assignSender({ workspace, ...SENDER, businessAccountId: '2001' })), {
      _tag: 'SenderNotConfirmed', of: 'account', reason: 'This access token may not read templates (error code 200)',
    })
    assert.deepEqual(await done(senders.senderOf(workspace)), O.none)
    assert.deepEqual(await done(senders.ownerOf(senderIdOf('1001'), 0)), O.none)
  })

  it('keeps the previous sender if the platform does not confirm another one', async () => {
    const { workspace, senders, assignSender } = await open()
    rightOf(await assignSender({ workspace, ...SENDER }))
    assert.equal(leftOf(await assignSender({ workspace, ...SENDER, accessToken: 'theirs' }))._tag, 'SenderNotConfirmed')
    assert.deepEqual<unknown>(await done(senders.senderOf(workspace)), O.some({ ...SENDER, isDefault: true }))
  })

  it('does not tell whether another workspace has a number that the token may not use', async () => {
    const { workspace, addWorkspace, assignSender } = await open()
    rightOf(await assignSender({ workspace, ...SENDER }))
    const other = await addWorkspace()
    assert.equal(leftOf(await assignSender({ workspace: other.workspace, ...SENDER, accessToken: 'theirs' }))._tag, 'SenderNotConfirmed')
  })

  it('needs no account, and does not ask the platform if the caller is trusted', async () => {
    const { workspace, senders, assignSender, trusted } = await open()
    rightOf(await assignSender({ workspace, ...SENDER, businessAccountId: undefined }))
    const any = { phoneNumberId: senderIdOf('9'), accessToken: 'any', businessAccountId: '9' }
    rightOf(await trusted({ workspace, ...any }))
    const [, inbox] = rightOf(await senders.inboxesOf(workspace))
    assert.deepEqual<unknown>(await done(senders.senderOf(workspace, any.phoneNumberId)), O.some({ ...any, inbox }))
  })

  it('keeps the app of a sender that is set again, even if its token can no longer be decrypted, unless another one is named', async () => {
    const { workspace, senders, apps, now } = await open()
    const lost = async () => E.left({ _tag: 'PortFailure', port: 'Senders', cause: new Error('another secret') } as const)
    const unreadable = { ...senders, senderOf: lost }
    const set = bySystem(makeAssignSender({ senders: unreadable, verification: 'trusted', now }))
    const appNow = async () => O.toUndefined(await done(senders.senderOf(workspace)))?.app
    await addApp({ apps }, 'app_1')
    rightOf(await set({ workspace, ...SENDER, app: 'app_1' }))
    assert.equal(rightOf(await set({ workspace, ...SENDER })).app, 'app_1')
    assert.equal(await appNow(), 'app_1')
    rightOf(await set({ workspace, ...SENDER, app: null }))
    assert.isUndefined(await appNow())
  })

  it('refuses a phone number id that another workspace has, and a workspace that does not exist', async () => {
    const { workspace, addWorkspace, assignSender } = await open()
    rightOf(await assignSender({ workspace, ...SENDER }))
    const other = await addWorkspace()
    assert.deepEqual(leftOf(await assignSender({ workspace: other.workspace, ...SENDER })), { _tag: 'SenderTaken' })
    const nowhere = workspaceIdOf('0'.repeat(32))
    assert.deepEqual(
      leftOf(await assignSender({ workspace: nowhere, ...SENDER, phoneNumberId: senderIdOf('3000') })), { _tag: 'UnknownWorkspace' },
    )
  })
})
