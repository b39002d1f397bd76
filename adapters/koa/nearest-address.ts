import { nearestNames } from '../../core/kernel/nearest.js'

/** An operation, as far as its address goes. */
export type Addressed = { readonly path: string; readonly isVersioned: boolean }

/** A longer address is no slip of the pen. */
const MAX_LENGTH = 120

/** Makes what finds the address that was probably meant by one that does not exist; `undefined` where none is much like it. */
export const makeNearestAddress = (operations: ReadonlyArray<Addressed>): ((path: string) => string | undefined) => (path) => {
  if (path.length > MAX_LENGTH) return undefined
  const given = path.replace(/\/+/g, '/').replace(/\/$/, '')
  const [, base = '/v1', rest = given] = /^(\/api\/v1|\/v1)?(\/.*)?$/i.exec(given) ?? []
  if (rest === '') return undefined
  const values = rest.split('/')
  const addresses = new Set(operations.map(({ path: known, isVersioned }) => (isVersioned ? base.toLowerCase() : '') + filled(known, values)))
  const last = values.at(-1) ?? ''
  // A name that lost a part of its address, such as /v1/send-text.
  const [nearest = [...addresses].find((address) => last !== '' && address.endsWith(`/${last}`))] = addresses.has(given) ? [given] : nearestNames(given, addresses)
  return nearest
}

/** An address whose parameters have the values that another one of as many parts has at their places. */
const filled = (path: string, values: ReadonlyArray<string>): string => {
  const parts = path.split('/')
  return parts.length === values.length ? parts.map((part, at) => (/^\{\w+\}$/.test(part) ? values[at] : part)).join('/') : path
}
