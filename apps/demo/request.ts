/** One request of the demonstration. */
export type Request = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** The API key, where it carries one. */
  readonly key?: string
  readonly body?: unknown
}

/** A reply: its status and its JSON. */
export type Reply = { readonly status: number; readonly body: unknown }

/** Makes a request over HTTP. */
export const sendRequest = async ({ method, url, key, body }: Request): Promise<Reply> => {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

/** The same request as a line for a shell. */
export const curl = ({ method, url, key, body }: Request): string =>
  [
    'curl -sS',
    ...(method === 'POST' ? ['-X POST'] : []),
    quoted(url),
    ...(key === undefined ? [] : [`-H ${quoted(`Authorization: Bearer ${key}`)}`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' ')

const quoted = (text: string): string => (/^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
