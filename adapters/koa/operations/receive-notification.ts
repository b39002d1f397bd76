import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { TooManyRequests } from '../../../core/kernel/limits.js'
import type { NotYetKnown } from '../../../core/reports/status.js'
import { makeIgnoredLog } from '../errors.js'
import { jsonContent, responseOf } from '../document.js'
import { makeRefusalLimit, type ReadLimitsDeps } from '../limits.js'
import { type RootOperation, rootOperation } from '../operation.js'
import { discardBody, readRaw } from '../raw-body.js'
import { type Defect, jsonReply, type MalformedBody, type NotFound, type Reply } from '../reply.js'
import { ignoreErrors, type Log } from '../request.js'
import { literal, record } from '../schema.js'
import {
  AppRef, noSuchApp, type Notification, type NotificationFailure, required, requireReceiving, type Webhook, type WebhookDeps,
  type WebhookRejection,
} from '../webhook.js'

/** The platform sends up to 3 MB: <https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks>. */
const MAX_NOTIFICATION_BYTES = 3 * 1024 * 1024
const SIGNATURE_HEADER = 'X-Hub-Signature-256'

/** The part of the memory for bodies that notifications may fill: they need no key, and requests with a key need the rest. */
const MEMORY_SHARE = 0.75

/** How much of a refused notification is still read. It is little: notifications need no key, and reading costs more than refusing. */
const DISCARDED_BYTES = 64 * 1024

type Failure = NotificationFailure | NotYetKnown | PortFailure | Defect

/** The documentation that the webhooks of all apps share. */
const SHARED = {
  method: 'post',
  tag: 'Platform',
  parameters: [{
    name: 'X-Hub-Signature-256', in: 'header',
    description: '`sha256=` and the HMAC-SHA256 of the raw body under the app secret, in hexadecimal digits.',
    schema: { type: 'string' },
  }],
  requestBody: {
    required: true,
    description: 'A notification as the platform writes it; the gateway reads the signed bytes, whatever the content type.',
    content: {
      'application/json': {
        schema: { type: 'object', additionalProperties: true },
        examples: { notification: { value: { object: 'whatsapp_business_account', entry: [] } } },
      },
      '*/*': { schema: {} },
    },
  },
  replies: {
    200: responseOf('The notification is stored durably.', jsonContent(record({ status: literal('success') }), { status: 'success' })),
  },
} satisfies Partial<RootOperation<never, Failure>>

const FAILURES = {
  BadSignature: true, MalformedBody: true, PayloadTooLarge: true, BodyTooSlow: true, Overloaded: true, NotYetKnown: true,
  PortFailure: true, Defect: true,
} as const

/** `POST /webhooks/platform` */
export const receiveNotification = rootOperation({
  ...SHARED,
  id: 'receiveNotification',
  path: '/webhooks/platform',
  part: 'webhook',
  summary: 'Receive a notification',
  description:
    'Messages of customers, and the status of sent messages. Up to 3 MiB. Unknown fields, types and statuses are tolerated, and one bad item '
      + 'does not affect the others. A notification may be repeated or arrive late; this changes nothing.',
  failures: FAILURES,
  handler: (deps: WebhookDeps, log: Log) => {
    const [webhook, receiveAt] = [required(deps.webhook), makeReceiving(deps, log)]
    return (ctx: RouterContext): Promise<E.Either<Failure, Reply>> => receiveAt(ctx, webhook)
  },
})

/** `POST /webhooks/platform/{app}` */
export const receiveAppNotification = rootOperation({
  ...SHARED,
  id: 'receiveAppNotification',
  path: '/webhooks/platform/{app}',
  part: 'appWebhooks',
  summary: 'Receive a notification of an app',
  description:
    'The same for another app than that of the environment, signed with one of its app secrets. Items for senders of other apps have no effect. '
      + 'A network that is refused often gets 429 instead of the reason.',
  pathParameters: { app: AppRef },
  failures: { ...FAILURES, NotFound: true, TooManyRequests: true },
  handler: (deps: WebhookDeps & ReadLimitsDeps, log: Log) => {
    const [find, receiveAt, refuse] = [required(deps.appWebhook), makeReceiving(deps, log), makeRefusalLimit(deps)]
    return async (ctx: RouterContext): Promise<E.Either<Failure | NotFound | TooManyRequests, Reply>> => {
      const found = await find(ctx.params['app'] ?? '')
      if (E.isLeft(found) || found.right === undefined) {
        discardBody(ctx, DISCARDED_BYTES)
        return E.isLeft(found) ? found : refuse(ctx, noSuchApp)
      }
      const received = await receiveAt(ctx, found.right)
      return E.isLeft(received) && received.left._tag === 'BadSignature' ? refuse(ctx, { ...received.left, isOfApp: true }) : received
    }
  },
})

