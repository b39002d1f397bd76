import { assert } from 'chai'
import { openStorage } from '../../../adapters/knex/index.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { answer, openNetwork } from '../../adapters/cloud-api/network.js'
import { type Env, postern, posternJson } from '../../support/postern.js'
import { rightOf } from '../../support/right-of.js'
import { type CommandLine, openCommandLine, TOKEN } from './support.js'

/** The simulator's business account, and one that it does not know. */
const [ACCOUNT, UNKNOWN_ACCOUNT] = ['200000000000001', '404404404404404']

type Shown = { readonly name: string; readonly language: string; readonly status: string }

describe('The commands about templates', () => {
  let cli: CommandLine
  const senders = new Map<string, string>()
  before(async () => {
    cli = await openCommandLine()
    for (const name of ['shop', 'bare', 'empty']) await cli.json('workspace', 'create', name)
    await assign('shop', ['--business-account-id', ACCOUNT])
    await assign('bare', [])
  })
  after(() => cli[Symbol.asyncDispose]())

  const assign = async (workspace: string, more: ReadonlyArray<string>, token = TOKEN): Promise<void> => {
    const phoneNumberId = senders.get(workspace) ?? String(1_000 + senders.size)
    senders.set(workspace, phoneNumberId)
    await posternJson(['sender', 'set', workspace, '--phone-number-id', phoneNumberId, ...more], cli.env, token)
  }
  const control = async (path: string, body: object): Promise<void> => {
    const { status } = await fetch(`${cli.simulator.url}/_simulator/templates${path}`, { method: 'POST', body: JSON.stringify(body) })
    assert.equal(status, 200)
  }
  const keys = (templates: ReadonlyArray<Shown>): ReadonlyArray<string> => templates.map(({ name, language }) => `${name} ${language}`)
  const idOf = async (workspace: string): Promise<WorkspaceId> => {
    const all = await cli.json<ReadonlyArray<{ readonly id: WorkspaceId; readonly name: string }>>('workspace', 'list')
    return all.find(({ name }) => name === workspace)?.id ?? assert.fail(workspace)
  }
  /** The lines of `doctor` about templates, without the id of the workspace. */
  const examined = async (
    workspace: string, more: Env = {},
  ): Promise<{ readonly status: number | null; readonly lines: ReadonlyArray<string> }> => {
    const id = await idOf(workspace)
    const { status, stdout } = await postern(['doctor'], { ...cli.env, ...more })
    const lines = stdout.split('\n').filter((line) => line.includes(id) && /^(ok {5}|FAULT {2})(sender|templates|catalogue) of/.test(line))
    return { status, lines: lines.map((line) => line.replace(id, 'WS')) }
  }

  it('say what to do before the list was ever read', async () => {
    await cli.fails(['template', 'show', 'shop', 'order_update'], 1, /was never read; `postern template sync WORKSPACE` reads it/)
    assert.deepEqual(await cli.json('template', 'list', 'shop'), [])
    const [line] = await cli.lines('template', 'list', 'shop')
    assert.equal(line, "The platform's list of templates was never read; `postern template sync WORKSPACE` reads it.")
    assert.include((await examined('shop')).lines, 'ok     catalogue of WS: the list was never read; a gateway reads it when it starts.')
  })

  it('read the list and show it by name and language', async () => {
    const synced = await cli.json<ReadonlyArray<Shown>>('template', 'sync', 'shop')
    assert.includeMembers([...keys(synced)], ['order_update en', 'order_update en_US', 'seasonal_sale en'])
    assert.deepEqual(await cli.json('template', 'list', 'shop'), synced)
    assert.deepEqual(keys(synced), [...keys(synced)].sort())
    const [read] = await cli.lines('template', 'sync', 'shop')
    assert.match(read ?? '', /^Read \d+ templates \(\d+ approved, 1 disabled, 1 paused, 1 pending, 1 rejected\) of business account 200000000000001\.$/)
    const lines = await cli.lines('template', 'list', 'shop')
    assert.match(lines[0] ?? '', /^NAME +LANGUAGE +CATEGORY +STATUS +QUALITY$/)
    assert.isTrue(lines.some((line) => /^seasonal_sale +en +marketing +paused +unknown$/.test(line)))
    assert.match(lines.at(-1) ?? '', /^Read at \d{4}-.+Z\.$/)
    assert.lengthOf(lines, synced.length + 2)
  })

  it('show a template in each language, with what a send fills', async () => {
    const shown = await cli.json<ReadonlyArray<Shown & { placeholders: unknown }>>('template', 'show', 'shop', 'order_update')
    assert.deepEqual(keys(shown), ['order_update en', 'order_update en_US'])
    assert.deepEqual(shown[0]?.placeholders, [{ component: 'body', type: 'text', index: 1 }, { component: 'body', type: 'text', index: 2 }])
    const lines = await cli.lines('template', 'show', 'shop', 'summer_offer')
    assert.equal(lines[0], 'summer_offer in en')
    assert.includeMembers([...lines], ['  status     approved', '  header     image', '  button 1   Book it: https://shop.example/offers?code={{1}}'])
    assert.deepEqual(lines.slice(lines.findIndex((line) => line.startsWith('  to fill'))).map((line) => line.slice(13)), [
      'header (image)', 'body 1 (text)', 'body 2 (text)', 'limited time offer (limited_time_offer)', 'button 0 (coupon_code)',
      'button 1 (text)',
    ])
    await cli.fails(['template', 'show', 'shop', 'order_updat'], 1, /There is no template "order_updat"; similar names are order_update\./)
    await cli.fails(['template', 'show', 'shop', 'обновление'], 1, /There is no template "обновление"; `postern template list WORKSPACE` shows all/)
  })

  it('write nothing of a template that a terminal takes as a command', async () => {
    await control('', {
      name: 'odd', language: 'en', category: 'UTILITY', components: [{ type: 'BODY', text: '\u001b[31mred\u202e\nsecond line' }],
    })
    await cli.json('template', 'sync', 'shop')
    const lines = await cli.lines('template', 'show', 'shop', 'odd')
    assert.includeMembers([...lines], ['  body       [31mred', '             second line'])
  })

  it('refuse a workspace without a sender, and a sender without a business account', async () => {
    for (const command of [['sync'], ['list'], ['show', 'order_update']] as const) {
      const [verb, ...rest] = command
      await cli.fails(['template', verb, 'empty', ...rest], 1, /The workspace has no sender; `postern sender set` adds one/)
      await cli.fails(['template', verb, 'bare', ...rest], 1, /no business account id; `postern sender set` with --business-account-id adds one/)
      await cli.fails(['template', verb, 'nowhere', ...rest], 1, /There is no workspace/)
    }
    assert.deepEqual((await examined('bare')).lines, [
      'ok     sender of WS',
      'ok     catalogue of WS: the sender has no business account id, so templates are not checked and not priced by their own category.',
    ])
  })

  it('say in doctor how old the list is, and which templates are paused, disabled or of low quality', async () => {
    await control('/welcome', { quality: 'RED', notify: false })
    await cli.json('template', 'sync', 'shop')
    const { lines } = await examined('shop')
    assert.equal(lines[0], 'ok     sender of WS')
    assert.match(lines[1] ?? '', /^ok {5}catalogue of WS: \d+ templates \(.+\) read less than a minute ago; /)
    assert.match(lines[1] ?? '', /; paused: seasonal_sale \(en\); disabled: old_offer \(en\); of red quality: welcome \(en\)\.$/)
    assert.lengthOf(lines, 2)
  })

  it('name a wrong business account id, and keep what was read', async () => {
    const before = await cli.json<ReadonlyArray<Shown>>('template', 'list', 'shop')
    await assign('shop', ['--business-account-id', UNKNOWN_ACCOUNT])
    const fault = 'The business account does not exist, or this access token has no access to it (error code 100)'
    await cli.fails(['template', 'sync', 'shop'], 1, /^postern: The business account does not exist.*error code 100\)\. Check that it is/)
    const { status, lines } = await examined('shop')
    assert.equal(status, 1)
    assert.deepEqual(lines, [
      'ok     sender of WS',
      `FAULT  templates of WS: business account ${UNKNOWN_ACCOUNT}: ${fault}; ` +
        'without the list, templates are neither checked nor priced by their own category, but messages are still sent. ' +
        'Check that it is the id of the WhatsApp business account, not of a number or an app; `postern sender set` stores another one.',
      `ok     catalogue of WS: the list was never read; a gateway reads it when it starts; the last read failed less than a minute ago: ${fault}.`,
    ])
    assert.match((await cli.lines('template', 'list', 'shop')).at(-1) ?? '', /^The last read failed at \d{4}-.+Z: The business account does not exist/)
    await assign('shop', ['--business-account-id', ACCOUNT])
    assert.deepEqual(await cli.json('template', 'list', 'shop'), before)
  })

  it('name a token that may not read templates, although its sender is accepted', async () => {
    const platform = await openNetwork()
    platform.behave((response, arrived) => (arrived.url?.includes('/message_templates') === true
      ? answer(403, { error: { code: 200, message: `(#200) ${TOKEN}`, type: 'OAuthException' } })
      : answer(200, { verified_name: 'Shop', id: '1000' }))(response, arrived))
    try {
      const { status, lines } = await examined('shop', { PLATFORM_URL: platform.url })
      assert.equal(status, 1)
      assert.equal(lines[0], 'ok     sender of WS')
      assert.match(lines[1] ?? '', /^FAULT {2}templates of WS: business account \d+: This access token may not read templates/)
      assert.match(lines[1] ?? '', / \(error code 200\); .*messages are still sent\. Give the access token the permission whatsapp_business_management/)
      const { stderr } = await postern(['template', 'sync', 'shop'], { ...cli.env, PLATFORM_URL: platform.url })
      assert.match(stderr, /^postern: This access token may not read templates \(error code 200\)\. Give the access token the permission/)
      assert.notInclude(lines.join() + stderr, TOKEN)
    } finally {
      await platform.close()
    }
  })

  it('show nothing of an account that another token reads and this one may not, and say so', async () => {
    const id = await idOf('shop')
    const storage = openStorage({ url: cli.env['DATABASE_URL'] ?? '', secret: cli.env['POSTERN_SECRET'] })
    const note = async (isRefused: boolean) =>
      rightOf(await storage.senders.noteAccount(
        { workspace: id, sender: senderIdOf('1000') }, { businessAccountId: ACCOUNT, accessToken: TOKEN }, isRefused, Date.UTC(2026, 2, 1),
      ))
    try {
      assert.isTrue(await note(true))
      for (const command of [['list', 'shop'], ['show', 'shop', 'welcome']]) {
        await cli.fails(['template', ...command], 1, /Since 2026-03-01T00:00:00\.000Z the access token cannot read the business account, so its templates are not shown; `postern template sync/)
      }
      assert.deepEqual((await examined('shop')).lines, [
        'ok     sender of WS',
        `ok     catalogue of WS: not used since 2026-03-01T00:00:00.000Z: business account ${ACCOUNT} could not be read with this token, but it could with the token of another workspace; `
          + 'a gateway tries again when it next reads the list, and so does `postern template sync`.',
      ])
      assert.deepInclude(await cli.json<object>('sender', 'show', 'shop'), { account_refused_since: '2026-03-01T00:00:00.000Z' })
      assert.include(await cli.lines('sender', 'show', 'shop'), 'not readable since   2026-03-01T00:00:00.000Z; templates are neither shown nor checked')
      await cli.json('template', 'sync', 'shop')
      assert.isFalse(await note(false))
      assert.isNotEmpty(await cli.json('template', 'list', 'shop'))
    } finally {
      await storage.close()
    }
  })

  it('say when the platform may be asked again, and if it cannot be reached', async () => {
    const platform = await openNetwork()
    platform.behave(answer(400, { error: { code: 80_008 } }, { 'retry-after': '120' }))
    await assertSync({ PLATFORM_URL: platform.url }, /too many requests for the templates .*\(error code 80008\)\. Try again in 120 seconds\./)
    await platform.close()
    await assertSync({ PLATFORM_URL: platform.url }, /The list of templates could not be read: .*ECONNREFUSED.*\. Check that PLATFORM_URL is right/)
  })

  const assertSync = async (more: Env, sentence: RegExp): Promise<void> => {
    const { status, stdout, stderr } = await postern(['template', 'sync', 'shop'], { ...cli.env, ...more })
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, sentence)
  }
})
