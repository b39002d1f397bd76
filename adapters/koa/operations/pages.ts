import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import { prepared, UNCHANGED } from '../limits.js'
import { headerRefs, parameters, type Responses } from '../openapi-types.js'
import { textContent } from '../document.js'
import { rootOperation } from '../operation.js'
import { missingThing, type NotFound, type Reply, type TextReply } from '../reply.js'
import { described, form, string } from '../schema.js'

/** The pages of the documentation. */
export type Pages = {
  /** The list of them for programs, in the format of <https://llmstxt.org>. */
  readonly list: string
  /** Each as Markdown, by its address below `/docs/`, such as `api.md` or `operations/run.md`. */
  readonly pages: ReadonlyMap<string, string>
}

/** The dependencies of the pages. */
export type PagesDeps = {
  /** Without it there are no pages. It is called when a page is first read. */
  readonly pages?: () => Pages
}

const requirePages = ({ pages }: PagesDeps): (() => Pages) => {
  if (pages === undefined) throw new TypeError('a page is served without pages')
  return pages
}

const replies = (type: string, description: string): Responses => ({
  ...UNCHANGED, 200: { description, headers: headerRefs('ETag'), content: textContent(type, 'Markdown.') },
})

const textOf = (type: string, body: string): TextReply => ({ status: 200, headers: { 'Content-Type': `${type}; charset=utf-8` }, body })

/** `GET /llms.txt` */
export const getPageList = rootOperation({
  id: 'listPages',
  method: 'get',
  path: '/llms.txt',
  part: 'pages',
  tag: 'Operations',
  summary: 'The list of documentation pages, for programs',
  description: 'What Postern is, and each page of its documentation with one sentence, in the form of llmstxt.org.',
  isLimited: true,
  parameters: [parameters.ifNoneMatch],
  replies: replies('text/plain', 'The list.'),
  failures: {},
  handler: (deps: PagesDeps) => prepared(() => textOf('text/plain', requirePages(deps)().list)),
})

const noPage = missingThing('There is no such page; /llms.txt lists all pages')

/** Pages are looked up by their names among the pages that were read once, so no address leads to another file. */
const answering = (deps: PagesDeps) => {
  const made = new Map<string, (ctx: RouterContext) => Promise<E.Either<never, Reply>>>()
  return async (ctx: RouterContext): Promise<E.Either<NotFound, Reply>> => {
    const { folder, page = '' } = ctx.params
    const name = folder === undefined ? page : `${folder}/${page}`
    // A slash that was written as %2F is a part of a name, and no name contains one.
    const text = page.includes('/') ? undefined : requirePages(deps)().pages.get(name)
    if (text === undefined) return E.left(noPage)
    const answer = made.get(name) ?? prepared(() => textOf('text/markdown', text))
    made.set(name, answer)
    return answer(ctx)
  }
}

const PageName = described(string(form(/^[A-Za-z0-9-]{1,80}\.md$/, 'the name of a page')), 'The name of a page.', 'api.md')
const FolderName = described(string(form(/^[a-z]{1,20}$/, 'the name of a folder')), 'The name of a folder.', 'operations')

const PAGE = {
  method: 'get', part: 'pages', tag: 'Operations', isLimited: true, parameters: [parameters.ifNoneMatch],
  replies: replies('text/markdown', 'The page.'), failures: { NotFound: true },
} as const

/** `GET /docs/{page}` */
export const getPage = rootOperation({
  ...PAGE,
  id: 'readPage',
  path: '/docs/{page}',
  summary: 'A page of the documentation',
  description: 'A page that `/llms.txt` lists, as Markdown.',
  pathParameters: { page: PageName },
  handler: answering,
})

/** `GET /docs/{folder}/{page}` */
export const getPageInFolder = rootOperation({
  ...PAGE,
  id: 'readPageInFolder',
  path: '/docs/{folder}/{page}',
  summary: 'A page of the documentation, in a folder',
  description: 'A page that `/llms.txt` or another page leads to, as Markdown.',
  pathParameters: { folder: FolderName, page: described(PageName, 'The name of a page.', 'run.md') },
  handler: answering,
})
