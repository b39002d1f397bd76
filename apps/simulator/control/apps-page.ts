import { randomBytes } from 'node:crypto'
import { barHtml } from '../bar.js'
import type { Reply } from '../http.js'
import { businessNumber, isPhoneNumberId, portfolioOf, type SimulatorState } from '../state.js'
import { publicUrl } from '../webhooks/delivery.js'
import { escapeHtml, html, PAGE_STYLE } from './page.js'

/** The maximum number of business numbers that the page lists. */
const SHOWN = 100

/** The page of the app whose webhook the simulator notifies: its address, its notifications, and the business numbers that it is subscribed to. No secret is shown. */
export const appsReply = (state: SimulatorState): Reply => {
  const nonce = randomBytes(16).toString('base64')
  return html(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Apps · Postern simulator</title><link rel="icon" href="data:,"><style nonce="${nonce}">${PAGE_STYLE}</style></head>
<body>${barHtml('apps')}<main><div class="title"><h1>Apps</h1>
<p>The app of the platform whose webhook this simulator notifies.</p></div>
<section aria-labelledby="webhook-title"><h2 id="webhook-title">Webhook</h2>
<div>${webhook(state)}
<h2>Business numbers that it is subscribed to</h2>
${numbers(state)}</div></section>
<aside>${SEVERAL}</aside></main></body></html>
`, {
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; font-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; `
      + 'frame-ancestors \'none\'',
  })
}

const NO_WEBHOOK = `<p class="empty">There is none, so no gateway is notified. Start the simulator with <code>--webhook</code>, or set one with
<code>POST /_simulator/webhook</code>.</p>`

const webhook = ({ account, webhooks }: SimulatorState): string => {
  const target = webhooks.target()
  if (target === undefined) return NO_WEBHOOK
  const { pending, acknowledged, failedAttempts, dropped } = webhooks.stats()
  const figures = [['updates pending', pending], ['acknowledged', acknowledged], ['failed attempts', failedAttempts], ['dropped', dropped]]
  return `<ul class="figures">${figures.map(([name, value]) => `<li><b>${value}</b> ${name}</li>`).join('')}</ul>
<p class="hint">Address: <code>${escapeHtml(publicUrl(target))}</code><br>Business account: <code>${escapeHtml(account.id)}</code></p>`
}

const numbers = (state: SimulatorState): string => {
  const ids = numbersOf(state)
  const hint = state.phoneNumberIds === undefined
    ? '<p class="hint">Every id of digits is a business number here; those that were used are listed.</p>' : ''
  return ids.length === 0 ? `${hint}<p class="empty">None was used yet.</p>` : `${hint}
<table><thead><tr><th>Business number\u2019s id</th><th>Portfolio</th><th>Quality</th><th>Customers</th></tr></thead>
<tbody>${ids.slice(0, SHOWN).map((id) => numberRow(state, id)).join('')}</tbody></table>${
  ids.length > SHOWN ? `<p class="hint">These are ${SHOWN} of ${ids.length}.</p>` : ''}`
}

/** The business numbers that the simulator was started with, or else those that were used. */
const numbersOf = (state: SimulatorState): ReadonlyArray<string> => {
  const { phoneNumberIds, customers, requestLog } = state
  if (phoneNumberIds !== undefined) return phoneNumberIds
  const used = customers.all().flatMap(({ businesses }) => [...businesses])
  const latest = requestLog.all().slice(-SHOWN).map(({ phoneNumberId }) => phoneNumberId)
  return [...new Set([...used, ...latest])].filter((id) => isPhoneNumberId(state, id)).sort()
}

const numberRow = (state: SimulatorState, id: string): string => {
  const count = state.customers.all().filter(({ businesses }) => businesses.has(id)).length
  return `<tr><td><code>${escapeHtml(id)}</code></td><td><code>${escapeHtml(portfolioOf(state, id))}</code></td>
<td>${businessNumber(state, id).quality.toLowerCase()}</td><td>${count}</td></tr>`
}

/** How one simulator is used with a gateway that has several apps. */
const SEVERAL = `<div class="card"><h2>Several apps</h2>
<p>A gateway has one webhook address for the app of its environment, <code>/webhooks/platform</code>, and one for each other app, <code>/webhooks/platform/NAME</code>. A simulator
notifies one of them.</p>
<p>To try another address, send <code>POST /_simulator/webhook</code> with the address, the app secret and the verify token of that app, or start a second simulator with
<code>--webhook</code>. Statuses come from the simulator that the gateway sends to, which is its <code>PLATFORM_URL</code>.</p>
<p>A notification has an effect only if the number belongs to the app at whose address it arrives.</p></div>`
