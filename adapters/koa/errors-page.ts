import { CODES, ERROR_CODES } from '../../core/explanations/codes.js'
import { type Explained, markdownOf } from '../../core/explanations/explain.js'
import { PLATFORM_ERRORS, PLATFORM_REFERENCE } from '../../core/explanations/platform-errors.js'
import { htmlPage, inline, MARK, pageLinks, type PageOptions, text } from './reference/html.js'
import type { TextReply } from './reply.js'

/** Where a page of errors stands, and whether there is a console at `/console`. */
export type ErrorsPageOptions = Pick<PageOptions, 'root'> & { readonly hasConsole: boolean }

const page = (title: string, content: string, { hasConsole, ...options }: PageOptions & ErrorsPageOptions, isList = false): TextReply =>
  htmlPage(title, `\
<header class="side">
<a class="product" href="${options.root}docs">${MARK}Postern API</a>
<details class="menu"><summary>Menu</summary></details>
<div class="places">
${pageLinks(options.root, hasConsole, isList ? 'errors' : undefined)}
</div>
</header>
<main id="main" class="alone" tabindex="-1">
${content}
</main>`, options)

/** An error in the list: its address below `errors/`, its name, its status or title, and its meaning. */
type Listed = { readonly end: string; readonly name: string; readonly about: string; readonly means: string }

const OF_API: ReadonlyArray<Listed> = ERROR_CODES.map((code) => (
  { end: code, name: code, about: String(CODES[code].status), means: CODES[code].means }))

const OF_PLATFORM: ReadonlyArray<Listed> = PLATFORM_ERRORS.map(({ number, title, means }) => (
  { end: `platform/${number}`, name: String(number), about: title, means }))

/** The maximum length of a search. */
const MAX_SEARCH = 100

/** Whether all words of a search occur in an error as the list shows it; the script of the page decides in the same way. */
const isFound = ({ name, about, means }: Listed, sought: string): boolean => {
  const shown = `${name} ${about} ${means.replaceAll('`', '')}`.toLowerCase()
  return sought.toLowerCase().split(/\s+/).every((word) => shown.includes(word))
}

/** A part of the list. What a search does not find is hidden, so that the script can show it again. */
const partOf = (title: string, listed: ReadonlyArray<Listed>, sought: string, about = ''): string => `\
<section class="part"${hiddenUnless(listed.some((one) => isFound(one, sought)))}><h2>${title}</h2>${about}
<ul class="errors card">
${listed.map((one) => `\
<li${hiddenUnless(isFound(one, sought))}><p><a href="errors/${one.end}"><code>${one.name}</code></a> <span class="soft">${text(one.about)}</span></p>
<p>${inline(one.means)}</p></li>`).join('\n')}
</ul></section>`

const hiddenUnless = (isShown: boolean): string => (isShown ? '' : ' hidden')

const NOTHING_FOUND = 'No error has these words.'

const countOf = (sought: string): string => {
  const count = [...OF_API, ...OF_PLATFORM].filter((one) => isFound(one, sought)).length
  return sought === '' ? '' : count === 0 ? NOTHING_FOUND : count === 1 ? '1 error' : `${count} errors`
}

/** Narrows the list while a person types, and opens the only error that is left; without it the field is sent to the gateway. */
const SEARCH = `(() => {
const field = document.getElementById('q')
const items = Array.from(document.querySelectorAll('.errors li'), (item) => ({ item, shown: item.textContent.toLowerCase() }))
const filter = () => {
  const sought = field.value.trim().toLowerCase()
  let count = 0
  items.forEach(({ item, shown }) => {
    item.hidden = !sought.split(/\\s+/).every((word) => shown.includes(word))
    if (!item.hidden) count += 1
  })
  document.querySelectorAll('.part').forEach((part) => { part.hidden = part.querySelector('li:not([hidden])') === null })
  document.querySelector('.find p').textContent = sought === '' ? '' : count === 0 ? '${NOTHING_FOUND}' : count === 1 ? '1 error' : count + ' errors'
}
document.documentElement.dataset.script = ''
field.addEventListener('input', filter)
field.form.addEventListener('submit', (event) => {
  const left = items.filter(({ item }) => !item.hidden)
  if (left.length !== 1) return
  event.preventDefault()
  location.assign(left[0].item.querySelector('a').href)
})
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === '/' && event.target !== field) {
    event.preventDefault()
    field.select()
  } else if (event.key === 'Escape' && event.target === field) {
    field.value = ''
    filter()
  }
})
if (field.value !== '') filter()
})()`

/** The list of all errors, or of those that a search finds. Its addresses are relative, so that they work under a prefix. */
export const errorsPage = (options: ErrorsPageOptions, search = ''): TextReply => {
  const sought = search.trim().slice(0, MAX_SEARCH)
  return page('Postern: errors', `\
<h1>Errors</h1>
<p class="soft">The meaning, cause and fix of each error. As JSON: <a href="errors.json">errors.json</a>.</p>
<form class="find" action="errors" role="search">
<input type="search" id="q" name="q" aria-label="Search the errors" value="${text(sought)}" maxlength="${MAX_SEARCH}" placeholder="Code, number or words" autocomplete="off" spellcheck="false"><kbd class="scripted" aria-hidden="true">/</kbd>
<p class="hint" role="status">${countOf(sought)}</p>
</form>
${partOf('Codes of this API', OF_API, sought)}
${partOf('Errors of the platform', OF_PLATFORM, sought, `\
<p class="soft">They stand in <code>platform_error</code> and in messages that failed. Most of what is said here is from <a href="${PLATFORM_REFERENCE}">the platform’s own list</a>.</p>`)}`,
  { ...options, ownScript: SEARCH, hasForm: true }, true)
}

/** The page of one error. */
export const errorPage = ({ title, about, sections }: Explained, options: ErrorsPageOptions): TextReply => page(`${title}: Postern`, `\
<p class="path"><a href="${options.root}errors">Errors</a> <span aria-hidden="true">›</span></p>
<h1>${text(title)}</h1>
<p class="soft">${text(about)}</p>
<div class="card explained">
${sections.map((section) => `<h2>${text(section.heading)}</h2>\n<p>${inline(section.text)}</p>`).join('\n')}
</div>`, options)

/** The page of an address that does not exist, with a link to the address that was probably meant. Addresses of the app begin with `base`. */
export const lostPage = (base: string, nearest: string | undefined, hasConsole: boolean): TextReply => ({
  ...page('Not found: Postern', `\
<h1>Not found</h1>
<p>No page exists at this address${nearest === undefined ? '' : `; did you mean <a href="${text(base + nearest)}"><code>${text(nearest)}</code></a>?`}</p>
<p>The <a href="${base}/docs">API reference</a> lists all addresses.</p>`, { root: `${base}/`, hasConsole }),
  status: 404,
})

/** The page of one error as Markdown. */
export const errorMarkdown = (explained: Explained): TextReply => ({
  status: 200, headers: { 'Content-Type': 'text/markdown; charset=utf-8' }, body: markdownOf(explained),
})
