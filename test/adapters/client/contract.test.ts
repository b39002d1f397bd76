import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { createClient, type OperationName, type SendAnswer } from '../../../adapters/client/index.js'
import { ROOT } from '../../architecture/tree.js'
import { compiled } from '../../support/compiled.js'
import { listening } from '../../support/listening.js'
import { contractTypes, versionedOperations, wholeDocument } from './contract-types.js'
import { CALLS } from './operations.js'

/** What a program does after a send, by the code of each failure. It does not compile with one too few. */
const adviceOn = (answer: SendAnswer<'POST /messages/send-text'>): string => {
  if (answer.ok) return answer.value.message_id
  switch (answer.code) {
    case 'missing_parameters': case 'invalid_parameter': case 'invalid_phone_number': case 'malformed_body': case 'payload_too_large':
    case 'unsupported_media_type':
    case 'method_not_allowed': case 'not_found': case 'idempotency_key_reused': return `correct it: ${answer.message}`
    case 'timezone_unknown': return 'name a time zone'
    case 'window_closed': return 'send a template'
    case 'customer_opted_out': return 'send nothing'
    case 'platform_rejected': case 'platform_throttled': return JSON.stringify(answer.platform_error)
    case 'insufficient_balance': return `top up ${answer.shortfall} ${answer.currency}`
    case 'spending_limit_reached': return `wait until ${answer.resets_at}`
    case 'unauthenticated': case 'forbidden': case 'sender_not_configured': case 'platform_credentials': return 'ask the operator'
    case 'pair_limit': case 'sender_limit': case 'rate_limited':
    case 'overloaded': case 'storage_unavailable': case 'platform_unreachable': case 'request_timeout':
    case 'internal': return 'later'
    case 'outcome_unknown': case 'idempotency_in_progress': return `see what becomes of ${answer.messageId ?? answer.idempotencyKey}`
    case 'no_answer': case 'aborted': return `ask again with ${answer.idempotencyKey}`
    case 'unexpected_reply': return `${answer.status} is not of Postern`
  }
}

const operations = versionedOperations(wholeDocument())

type Body = { readonly code: string; readonly status: 'error' }

/** Every failure that the document describes, with its example. */
const FAILURES = operations.flatMap(({ name, document: { responses } }) =>
  Object.entries(responses).filter(([status]) => Number(status) >= 400).flatMap(([status, { content = {} }]) =>
    Object.values(content['application/json']?.examples ?? {}).map(({ value }) => ({
      name: name as OperationName, status: Number(status), body: value as Body,
    }))))

/** No client waits for an hour. */
const HEADERS = { 'Content-Type': 'application/json', 'X-Request-Id': 'r1', 'Retry-After': '3600' }

describe('The types of the client', () => {
  it('are those of the OpenAPI document; `npm run client-types` makes them', async () => {
    for (const [path, text] of Object.entries(contractTypes(wholeDocument()))) {
      assert.equal(await readFile(join(ROOT, path), 'utf8'), text, path)
    }
  })

  it('have every operation for applications', () => {
    assert.sameMembers(Object.keys(CALLS), operations.map(({ name }) => name))
  })

  it('tell a program what to do after each failure', () => {
    const trace = { attempts: 1, unanswered: 0, requestId: undefined, idempotencyKey: 'k', messageId: undefined, isReplayed: false }
    assert.equal(adviceOn({ ...trace, ok: true, status: 200, value: { status: 'success', message_id: 'wamid.1' } }), 'wamid.1')
    assert.equal(adviceOn({
      ...trace, ok: false, code: 'insufficient_balance', status: 402, message: '', required: '0.02', available: '0.01', held: '0.00',
      shortfall: '0.010000', currency: 'USD',
    }), 'top up 0.010000 USD')
    // @ts-expect-error what is short belongs to one code only
    assert.isFunction((answer: SendAnswer<'POST /messages/send-text'>) => answer.shortfall)
  })
})

