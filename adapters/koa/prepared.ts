import { createHash } from 'node:crypto'
import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { onDemand } from './on-demand.js'
import { headerRefs } from './openapi-headers.js'
import type { Responses } from './openapi-types.js'
import type { Reply, TextReply } from './reply.js'

/** Makes a handler that builds its reply at the first request and then answers with the same bytes, or with 304 where `If-None-Match` has their `ETag`. */
export const prepared = (make: () => TextReply): ((ctx: RouterContext) => Promise<E.Either<never, Reply>>) => {
  const reply = onDemand(() => {
    const { body, headers, ...rest } = make()
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    // A browser may keep it, but asks each time whether it is still the same.
    const shared = { ETag: tag, 'Cache-Control': 'no-cache' }
    const whole: Reply = { ...rest, body: Buffer.from(body), headers: { ...headers, ...shared } }
    return { tag, whole, unchanged: { status: 304, body: '', headers: shared } satisfies Reply }
  })
  return async (ctx) => {
    const { tag, whole, unchanged } = reply()
    const isKnown = ctx.get('If-None-Match').split(/\s*,\s*/).some((known) => known.replace(/^W\//, '') === tag)
    return E.right(isKnown ? unchanged : whole)
  }
}

/** The documentation of the reply to a client that has it already. */
export const UNCHANGED: Responses = { 304: { description: 'The client has it already, as its `If-None-Match` says.', headers: headerRefs('ETag') } }
