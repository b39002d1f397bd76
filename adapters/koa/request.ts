import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import type { Cause } from '../../core/kernel/failure.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Clock } from '../../core/kernel/time.js'

/**
 * Creates a value when it is first requested, and then always returns the same value. Most gateways never receive a request for their contract, so their start
 * need not wait for it.
 */
export const onDemand = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

/** The severity of an event. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Logs an event, named in snake case, with its fields; they never contain a secret, a message's text or a phone number. */
export type Log = (level: LogLevel, event: string, fields: Readonly<Record<string, string | number | Cause>>) => void

/** The same function, but it never throws: a failed log must not turn a sent message into an error. */
export const ignoreErrors =
  <Args extends ReadonlyArray<unknown>>(work: ((...args: Args) => void) | undefined) =>
  (...args: Args): void => {
    try {
      work?.(...args)
    } catch {
      // The log itself failed, so there is no place to report it.
    }
  }

/** Every value of a header, whose name is in lower case. Node itself drops or joins repeated headers. */
export const valuesOf = ({ rawHeaders }: IncomingMessage, name: string): ReadonlyArray<string> => {
  const values: Array<string> = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '')
  }
  return values
}

/** Fields for a request's log line, collected while the request is answered. */
export type LogFields = { route?: string; workspace?: WorkspaceId; key?: string; code?: string }

const LOG = Symbol('the fields of the log line')

export const logFieldsOf = (ctx: Context): LogFields => (ctx[LOG] ??= {}) as LogFields

/** The data of the app that replies may need: its address, if that is known, and its clock. */
export type AppFacts = { readonly publicUrl?: string; readonly now: Clock }

const FACTS = Symbol('the app of the request')

/** Records the app of a request. */
export const noteApp = (ctx: Context, facts: AppFacts): void => {
  ctx[FACTS] = facts
}

export const appOf = (ctx: Context): AppFacts => ctx[FACTS] as AppFacts

/** The path at which an app is mounted in another one: the part that mounting removed from the address, not a part that only looks like it. */
export const mountPathOf = ({ req, originalUrl, path }: Pick<Context, 'req' | 'originalUrl' | 'path'>): string => {
  const [whole = ''] = ('originalUrl' in req && typeof req.originalUrl === 'string' ? req.originalUrl : originalUrl).split('?')
  const mount = whole.endsWith(path) ? whole.slice(0, -path.length) : ''
  return /^(\/[\w.~-]+)+$/.test(mount) ? mount : ''
}
