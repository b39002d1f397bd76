import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { messageIdOf } from '../../../core/message.js'
import type { Currency } from '../../../core/money.js'
import type { PhoneNumber } from '../../../core/phone-number.js'
import type { WorkspaceId } from '../../../core/workspace.js'
import { withDatabase } from '../../support/books.js'
import { postern, posternProcess, type Ended } from '../../support/postern.js'
import { rightOf } from '../../support/right-of.js'
import { openCommandLine, TOKEN, type CommandLine } from './support.js'

/** Every command but `serve` and `simulator`, whose processes other tests start: its words, its exit status, and the keys of its JSON, or its sentence where it fails. */
type Call = { readonly words: string; readonly status: number; readonly says: ReadonlyArray<string> | RegExp; readonly input?: string }

/** Commands that only read, so that one in this process has to print the same; words in capitals stand for ids that the tests made. */
const READING = [
  'workspace list', 'key list shop', 'wallet show shop', 'wallet statement shop', 'wallet audit', 'sender list', 'sender show shop', 'customer show shop CUSTOMER', 'message list shop',
  'message show MESSAGE', 'message unconfirmed', 'template list shop', 'template show shop order_update', 'endpoint list shop', 'endpoint deliveries ENDPOINT', 'member list', 'rates', 'doctor',
] as const

const BALANCE = ['currency', 'available', 'held']
const WORKSPACE = ['id', 'name', 'currency']

