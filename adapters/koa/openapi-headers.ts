import type { Header, Parameter, Ref } from './openapi-types.js'

const REQUEST_ID = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' }

/** Postern's own headers of replies, by their names on the wire. */
export const headers = {
  'X-Request-Id': {
    description: "What the request goes by in the gateway's log: the caller's own `X-Request-Id` if it sent a sane one, else a new one.",
    required: true,
    schema: REQUEST_ID,
    example: '3f0c9a54-8d1e-4d57-9f0e-2f6f0e6a7c11',
  },
  'Postern-Message': {
    description: 'The id of the message this reply is about; on every reply to a send that opened a message, refused or not.',
    schema: { type: 'string', pattern: '^msg_[0-9a-f]{32}$' },
    example: 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41',
  },
  'Idempotency-Replayed': {
    description: '`true` where the reply is that of an earlier request with the same `Idempotency-Key`; absent otherwise.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': {
    description: 'How many whole seconds to wait before the same request is worth sending again; absent where that is not known.',
    schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
    example: '5',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  'Content-Disposition': {
    description: 'For browsers: the bytes are to be saved, not shown.',
    schema: { type: 'string', const: 'attachment' },
  },
  'Content-Range': {
    description: 'Which bytes these are, and of how many; of a range without any byte, how many there are.',
    schema: { type: 'string', pattern: '^bytes ([0-9]+-[0-9]+|\\*)/([0-9]+|\\*)$' },
    example: 'bytes 0-1023/20480',
  },
  ETag: {
    description: 'The version of the reply, for `If-None-Match`.',
    required: true,
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$' },
    example: '"Bw3zXn8kq1Tt0c5yHk2o3g"',
  },
  Allow: {
    description: 'The methods this address takes, separated by commas.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' },
    example: 'GET, HEAD',
  },
} as const satisfies Readonly<Record<string, Header>>

export type HeaderName = keyof typeof headers

/** The references of a response to headers, always with `X-Request-Id`. */
export const headerRefs = (...names: ReadonlyArray<string>): Readonly<Record<string, Ref>> =>
  Object.fromEntries(Array.from(new Set(['X-Request-Id', ...names]), (name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Parameters that several operations take. */
export const parameters = {
  requestId: {
    name: 'X-Request-Id', in: 'header',
    description: 'What the request shall go by in logs and in the reply; one that breaks this rule is replaced by a new one.',
    schema: { type: 'string' },
    example: 'order-1742',
  },
  ifNoneMatch: {
    name: 'If-None-Match', in: 'header',
    description: 'The `ETag` of what the client has; if it is still the same, the reply is 304 without a body.',
    schema: { type: 'string' },
  },
  range: {
    name: 'Range', in: 'header',
    description: 'The wanted bytes, as one range. Several ranges, another form, or `If-Range` give all bytes.',
    schema: { type: 'string' },
    example: 'bytes=0-1023',
  },
  idempotencyKey: {
    name: 'Idempotency-Key', in: 'header',
    description:
      "The caller's own name for this send, per workspace. It guards a message that went or may have gone (200, 504): the same key " +
      'and request give the first answer again with `Idempotency-Replayed: true`, and nothing is sent or paid twice. Any refusal frees ' +
      'it. Kept 24 hours, and for as long as the outcome is unknown.',
    schema: { type: 'string', pattern: '^[!-~]([ -~]{0,253}[!-~])?$' },
    example: 'order-1742-shipped',
  },
} as const satisfies Readonly<Record<string, Parameter>>

/** The references of an operation to shared parameters, always with `X-Request-Id`. */
export const parameterRefs = (...names: ReadonlyArray<keyof typeof parameters>): ReadonlyArray<Ref> =>
  [...names, 'requestId' as const].map((name) => ({ $ref: `#/components/parameters/${name}` }))
