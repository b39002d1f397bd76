/** A text of the platform in one line, without what a terminal would take as a command or as another direction of writing. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, '')

/** How many names a line has at most. */
const NAMED = 10

/** Names after their title, as a part of a line; no part where there are none. */
export const listed = (title: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length === 0 ? [] : [`${title}: ${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ''}`]
