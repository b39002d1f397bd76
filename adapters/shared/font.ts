import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The bytes of Inter in WOFF2: the letters of Latin scripts, in every weight. For other letters the browser uses its system font. */
export const readInter = (): Buffer =>
  readFileSync(createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'))

/** The media type of the font. */
export const FONT_TYPE = 'font/woff2'

/** The rule of a style sheet that loads the font from an address. A page uses the system font until it is loaded. */
export const fontFace = (address: string): string =>
  `@font-face{font-family:Inter;font-weight:100 900;font-display:swap;src:url(${address}) format("woff2")}`
