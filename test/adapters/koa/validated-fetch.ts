import { assert } from 'chai'
import type { Contract } from './contract.js'

/** A `fetch` that validates every reply against a contract, and rejects if the reply is not documented. */
export const validatedFetch =
  (contract: Contract) =>
  async (url: string, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(url, init)
    const requestBody = Buffer.from(await request.clone().arrayBuffer())
    const response = await fetch(request)
    const { faults } = contract.validate({
      method: request.method, target: new URL(url).pathname + new URL(url).search,
      requestHeaders: Object.fromEntries(request.headers), requestBody,
      status: response.status, headers: Object.fromEntries(response.headers), body: Buffer.from(await response.clone().arrayBuffer()),
    })
    assert.deepEqual(faults, [], 'what the OpenAPI document does not know')
    return response
  }
