import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { KeyPrincipal } from '../../../core/kernel/actor.js'
import { parseExactJson } from '../../../core/kernel/exact-json.js'
import { elementsOf, isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json.js'
import { beginningOf } from '../../../core/kernel/text.js'
import { missingScope, WORKSPACE_KEYS } from '../authenticate.js'
import { objectOrArrayReader } from '../body.js'
import { servedParts } from '../contract.js'
import { reportFailure } from '../errors.js'
import type { RateLimit } from '../limits.js'
import type { Operation } from '../operation.js'
import { actorOf, type Handler } from '../pipeline.js'
import { type HttpFailure, jsonReply, missingThing, refusalOf, type Reply, replyTo } from '../reply.js'
import { limitsOf } from '../raw-body.js'
import { appOf, type Log, onDemand } from '../request.js'
import type { ToolResult } from './server.js'
import type * as Server from './server.js'
import { marked, NOTICE } from './third-party.js'
import { type RunTool, type ToolDeps, type ToolInfo, TOOLS } from './tools.js'

const INSTRUCTIONS =
  'Postern sends messages to the customers of one workspace over WhatsApp and pays for each from its wallet. Call quote before send, and show the price to the person you work for. An error has a code, what to do '
    + `about it at doc_url, and in retry whether the same call is worth repeating; explain_error explains it here. ${NOTICE}`

/** `POST /mcp`: the tools of agents, by the Model Context Protocol. It follows the contract of the protocol, so the document of this API does not describe it. */
export const mcpEndpoint: Pick<Operation<ToolDeps>, 'method' | 'path' | 'isVersioned' | 'pathParameters' | 'handler'> = {
  method: 'post', path: '/mcp', isVersioned: false, pathParameters: {}, handler: (deps, log) => mcpHandler(deps, log),
}

const mcpHandler = (deps: ToolDeps, log: Log): Handler => {
  const authenticate = WORKSPACE_KEYS.makeAuthenticate(deps, { remembers: false })
  const readBody = objectOrArrayReader(['params'])
  const served = servedParts(deps)
  const tools = TOOLS.filter(({ part }) => part === undefined || served[part]).map(({
    act, run, name, title, description, inputSchema, annotations,
  }) =>
    ({ act, run: run(deps, log), info: { name, title, description, inputSchema, annotations } satisfies ToolInfo }))
  const load = onDemand(loadServer)

  /** Creates the function that answers one message of a request. */
  const answering = (ctx: RouterContext, principal: KeyPrincipal, server: typeof Server) => async (body: JsonObject): Promise<Reply> => {
    const message = readMessage(body)
    if (E.isLeft(message)) return message.left
    const last: { called?: Called } = {}
    const reply = await server.exchange({
      message: message.right, headers: headersOf(ctx), instructions: INSTRUCTIONS,
      tools: tools.flatMap(({ act, info }) => (missingScope(principal, act) === undefined ? [info] : [])),
      call: async (name, args) => {
        const tool = tools.find(({ info }) => info.name === name)
        if (tool === undefined) return undefined
        last.called = await callTool(ctx, log, tool.run, {
          principal, by: actorOf(principal, ctx, deps), requestId: ctx.response.get('X-Request-Id'), args,
        })
        return last.called.result
      },
    })
    const { headers = {}, code } = last.called ?? {}
    return { ...reply, headers: { ...reply.headers, ...headers }, ...(code !== undefined && { code }) }
  }

  return async (ctx) => {
    if (isOfAnotherSite(ctx)) return E.right(ANOTHER_SITE)
    const principal = await authenticate(ctx).principal
    if (E.isLeft(principal)) return principal
    const { workspace } = principal.right
    limitsOf(ctx).memory.belongTo(workspace)
    const body = await readBody(ctx)
    if (E.isLeft(body)) return body
    const server = await load()
    if (server === undefined) return E.left(missingThing('This gateway does not serve agents: the package @modelcontextprotocol/sdk is not installed'))
    const answer = answering(ctx, principal.right, server)
    const batch = elementsOf(body.right)
    if (batch === undefined) return E.right(await answer(body.right as JsonObject))
    return E.right(await answerBatch(ctx, batch, answer, async () => deps.rateLimit?.(workspace) ?? E.right(undefined)))
  }
}

/**
 * A message of a client. Many clients send null for absent values. Parameters of a wrong shape get one sentence; the SDK would reply with an internal error and a dump
 * of its validator.
 */
const readMessage = ({ params, ...message }: JsonObject): E.Either<Reply, JsonObject> => {
  if (params === undefined || params === null) return E.right(message)
  if (!isJsonObject(params)) return E.left(invalidParams(message['id'], 'params'))
  const { arguments: args, ...others } = params
  if (args === undefined || args === null) return E.right({ ...message, params: others })
  return isJsonObject(args) ? E.right({ ...message, params }) : E.left(invalidParams(message['id'], 'params.arguments'))
}

const INVALID_PARAMS = -32_602

/** The protocol answers an error of a request with 200; `id` is null if the message has none that can be repeated. */
const invalidParams = (id: unknown, name: string): Reply => jsonReply(200, errorOf(id, INVALID_PARAMS, `${name} must be an object`))

const errorOf = (id: unknown, code: number, message: string, data?: JsonObject): JsonObject =>
  ({ jsonrpc: '2.0', error: { code, message, ...(data && { data }) }, id: typeof id === 'string' || typeof id === 'number' ? id : null })

/** The maximum number of messages in a batch. */
const MAX_BATCH = 20

/** The version of the protocol that has batches. Its requests have no header of the version, or this one. */
const VERSION_OF_BATCHES = '2025-03-26'

const INVALID_REQUEST = -32_600

const whyNoBatch = (ctx: RouterContext, messages: ReadonlyArray<Json>): string | undefined => {
  const version = ctx.get('MCP-Protocol-Version') || VERSION_OF_BATCHES
  if (version !== VERSION_OF_BATCHES) return `The protocol ${beginningOf(version, MAX_SHOWN)} has no batches; send one message in each request`
  if (messages.length === 0 || messages.length > MAX_BATCH) return `A batch must have 1 to ${MAX_BATCH} messages`
  return messages.some((message) => isJsonObject(message) && message['method'] === 'initialize')
    ? 'A batch must not have the method initialize'
    : undefined
}

const MAX_SHOWN = 40

/** Answers the messages of a batch concurrently, as if they were separate requests. The request has counted for the rate limit as its first message. */
const answerBatch = async (
  ctx: RouterContext, messages: ReadonlyArray<Json>, answer: (message: JsonObject) => Promise<Reply>, count: () => ReturnType<RateLimit>,
): Promise<Reply> => {
  const refusal = whyNoBatch(ctx, messages)
  if (refusal !== undefined) return { ...jsonReply(400, errorOf(null, INVALID_REQUEST, refusal)), code: 'malformed_body' }
  const answers = await Promise.all(messages.map(async (message, index) => {
    const counted = index === 0 ? E.right(undefined) : await count()
    if (!isJsonObject(message)) return jsonReply(200, errorOf(null, INVALID_REQUEST, 'A message must be an object'))
    return E.isLeft(counted) ? refused(ctx, message, counted.left) : answer(message)
  }))
  const unacceptable = answers.find(({ status }) => status === NOT_ACCEPTABLE)
  if (unacceptable !== undefined) return unacceptable
  const bodies = answers.flatMap(({ body }) => (typeof body === 'string' && body !== '' ? [body] : []))
  const code = answers.find((one) => one.code !== undefined)?.code
  return {
    ...(bodies.length === 0
      ? ACCEPTED
      : { status: 200, body: `[${bodies.join(',')}]`, headers: { 'Content-Type': 'application/json; charset=utf-8' } }),
    ...(code !== undefined && { code }),
  }
}

/** The client does not accept JSON, which applies to every message. */
const NOT_ACCEPTABLE = 406

const ACCEPTED: Reply = { status: 202, body: '', headers: {} }

/** The answer to a message of a batch that the gateway refuses: it has the body that a separate request would get. A notification has no answer. */
const refused = (ctx: RouterContext, { id }: JsonObject, failure: HttpFailure): Reply => {
  const { body, code } = replyTo(ctx, failure)
  const data = parseExactJson(body) as JsonObject
  return {
    ...(id === undefined ? ACCEPTED : jsonReply(200, errorOf(id, -32_000, refusalOf(failure, appOf(ctx).now()).message, data))),
    ...(code !== undefined && { code }),
  }
}

type Called = { readonly result: ToolResult; readonly headers: Readonly<Record<string, string>>; readonly code?: string }

/** The result of a call of a tool. A failure has the reply of the same request below `/v1`. */
const callTool = async (ctx: RouterContext, log: Log, run: RunTool, call: Parameters<RunTool>[0]): Promise<Called> => {
  const outcome = await run(call)
  if (E.isRight(outcome)) return { result: { value: outcome.right.value, isError: false }, headers: named(outcome.right.headers) }
  reportFailure(log, call.requestId, outcome.left)
  const { body, headers, code } = replyTo(ctx, outcome.left)
  const value = parseExactJson(body) as JsonObject
  return {
    result: { value: 'platform_error' in value ? marked(value, ['platform_error']) : value, isError: true },
    headers: named(headers),
    ...(code !== undefined && { code }),
  }
}

/** The header of an operation that contains the id of the message for the log. */
const named = ({ 'Postern-Message': id }: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  id === undefined ? {} : { 'Postern-Message': id }

/** The headers as the protocol expects them. The SDK requires both types, though every reply here is JSON; a client that accepts JSON gets it. */
const headersOf = (ctx: RouterContext): Readonly<Record<string, string>> => {
  const accept = ctx.accepts('application/json') === false ? ctx.get('Accept') : 'application/json, text/event-stream'
  const others = ['Content-Type', 'MCP-Protocol-Version'].flatMap((name): ReadonlyArray<readonly [string, string]> =>
    ctx.get(name) === '' ? [] : [[name, ctx.get(name)]])
  return { ...Object.fromEntries(others), Accept: accept }
}

/**
 * Whether the request comes from a page of another site. The protocol requires this check, which is meant for servers without keys: a page cannot know the key, and
 * cannot read a reply, because no reply has headers of CORS.
 */
const isOfAnotherSite = (ctx: RouterContext): boolean => {
  const origin = ctx.get('Origin')
  const { publicUrl } = appOf(ctx)
  return origin !== '' && (publicUrl === undefined || origin !== new URL(publicUrl).origin)
}

const ANOTHER_SITE: Reply = {
  ...jsonReply(403, {
    jsonrpc: '2.0', error: { code: -32_000, message: 'This address does not accept requests from pages of other sites' }, id: null,
  }),
  code: 'forbidden',
}

/** The SDK is an optional package, and uses 40 MB of memory, so it is loaded at the first request. */
const loadServer = async (): Promise<typeof Server | undefined> => {
  try {
    return await import('./server.js')
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes("'@modelcontextprotocol/sdk'")) return undefined
    throw cause
  }
}
