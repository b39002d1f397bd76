import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { assert } from 'chai'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { PlatformId } from '../../../core/messages/message.js'
import { withDatabase } from '../../support/books.js'
import { freePort } from '../../support/free-port.js'
import { request } from '../../support/gateway.js'
import { postern, posternJson } from '../../support/postern.js'
import { rightOf } from '../../support/right-of.js'
import { startServer } from '../../support/server-process.js'
import { startFaultyProvider } from '../../adapters/oidc/faulty-provider.js'
import { openMessage } from './open-message.js'
import { openCommandLine, TOKEN, type CommandLine } from './support.js'

/** A number to which the simulator refuses to send. */
const REFUSED = '15550100126'

describe('The commands of an operator', () => {
  let cli: CommandLine
  let shop: string
  before(async () => {
    cli = await openCommandLine()
    shop = (await cli.json<{ id: string }>('workspace', 'create', 'Shop')).id
  })
  after(() => cli[Symbol.asyncDispose]())

  it('take a workspace by its name if that is unique', async () => {
    assert.deepEqual(await cli.json('wallet', 'show', 'Shop'), await cli.json('wallet', 'show', shop))
    await cli.fails(['workspace', 'create', 'Shop'], 1, new RegExp(`${shop} already has the name "Shop"; choose another name, or .*--again`))
    const { id } = await cli.json<{ id: string }>('workspace', 'create', 'Shop', '--again')
    await cli.fails(['wallet', 'show', 'Shop'], 1, new RegExp(`Several workspaces are named "Shop": ${shop}, ${id}; use an id`))
    assert.deepEqual(await cli.json('workspace', 'rename', id, 'Kiosk'), { id, name: 'Kiosk', currency: 'USD' })
    await cli.fails(['workspace', 'rename', 'Kiosk', 'Shop'], 1, /choose another name/)
    await cli.fails(['workspace', 'rename', 'Kiosk', 'ws_kiosk'], 2, /must not begin with ws_/)
    await cli.json('wallet', 'show', 'Shop')
    await cli.fails(['wallet', 'show', 'Kios'], 1, /There is no workspace "Kios"/)
  })

  it('archive a workspace, which is shown as archived and whose name is free', async () => {
    const { id } = await cli.json<{ id: string }>('workspace', 'create', 'Stall')
    const archived = await cli.json<Record<string, unknown>>('workspace', 'archive', 'Stall')
    assert.deepInclude(archived, { id, name: 'Stall' })
    assert.match(String(archived['archived_at']), /^\d{4}-.+Z$/)
    await cli.json('workspace', 'create', 'Stall')
    assert.match((await cli.lines('workspace', 'list')).find((line) => line.startsWith(id)) ?? '', /\dZ +\d{4}-\S+Z +Stall$/)
    const refused = [
      ['key', 'mint', id, '--name', 'till'], ['wallet', 'top-up', id, '5'], ['wallet', 'alert', id, '5'],
      ['workspace', 'rename', id, 'Booth'], ['window', 'record', id, '4915123456789'],
      ['member', 'invite', 'ada@example.com', '--workspace', id, '--role', 'owner'],
    ]
    for (const command of refused) await cli.fails(command, 1, /The workspace is archived, so it can only be read/)
    assert.deepInclude(
      await cli.json<Record<string, unknown>>('wallet', 'adjust', id, '5', '--note', 'a refund'), { available: '5.000000' },
    )
  })

  it('refuse a top-up whose reference was used for another amount, and say for which', async () => {
    await cli.json('wallet', 'top-up', 'Shop', '10', '--reference', 'invoice 8')
    await cli.fails(['wallet', 'top-up', 'Shop', '11', '--reference', 'invoice 8'], 1, /used before, for an amount of 10\.000000; nothing was changed/)
    await cli.fails(['wallet', 'top-up', 'Shop', '11', '--reference', 'ü'], 2, /printable ASCII/)
  })

  it('set below which amount a wallet is low, and that it never is', async () => {
    const set = await cli.json<Record<string, unknown>>('wallet', 'alert', 'Shop', '7.5')
    assert.deepInclude(set, { currency: 'USD', threshold: '7.500000', low_since: null, exhausted_since: null })
    assert.deepEqual(await cli.json('wallet', 'show', 'Shop'), set)
    assert.include(await cli.lines('wallet', 'show', 'Shop'), 'threshold  7.500000 USD')
    for (const amount of ['0', '-1', '+1', '1,5', '1.1234567', '10 EUR', 'EUR', 'ten', '1e3', '10000000000000', 'OFF', '', ' ']) {
      await cli.fails(['wallet', 'alert', 'Shop', amount], 2, /invalid|unknown option/)
    }
    await cli.fails(['wallet', 'alert', 'Kios', '1'], 1, /There is no workspace "Kios"/)
    await cli.fails(['wallet', 'alert', 'Shop'], 2, /missing required argument 'amount'/)
    assert.deepEqual(await cli.json('wallet', 'show', 'Shop'), set)
    assert.include(await cli.lines('wallet', 'alert', 'Shop', 'off'), 'threshold  none')
    const acts = (await cli.json<ReadonlyArray<Record<string, unknown>>>('audit', 'list', '--workspace', 'Shop', '--limit', '2'))
    assert.deepEqual(acts.map(({ act, details }) => [act, details]), [
      ['wallet.set_alert', { threshold: null }],
      ['wallet.set_alert', { threshold: '7.500000' }],
    ])
  })

  it('adjust a wallet by either sign, with a note in the statement', async () => {
    const { available } = await cli.json<{ available: string }>('wallet', 'show', 'Shop')
    await cli.json('wallet', 'adjust', 'Shop', '-0.50', '--note', 'typed 10 for 9.50')
    assert.deepEqual(await cli.json('wallet', 'adjust', 'Shop', '0.5', '--note', 'and back'), {
      currency: 'USD', available, held: '0.000000',
    })
    assert.match((await cli.lines('wallet', 'statement', 'Shop', '--limit', '2'))[2] ?? '', /adjustment +-0\.500000 +typed 10 for 9\.50$/)
    await cli.fails(['wallet', 'adjust', 'Shop', '-1000', '--note', 'too much'], 1, /below zero/)
    await cli.fails(['wallet', 'adjust', 'Shop', '0', '--note', 'x'], 2, /invalid/)
    await cli.fails(['wallet', 'adjust', 'Shop', '1'], 2, /--note/)
    await cli.fails(['wallet', 'adjust', 'Shop', '1', '--note', ' '], 2, /The note is wrong/)
  })

  it('show senders and never a token', async () => {
    await cli.fails(['sender', 'show', 'Shop'], 1, /has no sender/)
    await posternJson(['sender', 'set', 'Shop', '--phone-number-id', '1000', '--business-account-id', '2000'], cli.env, TOKEN)
    const view = {
      workspace: shop, phone_number_id: '1000', business_account_id: '2000', app: null, default: true, marketing_api: 'off',
    }
    assert.deepEqual(await cli.json('sender', 'show', 'Shop'), { ...view, senders: [view] })
    assert.deepEqual(await cli.json('sender', 'list'), [view])
    const shown = [...(await cli.lines('sender', 'list')), ...(await cli.lines('sender', 'show', 'Shop'))].join('\n')
    assert.match(shown, /1000 +2000 +yes +Shop/)
    assert.notInclude(shown, TOKEN)
    await cli.fails(['sender', 'set', 'Shop', '--phone-number-id', '12 34'], 2, /"12 34" is not an id of the platform/)
  })

  it('take a sender back', async () => {
    await posternJson(['sender', 'set', 'Shop', '--phone-number-id', '1000'], cli.env, TOKEN)
    await cli.fails(['sender', 'remove', 'Shop', '1001'], 1, /has no sender with the phone number id 1001/)
    assert.deepEqual(await cli.json('sender', 'remove', 'Shop', '1000'), { workspace: shop, phone_number_id: '1000' })
    await cli.fails(['sender', 'remove', 'Shop'], 1, /has no sender/)
    assert.deepEqual(await cli.json('sender', 'list'), [])
  })

  it('show the reason of a failure, one message, and the unconfirmed of all workspaces', async () => {
    await posternJson(['sender', 'set', 'Shop', '--phone-number-id', '1000'], cli.env, TOKEN)
    const { key } = await cli.json<{ key: string }>('key', 'mint', 'Shop')
    const server = await startServer(cli.env)
    try {
      await request(`${server.url}/v1/messages/send-template`, 'POST', key, { json: { to: REFUSED, template_name: 'hello_world' } })
    } finally {
      await server.kill()
    }
    const [message] = await cli.json<ReadonlyArray<{ id: string }>>('message', 'list', 'Shop')
    const id = message?.id ?? ''
    assert.match((await cli.lines('message', 'list', 'Shop'))[1] ?? '', /refused .* USD +131\d{3}: \S+/)
    const costs = { cost: '0.000000', cost_known_from: 'report', margin: '0.000000' }
    assert.deepEqual(await cli.json('message', 'show', id), { ...message, ...costs })
    const shown = (await cli.lines('message', 'show', id)).join('\n')
    assert.match(shown, /^reason +131\d{3}: /m)
    assert.match(shown, /^history +\S+Z +pending$/m)
    await cli.fails(['message', 'show', `msg_${'0'.repeat(32)}`], 1, /There is no message "msg_0+"/)
    assert.deepEqual(await cli.json('message', 'unconfirmed'), [])
    assert.deepEqual(await cli.lines('message', 'unconfirmed'), ['No unconfirmed messages.'])
  })

  it('show the history of a message in the order of its states, though the platform reports whole seconds', async () => {
    const id = await openMessage(cli.env['DATABASE_URL'] ?? '', shop as WorkspaceId)
    const second = Math.floor(Date.now() / 1_000) * 1_000
    await withDatabase(cli.env['DATABASE_URL'] ?? '', async ({ messageLog }) => {
      const platformId = 'wamid.HBgM' as PlatformId
      for (const change of [
        { state: 'accepted', at: second + 500, platformId }, { state: 'delivered', at: second }, { state: 'sent', at: second },
      ] as const) {
        rightOf(await messageLog.apply(shop as WorkspaceId, id, change))
      }
    })
    const states = ['pending', 'unconfirmed', 'accepted', 'sent', 'delivered']
    const { history } = await cli.json<{ readonly history: ReadonlyArray<{ readonly state: string }> }>('message', 'show', id)
    assert.deepEqual(history.map(({ state }) => state), states)
    const lines = await cli.lines('message', 'show', id)
    const first = lines.findIndex((line) => line.startsWith('history'))
    assert.deepEqual(lines.slice(first, first + states.length).map((line) => line.split(/\s+/).at(-1)), states)
  })

  it('show the rate card in use, as a file that RATE_CARD can name', async () => {
    const built = await cli.json<Record<string, unknown>>('rates')
    assert.hasAllKeys(built, ['currency', 'effective', 'default', 'markets', 'template_category', 'free_service_messages'])
    assert.match((await cli.lines('rates'))[0] ?? '', /^The built-in rate card: prices in USD\.$/)
    const file = cli.scratch.path('card.json')
    await writeFile(file, JSON.stringify(built))
    assert.deepEqual(await posternJson(['rates'], { ...cli.env, RATE_CARD: file }), built)
  })

  it('show every card of a list, which of them counts, and the rates that a card names', async () => {
    const price = { service: '1', marketing: '1', utility: '1', authentication: '1' }
    const cards = ['2999-01-01', '2020-01-01', '2020-04-01'].map((effective) => ({
      currency: 'USD', effective, default: price, markets: {}, template_category: 'utility',
    }))
    const special = { ...cards[0], markets: { '234': { authentication_international: '0.075' } }, free_service_messages: 1_000 }
    const file = cli.scratch.path('cards.json')
    await writeFile(file, JSON.stringify([special, ...cards.slice(1)]))
    const env = { ...cli.env, RATE_CARD: file }
    const { stdout } = await postern(['rates'], env)
    assert.deepEqual(stdout.match(/^From .*?\)/gm), [
      'From 2020-01-01 (no longer in effect)', 'From 2020-04-01 (in effect)', 'From 2999-01-01 (not yet in effect)',
    ])
    assert.match(stdout, /^The first 1000 texts of each month/m)
    assert.match(stdout, /AUTHENTICATION_INTERNATIONAL\n(.*\n)*\+234 .* 0\.075000$/m)
    const shown = await posternJson(['rates'], env) as ReadonlyArray<{ readonly effective: string }>
    assert.deepEqual(shown.map(({ effective }) => effective), ['2020-01-01', '2020-04-01', '2999-01-01'])
    await writeFile(file, JSON.stringify(shown))
    assert.deepEqual(await posternJson(['rates'], env), shown)
  })

  it('make no database file, except migrate', async () => {
    const file = cli.scratch.path('mistyped.db')
    const env = { ...cli.env, DATABASE_URL: `sqlite:${file}` }
    for (const command of [['workspace', 'list'], ['reconcile'], ['doctor']]) {
      const { status, stdout, stderr } = await postern(command, env)
      assert.equal(status, 1)
      assert.match(stdout + stderr, /there is no database file/i)
      assert.include(stdout + stderr, file)
    }
    assert.isFalse(existsSync(file))
    await posternJson(['migrate'], env)
    assert.isTrue(existsSync(file))
  })

  it('name a secret that can be guessed and a platform that is reached without encryption', async () => {
    const faultsWith = async (more: Readonly<Record<string, string>>): Promise<ReadonlyArray<string>> => {
      const { stdout } = await postern(['doctor', '--json'], { ...cli.env, ...more })
      const { checks } = JSON.parse(stdout) as { checks: ReadonlyArray<{ check: string; fault: string | null }> }
      return checks.filter(({ fault }) => fault !== null).map(({ check, fault }) => `${check}: ${String(fault)}`)
    }
    assert.include((await faultsWith({ POSTERN_SECRET: 'a'.repeat(32) })).join('\n'), 'POSTERN_SECRET: all its characters are equal')
    assert.include((await faultsWith({ POSTERN_SECRET: 'abab'.repeat(8) })).join('\n'), 'only 2 different characters')
    assert.include((await faultsWith({ PLATFORM_URL: 'http://graph.invalid', PLATFORM_TIMEOUT_MS: '100' })).join('\n'), 'PLATFORM_URL: it is an http:// address')
    assert.notInclude((await faultsWith({})).join('\n'), 'PLATFORM_URL')
  })

  it('say in doctor whether the identity provider answers', async () => {
    const provider = await startFaultyProvider()
    const registered = { OIDC_ISSUER: provider.url, OIDC_CLIENT_ID: 'postern', OIDC_CLIENT_SECRET: 'a-client-secret' }
    const linesWith = async (env: Readonly<Record<string, string>>): Promise<string> => {
      const { stdout } = await postern(['doctor'], { ...cli.env, ...env })
      assert.notInclude(stdout, 'a-client-secret')
      return stdout
    }
    assert.match(await linesWith(registered), /^ok {5}identity provider: its metadata was read/m)
    provider.faults.discovery = (response) => void response.writeHead(500).end()
    assert.match(await linesWith(registered), /^FAULT {2}identity provider: the identity provider failed: unexpected HTTP response status code .*Check that OIDC_ISSUER is/m)
    await provider[Symbol.asyncDispose]()
    // Another address, since this process may still hold a connection to the first one.
    assert.match(await linesWith({ ...registered, OIDC_ISSUER: `http://127.0.0.1:${await freePort()}` }), /^FAULT {2}identity provider: .*ECONNREFUSED/m)
    assert.notInclude(await linesWith({}), 'identity provider')
  })
})
