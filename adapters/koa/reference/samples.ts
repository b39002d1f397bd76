/** A request that the reference shows as a program. Its names and values are literal: each language quotes them itself. */
export type SampleRequest = {
  readonly method: string
  /** The whole address, whose parts are encoded already. */
  readonly url: string
  /** Whether it needs an API key, which the programs read from `POSTERN_KEY`. */
  readonly isKeyed: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body?: JsonBody | FormBody
  /** The content of a successful reply. */
  readonly reply: 'json' | 'bytes' | 'nothing'
}

type JsonBody = { readonly _tag: 'Json'; readonly value: unknown }

/** A form with a file, which is the last part. */
type FormBody = {
  readonly _tag: 'Form'
  readonly fields: Readonly<Record<string, string>>
  readonly file: { readonly field: string; readonly name: string; readonly type: string }
}

/** The languages of the samples, in the order of their tabs. */
export const LANGUAGES = {
  curl: { name: 'curl', write: (request) => curl(request) },
  javascript: { name: 'JavaScript', write: (request) => javascript(request) },
  python: { name: 'Python', write: (request) => python(request) },
  php: { name: 'PHP', write: (request) => php(request) },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly write: (request: SampleRequest) => string }>>

const headersOf = ({ headers, body }: SampleRequest): ReadonlyArray<readonly [string, string]> =>
  Object.entries({ ...headers, ...(body?._tag === 'Json' && { 'Content-Type': 'application/json' }) })

/** A shell takes everything between single quotes literally; only a single quote ends them. */
const inShell = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`

const inShellIfNeeded = (value: string): string => (/^[\w./:@%=,+-]+$/.test(value) ? value : inShell(value))

const curl = (request: SampleRequest): string => {
  const { method, url, isKeyed, body } = request
  const implied = body === undefined ? 'GET' : 'POST'
  return [
    `curl ${method === implied ? '' : `-X ${method} `}${inShellIfNeeded(url)}`,
    ...(isKeyed ? ['-H "Authorization: Bearer $POSTERN_KEY"'] : []),
    ...headersOf(request).map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...(body?._tag === 'Json' ? [`-d ${inShell(JSON.stringify(body.value, undefined, 2))}`] : []),
    ...(body?._tag === 'Form'
      ? [
        // The other option would read a file if a value begins with an @.
        ...Object.entries(body.fields).map(([name, value]) => `--form-string ${inShell(`${name}=${value}`)}`),
        `-F ${inShell(`${body.file.field}=@${body.file.name};type=${body.file.type}`)}`,
      ]
      : []),
  ].join(' \\\n  ')
}

/** A JSON string is also a string of JavaScript and of Python: only half a surrogate pair is written as an escape. */
const quoted = (value: string): string => JSON.stringify(value)

const indented = (block: string, by: string): string => block.replaceAll('\n', `\n${by}`)

const javascript = (request: SampleRequest): string => {
  const { method, url, isKeyed, body, reply } = request
  const headers = [
    ...(isKeyed ? ['Authorization: `Bearer ${process.env.POSTERN_KEY}`,'] : []),
    ...headersOf(request).map(([name, value]) => `${quoted(name)}: ${quoted(value)},`),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quoted(method)},`]),
    ...(headers.length === 0 ? [] : [`headers: {\n  ${headers.join('\n  ')}\n},`]),
    ...(body?._tag === 'Json' ? [`body: JSON.stringify(${JSON.stringify(body.value, undefined, 2)}),`] : []),
    ...(body?._tag === 'Form' ? ['body: form,'] : []),
  ]
  const form = body?._tag === 'Form'
    ? [
      'import { readFile } from "node:fs/promises"', '', 'const form = new FormData()',
      ...Object.entries(body.fields).map(([name, value]) => `form.append(${quoted(name)}, ${quoted(value)})`),
      `const file = new Blob([await readFile(${quoted(body.file.name)})], { type: ${quoted(body.file.type)} })`,
      `form.append(${quoted(body.file.field)}, file, ${quoted(body.file.name)})`,
    ]
    : []
  return [
    ...form,
    options.length === 0 ? `const response = await fetch(${quoted(url)})` : `const response = await fetch(${quoted(url)}, {\n  ${options.map((option) => indented(option, '  ')).join('\n  ')}\n})`,
    `console.log(response.status${{ json: ', await response.json()', bytes: ', await response.arrayBuffer()', nothing: '' }[reply]})`,
  ].join('\n')
}

/** A value of JSON as source text, for a language with its own notation of objects, arrays and constants. */
const literal = (value: unknown, { object, array, constants, quote }: Notation): string => {
  const write = (inner: unknown, by: string): string => {
    if (typeof inner === 'string') return quote(inner)
    if (typeof inner !== 'object' || inner === null) return constants[String(inner)] ?? String(inner)
    const deeper = `${by}    `
    const listed = (items: ReadonlyArray<string>, [begin, end]: Brackets): string => `${begin}\n${items.map((item) => `${deeper}${item},\n`).join('')}${by}${end}`
    if (Array.isArray(inner)) return inner.length === 0 ? array.join('') : listed(inner.map((item) => write(item, deeper)), array)
    const entries = Object.entries(inner)
    return entries.length === 0
      ? object.empty
      : listed(entries.map(([name, item]) => `${quote(name)}${object.between}${write(item, deeper)}`), object.brackets)
  }
  return write(value, '')
}

