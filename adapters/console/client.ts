import { LANGUAGES } from '../../core/kernel/language.js'
import { DATES } from './language.js'
import { PALETTE_CLIENT } from './palette-client.js'
import { CATALOGUES } from './texts.js'
import { ZONE_COOKIE } from './zone.js'

/** The script's texts and date formats, in every language: the script is the same for all, and the page names its language. */
const WORDS = Object.fromEntries(LANGUAGES.map((language) => {
  const { copied, now, minutes, hours, ofMost } = CATALOGUES[language].parts
  return [language, { dates: DATES[language], copied, now, minutes, hours, ofMost }]
}))

/** How long a page waits without its stream before it says that it is not live. A stream that ends is reopened within a second. */
const NOT_LIVE_MS = 3_000

/** How long the script waits after a message was chosen before it asks for the price of the chosen ones. */
const PRICE_AFTER_MS = 300

/** How much of a file of recipients is sent to show its first lines as messages. */
const SAMPLE_BYTES = 64 * 1024

/**
 * Our own script. It gives the reply to a form an address that can be loaded again, because otherwise a browser asks whether to submit the form again, or shows an
 * error. It sends the time zone of the browser with the next request, shows how long ago something was, copies ids, counts typed characters, checks a chosen file, and
 * opens the palette, shows the first lines of a file of recipients as messages, shows the templates of the number that is chosen for a message, and asks what sending the chosen messages again costs. It says when a live page has lost
 * its stream, and leaves a page after its person has signed out, for example in another
 * tab: each page that is shown without a session makes the others check that.
 *
 * A part of a page that is sent again contains its dates again, so the script handles every change of the page.
 * A chosen picture is drawn on a canvas, because a page may load no images.
 */
