// Slow: starts a process for each command, half a second each; the other tests run the same commands in their own process.
import { assert } from 'chai'
import { posternJson } from '../../support/postern.js'
import { openMessage } from './open-message.js'
import { startProcesses, type Processes } from './processes.js'
import { openCommandLine, TOKEN, type CommandLine } from './support.js'

/** A command, in which words in capitals stand for ids that the test made; its exit status, and the keys of its JSON, or its sentence where it fails. */
type Call = { readonly words: string; readonly status: number; readonly says: ReadonlyArray<string> | RegExp; readonly input?: string }

const BALANCE = ['currency', 'available', 'held']
const WORKSPACE = ['id', 'name', 'currency']

/** Every command that changes something, but `serve` and `simulator`, whose processes other tests start. */
const CHANGING: ReadonlyArray<Call> = [
  { words: 'migrate', status: 0, says: ['from', 'to'] },
  { words: 'workspace create stall', status: 0, says: WORKSPACE },
  { words: 'workspace rename hut cabin', status: 0, says: WORKSPACE },
  { words: 'workspace archive barn', status: 0, says: [...WORKSPACE, 'archived_at'] },
  { words: 'key mint kiosk', status: 0, says: ['id', 'key'] },
  { words: 'key rotate ROTATED', status: 0, says: ['id', 'key'] },
  { words: 'key revoke REVOKED', status: 0, says: ['id', 'revoked'] },
  { words: 'wallet top-up kiosk 1', status: 0, says: [...BALANCE, 'added'] },
  { words: 'wallet adjust kiosk 1 --note typed', status: 0, says: BALANCE },
  { words: 'wallet alert kiosk 1', status: 0, says: [...BALANCE, 'threshold', 'low_since', 'exhausted_since'] },
  {
    words: 'sender set kiosk --phone-number-id 2000',
    status: 0,
    says: ['workspace', 'phone_number_id', 'business_account_id', 'app', 'marketing_api'],
    input: TOKEN,
  },
  { words: 'window record kiosk 33639980002', status: 0, says: ['open', 'last_inbound_at', 'closes_at'] },
  { words: 'customer erase kiosk 33639980003', status: 0, says: ['messages', 'events', 'customers', 'windows'] },
  { words: 'message resolve RESOLVED sent --note ticket', status: 0, says: /"state":"accepted"/ },
  { words: 'message settle-lost wamid.none --workspace kiosk --waive --note none', status: 1, says: /^postern: The workspace has no lost message / },
  { words: 'template sync stand', status: 1, says: /^postern: The workspace has no sender; / },
  { words: 'endpoint add kiosk https://shop.example/', status: 0, says: ['id', 'secret'] },
  { words: 'endpoint remove REMOVED', status: 0, says: ['id', 'removed'] },
  { words: 'endpoint rotate TURNED', status: 0, says: ['id', 'secret'] },
  { words: 'endpoint disable DISABLED', status: 0, says: /"status":"disabled"/ },
  { words: 'endpoint enable ENABLED', status: 0, says: /"status":"enabled"/ },
  { words: 'endpoint test TESTED', status: 1, says: /"status":"failed"/ },
  { words: 'endpoint redeliver AGAIN --since 2026-03-01', status: 0, says: ['endpoint', 'events'] },
  { words: 'member invite bob@shop.example --operator', status: 0, says: ['id', 'url'] },
  { words: 'member remove eve@shop.example', status: 0, says: ['email', 'removed'] },
  { words: 'audit list --workspace stand', status: 0, says: /"act":"workspace\.create"/ },
  { words: 'reconcile', status: 0, says: ['unconfirmed', 'refused', 'released', 'captured', 'refunded'] },
]

describe('A process of a command that changes something', () => {
  let cli: CommandLine
  let processes: Processes | undefined

  before(async () => {
    cli = await openCommandLine()
    for (const name of ['hut', 'barn', 'stand']) await cli.json('workspace', 'create', name)
    const { id } = await cli.json<{ id: never }>('workspace', 'create', 'kiosk')
    const ids = new Map<string, string>()
    for (const key of ['ROTATED', 'REVOKED']) ids.set(key, (await cli.json<{ id: string }>('key', 'mint', 'kiosk')).id)
    for (const endpoint of ['REMOVED', 'TURNED', 'DISABLED', 'ENABLED', 'TESTED', 'AGAIN']) {
      ids.set(
        endpoint,
        ((await posternJson(
          ['endpoint', 'add', 'kiosk', 'http://127.0.0.1:1/'], { ...cli.env, EVENTS_ALLOW: '127.0.0.0/8' },
        )) as { readonly id: string }).id,
      )
    }
    await cli.json('wallet', 'top-up', 'kiosk', '5')
    await cli.json('member', 'invite', 'eve@shop.example', '--operator')
    await cli.json('member', 'invite', 'ada@shop.example', '--operator')
    ids.set('RESOLVED', await openMessage(cli.env['DATABASE_URL'] ?? '', id))
    processes = startProcesses(CHANGING.map(({ words, input }) => ({
      name: words, args: [...words.split(' ').map((word) => ids.get(word) ?? word), '--json'], ...(input !== undefined && { input }),
    })), cli.env)
  })
  after(async () => {
    await processes?.finished
    await cli[Symbol.asyncDispose]()
  })

  for (const { words, status: expected, says } of CHANGING) {
    it(`ends with ${expected} after ${words}`, async () => {
      const { status, stdout, stderr } = (await processes?.ended.get(words)) ?? assert.fail(words)
      assert.equal(status, expected, stderr)
      if (says instanceof RegExp) assert.match(stdout + stderr, says)
      else assert.hasAllKeys(JSON.parse(stdout), [...says])
    })
  }
})
