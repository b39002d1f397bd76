import fc from 'fast-check'

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
export const componentsWith = (value: string): string => `{"to":"15550100999","template_name":"hello_world","components":[{"type":"body","extra":${value}}]}`

/** JSON and forms that are deep, long or odd. */
export const PARSER_BOMBS: ReadonlyArray<HostileBody> = [
  { name: 'arrays a hundred thousand deep', type: JSON_TYPE, body: nested('[', ']', 100_000) },
  { name: 'objects forty thousand deep', type: JSON_TYPE, body: nested('{"a":', '}', 40_000) },
  { name: 'components a hundred thousand deep', type: JSON_TYPE, body: componentsWith(nested('[', ']', 100_000)) },
  { name: 'a number of 250,000 digits', type: JSON_TYPE, body: componentsWith('9'.repeat(250_000)) },
  { name: 'the same name fifty thousand times', type: JSON_TYPE, body: `{${'"a":1,'.repeat(36_000)}"a":1}` },
  { name: 'names of a prototype', type: JSON_TYPE, body: '{"__proto__":{"to":"15550100999"},"constructor":{"prototype":{"text":"x"}},"to":"15550100999"}' },
  { name: 'escapes that are no characters', type: JSON_TYPE, body: '{"to":"15550100999","text":"\\ud800\\udfff\\udc00"}' },
  { name: 'a text that is not UTF-8', type: JSON_TYPE, body: Buffer.from('{"to":"15550100999","text":"\xff\xfe"}', 'latin1') },
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

/** Numbers that JavaScript reads as other numbers than were written. */
export const LOSSY_NUMBERS: ReadonlyArray<string> = [
  '12345678901234567890', '1e400', '-1e400', '0.12345678901234567890123', '1e-400', '9007199254740993',
]

/** Numbers that keep their value, though they may be written differently. */
export const EXACT_NUMBERS: ReadonlyArray<string> = ['0', '-1', '42', '0.5', '1e3', '9007199254740991', '1.50']

const anyValue = fc.anything({ withBigInt: false, withNullPrototype: true, maxDepth: 3 })
const odd = fc.oneof(
  fc.string({ unit: 'binary' }), fc.jsonValue(), anyValue, fc.constantFrom('', ' ', '15550100999', '+15550100999', 'DE.abc', 'hello_world'),
)
const fields = fc.oneof(
  fc.record(
    {
      to: odd, text: odd, template_name: odd, language: odd, components: fc.oneof(odd, fc.array(fc.record({ type: odd, parameters: odd }))),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(), anyValue,
)
const type = fc.constantFrom(
  JSON_TYPE, FORM, MULTIPART, 'text/plain', `${JSON_TYPE}; charset=latin1`, 'multipart/form-data', '', 'application/problem+json',
)
const serialised = fields.filter((value) => value !== undefined).map((value) => JSON.stringify(value))
const asForm = fc.array(fc.tuple(fc.constantFrom('to', 'text', '', 'a[b]'), fc.string({ unit: 'binary' })))
  .map((pairs) => form(...pairs.map(([name, value]) => field(name, value))))

/** Bodies as chance has them. */
export const generatedBodies: fc.Arbitrary<HostileBody> = fc.record({
  name: fc.constant('generated'), type, path: fc.constantFrom('send-text', 'send-template'),
  body: fc.oneof(
    { weight: 4, arbitrary: serialised }, asForm, fc.uint8Array({ maxLength: 2_000 }),
    serialised.map((text) => text.slice(0, text.length / 2)),
  ),
})