export const CLIENT = `(() => {
document.cookie = '${ZONE_COOKIE}=' + Intl.DateTimeFormat().resolvedOptions().timeZone + ';path=/;max-age=34560000;samesite=lax' + (location.protocol === 'https:' ? ';secure' : '')
const words = ${JSON.stringify(WORDS)}[document.documentElement.lang]
const form = (options) => new Intl.DateTimeFormat(words.dates, { timeZone: document.body.dataset.zone, ...options })
const day = form({ day: 'numeric', month: 'short' })
const date = form({ day: 'numeric', month: 'short', year: 'numeric' })
const forms = { minute: form({ dateStyle: 'medium', timeStyle: 'short' }), second: form({ dateStyle: 'medium', timeStyle: 'medium' }), clock: form({ hour: '2-digit', minute: '2-digit' }), day: date }
const whole = form({ dateStyle: 'full', timeStyle: 'long' })
const ago = (at) => {
  const passed = Math.floor((Date.now() - at) / 60000)
  if (passed < 0) return forms.minute.format(at)
  if (passed < 60) return passed < 1 ? words.now : words.minutes.replace('#', passed)
  if (passed < 1440) return words.hours.replace('#', Math.floor(passed / 60))
  return (at.getFullYear() === new Date().getFullYear() ? day : date).format(at)
}
const soon = form({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const next = (at) => (date.format(at) === date.format(new Date()) ? forms.clock : soon).format(at)
const show = (time) => {
  const at = new Date(time.dateTime)
  const text = time.dataset.as === 'ago' ? ago(at) : time.dataset.as === 'next' ? next(at) : forms[time.dataset.as].format(at)
  if (time.textContent !== text) time.textContent = text
  if (time.title === '') time.title = whole.format(at)
}
const showAll = () => document.querySelectorAll('time').forEach(show)
showAll()
setInterval(showAll, 30000)
new MutationObserver(showAll).observe(document.body, { childList: true, characterData: true, subtree: true })
const count = (field) => {
  const hint = field.parentElement.querySelector('.count')
  if (hint !== null) hint.textContent = words.ofMost.replace('##', field.maxLength).replace('#', field.value.length)
}
document.querySelectorAll('.field > [maxlength]').forEach(count)
const sizeOf = (bytes) => bytes < 1048576 ? Math.ceil(bytes / 1024) + ' KiB' : (bytes / 1048576).toLocaleString(words.dates, { minimumFractionDigits: 1, maximumFractionDigits: 1 }) + ' MiB'
const draw = async (file, picture) => {
  const drawn = await createImageBitmap(file, { resizeWidth: 640, resizeQuality: 'medium' }).catch(() => null)
  picture.querySelector('canvas')?.remove()
  if (drawn === null) return
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: drawn.width, height: drawn.height }).getContext('2d').drawImage(drawn, 0, 0)
  picture.prepend(canvas)
}
const look = (field) => {
  const [file] = field.files
  field.setCustomValidity(file !== undefined && file.size > Number(field.dataset.most) ? field.dataset.tooLarge : '')
  field.reportValidity()
  const detail = document.querySelector('.bubble .thing p')
  if (file === undefined || detail === null) return
  detail.textContent = file.name + ', ' + sizeOf(file.size)
  if (field.form.elements.filename?.value === '') document.querySelector('.bubble .thing strong').textContent = file.name
  const picture = document.querySelector('.bubble .picture')
  if (picture !== null) draw(file, picture)
}
document.addEventListener('input', ({ target }) => {
  if (target.type === 'file') look(target)
  else if (target.maxLength > 0) count(target)
})
document.addEventListener('change', async ({ target }) => {
  const follow = target.form?.querySelector('.follow')
  if (!target.matches('#sender') || !follow) return
  const reply = await fetch(follow.formAction, { method: 'POST', body: new URLSearchParams(new FormData(target.form)) }).catch(() => null)
  const shown = reply?.ok ? new DOMParser().parseFromString(await reply.text(), 'text/html').querySelector('.for-template') : null
  if (shown !== null) target.form.querySelector('.for-template').replaceWith(shown)
})
// The file is the last part of a form, wherever its field is.
document.addEventListener('formdata', ({ target, formData }) => {
  const file = formData.get('file')
  if (target.dataset.matching === undefined || file === null) return
  formData.delete('file')
  formData.append('file', file)
})
document.addEventListener('change', async ({ target }) => {
  const { form } = target
  const [file] = form?.elements.file?.files ?? []
  const place = form?.querySelector('.matched')
  if (!place || file === undefined || !form.dataset.matching || !(target.type === 'file' || place.contains(target))) return
  const body = new FormData(form)
  body.set('file', file.slice(0, ${SAMPLE_BYTES}, file.type), file.name)
  const reply = await fetch(form.dataset.matching, { method: 'POST', body, redirect: 'manual' }).catch(() => null)
  if (!reply?.ok || form.elements.file.files[0] !== file) return
  const { id } = document.activeElement
  place.innerHTML = await reply.text()
  if (place.contains(document.getElementById(id))) document.getElementById(id).focus()
})
document.addEventListener('submit', ({ target, submitter }) => {
  const note = target.querySelector('.on-its-way')
  if (note !== null && submitter?.formAction === target.action) note.hidden = false
})
if (document.body.dataset.history !== undefined) history.replaceState(null, '', document.body.dataset.history)
const notLive = document.querySelector('#not-live')
const channel = new BroadcastChannel('postern')
if (notLive === null) channel.postMessage('a page without a session')
else {
  const check = async () => {
    const reply = await fetch('/console/account', { method: 'HEAD', redirect: 'manual' }).catch(() => null)
    if (reply?.type === 'opaqueredirect') location.replace('/console/sign-in?back=' + encodeURIComponent(location.pathname + location.search))
  }
  let waiting
  document.addEventListener('htmx:sse:error', () => {
    void check()
    waiting ??= setTimeout(() => { notLive.hidden = false }, ${NOT_LIVE_MS})
  })
  document.addEventListener('htmx:sse:after:connection', () => {
    clearTimeout(waiting)
    waiting = undefined
    notLive.hidden = true
  })
  channel.onmessage = check
  document.addEventListener('visibilitychange', () => { if (!document.hidden) void check() })
}
document.addEventListener('click', ({ target }) => { if (target.closest('.print') !== null) print() })
document.addEventListener('keydown', ({ key, ctrlKey, metaKey, target }) => {
  if (key === 'Enter' && (ctrlKey || metaKey) && target.matches('.composer textarea')) target.form.requestSubmit(target.form.querySelector('[value=text]'))
})
document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll('.more[open]')) if (!menu.contains(target)) menu.open = false
})
document.documentElement.dataset.keys = ''
${PALETTE_CLIENT}
const boxes = () => [...document.querySelectorAll('tbody .pick input')]
let lastPick
const pick = (box, checked, isRange) => {
  const all = boxes()
  const [from, to] = [all.indexOf(lastPick), all.indexOf(box)].sort((a, b) => a - b)
  for (const one of isRange && from >= 0 ? all.slice(from, to + 1) : [box]) one.checked = checked
  lastPick = box
}
let pricing
const price = () => {
  const place = document.querySelector('.resend .price')
  pricing?.abort()
  if (place === null) return
  place.textContent = ''
  if (place.closest('button').offsetParent === null) return
  const { signal } = pricing = new AbortController()
  setTimeout(async () => {
    if (signal.aborted) return
    const { action } = place.closest('form')
    const reply = await fetch(action + '/price?' + new URLSearchParams(new FormData(place.closest('form'))), { signal, redirect: 'manual' }).catch(() => null)
    const text = reply?.ok === true ? await reply.text() : ''
    if (!signal.aborted) place.innerHTML = text
  }, ${PRICE_AFTER_MS})
}
document.addEventListener('change', ({ target }) => { if (target.matches('.picking input')) price() })
document.addEventListener('reset', ({ target }) => { if (target.matches('.picking')) setTimeout(price) })
document.addEventListener('click', ({ target, shiftKey }) => {
  if (target.matches('tbody .pick input')) pick(target, target.checked, shiftKey)
  else if (target.matches('thead .pick input')) for (const box of boxes()) box.checked = target.checked
})
const step = (by) => {
  const rows = [...document.querySelectorAll('main tbody tr')].flatMap((row) => row.querySelector('.first a') ?? row.querySelector('.act summary') ?? [])
  const at = rows.findIndex((row) => row === document.activeElement || row.closest('tr').contains(document.activeElement) || (document.activeElement === document.body && row.ariaCurrent !== null))
  const next = rows[at === -1 ? (by > 0 ? 0 : -1) : at + by]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}
document.addEventListener('keydown', (event) => {
  if (isTyping(event)) return
  if (event.key === 'j' || event.key === 'k') step(event.key === 'j' ? 1 : -1)
  if (event.key === 'x' || event.key === 'X') {
    const row = document.activeElement.closest('tr') ?? document.querySelector('main tr:has([aria-current])')
    const box = row?.querySelector('.pick input')
    if (box) {
      pick(box, !box.checked, event.shiftKey)
      price()
    }
  }
  if (event.key !== 'Escape') return
  const menu = document.querySelector('.more[open]')
  const form = document.querySelector('.picking:has(tbody .pick :checked)')
  if (menu === null && form !== null) form.reset()
  else if (menu === null) document.querySelector('.chosen .back a')?.click()
  else {
    menu.open = false
    menu.firstElementChild.focus()
  }
})
const panel = document.querySelector('.side-panel')
if (panel !== null) {
  const { href } = new URL(panel.dataset.close, location.href)
  const open = () => {
    panel.open = false
    panel.showModal()
  }
  open()
  panel.addEventListener('close', () => {
    history.replaceState(null, '', href)
    document.querySelector('.head .button')?.focus()
  })
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a')
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return
    if (link.matches('.side-panel .close')) panel.close()
    else if (link.matches('.head .button') && link.getAttribute('href').startsWith(panel.dataset.close)) open()
    else return
    event.preventDefault()
  })
}
if (navigator.clipboard === undefined) return
document.documentElement.dataset.copies = ''
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('.copy')
  if (button === null) return
  await navigator.clipboard.writeText(button.dataset.copy)
  const label = button.getAttribute('aria-label')
  button.setAttribute('aria-label', words.copied)
  button.dataset.done = ''
  setTimeout(() => { button.setAttribute('aria-label', label); delete button.dataset.done }, 1500)
})
})()`
