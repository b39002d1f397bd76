import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { Webhook } from 'standardwebhooks'
import { type Environment, openEnvironment } from '../../apps/demo/environment.js'
import { makePrinter } from '../../apps/demo/printer.js'
import { sendRequest } from '../../apps/demo/request.js'
import { makeOperator } from '../../apps/demo/steps.js'
import { ROOT } from '../architecture/tree.js'
import { eventually } from '../support/eventually.js'
import { bareEnv } from '../support/postern.js'
import { startProgram } from '../support/program.js'
import { rightOf } from '../support/right-of.js'
import { makeScratch } from '../support/scratch.js'

const BODY = JSON.stringify({ id: 'evt_1', type: 'message.delivered', workspace: 'ws_1', data: { text: 'Grüße 🙂' } })

/** The headers of a delivery, signed with a secret at a moment. */
const headersOf = (secret: string, at = new Date(), body = BODY): Record<string, string> => ({
  'webhook-id': 'evt_1', 'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
})

const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`

/** Runs an example until the test ends it. */
const runExample = async (name: string, env: Record<string, string>) => {
  const { logged, output, signal, ended } = startProgram(
    process.execPath, ['--import=tsx', `docs/examples/${name}.ts`], bareEnv({ PORT: '0', ...env }), ROOT,
  )
  const [, url = ''] = await logged(/^listening at (\S+)$/m)
  return {
    url,
    lines: () => output().trimEnd().split('\n').slice(1),
    stop: async () => {
      signal('SIGTERM')
      await ended
    },
  }
}

describe('the guide of events', () => {
  it('has a receiver of about 20 lines that takes what is signed, and nothing else', async () => {
    const secret = newSecret()
    const receiver = await runExample('receive-events', { ENDPOINT_SECRET: secret })
    try {
      const post = async (headers: Record<string, string>, body = BODY) =>
        (await fetch(receiver.url, { method: 'POST', headers, body })).status
      assert.equal(await post(headersOf(newSecret())), 401)
      assert.equal(await post(headersOf(secret), BODY.replace('delivered', 'read')), 401)
      assert.equal(await post(headersOf(secret, new Date(Date.now() - 3_600_000))), 401)
      assert.equal(await post({}), 401)
      assert.equal(await post(headersOf(secret)), 204)
      await eventually('the event is printed', () => receiver.lines().length > 0 || undefined)
      assert.deepEqual(receiver.lines(), [BODY])
    } finally {
      await receiver.stop()
    }
    assert.isAtMost((await readFile(join(ROOT, 'docs/examples/receive-events.ts'), 'utf8')).trimEnd().split('\n').length, 20)
  })

  it('has a shell script that finds out whether a signature is valid', async () => {
    const script = /^```bash\n([\s\S]*?)^```$/m.exec(await readFile(join(ROOT, 'docs/events.md'), 'utf8'))?.[1] ?? ''
    const scratch = await makeScratch()
    try {
      await writeFile(scratch.path('body'), BODY)
      const secret = newSecret()
      const verdict = async (headers: Record<string, string>): Promise<string> => {
        const env = {
          PATH: process.env['PATH'] ?? '', ENDPOINT_SECRET: secret, WEBHOOK_ID: headers['webhook-id'],
          WEBHOOK_TIMESTAMP: headers['webhook-timestamp'], WEBHOOK_SIGNATURE: headers['webhook-signature'],
        }
        return (await promisify(execFile)('bash', ['-c', script], { cwd: scratch.path(''), env })).stdout.trim()
      }
      const [ours, theirs] = [headersOf(secret), headersOf(newSecret())]
      assert.equal(await verdict(ours), 'valid')
      assert.equal(await verdict({ ...ours, 'webhook-signature': `${theirs['webhook-signature']} ${ours['webhook-signature']}` }), 'valid')
      assert.equal(await verdict(theirs), 'invalid')
      assert.equal(await verdict({ ...ours, 'webhook-id': 'evt_2' }), 'invalid')
      assert.equal(await verdict({ ...ours, 'webhook-signature': '' }), 'invalid')
      assert.equal(await verdict(headersOf(secret, new Date(Date.now() - 3_600_000))), 'old')
      await writeFile(scratch.path('body'), `${BODY} `)
      assert.equal(await verdict(ours), 'invalid')
    } finally {
      await scratch.remove()
    }
  })

  for (const [name, lines] of [['echo', 43], ['echo-client', 24]] as const) it(`has an application of at most ${lines} lines that answers each customer with an echo, and says what is to be delivered again: ${name}`, async () => {
    assert.isAtMost((await readFile(join(ROOT, `docs/examples/${name}.ts`), 'utf8')).trimEnd().split('\n').length, lines)
    const environment: Environment = await openEnvironment({ usesKnownPorts: false })
    const { gatewayUrl, simulatorUrl, storage, postern } = environment
    const operator = makeOperator(postern, makePrinter(() => undefined, false))
    try {
      const workspace = await operator.createWorkspace('shop')
      await operator.assignSender(workspace, '100000000000001')
      await operator.topUp(workspace, '1.00')
      const { key } = await operator.mintKey(workspace, 'echo')
      const secret = await operator.addEndpoint(workspace, 'http://127.0.0.1:1/')
      const echo = await runExample(name, { POSTERN_URL: gatewayUrl, POSTERN_KEY: key, ENDPOINT_SECRET: secret })
      const [endpoint] = rightOf(await storage.eventEndpoints.list(workspace))
      if (endpoint === undefined) throw new Error('the endpoint was not added')
      rightOf(await storage.eventEndpoints.change(endpoint.id, { url: echo.url }, Date.now()))
      try {
        await sendRequest({
          method: 'POST', url: `${simulatorUrl}/_simulator/customers/33639980001/messages`,
          body: { text: 'Where is my order?', phone_number_id: '100000000000001' },
        })
        type Received = { readonly messages: ReadonlyArray<{ readonly text?: string }> }
        const answers = await eventually('the customer gets an answer', async () => {
          const { messages } = (await sendRequest({ method: 'GET', url: `${simulatorUrl}/_simulator/received` })).body as Received
          return messages.length > 0 ? messages.map(({ text }) => text) : undefined
        })
        assert.deepEqual(answers, ['You wrote: Where is my order?'])
        type Inbound = { readonly messages: ReadonlyArray<{ readonly read_at: number | null }> }
        const { messages } = (await sendRequest({ method: 'GET', url: `${simulatorUrl}/_simulator/inbound` })).body as Inbound
        assert.isNumber(messages[0]?.read_at)
        // This customer's window is closed, so another attempt would be refused again.
        const from = { phone_number: '15550100321', user_id: null }
        const written = JSON.stringify({
          id: 'evt_1', type: 'message.received', data: { id: 'wamid.1', from, type: 'text', content: { body: 'Hello' } },
        })
        const deliver = async (url: string, headers = headersOf(secret, new Date(), written)) =>
          (await fetch(url, { method: 'POST', body: written, headers })).status
        assert.deepEqual([await deliver(echo.url), await deliver(echo.url, headersOf(newSecret(), new Date(), written))], [204, 401])
        const cutOff = await runExample(name, { POSTERN_URL: 'http://127.0.0.1:1', POSTERN_KEY: key, ENDPOINT_SECRET: secret })
        assert.equal(await deliver(cutOff.url).finally(cutOff.stop), 503)
      } finally {
        await echo.stop()
      }
    } finally {
      await environment.close()
    }
  })
})
