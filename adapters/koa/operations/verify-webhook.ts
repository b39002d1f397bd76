import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Parameter } from '../openapi-types.js'
import { responseOf, textContent } from '../document.js'
import { rootOperation } from '../operation.js'
import { type Reply, textReply, type VerificationRefused } from '../reply.js'
import { requireWebhook, type WebhookDeps } from '../webhook.js'

const query = (name: string, description: string): Parameter => ({ name, in: 'query', description, schema: { type: 'string' } })

/** `GET /webhooks/platform` */
export const verifyWebhook = rootOperation({
  id: 'verifyWebhook',
  method: 'get',
  path: '/webhooks/platform',
  part: 'webhook',
  tag: 'Platform',
  summary: 'Answer the verification handshake',
  description: 'The platform calls this once, when the address is registered there.',
  parameters: [
    query('hub.mode', 'Always `subscribe`.'),
    query('hub.verify_token', 'The verify token of this gateway (`PLATFORM_VERIFY_TOKEN`).'),
    query('hub.challenge', 'What to answer.'),
  ],
  replies: { 200: responseOf('The token is right.', textContent('text/plain', 'The challenge, unchanged.')) },
  failures: { VerificationRefused: true },
  handler: (deps: WebhookDeps) => {
    const { webhook } = requireWebhook(deps)
    return async (ctx: RouterContext): Promise<E.Either<VerificationRefused, Reply>> => {
      const challenge = webhook.handshake(ctx.query)
      return E.isLeft(challenge) ? E.left({ _tag: 'VerificationRefused' }) : E.right(textReply(200, challenge.right))
    }
  },
})
