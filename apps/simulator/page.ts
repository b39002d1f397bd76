import { randomBytes } from 'node:crypto'
import { FAULTS, MAGIC_PREFIX } from './faults.js'
import type { Reply } from './http.js'
import type { ReceivedMessage } from './journal.js'
import { PAGE_SCRIPT, PAGE_STYLE } from './page-assets.js'
import { addressOf } from './webhooks.js'
import { usualPhoneNumberId, type World } from './world.js'

const SHOWN = 100
const NOTHING = '<p class="empty">Nothing yet. Send a message through the gateway, and it shows up here.</p>'
const TYPES = [
  'text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'button', 'interactive', 'reaction', 'order',
  'call', 'system', 'unsupported', 'edit', 'revoke', 'request_welcome',
]

/** The page: what arrived, a form to play a customer, and the numbers that provoke faults. It fetches nothing from elsewhere. */
export const pageReply = (world: World): Reply => {
  const nonce = randomBytes(16).toString('base64')
  return html(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postern simulator</title><link rel="icon" href="data:,"><style nonce="${nonce}">${PAGE_STYLE}</style></head>
<body><header><h1>Postern simulator</h1>
<p>A stand-in for WhatsApp's Cloud API. Nothing leaves this machine, and nothing is kept.</p></header>
<main><section aria-labelledby="arrived-title"><h2 id="arrived-title">What arrived</h2>
<div id="arrived">${arrived(world)}</div></section>
<aside>${customerForm(world)}
<form class="card" method="post" action="/_simulator/reset"><h2>Start over</h2>
<p>Forgets what arrived, what is pending, and every change of settings.</p><button class="quiet">Reset</button></form>
${faultTable}</aside></main>
<script nonce="${nonce}">${PAGE_SCRIPT}</script></body></html>
`, {
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; `
      + 'img-src data:; form-action \'self\'; base-uri \'none\'; frame-ancestors \'none\'',
  })
}

/** The part of the page that is fetched again and again. */
export const arrivedHtml = (world: World): Reply => html(arrived(world), {})

/** Text made safe to stand in HTML, also within a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const html = (body: string, headers: Reply['headers']): Reply => ({
  status: 200, body,
  headers: {
    'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers,
  },
})

const arrived = ({ journal, webhooks }: World): string => {
  const { accepted, refused } = journal.counts()
  const { pending, acknowledged, failedAttempts, dropped } = webhooks.stats()
  const messages = journal.all().slice(-SHOWN).reverse()
  const target = webhooks.target()
  const aim = target === undefined ? 'none yet, so nothing is reported' : `<code>${escapeHtml(addressOf(target))}</code>`
  return `<ul class="figures">${[
    ['accepted', accepted], ['refused', refused], ['updates pending', pending], ['acknowledged', acknowledged],
    ['failed attempts', failedAttempts], ['dropped', dropped],
  ].map(([name, value]) => `<li><b>${value}</b> ${name}</li>`).join('')}</ul>
<p class="hint">Webhook: ${aim}</p>
${messages.length === 0 ? NOTHING : table(messages)}`
}

const table = (messages: ReadonlyArray<ReceivedMessage>): string =>
  `<table><thead><tr><th>Time</th><th>To</th><th>Message</th><th>Outcome</th></tr></thead>
<tbody>${messages.map(row).join('')}</tbody></table>`

const row = (message: ReceivedMessage): string => {
  const { at, to, type, text = '', outcome, code, statuses, faults, callback = '', wamid = '' } = message
  const badges = (names: ReadonlyArray<string>, kind: string): string =>
    names.map((name) => `<span class="badge ${kind}">${escapeHtml(name)}</span>`).join(' ')
  return `<tr><td><time>${new Date(at).toISOString().slice(11, 23)}</time></td>
<td><button class="link" type="button" data-number="${escapeHtml(to)}"
 title="Answer as this customer">${escapeHtml(to)}</button></td>
<td class="message"><span class="type">${escapeHtml(type)}</span> ${escapeHtml(text.slice(0, 500))}
<small title="${escapeHtml(wamid)}">${escapeHtml(callback)}</small></td>
<td class="outcome"><span class="badge ${outcome}">${outcome}${code === undefined ? '' : ` ${code}`}</span>
${badges(statuses, '')} ${badges(faults, 'fault')}</td></tr>`
}

const customerForm = (world: World): string => {
  const phoneNumberId = usualPhoneNumberId(world)
  const number = world.journal.latest()?.to ?? `${MAGIC_PREFIX}999`
  return `<form class="card" method="post" action="/_simulator/customers"><h2>Play a customer</h2>
<label>Customer's number<input name="number" value="${escapeHtml(number)}" required></label>
<label>Business number's id<input name="phone_number_id" value="${escapeHtml(phoneNumberId)}" required></label>
<label>Type<select name="type">${TYPES.map((type) => `<option>${type}</option>`).join('')}</select></label>
<label>Text<textarea name="text" rows="2">Hello, is anybody there?</textarea></label><button>Send as the customer</button></form>`
}

const faultTable = `<details class="card"><summary>Recipients that provoke faults</summary><table><tbody>${FAULTS
  .filter(({ digits }) => digits !== undefined)
  .map(({ digits, name, about }) => `<tr><td><code>${MAGIC_PREFIX}${digits}</code></td>
<td><b>${name}</b>: ${escapeHtml(about)}</td></tr>`)
  .join('')}</tbody></table></details>`
