import { randomBytes } from 'node:crypto'
import { barHtml } from '../bar.js'
import type { Customer } from '../customers.js'
import { MAGIC_CHANGES } from '../faults/customer-changes.js'
import { FAULTS, MAGIC_PREFIX } from '../faults/faults.js'
import type { Reply } from '../http.js'
import { LOOK } from '../look.js'
import { NUMBER_LIMITS, NUMBER_RATINGS, THROUGHPUT_LEVELS } from '../numbers.js'
import { businessNumber, defaultPhoneNumberId, type SimulatorState, userIdFor } from '../state.js'
import type { Template } from '../templates/template.js'
import { publicUrl } from '../webhooks/delivery.js'
import type { InboundMessage, ReceivedMessage } from './logs.js'

/** The style of the pages of the log and of the apps. */
export const PAGE_STYLE = `${LOOK}main { display: grid; grid-template-columns: minmax(0, 1fr) 22rem; gap: 24px; padding: 20px 24px 48px; max-width: 1448px;
  align-items: start }
.title { grid-column: 1 / -1; margin: 0 }
section, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow); padding: 16px 20px }
section { overflow-x: auto } aside { display: grid; gap: 16px } h2 { font-size: 14px; line-height: 20px; font-weight: 600; margin: 24px 0 8px }
section > h2, .card > h2 { margin-top: 0 }
table { width: 100%; border-collapse: collapse; font-size: 13px } th { text-align: left; font-size: 12px; color: var(--muted); font-weight: 500 }
td, th { padding: 8px; border-bottom: 1px solid var(--line); vertical-align: top } tr:last-child td { border-bottom: 0 }
td:first-child, th:first-child { padding-left: 0 } td:first-child, th, .link, .badge, .type { white-space: nowrap }
.message { width: 100%; min-width: 12rem; overflow-wrap: anywhere } .outcome { min-width: 9rem }
time, code { font: 12px/16px ui-monospace, monospace } small { display: block; color: var(--muted); font-size: 12px }
.figures { display: flex; flex-wrap: wrap; gap: 4px 24px; list-style: none; margin: 0 0 8px; padding: 0;
  color: var(--muted); font-size: 13px } .figures b { color: var(--text); font-size: 16px; font-weight: 600; font-variant-numeric: tabular-nums }
.hint, .empty { color: var(--muted); margin: 2px 0 16px } .empty { padding: 32px 0; text-align: center }
.ticks { color: var(--muted); letter-spacing: -.35em; padding-right: .4em } .ticks.read { color: var(--moving) }
.type, .badge { display: inline-block; border-radius: 6px; padding: 1px 8px; font-size: 12px; line-height: 18px; font-weight: 500;
  background: var(--quiet-soft); color: var(--muted) }
.badge.accepted { color: var(--good); background: var(--good-soft) } .badge.refused { color: var(--bad); background: var(--bad-soft) }
.badge.fault { color: var(--attention); background: var(--attention-soft) }
label { display: block; margin-bottom: 12px; font-size: 13px; font-weight: 500 }
input, select, textarea { display: block; width: 100%; margin-top: 4px; padding: 6px 10px; min-height: 34px; font: inherit; font-weight: 400;
  color: inherit; background: var(--card); border: 1px solid var(--control); border-radius: 7px }
button { font: inherit; font-weight: 500; cursor: pointer; border: 1px solid var(--brand); border-radius: 7px; padding: 6px 14px; min-height: 34px;
  background: var(--brand); color: var(--on-brand); box-shadow: var(--shadow) }
button.quiet { background: var(--card); color: var(--text); border-color: var(--edge) } button.link { padding: 0; min-height: 0; border: 0;
  box-shadow: none; background: none; color: inherit; text-decoration: underline dotted; font-weight: 400 }
summary { cursor: pointer; font-weight: 600 }
@media (max-width: 900px) { main { grid-template-columns: minmax(0, 1fr); padding-inline: 16px } .bar { padding-inline: 16px } }
`

/** Fetches the received messages every two seconds, and fills in the number of the customer that was clicked. */
export const PAGE_SCRIPT = `
const list = document.getElementById('arrived')
setInterval(async () => {
  if (document.hidden || list.contains(document.activeElement)) return
  try {
    const answer = await fetch('/_simulator/log?arrived')
    if (answer.ok) list.innerHTML = await answer.text()
  } catch { /* The simulator is down; the page keeps what it has. */ }
}, 2000)
list.addEventListener('click', ({ target }) => {
  if (target.dataset.number === undefined) return
  document.querySelector('input[name=number]').value = target.dataset.number
  document.querySelector('textarea[name=text]').focus()
})
`

const SHOWN = 100
const NOTHING = '<p class="empty">Nothing yet. Send a message through the gateway, and it appears here.</p>'
const TYPES = [
  'text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'button', 'interactive', 'reaction', 'order',
  'call', 'system', 'unsupported', 'edit', 'revoke', 'request_welcome',
]

