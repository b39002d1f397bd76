import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { STYLE } from './style.js'

/** A file of the page. Its name changes with its text, so that browsers may keep it for ever. */
export type Asset = { readonly path: string; readonly type: string; readonly text: string }

const asset = (name: string, extension: string, type: string, text: string): Asset =>
  ({ path: `/_simulator/phone/${name}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}.${extension}`, type, text })

const requireFrom = createRequire(import.meta.url)

/** The only style sheet. */
export const STYLE_SHEET = asset('style', 'css', 'text/css; charset=utf-8', STYLE)

/** After a message was sent, the field for the next one gets the focus. The attribute `autofocus` would do it too, but Chromium complains if another element has the focus. */
const FOCUS = `document.addEventListener('htmx:after:swap', () => {
  const field = document.querySelector('[data-fresh]')
  field?.removeAttribute('data-fresh')
  field?.focus()
})`

/** The only script: htmx, its extension that shows server-sent events, and what keeps the focus. */
export const SCRIPT = asset('live', 'js', 'text/javascript; charset=utf-8', [
  ...['htmx.min.js', 'ext/hx-sse.min.js'].map((file) => readFileSync(requireFrom.resolve(`htmx.org/dist/${file}`), 'utf8').replace(/\n?\/\/# sourceMappingURL=.*/, '')),
  FOCUS,
].join(';\n'))

/** The icon in the browser's tab. */
export const ICON = asset('icon', 'svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="3.5" y=".5" width="9" height="15" rx="2" fill="#0a6b50"/>'
  + '<rect x="4.5" y="2.5" width="7" height="9.5" fill="#fff"/><circle cx="8" cy="13.7" r=".9" fill="#fff"/></svg>')

/** Every file. */
export const ASSETS: ReadonlyArray<Asset> = [STYLE_SHEET, SCRIPT, ICON]
