import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'
import { Bar } from '../bar.js'
import type { SimulatorState } from '../state.js'
import { ICON, SCRIPT, STYLE_SHEET } from './assets.js'
import { AddForm, Panel } from './panel.js'
import { PhoneColumn } from './phone.js'
import { phonesOf } from './phones.js'
import { addressOf, type View } from './view.js'

/** Only forms and streams of htmx are used. Opened elements stay open; the other name is htmx's own. */
const SCRIPT_SETTINGS = JSON.stringify({
  history: false, includeIndicatorCSS: false, extensions: 'sse', morphIgnore: ['data-htmx-powered', 'open'],
})

/** The whole page, and the problem with the submitted form, if any. */
export const pageHtml = (state: SimulatorState, view: View, problem?: string): string => `<!doctype html>${render(
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="htmx-config" content={SCRIPT_SETTINGS} />
      <title>The customer's phone · Postern simulator</title>
      <link rel="icon" href={ICON.path} />
      <link rel="stylesheet" href={STYLE_SHEET.path} />
      <script src={SCRIPT.path} defer />
    </head>
    <body>
      <Bar current="phone" phone={addressOf('/_simulator', view)} />
      <div id="notice" role="alert">{problem !== undefined && <p>{problem}</p>}</div>
      <main>
        <div class="title">
          <h1>The customer's phone</h1>
          <p>Write to a business as its customers, and see its replies. Nothing leaves this machine.</p>
        </div>
        <div id="app" {...liveAt(addressOf('/_simulator/phone/live', view))}><App state={state} view={view} /></div>
      </main>
      <noscript><p class="hint">Without JavaScript this page shows new messages when it is <a href={addressOf('/_simulator', view)}>loaded again</a>.</p></noscript>
    </body>
  </html>,
)}`

/** The part of the page that changes; `fresh` is the customer who has just written, or the voice message that was just played. */
export const appHtml = (state: SimulatorState, view: View, fresh?: string): string =>
  render(<App state={state} view={view} {...(fresh !== undefined && { fresh })} />)

/** The replacement for the notice of the page. */
export const noticeHtml = (problem?: string): string =>
  `<hx-partial hx-target="#notice" hx-swap="innerHTML">${problem === undefined ? '' : render(<p>{problem}</p>)}</hx-partial>`

/** Attributes of htmx, which are missing from the types of elements. */
const liveAt = (address: string): object => ({ 'hx-sse:connect': address, 'hx-swap': 'innerMorph' })

const App = ({ state, view, fresh }: { readonly state: SimulatorState; readonly view: View; readonly fresh?: string }): VNode => {
  const now = Date.now()
  const phones = phonesOf(state, view, now)
  return (
    <>
      {state.webhooks.target() === undefined && (
        <p class="hint" id="unheard">No business listens yet: start the simulator with <code>--webhook</code> and the gateway's address, and it gets what you write.</p>
      )}
      <div class="desk" id="desk">
        <div class="phones" id="phones">
          {phones.map((phone) => <PhoneColumn key={phone.key} phone={phone} view={view} now={now} fresh={fresh} />)}
          {phones.length === 0 && (
            <section class="card first" id="first" aria-labelledby="first-title">
              <h2 id="first-title">Be the first customer</h2>
              <p class="soft">A phone appears here as soon as the business sends a message. Or write first:</p>
              <AddForm state={state} view={view} />
            </section>
          )}
        </div>
        <Panel state={state} view={view} hasPhones={phones.length > 0} />
      </div>
    </>
  )
}
