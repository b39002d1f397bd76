import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { TooManyRequests } from '../../../core/kernel/limits.js'
import { responseOf, textContent } from '../document.js'
import { makeRefusalLimit, type ReadLimitsDeps } from '../limits.js'
import type { Parameter } from '../openapi-types.js'
import { rootOperation } from '../operation.js'
import { type NotFound, type Reply, textReply, type VerificationRefused } from '../reply.js'
import { AppRef, noSuchApp, required, type Webhook, type WebhookDeps } from '../webhook.js'

const query = (name: string, description: string): Parameter => ({ name, in: 'query', description, schema: { type: 'string' } })

const parametersWith = (verifyToken: string): ReadonlyArray<Parameter> => [
  query('hub.mode', 'Always `subscribe`.'), query('hub.verify_token', verifyToken), query('hub.challenge', 'What to answer.'),
]

const REPLIES = { 200: responseOf('The token is right.', textContent('text/plain', 'The challenge, unchanged.')) }

/** `GET /webhooks/platform` */
export const verifyWebhook = rootOperation({
  id: 'verifyWebhook',
  method: 'get',
  path: '/webhooks/platform',
  part: 'webhook',
  tag: 'Platform',
  summary: 'Answer the verification handshake',
  description: 'The platform calls this once, when the address is registered there.',
  parameters: parametersWith('The verify token of this gateway (`PLATFORM_VERIFY_TOKEN`).'),
  replies: REPLIES,
  failures: { VerificationRefused: true },
  handler: (deps: WebhookDeps) => {
    const webhook = required(deps.webhook)
    return async (ctx: RouterContext): Promise<E.Either<VerificationRefused, Reply>> => answer(webhook, ctx)
  },
})

/** `GET /webhooks/platform/{app}` */
export const verifyAppWebhook = rootOperation({
  id: 'verifyAppWebhook',
  method: 'get',
  path: '/webhooks/platform/{app}',
  part: 'appWebhooks',
  tag: 'Platform',
  summary: 'Answer the verification handshake of an app',
  description: 'The platform calls this once, when the address of the app is registered there. A network that is refused often gets 429 instead of the reason.',
  pathParameters: { app: AppRef },
  parameters: parametersWith('The verify token of the app.'),
  replies: REPLIES,
  failures: { VerificationRefused: true, NotFound: true, TooManyRequests: true, PortFailure: true },
  handler: (deps: WebhookDeps & ReadLimitsDeps) => {
    const [find, refuse] = [required(deps.appWebhook), makeRefusalLimit(deps)]
    return async (ctx: RouterContext): Promise<E.Either<VerificationRefused | NotFound | TooManyRequests | PortFailure, Reply>> => {
      const found = await find(ctx.params['app'] ?? '')
      if (E.isLeft(found)) return found
      if (found.right === undefined) return refuse(ctx, noSuchApp)
      const answered = answer(found.right, ctx)
      if (E.isRight(answered)) return answered
      // Its token may have been replaced since it was read.
      const renewed = await found.right.renewed?.() ?? E.right(undefined)
      if (E.isLeft(renewed)) return renewed
      const again = renewed.right === undefined ? answered : answer(renewed.right, ctx)
      return E.isRight(again) ? again : refuse(ctx, { ...again.left, isOfApp: true })
    }
  },
})

const answer = (webhook: Webhook, ctx: RouterContext): E.Either<VerificationRefused, Reply> => {
  const challenge = webhook.handshake(ctx.query)
  return E.isLeft(challenge) ? E.left({ _tag: 'VerificationRefused' }) : E.right(textReply(200, challenge.right))
}
