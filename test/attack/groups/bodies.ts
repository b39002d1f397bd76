/** A body that is costly or hard to read, and the content type it comes with. */
export type HostileBody = {
  readonly name: string
  readonly type: string
  readonly body: string | Uint8Array
  readonly path: 'send-text' | 'send-template'
}

const LIMIT = 256 * 1_024
const BOUNDARY = 'b'
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`
const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

const part = (headers: string, content: string): string => `--${BOUNDARY}\r\n${headers}\r\n\r\n${content}\r\n`
const field = (name: string, content: string): string => part(`Content-Disposition: form-data; name="${name}"`, content)
const form = (...parts: ReadonlyArray<string>): string => `${parts.join('')}--${BOUNDARY}--\r\n`
const fill = (text: string, room: number): string => text.repeat(Math.floor(room / text.length))

/** Forms whose reading has cost a parser much more than their length. */
export const MULTIPART_BOMBS: ReadonlyArray<HostileBody> = [
  { name: 'a field of carriage returns', body: form(field('text', '\r'.repeat(LIMIT - 400))) },
  { name: 'a field of line ends', body: form(field('text', '\r\n'.repeat(LIMIT / 2 - 200))) },
  { name: 'a field of beginnings of the boundary', body: form(field('text', fill(`\r\n--`, LIMIT - 400))) },
  { name: 'thousands of tiny parts', body: form(...Array.from({ length: 4_000 }, () => field('a', ''))) },
  { name: 'thousands of parts of other names', body: form(...Array.from({ length: 4_000 }, (_, n) => field(`a${n}`, ''))) },
  { name: 'a part with a long header', body: form(part(`Content-Disposition: form-data; name="${'a'.repeat(LIMIT - 400)}"`, '')) },
  { name: 'a part with thousands of header lines', body: form(part(`Content-Disposition: form-data; name="text"${fill('\r\nX-A: b', LIMIT - 400)}`, 'x')) },
  { name: 'thousands of file names', body: form(part(`Content-Disposition: form-data; name="text"${fill('; filename="a"', LIMIT - 400)}`, 'x')) },
  { name: 'a preamble that fills the body', body: `${fill('--x\r\n', LIMIT - 400)}${form(field('to', '15550100999'))}` },
  { name: 'a form that never ends', body: field('text', 'x'.repeat(LIMIT - 400)) },
].map((bomb) => ({ ...bomb, type: MULTIPART, path: 'send-text' }))

const nested = (open: string, close: string, depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`

/** A template whose one component has a field of this value, written as JSON. */
const componentsWith = (value: string): string => `{"to":"15550100999","template_name":"hello_world","components":[{"type":"body","extra":${value}}]}`

/** JSON and forms that are deep, long or odd. */
export const PARSER_BOMBS: ReadonlyArray<HostileBody> = [
  { name: 'arrays a hundred thousand deep', type: JSON_TYPE, body: nested('[', ']', 100_000) },
  { name: 'objects forty thousand deep', type: JSON_TYPE, body: nested('{"a":', '}', 40_000) },
  { name: 'components a hundred thousand deep', type: JSON_TYPE, body: componentsWith(nested('[', ']', 100_000)) },
  { name: 'a number of 250,000 digits', type: JSON_TYPE, body: componentsWith('9'.repeat(250_000)) },
  { name: 'the same name fifty thousand times', type: JSON_TYPE, body: `{${'"a":1,'.repeat(36_000)}"a":1}` },
  { name: 'a form of a hundred thousand fields', type: FORM, body: fill('a&', LIMIT - 10) },
  { name: 'a form of nested names', type: FORM, body: `a${fill('[a]', LIMIT - 400)}=1` },
  { name: 'a form of broken escapes', type: FORM, body: fill('%', LIMIT - 10) },
].flatMap((bomb): HostileBody[] => [{ ...bomb, path: 'send-text' }, { ...bomb, path: 'send-template' }])

const template = (items: string): string => `{"to":"15550100999","template_name":"x","components":[${items}]}`
const longList = (name: string, body: string): HostileBody => ({ name, type: JSON_TYPE, path: 'send-template', body })

/** Lists of very many items, right or wrong. */
export const LONG_LISTS: ReadonlyArray<HostileBody> = [
  longList('eighty thousand empty components', template(`${'{},'.repeat(80_000)}{}`)),
  longList('twenty thousand components', template(`${'{"type":"x"},'.repeat(18_000)}{"type":"x"}`)),
  longList('twenty thousand parameters', template(`{"type":"x","parameters":[${'{"type":"x"},'.repeat(18_000)}{}]}`)),
  longList('eighty thousand arrays in a component', componentsWith(`[${'[],'.repeat(80_000)}[]]`)),
  longList('a hundred thousand numbers in a component', componentsWith(`[${'1,'.repeat(120_000)}1]`)),
  longList('forty thousand powers in a component', componentsWith(`[${'1e10,'.repeat(48_000)}1]`)),
]
