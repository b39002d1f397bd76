import { assert } from 'chai'
import { posternJson } from '../../support/postern.js'
import { type CommandLine, openCommandLine, TOKEN } from './support.js'

describe('The commands about several senders', () => {
  let cli: CommandLine
  let workspace: string
  const set = (id: string, ...more: ReadonlyArray<string>) =>
    posternJson(['sender', 'set', 'shop', '--phone-number-id', id, ...more], cli.env, TOKEN)
  const shown = async (): Promise<ReadonlyArray<string>> =>
    (await cli.json<{ readonly senders: ReadonlyArray<{ readonly phone_number_id: string }> }>('sender', 'show', 'shop')).senders
      .map(({ phone_number_id }) => phone_number_id)

  before(async () => {
    cli = await openCommandLine()
    workspace = (await cli.json<{ id: string }>('workspace', 'create', 'shop')).id
    await set('1001')
    await set('1002')
  })
  after(() => cli[Symbol.asyncDispose]())

  it('add a second one, make it the default, and show that one first', async () => {
    assert.deepEqual(await shown(), ['1001', '1002'])
    assert.match((await cli.lines('sender', 'default', 'shop', '1002'))[0] ?? '', /that name no sender now go through phone number id 1002/)
    assert.deepEqual(await shown(), ['1002', '1001'])
    await cli.fails(['sender', 'default', 'shop', '1009'], 1, /no sender with the phone number id 1009/)
    assert.deepEqual((await cli.lines('sender', 'list')).slice(1).map((line) => line.split(/ +/).slice(1, 4)), [
      ['1002', '-', 'yes'], ['1001', '-', '-'],
    ])
    await cli.json('sender', 'default', 'shop', '1001')
  })

  it('record a message to one of them, and show the window of each', async () => {
    await cli.json('window', 'record', 'shop', '33639980001', '--sender', '1002', '--at', '2026-01-01')
    const windows = (await cli.lines('customer', 'show', 'shop', '33639980001')).filter((line) => line.startsWith('window'))
    assert.deepEqual(windows, ['window       1001 never opened', 'window       1002 closed at 2026-01-02T00:00:00.000Z'])
    await cli.fails(['window', 'record', 'shop', '33639980001', '--sender', '1009'], 1, /no sender with the phone number id 1009/)
  })

  it('take a sender for lists of messages and templates', async () => {
    await set('1002', '--business-account-id', '2002')
    assert.deepEqual(await cli.json('message', 'list', 'shop', '--sender', '1002'), [])
    assert.deepEqual(await cli.json('template', 'list', 'shop', '--sender', '1002'), [])
    await cli.fails(['template', 'list', 'shop'], 1, /no business account id/)
    for (const command of ['message list shop', 'template list shop', 'template sync shop', 'template show shop x']) {
      await cli.fails([...command.split(' '), '--sender', '1009'], 1, /no sender with the phone number id 1009/)
    }
  })

  it('add up the usage of one of them, in a workspace', async () => {
    for (const options of [[], ['--sender', '1002']]) {
      assert.deepEqual(await cli.json('usage', '--month', '2026-11', '--workspace', 'shop', ...options), [])
    }
    const usage = ['usage', '--month', '2026-11']
    await cli.fails([...usage, '--workspace', 'shop', '--sender', '1009'], 1, /no sender with the phone number id 1009/)
    await cli.fails([...usage, '--sender', '1002'], 2, /--sender needs --workspace/)
    await cli.fails([...usage, '--workspace', 'nothing'], 1, /There is no workspace "nothing"/)
  })

  it('check each of them, and each of their business accounts, in doctor', async () => {
    const { checks } = await posternJson(['doctor'], cli.env) as { readonly checks: ReadonlyArray<{ readonly check: string }> }
    const named = checks.map(({ check }) => check).filter((check) => check.endsWith(`of ${workspace}`))
    assert.includeMembers(named, [`sender of 1001 of ${workspace}`, `catalogue of 1001 of ${workspace}`, `sender of 1002 of ${workspace}`])
    assert.includeMembers(named, [`business account of ${workspace}`, `catalogue of ${workspace}`])
  })

  it('replace one whose number has moved, and remove one, which has to be named', async () => {
    await cli.fails(['sender', 'remove', 'shop'], 1, /has 2 senders; name one/)
    const replaced = await posternJson(['sender', 'replace', 'shop', '1001', '--phone-number-id', '1003'], cli.env, TOKEN)
    assert.deepInclude(replaced, { phone_number_id: '1003', replaced: '1001' })
    assert.deepEqual(await shown(), ['1003', '1002'])
    await cli.json('sender', 'remove', 'shop', '1003')
    assert.deepEqual(await shown(), ['1002'])
    await cli.json('sender', 'remove', 'shop')
    await cli.fails(['sender', 'show', 'shop'], 1, /has no sender/)
  })
})
