import type { Command } from 'commander'
import { hasUsableHost } from '../../core/kernel/address.js'
import { elementsOf, isJsonObject, type Json, type JsonObject } from '../../core/kernel/json.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import { causeOf } from '../server/package.js'
import { fail } from './output.js'
import type { Shell } from './shell.js'

/** `postern mcp`: passes the messages of an agent on this machine to a gateway, until the agent closes standard input. */
export const addMcpCommand = (program: Command, shell: Shell): void => {
  program.command('mcp')
    .description('connect an agent on this machine, over standard input and output, to the gateway at POSTERN_URL with the API key in POSTERN_KEY')
    .action(() => passOn(shell))
}

/** Longer than a send waits for the platform. A client stops waiting before that. */
const DEADLINE_MS = 75 * SECOND_MS

/** The maximum size of one message that the gateway accepts, in bytes. */
const MAX_LINE = 256 * 1024

/** The maximum number of concurrent messages; further messages wait on standard input. */
const MAX_UNDER_WAY = 16

type Gateway = { readonly url: string; readonly key: string }

/** Standard output contains only the protocol. A fault before the first message ends the command with a sentence. */
const passOn = async (shell: Shell): Promise<void> => {
  const gateway = gatewayOf(shell)
  await checkKey(gateway)
  const ask = asking(gateway)
  const underWay = new Set<Promise<void>>()
  for await (const line of linesOf(shell.stdin)) {
    const answering = ask(line).then((answer) => {
      if (answer !== undefined) shell.stdout.write(`${JSON.stringify(answer)}\n`)
    })
    underWay.add(answering)
    void answering.finally(() => underWay.delete(answering))
    if (underWay.size >= MAX_UNDER_WAY) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}

const gatewayOf = ({ env }: Shell): Gateway => {
  const { POSTERN_URL: url = 'http://127.0.0.1:3000', POSTERN_KEY: key = '' } = env
  if (!/^[!-~]+$/.test(key)) return fail('POSTERN_KEY is not set to an API key, pst_…; an owner creates one on the page Keys of the console, an operator with `postern key mint`.')
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && hasUsableHost(url) ? { url: url.replace(/\/+$/, ''), key } : fail('POSTERN_URL is not the address of a gateway, such as https://postern.example.com.')
}

const request = ({ url, key }: Gateway, path: string, init: RequestInit = {}): Promise<Response> =>
  // A redirect would be followed with the API key, and as a GET.
  fetch(url + path, {
    ...init, redirect: 'error', signal: AbortSignal.timeout(DEADLINE_MS), headers: { Authorization: `Bearer ${key}`, ...init.headers },
  })

const checkKey = async (gateway: Gateway): Promise<void> => {
  const response = await request(gateway, '/v1/key').catch((error: unknown) => fail(`The gateway at ${originOf(gateway)} cannot be reached: ${reasonOf(error)}.`))
  await response.body?.cancel()
  if (response.status === 401) return fail(`The gateway at ${originOf(gateway)} refuses the API key in POSTERN_KEY: it is wrong, revoked or expired.`)
  if (!response.ok) return fail(`${originOf(gateway)} answered ${response.status} to GET /v1/key, so it may not be a Postern gateway; check POSTERN_URL.`)
}

/** The URL may contain a password, so only its origin is shown. */
const originOf = ({ url }: Gateway): string => new URL(url).origin

const reasonOf = (error: unknown): string => causeOf(error instanceof Error && error.cause !== undefined ? error.cause : error).message

/** Creates a function that forwards one line from the agent to the gateway and resolves to the reply for the agent. It never rejects. */
const asking = (gateway: Gateway): ((line: string | undefined) => Promise<Json | undefined>) => {
  let version: Json | undefined
  return async (line) => {
    const message = line === undefined ? undefined : parsed(line)
    if (line === undefined || message === undefined) return errorOf(null, -32_700, `A message must be one JSON object, or a batch of them, on one line of at most ${MAX_LINE} bytes`)
    const { status, body }: Answer = await request(gateway, '/mcp', {
      method: 'POST', body: line,
      headers: {
        'Content-Type': 'application/json',
        'Accept': 'application/json, text/event-stream',
        ...(typeof version === 'string' && { 'MCP-Protocol-Version': version }),
      },
    }).then(
      async (response) => ({ status: response.status, body: parsed(await response.text()) }),
      (error: unknown) => ({ status: 0, body: { message: unansweredBecause(error) } }),
    )
    if (status === 200 && body !== undefined) {
      const result = isJsonObject(body) ? body['result'] : undefined
      if (isJsonObject(message) && message['method'] === 'initialize' && isJsonObject(result)) version = result['protocolVersion']
      return body
    }
    if (status === 202) return undefined
    const about = isJsonObject(body) ? body : undefined
    const failed = (id: Json): JsonObject => errorOf(id, -32_000, sentenceOf(about) ?? `The gateway answered ${status}`, about)
    const batch = elementsOf(message)
    // The protocol has a single error for a batch that it refuses.
    if (batch !== undefined && about?.['jsonrpc'] !== undefined) return about
    const failures = (batch ?? [message]).flatMap(idsOf).map(failed)
    return batch === undefined ? failures[0] : failures.length === 0 ? undefined : failures
  }
}

/** The id of a request. A notification has none, and is not answered. */
const idsOf = (message: Json): ReadonlyArray<Json> => {
  const id = isJsonObject(message) ? message['id'] : undefined
  return id === undefined ? [] : [id]
}

/** The gateway's response; the status is 0 if there was none. */
type Answer = { readonly status: number; readonly body: JsonObject | ReadonlyArray<Json> | undefined }

const unansweredBecause = (error: unknown): string =>
  `The gateway did not answer: ${reasonOf(error)}. A send may or may not have been processed: repeat it with the same idempotency_key, never with a new one`

/** The sentence of a failure of the API, or of the protocol. */
const sentenceOf = (body: JsonObject | undefined): string | undefined => {
  const error = body?.['error']
  const message = isJsonObject(error) ? error['message'] : body?.['message']
  return typeof message === 'string' ? message : undefined
}

const errorOf = (id: Json, code: number, message: string, data?: JsonObject): JsonObject =>
  ({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } })

const parsed = (text: string): JsonObject | ReadonlyArray<Json> | undefined => {
  try {
    const value = JSON.parse(text) as Json
    return isJsonObject(value) ? value : elementsOf(value)
  } catch {
    return undefined
  }
}

/** The lines of a stream, without empty lines; `undefined` instead of a line that is too long, whose text is not kept. */
async function* linesOf(stream: Shell['stdin']): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  let isTooLong = false
  for await (const chunk of stream) {
    const [first = '', ...more] = (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })).split('\n')
    rest += first
    for (const next of more) {
      if (isTooLong || Buffer.byteLength(rest) > MAX_LINE) yield undefined
      else if (rest.trim() !== '') yield rest
      rest = next
      isTooLong = false
    }
    if (rest.length > MAX_LINE) {
      rest = ''
      isTooLong = true
    }
  }
  if (rest.trim() !== '') yield rest
}
