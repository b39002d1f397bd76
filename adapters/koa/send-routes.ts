import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { Router, type RouterMiddleware } from '@koa/router'
import type { Context } from 'koa'
import type { Sent } from '../../core/sent.js'
import type { InvalidIdempotencyKey, InvalidPhoneNumber } from '../../core/errors.js'
import { parseIdempotencyKey, type IdempotencyKey } from '../../core/idempotency.js'
import { parsePhoneNumber, parseWrittenPhoneNumber, type PhoneNumber } from '../../core/message.js'
import type { SendTemplate, SendTemplateCommand } from '../../core/send-template.js'
import type { SendText, SendTextCommand } from '../../core/send-text.js'
import type { WorkspaceId } from '../../core/workspace.js'
import type { Answer, Program } from './answer.js'
import type { Authenticate } from './authenticate.js'
import { makeReadBody, type Fields, type ReadBody } from './body.js'
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

  router.post(TEXT_PATH, answer(sending(authenticate, readText, textCommand, sendText)))
  router.post(TEMPLATE_PATH, answer(sending(authenticate, readTemplate, templateCommand, sendTemplate)))
  // Another method here would otherwise ask for the message of that id.
  router.all([TEXT_PATH, TEMPLATE_PATH], onlyPost)
  return router
}

/** Reads the command of a request, as far as it is one. */
type CommandOf<Command> = (ctx: Context, workspace: WorkspaceId, fields: Fields) => E.Either<HttpFailure, Command>

/** Whose request it is, what it asks for, and what came of it. */
const sending =
  <Command>(authenticate: Authenticate, read: ReadBody, commandOf: CommandOf<Command>, send: (command: Command) => TE.TaskEither<HttpFailure, Sent>): Program =>
  (ctx) =>
  async () => {
    const workspace = await authenticate(ctx)()
    if (E.isLeft(workspace)) return workspace
    const fields = await read(ctx)()
    if (E.isLeft(fields)) return fields
    const command = commandOf(ctx, workspace.right, fields.right)
    if (E.isLeft(command)) return command
    const sent = await send(command.right)()
    return E.isLeft(sent) ? sent : E.right(sentReply(sent.right))
  }

/** What both commands have in common is read here; `own` is the rest. */
const addressed =
  <Body extends { readonly to: string }, Own extends object>(
    decodeBody: (fields: Fields) => E.Either<HttpFailure, Body>,
    parseTo: (to: string) => E.Either<InvalidPhoneNumber, PhoneNumber>,
    own: (body: Body) => Own,
  ): CommandOf<Own & { readonly workspace: WorkspaceId; readonly to: PhoneNumber; readonly idempotencyKey?: IdempotencyKey }> =>
  (ctx, workspace, fields) => {
    const body = decodeBody(fields)
    if (E.isLeft(body)) return body
    const to = parseTo(body.right.to)
    if (E.isLeft(to)) return to
    const key = idempotencyKeyOf(ctx)
    return E.isLeft(key) ? key : E.right({ workspace, to: to.right, ...own(body.right), ...key.right })
  }

const textCommand: CommandOf<SendTextCommand> = addressed(decodeText, parsePhoneNumber, ({ text }) => ({ text }))

const templateCommand: CommandOf<SendTemplateCommand> = addressed(
  decodeTemplate,
  parseWrittenPhoneNumber,
  ({ template_name: name, language, components }) => ({ name, ...(language !== undefined && { language }), ...(components && { components }) }),
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
