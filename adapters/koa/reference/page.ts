import type { Document } from '../openapi-types.js'
import type { TextReply } from '../reply.js'
import { schemaOf } from './fields.js'
import { htmlPage, inline, MARK, pageLinks, prose, text } from './html.js'
import { codesIn, KEY_FIELD, operationsOf, samplesCard, sectionOf, type Shown } from './operations.js'

/** The data about the gateway on the page. */
export type ReferenceOptions = {
  /** The address at which clients reach the gateway. Without it the script shows the address of the page, and the page without its script an example. */
  readonly publicUrl?: string
  /** Whether the console is at `/console` next to the API. */
  readonly hasConsole?: boolean
}

const EXAMPLE_BASE = 'https://postern.example.com'

/** The name of the script in the folder of the page. */
const SCRIPT_NAME = 'docs.js'

/** The document as an HTML page, which can be read without its script. The script searches, tries requests, and fills in the address. */
export const docsPage = (document: Document, { publicUrl, hasConsole = false }: ReferenceOptions = {}): TextReply => {
  const shown: Shown = { document, base: publicUrl ?? EXAMPLE_BASE }
  return htmlPage(`${document.info.title}: the HTTP API`, `\
<header class="side">
<a class="product" href="#main">${MARK}${text(document.info.title)} API</a>
<details class="menu"><summary>Menu</summary></details>
<div class="find scripted"><input type="search" id="search" aria-label="Search the reference" placeholder="Search" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd><p class="hint" role="status"></p></div>
<div class="places">
${pageLinks('', hasConsole, 'reference')}
${navigationOf(document)}
</div>
</header>
<main id="main" class="reference" tabindex="-1"${publicUrl === undefined ? '' : ' data-public'}>
${firstScreen(shown)}
${document.tags.map(({ name, description }) => `<h2 class="tag" id="${tagId(name)}">${text(name)}</h2>${prose(description)}${sectionsOf(shown, name)}`).join('\n')}
<h2 class="tag" id="errors">Errors</h2>
${errorsOf(document)}
<h2 class="tag" id="schemas">Schemas</h2>
${Object.entries(document.components.schemas).map(([name, schema]) => `<section class="schema"><h3 id="schema-${name}">${text(name)}</h3>${schemaOf(document.components.schemas, schema)}</section>`).join('\n')}
</main>`, { root: '', script: SCRIPT_NAME })
}

const tagId = (name: string): string => `tag-${name.toLowerCase()}`

const navigationOf = (document: Document): string => {
  const operations = operationsOf(document)
  const group = (id: string, name: string, items: ReadonlyArray<string>): string =>
    `<nav aria-labelledby="nav-${id}"><h2 id="nav-${id}">${text(name)}</h2><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul></nav>`
  return [
    group('start', 'Start', ['<a href="#start">Base address</a>', '<a href="#authentication">Authentication</a>', '<a href="#conventions">Conventions</a>']),
    ...document.tags.map(({ name }) => group(
      name.toLowerCase(), name, operations.filter(({ operation }) => operation.tags.includes(name)).map(({ method, operation }) =>
        `<a href="#${operation.operationId}">${text(operation.summary)} <span class="verb ${method}">${method}</span></a>`),
    )),
    group('more', 'More', [
      '<a href="#errors">Errors of the operations</a>', '<a href="#schemas">Schemas</a>', '<a href="openapi.json">openapi.json</a>',
    ]),
  ].join('\n')
}

/** The address of the API, how to authenticate, and a working request. */
const firstScreen = ({ document, base }: Shown): string => {
  const { info, components: { securitySchemes } } = document
  const key = operationsOf(document).find(({ operation }) => operation.operationId === 'getKey')
  return `
<section id="start"><h1>${text(info.title)}: the HTTP API</h1>
<p>${text(info.summary)}</p>
<h2 class="label">Base address</h2>
<p><code><span class="base">${text(base)}</span>/v1</code></p>
</section>
<section id="authentication">
<div class="pair"><div><h2>Authentication</h2>
${Object.values(securitySchemes).map(({ description = '' }) => prose(description)).join('')}
<p>The samples read the key from the variable <code>POSTERN_KEY</code>: <code>export POSTERN_KEY=pst_…</code></p>
<div class="scripted"><h3 class="label">Try it with your key</h3>${KEY_FIELD}<p class="hint">Each operation below can be tried from here. The key stays in this page: it is sent to this gateway alone, and is gone when the page is left.</p></div>
</div><div class="beside">${key === undefined ? '' : samplesCard('start', base, { method: 'GET', url: `${base}${key.path}`, isKeyed: true, headers: {}, reply: 'json' })}<p class="hint">JavaScript is for Node.js, with <code>fetch</code>; Python uses <code>urllib.request</code>, which raises <code>HTTPError</code> where a request is refused; PHP uses its extension curl.</p></div></div>
</section>
<section id="conventions"><h2>Conventions</h2>
${prose(info.description)}
</section>`
}

const sectionsOf = (shown: Shown, tag: string): string =>
  operationsOf(shown.document).filter(({ operation }) => operation.tags.includes(tag)).map((one) => sectionOf(shown, one)).join('\n')

/** Every code of the operations, with its statuses and when it is returned. */
const errorsOf = (document: Document): string => {
  const found = new Map<string, { readonly statuses: Set<string>; readonly whens: Set<string> }>()
  for (const { operation } of operationsOf(document)) {
    for (const [status, { description }] of Object.entries(operation.responses)) {
      for (const { code, when } of codesIn(description)) {
        const one = found.get(code) ?? { statuses: new Set(), whens: new Set() }
        one.statuses.add(status)
        one.whens.add(when)
        found.set(code, one)
      }
    }
  }
  const rows = [...found].map(([code, { statuses, whens }]) => ({ code, status: [...statuses].sort().join(', '), when: [...whens] }))
  return `<section><p>Each leads to its page: how it comes about, what to do, whether to repeat the request, and whether it is charged.</p>
<ul class="fields">${rows.sort((a, b) => a.status.localeCompare(b.status)).map(({ code, status, when }) =>
    `<li><code><a href="errors/${code}">${code}</a></code> <span class="soft">${status}</span>${when.map((sentence) => `<p>${inline(sentence)}</p>`).join('')}</li>`).join('\n')}</ul></section>`
}
