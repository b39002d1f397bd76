import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { type Act, relayTo } from '../adapters/client/relay.js'
import { ROOT } from '../architecture/tree.js'
import { bareEnv } from '../support/postern.js'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../support/process-fixture.js'

const CUSTOMER = '33639980001'

/** Runs a program of the examples, and gives the lines that it prints. */
const printed = async (
  program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>,
): Promise<ReadonlyArray<string>> => {
  const { stdout } = await promisify(execFile)(program, [...args], { cwd: ROOT, env: bareEnv({ CUSTOMER, ...env }) })
  return stdout.trimEnd().split('\n')
}

describe('The page of the client', () => {
  let gateway: InProcessFixture
  let tenant: Tenant
  before(async () => { gateway = await startInProcessFixture() })
  beforeEach(async () => {
    tenant = await gateway.tenant()
    gateway.simulator.reset()
  })
  after(async () => gateway[Symbol.asyncDispose]())

  it('has a program that sends a text, or a template if the window is closed', async () => {
    const run = () =>
      printed(process.execPath, ['--import=tsx', 'docs/examples/client.ts'], { POSTERN_URL: gateway.url, POSTERN_KEY: tenant.key })
    assert.deepEqual((await run())[0], 'sent a template instead')
    await tenant.customerWrites(CUSTOMER)
    const [sent = '', listed = ''] = await run()
    assert.match(sent, /^sent as wamid\./)
    assert.match(listed, /^text (accepted|sent|delivered|read)$/)
    // Its idempotency key makes the second run the same message.
    assert.equal((await run())[0], sent)
  })

  const python = spawnSync('python3', ['--version'])
  if (python.status !== 0) console.log('The client in Python was not run: there is no python3.')
  else {
    const run = async (acts: ReadonlyArray<Act>, ...args: ReadonlyArray<string>) => {
      await using relay = await relayTo(gateway.url, ...acts)
      const [line] = await printed(
        'python3', ['docs/examples/client.py', CUSTOMER, ...args], { POSTERN_URL: relay.url, POSTERN_KEY: tenant.key },
      )
      return { line, asked: relay.received.length, keys: new Set(relay.keys()).size }
    }

    it('has a client in Python of about 60 lines, which asks again under one key and so sends once', async () => {
      await tenant.customerWrites(CUSTOMER)
      const { line, asked, keys } = await run(['lose', 'halve', 'cut'], 'Hello')
      assert.match(line ?? '', /^200 \{'status': 'success', 'message_id': 'wamid\./)
      assert.deepEqual([asked, keys], [4, 1])
      assert.lengthOf(gateway.simulator.received(), 1)
      assert.isAtMost((await readFile(join(ROOT, 'docs/examples/client.py'), 'utf8')).trimEnd().split('\n').length, 70)
    })

    it('which says what the gateway says, and never repeats a 504', async () => {
      assert.match((await run([], 'Hello')).line ?? '', /^400 \{.*'code': 'window_closed'/)
      const { line, asked } = await run([{ status: 504, body: '<h1>Gateway Time-out</h1>' }], 'Hello', 'order 17/a')
      assert.match(line ?? '', /^504 \{'code': 'unexpected_reply'/)
      assert.equal(asked, 1)
    })

    it('which takes a delivery that is signed, and no other', async () => {
      const { signedHeaders } = await import('../../adapters/webhooks/webhook-sender.js')
      const secret = `whsec_${Buffer.from('a secret of an endpoint!').toString('base64')}` as Parameters<typeof signedHeaders>[0][number]
      const body = '{"id":"evt_1","data":{"text":"Grüße 🙂"}}'
      const program = `
import json, sys
sys.path.insert(0, 'docs/examples')
from client import verify
body, headers, secret = json.loads(sys.argv[1])
try: print(verify(body.encode(), headers, secret)['id'])
except ValueError as error: print(error)
`
      const verdict = async (given: string, at = Date.now()) =>
        (await printed(
          'python3', ['-B', '-c', program, JSON.stringify([given, signedHeaders([secret], 'evt_1', body, at), secret])], {},
        ))[0]
      assert.equal(await verdict(body), 'evt_1')
      assert.equal(await verdict(`${body} `), 'no signature matches')
      assert.equal(await verdict(body, Date.now() - 360_000), 'the delivery is older than five minutes, or from the future')
    })
  }
})
