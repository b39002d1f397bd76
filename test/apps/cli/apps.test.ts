import { assert } from 'chai'
import { asked } from '../../support/describe-ports.js'
import { postern, posternJson } from '../../support/postern.js'
import { assertFailed, type CommandLine, openCommandLine } from './support.js'

type Shown = {
  readonly id: string
  readonly name: string
  readonly webhook: string
  readonly created_at: string
  readonly rotating_since: string | null
}
type Added = Shown & { readonly verify_token: string | null }

const [SECRET, NEXT] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210']

describe('The commands about apps', () => {
  let cli: CommandLine
  beforeEach(async () => { cli = await openCommandLine() })
  afterEach(() => cli[Symbol.asyncDispose]())

  const add = (name: string, input = SECRET): Promise<Added> => posternJson(['app', 'add', name], cli.env, input) as Promise<Added>
  const rotate = (input: string, ...options: ReadonlyArray<string>): Promise<Shown> =>
    posternJson(['app', 'rotate', 'acme', ...options], cli.env, input) as Promise<Shown>
  const listed = (): Promise<ReadonlyArray<Shown>> => cli.json('app', 'list')

  it('add an app with the given verify token, or create one and print it only once', async () => {
    assert.deepEqual(await cli.lines('app', 'list'), ['There is no app yet except that of the environment; `postern app add NAME` adds one.'])
    const given = await add('acme', `${SECRET}\nmy-word\n`)
    assert.match(given.id, /^app_[0-9a-f]{32}$/)
    assert.deepInclude(given, { name: 'acme', webhook: '/webhooks/platform/acme', verify_token: null, rotating_since: null })
    const made = await add('other')
    assert.match(made.verify_token ?? '', /^[A-Za-z0-9_-]{43}$/)
    const { stdout, stderr } = await postern(['app', 'add', 'third'], { ...cli.env, PUBLIC_URL: 'https://gateway.example' }, `${SECRET}\n`)
    assert.match(stdout, /^App third \(app_[0-9a-f]{32}\) receives webhooks at https:\/\/gateway\.example\/webhooks\/platform\/third\.\nVerify token: \S{43}\n$/)
    assert.match(stderr, /cannot be shown again/)
  })

  it('list apps without their secrets', async () => {
    const { verify_token: _, ...acme } = await add('acme')
    assert.deepEqual(await listed(), [acme])
    const [head = '', row = ''] = await cli.lines('app', 'list')
    assert.match(head, /^ID +NAME +CREATED +TWO SECRETS SINCE +WEBHOOK$/)
    assert.match(row, new RegExp(`^${acme.id} +acme +\\S+Z +- +/webhooks/platform/acme$`))
  })

  it('add a second app secret, and remove the old or the new one', async () => {
    await add('acme')
    assert.isString((await rotate('mistyped\n')).rotating_since)
    assert.isNull((await rotate('', '--cancel')).rotating_since)
    assert.isString((await rotate(NEXT)).rotating_since)
    assert.isString((await listed())[0]?.rotating_since)
    const { stdout } = await postern(['app', 'rotate', 'acme', '--finish'], cli.env)
    assert.equal(stdout, 'The old app secret of app acme is removed; gateways may accept it for a few more seconds.\n')
    assert.isNull((await rotate('another-word', '--verify-token')).rotating_since)
    const changes = (await cli.json<ReadonlyArray<{ act: string; details?: { change?: string } }>>('audit', 'list'))
      .flatMap(({ act, details }) => (act === 'app.rotate' ? [details?.change] : [])).toReversed()
    assert.deepEqual(changes, [
      'second_secret_added', 'newer_secret_removed', 'second_secret_added', 'older_secret_removed', 'verify_token_replaced',
    ])
  })

  it('remove an app, by its name or its id, once no sender belongs to it', async () => {
    const [{ id }, other] = [await add('acme'), await add('other')]
    const { id: workspace } = await cli.json<{ readonly id: string }>('workspace', 'create', 'shop')
    await posternJson(['sender', 'set', 'shop', '--phone-number-id', '1001', '--app', 'acme'], cli.env, 'EAAtoken')
    assertFailed(await postern(['app', 'remove', 'acme'], cli.env), 1,
      new RegExp(`One sender belongs to the app \\(1001 of workspace ${workspace}\\), so it was not removed. Give each another app`))
    await posternJson(['sender', 'set', 'shop', '--phone-number-id', '1001', '--app', 'environment'], cli.env, 'EAAtoken')
    assert.deepEqual(await cli.json('app', 'remove', 'acme'), { id, removed: true })
    assert.deepEqual(await cli.lines('app', 'remove', other.id), [
      'App other is removed; gateways may accept notifications at its address for a few more seconds.',
    ])
    assert.deepEqual(await listed(), [])
    assertFailed(await postern(['app', 'remove', 'acme'], cli.env), 1, /There is no app "acme"/)
  })

  it('refuse what cannot be, without printing a secret', async () => {
    await add('acme')
    const fails = async (args: ReadonlyArray<string>, input: string, status: 1 | 2, sentence: RegExp): Promise<void> => {
      const ended = await postern(['app', ...args], cli.env, input)
      assertFailed(ended, status, sentence)
      assert.notInclude(ended.stderr, SECRET)
    }
    await fails(['add', 'acme'], SECRET, 1, /There already is an app named "acme"/)
    await fails(['add', 'a/b'], SECRET, 2, /The name is wrong: the name of an app must have 1 to 64 letters/)
    await fails(['add', 'empty'], '', 2, /The app secret on standard input is wrong/)
    await fails(['add', 'three'], `${SECRET}\nword\nmore`, 2, /more than two lines/)
    await fails(['rotate', 'nothing'], SECRET, 1, /There is no app "nothing"; `postern app list` shows them/)
    await fails(['rotate', 'acme', '--finish'], '', 1, /has one app secret, which cannot be removed/)
    await fails(['rotate', 'acme', '--finish', '--cancel'], '', 2, /cannot be used with option/)
    await rotate(NEXT)
    await fails(['rotate', 'acme'], SECRET, 1, /already has two app secrets; remove one of them first/)
    const { POSTERN_SECRET: _, ...without } = cli.env as Readonly<Record<string, string>>
    assertFailed(await postern(['app', 'add', 'none'], without, SECRET), 1, /POSTERN_SECRET is not set; it encrypts the secrets of apps/)
  })

  it('are checked by doctor, which accepts an environment without an app if there are others', async () => {
    const lines = async (env: Readonly<Record<string, string>>): Promise<string> => (await postern(['doctor'], env)).stdout
    const { PLATFORM_VERIFY_TOKEN: _token, PLATFORM_APP_SECRET: _secret, ...bare } = cli.env as Readonly<Record<string, string>>
    assert.match(await lines(bare), /^FAULT {2}webhook: PLATFORM_VERIFY_TOKEN or PLATFORM_APP_SECRET is not set/m)
    await add('acme', 'not-a-real-secret')
    assert.match(await lines(bare), /^ok {5}webhook: the environment has none; those of the apps are used\.$/m)
    assert.match(await lines(cli.env), /^ok {5}app acme: its webhook is \/webhooks\/platform\/acme\.$/m)
    const remote = { ...cli.env, PLATFORM_URL: 'https://127-0-0-1.invalid', PLATFORM_TIMEOUT_MS: '100' }
    assert.match(await lines(remote), /^FAULT {2}app acme: an app secret is not 32 hexadecimal digits in lower case/m)
    await rotate(NEXT)
    await rotate('', '--finish')
    assert.notMatch(await lines(remote), /^FAULT {2}app acme/m)
    assert.match(await lines({ ...cli.env, POSTERN_SECRET: 'another-secret-of-tests-that-is-long' }), /^FAULT {2}app acme: its secrets cannot be read/m)
  })

  it('are named by the commands about senders, which keep the app of a sender that is set again', async () => {
    const { id } = await add('acme')
    await cli.json('workspace', 'create', 'shop')
    const set = async (...options: ReadonlyArray<string>): Promise<unknown> =>
      (await posternJson(['sender', 'set', 'shop', '--phone-number-id', '1001', ...options], cli.env, 'EAAtoken') as { app: unknown }).app
    assert.isNull(await set())
    assert.equal(await set('--app', 'acme'), id)
    assert.equal(await set(), id)
    assert.isNull(await set('--app', 'environment'))
    assert.equal(await set('--app', id), id)
    const unknown = await postern(['sender', 'set', 'shop', '--phone-number-id', '1001', '--app', 'nothing'], cli.env, 'EAAtoken')
    assertFailed(unknown, 1, /There is no app "nothing"/)
    // An earlier release could remove an app while a sender was set with it.
    await asked(cli.env['DATABASE_URL'] ?? '', (knex) => knex('apps').delete())
    const dangling = await postern(['sender', 'set', 'shop', '--phone-number-id', '1001'], cli.env, 'EAAtoken')
    assertFailed(dangling, 1, new RegExp(`The app ${id} of the sender does not exist; nothing was changed\\. Name another app with --app`))
    assert.isNull(await set('--app', 'environment'))
  })

  it('replace secrets that can no longer be decrypted', async () => {
    await add('acme')
    const changed = { ...cli.env, POSTERN_SECRET: 'another-secret-of-tests-that-is-long' }
    for (const [input, ...options] of [[NEXT], ['', '--finish'], ['word', '--verify-token']] as const) {
      await posternJson(['app', 'rotate', 'acme', ...options], changed, input)
    }
    assert.match((await postern(['doctor'], changed)).stdout, /^ok {5}app acme/m)
  })
})
