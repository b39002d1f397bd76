import { CODES, ERROR_CODES } from '../../core/explanations/codes.js'
import { type Explained, markdownOf } from '../../core/explanations/explain.js'
import { PLATFORM_ERRORS, PLATFORM_REFERENCE } from '../../core/explanations/platform-errors.js'
import { htmlPage, inline, MARK, text } from './reference/html.js'
import type { TextReply } from './reply.js'

/** The head and the content of a page of errors; `docs` and `list` are the addresses of the reference and of the list, relative to its own. */
const page = (title: string, docs: string, list: string, content: string): TextReply => htmlPage(title, `\
<header class="bar"><a class="product" href="${docs}">${MARK}Postern API</a><nav aria-label="Pages"><a href="${docs}">API reference</a> · <a href="${list}">All errors</a></nav></header>
<main id="main" class="alone" tabindex="-1">
${content}
</main>`)

/** The list of all errors. Its addresses are relative, so that they work under a prefix. */
export const errorsPage = (): TextReply => page('Postern: errors', 'docs', 'errors', `\
<h1>Errors</h1>
<p>The meaning, cause and fix of each error. As JSON: <a href="errors.json">errors.json</a>.</p>
<h2>Codes of this API</h2>
<ul class="errors">
${ERROR_CODES.map((code) => `<li><a href="errors/${code}"><code>${code}</code></a> ${CODES[code].status}<br>${inline(CODES[code].means)}</li>`).join('\n')}
</ul>
<h2>Errors of the platform</h2>
<p>They stand in <code>platform_error</code> and in messages that failed. Most of what is said here is from <a href="${PLATFORM_REFERENCE}">the platform’s own list</a>.</p>
<ul class="errors">
${PLATFORM_ERRORS.map(({ number, title, means }) => `<li><a href="errors/platform/${number}"><code>${number}</code></a> ${text(title)}<br>${inline(means)}</li>`).join('\n')}
</ul>`)

/** The page of one error; `list` is the address of the list, relative to its own. */
export const errorPage = ({ title, about, sections }: Explained, list: string): TextReply => page(
  `${title}: Postern`, list.replace(/errors$/, 'docs'), list, `\
<h1>${text(title)}</h1>
<p>${text(about)}</p>
${sections.map((section) => `<h2>${text(section.heading)}</h2>\n<p>${inline(section.text)}</p>`).join('\n')}`,
)

/** The page of an address that does not exist, with a link to the address that was probably meant. Addresses of the app begin with `base`. */
export const lostPage = (base: string, nearest: string | undefined): TextReply => ({
  ...page('Not found: Postern', `${base}/docs`, `${base}/errors`, `\
<h1>Not found</h1>
<p>No page exists at this address${nearest === undefined ? '' : `; did you mean <a href="${text(base + nearest)}"><code>${text(nearest)}</code></a>?`}</p>
<p>The <a href="${base}/docs">API reference</a> lists all addresses.</p>`),
  status: 404,
})

/** The same as Markdown. */
export const errorMarkdown = (explained: Explained): TextReply => ({
  status: 200, headers: { 'Content-Type': 'text/markdown; charset=utf-8' }, body: markdownOf(explained),
})
