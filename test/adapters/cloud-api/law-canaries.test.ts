import { assert } from 'chai'
import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import type { Transport } from '../../../adapters/cloud-api/transport.js'
import { platformLaws } from '../../laws/platform.js'
import { openPlatformWorld } from './platform-world.js'

/** The laws a platform breaks when its transport is spoilt in some way. */
const broken = async (spoil: (send: Transport) => Transport): Promise<ReadonlyArray<string>> => {
  const names: string[] = []
  for (const { name, check } of platformLaws) {
    await using world = await openPlatformWorld(makeGotTransport(), { spoil, timeoutMs: 300 })
    await check(world).catch(() => names.push(name))
  }
  return names
}

describe('the laws of a platform', () => {
  it('convict one that tries again after a lost answer', async () => {
    const names = await broken((send) => async (request) => {
      const first = await send(request)
      return first._tag === 'Lost' ? send(request) : first
    })
    assert.lengthOf(names.filter((name) => /nothing is sent again/.test(name)), 2)
  })

  it('convict one that tries again after a refusal', async () => {
    const names = await broken((send) => async (request) => {
      const first = await send(request)
      return first._tag === 'Answered' && first.status >= 400 ? send(request) : first
    })
    assert.lengthOf(names.filter((name) => /not sent again/.test(name)), 3)
  })

  it('convict one that takes a lost answer for a platform that was never reached', async () => {
    const names = await broken((send) => async (request) => {
      const result = await send(request)
      return result._tag === 'Lost' ? { ...result, _tag: 'NotSent' } : result
    })
    assert.lengthOf(names.filter((name) => /outcome/.test(name)), 2)
  })

  it('convict one whose causes carry the request', async () => {
    const names = await broken((send) => async (request) => {
      const result = await send(request)
      return result._tag === 'Answered' ? result : { ...result, cause: Object.assign(result.cause, { request }) }
    })
    assert.include(names, 'no answer carries the access token')
  })

  it('convict one that shortens the platform\'s error', async () => {
    const names = await broken((send) => async (request) => {
      const result = await send(request)
      return result._tag === 'Answered' ? { ...result, body: result.body.replace(/"error_data":\{[^}]*\},?/, '') } : result
    })
    assert.lengthOf(names.filter((name) => /error object, whole/.test(name)), 3)
  })
})
