import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Scope } from '../../../../core/kernel/actor.js'
import { rightOf } from '../../../support/right-of.js'
import { type Gateway, NOON } from '../gateway.js'

/** What a tool gave: its text, and what the text says as JSON. */
export type Given = { readonly text: string; readonly json: Readonly<Record<string, unknown>>; readonly isError: boolean }

/** An agent that talks to a server over some transport, with the official client. */
export const agentOver = async (transport: Transport) => {
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(transport)
  return {
    client,
    names: async (): Promise<ReadonlyArray<string>> => (await client.listTools()).tools.map(({ name }) => name),
    use: async (name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Given> => {
      const { content, isError } = await client.callTool({ name, arguments: args })
      const [{ text }] = content as [{ readonly text: string }]
      return { text, json: JSON.parse(text) as Given['json'], isError: isError === true }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

export type Agent = Awaited<ReturnType<typeof agentOver>>

/** A new key of the workspace, for these scopes. */
export const keyFor = async ({ storage, workspace }: Gateway, scopes: ReadonlyArray<Scope>): Promise<string> =>
  rightOf(await storage.keyStore.mint({ workspace, name: 'agent', at: NOON, scopes })).key

/** An agent with a key. */
export const agentWith = ({ url }: Pick<Gateway, 'url'>, key: string): Promise<Agent> =>
  agentOver(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }) as Transport,
  )
