import type { IncomingMessage } from 'node:http'

/** Every value a request gives a header, whose name is in lower case; Node itself drops or joins repeated ones. */
export const valuesOf = ({ rawHeaders }: IncomingMessage, name: string): ReadonlyArray<string> => {
  const values: Array<string> = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '')
  }
  return values
}
