/** The position at which a text stops being JSON, and what was expected there. It contains no part of the text itself. */
export type JsonFault = { readonly line: number; readonly column: number; readonly expected: string }

/** One token, after blanks. If this does not match at a position, the text is not JSON there. */
const TOKEN = /[ \t\n\r]*("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null|[{}[\]:,])/y
const BLANKS = /[ \t\n\r]*/y

/** A text in quotation marks up to its end, or to an invalid character. */
const TEXT = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y

const BYTE_ORDER_MARK = '\ufeff'

/** The possible next tokens: a name in this file, and its words. */
const EXPECTED = {
  value: 'a value', firstValue: 'a value or ]', name: 'a name in double quotation marks',
  firstName: 'a name in double quotation marks or }', colon: 'a colon', afterField: 'a comma or }', afterItem: 'a comma or ]',
  end: 'the end of the body',
} as const

type Place = keyof typeof EXPECTED

/**
 * Finds the first fault of a text that is not JSON; `undefined` if the text is JSON.
 *
 * `JSON.parse` reports its position only for some faults, and quotes the text at that position, which may be a secret.
 */
export const jsonFault = (text: string): JsonFault | undefined => {
  const open: Array<'{' | '['> = []
  const after = (): Place => (open.length === 0 ? 'end' : open.at(-1) === '{' ? 'afterField' : 'afterItem')
  let place: Place = 'value'
  for (let at = 0; ;) {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(text)?.[1]
    const next: Place | undefined = token === undefined ? undefined : step(place, token, open, after)
    if (next === undefined) {
      BLANKS.lastIndex = at
      const from = at + (BLANKS.exec(text)?.[0].length ?? 0)
      if (from === text.length && place === 'end') return undefined
      return token === undefined && text[from] === '"' && TAKES_TEXT.has(place)
        ? faultInText(text, from)
        : { ...positionOf(text, from), expected: expectedAt(place, text[from]) }
    }
    at = TOKEN.lastIndex
    place = next
  }
}

/** The possible next tokens after a token, which may open or close objects and arrays; `undefined` if the token is not allowed here. */
const step = (place: Place, token: string, open: Array<'{' | '['>, after: () => Place): Place | undefined => {
  if ((token === '}' && (place === 'firstName' || place === 'afterField'))
      || (token === ']' && (place === 'firstValue' || place === 'afterItem'))) {
    open.pop()
    return after()
  }
  switch (place) {
    case 'value': case 'firstValue':
      if (token === '{' || token === '[') {
        open.push(token)
        return token === '{' ? 'firstName' : 'firstValue'
      }
      return '}]:,'.includes(token) ? undefined : after()
    case 'name': case 'firstName': return token.startsWith('"') ? 'colon' : undefined
    case 'colon': return token === ':' ? 'value' : undefined
    case 'afterField': return token === ',' ? 'name' : undefined
    case 'afterItem': return token === ',' ? 'value' : undefined
    case 'end': return undefined
  }
}

const TAKES_TEXT: ReadonlySet<Place> = new Set<Place>(['value', 'firstValue', 'name', 'firstName'])

/** Some editors and shells begin a file with an invisible mark. */
const expectedAt = (place: Place, found: string | undefined): string =>
  (found === BYTE_ORDER_MARK ? `${EXPECTED[place]}, without a byte order mark before it` : EXPECTED[place])

/** The character that ends a text too early: usually a line break that was typed into it. */
const faultInText = (text: string, from: number): JsonFault => {
  TEXT.lastIndex = from
  const at = from + (TEXT.exec(text)?.[0].length ?? 0)
  return { ...positionOf(text, at), expected: insteadOf(text[at]) }
}

const insteadOf = (found: string | undefined): string => {
  switch (found) {
    case undefined: return 'a quotation mark that ends the text'
    case '\n': case '\r': return '\\n in place of the line break, which a text cannot have'
    case '\t': return '\\t in place of the tab, which a text cannot have'
    case '\\': return 'an escape that JSON knows, such as \\n, \\" or \\\\'
    default: return 'an escape such as \\u0000 in place of the control character, which a text cannot have'
  }
}

/** Lines and columns count from 1, columns in UTF-16 units. */
const positionOf = (text: string, at: number): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
}
