import type { VNode } from 'preact'

/** The lines of each icon, in a square of 24. */
const LINES = {
  overview: 'M3 11l9-8 9 8v9a1 1 0 0 1-1 1h-5v-7H9v7H4a1 1 0 0 1-1-1z',
  messages: 'M4 4h16a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H8l-5 4V5a1 1 0 0 1 1-1z',
  customers: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21v-2a5 5 0 0 1 5-5h4a5 5 0 0 1 5 5v2M16 3.4a4 4 0 0 1 0 7.2M19 14.5a5 5 0 0 1 3 4.5v2',
  batches: 'M12 3l9 5-9 5-9-5zM3 12l9 5 9-5M3 16l9 5 9-5',
  send: 'M21 3L3 10l7 4 4 7zM21 3L10 14',
  templates: 'M3 4h18v5H3zM3 13h8v7H3zM15 13h6M15 16.5h6M15 20h6',
  wallet: 'M19 7V4H5a2 2 0 0 0 0 4h15a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H5a2 2 0 0 1-2-2V6M17 14h.01',
  spend: 'M3 3v18h18M8 17v-4M13 17V7M18 17v-7',
  keys: 'M8 20a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM11.5 11.5L21 2M16 7l3 3',
  endpoints: 'M12 3a4 4 0 0 1 3.5 6l3 6M8.5 9A4 4 0 0 1 12 3M12 7l-4 8a4 4 0 1 0 2 4h8a4 4 0 1 0-2-3.5',
  requests: 'M4 7h12M13 4l3 3-3 3M20 17H8M11 14l-3 3 3 3',
  queue: 'M6 3h12M6 21h12M8 3v3.5a4 4 0 0 0 1.6 3.2L12 12l-2.4 2.3A4 4 0 0 0 8 17.5V21M16 3v3.5a4 4 0 0 1-1.6 3.2L12 12l2.4 2.3a4 4 0 0 1 1.6 3.2V21',
  sender: 'M6 3h3l2 5-2.5 1.5a12 12 0 0 0 6 6L16 13l5 2v3a3 3 0 0 1-3 3A15 15 0 0 1 3 6a3 3 0 0 1 3-3z',
  members: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21v-2a5 5 0 0 1 5-5h4a5 5 0 0 1 5 5v2M19 8v6M16 11h6',
  audit: 'M3 12a9 9 0 1 0 3-6.7L3 8M3 3v5h5M12 7v5l3 2',
  settings: 'M4 6h9M19 6h1M4 12h1M11 12h9M4 18h7M17 18h3M16 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM14 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  workspaces: 'M3 3h7v7H3zM14 3h7v7h-7zM3 14h7v7H3zM14 14h7v7h-7z',
  health: 'M2 12h4l3-8 6 16 3-8h4',
  language: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18',
  switch: 'M8 9l4-4 4 4M8 15l4 4 4-4',
  menu: 'M4 6h16M4 12h16M4 18h16',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  empty: 'M3 13l3-9h12l3 9v7H3zM3 13h5l1.5 3h5l1.5-3h5',
  image: 'M4 4h16v16H4zM4 16l5-5 5 5 2-2 4 4M15 9h.01',
  video: 'M3 6h12v12H3zM15 10l6-3v10l-6-3z',
  audio: 'M9 18V5l11-2v13M6 21a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM17 19a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  document: 'M6 3h8l5 5v13H6zM14 3v5h5M9 13h7M9 17h7',
  sticker: 'M4 4h16v9l-7 7H4zM13 20v-7h7',
  location: 'M12 21s7-6.2 7-11.5a7 7 0 1 0-14 0C5 14.8 12 21 12 21zM12 12a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  contact: 'M4 4h16v16H4zM12 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM7.5 17a4.5 4.5 0 0 1 9 0',
  smile: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8 14a4.5 4.5 0 0 0 8 0M9 9.5h.01M15 9.5h.01',
  buttons: 'M4 4h16v6H4zM4 14h16v6H4zM10 7h4M10 17h4',
  link: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  download: 'M12 4v11M7 10l5 5 5-5M4 20h16',
  print: 'M7 9V3h10v6M7 17H4v-6a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v6h-3M7 14h10v7H7z',
  attach: 'M20.5 11.5l-8.8 8.8a5.4 5.4 0 0 1-7.7-7.7l9-9a3.6 3.6 0 0 1 5.1 5.1l-9 9a1.8 1.8 0 0 1-2.6-2.6l8.3-8.2',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  plus: 'M12 5v14M5 12h14',
  earlier: 'M15 5l-7 7 7 7',
  later: 'M9 5l7 7-7 7',
  close: 'M6 6l12 12M18 6L6 18',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2',
  pause: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM10 9v6M14 9v6',
  check: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8 12.5l2.5 2.5L16 9.5',
  alert: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 8v4.5M12 16h.01',
} as const

/** The name of an icon. */
export type IconName = keyof typeof LINES

/** An icon next to a word with the same meaning, so screen readers skip it. */
export const Icon = ({ name }: { readonly name: IconName }): VNode =>
  <svg class="icon" viewBox="0 0 24 24" width={18} height={18} aria-hidden="true"><path d={LINES[name]} /></svg>

/** The mark of the product: a gate. */
export const Mark = (): VNode =>
  <svg class="mark" viewBox="0 0 24 24" width={22} height={22} aria-hidden="true">
    <rect width={24} height={24} rx={5} /><path d="M7 18v-7a5 5 0 0 1 10 0v7" />
  </svg>
