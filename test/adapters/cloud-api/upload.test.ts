import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { MAX_UPLOADS, type TransportResult } from '../../../adapters/cloud-api/transport.js'
import { makeUploadMedia } from '../../../adapters/cloud-api/upload.js'

const bytes = async function* (): AsyncGenerator<Uint8Array> {
  yield Uint8Array.of(1, 2, 3)
}

describe('uploads that are under way', () => {
  it('are shared by the senders, and each that ends makes room', async () => {
    const underWay: Array<(result: TransportResult) => void> = []
    const uploadMedia = makeUploadMedia({
      baseUrl: 'https://graph.example', version: 'v25.0', timeoutMs: 1_000,
      upload: ({ stream }) => new Promise((resolve) => {
        underWay.push((result) => {
          stream?.destroy()
          resolve(result)
        })
      }),
    })
    const upload = (phoneNumberId: string) =>
      uploadMedia({ sender: { phoneNumberId, accessToken: 'token', businessAccountId: undefined }, type: 'text/plain', name: 'a.txt', sizeAtMost: 3, bytes: bytes() })
    const ofOne = Array.from({ length: MAX_UPLOADS }, () => upload('1'))
    // A sender that is alone gets four fifths.
    assert.equal(underWay.length, 51)
    const refused = await Promise.all(ofOne.slice(51))
    assert.deepEqual(refused.map((outcome) => (E.isLeft(outcome) ? outcome.left._tag : '')), Array.from({ length: 13 }, () => 'PlatformUnanswered'))
    const ofOther = upload('2')
    assert.equal(underWay.length, 52)
    const endSome = (count: number): void => { for (const end of underWay.splice(0, count)) end({ _tag: 'NotSent', cause: new Error('the network is down') }) }
    endSome(51)
    await Promise.all(ofOne)
    const next = upload('1')
    assert.equal(underWay.length, 2)
    endSome(2)
    await Promise.all([ofOther, next])
  })
})