/** The page: the received messages, a form to write as a customer, and the numbers that provoke faults. It loads nothing from other sites. */
export const pageReply = (state: SimulatorState): Reply => {
  const nonce = randomBytes(16).toString('base64')
  return html(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Log · Postern simulator</title><link rel="icon" href="data:,"><style nonce="${nonce}">${PAGE_STYLE}</style></head>
<body>${barHtml('log')}<main><div class="title"><h1>Log</h1>
<p>A stand-in for WhatsApp's Cloud API. It sends nothing to WhatsApp and keeps everything in memory only.</p></div>
<section aria-labelledby="arrived-title"><h2 id="arrived-title">What arrived</h2>
<div id="arrived">${arrived(state)}</div></section>
<aside>${customerForm(state)}
${numberForm(state)}
<form class="card" method="post" action="/_simulator/reset"><h2>Start over</h2>
<p>Removes the received messages, pending notifications and every change of settings.</p><button class="quiet">Reset</button></form>
${faultTable}</aside></main>
<script nonce="${nonce}">${PAGE_SCRIPT}</script></body></html>
`, {
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; font-src 'self'; script-src 'nonce-${nonce}'; connect-src 'self'; `
      + 'img-src data:; form-action \'self\'; base-uri \'none\'; frame-ancestors \'none\'',
  })
}

/** The part of the page that is fetched every two seconds. */
export const arrivedHtml = (state: SimulatorState): Reply => html(arrived(state), {})

/** Escapes text for HTML, also within a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** A page, or a part of one, that browsers do not cache. */
export const html = (body: string, headers: Reply['headers']): Reply => ({
  status: 200, body,
  headers: {
    'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers,
  },
})

const arrived = (state: SimulatorState): string => {
  const { requestLog, webhooks } = state
  const { accepted, refused } = requestLog.counts()
  const { pending, acknowledged, failedAttempts, dropped } = webhooks.stats()
  const messages = requestLog.all().slice(-SHOWN).reverse()
  const target = webhooks.target()
  const address = target === undefined
    ? 'none: no gateway is notified of statuses and of what customers write. Start the simulator with <code>--webhook</code>.'
    : `<code>${escapeHtml(publicUrl(target))}</code>`
  return `<ul class="figures">${[
    ['accepted', accepted], ['refused', refused], ['updates pending', pending], ['acknowledged', acknowledged],
    ['failed attempts', failedAttempts], ['dropped', dropped],
  ].map(([name, value]) => `<li><b>${value}</b> ${name}</li>`).join('')}</ul>
<p class="hint">Webhook: ${address}</p>
${messages.length === 0 ? NOTHING : table(messages)}
${inboundTable(state)}
${customerTable(state)}
${templateTable(state.templates.all())}`
}

/** The messages of customers, with the blue ticks and the typing indicator that they see. */
const inboundTable = ({ inboundLog }: SimulatorState): string => {
  const messages = inboundLog.all().slice(-SHOWN).reverse()
  return messages.length === 0 ? '' : `<h2>What customers wrote</h2>
<table><thead><tr><th>Time</th><th>From</th><th>Message</th><th>The customer sees</th></tr></thead>
<tbody>${messages.map(inboundRow).join('')}</tbody></table>`
}

const inboundRow = ({ id, at, from, type, text, read_at: readAt, typing_until: typingUntil }: InboundMessage): string =>
  `<tr><td><time>${new Date(at).toISOString().slice(11, 23)}</time></td><td>${answerButton(from)}</td>
<td class="message" title="${escapeHtml(id)}"><span class="type">${escapeHtml(type)}</span> ${escapeHtml(text?.slice(0, 500) ?? '')}</td>
<td><span class="ticks${readAt === null ? '' : ' read'}" title="${readAt === null ? 'delivered' : 'read'}">✓✓</span>${
  typingUntil !== null && typingUntil > Date.now() ? ' typing…' : ''}</td></tr>`

/** The customers met last, with both ids; a button fills in the form above. */
const customerTable = (state: SimulatorState): string => {
  const phoneNumberId = defaultPhoneNumberId(state)
  const customers = state.customers.all().slice(-SHOWN).reverse()
  return customers.length === 0 ? '' : `<h2>Customers</h2>
<table><thead><tr><th>Number</th><th>User id for ${escapeHtml(phoneNumberId)}</th><th>State</th></tr></thead>
<tbody>${customers.map((customer) => customerRow(customer, userIdFor(state, phoneNumberId, customer))).join('')}</tbody></table>`
}

