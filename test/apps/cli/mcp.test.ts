import { createServer } from 'node:http'
import { assert } from 'chai'
import { gateway } from '../../adapters/koa/gateway.js'
import { listening } from '../../support/listening.js'
import { type Env, postern } from '../../support/postern.js'
import { assertFailed } from './support.js'

const lines = (...messages: ReadonlyArray<object>): string => messages.map((message) => `${JSON.stringify(message)}\n`).join('')
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' } },
}
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' }
const call = (id: number, name: string, args: object = {}) => ({
  jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args },
})

type Message = {
  readonly id: number | null
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object }
}

/** What the command writes for a list of lines; it ends well. */
const relay = async (env: Env, input: string): Promise<ReadonlyArray<Message>> => {
  const { status, stdout, stderr } = await postern(['mcp'], env, input)
  assert.deepEqual([status, stderr], [0, ''])
  return stdout.split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Message)
    .sort((a, b) => Number(a.id) - Number(b.id))
}

describe('postern mcp', () => {
  it('passes messages to the gateway, and its answers back, one a line', async () => {
    await using gw = await gateway()
    const env = { POSTERN_URL: `${gw.url}/`, POSTERN_KEY: gw.key }
    const [first, list, wallet, ...rest] = await relay(
      env, lines(INITIALIZE, INITIALIZED, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, call(3, 'get_wallet')),
    )
    assert.isEmpty(rest)
    assert.deepNestedInclude({ first }, { 'first.result.serverInfo.name': 'postern' })
    assert.isNotEmpty(list?.result?.['tools'])
    assert.include(JSON.stringify(wallet?.result), '10.000000')
  })

  it('takes more messages than it has under way at once, and a last line without its end', async () => {
    await using gw = await gateway()
    const ids = Array.from({ length: 60 }, (_, at) => at + 1)
    const input = lines(...ids.map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })))
    const answers = await relay({ POSTERN_URL: gw.url, POSTERN_KEY: gw.key }, `\n${input.trimEnd()}`)
    assert.deepEqual(answers.map(({ id }) => id), ids)
  })

  it('answers a line that is not a message, or is too long, and continues', async () => {
    await using gw = await gateway()
    const answers = await relay({ POSTERN_URL: gw.url, POSTERN_KEY: gw.key }, `no message\n[]\n${'x'.repeat(300_000)}\n${lines({ jsonrpc: '2.0', id: 7, method: 'ping' })}`)
    assert.deepEqual(
      answers.map(({ id, error }) => [id, error?.code]).sort(), [[7, undefined], [null, -32_600], [null, -32_700], [null, -32_700]].sort(),
    )
  })

  it('passes a batch on as one line, if the protocol that was agreed on has batches', async () => {
    await using gw = await gateway()
    const env = { POSTERN_URL: gw.url, POSTERN_KEY: gw.key }
    const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' })
    const [answers, ...none] = await relay(env, lines([ping(1), INITIALIZED, ping(2)], [INITIALIZED]))
    assert.isEmpty(none)
    assert.deepEqual<unknown>(answers, [{ jsonrpc: '2.0', id: 1, result: {} }, { jsonrpc: '2.0', id: 2, result: {} }])
    const refused = (await postern(['mcp'], { ...env, POSTERN_KEY: gw.key }, lines([ping(1), { ...INITIALIZE, id: 2 }]))).stdout
    assert.match(refused, /^\{"jsonrpc":"2.0","error":\{"code":-32600,.*initialize.*\n$/)
  })

  it('answers each request of a batch that the gateway refuses', async () => {
    const { url, close } = await listening(createServer((req, res) => {
      req.resume()
      if (req.url === '/v1/key') res.end('{}')
      else res.writeHead(429).end(JSON.stringify({ status: 'error', code: 'rate_limited', message: 'Too many' }))
    }))
    try {
      const { stdout } = await postern(
        ['mcp'], { POSTERN_URL: url, POSTERN_KEY: 'pst_x' }, lines([call(3, 'send'), INITIALIZED, call(4, 'send')]),
      )
      const refused = JSON.parse(stdout) as ReadonlyArray<Message>
      assert.deepEqual(refused.map(({ id, error }) => [id, error?.code, error?.message]), [
        [3, -32_000, 'Too many'], [4, -32_000, 'Too many'],
      ])
    } finally {
      await close()
    }
  })

  it('passes a refusal of the gateway on as an error of the request', async () => {
    const { url, close } = await listening(createServer((req, res) => {
      req.resume()
      if (req.url === '/v1/key') res.end('{}')
      else res.writeHead(401).end(JSON.stringify({ status: 'error', code: 'unauthenticated', message: 'The API key is missing, malformed, invalid or revoked' }))
    }))
    try {
      const [refused, ...rest] = await relay({ POSTERN_URL: url, POSTERN_KEY: 'pst_x' }, lines(INITIALIZED, call(3, 'send')))
      assert.isEmpty(rest)
      assert.deepInclude(refused?.error, { code: -32_000, message: 'The API key is missing, malformed, invalid or revoked' })
    } finally {
      await close()
    }
  })

  it('says of a gateway that does not answer that a send may have gone', async () => {
    const { url, close } = await listening(createServer((req, res) => {
      if (req.url === '/v1/key') res.end('{}')
      else req.socket.destroy()
    }))
    try {
      const [lost] = await relay({ POSTERN_URL: url, POSTERN_KEY: 'pst_x' }, lines(call(3, 'send')))
      assert.match(lost?.error?.message ?? '', /did not answer: .*repeat it with the same idempotency_key/)
    } finally {
      await close()
    }
  })

  it('ends with a sentence if it has no key, a wrong one, or no gateway, and follows no redirect with its key', async () => {
    await using gw = await gateway()
    const elsewhere = await listening(createServer((req, res) => res.writeHead(307, { Location: gw.url + (req.url ?? '') }).end()))
    const gone = await listening(createServer())
    await gone.close()
    assertFailed(await postern(['mcp'], { POSTERN_URL: gw.url }), 1, /POSTERN_KEY is not set/)
    assertFailed(await postern(['mcp'], { POSTERN_URL: 'ftp://x', POSTERN_KEY: 'pst_x' }), 1, /POSTERN_URL is not the address/)
    assertFailed(await postern(['mcp'], { POSTERN_URL: gw.url, POSTERN_KEY: 'pst_wrong' }), 1, /refuses the API key/)
    assertFailed(await postern(['mcp'], { POSTERN_URL: gone.url, POSTERN_KEY: 'pst_x' }), 1, /cannot be reached/)
    assertFailed(await postern(['mcp'], { POSTERN_URL: elsewhere.url, POSTERN_KEY: gw.key }), 1, /cannot be reached/)
    assertFailed(await postern(['mcp'], { POSTERN_URL: `${gw.url}/v2`, POSTERN_KEY: gw.key }), 1, /answered 404/)
    await elsewhere.close()
  })
})