const CHANGING: ReadonlyArray<Call> = [
  { words: 'migrate', status: 0, says: ['from', 'to'] },
  { words: 'workspace create stall', status: 0, says: WORKSPACE },
  { words: 'workspace rename hut cabin', status: 0, says: WORKSPACE },
  { words: 'workspace archive barn', status: 0, says: [...WORKSPACE, 'archived_at'] },
  { words: 'key mint kiosk', status: 0, says: ['id', 'key'] },
  { words: 'key rotate ROTATED', status: 0, says: ['id', 'key'] },
  { words: 'key revoke REVOKED', status: 0, says: ['id', 'revoked'] },
  { words: 'wallet top-up kiosk 1', status: 0, says: BALANCE },
  { words: 'wallet adjust kiosk 1 --note typed', status: 0, says: BALANCE },
  { words: 'wallet alert kiosk 1', status: 0, says: [...BALANCE, 'threshold', 'low_since', 'exhausted_since'] },
  { words: 'sender set kiosk --phone-number-id 2000', status: 0, says: ['workspace', 'phone_number_id', 'business_account_id'], input: TOKEN },
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

const AT_ONCE = 2

describe('A process of the compiled command', () => {
  let cli: CommandLine
  const ids = new Map<string, string>()
  const here = new Map<string, Ended>()
  const results = new Map<string, Promise<Ended>>()
  let finished: Promise<unknown> | undefined
  const wordsOf = (words: string): ReadonlyArray<string> => [...words.split(' ').map((word) => ids.get(word) ?? word), '--json']

  before(async () => {
    cli = await openCommandLine()
    for (const name of ['hut', 'barn', 'kiosk', 'stand', 'shop']) ids.set(`workspace ${name}`, (await cli.json<{ id: string }>('workspace', 'create', name)).id)
    for (const key of ['ROTATED', 'REVOKED']) ids.set(key, (await cli.json<{ id: string }>('key', 'mint', 'kiosk')).id)
    for (const endpoint of ['REMOVED', 'TURNED', 'DISABLED', 'ENABLED', 'TESTED', 'AGAIN']) {
      ids.set(endpoint, (await cli.json<{ id: string }>('endpoint', 'add', 'kiosk', 'http://127.0.0.1:1/')).id)
    }
    ids.set('ENDPOINT', (await cli.json<{ id: string }>('endpoint', 'add', 'shop', 'http://127.0.0.1:1/')).id)
    // Nothing is delivered to it, which its log shows.
    await postern(['endpoint', 'test', ids.get('ENDPOINT') ?? ''], cli.env)
    ids.set('CUSTOMER', '33639980001')
    assert.equal((await postern(['sender', 'set', 'shop', '--phone-number-id', '1000', '--business-account-id', '200000000000001'], cli.env, TOKEN)).status, 0)
    await cli.json('template', 'sync', 'shop')
    await cli.json('key', 'mint', 'shop')
    await cli.json('wallet', 'top-up', 'shop', '5')
    await cli.json('wallet', 'top-up', 'kiosk', '5')
    await cli.json('window', 'record', 'shop', '33639980001')
    await cli.json('member', 'invite', 'ada@shop.example', '--operator')
    await cli.json('member', 'invite', 'eve@shop.example', '--operator')
    await withDatabase(cli.env['DATABASE_URL'] ?? '', async ({ messageLog, wallet }) => {
      for (const [name, of] of [['MESSAGE', 'shop'], ['RESOLVED', 'kiosk']] as const) {
        const [id, workspace, at] = [messageIdOf(uuidv7()), ids.get(`workspace ${of}`) as WorkspaceId, Date.now()]
        const price = { micros: 62_500n, currency: 'USD' as Currency, category: 'marketing' as const }
        rightOf(await messageLog.open({ id, workspace, message: { _tag: 'Template', to: '33639980001' as PhoneNumber, name: 'hello_world', language: 'en_US' }, price, at })())
        rightOf(await wallet.hold({ workspace, message: id, amount: price, at })())
        rightOf(await messageLog.apply(workspace, id, { state: 'unconfirmed', at })())
        ids.set(name, id)
      }
    })
    for (const words of READING) here.set(words, await postern(wordsOf(words), cli.env))
    // What reads comes first, so that what changes does not change what it prints.
    const read = start(READING.map((words) => ({ words })), Promise.resolve())
    finished = start(CHANGING, read)
  })
  after(async () => {
    await finished
    await cli[Symbol.asyncDispose]()
  })

  /** Starts a process for each command, two at a time, which is what two cores can do; each test waits for its own. */
  const start = (calls: ReadonlyArray<Pick<Call, 'words' | 'input'>>, begin: Promise<unknown>): Promise<unknown> => {
    const last = Array.from({ length: AT_ONCE }, () => begin)
    calls.forEach(({ words, input }, n) => {
      const ended = (last[n % AT_ONCE] ?? begin).then(() => posternProcess(wordsOf(words), cli.env, input))
      last[n % AT_ONCE] = ended
      results.set(words, ended)
    })
    return Promise.all(last)
  }

  for (const words of READING) {
    it(`prints with ${words} what the same command prints in another process`, async () => {
      const { status, stdout, stderr } = (await results.get(words)) ?? assert.fail(words)
      assert.equal(withoutAge(stdout), withoutAge(here.get(words)?.stdout ?? ''))
      assert.deepEqual([status, stderr], [words === 'doctor' ? 1 : 0, ''])
      assert.isNotEmpty(JSON.parse(stdout) as object, words)
    })
  }

  for (const { words, status: expected, says } of CHANGING) {
    it(`ends with ${expected} after ${words}`, async () => {
      const { status, stdout, stderr } = (await results.get(words)) ?? assert.fail(words)
      assert.equal(status, expected, stderr)
      if (says instanceof RegExp) assert.match(stdout + stderr, says)
      else assert.hasAllKeys(JSON.parse(stdout), [...says])
    })
  }

  it('tells its version, explains itself, and ends with 2 on wrong usage', async () => {
    assert.match((await posternProcess(['--version'], {})).stdout, /^\d+\.\d+\.\d+\n$/)
    const help = await posternProcess(['help', 'wallet'], {})
    assert.deepEqual([help.status, help.stderr], [0, ''])
    assert.match(help.stdout, /^Usage: postern wallet /)
    assert.deepEqual(await posternProcess(['walet'], {}), { status: 2, stdout: '', stderr: "postern: unknown command 'walet' (Did you mean wallet?)\n" })
  })
})

/** `doctor` says how old the list of templates is, which grows while the processes start. */
const withoutAge = (text: string): string => text.replaceAll(/read [a-z0-9 ]+ ago/g, 'read')
