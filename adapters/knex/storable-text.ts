/**
 * A text as every database stores it, cut to some characters. PostgreSQL stores no NUL, and no database stores half of a character; what the platform says
 * with them must not keep a report from being stored.
 */
export const storableText = (text: string, length: number): string =>
  [...text.replaceAll('\0', '\uFFFD').replace(HALF_CHARACTER, '\uFFFD')].slice(0, length).join('')

const HALF_CHARACTER = /\p{Surrogate}/gu
