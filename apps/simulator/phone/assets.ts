import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { hostOf } from '../http.js'
import { type Asset, asset, FONT, LOOK } from '../look.js'

/** The headers of the page. Only the simulator's own script runs in it, and the page exchanges data only with the simulator. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'self'; font-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  vary: 'hx-request',
}

/** Whether a form was sent by the simulator's own page, according to one of three headers that browsers send. */
export const isFromHere = (request: IncomingMessage): boolean => {
  const { origin, referer = '', 'sec-fetch-site': site } = request.headers
  if (origin !== undefined) return isOurs(origin, hostOf(request))
  return site === undefined ? isOurs(referer, hostOf(request)) : site === 'same-origin'
}

const isOurs = (address: string, host: string | undefined): boolean => {
  try {
    return new URL(address).host === host?.toLowerCase()
  } catch {
    return false
  }
}

/** The style of the phones and of the panel beside them. Colours of texts have a contrast of at least 4.5 to 1 in both schemes. */
const STYLE = `${LOOK}p,h1,h2,ol,ul{margin:0;padding:0}
ol,ul{list-style:none}
.soft{color:var(--muted)}
[aria-current=page]{color:var(--text);font-weight:600}
#notice>p{background:var(--attention-soft);color:var(--attention);font-weight:600;border:1px solid currentColor;border-radius:10px;padding:10px 16px;position:fixed;left:50%;bottom:1rem;transform:translateX(-50%);width:max-content;max-width:calc(100vw - 2rem);z-index:2;box-shadow:0 8px 24px rgb(0 0 0 / .14);overflow-wrap:anywhere}
.hint{background:var(--attention-soft);color:var(--attention);border:1px solid var(--edge);border-radius:10px;padding:10px 16px;margin:8px auto;max-width:60rem}
.hint a,.hint code{color:inherit}
main{max-width:1448px;padding:20px 24px 32px}
.desk{display:grid;grid-template-columns:minmax(0,1fr) 304px;gap:24px;align-items:start}
.phones{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:1rem;align-items:start}
.phones>*{width:100%;max-width:25rem;justify-self:center}
.phone{display:flex;flex-direction:column;min-width:0;background:var(--card);border:1px solid var(--line);border-radius:1.5rem;overflow:hidden;box-shadow:0 8px 24px rgb(0 0 0 / .08)}
.who{display:flex;gap:.75rem;align-items:center;background:var(--brand);color:var(--on-brand);padding:.75rem 1rem}
.who div{min-width:0;overflow-wrap:anywhere}
.who h2{font-size:16px;line-height:20px;font-weight:600}
.who p{font-size:13px;font-variant-numeric:tabular-nums}
.face{display:grid;place-items:center;flex:none;width:2.6rem;height:2.6rem;border-radius:50%;background:var(--on-brand);color:var(--brand);font-weight:600;font-size:16px}
.window{font-size:13px;padding:8px 16px;border-bottom:1px solid var(--line)}
.window.closed{background:var(--attention-soft);color:var(--attention)}
.window.open strong{color:var(--brand)}
progress{display:block;width:100%;height:.4rem;margin-top:.35rem;appearance:none;border:0;border-radius:1rem;overflow:hidden;background:var(--line)}
progress::-webkit-progress-bar{background:var(--line)}
progress::-webkit-progress-value{background:var(--brand)}
progress::-moz-progress-bar{background:var(--brand)}
.chat{display:flex;flex-direction:column-reverse;background:var(--side);height:clamp(18rem,58vh,40rem);overflow-y:auto;overscroll-behavior:contain}
.chat:focus-visible{outline-offset:-3px}
.chat ol{margin-top:auto}
.chat>ol{display:flex;flex-direction:column;gap:.4rem;padding:1rem .75rem;margin-bottom:auto;min-height:100%;justify-content:flex-end}
.bubble{position:relative;max-width:86%;padding:.5rem .7rem .35rem;border-radius:1rem;overflow-wrap:anywhere;box-shadow:0 1px 1px #0002}
.bubble>p,.cards p{white-space:pre-wrap}
.mine{align-self:flex-end;background:var(--good-soft);border-bottom-right-radius:.25rem}
.theirs{align-self:flex-start;background:var(--card);border:1px solid var(--line);border-bottom-left-radius:.25rem}
.bubble img,.bubble video{display:block;max-width:100%;max-height:14rem;border-radius:.6rem;margin-bottom:.3rem;background:var(--side)}
.bubble img{min-width:3rem;min-height:3rem}
.bubble audio{display:block;width:15rem;max-width:100%;margin-bottom:.3rem}
.bubble .sticker{width:8rem;height:8rem;object-fit:contain;background:none;margin:0}
.bare{background:none;border:0;box-shadow:none;padding-inline:.2rem}
.quote{margin:0 0 .35rem;padding:.3rem .6rem;border-left:3px solid var(--brand);border-radius:.4rem;background:var(--quiet-soft);font-size:.85rem;color:var(--muted);max-height:4.4rem;overflow:hidden}
.quote b{display:block;color:var(--brand)}
.label{display:inline-block;font-size:.75rem;font-weight:600;color:var(--muted);border:1px solid var(--line);border-radius:1rem;padding:.05rem .6rem;margin-bottom:.3rem}
.file{display:flex;gap:.6rem;align-items:center;background:var(--quiet-soft);border-radius:.6rem;padding:.5rem .6rem;margin-bottom:.3rem}
.file>div{min-width:0}
.file a{font-size:.85rem}
.sign{display:grid;place-items:center;flex:none;width:2.2rem;height:2.2rem;border-radius:.5rem;background:var(--brand);color:var(--on-brand);font-weight:700}
.contacts{display:grid;gap:.3rem}
.contacts .file{margin:0}
.contacts .sign{border-radius:50%}
.place{width:15rem;max-width:100%}
.map{display:grid;place-items:center;height:6.5rem;border-radius:.6rem;margin-bottom:.3rem;color:var(--bad);font-size:1.8rem;background:linear-gradient(115deg,transparent 46%,var(--line) 46% 52%,transparent 52%),linear-gradient(25deg,transparent 60%,var(--line) 60% 64%,transparent 64%),repeating-linear-gradient(0deg,var(--quiet-soft) 0 1.5rem,var(--side) 1.5rem 1.6rem)}
.voice{display:flex;align-items:center;gap:.6rem;width:15rem;max-width:100%;margin-bottom:.3rem}
.voice .tap{width:2.75rem;min-height:2.75rem;border-radius:50%;padding:0;flex:none}
.wave{flex:1;height:1.4rem;opacity:.7;background:repeating-linear-gradient(90deg,var(--brand) 0 2px,transparent 2px 6px);mask:radial-gradient(ellipse at 30% 50%,#000 30%,transparent 75%)}
.reactions{position:absolute;right:.6rem;bottom:-.8rem;background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:0 .45rem;font-size:.9rem;line-height:1.5rem}
.bubble:has(.reactions){margin-bottom:.8rem}
.head{font-weight:700}
.foot{color:var(--muted);font-size:.85rem}
.what{font-weight:600}
.meta{display:flex;gap:.5rem;justify-content:flex-end;font-size:.75rem;color:var(--muted)}
.tick{white-space:nowrap}
.tick.read,.tick.played{color:var(--moving);font-weight:600}
.tick.failed,.failure{color:var(--bad);font-weight:600}
.failure{font-size:.8rem;border-top:1px solid var(--line);padding-top:.3rem;margin-top:.3rem}
.buttons{display:grid;gap:.35rem;margin:.5rem 0 .25rem}
.section{font-size:.75rem;font-weight:600;color:var(--muted);margin-top:.4rem}
.rows .buttons{margin:.25rem 0 0}
button.tap small{display:block;font-weight:400;color:var(--muted)}
.inert,.out{display:block;text-align:center;color:var(--muted);border:1px dashed var(--control);border-radius:.6rem;padding:.35rem .6rem}
.out{color:var(--brand);border-style:solid;border-color:var(--brand);font-weight:600;text-decoration:none}
.out:hover{background:var(--side)}
.cards{display:flex;gap:.5rem;overflow-x:auto;margin-top:.4rem}
.cards>li{flex:0 0 9.5rem;border:1px solid var(--line);border-radius:.6rem;padding:.5rem}
.aside{align-self:center;text-align:center;font-size:.8rem;max-width:92%}
.aside span{display:inline-block;background:var(--card);color:var(--muted);border:1px solid var(--line);border-radius:1rem;padding:.2rem .75rem;overflow-wrap:anywhere}
.aside.bad span{color:var(--bad);border-color:currentColor}
.typing{color:var(--muted);font-size:.9rem}
.dots i{display:inline-block;width:.35rem;height:.35rem;border-radius:50%;background:currentColor;margin-left:.25rem;animation:blink 1.2s infinite}
.dots i:nth-child(2){animation-delay:.2s}.dots i:nth-child(3){animation-delay:.4s}
@keyframes blink{50%{opacity:.25}}
@media (prefers-reduced-motion:reduce){.dots i{animation:none}}
.compose{display:flex;flex-wrap:wrap;gap:0 1rem;padding:.75rem;border-top:1px solid var(--line)}
.compose>.write{flex:1 0 100%}
.compose>details[open]{flex:1 0 100%}
.write{display:flex;gap:.5rem}
.write input{flex:1;min-width:0;border-radius:2rem;padding-inline:1rem}
.write button{border-radius:2rem}
input,select{font:inherit;color:inherit;background:var(--card);border:1px solid var(--control);border-radius:7px;padding:6px 10px;width:100%;min-height:34px}
.compose :is(input,button){min-height:2.75rem}
input::placeholder{color:var(--muted);opacity:1}
input[type=file]{font-size:13px}
button{font:inherit;font-weight:500;color:var(--on-brand);background:var(--brand);border:1px solid var(--brand);border-radius:7px;padding:6px 14px;min-height:34px;cursor:pointer;box-shadow:var(--shadow)}
button.plain{color:var(--text);background:var(--card);border-color:var(--edge)}
button.tap{color:var(--brand);background:transparent;box-shadow:none;width:100%}
.compose button.plain{width:100%}
button.tap{min-height:2.4rem;padding-block:.25rem}
button.plain:hover,button.tap:hover{background:var(--quiet-soft)}
label{display:block;font-size:13px;font-weight:500;margin:8px 0 4px}
.card form button,.compose details button.plain{margin-top:12px}
details{margin-top:.5rem}
summary{cursor:pointer;color:var(--brand);font-weight:500;font-size:13px;padding:4px;border-radius:7px}
details[open]{border:1px solid var(--line);border-radius:10px;padding:6px 12px 12px}
details .soft{font-size:13px;overflow-wrap:anywhere}
code{font:12px/16px ui-monospace,monospace;overflow-wrap:anywhere}
.panel{display:grid;gap:1rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;box-shadow:var(--shadow);padding:16px 20px;min-width:0}
.card h2{font-size:14px;line-height:20px;font-weight:600;margin-bottom:4px}
.card .soft{font-size:13px}
.card.faulty{border-color:var(--bad)}
.card.faulty h2{color:var(--bad)}
.card.faulty .soft{margin-top:.5rem}
.first{margin-top:4rem}
.first button.plain{color:var(--on-brand);background:var(--brand);border-color:var(--brand)}
.names{display:flex;flex-wrap:wrap;gap:.25rem 1rem;overflow-wrap:anywhere;margin-bottom:.5rem}
.names li{min-width:0}
.away{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:60rem){.desk{grid-template-columns:minmax(0,1fr)}.panel{grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr))}}
@media (max-width:30rem){.bar,main{padding-inline:16px}.phone{border-radius:1rem}.chat{height:60vh}}
`

