import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { ERROR_CODES } from '../../../core/explanations/codes.js'
import {
  codeEntry, type Explained, explainCode, explainNumber, nearestCodes, nearestNumbers, platformErrorEntry,
} from '../../../core/explanations/explain.js'
import type { Charged, RetryWhen } from '../../../core/explanations/explanation.js'
import { PLATFORM_ERRORS } from '../../../core/explanations/platform-errors.js'
import { errorMarkdown, errorPage, errorsPage, type ErrorsPageOptions } from '../errors-page.js'
import { prepared, UNCHANGED } from '../limits.js'
import { type Content, headerRefs, parameters, type Responses } from '../openapi-types.js'
import { jsonContent, textContent } from '../document.js'
import { rootOperation } from '../operation.js'
import type { ReferenceOptions } from '../reference/page.js'
import { jsonReply, missingThing, type NotFound, type Reply } from '../reply.js'
import { array, type Codec, count, deprecated, described, form, named, record, string, type TypeOf, word } from '../schema.js'

const pageReplies = (content: Content): Responses => ({
  ...UNCHANGED,
  200: {
    description: 'The page.', content,
    headers: {
      ...headerRefs('ETag'),
      'Content-Security-Policy': { description: 'What an HTML page may load: its font.', schema: { type: 'string' } },
    },
  },
})

const PAGE: Content = textContent('text/html', 'HTML.')

/** Whether the pages have a link to a console at `/console`. */
type ConsoleLink = Pick<ReferenceOptions, 'hasConsole'>

/** `GET /errors` */
export const getErrorsPage = rootOperation({
  id: 'listErrors',
  method: 'get',
  path: '/errors',
  tag: 'Operations',
  summary: 'Every error, for people',
  description: 'A page that needs no JavaScript: the codes of this API, and the errors of the platform that are known here.',
  isLimited: true,
  parameters: [
    {
      name: 'q', in: 'query', description: 'Shows only the errors that have all these words in their name, status, title or meaning.',
      schema: { type: 'string' }, example: 'template',
    },
    parameters.ifNoneMatch,
  ],
  replies: pageReplies(PAGE),
  failures: {},
  handler: ({ hasConsole = false }: ConsoleLink) => {
    const options = { root: '', hasConsole }
    const whole = prepared(() => errorsPage(options))
    return async (ctx: RouterContext) => {
      const { q } = ctx.query
      return q === undefined || q === '' ? whole(ctx) : prepared(() => errorsPage(options, [q].flat()[0]))(ctx)
    }
  },
})

const TEXTS = {
  means: described(string(), 'What it means.'),
  cause: described(string(), 'Its cause.'),
  fix: described(string(), 'What to do.'),
  cure: deprecated(described(string(), 'The former name of `fix`, with the same text. The next release removes it.')),
  retry: word<RetryWhen>({ never: '', after: '', same_key: '', changed: '' }),
  charged: word<Charged>({
    no: 'nothing is charged', held: 'the price stays on hold until the outcome is known', given_back: 'the price is refunded if the message failed after it was accepted',
    free: 'the error is about something that costs nothing',
  }),
}

const Errors = named('Errors', record({
  errors: described(array(record({ code: string(), status: count, ...TEXTS })), 'The codes of this API.'),
  platform_errors: described(array(record({ number: count, title: string(), ...TEXTS })), 'The errors of the platform that are known here.'),
}))

const errors = (): TypeOf<typeof Errors> => ({
  errors: ERROR_CODES.map(codeEntry),
  platform_errors: PLATFORM_ERRORS.map(platformErrorEntry),
})

