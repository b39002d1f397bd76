import type { AttackTenant } from '../attack-world.js'
import { requestBytes } from '../raw-socket.js'

/** A request as bytes, the statuses its answers may have (none where the connection is closed unanswered), and how many messages may go out because of it. */
export type RawRequest = { readonly name: string; readonly bytes: Buffer; readonly statuses: ReadonlyArray<number>; readonly sends: number }

type Header = readonly [string, string]

const HOST: Header = ['Host', 'gateway']
const CLOSE: Header = ['Connection', 'close']
const JSON_TYPE: Header = ['Content-Type', 'application/json']

/** Requests that proxies and servers have read differently from each other, each of which must have one meaning or none. */
export const ambiguousRequests = ({ key }: AttackTenant, customer: () => string): ReadonlyArray<RawRequest> => {
  const auth: Header = ['Authorization', `Bearer ${key}`]
  const body = (): string => JSON.stringify({ to: customer(), template_name: 'hello_world' })
  const path = '/v1/messages/send-template'
  const sendBytes = (headers: ReadonlyArray<Header>): Buffer => requestBytes('POST', path, headers, body())
  const text = (...lines: ReadonlyArray<string>): Buffer => Buffer.from(lines.join('\r\n'))
  const inner = (): string => requestBytes('POST', path, [HOST, auth, JSON_TYPE], body()).toString()
  const chunked = (encoding: ReadonlyArray<string>): Buffer => {
    const content = body()
    return text(
      `POST ${path} HTTP/1.1`, 'Host: gateway', `Authorization: Bearer ${key}`, 'Content-Type: application/json', ...encoding,
      'Connection: close', '', content.length.toString(16), content, '0', '', '',
    )
  }
  const bad = [400]
  return [
    { name: 'a send as it should be', bytes: sendBytes([HOST, auth, JSON_TYPE, CLOSE]), statuses: [200], sends: 1 },
    { name: 'a send in chunks', bytes: chunked(['Transfer-Encoding: chunked']), statuses: [200], sends: 1 },
    { name: 'no Host', bytes: sendBytes([auth, JSON_TYPE, CLOSE]), statuses: bad, sends: 0 },
    { name: 'two Host headers', bytes: sendBytes([HOST, ['Host', 'other'], auth, JSON_TYPE, CLOSE]), statuses: bad, sends: 0 },
    {
      name: 'two Authorization headers',
      bytes: sendBytes([HOST, auth, ['Authorization', 'Bearer pst_other_x'], JSON_TYPE, CLOSE]),
      statuses: [400, 401],
      sends: 0,
    },
    {
      name: 'two keys for idempotency',
      bytes: sendBytes([HOST, auth, JSON_TYPE, ['Idempotency-Key', 'one'], ['Idempotency-Key', 'two'], CLOSE]),
      statuses: bad,
      sends: 0,
    },
    { name: 'two lengths', bytes: sendBytes([HOST, auth, JSON_TYPE, ['Content-Length', '3'], CLOSE]), statuses: bad, sends: 0 },
    { name: 'a length and chunks', bytes: chunked(['Content-Length: 4', 'Transfer-Encoding: chunked']), statuses: bad, sends: 0 },
    { name: 'chunks and a length', bytes: chunked(['Transfer-Encoding: chunked', 'Content-Length: 4']), statuses: bad, sends: 0 },
    { name: 'chunks twice', bytes: chunked(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked']), statuses: bad, sends: 0 },
    { name: 'chunks that are not the last encoding', bytes: chunked(['Transfer-Encoding: chunked, identity']), statuses: bad, sends: 0 },
    { name: 'an encoding of another name', bytes: chunked(['Transfer-Encoding: xchunked']), statuses: bad, sends: 0 },
    { name: 'a blank before the colon', bytes: chunked(['Transfer-Encoding : chunked']), statuses: bad, sends: 0 },
    {
      name: 'a length with a sign', statuses: bad, sends: 0,
      bytes: text(
        `POST ${path} HTTP/1.1`, 'Host: gateway', `Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Content-Length: +5',
        '', 'hello',
      ),
    },
    {
      name: 'a chunk that ends too early, with a request in the rest', statuses: [400], sends: 0,
      bytes: text(
        `POST ${path} HTTP/1.1`, 'Host: gateway', `Authorization: Bearer ${key}`, 'Content-Type: application/json',
        'Transfer-Encoding: chunked', '', '1', `{${inner()}`,
      ),
    },
    {
      name: 'a request in the body of another', statuses: [400, 415], sends: 0,
      bytes: requestBytes('POST', '/v1/messages/send-text', [HOST, auth, JSON_TYPE, CLOSE], inner()),
    },
    {
      name: 'a request in the body of a GET', statuses: [200, 400], sends: 0,
      bytes: requestBytes('GET', '/v1/wallet', [HOST, auth, CLOSE], inner()),
    },
    {
      name: 'two sends on one connection',
      bytes: Buffer.concat([sendBytes([HOST, auth, JSON_TYPE]), sendBytes([HOST, auth, JSON_TYPE, CLOSE])]),
      statuses: [200],
      sends: 2,
    },
    {
      name: 'a header of 64 KiB',
      bytes: sendBytes([HOST, auth, JSON_TYPE, ['X-Long', 'x'.repeat(65_536)], CLOSE]),
      statuses: [431],
      sends: 0,
    },
    {
      name: 'ten thousand headers',
      bytes: sendBytes([HOST, auth, JSON_TYPE, ...Array.from({ length: 10_000 }, (_, n): Header => [`X${n}`, '']), CLOSE]),
      statuses: [431],
      sends: 0,
    },
    { name: 'a NUL in a header', bytes: sendBytes([HOST, auth, JSON_TYPE, ['X-Nul', 'a\0b'], CLOSE]), statuses: bad, sends: 0 },
    { name: 'a folded header', bytes: sendBytes([HOST, auth, JSON_TYPE, ['X-Folded', 'a\r\n b'], CLOSE]), statuses: [200, 400], sends: 1 },
    { name: 'no version', bytes: text('GET /health/live', '', ''), statuses: [200, 400], sends: 0 },
    { name: 'CONNECT', bytes: text('CONNECT example.org:443 HTTP/1.1', 'Host: example.org', '', ''), statuses: [], sends: 0 },
    {
      name: 'an upgrade',
      bytes: requestBytes('GET', '/health/live', [HOST, ['Upgrade', 'websocket'], ['Connection', 'Upgrade, close']]),
      statuses: [200, 400],
      sends: 0,
    },
    {
      name: 'an expectation that is not known', bytes: sendBytes([HOST, auth, JSON_TYPE, ['Expect', 'gold'], CLOSE]), statuses: [417],
      sends: 0,
    },
    {
      name: 'bytes that are no request',
      bytes: Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
      statuses: bad,
      sends: 0,
    },
  ]
}

/** Spellings of paths that are not those of an operation; a proxy's rule for the right one would not hold for them. */
export const OTHER_PATHS: ReadonlyArray<string> = [
  '/metrics/', '//metrics', '/%6detrics', '/metrics%2f', '/metrics;a=b', '/./metrics', '/v1/../metrics', '/METRICS', '/metrics%00',
  '/metrics%20', '/metrics/.', '/%2e/metrics', '/v1/%2e%2e/metrics', '\\metrics', '/metrics\\', 'metrics', 'http://gateway//metrics',
  'http://gateway/metrics/', '/health/ready/', '//health/ready', '/webhooks/platform/', '/v1//wallet', '/v1/wallet/', '/V1/wallet',
  '/api//v1/wallet', '/api/v1/../v1/wallet', '/openapi.json/', '/docs/', '//docs', '/DOCS', '/docs%00', '/docs/index.html',
  '/docs/..%2fopenapi.json', '/docs/%2e%2e/openapi.json', '/docs/../openapi.json',
]