describe('A client', () => {
  it('asks for each operation at its address, and gives each failure of the contract with all that it says', async () => {
    let next: { readonly status: number; readonly body: Body } = { status: 500, body: { code: 'internal', status: 'error' } }
    const asked: string[] = []
    await using server = await listening(createServer((request, response) => {
      asked.push(`${request.method ?? ''} ${request.url ?? ''}`)
      request.resume().on('end', () => response.writeHead(next.status, HEADERS).end(JSON.stringify(next.body)))
    }))
    const client = createClient({ baseUrl: `${server.url}/`, apiKey: 'pst_1' })
    assert.isAbove(FAILURES.length, 200)
    for (const { name, status, body } of FAILURES) {
      next = { status, body }
      const answer = await CALLS[name](client)
      assert.deepInclude<object>(answer, { ...body, ok: false, status, attempts: 1, requestId: 'r1' }, name)
      const [method = '', path = ''] = name.split(' ')
      assert.match(asked.at(-1) ?? '', new RegExp(`^${method} /v1${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?.*)?$`))
    }
    assert.include(asked, 'GET /v1/events?types=message.received%2Cwallet.*')
    assert.include(asked, 'POST /v1/messages/wamid.HBgM%2F3%2BA%3D%3D/read')
  })

  it('gives an answer that is not of the contract a member of its own', async () => {
    const odd: ReadonlyArray<readonly [status: number, body: string, reply: unknown]> = [
      [400, '{"status":"error","code":"later_code","message":"New"}', { status: 'error', code: 'later_code', message: 'New' }],
      [400, '{"status":"error","code":"toString"}', { status: 'error', code: 'toString' }],
      [502, '<h1>Bad Gateway</h1>', '<h1>Bad Gateway</h1>'], [200, '<h1>It works!</h1>', '<h1>It works!</h1>'], [200, '', ''],
      [200, 'null', 'null'], [500, '"text"', 'text'],
    ]
    let next = ['', 0] as readonly [string, number]
    await using server = await listening(
      createServer((request, response) => void request.resume().on('end', () => response.writeHead(next[1]).end(next[0]))),
    )
    const client = createClient({ baseUrl: server.url, apiKey: 'pst_1' })
    for (const [status, body, reply] of odd) {
      next = [body, status]
      assert.deepInclude(
        await client.sendText({ to: '5511987654321', text: 'Hello' }),
        { ok: false, code: 'unexpected_reply', status, reply, attempts: 1, unanswered: 1 }, body,
      )
    }
  })

  it('gives a list that an answer does not have as unexpected, and ends if the place of the next page is not a text', async () => {
    let [body, requests] = ['', 0]
    await using server = await listening(createServer((request, response) => void request.resume().on('end', () => {
      requests += 1
      response.writeHead(200).end(body)
    })))
    const client = createClient({ baseUrl: server.url, apiKey: 'pst_1' })
    for (body of ['{}', '{"messages":null}', '{"messages":{"length":1}}', '[]']) {
      const expected = { ok: false, code: 'unexpected_reply', status: 200, reply: JSON.parse(body) as unknown, attempts: 1, unanswered: 1 }
      assert.deepInclude<object>(await client.messages.list().page(), expected, body)
      const all: object[] = []
      for await (const one of client.messages.list()) all.push(one)
      assert.lengthOf(all, 1)
      assert.deepInclude(all[0], expected)
    }
    for (body of ['{"messages":[1]}', '{"messages":[1],"next_cursor":7}']) {
      requests = 0
      const all: unknown[] = []
      for await (const one of client.messages.list({ cursor: 'here' })) all.push(one.ok && one.value)
      assert.deepEqual([all, requests], [[1], 1], body)
    }
  })

  it('asks for nothing under an id that is a step in its path', async () => {
    let requests = 0
    await using server = await listening(createServer((request, response) => void request.resume().on('end', () => {
      requests += 1
      response.writeHead(200).end('{}')
    })))
    const client = createClient({ baseUrl: server.url, apiKey: 'pst_1' })
    for (const id of ['.', '..']) {
      for (const answer of [
        await client.messages.get(id), await client.endpoints.test(id), await client.markRead(id), await client.media(id),
        await client.endpoints.deliveries(id).page(),
      ]) {
        assert.deepEqual<object>(answer, {
          ok: false, code: 'not_found', message: `Nothing has the id ${id}`, attempts: 0, unanswered: 0, requestId: undefined,
        })
      }
    }
    assert.equal(requests, 0)
  })

  it('counts its requests itself, whatever a reply says of them', async () => {
    const lies = {
      attempts: 99, unanswered: 0, requestId: 'lie', messageId: 'lie', isReplayed: true, ok: true, status: 'error', idempotencyKey: 'lie',
      retryAfter: '0',
    }
    await using server = await listening(createServer((request, response) => void request.resume().on('end', () =>
      response.writeHead(400).end(JSON.stringify({ code: 'window_closed', message: 'No', ...lies })))))
    const answer = await createClient({ baseUrl: server.url, apiKey: 'pst_1' }).sendText(
      { to: '5511987654321', text: 'Hello' }, { idempotencyKey: 'mine' },
    )
    const expected = {
      ok: false, code: 'window_closed', status: 400, attempts: 1, unanswered: 0, requestId: undefined, messageId: undefined,
      isReplayed: false, idempotencyKey: 'mine',
    }
    assert.deepInclude<object>(answer, expected)
  })

  it('is not made for an invalid address, or with a key that no header can contain', () => {
    for (const baseUrl of ['127.0.0.1:3000', 'localhost:3000', '', 'ftp://postern.example']) {
      assert.throws(() => createClient({ baseUrl, apiKey: 'pst_1' }), TypeError)
    }
    assert.throws(() => createClient({ baseUrl: 'https://postern.example', apiKey: 'pst_1\n' + 'x' }), TypeError)
  })

  it('is one file that imports nothing and needs nothing of Node.js, of less than 8 kB compressed', async () => {
    const program = await readFile(compiled('adapters/client/index.js'), 'utf8')
    assert.notMatch(program, /\bimport\b(?!Key|: )|\brequire\b|\bprocess\b|\bBuffer\b|node:|export .* from/)
    assert.isBelow(gzipSync(program).length, 8_000)
  })
})
