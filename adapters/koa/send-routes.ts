import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Router, type RouterMiddleware } from '@koa/router'
import type { Context } from 'koa'
import type { Sent } from '../../core/sent.js'
import type { InvalidIdempotencyKey } from '../../core/errors.js'
import { parseIdempotencyKey, type IdempotencyKey } from '../../core/idempotency.js'
import { parsePhoneNumber, parseWrittenPhoneNumber } from '../../core/message.js'
import type { SendTemplate, SendTemplateCommand } from '../../core/send-template.js'
import type { SendText, SendTextCommand } from '../../core/send-text.js'
import type { WorkspaceId } from '../../core/workspace.js'
import type { Answer } from './answer.js'
import type { Authenticate } from './authenticate.js'
import { makeReadBody, type Fields } from './body.js'
import { TemplateBody, TextBody } from './codecs.js'
import { decode } from './decode.js'
import type { HttpFailure } from './failures.js'
import { valuesOf } from './headers.js'
import { ofMessage, otherMethod } from './replies.js'
import { jsonReply, writeReply, type Reply } from './reply.js'

/** The use cases that send. */
export type SendRoutesDeps = { readonly sendText: SendText; readonly sendTemplate: SendTemplate }

const TEXT_PATH = '/messages/send-text'
const TEMPLATE_PATH = '/messages/send-template'

const decodeText = decode(TextBody, ['to', 'text'])
const decodeTemplate = decode(TemplateBody, ['to', 'template_name'])

/** The two operations that send. */
export const sendRoutes = (answer: Answer, authenticate: Authenticate, { sendText, sendTemplate }: SendRoutesDeps): Router => {
  const readText = makeReadBody({ forms: true })
  const readTemplate = makeReadBody({ forms: false })
  const router = new Router({ sensitive: true })

  router.post(TEXT_PATH, answer((ctx) =>
    pipe(
      authenticate(ctx),
      TE.flatMap((workspace) => pipe(readText(ctx), TE.flatMapEither(textCommand(ctx, workspace)))),
      TE.flatMap(sendText),
      TE.map(sentReply),
    ),
  ))

  router.post(TEMPLATE_PATH, answer((ctx) =>
    pipe(
      authenticate(ctx),
      TE.flatMap((workspace) => pipe(readTemplate(ctx), TE.flatMapEither(templateCommand(ctx, workspace)))),
      TE.flatMap(sendTemplate),
      TE.map(sentReply),
    ),
  ))

  // Another method here would otherwise ask for the message of that id.
  router.all([TEXT_PATH, TEMPLATE_PATH], onlyPost)
  return router
}

// What is known at once is read at once: each step of a task costs a turn of the microtask queue, and sends are many.

const textCommand =
  (ctx: Context, workspace: WorkspaceId) =>
  (fields: Fields): E.Either<HttpFailure, SendTextCommand> =>
    pipe(
      E.Do,
      E.bindW('body', () => decodeText(fields)),
      E.bindW('to', ({ body }) => parsePhoneNumber(body.to)),
      E.bindW('key', () => idempotencyKeyOf(ctx)),
      E.map(({ to, body: { text }, key }) => ({ workspace, to, text, ...key })),
    )

const templateCommand =
  (ctx: Context, workspace: WorkspaceId) =>
  (fields: Fields): E.Either<HttpFailure, SendTemplateCommand> =>
    pipe(
      E.Do,
      E.bindW('body', () => decodeTemplate(fields)),
      E.bindW('to', ({ body }) => parseWrittenPhoneNumber(body.to)),
      E.bindW('key', () => idempotencyKeyOf(ctx)),
      E.map(({ to, body: { template_name: name, language, components }, key }) => ({
        workspace, to, name, ...(language !== undefined && { language }), ...(components && { components }), ...key,
      })),
    )

const onlyPost: RouterMiddleware = (ctx) => writeReply(ctx, otherMethod(ctx.method, 'POST'))

const idempotencyKeyOf = (ctx: Context): E.Either<InvalidIdempotencyKey, { readonly idempotencyKey?: IdempotencyKey }> => {
  const [text, ...more] = valuesOf(ctx.req, 'idempotency-key')
  if (text === undefined) return E.right({})
  return more.length > 0
    ? E.left({ _tag: 'InvalidIdempotencyKey' })
    : pipe(parseIdempotencyKey(text), E.map((idempotencyKey) => ({ idempotencyKey })))
}

const sentReply = ({ id, platformId, replayed }: Sent): Reply =>
  jsonReply(200, { status: 'success', message_id: platformId }, ofMessage(id, replayed))