type Brackets = readonly [begin: string, end: string]
type Notation = {
  readonly object: { readonly brackets: Brackets; readonly between: string; readonly empty: string }
  readonly array: Brackets
  readonly constants: Readonly<Record<string, string>>
  readonly quote: (value: string) => string
}

const PYTHON: Notation = {
  object: { brackets: ['{', '}'], between: ': ', empty: '{}' }, array: ['[', ']'],
  constants: { true: 'True', false: 'False', null: 'None' }, quote: quoted,
}

const python = (request: SampleRequest): string => {
  const { method, url, isKeyed, body, reply } = request
  const headers = [
    ...(isKeyed ? ['"Authorization": "Bearer " + os.environ["POSTERN_KEY"],'] : []),
    ...headersOf(request).map(([name, value]) => `${quoted(name)}: ${quoted(value)},`),
    ...(body?._tag === 'Form' ? ['"Content-Type": "multipart/form-data; boundary=" + boundary,'] : []),
  ]
  const options = [
    `${quoted(url)},`,
    ...(method === 'GET' ? [] : [`method=${quoted(method)},`]),
    ...(headers.length === 0 ? [] : [`headers={\n    ${headers.join('\n    ')}\n},`]),
    ...(body?._tag === 'Json' ? [`data=json.dumps(${literal(body.value, PYTHON)}).encode(),`] : []),
    ...(body?._tag === 'Form' ? ['data=form,'] : []),
  ]
  const imports = [
    ...(body?._tag === 'Json' || reply === 'json' ? ['json'] : []), ...(isKeyed ? ['os'] : []), 'urllib.request',
    ...(body?._tag === 'Form' ? ['uuid'] : []),
  ]
  const part = (disposition: string, more = ''): string => String.raw`"--" + boundary + "\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n"`
  const form = body?._tag === 'Form'
    ? [
      'boundary = uuid.uuid4().hex', `with open(${quoted(body.file.name)}, "rb") as file:`, '    content = file.read()',
      'form = b"".join([',
      ...Object.entries(body.fields).map(([name, value]) => `    (${part(String.raw`name=\"${name}\"`)} + ${quoted(`${value}\r\n`)}).encode(),`),
      `    (${part(String.raw`name=\"${body.file.field}\"; filename=\"${body.file.name}\"`, String.raw`Content-Type: ${body.file.type}\r\n`)}).encode(),`,
      '    content,', String.raw`    ("\r\n--" + boundary + "--\r\n").encode(),`, '])',
    ]
    : []
  return [
    ...imports.map((name) => `import ${name}`), '', ...form,
    `request = urllib.request.Request(\n    ${options.map((option) => indented(option, '    ')).join('\n    ')}\n)`,
    'with urllib.request.urlopen(request) as response:',
    `    print(response.status${{ json: ', json.load(response)', bytes: ', response.read()', nothing: '' }[reply]})`,
  ].join('\n')
}

/** Between single quotes PHP takes everything literally except a backslash and a single quote. */
const inPhp = (value: string): string => `'${value.replace(/[\\']/g, String.raw`\$&`)}'`

const PHP: Notation = {
  // An empty array would also be an empty array in JSON.
  object: { brackets: ['[', ']'], between: ' => ', empty: 'new stdClass()' }, array: ['[', ']'], constants: {}, quote: inPhp,
}

const php = (request: SampleRequest): string => {
  const { method, url, isKeyed, body } = request
  const headers = [
    ...(isKeyed ? ["'Authorization: Bearer ' . getenv('POSTERN_KEY'),"] : []),
    ...headersOf(request).map(([name, value]) => `${inPhp(`${name}: ${value}`)},`),
  ]
  const form = body?._tag === 'Form'
    ? [...Object.entries(body.fields).map(([name, value]) => `${inPhp(name)} => ${inPhp(value)},`), `${inPhp(body.file.field)} => new CURLFile(${inPhp(body.file.name)}, ${inPhp(body.file.type)}),`]
    : []
  const options = [
    ...(method === 'GET' ? [] : [`CURLOPT_CUSTOMREQUEST => ${inPhp(method)},`]),
    'CURLOPT_RETURNTRANSFER => true,',
    ...(headers.length === 0 ? [] : [`CURLOPT_HTTPHEADER => [\n    ${headers.join('\n    ')}\n],`]),
    // The value is not indented: a string of several lines must stay as it is.
    ...(body?._tag === 'Json' ? [`CURLOPT_POSTFIELDS => json_encode(${literal(body.value, PHP)}),`] : []),
    ...(body?._tag === 'Form' ? [`CURLOPT_POSTFIELDS => [\n    ${form.join('\n    ')}\n],`] : []),
  ]
  return [
    '<?php', `$request = curl_init(${inPhp(url)});`, 'curl_setopt_array($request, [',
    ...options.map((option) => (option.startsWith('CURLOPT_POSTFIELDS') ? `    ${option}` : `    ${indented(option, '    ')}`)), ']);',
    '$body = curl_exec($request);', "echo curl_getinfo($request, CURLINFO_RESPONSE_CODE), ' ', $body, PHP_EOL;",
  ].join('\n')
}
