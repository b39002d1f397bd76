// Slow: starts the compiled gateway and the compiled command.
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { assert } from 'chai'
import { compiled } from '../../support/compiled.js'
import { bareEnv, postern, posternProcess } from '../../support/postern.js'
import { startServer } from '../../support/server-process.js'
import { agentOver } from '../../adapters/koa/mcp/agent.js'
import { openCommandLine, TOKEN } from './support.js'

const CUSTOMER = '33639980001'
const HELLO = { to: CUSTOMER, type: 'text', text: { body: 'Hello' }, idempotency_key: 'order-1' }

describe('a process of postern mcp', () => {
  it('brings an agent on this machine to a gateway, if it sends once and reads', async () => {
    await using cli = await openCommandLine()
    await cli.json('workspace', 'create', 'shop')
    await postern(['sender', 'set', 'shop', '--phone-number-id', '1000'], cli.env, TOKEN)
    await cli.json('wallet', 'top-up', 'shop', '5')
    await cli.json('window', 'record', 'shop', CUSTOMER)
    const { key } = await cli.json<{ key: string }>('key', 'mint', 'shop', '--scopes', 'send,read', '--daily-limit', '1')
    const server = await startServer(cli.env)
    try {
      const env = { POSTERN_URL: server.url, POSTERN_KEY: key }
      const transport = new StdioClientTransport({
        command: process.execPath, args: [compiled('apps/cli/main.js'), 'mcp'], env: bareEnv(env), stderr: 'pipe',
      })
      await using agent = await agentOver(transport as Transport)
      assert.includeMembers([...await agent.names()], ['send', 'quote', 'get_message'])
      const sent = await agent.use('send', HELLO)
      assert.deepInclude(sent.json, { status: 'success', replayed: false })
      assert.deepInclude((await agent.use('send', HELLO)).json, { id: sent.json['id'], replayed: true })
      assert.deepInclude((await agent.use('get_message', { id: sent.json['id'] })).json, { to: CUSTOMER, price: sent.json['price'] })
      assert.lengthOf(cli.simulator.received(), 1)
      const refused = await posternProcess(['mcp'], { ...env, POSTERN_KEY: `${key}0` })
      assert.deepEqual([refused.status, refused.stdout], [1, ''])
      assert.match(refused.stderr, /^postern: The gateway at .* refuses the API key/)
    } finally {
      server.signal('SIGTERM')
      await server.ended
    }
  })
})