const customerRow = ({ number, username, isNumberHidden, hasStoppedMarketing, isGone }: Customer, userId: string): string =>
  `<tr><td>${number === undefined ? '' : answerButton(number)}</td><td>${answerButton(userId)} ${escapeHtml(username ?? '')}</td>
<td>${badges([
    ...(isNumberHidden ? ['number hidden'] : []), ...(hasStoppedMarketing ? ['no marketing'] : []), ...(isGone ? ['gone'] : []),
  ], '')}</td></tr>`

const templateTable = (templates: ReadonlyArray<Template>): string => `<h2>Templates</h2>
<table><thead><tr><th>Name</th><th>Language</th><th>Category</th><th>State</th></tr></thead>
<tbody>${templates.slice(0, SHOWN).map(templateRow).join('\n')}</tbody></table>`

const templateRow = ({ name, language, category, status, quality_score: { score } }: Template): string =>
  `<tr><td>${escapeHtml(name)}</td><td>${escapeHtml(language)}</td><td>${category.toLowerCase()}</td>
<td>${badges([status], status === 'APPROVED' ? 'accepted' : 'refused')} ${badges(score === 'UNKNOWN' ? [] : [score], '')}</td></tr>`

const answerButton = (id: string): string => `<button class="link" type="button" data-number="${escapeHtml(id)}"
 title="Answer as this customer">${escapeHtml(id)}</button>`

const badges = (names: ReadonlyArray<string>, kind: string): string =>
  names.map((name) => `<span class="badge ${kind}">${escapeHtml(name)}</span>`).join(' ')

const table = (messages: ReadonlyArray<ReceivedMessage>): string =>
  `<table><thead><tr><th>Time</th><th>To</th><th>Message</th><th>Outcome</th></tr></thead>
<tbody>${messages.map(row).join('')}</tbody></table>`

const row = (message: ReceivedMessage): string => {
  const {
    at, to, recipient = '', userId = recipient, type, text = '', outcome, code, statuses, faults, callback = '', wamid = '',
  } = message
  return `<tr><td><time>${new Date(at).toISOString().slice(11, 23)}</time></td>
<td>${answerButton(to === '' ? recipient : to)}<small>${to === '' ? '' : escapeHtml(userId)}</small></td>
<td class="message"><span class="type">${escapeHtml(type)}</span> ${escapeHtml(text.slice(0, 500))}
<small title="${escapeHtml(wamid)}">${escapeHtml(callback)}</small></td>
<td class="outcome"><span class="badge ${outcome}">${outcome}${code === undefined ? '' : ` ${code}`}</span>
${badges(statuses, '')} ${badges(faults, 'fault')}</td></tr>`
}

const customerForm = (state: SimulatorState): string => {
  const phoneNumberId = defaultPhoneNumberId(state)
  const latest = state.requestLog.latest()
  const number = [latest?.to, latest?.recipient, `${MAGIC_PREFIX}999`].find((id) => id !== undefined && id !== '') ?? ''
  return `<form class="card" method="post" action="/_simulator/customers"><h2>Write as a customer</h2>
<label>Customer's number or user id<input name="number" value="${escapeHtml(number)}" required></label>
<label>Business number's id<input name="phone_number_id" value="${escapeHtml(phoneNumberId)}" required></label>
<label>Type<select name="type">${TYPES.map((type) => `<option>${type}</option>`).join('')}</select></label>
<label>Text<textarea name="text" rows="2">Hello, where is my order?</textarea></label><button>Send as the customer</button></form>`
}

/** Changes what the platform reports of a business number. */
const numberForm = (state: SimulatorState): string => {
  const id = defaultPhoneNumberId(state)
  const number = businessNumber(state, id)
  const choice = (label: string, name: 'limit' | 'quality' | 'throughput', words: ReadonlyArray<string>): string =>
    `<label>${label}<select name="${name}">${words.map((word) =>
      `<option${word === number[name] ? ' selected' : ''}>${word}</option>`).join('')}</select></label>`
  return `<form class="card" method="post" action="/_simulator/numbers"><h2>Change a business number</h2>
<label>Business number's id<input name="phone_number_id" value="${escapeHtml(id)}" required></label>
${choice('Quality', 'quality', NUMBER_RATINGS)}${choice('Messaging limit of its portfolio', 'limit', NUMBER_LIMITS)}${
  choice('Throughput', 'throughput', THROUGHPUT_LEVELS)}<button>Change and notify</button></form>`
}

const faultTable = `<details class="card"><summary>Recipients that provoke faults and changes</summary><table><tbody>${FAULTS
  .filter(({ digits }) => digits !== undefined)
  .map(({ digits, name, about }) => `<tr><td><code>${MAGIC_PREFIX}${digits}</code></td>
<td><b>${name}</b>: ${escapeHtml(about)}</td></tr>`)
  .join('')}${MAGIC_CHANGES.map(({ digits, about }) => `<tr><td><code>${MAGIC_PREFIX}${digits}</code></td><td>accepted; ${escapeHtml(about)}</td></tr>`)
  .join('')}</tbody></table></details>`
