// Slow: starts a browser.
import { readFile } from 'node:fs/promises'
import { assert } from 'chai'
import type * as Module from '../../../adapters/client/index.js'
import { signedHeaders } from '../../../adapters/webhooks/webhook-sender.js'
import type { EndpointSecret } from '../../../core/events/endpoint.js'
import { describeInBrowser, openChromium } from '../../browser/chromium.js'
import { compiled } from '../../support/compiled.js'
import { CUSTOMER, gateway } from '../koa/gateway.js'
import { relayTo } from './relay.js'

const PAGE = '<!doctype html><link rel="icon" href="data:,"><title>The client</title>'
const SECRET = `whsec_${Buffer.from('a secret of an endpoint!').toString('base64')}` as EndpointSecret
const BODY = '{"id":"evt_1","type":"endpoint.test","data":{"endpoint":"ep_1"}}'

describeInBrowser('The client in a browser', function () {
  this.timeout(60_000)

  it('sends once although a reply was lost, sends a file, reads a list, and checks a delivery', async () => {
    await using gw = await gateway()
    const program = {
      status: 200, headers: { 'Content-Type': 'text/javascript' }, body: await readFile(compiled('adapters/client/index.js'), 'utf8'),
    }
    await using relay = await relayTo(gw.url, { status: 200, headers: { 'Content-Type': 'text/html' }, body: PAGE }, program, 'lose')
    const browser = await openChromium()
    try {
      const page = await browser.newPage()
      await page.goto(relay.url)
      const seen = await page.evaluate(async ({ baseUrl, apiKey, to, body, headers, secret }) => {
        const { createClient, verify } = await import(`${baseUrl}/client.js`) as typeof Module
        const client = createClient({ baseUrl, apiKey })
        const text = await client.sendText({ to, text: 'Hello' })
        const file = await client.sendFile({
          to, type: 'document', file: new File(['%PDF-1.7\n'], 'invoice.pdf', { type: 'application/pdf' }),
        })
        const types: string[] = []
        for await (const message of client.messages.list()) types.push(message.ok ? message.value.type : message.code)
        const event = await verify(body, headers, secret)
        const refused = await createClient({ baseUrl, apiKey: 'pst_no_key' }).wallet()
        return { text: [text.ok, text.isReplayed], file: file.ok, types, event: event.type, refused: refused.ok || refused.code }
      }, {
        baseUrl: relay.url, apiKey: gw.key, to: CUSTOMER, body: BODY, headers: { ...signedHeaders([SECRET], 'evt_1', BODY, Date.now()) },
        secret: SECRET as string,
      })
      // If the connection was used before, the browser itself repeats the request. The key still makes it one message.
      assert.deepEqual(seen, {
        text: [true, true], file: true, types: ['document', 'text'], event: 'endpoint.test', refused: 'unauthenticated',
      })
    } finally {
      await browser.close()
    }
    assert.lengthOf(gw.sent, 2)
  })
})
