import { assert } from 'chai'
import { type CommandLine, openCommandLine } from './support.js'

const CUSTOMER = '33639980001'
const UNKNOWN = { status: 'unknown', since: null, source: null, note: null }

describe('The commands about consent', () => {
  let cli: CommandLine
  let workspace: string
  before(async () => {
    cli = await openCommandLine()
    workspace = (await cli.json<{ id: string }>('workspace', 'create', 'shop')).id
  })
  after(() => cli[Symbol.asyncDispose]())

  it('record what a customer said, and show it with the customer', async () => {
    const given = ['--of', 'marketing', '--status', 'withdrawn', '--source', 'phone call', '--at', '2026-03-01T12:00:00Z']
    const stopped = { status: 'withdrawn', since: '2026-03-01T12:00:00.000Z', source: 'phone call', note: 'Called at noon.' }
    const consent = { marketing: stopped, all: UNKNOWN }
    assert.deepEqual(await cli.json('consent', 'set', workspace, CUSTOMER, ...given, '--note', 'Called at noon.'), consent)
    assert.deepEqual(await cli.lines('consent', 'set', 'shop', CUSTOMER, ...given), [
      'marketing  withdrawn since 2026-03-01T12:00:00.000Z (phone call)', 'all        unknown',
    ])
    assert.deepInclude(await cli.json<object>('customer', 'show', workspace, CUSTOMER), { phone_number: CUSTOMER, consent })
    assert.includeMembers([...await cli.lines('customer', 'show', workspace, CUSTOMER)], [
      'marketing    stopped since 2026-03-01T12:00:00.000Z (phone call)', 'all          not stopped',
    ])
  })

  it('keep what was said last, in whichever order it is recorded', async () => {
    const set = (status: string, at: string) => cli.json<{ all: object }>(
      'consent', 'set', workspace, '33639980002', '--of', 'all', '--status', status, '--source', 'form', '--at', at,
    )
    const later = { status: 'granted', since: '2026-03-02T12:00:00.000Z', source: 'form', note: null }
    assert.deepEqual((await set('granted', '2026-03-02T12:00:00Z')).all, later)
    assert.deepEqual((await set('withdrawn', '2026-03-01T12:00:00Z')).all, later)
    assert.include([...await cli.lines('customer', 'show', workspace, '33639980002')], 'all          allowed since 2026-03-02T12:00:00.000Z (form)')
  })

  it('refuse a topic, a status and a time that are not valid, and a statement without a source', async () => {
    const set = (...given: ReadonlyArray<string>) => ['consent', 'set', workspace, CUSTOMER, ...given]
    await cli.fails(set('--of', 'utility', '--status', 'granted', '--source', 'form'), 2, /Allowed choices are marketing, all/)
    await cli.fails(set('--of', 'all', '--status', 'unknown', '--source', 'form'), 2, /Allowed choices are granted, withdrawn/)
    await cli.fails(set('--of', 'all', '--status', 'granted'), 2, /--source/)
    const allow = (...given: ReadonlyArray<string>) => set('--of', 'all', '--status', 'granted', ...given)
    await cli.fails(allow('--source', ' '), 2, /source must have 1 to 100 characters/)
    await cli.fails(allow('--source', 'form', '--at', '2126-01-01T00:00:00Z'), 2, /at must not be in the future/)
  })

  it('require consent to marketing, and show whether it is required', async () => {
    const needs = { id: workspace, marketing_needs_consent: true }
    assert.deepInclude(await cli.json<object>('workspace', 'set', workspace), { ...needs, marketing_needs_consent: false })
    assert.deepInclude(await cli.json<object>('workspace', 'set', workspace, '--marketing-needs-consent', 'on'), needs)
    assert.deepInclude(await cli.json<object>('workspace', 'set', workspace, '--markup', '20%'), needs)
    assert.include([...await cli.lines('workspace', 'set', 'shop')], 'Marketing messages are sent only to customers who allowed them.')
    assert.include(
      [...await cli.lines('workspace', 'set', 'shop', '--marketing-needs-consent', 'off')],
      'Marketing messages are sent to all customers who did not stop them.',
    )
    await cli.fails(['workspace', 'set', workspace, '--marketing-needs-consent', 'yes'], 2, /Allowed choices are on, off/)
  })
})
