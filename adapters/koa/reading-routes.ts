import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Router } from '@koa/router'
import type * as t from 'io-ts'
import type { InvalidPhoneNumber } from '../../core/errors.js'
import { isMessageId, parsePhoneNumber, type PhoneNumber, type PlatformId } from '../../core/message.js'
import type { PageQuery } from '../../core/page.js'
import type { Ledger } from '../../core/ports/ledger.js'
import type { MessageLog, MessageRef } from '../../core/ports/message-log.js'
import type { WindowClock } from '../../core/ports/window-clock.js'
import { lastInboundOf } from '../../core/spelling.js'
import type { Answer } from './answer.js'
import type { Authenticate } from './authenticate.js'
import { MessagesParameters, PageParameters } from './codecs.js'
import { decode } from './decode.js'
import type { NotFound } from './failures.js'
import { jsonReply } from './reply.js'
import { balanceView, entryView, messageView, pageView, windowView } from './views.js'

/** The ports that reading reads. */
export type ReadingRoutesDeps = {
  readonly messageLog: Pick<MessageLog, 'find' | 'list'>
  readonly ledger: Pick<Ledger, 'balance' | 'statement'>
  readonly windowClock: Pick<WindowClock, 'now' | 'lastInbound'>
}

const DEFAULT_LIMIT = '20'
const PLATFORM_ID = /^wamid\.[!-~]{1,500}$/

const decodePage = decode(PageParameters)
const decodeMessages = decode(MessagesParameters)

/** The operations that only read. */
export const readingRoutes = (answer: Answer, authenticate: Authenticate, deps: ReadingRoutesDeps): Router => {
  const { messageLog, ledger, windowClock } = deps
  const router = new Router({ sensitive: true })

  router.get('/messages', answer((ctx) =>
    pipe(
      TE.Do,
      TE.bindW('workspace', () => authenticate(ctx)),
      TE.bindW('asked', () => TE.fromEither(decodeMessages(given(ctx.query)))),
      TE.bindW('to', ({ asked }) => TE.fromEither(customerOf(asked.to))),
      TE.flatMap(({ workspace, asked, to }) =>
        messageLog.list(workspace, { ...pageQuery(asked), ...to, ...(asked.state && { state: asked.state }) })),
      TE.map((page) => jsonReply(200, pageView('messages', page, messageView))),
    ),
  ))

  router.get('/messages/:id', answer((ctx) =>
    pipe(
      TE.Do,
      TE.bindW('workspace', () => authenticate(ctx)),
      TE.bindW('ref', () => TE.fromEither(refOf(ctx.params['id'] ?? ''))),
      TE.flatMap(({ workspace, ref }) => messageLog.find(workspace, ref)),
      TE.flatMapOption((message) => message, notFound),
      TE.map((message) => jsonReply(200, messageView(message))),
    ),
  ))

  router.get('/wallet', answer((ctx) =>
    pipe(
      authenticate(ctx),
      TE.flatMap(ledger.balance),
      TE.flatMapOption((balance) => balance, notFound),
      TE.map((balance) => jsonReply(200, balanceView(balance))),
    ),
  ))

  router.get('/wallet/entries', answer((ctx) =>
    pipe(
      TE.Do,
      TE.bindW('workspace', () => authenticate(ctx)),
      TE.bindW('asked', () => TE.fromEither(decodePage(given(ctx.query)))),
      TE.flatMap(({ workspace, asked }) => ledger.statement(workspace, pageQuery(asked))),
      TE.map((page) => jsonReply(200, pageView('entries', page, entryView))),
    ),
  ))

  router.get('/windows/:to', answer((ctx) =>
    pipe(
      TE.Do,
      TE.bindW('workspace', () => authenticate(ctx)),
      TE.bindW('to', () => TE.fromEither(parsePhoneNumber(ctx.params['to'] ?? ''))),
      TE.flatMap(({ workspace, to }) => lastInboundOf(windowClock, workspace, to)),
      TE.map((lastInbound) => jsonReply(200, windowView(windowClock.now(), lastInbound))),
    ),
  ))

  return router
}

const notFound = (): NotFound => ({ _tag: 'NotFound' })

/** A parameter that is given empty is not given. */
const given = (query: NodeJS.Dict<string | Array<string>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))

const pageQuery = ({ limit = DEFAULT_LIMIT, cursor }: t.TypeOf<typeof PageParameters>): PageQuery => ({
  limit: Number(limit), ...(cursor !== undefined && { cursor }),
})

const customerOf = (to: string | undefined): E.Either<InvalidPhoneNumber, { readonly to?: PhoneNumber }> =>
  to === undefined ? E.right({}) : pipe(parsePhoneNumber(to), E.map((number) => ({ to: number })))

const refOf = (id: string): E.Either<NotFound, MessageRef> => {
  if (isMessageId(id)) return E.right({ id })
  return PLATFORM_ID.test(id) ? E.right({ platformId: id as PlatformId }) : E.left(notFound())
}
