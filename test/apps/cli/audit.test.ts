import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { openStorage } from '../../../adapters/knex/index.js'
import type { AuditEntry } from '../../../core/kernel/actor.js'
import { auditIdOf, type WorkspaceId } from '../../../core/kernel/ids.js'
import { rightOf } from '../../support/right-of.js'
import { type CommandLine, openCommandLine } from './support.js'

type Shown = { readonly id: string; readonly act: string; readonly address: string | null; readonly workspace: string | null }

const DAY_MS = 86_400_000

describe('The commands about the audit log', () => {
  let cli: CommandLine
  let workspace: WorkspaceId
  before(async () => {
    cli = await openCommandLine()
    workspace = (await cli.json<{ id: WorkspaceId }>('workspace', 'create', 'shop')).id
    const entry = (at: number, more: Partial<AuditEntry>): AuditEntry => ({
      id: auditIdOf(uuidv7()), at, by: { type: 'command_line', user: 'ada' }, act: 'workspace.rename', outcome: 'done', ...more,
    })
    const storage = openStorage({ url: cli.env['DATABASE_URL'] ?? '', secret: undefined })
    rightOf(await storage.auditLog.append([
      entry(Date.now() - 40 * DAY_MS, { act: 'member.invite', subject: 'bob@shop.example' }),
      entry(Date.now() - 5, {
        act: 'audit.view', workspace, address: '192.0.2.1', outcome: 'refused', by: { type: 'unknown', email: '=cmd@shop.example' },
        details: { reason: 'Forbidden' },
      }),
    ]))
    await storage.close()
  })
  after(() => cli[Symbol.asyncDispose]())

  const acts = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
    (await cli.json<ReadonlyArray<Shown>>('audit', 'list', ...args)).map(({ act }) => act).filter((act) => act !== 'workspace.create')

  it('list it, newest first', async () => {
    assert.deepEqual(await acts(), ['audit.view', 'member.invite'])
    const [refused] = await cli.json<ReadonlyArray<Shown>>('audit', 'list', '--workspace', 'shop', '--limit', '1')
    assert.deepInclude(refused, { act: 'audit.view', address: '192.0.2.1', workspace })
    const lines = await cli.lines('audit', 'list')
    assert.match(lines[0] ?? '', /^AT +BY +ADDRESS +ACT +OUTCOME +WORKSPACE +SUBJECT +DETAILS$/)
    assert.isTrue(lines.some((line) => /command line \(ada\) +- +member\.invite +done +- +bob@shop\.example +-$/.test(line)))
  })

  it('list a workspace alone, and from a moment on', async () => {
    assert.deepEqual(await acts('--workspace', 'shop'), ['audit.view'])
    assert.deepEqual(await acts('--since', '30d'), ['audit.view'])
    assert.deepEqual(await acts('--since', '2020-01-01'), ['audit.view', 'member.invite'])
    for (const wrong of ['soon', '2026-02-31', '2026-13-01', '2026-02-30T12:00:00Z']) {
      await cli.fails(['audit', 'list', '--since', wrong], 2, /moment/)
    }
  })

  it('write it for a spreadsheet, without formulas, as the console does', async () => {
    const lines = await cli.lines('audit', 'list', '--workspace', 'shop', '--csv')
    assert.equal(lines[0], 'id,at,actor_type,actor,address,act,outcome,workspace,subject,details\r')
    assert.include(lines[1] ?? '', `,unknown,'=cmd@shop.example,192.0.2.1,audit.view,refused,${workspace},,"{""reason"":""Forbidden""}"`)
  })
})
