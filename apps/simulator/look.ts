import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/**
 * The colours of the pages, in light and in dark mode: the same as those of the console. They are copied because the simulator shares no code with the adapters; a test
 * compares them.
 */
const COLOURS = {
  page: ['oklch(99.4% .002 165)', 'oklch(17.5% .008 165)'],
  side: ['oklch(97.4% .005 165)', 'oklch(20% .009 165)'],
  card: ['#fff', 'oklch(20.5% .009 165)'],
  line: ['oklch(92.3% .006 165)', 'oklch(28% .011 165)'],
  edge: ['oklch(86% .008 165)', 'oklch(36% .012 165)'],
  control: ['oklch(64% .01 165)', 'oklch(52% .012 165)'],
  text: ['oklch(22% .012 165)', 'oklch(94% .006 165)'],
  muted: ['oklch(51% .014 165)', 'oklch(69% .014 165)'],
  brand: ['oklch(43% .092 162)', 'oklch(74% .11 162)'],
  'on-brand': ['#fff', 'oklch(17.5% .008 165)'],
  'brand-soft': ['oklch(94.6% .03 162)', 'oklch(29% .04 162)'],
  good: ['oklch(47% .115 152)', 'oklch(78% .12 152)'],
  'good-soft': ['oklch(95.3% .035 152)', 'oklch(28% .045 152)'],
  moving: ['oklch(49% .12 248)', 'oklch(78% .09 248)'],
  'moving-soft': ['oklch(95.6% .02 248)', 'oklch(28% .045 248)'],
  attention: ['oklch(50% .11 70)', 'oklch(82% .11 80)'],
  'attention-soft': ['oklch(97% .028 85)', 'oklch(29% .045 75)'],
  bad: ['oklch(51% .18 26)', 'oklch(75% .13 26)'],
  'bad-soft': ['oklch(95.8% .022 26)', 'oklch(28% .06 26)'],
  'quiet-soft': ['oklch(95% .006 165)', 'oklch(27% .01 165)'],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>

/** The colours as variables of a style sheet, without the rule around them. */
export const PALETTE = Object.entries(COLOURS).map(([name, [light, dark]]) => `--${name}:light-dark(${light},${dark})`).join(';')

/** A file of the pages. Its name depends on its content, so browsers may cache it forever. */
export type Asset = { readonly path: string; readonly type: string; readonly body: string | Buffer }

/** Creates a file of the pages. */
export const asset = (name: string, extension: string, type: string, body: string | Buffer): Asset =>
  ({ path: `/_simulator/phone/${name}.${createHash('sha256').update(body).digest('hex').slice(0, 16)}.${extension}`, type, body })

/** The font of the console: the letters of Latin scripts, in every weight. */
export const FONT = asset('inter', 'woff2', 'font/woff2', readFileSync(
  createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
))

/** The style that all pages share: the type, the bar at the top with the links to the pages, and the title. */
export const LOOK = `@font-face{font-family:Inter;font-weight:100 900;font-display:swap;src:url(${FONT.path}) format("woff2")}
:root{color-scheme:light dark;${PALETTE};--shadow:0 1px 2px oklch(22% .012 165/.06)}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:14px/20px Inter,system-ui,sans-serif}
a{color:var(--brand);font-weight:500;text-decoration:none}
a:hover,p a,.hint a{text-decoration:underline}
:focus-visible{outline:2px solid var(--brand);outline-offset:2px}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:4px 24px;min-height:56px;padding:8px 24px;background:var(--side);border-bottom:1px solid var(--line)}
.product{display:flex;align-items:center;gap:10px;font-size:15px;font-weight:600;margin:0}
.logo{flex:none}.logo rect{fill:var(--brand)}.logo path{fill:none;stroke:var(--on-brand);stroke-width:2.4}
.bar nav{display:flex;gap:4px}
.bar nav a{display:flex;align-items:center;min-height:32px;padding:4px 10px;border-radius:7px;color:var(--text);font-weight:400}
.bar nav a:hover{background:var(--quiet-soft);text-decoration:none}
.bar nav [aria-current=page]{background:var(--brand-soft);font-weight:600}
h1{font-size:20px;line-height:28px;font-weight:600;letter-spacing:-.01em;margin:0}
.title{margin:0 0 16px}
.title p{margin:0;color:var(--muted)}
`
