import type { Language } from '../../../core/kernel/language.js'

/** Words that are the same in English and in another language; every other text has to differ. */
export const SAME: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set(),
  de: new Set([
    'Apps', 'Audio', 'Browser', 'CSV', 'Emoji', 'Esc', 'Gateways', 'Name', 'Optional.', 'Postern', 'Status', 'Sticker', 'Text', 'Version',
    'Video', 'ok',
  ]),
  es: new Set([
    'Audio', 'CSV', 'Ctrl', 'Ctrl K', 'Emoji', 'Endpoint', 'Endpoints', 'Esc', 'Postern', 'Sticker', 'Total', 'Video', 'marketing',
    'marketing lite',
  ]),
  'pt-BR': new Set([
    'Apps', 'CSV', 'Ctrl', 'Ctrl K', 'Emoji', 'Endpoint', 'Endpoints', 'Esc',
    'Latitude', 'Longitude', 'Postern', 'Status', 'Total', 'latitude', 'longitude', 'marketing', 'marketing lite',
  ]),
}
