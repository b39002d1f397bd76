import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { parseExactJson } from '../../../core/kernel/exact-json.js'
import { isJsonObject, type JsonObject } from '../../../core/kernel/json.js'
import { makeAuthenticate } from '../authenticate.js'
import { bodyReader } from '../body.js'
import { servedParts } from '../contract.js'
import { reportFailure } from '../errors.js'
import { replyTo } from '../graph/errors.js'
import { actorOf, type Handler, type Operation } from '../operation.js'
import { jsonReply, missingThing, type Reply } from '../reply.js'
import { limitsOf } from '../raw-body.js'
import { appOf, type Log, onDemand } from '../request.js'
import { anyObject } from '../schema.js'
import type { ToolResult } from './server.js'
import type * as Server from './server.js'
import { marked, NOTICE } from './third-party.js'
import { type RunTool, type ToolDeps, type ToolInfo, TOOLS } from './tools.js'

const INSTRUCTIONS =
  'Postern sends messages to the customers of one workspace over WhatsApp and pays for each from its wallet. Call quote before send, and show the price to the person you work for. An error has a code, what to do ' +
  `about it at doc_url, and in retry whether the same call is worth repeating; explain_error explains it here. ${NOTICE}`

/** `POST /mcp`: the tools of agents, by the Model Context Protocol. Its contract is the protocol's, so the document of this one does not describe it. */
export const mcpEndpoint: Pick<Operation<ToolDeps>, 'method' | 'path' | 'isVersioned' | 'pathParameters' | 'handler'> = {
  method: 'post', path: '/mcp', isVersioned: false, pathParameters: {}, handler: (deps, log) => mcpHandler(deps, log),
}

const mcpHandler = (deps: ToolDeps, log: Log): Handler => {
  const authenticate = makeAuthenticate(deps, { remembers: false })
  // A JSON array is refused here, so one request is one message and counts once for the limits.
  const readBody = bodyReader({ codec: anyObject, forms: false, passedOn: ['params'] })
  const served = servedParts(deps)
  const tools = TOOLS.filter(({ part }) => part === undefined || served[part]).map(({ scope, run, name, title, description, inputSchema, annotations }) =>
    ({ scope, run: run(deps, log), info: { name, title, description, inputSchema, annotations } satisfies ToolInfo }))
  const load = onDemand(loadServer)
  return async (ctx) => {
    if (isOfAnotherSite(ctx)) return E.right(ANOTHER_SITE)
    const principal = await authenticate(ctx).principal
    if (E.isLeft(principal)) return principal
    const { scopes, workspace } = principal.right
    limitsOf(ctx).memory.belongTo(workspace)
    const body = await readBody(ctx)
    if (E.isLeft(body)) return body
    const message = readMessage(body.right)
    if (E.isLeft(message)) return E.right(message.left)
    const server = await load()
    if (server === undefined) return E.left(missingThing('This gateway answers no agents: the package @modelcontextprotocol/sdk is not installed beside it'))
    const last: { called?: Called } = {}
    const reply = await server.exchange({
      message: message.right, headers: headersOf(ctx), instructions: INSTRUCTIONS,
      tools: tools.flatMap(({ scope, info }) => (scope === undefined || scopes.includes(scope) ? [info] : [])),
      call: async (name, args) => {
        const tool = tools.find(({ info }) => info.name === name)
        if (tool === undefined) return undefined
        last.called = await callTool(ctx, log, tool.run, { principal: principal.right, by: actorOf(principal.right, ctx, deps), requestId: ctx.response.get('X-Request-Id'), args })
        return last.called.result
      },
    })
    const { headers = {}, code } = last.called ?? {}
    return E.right({ ...reply, headers: { ...reply.headers, ...headers }, ...(code !== undefined && { code }) })
  }
}

/**
 * A message of a client. Many clients send null for what they leave out. Parameters of a wrong shape get one sentence; the SDK would answer an internal error with a
 * dump of its validator.
 */
const readMessage = ({ params, ...message }: JsonObject): E.Either<Reply, JsonObject> => {
  if (params === undefined || params === null) return E.right(message)
  if (!isJsonObject(params)) return E.left(invalidParams(message['id'], 'params'))
  const { arguments: args, ...others } = params
  if (args === undefined || args === null) return E.right({ ...message, params: others })
  return isJsonObject(args) ? E.right({ ...message, params }) : E.left(invalidParams(message['id'], 'params.arguments'))
}

const INVALID_PARAMS = -32_602

/** The protocol answers an error of a request with 200; `id` is null if the message has none that could be repeated. */
const invalidParams = (id: unknown, name: string): Reply => jsonReply(200, {
  jsonrpc: '2.0', error: { code: INVALID_PARAMS, message: `${name} must be an object` }, id: typeof id === 'string' || typeof id === 'number' ? id : null,
})

type Called = { readonly result: ToolResult; readonly headers: Readonly<Record<string, string>>; readonly code?: string }

/** The result of a call of a tool. A failure is what the same request would be answered with below `/v1`. */
const callTool = async (ctx: RouterContext, log: Log, run: RunTool, call: Parameters<RunTool>[0]): Promise<Called> => {
  const outcome = await run(call)
  if (E.isRight(outcome)) return { result: { value: outcome.right.value, isError: false }, headers: named(outcome.right.headers) }
  reportFailure(log, call.requestId, outcome.left)
  const { body, headers, code } = replyTo(ctx, outcome.left)
  const value = parseExactJson(body) as JsonObject
  return { result: { value: 'platform_error' in value ? marked(value, ['platform_error']) : value, isError: true }, headers: named(headers), ...(code !== undefined && { code }) }
}

/** Of the headers of an operation the one by which the log names a message. */
const named = ({ 'Postern-Message': id }: Readonly<Record<string, string>>): Readonly<Record<string, string>> => (id === undefined ? {} : { 'Postern-Message': id })

/** What the protocol reads of the headers. The SDK asks for both types, though every reply here is JSON; a client that accepts JSON gets it. */
const headersOf = (ctx: RouterContext): Readonly<Record<string, string>> => {
  const accept = ctx.accepts('application/json') === false ? ctx.get('Accept') : 'application/json, text/event-stream'
  const others = ['Content-Type', 'MCP-Protocol-Version'].flatMap((name): ReadonlyArray<readonly [string, string]> => (ctx.get(name) === '' ? [] : [[name, ctx.get(name)]]))
  return { ...Object.fromEntries(others), Accept: accept }
}

/**
 * Whether a page of another site asks. The protocol demands this check, for servers that take no key: a page cannot know the key, and is allowed no reply, since no reply has
 * headers of CORS.
 */
const isOfAnotherSite = (ctx: RouterContext): boolean => {
  const origin = ctx.get('Origin')
  const { publicUrl } = appOf(ctx)
  return origin !== '' && (publicUrl === undefined || origin !== new URL(publicUrl).origin)
}

const ANOTHER_SITE: Reply = {
  ...jsonReply(403, { jsonrpc: '2.0', error: { code: -32_000, message: 'This address takes no requests of pages of other sites' }, id: null }), code: 'forbidden',
}

/** The SDK is an optional package, and takes 40 MB of memory, so it is loaded at the first request. */
const loadServer = async (): Promise<typeof Server | undefined> => {
  try {
    return await import('./server.js')
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes("'@modelcontextprotocol/sdk'")) return undefined
    throw cause
  }
}
