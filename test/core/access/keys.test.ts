import { assert } from 'chai'
import { apiKeyIdIn, apiKeyOf, isApiKeyId } from '../../../core/access/keys.js'

const ID = '0123456789abcdef'
const KEY = apiKeyOf(ID, '0'.repeat(48))

describe('The form of an API key', () => {
  it('has the id between its prefix and its secret', () => {
    assert.equal(KEY, `pst_${ID}_${'0'.repeat(48)}`)
    assert.equal(apiKeyIdIn(KEY), ID)
    assert.isTrue(isApiKeyId(ID))
  })

  it('is kept by no other text', () => {
    for (const text of ['', ID, KEY.toUpperCase(), ` ${KEY}`, `${KEY}\n`, KEY.slice(0, -1), `${KEY}0`, `pst_${ID}0_${'0'.repeat(48)}`]) {
      assert.isUndefined(apiKeyIdIn(text), text)
    }
    for (const text of ['', `${ID}0`, ID.toUpperCase(), `${ID}\n`, 'constructor']) assert.isFalse(isApiKeyId(text), text)
  })
})
