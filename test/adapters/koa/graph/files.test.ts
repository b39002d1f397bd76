import { assert } from 'chai'
import { CUSTOMER, gateway } from '../gateway.js'

const PDF = '%PDF-1.7\n1 0 obj\n'

type Part = readonly [name: string, value: string | File]

const file = (type = 'application/pdf', bytes = PDF): File => new File([bytes], 'invoice.pdf', { type })

describe('uploading below /graph', () => {
  const forms: ReadonlyArray<readonly [what: string, parts: ReadonlyArray<Part>]> = [
    ['with its fields first', [['messaging_product', 'whatsapp'], ['type', 'application/pdf'], ['file', file()]]],
    ['with its fields last, as some clients write it', [['file', file()], ['type', 'application/pdf'], ['messaging_product', 'whatsapp']]],
    ['with the content type of the file alone', [['messaging_product', 'whatsapp'], ['file', file()]]],
    ['whose file is named by the field alone',
      [['messaging_product', 'whatsapp'], ['type', 'application/pdf'], ['file', file('application/octet-stream')]]],
  ]
  for (const [what, parts] of forms) {
    it(`answers the id of a file, of a form ${what}, which can be sent`, async () => {
      await using gw = await gateway()
      const form = new FormData()
      for (const [name, value] of parts) form.append(name, value)
      const { status, json } = await gw.request(`/graph/v23.0/${gw.phoneNumberId}/media`, { method: 'POST', body: form })
      assert.deepEqual([status, json], [200, { id: '900001' }])
      assert.deepEqual(gw.uploads.map(({ type, name, bytes }) => [type, name, bytes.toString()]), [['application/pdf', 'invoice.pdf', PDF]])
      const sent = await gw.post(`/graph/v23.0/${gw.phoneNumberId}/messages`, {
        messaging_product: 'whatsapp', to: CUSTOMER, type: 'document', document: { id: '900001' },
      })
      assert.equal(sent.status, 200)
    })
  }

  it('answers 200 again for the same bytes, which are uploaded once', async () => {
    await using gw = await gateway()
    for (const _ of ['first', 'again']) {
      const form = new FormData()
      form.append('messaging_product', 'whatsapp')
      form.append('file', file())
      assert.deepEqual((await gw.request(`/graph/v23.0/${gw.phoneNumberId}/media`, { method: 'POST', body: form })).json, { id: '900001' })
    }
    assert.lengthOf(gw.uploads, 1)
  })

  const refused: ReadonlyArray<readonly [what: string, parts: ReadonlyArray<Part>, details: RegExp]> = [
    ['without a file', [['messaging_product', 'whatsapp']], /file/],
    ['of another product', [['messaging_product', 'instagram'], ['file', file()]], /messaging_product/],
    ['with an empty file', [['messaging_product', 'whatsapp'], ['file', file('application/pdf', '')]], /^The file is empty$/],
    ['with a ZIP that is called a PDF',
      [['messaging_product', 'whatsapp'], ['type', 'application/pdf'], ['file', file('application/pdf', 'PK\x03\x04 and so on')]],
      /first bytes show/],
  ]
  for (const [what, parts, details] of refused) {
    it(`refuses a form ${what} with 100, and uploads nothing`, async () => {
      await using gw = await gateway()
      const form = new FormData()
      for (const [name, value] of parts) form.append(name, value)
      const { status, json } = await gw.request(`/graph/v23.0/${gw.phoneNumberId}/media`, { method: 'POST', body: form })
      const { error } = json as { readonly error: { readonly code: number; readonly error_data: { readonly details: string } } }
      assert.deepEqual([status, error.code], [400, 100])
      assert.match(error.error_data.details, details)
      assert.lengthOf(gw.uploads, 0)
    })
  }

  it('knows no number but that of the workspace', async () => {
    await using gw = await gateway()
    const form = new FormData()
    form.append('file', file())
    const { status, json } = await gw.request('/graph/v23.0/1/media', { method: 'POST', body: form })
    assert.deepEqual([status, (json as { readonly error: { readonly error_subcode: number } }).error.error_subcode], [400, 33])
    assert.lengthOf(gw.uploads, 0)
  })
})
