import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { NotYetKnown, PortFailure } from '../../../core/errors.js'
import type { Defect } from '../failures.js'
import { makeIgnoredLog } from '../log-ignored.js'
import { ignoreErrors, type Log } from '../log.js'
import { rootOperation, jsonContent, responseOf } from '../operation.js'
import { jsonReply, type Reply } from '../reply.js'
import { literal, record } from '../schema.js'
import { readNotification, rejectionOf, requireWebhook, type NotificationFailure, type WebhookDeps } from '../webhook.js'

type Failure = NotificationFailure | NotYetKnown | PortFailure | Defect

/** `POST /webhooks/platform` */
export const receiveNotification = rootOperation({
  id: 'receiveNotification',
  method: 'post',
  path: '/webhooks/platform',
  part: 'webhook',
  tag: 'Platform',
  summary: 'Take in a notification',
  description:
    'Customers who wrote, and what became of messages. Up to 3 MiB. Unknown fields, types and statuses are tolerated, and one bad item ' +
    'does not affect the others. A notification may come again, and late: that changes nothing.',
  parameters: [{
    name: 'X-Hub-Signature-256', in: 'header',
    description: '`sha256=` and the HMAC-SHA256 of the raw body under the app secret, in hexadecimal digits.',
    schema: { type: 'string' },
  }],
  requestBody: {
    required: true,
    description: 'A notification as the platform writes it; what its signature covers counts, whatever its content type.',
    content: {
      'application/json': {
        schema: { type: 'object', additionalProperties: true },
        examples: { notification: { value: { object: 'whatsapp_business_account', entry: [] } } },
      },
      '*/*': { schema: {} },
    },
  },
  replies: { 200: responseOf('What it says is durable.', jsonContent(record({ status: literal('success') }), { status: 'success' })) },
  failures: {
    BadSignature: true, MalformedBody: true, PayloadTooLarge: true, BodyTooSlow: true, Overloaded: true, NotYetKnown: true, PortFailure: true, Defect: true,
  },
  // The platform repeats a notification until it is acknowledged, so it is acknowledged only when its reports are durable.
  handler: (deps: WebhookDeps, log: Log) => {
    const { webhook, receive } = requireWebhook(deps)
    const onRejected = ignoreErrors(webhook.onRejected)
    const onIgnored = ignoreErrors(webhook.onIgnored)
    const logIgnored = makeIgnoredLog(log)
    return async (ctx: RouterContext): Promise<E.Either<Failure, Reply>> => {
      const notification = await readNotification(ctx, webhook)
      if (E.isLeft(notification)) {
        onRejected(rejectionOf(notification.left))
        return notification
      }
      const { reports, ignored } = notification.right
      const received = await receive(reports)()
      if (E.isLeft(received)) return received
      // Only now: a notification that comes again counts once.
      for (const items of ignored) {
        onIgnored(items)
        logIgnored(items, ctx.response.get('X-Request-Id'))
      }
      return E.right(jsonReply(200, { status: 'success' }))
    }
  },
})