/** `GET /errors.json` */
export const getErrorsDocument = rootOperation({
  id: 'getErrors',
  method: 'get',
  path: '/errors.json',
  tag: 'Operations',
  summary: 'Every error, for machines',
  description: 'The codes of this API, and the errors of the platform that are known here.',
  isLimited: true,
  parameters: [parameters.ifNoneMatch],
  replies: {
    ...UNCHANGED,
    200: {
      description: 'All of them.', headers: headerRefs('ETag'),
      content: jsonContent(Errors, {
        errors: [codeEntry('customer_opted_out')], platform_errors: PLATFORM_ERRORS.slice(0, 1).map(platformErrorEntry),
      }),
    },
  },
  definitions: Errors.definitions,
  failures: {},
  handler: () => prepared(() => jsonReply(200, errors())),
})

const MARKDOWN = '.md'

/** Creates the function that answers with the page of an error, or with its Markdown if the name ends accordingly. Pages are created at the first request, and then cached. */
const pages = (explain: (name: string) => O.Option<Explained>, options: ErrorsPageOptions, unknown: (name: string) => NotFound) => {
  const made = new Map<string, (ctx: RouterContext) => Promise<E.Either<never, Reply>>>()
  return async (ctx: RouterContext, asked: string): Promise<E.Either<NotFound, Reply>> => {
    const isMarkdown = asked.endsWith(MARKDOWN)
    const name = isMarkdown ? asked.slice(0, -MARKDOWN.length) : asked
    const explained = explain(name)
    if (O.isNone(explained)) return E.left(unknown(name))
    const page = made.get(asked) ?? prepared(() => (isMarkdown ? errorMarkdown(explained.value) : errorPage(explained.value, options)))
    made.set(asked, page)
    return page(ctx)
  }
}

const unknownError = (what: string, nearest: string | undefined): NotFound =>
  missingThing(`There is no ${what} here; ${nearest === undefined ? '/errors lists all errors' : `did you mean ${nearest}?`}`)

const ErrorName: Codec<string> = described(
  string(form(/^[a-z_]{1,64}(\.md)?$/, 'a code')), 'A code; with `.md` at its end, the page is Markdown.', 'window_closed',
)
const ErrorNumber: Codec<string> = described(
  string(form(/^[0-9]{1,9}(\.md)?$/, 'a number')), 'The number of an error of the platform; with `.md` at its end, the page is Markdown.',
  '131047',
)

const EITHER: Content = { ...PAGE, ...textContent('text/markdown', 'Markdown.') }

/** `GET /errors/{code}` */
export const getErrorPage = rootOperation({
  id: 'explainCode',
  method: 'get',
  path: '/errors/{code}',
  tag: 'Operations',
  summary: 'One code of this API',
  description: 'What it means, its cause, what to do, whether to repeat the request, and whether it is charged. The `doc_url` of each failure leads here.',
  isLimited: true,
  pathParameters: { code: ErrorName },
  parameters: [parameters.ifNoneMatch],
  replies: pageReplies(EITHER),
  failures: { NotFound: true },
  handler: ({ hasConsole = false }: ConsoleLink) => {
    const page = pages(explainCode, { root: '../', hasConsole }, (name) => unknownError('such code', nearestCodes(name)[0]))
    return (ctx: RouterContext) => page(ctx, ctx.params['code'] ?? '')
  },
})

/** `GET /errors/platform/{number}` */
export const getPlatformErrorPage = rootOperation({
  id: 'explainNumber',
  method: 'get',
  path: '/errors/platform/{number}',
  tag: 'Operations',
  summary: 'One error of the platform',
  description: 'The same for an error of the platform, by the `code` in `platform_error` and in messages that failed.',
  isLimited: true,
  pathParameters: { number: ErrorNumber },
  parameters: [parameters.ifNoneMatch],
  replies: pageReplies(EITHER),
  failures: { NotFound: true },
  handler: ({ hasConsole = false }: ConsoleLink) => {
    const page = pages(
      explainNumber, { root: '../../', hasConsole }, (number) => unknownError('such error of the platform', nearestNumbers(number)[0]),
    )
    return (ctx: RouterContext) => page(ctx, ctx.params['number'] ?? '')
  },
})
