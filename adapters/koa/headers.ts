import type { IncomingMessage } from 'node:http'

/** Every value a request gives a header, whose name is in lower case; Node itself drops or joins repeated ones. */
export const valuesOf = ({ rawHeaders }: IncomingMessage, name: string): ReadonlyArray<string> =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
