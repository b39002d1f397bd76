import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { MAX_UPLOADS, type TransportResult } from '../../../adapters/cloud-api/transport.js'
import { makeUploadMedia } from '../../../adapters/cloud-api/upload.js'
import { senderIdOf } from '../../../core/senders/sender.js'

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
      uploadMedia({
        sender: { phoneNumberId: senderIdOf(phoneNumberId), accessToken: 'token', businessAccountId: undefined },
        type: 'text/plain',
        name: 'a.txt',
        sizeAtMost: 3,
        bytes: bytes(),
      })
    const ofOne = Array.from({ length: MAX_UPLOADS }, () => upload('1'))
    // A sender that is alone gets four fifths.
    assert.equal(underWay.length, 51)
    const refused = await Promise.all(ofOne.slice(51))
    assert.deepEqual(
      refused.map((outcome) => (E.isLeft(outcome) ? outcome.left._tag : '')), Array.from({ length: 13 }, () => 'PlatformUnanswered'),
    )
    const ofOther = upload('2')
    assert.equal(underWay.length, 52)
    const endSome = (count: number): void => {
      for (const end of underWay.splice(0, count)) end({ _tag: 'NotSent', cause: new Error('the network is down') })
    }
    endSome(51)
    await Promise.all(ofOne)
    const next = upload('1')
    assert.equal(underWay.length, 2)
    endSome(2)
    await Promise.all([ofOther, next])
  })

  it('end for a sender without any, once their connection is free', async () => {
    const underWay: Array<{ readonly path: string; readonly end: () => void; readonly isBroken: () => boolean }> = []
    const uploadMedia = makeUploadMedia({
      baseUrl: 'https://graph.example', version: 'v25.0', timeoutMs: 1_000,
      upload: ({ path, stream }) => new Promise((resolve) => {
        const end = (): void => {
          stream?.destroy()
          resolve({ _tag: 'NoAnswer', cause: new Error('broken off') })
        }
        underWay.push({ path, isBroken: () => stream?.destroyed === true, end })
      }),
    })
    const upload = (phoneNumberId: string) =>
      uploadMedia({
        sender: { phoneNumberId: senderIdOf(phoneNumberId), accessToken: 'token', businessAccountId: undefined },
        type: 'text/plain',
        name: 'a.txt',
        sizeAtMost: 3,
        bytes: bytes(),
      })
    const all = ['1', '2', '3', '4'].flatMap((sender) => Array.from({ length: MAX_UPLOADS }, () => upload(sender)))
    const broken = () => underWay.filter(({ isBroken }) => isBroken())
    assert.equal(underWay.length, MAX_UPLOADS)
    assert.lengthOf(broken(), 0)
    const late = upload('5')
    assert.deepEqual(broken().map(({ path }) => path), ['/v25.0/1/media'])
    assert.equal(underWay.length, MAX_UPLOADS, 'the connection is not free yet')
    const second = await upload('5')
    assert.equal(E.isLeft(second) ? second.left._tag : '', 'PlatformUnanswered')
    broken()[0]?.end()
    await new Promise((resolve) => { setImmediate(resolve) })
    assert.equal(underWay.at(-1)?.path, '/v25.0/5/media')
    for (const { end } of underWay) end()
    const outcomes = await Promise.all([...all, late])
    assert.deepEqual([...new Set(outcomes.map((outcome) => (E.isLeft(outcome) ? outcome.left._tag : '')))], ['PlatformUnanswered'])
  })
})
