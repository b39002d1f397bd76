import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'
import { isJsonObject, type JsonObject } from '../../../core/kernel/json.js'
import type { TextReply } from '../reply.js'
import { plainJson } from './third-party.js'
import type { ToolInfo } from './tools.js'

/** The result of a call of a tool. */
export type ToolResult = { readonly value: JsonObject; readonly isError: boolean }

/** One message of a client, and the tools that it may use. */
export type Exchange = {
  readonly message: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly instructions: string
  readonly tools: ReadonlyArray<ToolInfo>
  /** Calls a tool; returns nothing if no tool has that name. */
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolResult | undefined>
}

/** The SDK would use it to check the clients' answers to forms, and no client is sent a form. */
const VALIDATOR = { getValidator: () => { throw new TypeError('no form is sent to a client') } }

/** The transport never reads the path of a request. */
const ADDRESS = 'http://postern/mcp'

/**
 * Answers one message with the SDK of the protocol. Each message has a separate server, because no state is kept between messages: any process of several gateways can
 * answer any message. It rejects with the error that a tool has thrown.
 */
export const exchange = async ({ message, headers, instructions, tools, call }: Exchange): Promise<TextReply> => {
  let defect: { readonly cause: unknown } | undefined
  const mcp = new McpServer(
    { name: 'postern', title: 'Postern', version: '1' }, { capabilities: { tools: {} }, instructions, jsonSchemaValidator: VALIDATOR },
  )
  mcp.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }))
  mcp.server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args = {} } }) => {
    const result = await call(name, args).catch((cause: unknown) => {
      defect = { cause }
      throw cause
    })
    if (result === undefined) throw new McpError(ErrorCode.InvalidParams, 'There is no tool of this name')
    return { content: [{ type: 'text', text: plainJson(result.value) }], isError: result.isError }
  })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await mcp.connect(transport)
  try {
    const response = await transport.handleRequest(new Request(ADDRESS, { method: 'POST', headers }), { parsedBody: message })
    const body = withoutDump(await response.text())
    if (defect !== undefined) throw defect.cause
    return { status: response.status, body, headers: body === '' ? {} : { 'Content-Type': 'application/json; charset=utf-8' } }
  } finally {
    await mcp.close()
  }
}

/** If a message breaks the schema of its method, the SDK replies with an internal error and the dump of its validator. */
const withoutDump = (body: string): string => {
  if (!body.includes(`"code":${ErrorCode.InternalError}`)) return body
  const reply = JSON.parse(body) as JsonObject
  const { error } = reply
  return isJsonObject(error) && error['code'] === ErrorCode.InternalError
    ? JSON.stringify({ ...reply, error: { code: ErrorCode.InvalidParams, message: 'The params are not of the shape that the protocol defines for this method' } })
    : body
}
