import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { hostOf } from '../http.js'

/** The headers of the page. Only the simulator's own script runs in it, and the page exchanges data only with the simulator. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
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

/** The only style sheet. Colours of texts have a contrast of at least 4.5 to 1 in both schemes. */
export const STYLE = `:root{color-scheme:light dark;--bg:#edf2ef;--card:#fff;--ink:#17231d;--soft:#515f58;--line:#cfd9d3;--edge:#7d8b84;--brand:#0a6b50;--on-brand:#fff;--chat:#e2ebe5;--mine:#cdefdb;--theirs:#fff;--shade:#eef3f0;--read:#0b5cb8;--bad:#a3271f;--warn-bg:#fff1cc;--warn:#5f3f00;--shadow:0 10px 30px #0c2a1f1f}
@media (prefers-color-scheme:dark){:root{--bg:#0e1411;--card:#18201c;--ink:#e6eee9;--soft:#b2c0b8;--line:#2e3b35;--edge:#7f8f87;--brand:#56cfa6;--on-brand:#06281d;--chat:#101814;--mine:#114537;--theirs:#232e29;--shade:#1b2420;--read:#8cc8ff;--bad:#ffa198;--warn-bg:#3a2e10;--warn:#f3d48f;--shadow:0 10px 30px #0008}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:1rem/1.45 system-ui,sans-serif}
a{color:var(--brand)}
p,h1,h2,ol,ul{margin:0;padding:0}
ol,ul{list-style:none}
:focus-visible{outline:3px solid var(--brand);outline-offset:2px}
.top{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1.25rem;padding:1rem 1.5rem .5rem;max-width:100rem;margin:0 auto}
.top h1{font-size:1.35rem;color:var(--brand)}
.top p,.soft{color:var(--soft)}
.top nav{display:flex;gap:1rem;margin-left:auto}
.top nav a{padding:.25rem 0}
[aria-current=page]{color:var(--ink);font-weight:600;text-decoration:none}
#notice>p{background:var(--warn-bg);color:var(--warn);font-weight:600;border:1px solid currentColor;border-radius:.75rem;padding:.6rem 1rem;position:fixed;left:50%;bottom:1rem;transform:translateX(-50%);width:max-content;max-width:calc(100vw - 2rem);z-index:2;box-shadow:var(--shadow);overflow-wrap:anywhere}
.hint{background:var(--warn-bg);color:var(--warn);border-radius:.75rem;padding:.6rem 1rem;margin:.5rem auto;max-width:60rem}
.hint a,.hint code{color:inherit}
main{max-width:100rem;margin:0 auto;padding:.5rem 1.5rem 2rem}
.desk{display:grid;grid-template-columns:minmax(0,1fr) 19rem;gap:1.5rem;align-items:start}
.phones{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:1rem;align-items:start}
.phones>*{width:100%;max-width:25rem;justify-self:center}
.phone{display:flex;flex-direction:column;min-width:0;background:var(--card);border:1px solid var(--line);border-radius:1.5rem;overflow:hidden;box-shadow:var(--shadow)}
.who{display:flex;gap:.75rem;align-items:center;background:var(--brand);color:var(--on-brand);padding:.75rem 1rem}
.who div{min-width:0;overflow-wrap:anywhere}
.who h2{font-size:1.1rem;line-height:1.2}
.who p{font-size:.9rem;font-variant-numeric:tabular-nums}
.face{display:grid;place-items:center;flex:none;width:2.6rem;height:2.6rem;border-radius:50%;background:var(--on-brand);color:var(--brand);font-weight:700;font-size:1.2rem}
.window{font-size:.85rem;padding:.5rem 1rem;border-bottom:1px solid var(--line)}
.window.closed{background:var(--warn-bg);color:var(--warn)}
.window.open strong{color:var(--brand)}
progress{display:block;width:100%;height:.4rem;margin-top:.35rem;appearance:none;border:0;border-radius:1rem;overflow:hidden;background:var(--line)}
progress::-webkit-progress-bar{background:var(--line)}
progress::-webkit-progress-value{background:var(--brand)}
progress::-moz-progress-bar{background:var(--brand)}
.chat{display:flex;flex-direction:column-reverse;background:var(--chat);height:clamp(18rem,58vh,40rem);overflow-y:auto;overscroll-behavior:contain}
.chat:focus-visible{outline-offset:-3px}
.chat ol{margin-top:auto}
.chat>ol{display:flex;flex-direction:column;gap:.4rem;padding:1rem .75rem;margin-bottom:auto;min-height:100%;justify-content:flex-end}
.bubble{position:relative;max-width:86%;padding:.5rem .7rem .35rem;border-radius:1rem;overflow-wrap:anywhere;box-shadow:0 1px 1px #0002}
.bubble>p,.cards p{white-space:pre-wrap}
.mine{align-self:flex-end;background:var(--mine);border-bottom-right-radius:.25rem}
.theirs{align-self:flex-start;background:var(--theirs);border-bottom-left-radius:.25rem}
.bubble img,.bubble video{display:block;max-width:100%;max-height:14rem;border-radius:.6rem;margin-bottom:.3rem;background:var(--chat)}
.bubble img{min-width:3rem;min-height:3rem}
.bubble audio{display:block;width:15rem;max-width:100%;margin-bottom:.3rem}
.bubble .sticker{width:8rem;height:8rem;object-fit:contain;background:none;margin:0}
.bare{background:none;box-shadow:none;padding-inline:.2rem}
.quote{margin:0 0 .35rem;padding:.3rem .6rem;border-left:3px solid var(--brand);border-radius:.4rem;background:var(--shade);font-size:.85rem;color:var(--soft);max-height:4.4rem;overflow:hidden}
.quote b{display:block;color:var(--brand)}
.label{display:inline-block;font-size:.75rem;font-weight:600;color:var(--soft);border:1px solid var(--line);border-radius:1rem;padding:.05rem .6rem;margin-bottom:.3rem}
.file{display:flex;gap:.6rem;align-items:center;background:var(--shade);border-radius:.6rem;padding:.5rem .6rem;margin-bottom:.3rem}
.file>div{min-width:0}
.file a{font-size:.85rem}
.sign{display:grid;place-items:center;flex:none;width:2.2rem;height:2.2rem;border-radius:.5rem;background:var(--brand);color:var(--on-brand);font-weight:700}
.contacts{display:grid;gap:.3rem}
.contacts .file{margin:0}
.contacts .sign{border-radius:50%}
.place{width:15rem;max-width:100%}
.map{display:grid;place-items:center;height:6.5rem;border-radius:.6rem;margin-bottom:.3rem;color:var(--bad);font-size:1.8rem;background:linear-gradient(115deg,transparent 46%,var(--line) 46% 52%,transparent 52%),linear-gradient(25deg,transparent 60%,var(--line) 60% 64%,transparent 64%),repeating-linear-gradient(0deg,var(--shade) 0 1.5rem,var(--chat) 1.5rem 1.6rem)}
.voice{display:flex;align-items:center;gap:.6rem;width:15rem;max-width:100%;margin-bottom:.3rem}
.voice .tap{width:2.75rem;min-height:2.75rem;border-radius:50%;padding:0;flex:none}
.wave{flex:1;height:1.4rem;opacity:.7;background:repeating-linear-gradient(90deg,var(--brand) 0 2px,transparent 2px 6px);mask:radial-gradient(ellipse at 30% 50%,#000 30%,transparent 75%)}
.reactions{position:absolute;right:.6rem;bottom:-.8rem;background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:0 .45rem;font-size:.9rem;line-height:1.5rem}
.bubble:has(.reactions){margin-bottom:.8rem}
.head{font-weight:700}
.foot{color:var(--soft);font-size:.85rem}
.what{font-weight:600}
.meta{display:flex;gap:.5rem;justify-content:flex-end;font-size:.75rem;color:var(--soft)}
.tick{white-space:nowrap}
.tick.read,.tick.played{color:var(--read);font-weight:600}
.tick.failed,.failure{color:var(--bad);font-weight:600}
.failure{font-size:.8rem;border-top:1px solid var(--line);padding-top:.3rem;margin-top:.3rem}
.buttons{display:grid;gap:.35rem;margin:.5rem 0 .25rem}
.section{font-size:.75rem;font-weight:600;color:var(--soft);margin-top:.4rem}
.rows .buttons{margin:.25rem 0 0}
button.tap small{display:block;font-weight:400;color:var(--soft)}
.inert,.out{display:block;text-align:center;color:var(--soft);border:1px dashed var(--edge);border-radius:.6rem;padding:.35rem .6rem}
.out{color:var(--brand);border-style:solid;border-color:var(--brand);font-weight:600;text-decoration:none}
.out:hover{background:var(--chat)}
.cards{display:flex;gap:.5rem;overflow-x:auto;margin-top:.4rem}
.cards>li{flex:0 0 9.5rem;border:1px solid var(--line);border-radius:.6rem;padding:.5rem}
.aside{align-self:center;text-align:center;font-size:.8rem;max-width:92%}
.aside span{display:inline-block;background:var(--card);color:var(--soft);border:1px solid var(--line);border-radius:1rem;padding:.2rem .75rem;overflow-wrap:anywhere}
.aside.bad span{color:var(--bad);border-color:currentColor}
.typing{color:var(--soft);font-size:.9rem}
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
input,select{font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:.6rem;padding:.45rem .7rem;width:100%;min-height:2.75rem}
input::placeholder{color:var(--soft);opacity:1}
input[type=file]{font-size:.85rem}
button{font:inherit;font-weight:600;color:var(--on-brand);background:var(--brand);border:1px solid var(--brand);border-radius:.6rem;padding:.45rem 1rem;min-height:2.75rem;cursor:pointer}
button.plain,button.tap{color:var(--brand);background:transparent;width:100%}
button.tap{min-height:2.4rem;padding-block:.25rem}
button:hover{filter:brightness(1.08)}
button.plain:hover,button.tap:hover{background:var(--chat);filter:none}
label{display:block;font-size:.85rem;font-weight:600;margin:.4rem 0 .2rem}
.card form button.plain,.compose details button.plain{margin-top:.6rem}
details{margin-top:.5rem}
summary{cursor:pointer;color:var(--brand);font-weight:600;font-size:.9rem;padding:.25rem .25rem;border-radius:.4rem}
details[open]{border:1px solid var(--line);border-radius:.75rem;padding:.35rem .75rem .75rem}
details .soft{font-size:.85rem;overflow-wrap:anywhere}
code{font-family:ui-monospace,monospace;font-size:.9em;overflow-wrap:anywhere}
.panel{display:grid;gap:1rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:1rem;min-width:0}
.card h2{font-size:1rem;margin-bottom:.25rem}
.card .soft{font-size:.9rem}
.card.faulty{border-color:var(--bad)}
.card.faulty h2{color:var(--bad)}
.card.faulty .soft{margin-top:.5rem}
.first{margin-top:4rem}
.first button.plain{color:var(--on-brand);background:var(--brand)}
.names{display:flex;flex-wrap:wrap;gap:.25rem 1rem;overflow-wrap:anywhere;margin-bottom:.5rem}
.names li{min-width:0}
.away{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:60rem){.desk{grid-template-columns:minmax(0,1fr)}.panel{grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr))}}
@media (max-width:30rem){.top,main{padding-inline:.6rem}.top nav{margin-left:0}.phone{border-radius:1rem}.chat{height:60vh}}
`

/** A file of the page. Its name depends on its content, so browsers may cache it forever. */
export type Asset = { readonly path: string; readonly type: string; readonly text: string }

const asset = (name: string, extension: string, type: string, text: string): Asset =>
  ({ path: `/_simulator/phone/${name}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}.${extension}`, type, text })

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

/** The icon in the browser's tab. */
export const ICON = asset('icon', 'svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="3.5" y=".5" width="9" height="15" rx="2" fill="#0a6b50"/>'
  + '<rect x="4.5" y="2.5" width="7" height="9.5" fill="#fff"/><circle cx="8" cy="13.7" r=".9" fill="#fff"/></svg>')

/** Every file. */
export const ASSETS: ReadonlyArray<Asset> = [STYLE_SHEET, SCRIPT, ICON]
