import type { CustomFetch } from 'openid-client'
import { isSafe } from './issuer-address.js'

/** The provider was not reached, or its answer was not read to its end. The message names no parameter of the request. */
export class UnreadAnswer extends Error {}

/** The longest answer: metadata and keys of providers in use have less than a tenth of it. */
const MAX_MIB = 1
const MAX_BYTES = MAX_MIB * 1024 * 1024

/** Makes a `fetch` that waits no longer than `timeoutMs` for a whole answer, reads at most 1 MiB of it, and sends nothing over plain http to another machine. */
export const boundedFetch =
  (timeoutMs: number): CustomFetch =>
  async (address, options) => {
    const url = new URL(address)
    if (!isSafe(url)) throw new UnreadAnswer(`it names an address that is not https: ${url.origin}`)
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const { headers, method, redirect, body: form } = options
      const response = await fetch(url, { headers, method, redirect, signal, ...(form instanceof URLSearchParams && { body: form }) })
      const text = response.body === null ? null : await readText(response.body)
      return new Response(text, { status: response.status, statusText: response.statusText, headers: response.headers })
    } catch (error) {
      throw error instanceof UnreadAnswer ? error : new UnreadAnswer(signal.aborted ? `no answer within ${timeoutMs} ms` : `no answer: ${codeOf(error)}`)
    }
  }

const readText = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new UnreadAnswer(`an answer of more than ${MAX_MIB} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The system's code, such as `ECONNREFUSED`; `fetch` hides it in a cause. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause instanceof Error ? codeOf(error.cause) : error.name
}
