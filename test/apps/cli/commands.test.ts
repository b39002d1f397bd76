import { writeFile } from 'node:fs/promises'
import { assert } from 'chai'
import { openStorage } from '../../../adapters/knex/index.js'
import { STEPS } from '../../../adapters/knex/schema/steps.js'
import { CODES } from '../../../core/explanations/codes.js'
import type { AccountNotice } from '../../../core/reports/account.js'
import { request } from '../../support/gateway.js'
import { type Ended, type Env, postern, posternJson } from '../../support/postern.js'
import type { Scratch } from '../../support/scratch.js'
import { startServer } from '../../support/server-process.js'
import { assertFailed, type CommandLine, openCommandLine, TOKEN } from './support.js'

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

describe('The commands', () => {
  let cli: CommandLine
  let scratch: Scratch
  let env: Env
  let workspace: string

  const json = <Shape>(...args: ReadonlyArray<string>): Promise<Shape> => cli.json(...args)
  const lines = (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => cli.lines(...args)
  const fails = assertFailed

  before(async () => {
    cli = await openCommandLine()
    ;({ env, scratch } = cli)
    workspace = (await json<{ id: string }>('workspace', 'create', 'First shop')).id
  })
  after(() => cli[Symbol.asyncDispose]())

  describe('in general', () => {
    it('explain themselves with --help, each of them', async () => {
      const commands = [
        '', 'serve', 'simulator', 'migrate', 'explain', 'rates', 'workspace create', 'workspace list', 'workspace rename',
        'workspace archive', 'key mint', 'key rotate', 'key list', 'key revoke', 'wallet top-up', 'wallet show', 'wallet adjust',
        'wallet alert', 'wallet statement', 'wallet audit', 'sender set', 'sender default', 'sender replace', 'sender remove',
        'sender list', 'sender show', 'window record', 'customer show', 'message list', 'message show', 'message unconfirmed',
        'message cancel', 'message resolve', 'message settle-lost', 'template sync', 'template list', 'template show',
        'endpoint add', 'endpoint list', 'endpoint remove', 'endpoint rotate', 'endpoint enable', 'endpoint disable',
        'endpoint test', 'endpoint deliveries', 'endpoint redeliver', 'reconcile', 'doctor', 'app add', 'app list',
        'app rotate', 'app remove',
      ]
      for (const command of commands) {
        const { status, stdout } = await postern([...command.split(' ').filter(Boolean), '--help'], env)
        assert.equal(status, 0)
        assert.include(stdout, `Usage: postern ${command}`.trimEnd())
      }
    })

    it('explain the codes of the API and the errors of the platform, without a database', async () => {
      const explained = async (code: string): Promise<string> => {
        const { status, stdout, stderr } = await postern(['explain', code], {})
        assert.deepEqual([status, stderr], [0, ''])
        return stdout
      }
      assert.match(await explained('window_closed'), /^# window_closed\n\nHTTP status 400\n\n## What it means\n\nThe customer service window is closed[^]*## What to do\n\nSend an approved template[^]*\.\n$/)
      assert.match(await explained('131026'), /^# Error 131026 of the platform\n\nMessage undeliverable\n/)
    })

    it('print an explanation as the entry of /errors.json', async () => {
      assert.deepEqual(await posternJson(['explain', 'window_closed'], {}), {
        code: 'window_closed', ...CODES.window_closed, cure: CODES.window_closed.fix,
      })
      assert.deepInclude(await posternJson(['explain', '131026'], {}), { number: 131_026, title: 'Message undeliverable' })
    })

    it('name the nearest errors for one that does not exist', async () => {
      fails(await postern(['explain', 'window-close'], env), 2, /There is no error "window-close", neither a code of the API nor a number of the platform; did you mean window_closed\?/)
      fails(await postern(['explain', '130498', '--json'], env), 2, /There is no error "130498", .*; did you mean 130497 or [0-9]+/)
      fails(await postern(['explain', 'foo_bar'], env), 2, /There is no error "foo_bar", .*; \/errors of a gateway lists all errors\./)
    })

    it('end with 2 on wrong usage', async () => {
      fails(await postern(['walet'], env), 2, /unknown command 'walet'/)
      fails(await postern(['wallet', 'show', workspace, '--jsn'], env), 2, /unknown option '--jsn'/)
      fails(await postern(['wallet', 'show'], env), 2, /missing required argument 'workspace'/)
      assert.equal((await postern([], env)).status, 2)
    })

    it('print no word that is too many, which may be a token', async () => {
      const { status, stderr } = await postern(['sender', 'set', workspace, '--phone-number-id', '1000001', 'EAAG-secret\nEAAG-other'], env)
      assert.equal(status, 2)
      assert.equal(stderr, "postern: too many arguments for 'set'. Expected 1 argument but got 2.\n")
    })

    it('end with 1 if the workspace is unknown, whatever its id looks like', async () => {
      for (const id of ['nope', `ws_${'0'.repeat(32)}`]) fails(await postern(['wallet', 'show', id], env), 1, /There is no workspace/)
    })

    it('name every wrong variable and tell no value', async () => {
      const { status, stderr } = await postern(['workspace', 'list'], { ...env, PORT: 'x', POSTERN_SECRET: 'hunter2' })
      assert.equal(status, 1)
      assert.sameMembers(stderr.trimEnd().split('\n'), [
        'postern: PORT must be a whole number from 0 to 65535.', 'postern: POSTERN_SECRET must be a secret of at least 32 characters.',
      ])
    })

    it('ask for a migration if the database has none', async () => {
      fails(
        await postern(['workspace', 'list'], { ...env, DATABASE_URL: `sqlite:${scratch.path('empty.db')}` }), 1, /run `postern migrate`/,
      )
    })
  })

  it('migrate says what it did', async () => {
    assert.deepEqual(await json('migrate'), { from: STEPS.length, to: STEPS.length })
    assert.deepEqual(await lines('migrate'), [`The database is up to date, at version ${STEPS.length}.`])
  })

  it('workspace create and list show id, name and currency', async () => {
    const made = await json<{ id: string; name: string; currency: string }>('workspace', 'create', 'Second shop', '--currency', 'USD')
    assert.include(made, { name: 'Second shop', currency: 'USD' })
    assert.match(made.id, /^ws_[0-9a-f]{32}$/)
    const [first, second] = await json<ReadonlyArray<object>>('workspace', 'list')
    assert.deepEqual<unknown>([first, second], [{ id: workspace, name: 'First shop', currency: 'USD' }, made])
    const [heading = '', row = ''] = await lines('workspace', 'list')
    assert.equal(heading.indexOf('CURRENCY'), row.indexOf('USD'))
    assert.match((await lines('workspace', 'create', 'Third'))[0] ?? '', /^Workspace ws_[0-9a-f]{32} \(Third\)/)
  })

  it('workspace create refuses a currency without prices, and an invalid name', async () => {
    fails(await postern(['workspace', 'create', 'x', '--currency', 'EUR'], env), 1, /The rate card's prices are in USD/)
    fails(await postern(['workspace', 'create', 'x', '--currency', 'euro'], env), 2, /three capital letters/)
    fails(await postern(['workspace', 'create', ' '], env), 2, /a name must have/)
  })

  it('key mint prints the key once, list never, and revoke ends it', async () => {
    const minted = await json<{ id: string; key: string }>('key', 'mint', workspace, '--name', 'till')
    assert.match(minted.key, /^pst_/)
    const spoken = await postern(['key', 'mint', workspace], env)
    const [shown = '', ...more] = spoken.stdout.trimEnd().split('\n')
    assert.deepEqual([more, /store it now/.test(spoken.stderr)], [[], true])
    assert.match(shown, /^pst_\S+$/)
    assert.match((await lines('key', 'revoke', minted.id))[0] ?? '', /is revoked/)
    const listed = await postern(['key', 'list', workspace, '--json'], env)
    assert.notInclude(listed.stdout, minted.key)
    const [key] = JSON.parse(listed.stdout) as ReadonlyArray<Record<string, unknown>>
    assert.deepEqual(Object.keys(key ?? {}), [
      'id', 'name', 'created_at', 'last_used_at', 'revoked_at', 'scopes', 'expires_at', 'daily_limit', 'replaced_by',
    ])
    assert.deepInclude(key, { id: minted.id, name: 'till', last_used_at: null })
    assert.match(String(key?.['revoked_at']), ISO)
    assert.notInclude((await lines('key', 'list', workspace)).join('\n'), shown)
    fails(await postern(['key', 'revoke', 'nope'], env), 1, /There is no API key with that id/)
  })

  it('key mint limits a key, and key rotate replaces it once', async () => {
    const { id, key } = await json<{ id: string; key: string }>(
      'key', 'mint', workspace, '--name', 'shop', '--scopes', 'send, read', '--expires', '90d', '--daily-limit', '5',
    )
    const next = await json<{ id: string; key: string }>('key', 'rotate', id, '--overlap', '30m')
    assert.hasAllKeys(next, ['id', 'key'])
    const listed = await json<ReadonlyArray<Record<string, unknown>>>('key', 'list', workspace)
    const [old, successor] = [id, next.id].map((wanted) => listed.find((known) => known['id'] === wanted))
    assert.deepInclude(old, { scopes: ['send', 'read'], daily_limit: '5.000000', replaced_by: next.id, revoked_at: null })
    assert.deepInclude(successor, { name: 'shop', scopes: ['send', 'read'], daily_limit: '5.000000', replaced_by: null })
    assert.isBelow(Date.parse(String(old?.['expires_at'])), Date.parse(String(successor?.['expires_at'])))
    assert.notInclude(JSON.stringify(listed), key)
    fails(await postern(['key', 'rotate', id], env), 1, new RegExp(`has already been replaced by key ${next.id}`))
    fails(await postern(['key', 'rotate', next.id, '--overlap', '365d'], env), 2, /The overlap is wrong/)
    fails(await postern(['key', 'mint', workspace, '--scopes', 'everything'], env), 2, /the scope "everything" does not exist/)
    fails(await postern(['key', 'mint', workspace, '--expires', '2020-01-01'], env), 2, /it must be in the future/)
    fails(await postern(['key', 'mint', workspace, '--daily-limit', '0'], env), 2, /more than zero/)
    fails(await postern(['key', 'rotate', 'nope'], env), 1, /There is no API key with that id/)
  })

  it('wallet top-up credits a reference once, and show and statement tell the same', async () => {
    const balance = { currency: 'USD', available: '12.340000', held: '0.000000' }
    assert.deepEqual(await json('wallet', 'top-up', workspace, '12.34', '--reference', 'invoice 7'), { ...balance, added: true })
    assert.deepEqual(await json('wallet', 'top-up', workspace, '12.34', '--reference', 'invoice 7'), { ...balance, added: false })
    assert.equal((await lines('wallet', 'top-up', workspace, '12.34', '--reference', 'invoice 7'))[0], 'Nothing was added: the reference invoice 7 was already credited.')
    fails(await postern(['wallet', 'top-up', workspace, '99', '--reference', 'invoice 7'], env), 1, /was used before, for an amount of 12\.340000; nothing was changed/)
    assert.deepEqual(await json('wallet', 'show', workspace), { ...balance, threshold: null, low_since: null, exhausted_since: null })
    assert.deepEqual(await lines('wallet', 'show', workspace), ['available  12.340000 USD', 'held       0.000000 USD', 'threshold  none'])
    await lines('wallet', 'top-up', workspace, '0.66')
    const entries = await json<ReadonlyArray<Record<string, unknown>>>('wallet', 'statement', workspace)
    assert.deepEqual(entries.map(({ kind, amount }) => [kind, amount]), [['top_up', '0.660000'], ['top_up', '12.340000']])
    assert.equal(entries[1]?.['reference'], 'invoice 7')
    assert.lengthOf(await json<ReadonlyArray<unknown>>('wallet', 'statement', workspace, '--limit', '1'), 1)
    assert.lengthOf(await lines('wallet', 'statement', workspace), 3)
  })

  it('refuse a filter that is empty, unknown or given twice, and name those that there are', async () => {
    const refused: ReadonlyArray<readonly [words: string, sentence: RegExp]> = [
      ['message list WORKSPACE --to=', /it must be a number with its country code/],
      ['message list WORKSPACE --state=', /it must be one of queued, pending, /],
      ['message list WORKSPACE --state lost', /it must be one of queued, pending, /],
      ['message list WORKSPACE --template x', /unknown option '--template'/], ['message list WORKSPACE --limit=', /a whole number/],
      ['wallet statement WORKSPACE --kind hold', /unknown option/], ['audit list --since=', /it must be a date and time/],
      ['audit list --limit=', /a whole number/], ['template list WORKSPACE --name=', /unknown option/],
      ['message list WORKSPACE --to 4915123456789 --to 4915123456788', /option '--to <customer>' can be given only once/],
      ['message list WORKSPACE --state failed --state=refused', /option '--state <state>' can be given only once/],
      ['audit list --workspace a --workspace b', /option '--workspace <workspace>' can be given only once/],
      ['member list --workspace a --workspace a', /only once/],
      ['endpoint redeliver ep_1 --since 2026-01-01 --since 2026-02-01', /only once/], ['wallet audit --limit 1 --limit 2', /only once/],
    ]
    for (const [words, sentence] of refused) fails(await postern(words.replace('WORKSPACE', workspace).split(' '), env), 2, sentence)
    for (const list of ['audit', 'member']) fails(await postern([list, 'list', '--workspace='], env), 1, /There is no workspace ""; `postern workspace list` shows them/)
    for (const words of [
      ['message', 'list', workspace, '--json', '--json'],
      ['message', 'list', workspace, '--limit', '1', '--state', 'failed'],
    ]) {
      assert.equal((await postern(words, env)).status, 0)
    }
  })

  it('wallet top-up refuses an invalid amount', async () => {
    for (const amount of ['0', '1,5', '1.1234567', '-5', 'ten', '1e3', '10000000000000']) {
      fails(await postern(['wallet', 'top-up', workspace, amount], env), 2, /invalid/)
    }
  })

  it('sender set takes the token from standard input or POSTERN_ACCESS_TOKEN, and never shows it', async () => {
    const args = ['sender', 'set', workspace, '--phone-number-id', '1000', '--business-account-id', '2000']
    const { status, stdout, stderr } = await postern(args, env, `${TOKEN}\n`)
    assert.equal(status, 0)
    assert.notInclude(stdout + stderr, TOKEN)
    assert.deepEqual(await posternJson(args, { ...env, POSTERN_ACCESS_TOKEN: TOKEN }), {
      workspace, phone_number_id: '1000', business_account_id: '2000', app: null, marketing_api: 'off',
    })
    fails(await postern(args, env), 1, /The access token is empty/)
    fails(await postern(args, { ...env, POSTERN_SECRET: '' }, TOKEN), 1, /POSTERN_SECRET is not set/)
    fails(await postern(['sender', 'set', workspace], env, TOKEN), 2, /--phone-number-id/)
  })

  it('sender set refuses a phone number id that another workspace has', async () => {
    const other = (await json<{ id: string }>('workspace', 'create', 'other')).id
    await posternJson(['sender', 'set', workspace, '--phone-number-id', '1000'], env, TOKEN)
    fails(await postern(['sender', 'set', other, '--phone-number-id', '1000'], env, TOKEN), 1, /Another workspace already sends/)
  })

  it('window record takes a written number and a moment', async () => {
    const at = new Date(Date.now() - 3_600_000).toISOString()
    const shown = await json<Record<string, unknown>>('window', 'record', workspace, '+33 6 39-98 00.02', '--at', at)
    assert.deepInclude(shown, { open: true, last_inbound_at: at })
    assert.match(
      (await lines('window', 'record', workspace, '33639980003', '--at', '2020-01-01'))[0] ?? '', /^The window closed at 2020-01-02T00/,
    )
    fails(await postern(['window', 'record', workspace, '0639'], env), 2, /country code.*user id/)
    fails(await postern(['window', 'record', workspace, '33639980002', '--at', 'yesterday'], env), 2, /ISO 8601/)
    fails(await postern(['window', 'record', workspace, '33639980002', '--at', '2999-01-01T00:00:00Z'], env), 1, /future/)
  })

  it('message list, wallet audit and reconcile show what the gateway did', async () => {
    await posternJson(['sender', 'set', workspace, '--phone-number-id', '1000'], env, TOKEN)
    await json('wallet', 'top-up', workspace, '5', '--reference', 'for sending')
    const { key } = await json<{ key: string }>('key', 'mint', workspace)
    const server = await startServer(env)
    try {
      for (const to of ['33639980001', '15550100126']) {
        await request(`${server.url}/v1/messages/send-template`, 'POST', key, { json: { to, template_name: 'hello_world' } })
      }
      const { json: { messages } } = await request(`${server.url}/v1/messages`, 'GET', key, {})
      assert.deepEqual(await json('message', 'list', workspace), messages)
    } finally {
      await server.kill()
    }
    assert.lengthOf(await json<ReadonlyArray<unknown>>('message', 'list', workspace, '--state', 'refused'), 1)
    assert.lengthOf(await json<ReadonlyArray<unknown>>('message', 'list', workspace, '--to', '+33639980001', '--limit', '5'), 1)
    assert.match((await lines('message', 'list', workspace))[1] ?? '', /refused +15550100126 +hello_world +0\.062500 USD/)
    fails(await postern(['message', 'list', workspace, '--state', 'gone'], env), 2, /it must be one of/)

    const audit = await json<{ workspaces: number; broken: unknown }>('wallet', 'audit')
    assert.isAtLeast(audit.workspaces, 1)
    assert.deepEqual(audit.broken, [])
    const [books, ...comparison] = await lines('wallet', 'audit')
    assert.match(books ?? '', /are exact\.$/)
    assert.include(comparison.join('\n'), 'CATEGORY')
    fails(await postern(['wallet', 'audit', '--limit', '0'], env), 2, /whole number from 1/)
    assert.deepEqual(await json('reconcile'), { unconfirmed: 0, refused: 0, released: 0, captured: 0, refunded: 0 })
    assert.lengthOf(await lines('reconcile'), 1)
  })

  describe('doctor', () => {
    type Examined = {
      readonly ok: boolean
      readonly checks: ReadonlyArray<{ check: string; fault: string | null; remedy: string | null; ok: boolean }>
    }
    const examined = async (more: Env): Promise<Examined & Pick<Ended, 'status'>> => {
      const { status, stdout } = await postern(['doctor', '--json'], { ...env, ...more })
      return { status, ...(JSON.parse(stdout) as Examined) }
    }
    const faulty = async (more: Env, check: RegExp): Promise<void> => {
      const { status, ok, checks } = await examined(more)
      assert.deepEqual([status, ok], [1, false])
      const faults = checks.filter((one) => !one.ok)
      assert.isTrue(faults.some((one) => check.test(one.check)), JSON.stringify(faults))
      for (const { fault, remedy } of faults) assert.isTrue(Boolean(fault) && Boolean(remedy))
    }
    let healthy: Env

    before(async () => {
      healthy = { ...env, DATABASE_URL: `sqlite:${scratch.path('doctor.db')}` }
      await posternJson(['migrate'], healthy)
      const { id } = await posternJson(['workspace', 'create', 'x'], healthy) as { id: string }
      await posternJson(['sender', 'set', id, '--phone-number-id', '1000'], healthy, TOKEN)
    })

    it('finds nothing if all is well', async () => {
      const { status, ok, checks } = await examined(healthy)
      assert.deepEqual([status, ok], [0, true], JSON.stringify(checks))
      const { stdout } = await postern(['doctor'], healthy)
      assert.isTrue(stdout.trimEnd().split('\n').every((line) => line.startsWith('ok ')))
    })

    it('says where refused notifications are shown, and finds an invalid app secret', async () => {
      const { stdout } = await postern(['doctor'], healthy)
      assert.match(stdout, /^ok {5}PLATFORM_APP_SECRET: .*webhook_signature_rejected.*postern_webhook_rejected_total\.$/m)
      const real = { ...healthy, PLATFORM_URL: 'https://127-0-0-1.invalid' }
      await faulty({ ...real, PLATFORM_APP_SECRET: 'app-secret' }, /^PLATFORM_APP_SECRET$/)
      const { checks } = await examined({ ...real, PLATFORM_APP_SECRET: '0123456789abcdef0123456789abcdef' })
      assert.deepInclude(checks.map(({ check, fault }) => ({ check, fault })), { check: 'PLATFORM_APP_SECRET', fault: null })
    })

    it('shows the platform\'s last notice on the business account of a sender', async () => {
      const withDatabase = { ...env, DATABASE_URL: `sqlite:${scratch.path('account.db')}` }
      await posternJson(['migrate'], withDatabase)
      const { id } = await posternJson(['workspace', 'create', 'x'], withDatabase) as { id: string }
      await posternJson(['sender', 'set', id, '--phone-number-id', '1000', '--business-account-id', '10229'], withDatabase, TOKEN)
      const lineOf = async (): Promise<string | undefined> =>
        (await postern(['doctor'], withDatabase)).stdout.split('\n').find((line) => line.includes('business account of'))
      assert.equal(await lineOf(), `ok     business account of ${id}: the platform has reported neither restrictions nor limits, quality or paused templates.`)
      const storage = openStorage({ url: withDatabase.DATABASE_URL, secret: undefined })
      try {
        const at = Date.UTC(2026, 10, 1)
        const notices: ReadonlyArray<Pick<AccountNotice, 'field' | 'subject' | 'value'>> = [
          { field: 'business_capability_update', subject: '', value: { max_daily_conversations_per_business: 2_000 } },
          { field: 'phone_number_quality_update', subject: '15550783881', value: { event: 'FLAGGED', current_limit: 'TIER_2K' } },
          { field: 'message_template_status_update', subject: '7', value: { event: 'PAUSED', message_template_name: 'order_update' } },
        ]
        for (const notice of notices) await storage.accountNotices.record({ accountId: '10229', at, ...notice })
      } finally {
        await storage.close()
      }
      assert.equal(
        await lineOf(),
        `ok     business account of ${id}: limit of 2000 customers a day; number 15550783881 is FLAGGED with TIER_2K on 2026-11-01; ` +
          'templates that are not sent: order_update PAUSED.',
      )
    })

    it('finds each thing that is wrong and says what to do', async () => {
      const euros = scratch.path('euros.json')
      const price = { service: '1', marketing: '1', utility: '1', authentication: '1' }
      await writeFile(euros, JSON.stringify({ currency: 'EUR', effective: '2026-10-01', default: price }))
      await faulty({ ...healthy, PORT: 'x' }, /configuration/)
      await faulty({ ...healthy, RATE_CARD: 'none.json' }, /rate card/)
      await faulty({ ...healthy, RATE_CARD: euros }, /currency of ws_/)
      await faulty({ ...healthy, PLATFORM_APP_SECRET: '' }, /webhook/)
      await faulty({ ...healthy, POSTERN_SECRET: '' }, /POSTERN_SECRET/)
      await faulty({ ...healthy, POSTERN_SECRET: 'another-secret-that-is-long-enough' }, /sender of ws_/)
      await faulty({ ...healthy, PLATFORM_URL: 'http://127.0.0.1:1' }, /sender of ws_/)
      await faulty({ ...healthy, DATABASE_URL: `sqlite:${scratch.path('none/at/all.db')}` }, /database/)
      await faulty({ ...healthy, DATABASE_URL: `sqlite:${scratch.path('never-migrated.db')}` }, /database/)
    })
  })
})
