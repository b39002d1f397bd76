/**
 * The script of the reference: it searches, tries requests, and keeps the language of all samples the same.
 *
 * The key is stored in a variable and in the fields into which it is typed. It is sent only to the gateway that served the page, in a header. When the page is left,
 * the key is removed, even if the browser keeps the page to go back to it. Responses are written as text and never as HTML.
 */
export const SCRIPT = `(() => {
const all = (selector, from = document) => Array.from(from.querySelectorAll(selector))
const make = (name, text, className = '') => Object.assign(document.createElement(name), { textContent: text, className })
document.documentElement.dataset.script = ''

// A single quote would end the strings of the samples.
const base = new URL('.', location.href).href.replace(/\\/$/, '').replaceAll("'", '%27')
if (document.querySelector('main').dataset.public === undefined) all('.base').forEach((part) => { part.textContent = base })

document.addEventListener('change', ({ target }) => {
  if (target.matches('.languages input')) all('.languages input').forEach((input) => { input.checked = input.value === target.value })
})

if (navigator.clipboard !== undefined) all('.card > fieldset.top').forEach((top) => {
  const button = Object.assign(make('button', 'Copy', 'plain'), { type: 'button' })
  top.append(button)
  button.addEventListener('click', async () => {
    const shown = all('.sample', top.parentElement).find((sample) => sample.offsetParent !== null)
    await navigator.clipboard.writeText(shown.textContent)
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  })
})

const search = document.getElementById('search')
const found = document.querySelector('.find p')
const menu = document.querySelector('.menu')
const links = new Map(all('.places a[href^="#"]').map((link) => [link.getAttribute('href').slice(1), link]))
const sections = all('main section').map((section) => ({
  section, link: links.get(section.id),
  words: all('h1, h2, h3, h4, .address, .fields code:first-child, .codes a, .codes dt', section).map((part) => part.textContent).join(' ').toLowerCase(),
}))
const seen = (element) => element.closest('[hidden]') === null
const filter = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter((word) => word !== '')
  let count = 0
  sections.forEach(({ section, link, words: own }) => {
    section.hidden = !words.every((word) => own.includes(word))
    if (!section.hidden) count += 1
    if (link !== undefined) link.parentElement.hidden = section.hidden
  })
  all('.tag').forEach((tag) => {
    let next = tag.nextElementSibling
    let any = false
    while (next !== null && !next.matches('.tag')) {
      if (next.matches('section')) any = any || !next.hidden
      else next.hidden = words.length > 0
      next = next.nextElementSibling
    }
    tag.hidden = !any
    const link = links.get(tag.id)
    if (link !== undefined) link.parentElement.hidden = !any
  })
  all('.places nav').forEach((nav) => { nav.hidden = all('li', nav).every((item) => item.hidden) })
  found.textContent = words.length === 0 ? '' : count === 0 ? 'Nothing has these words' : count === 1 ? '1 section' : count + ' sections'
}
search.addEventListener('input', filter)
const go = (by) => {
  const shown = all('.places nav:not(.pages) a').filter(seen)
  const at = shown.indexOf(document.activeElement) + by
  ;(at < 0 ? search : shown[Math.min(at, shown.length - 1)])?.focus()
}
document.addEventListener('keydown', (event) => {
  const { key: pressed, target } = event
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (pressed === '/' && !target.matches('input, textarea, select')) {
    event.preventDefault()
    search.focus()
    search.select()
  } else if (pressed === 'Escape' && target === search) {
    search.value = ''
    filter()
  } else if (pressed === 'Enter' && target === search) {
    const first = sections.find(({ section }) => !section.hidden)?.section
    const heading = first?.querySelector('h1, h2, h3')
    if (heading === null || heading === undefined) return
    menu.open = false
    heading.tabIndex = -1
    heading.scrollIntoView()
    heading.focus({ preventScroll: true })
  } else if ((pressed === 'ArrowDown' || pressed === 'ArrowUp') && (target === search || target.matches('.places a'))) {
    event.preventDefault()
    if (target === search) menu.open = true
    go(pressed === 'ArrowDown' ? 1 : -1)
  }
})
document.querySelector('.places').addEventListener('click', ({ target }) => { if (target.closest('a') !== null) menu.open = false })

const watcher = new IntersectionObserver((entries) => {
  const entry = entries.findLast(({ isIntersecting }) => isIntersecting)
  const link = entry && links.get(entry.target.id)
  if (link === undefined) return
  links.forEach((other) => other.removeAttribute('aria-current'))
  link.setAttribute('aria-current', 'true')
}, { rootMargin: '-10% 0px -80% 0px' })
sections.forEach(({ section, link }) => { if (link !== undefined) watcher.observe(section) })

let key = ''
const setKey = (value) => {
  key = value.trim()
  all('.key').forEach((field) => { if (field.value !== value) field.value = value })
}
setKey('')
document.addEventListener('input', ({ target }) => { if (target.matches('.key')) setKey(target.value) })
addEventListener('pagehide', () => setKey(''))

const random = () => 'try-' + Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')
const renew = (field) => { field.value = random() }
all('.once').forEach((field) => {
  renew(field)
  field.nextElementSibling.addEventListener('click', () => renew(field))
})

const requestOf = (form) => {
  const given = new FormData(form)
  const headers = {}
  const parts = new FormData()
  let path = form.dataset.path
  const query = new URLSearchParams()
  for (const [name, value] of given) {
    const [where, ...rest] = name.split('.')
    const own = rest.join('.')
    if (where === 'path') path = path.replace('{' + own + '}', () => encodeURIComponent(value))
    else if (where === 'header' && value !== '') headers[own] = value
    else if (where === 'query' && value !== '') {
      const [pair, ...more] = value.split('=')
      if (form.elements[name].dataset.pairs === undefined) query.append(own, value)
      else query.append(own + '[' + pair + ']', more.join('='))
    } else if (where === 'form' && value !== '') parts.append(own, value)
  }
  if (given.has('key')) headers.Authorization = 'Bearer ' + key
  const body = given.get('body')
  if (body !== null && body.trim() !== '') headers['Content-Type'] = 'application/json'
  const hasParts = !parts.keys().next().done
  return {
    address: path + (query.size === 0 ? '' : '?' + query),
    options: {
      method: form.dataset.method, headers, credentials: 'omit', cache: 'no-store', redirect: 'error', signal: AbortSignal.timeout(90000),
      ...(hasParts ? { body: parts } : body !== null && body.trim() !== '' ? { body } : {}),
    },
  }
}

const HEADERS = ['x-request-id', 'retry-after', 'postern-message', 'idempotency-replayed', 'etag', 'content-type']
const bodyOf = async (response) => {
  const type = response.headers.get('content-type') ?? ''
  if (!/json|^text\\//.test(type)) return (await response.blob()).size + ' bytes'
  const text = await response.text()
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
const show = async (answer, response, began) => {
  const text = response.status === 204 ? '' : await bodyOf(response)
  const passed = Math.round(performance.now() - began)
  const line = make('p', '', '')
  line.append(make('span', response.status + ' ' + response.statusText, 'status ' + (response.ok ? 'good' : 'bad')), make('span', ' in ' + passed + ' ms', 'soft'))
  const list = make('dl', '', 'codes')
  HEADERS.forEach((name) => { if (response.headers.has(name)) list.append(make('dt', name), make('dd', response.headers.get(name))) })
  const block = make('pre', text)
  block.tabIndex = 0
  answer.replaceChildren(line, list, ...(text === '' ? [] : [block]))
  const code = response.ok ? undefined : /"code": "([a-z_]+)"/.exec(text)?.[1]
  if (code === undefined) return
  const help = make('p', 'What it means: ')
  help.append(Object.assign(make('a', code), { href: 'errors/' + code }))
  answer.append(help)
}

document.addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = event.target
  const button = form.querySelector('button:not([type])')
  const answer = form.querySelector('.answer')
  const began = performance.now()
  button.disabled = true
  answer.replaceChildren(make('p', 'Waiting for the answer …', 'soft'))
  try {
    const { address, options } = requestOf(form)
    await show(answer, await fetch(address, options), began)
  } catch (error) {
    const sends = form.querySelector('.once') !== null
    answer.replaceChildren(make('p', 'There was no answer: ' + error.message + '. ' + (sends ? 'The message may have been sent. Sending it again with the same Idempotency-Key sends nothing twice.' : ''), 'bad'))
  } finally {
    button.disabled = false
  }
})
})()
`
