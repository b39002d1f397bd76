import { assert } from 'chai'
import { ACCOUNT, gateway } from '../gateway.js'
import { errorOf } from './requests.js'

const TEMPLATES = [{
  id: '1', name: 'hello', language: 'en', category: 'utility', status: 'approved', quality: undefined, parameterFormat: undefined,
  components: undefined,
}]

describe('what programs ask below /graph when they are connected', () => {
  for (const version of ['/v23.0', '']) {
    it(`is the number of the workspace and its profile, as far as they are known, below /graph${version}`, async () => {
      await using gw = await gateway({ templates: TEMPLATES })
      const numbers = await gw.get(`/graph${version}/${ACCOUNT}/phone_numbers?fields=id,display_phone_number`)
      assert.deepEqual<unknown>([numbers.status, numbers.json], [200, { data: [{ id: gw.phoneNumberId }] }])
      const profile = await gw.get(`/graph${version}/${gw.phoneNumberId}/whatsapp_business_profile?fields=about`)
      assert.deepEqual<unknown>([profile.status, profile.json], [200, { data: [{ messaging_product: 'whatsapp' }] }])
    })
  }

  it('is not found under the ids of others, or those of another kind', async () => {
    await using gw = await gateway({ templates: TEMPLATES })
    const other = await gw.addWorkspace()
    const paths = [
      `${other.phoneNumberId}/whatsapp_business_profile`, `${ACCOUNT}/whatsapp_business_profile`, `${gw.phoneNumberId}/phone_numbers`,
      '1/phone_numbers', `${other.phoneNumberId}/message_templates`, other.phoneNumberId,
    ]
    for (const path of paths.flatMap((one) => [`/graph/v23.0/${one}`, `/graph/${one}`])) {
      const answer = await gw.get(path)
      assert.equal(answer.status, 400, path)
      assert.deepInclude(errorOf(answer), { code: 100, error_subcode: 33, type: 'GraphMethodException' }, path)
    }
    await using without = await gateway({ sender: false })
    for (const path of ['1/phone_numbers', '1/whatsapp_business_profile']) {
      assert.deepInclude(errorOf(await without.get(`/graph/v23.0/${path}`)), { code: 100, error_subcode: 33 }, path)
    }
  })
})
