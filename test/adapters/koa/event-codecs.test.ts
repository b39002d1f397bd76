import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { EndpointUrl } from '../../../adapters/koa/codecs.js'
import { decode } from '../../../adapters/koa/schema.js'

describe('the codec of an endpoint\'s address', () => {
  it('takes an address alike however often, also with letters outside ASCII', () => {
    const refused = Array.from({ length: 20_000 }, () => decode(EndpointUrl, 'https://b\u00fccher.example/')).filter(E.isLeft)
    assert.lengthOf(refused, 0)
  })
})
