import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeMessageRequest } from '../../../adapters/cloud-api/cloud-api.js'
import { checkRequest } from '../../../apps/simulator/graph/messages.js'
import type { ContentMessage, PlatformId } from '../../../core/messages/message.js'
import { makeSendMessage } from '../../../core/sending/send.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { SAMPLES } from '../content-samples.js'
import { CUSTOMER, gateway, KEY, TEXT_PRICE } from '../gateway.js'

const CONTENT = { latitude: '52.5219', longitude: '13.4132', name: 'Shop', address: 'Alexanderplatz 1' }
const PLACE: ContentMessage = { _tag: 'Content', to: CUSTOMER, type: 'location', content: CONTENT }

describe('Sending content', () => {
  it('needs an open window, costs what a text costs, and is remembered by its type alone', async () => {
    const gw = await gateway()
    const { id } = rightOf(await makeSendMessage(gw.deps)({ workspace: gw.workspace, message: PLACE, idempotencyKey: KEY }))
    const { kind, price, state } = await gw.message(id)
    assert.deepEqual([kind, price.micros, state], ['location', TEXT_PRICE, 'accepted'])
    assert.notInclude(
      JSON.stringify(await gw.message(id), (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)), 'Alexanderplatz',
    )
    const closed = await gateway({ lastInbound: undefined })
    assert.equal(leftOf(await makeSendMessage(closed.deps)({ workspace: closed.workspace, message: PLACE }))._tag, 'WindowClosed')
  })

  it('is sent once under a key, and other content or another context under it is refused', async () => {
    const gw = await gateway()
    const send = makeSendMessage(gw.deps)
    const command = { workspace: gw.workspace, message: PLACE, idempotencyKey: KEY }
    const first = rightOf(await send(command))
    assert.deepEqual(rightOf(await send(command)), { ...first, replayed: true })
    for (const message of [
      { ...PLACE, content: { ...CONTENT, latitude: '0' } },
      { ...PLACE, type: 'image' as const },
      { ...PLACE, context: { message_id: 'wamid.A' as PlatformId } },
    ]) {
      assert.equal(leftOf(await send({ ...command, message }))._tag, 'IdempotencyKeyReused')
    }
    assert.lengthOf(gw.sent, 1)
  })

  for (const [name, { type, content }] of Object.entries(SAMPLES)) {
    it(`reaches the platform untouched under its type, with what it quotes: ${name}`, async () => {
      const gw = await gateway()
      const context = { message_id: 'wamid.HBgNNTUx' as PlatformId }
      const message = { _tag: 'Content' as const, to: CUSTOMER, type, content, context }
      rightOf(await makeSendMessage(gw.deps)({ workspace: gw.workspace, message }))
      const request = requestOf(gw.sent)
      assert.deepEqual([request['type'], request[type], request['context']], [type, content, context])
    })
  }

  it('reaches the platform as the simulator takes a location', async () => {
    const gw = await gateway()
    rightOf(await makeSendMessage(gw.deps)({ workspace: gw.workspace, message: PLACE }))
    const request = requestOf(gw.sent)
    assert.notProperty(request, 'context')
    const platform = { find: () => undefined }
    assert.isTrue(E.isRight(checkRequest(JSON.stringify(request), platform)))
    assert.isTrue(E.isLeft(checkRequest(JSON.stringify(request).replace('52.5219', '152.5219'), platform)))
  })
})

const requestOf = ([outbound]: Awaited<ReturnType<typeof gateway>>['sent']): Record<string, unknown> => {
  if (outbound === undefined) throw new Error('nothing was sent')
  return JSON.parse(
    String(makeMessageRequest({ baseUrl: 'https://platform.test', version: 'v25.0', timeoutMs: 1_000 })(outbound).body),
  ) as Record<string, unknown>
}
