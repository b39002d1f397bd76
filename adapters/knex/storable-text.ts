/**
 * A text as every database stores it, cut to some characters. PostgreSQL stores no NUL, and no database stores half of a character; what the platform says
 * with them must not keep a report from being stored.
 */
export const storableText = (text: string, length: number): string =>
  text.length <= length && !UNSTORABLE.test(text) ? text : [...text.replace(EACH_UNSTORABLE, '\uFFFD')].slice(0, length).join('')

const UNSTORABLE = /[\0\p{Surrogate}]/u
const EACH_UNSTORABLE = new RegExp(UNSTORABLE, 'gu')
