/** Every colour, in light and in dark mode. Texts have a contrast of at least 4.5 to 1 with their backgrounds, shapes of 3. */
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
  'chart-1': ['oklch(50% .095 162)', 'oklch(70% .11 162)'],
  'chart-2': ['oklch(68% .09 162)', 'oklch(54% .09 162)'],
  'chart-3': ['oklch(84% .055 162)', 'oklch(38% .06 162)'],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>

/** The colours as variables of a style sheet, without the rule around them. */
export const PALETTE = Object.entries(COLOURS).map(([name, [light, dark]]) => `--${name}:light-dark(${light},${dark})`).join(';')
