import { createServer } from 'node:http'
import { assert } from 'chai'
import { consoleOnDemand } from '../../../apps/server/console.js'
import { listening } from '../../support/listening.js'

describe('A console that is loaded on demand', () => {
  const makePages = () => {
    let isClosed = false
    return {
      handle: async (_request: unknown, response: { readonly end: (text: string) => unknown }) => void response.end('a page'),
      middleware: async () => undefined, close: () => { isClosed = true }, isClosed: () => isClosed,
    }
  }

  it('is loaded once, for the first of several simultaneous requests, and closed with the gateway', async () => {
    let loads = 0
    const pages = makePages()
    const console = consoleOnDemand(async () => {
      loads += 1
      return pages
    }, () => undefined)
    const server = await listening(createServer((request, response) => void console.handle(request, response)))
    assert.equal(loads, 0)
    const texts = await Promise.all([1, 2, 3].map(async () => (await fetch(server.url)).text()))
    assert.deepEqual([loads, ...texts], [1, 'a page', 'a page', 'a page'])
    console.close()
    await server.close()
    assert.isTrue(pages.isClosed())
  })

  it('is not loaded to be closed', () => {
    consoleOnDemand(() => assert.fail('it was loaded'), () => undefined).close()
  })

  it('answers 500 and reports the cause if it cannot be loaded', async () => {
    const causes: unknown[] = []
    const console = consoleOnDemand(() => Promise.reject(new Error('a file is missing')), (cause) => { causes.push(cause) })
    const server = await listening(createServer((request, response) => void console.handle(request, response)))
    assert.equal((await fetch(server.url)).status, 500)
    await server.close()
    assert.match(String(causes), /a file is missing/)
  })
})
