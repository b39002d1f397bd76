import { assert } from 'chai'
import { accept, type AcceptCommand } from '../../../core/sending/accept.js'
import { type AcceptedMessage, dispatch, withPermit } from '../../../core/sending/dispatch.js'
import { prepare } from '../../../core/sending/prepare.js'
import { rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, type Gateway, KEY, OPENING_BALANCE, TEXT_PRICE } from '../gateway.js'

describe('A message that is accepted', () => {
  const commandOf = ({ workspace, now }: Gateway): AcceptCommand => ({
    workspace, message: { _tag: 'Text', to: CUSTOMER, text: 'Hello' }, claim: { key: KEY, request: 'Hello' }, keyId: undefined,
    spending: undefined, begunAt: now(),
  })

  const acceptedIn = async (gw: Gateway): Promise<AcceptedMessage> => {
    const command = commandOf(gw)
    const accepted = rightOf(await accept(gw.deps, command, rightOf(await prepare(gw.deps, command))))
    return accepted._tag === 'Accepted' ? accepted : assert.fail('its key guards another message')
  }

  it('is open and paid for, and not sent', async () => {
    const gw = await gateway()
    const { draft } = await acceptedIn(gw)
    assert.deepEqual(gw.sent, [])
    assert.equal((await gw.message(draft.id)).state, 'pending')
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: TEXT_PRICE })
  })

  it('is guarded by its key against a second message', async () => {
    const gw = await gateway()
    const { draft } = await acceptedIn(gw)
    const command = commandOf(gw)
    const again = rightOf(await accept(gw.deps, command, rightOf(await prepare(gw.deps, command))))
    assert.equal(again._tag === 'Claimed' && again.by.id, draft.id)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: TEXT_PRICE })
  })

  it('can be dispatched later, and is then sent and charged', async () => {
    const gw = await gateway()
    const accepted = await acceptedIn(gw)
    gw.passes(60_000)
    const { workspace } = gw
    rightOf(await withPermit(gw.deps, { workspace, claim: undefined })(() => dispatch(gw.deps, accepted, undefined)))
    assert.deepEqual(gw.sent.map(({ id }) => id), [accepted.draft.id])
    assert.equal((await gw.message(accepted.draft.id)).state, 'accepted')
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
  })
})