const requireFrom = createRequire(import.meta.url)

/** The only style sheet. */
export const STYLE_SHEET = asset('style', 'css', 'text/css; charset=utf-8', STYLE)

/**
 * After a message was sent, the field for the next one gets the focus; after its button was pressed, a voice message is played. Chromium logs an error for
 * `autofocus` if another element has the focus.
 */
const FOCUS = `document.addEventListener('htmx:after:swap', () => {
  const field = document.querySelector('[data-fresh]')
  field?.removeAttribute('data-fresh')
  field?.focus()
  field?.play?.()
})`

/** The only script: htmx, its extension for server-sent events, and the code that keeps the focus. */
export const SCRIPT = asset('live', 'js', 'text/javascript; charset=utf-8', [
  ...['htmx.min.js', 'ext/hx-sse.min.js'].map((file) =>
    readFileSync(requireFrom.resolve(`htmx.org/dist/${file}`), 'utf8').replace(/\n?\/\/# sourceMappingURL=.*/, '')),
  FOCUS,
].join(';\n'))

/** The icon in the browser's tab: the mark of the product. */
export const ICON = asset('icon', 'svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="#0b5d43"/>'
  + '<path d="M7 18v-7a5 5 0 0 1 10 0v7" fill="none" stroke="#fff" stroke-width="2.4"/></svg>')

/** Every file. */
export const ASSETS: ReadonlyArray<Asset> = [STYLE_SHEET, FONT, SCRIPT, ICON]
