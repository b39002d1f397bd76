import { PALETTE } from '../shared/palette.js'

/** Sizes that are the same in both schemes: the radius of controls and of cards, the only shadow, and the two font families. */
const SIZES = {
  radius: '7px', 'card-radius': '10px', shadow: '0 1px 2px oklch(22% .012 165/.06)', sans: 'Inter,system-ui,sans-serif',
  mono: 'ui-monospace,monospace',
}

/** The tokens as variables of a style sheet. */
export const TOKENS = `:root{color-scheme:light dark;${PALETTE};${Object.entries(SIZES).map(([name, size]) => `--${name}:${size}`).join(';')}}`
