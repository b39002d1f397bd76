export type Ask = {
  readonly json?: unknown
  readonly body?: URLSearchParams | FormData | string
  readonly headers?: Readonly<Record<string, string>>
}

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

export const SECRET = 'a-secret-of-tests-that-is-long-enough'
export const VERIFY_TOKEN = 'verify-me'
export const APP_SECRET = 'app-secret'

/** Sends one request over HTTP. */
export const request = async (url: string, method: string, key: string | undefined, { json, body, headers }: Ask): Promise<Answer> => {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, headers: response.headers, text, json: isJson ? (JSON.parse(text) as Answer['json']) : {} }
}
