import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeMessageRequest } from '../../../adapters/cloud-api/cloud-api.js'
import { checkRequest } from '../../../apps/simulator/graph/messages.js'
import type { LocationMessage } from '../../../core/messages/message.js'
import { makeSendMessage } from '../../../core/sending/send.js'
import { CUSTOMER, gateway, KEY, left, right, TEXT_PRICE } from '../gateway.js'

const PLACE: LocationMessage = { _tag: 'Location', to: CUSTOMER, latitude: 52.5219, longitude: 13.4132, name: 'Shop', address: 'Alexanderplatz 1' }

describe('Sending a location', () => {
  it('needs an open window, costs what a text costs, and is remembered by its type alone', async () => {
    const gw = await gateway()
    const { id } = right(await makeSendMessage(gw.deps)({ workspace: gw.workspace, message: PLACE, idempotencyKey: KEY }))
    const { kind, price, state } = await gw.message(id)
    assert.deepEqual([kind, price.micros, state], ['location', TEXT_PRICE, 'accepted'])
    assert.notInclude(JSON.stringify(await gw.message(id), (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)), 'Alexanderplatz')
    const closed = await gateway({ lastInbound: undefined })
    assert.equal(left(await makeSendMessage(closed.deps)({ workspace: closed.workspace, message: PLACE }))._tag, 'WindowClosed')
  })

  it('is sent once under a key, and another place under it is refused', async () => {
    const gw = await gateway()
    const send = makeSendMessage(gw.deps)
    const command = { workspace: gw.workspace, message: PLACE, idempotencyKey: KEY }
    const first = right(await send(command))
    assert.deepEqual(right(await send(command)), { ...first, replayed: true })
    assert.equal(left(await send({ ...command, message: { ...PLACE, latitude: 0 } }))._tag, 'IdempotencyKeyReused')
    assert.lengthOf(gw.sent, 1)
  })

  it('reaches the platform as it wants a location, with the degrees as texts', async () => {
    const gw = await gateway()
    right(await makeSendMessage(gw.deps)({ workspace: gw.workspace, message: PLACE }))
    const [outbound] = gw.sent
    if (outbound === undefined) throw new Error('nothing was sent')
    const { body } = makeMessageRequest({ baseUrl: 'https://platform.test', version: 'v25.0', timeoutMs: 1_000 })(outbound)
    const { type, location } = JSON.parse(String(body)) as { readonly type: unknown; readonly location: unknown }
    assert.deepEqual([type, location], ['location', { latitude: '52.5219', longitude: '13.4132', name: 'Shop', address: 'Alexanderplatz 1' }])
    const platform = { find: () => undefined }
    assert.isTrue(E.isRight(checkRequest(String(body), platform)))
    assert.isTrue(E.isLeft(checkRequest(String(body).replace('52.5219', '152.5219'), platform)))
  })
})
