import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import { FONT_TYPE, fontFace, readInter } from '../shared/font.js'
import { CLIENT } from './client.js'
import { STYLE } from './style.js'

/** A file of the console. Its name depends on its content, so browsers may cache it forever. */
export type Asset = {
  readonly path: string
  readonly type: string
  readonly body: string | Buffer
  /** The compressed text, computed once; absent for a file in a compressed format. */
  readonly gzip?: Buffer
}

const pathOf = (name: string, extension: 'css' | 'js' | 'svg' | 'woff2', body: string | Buffer): string =>
  `/console/${name}.${createHash('sha256').update(body).digest('hex').slice(0, 16)}.${extension}`

const asset = (name: string, extension: 'css' | 'js' | 'svg', type: string, text: string): Asset => ({
  path: pathOf(name, extension, text), type: `${type}; charset=utf-8`, body: text, gzip: gzipSync(text, { level: 9 }),
})

const requireFrom = createRequire(import.meta.url)

const INTER = readInter()

/** The only font. */
export const FONT: Asset = { path: pathOf('inter', 'woff2', INTER), type: FONT_TYPE, body: INTER }

/** The only style sheet. */
export const STYLE_SHEET = asset('style', 'css', 'text/css', `${fontFace(FONT.path)}\n${STYLE}`)

/** The only script: htmx, its extension for server-sent events, and our own code. */
export const SCRIPT = asset('live', 'js', 'text/javascript', [
  ...['htmx.min.js', 'ext/hx-sse.min.js'].map((file) =>
    readFileSync(requireFrom.resolve(`htmx.org/dist/${file}`), 'utf8').replace(/\n?\/\/# sourceMappingURL=.*/, '')),
  CLIENT,
].join(';\n'))

/** The mark of the product, which browsers show next to the title of a page. It cannot use the variables of the style sheet. */
export const PAGE_ICON = asset('icon', 'svg', 'image/svg+xml', [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="#0b5d43"/>',
  '<path d="M7 18v-7a5 5 0 0 1 10 0v7" fill="none" stroke="#fff" stroke-width="2.4"/></svg>',
].join(''))

/** Every file. */
export const ASSETS: ReadonlyArray<Asset> = [STYLE_SHEET, SCRIPT, PAGE_ICON, FONT]
