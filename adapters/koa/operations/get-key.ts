import * as E from 'fp-ts/lib/Either.js'
import { type Scope, SCOPES } from '../../../core/kernel/actor.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { Time } from '../codecs.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { array, type Codec, described, named, nullable, record, string, word } from '../schema.js'

type KeyView = {
  readonly id: string
  readonly name: string
  readonly workspace: string
  readonly scopes: ReadonlyArray<Scope>
  readonly expires_at: string | null
}

const ScopeName = named('Scope', word<Scope>({
  send: 'sends and quotes', read: 'reads messages, the wallet, customers and windows', templates: 'reads templates',
  events: 'manages endpoints and reads events', answer: 'marks messages as read and fetches attachments',
}))

const Key: Codec<KeyView> = named('Key', described(record({
  id: described(string(), 'The id of the key; never the key itself.'),
  name: described(string(), 'What the key is for.'),
  workspace: described(string(), 'The id of its workspace.'),
  scopes: described(array(ScopeName), 'What it may do.'),
  expires_at: nullable(Time, 'When it expires; null if it does not expire.'),
}), 'An API key.'))

/** `GET /key` */
export const getKey = workspaceOperation({
  id: 'getKey',
  method: 'get',
  path: '/key',
  tag: 'Reading',
  summary: 'Look up the API key of the request',
  description: 'The API key of this request, and what it may do. It needs no scope.',
  reply: {
    description: 'The key.', codec: Key,
    example: {
      id: '9f86d081884c7d65', name: 'shop', workspace: 'ws_019a2b3c4d5e7f80a1b2c3d4e5f60718', scopes: SCOPES,
      expires_at: '2026-06-01T12:00:00.000Z',
    },
  },
  failures: {},
  run: async (_deps: object, { principal: { key, name, workspace, scopes, expiresAt } }: WorkspaceRequest): Outcome<PortFailure, KeyView> =>
    E.right({
      value: {
        id: key, name: name ?? '', workspace, scopes, expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
      },
    }),
})
