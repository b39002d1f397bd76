import { assert } from 'chai'
import { sha256 } from '../../../adapters/knex/access/members.js'
import type { Digest } from '../../../core/access/members.js'
import { withDatabase } from '../../support/books.js'
import { rightOf } from '../../support/right-of.js'
import { type CommandLine, openCommandLine } from './support.js'

/** What the console does when a person opens a link. */
const open = (database: string, url: string): Promise<unknown> =>
  withDatabase(database, async ({ members }) =>
    rightOf(await members.takeLink(sha256(url.slice(url.lastIndexOf('/') + 1)) as Digest, Date.now(), undefined)))

type Shown = {
  readonly email: string
  readonly operator: boolean
  readonly roles: ReadonlyArray<{ readonly workspace: string; readonly role: string }>
}

describe('The commands about members', () => {
  let cli: CommandLine
  let workspace: string
  before(async () => {
    cli = await openCommandLine()
    workspace = (await cli.json<{ readonly id: string }>('workspace', 'create', 'shop')).id
  })
  after(() => cli[Symbol.asyncDispose]())

  const shown = async (): Promise<ReadonlyArray<readonly [string, boolean, ReadonlyArray<string>]>> =>
    (await cli.json<ReadonlyArray<Shown>>('member', 'list')).map(({ email, operator, roles }) =>
      [email, operator, roles.map(({ role }) => role)])

  it('invite, list and remove people, and note who did it', async () => {
    const { id, url } = await cli.json<{ readonly id: string; readonly url: string }>('member', 'invite', ' Ada@Example.com', '--operator')
    assert.match(id, /^mbr_[0-9a-f]{32}$/)
    assert.match(url, /^http:\/\/127\.0\.0\.1:3000\/console\/link\/[\w-]{43}$/)
    const bob = await cli.json<{ readonly url: string }>(
      'member', 'invite', 'bob@example.com', '--workspace', 'shop', '--role', 'developer',
    )
    assert.deepEqual(await shown(), [['ada@example.com', false, []], ['bob@example.com', false, []]])
    assert.match((await cli.lines('member', 'list')).join('\n'), /bob@example\.com is invited by the command line.* as developer of ws_/)
    for (const link of [url, bob.url]) await open(cli.env['DATABASE_URL'] ?? '', link)
    assert.deepEqual(await shown(), [['ada@example.com', true, []], ['bob@example.com', false, ['developer']]])
    assert.include((await cli.lines('member', 'list')).join('\n'), `developer of ${workspace}`)
    await cli.json('member', 'remove', 'bob@example.com')
    assert.deepEqual(await shown(), [['ada@example.com', true, []]])
    const acts = await cli.json<ReadonlyArray<{ readonly act: string; readonly by: { readonly type: string } }>>('audit', 'list')
    assert.deepEqual(acts.slice(0, 3).map(({ act, by }) => [act, by.type]), [
      ['member.remove', 'command_line'], ['member.invite', 'command_line'], ['member.invite', 'command_line'],
    ])
    assert.notInclude(JSON.stringify(acts), url.slice(url.lastIndexOf('/') + 1))
  })

  it('make one member of two invitations for one email, however it is written, with a link each', async () => {
    const invite = (email: string) =>
      cli.json<{ readonly id: string; readonly url: string }>('member', 'invite', email, '--workspace', 'shop', '--role', 'viewer')
    const [first, second] = [await invite('eve@example.com'), await invite('EVE@Example.COM ')]
    assert.equal(second.id, first.id)
    assert.notEqual(second.url, first.url)
    assert.deepInclude(await shown(), ['eve@example.com', false, []])
    assert.match((await cli.lines('member', 'invite', 'eve@example.com', '--operator')).join('\n'), /known already, first invited by the command line/)
    await cli.json('member', 'remove', 'Eve@example.com')
    assert.deepEqual(await shown(), [['ada@example.com', true, []]])
  })

  it('refuse what cannot be, in one sentence', async () => {
    for (const odd of ['', 'bob@localhost', 'Bob <bob@example.com>', 'b\u00f6b@example.com', '\u212Aate@example.com']) {
      await cli.fails(['member', 'invite', odd, '--operator'], 2, /The email address is not valid/)
    }
    await cli.fails(['member', 'invite', 'not an email', '--operator'], 2, /The email address is not valid/)
    await cli.fails(['member', 'invite', 'bob@example.com'], 2, /--operator, or --workspace and --role/)
    await cli.fails(['member', 'invite', 'bob@example.com', '--workspace', 'shop', '--role', 'king'], 2, /king/)
    await cli.fails(
      ['member', 'invite', 'bob@example.com', '--workspace', 'nowhere', '--role', 'owner'], 1, /There is no workspace "nowhere"/,
    )
    await cli.fails(['member', 'remove', 'nobody@example.com'], 1, /No person with the email/)
    await cli.fails(['member', 'remove', 'ada@example.com'], 1, /last operator/)
  })
})
