import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import type { WorkspaceId } from '../../core/kernel/ids.js'

/** Every value of a header, whose name is in lower case. Node itself drops or joins repeated headers. */
export const valuesOf = ({ rawHeaders }: IncomingMessage, name: string): ReadonlyArray<string> => {
  const values: Array<string> = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '')
  }
  return values
}

/** Fields for a request's log line, collected while the request is answered. */
export type RequestLog = { route?: string; workspace?: WorkspaceId; code?: string }

const LOG = Symbol('the fields of the log line')

export const requestLogOf = (ctx: Context): RequestLog => (ctx[LOG] ??= {}) as RequestLog
