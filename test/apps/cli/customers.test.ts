import { assert } from 'chai'
import { openCommandLine, type CommandLine } from './support.js'

describe('The compiled commands about customers', function () {
  // Processes start slowly on a busy machine.
  this.timeout(60_000)

  let cli: CommandLine
  let workspace: string
  before(async () => {
    cli = await openCommandLine()
    workspace = (await cli.json<{ id: string }>('workspace', 'create', 'shop')).id
  })
  after(() => cli[Symbol.asyncDispose]())

  it('record a message of a user id, and show the window of the customer', async () => {
    const at = new Date(Date.now() - 3_600_000).toISOString()
    const window = await cli.json<object>('window', 'record', workspace, 'DE.aBc', '--at', at)
    assert.deepInclude(window, { open: true, last_inbound_at: at })
    assert.deepEqual(await cli.json('customer', 'show', workspace, 'DE.aBc'), { phone_number: null, user_id: 'DE.aBc', username: null, name: null, window })
    const lines = await cli.lines('customer', 'show', 'shop', 'DE.aBc')
    assert.deepEqual(lines.slice(0, 5), ['number       -', 'user id      DE.aBc', 'name         -', 'username     -', 'marketing    not stopped'])
    assert.match(lines[5] ?? '', /^window {7}is open until \d{4}-/)
  })

  it('refuse what names no customer, and say so of a customer who is not known', async () => {
    for (const bad of ['de.aBc', 'DE.', `DE.${'7'.repeat(129)}`, 'DE.a b', '0639']) await cli.fails(['customer', 'show', workspace, bad], 2, /country code.*user id/)
    await cli.fails(['customer', 'show', workspace, 'DE.abc'], 1, /Nothing is known of this customer/)
    await cli.fails(['customer', 'show', 'nowhere', 'DE.aBc'], 1, /There is no workspace/)
  })
})
