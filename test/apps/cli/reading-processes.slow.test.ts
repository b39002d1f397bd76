// Slow: starts a process for each command, half a second each; the other tests run the same commands in their own process.
import { assert } from 'chai'
import { postern, posternJson, posternProcess, type Ended } from '../../support/postern.js'
import { openMessage } from './open-message.js'
import { startProcesses, type Processes } from './processes.js'
import { openCommandLine, TOKEN, type CommandLine } from './support.js'

/** Every command that only reads, so that one in this process has to print the same; words in capitals stand for ids that the test made. */
const READING = [
  'workspace list', 'key list shop', 'wallet show shop', 'wallet statement shop', 'wallet audit', 'sender list', 'sender show shop',
  'customer show shop CUSTOMER', 'message list shop', 'message show MESSAGE', 'message unconfirmed', 'template list shop',
  'template show shop order_update', 'endpoint list shop', 'endpoint deliveries ENDPOINT', 'member list', 'rates', 'doctor',
] as const

describe('A process of a command that reads', () => {
  let cli: CommandLine
  let processes: Processes | undefined
  const here = new Map<string, Ended>()

  before(async () => {
    cli = await openCommandLine()
    const { id } = await cli.json<{ id: never }>('workspace', 'create', 'shop')
    assert.equal(
      (await postern(
        ['sender', 'set', 'shop', '--phone-number-id', '1000', '--business-account-id', '200000000000001'], cli.env, TOKEN,
      )).status,
      0,
    )
    await cli.json('template', 'sync', 'shop')
    await cli.json('key', 'mint', 'shop')
    await cli.json('wallet', 'top-up', 'shop', '5')
    await cli.json('window', 'record', 'shop', '33639980001')
    await cli.json('member', 'invite', 'ada@shop.example', '--operator')
    const { id: endpoint } = (await posternJson(
      ['endpoint', 'add', 'shop', 'http://127.0.0.1:1/'], { ...cli.env, EVENTS_ALLOW: '127.0.0.0/8' },
    )) as { readonly id: string }
    // Nothing is delivered to it, which its log shows.
    await postern(['endpoint', 'test', endpoint], cli.env)
    const ids = new Map<string, string>([
      ['CUSTOMER', '33639980001'], ['ENDPOINT', endpoint], ['MESSAGE', await openMessage(cli.env['DATABASE_URL'] ?? '', id)],
    ])
    const starts = READING.map((name) => ({ name, args: [...name.split(' ').map((word) => ids.get(word) ?? word), '--json'] }))
    for (const { name, args } of starts) here.set(name, await postern(args, cli.env))
    processes = startProcesses(starts, cli.env)
  })
  after(async () => {
    await processes?.finished
    await cli[Symbol.asyncDispose]()
  })

  for (const words of READING) {
    it(`prints with ${words} what the same command prints in another process`, async () => {
      const { status, stdout, stderr } = (await processes?.ended.get(words)) ?? assert.fail(words)
      assert.equal(withoutAge(stdout), withoutAge(here.get(words)?.stdout ?? ''))
      assert.deepEqual([status, stderr], [0, ''])
      assert.isNotEmpty(JSON.parse(stdout) as object, words)
    })
  }

  it('prints its version and its help, and exits with 2 on wrong usage', async () => {
    assert.match((await posternProcess(['--version'], {})).stdout, /^\d+\.\d+\.\d+(-\w+)? \(schema \d+\)\n$/)
    const help = await posternProcess(['help', 'wallet'], {})
    assert.deepEqual([help.status, help.stderr], [0, ''])
    assert.match(help.stdout, /^Usage: postern wallet /)
    assert.deepEqual(await posternProcess(['walet'], {}), { status: 2, stdout: '', stderr: "postern: unknown command 'walet' (Did you mean wallet?)\n" })
  })
})

/** `doctor` says how old the list of templates is, which grows while the processes start. */
const withoutAge = (text: string): string => text.replaceAll(/read [a-z0-9 ]+ ago/g, 'read')