/**
 * Receives notifications at a webhook. The platform repeats a notification until it is acknowledged, so it is acknowledged only when its reports are durable.
 */
const makeReceiving = (deps: WebhookDeps, log: Log) => {
  const { receive, relay } = requireReceiving(deps)
  const logIgnored = makeIgnoredLog(log)
  return async (ctx: Context, webhook: Webhook): Promise<E.Either<Failure, Reply>> => {
    const notification = await readNotification(ctx, webhook)
    if (E.isLeft(notification)) {
      if (notification.left._tag !== 'PortFailure') ignoreErrors(webhook.onRejected)(rejectionOf(notification.left))
      return notification
    }
    const { reports, ignored, relayed = [] } = notification.right
    const [received, passedOn] = await Promise.all([receive(reports), relay(relayed)])
    if (E.isLeft(received)) return received
    if (E.isLeft(passedOn)) return passedOn
    // Only at this point, so that a repeated notification counts once.
    for (const items of ignored) {
      ignoreErrors(webhook.onIgnored)(items)
      logIgnored(items, ctx.response.get('X-Request-Id'))
    }
    return E.right(jsonReply(200, { status: 'success' }))
  }
}

/** Reads a notification whose signature is valid. Without a signature the body is not read. */
const readNotification = async (ctx: Context, webhook: Webhook): Promise<E.Either<NotificationFailure | PortFailure, Notification>> => {
  const header = ctx.get(SIGNATURE_HEADER)
  const check = webhook.beginSignatureCheck(header || undefined)
  if (check === undefined) {
    discardBody(ctx, DISCARDED_BYTES)
    return E.left({ _tag: 'BadSignature', signature: header === '' ? 'missing' : 'malformed' })
  }
  const raw = await readRaw(ctx, {
    limit: MAX_NOTIFICATION_BYTES, deadlineMs: webhook.deadlineMs, share: MEMORY_SHARE, discarded: DISCARDED_BYTES, onChunk: check.update,
  })
  if (E.isLeft(raw)) return raw
  const isValid = check.isValid() ? E.right(true) : await isSignedByRenewed(webhook, header, raw.right)
  if (E.isLeft(isValid)) return isValid
  if (!isValid.right) return E.left({ _tag: 'BadSignature', signature: 'wrong' })
  const notification = webhook.read(raw.right)
  return E.isLeft(notification) ? E.left(NOT_A_NOTIFICATION) : notification
}

/** Checks a signature that the known secrets do not match with the latest secrets, if they can change. */
const isSignedByRenewed = async (webhook: Webhook, header: string, raw: Uint8Array): Promise<E.Either<PortFailure, boolean>> => {
  const renewed = await webhook.renewed?.() ?? E.right(webhook)
  if (E.isLeft(renewed)) return renewed
  if (renewed.right === webhook) return E.right(false)
  const check = renewed.right?.beginSignatureCheck(header)
  check?.update(raw)
  return E.right(check?.isValid() ?? false)
}

const NOT_A_NOTIFICATION: MalformedBody = { _tag: 'MalformedBody', sentence: 'The body is not a notification of the platform' }

/** The word that labels a failure in a metric. */
const rejectionOf = (failure: NotificationFailure): WebhookRejection => {
  switch (failure._tag) {
    case 'BadSignature': return `signature_${failure.signature}`
    case 'PayloadTooLarge': return 'too_large'
    case 'BodyTooSlow': return 'too_slow'
    case 'MalformedBody': return 'malformed'
    case 'Overloaded': return 'overloaded'
  }
}
