import { nearestNames } from '../../core/kernel/nearest.js'
import { likelyValues, type Shape } from './schema.js'

/** The parts of an operation that describe its address. */
export type Addressed = { readonly path: string; readonly isVersioned: boolean; readonly pathParameters: Shape }

/** A longer address is not a typing error. */
const MAX_LENGTH = 120

/** Creates the function that finds the address that was probably meant by one that does not exist; `undefined` if no address is similar. */
export const makeNearestAddress = (operations: ReadonlyArray<Addressed>): ((path: string) => string | undefined) => (path) => {
  if (path.length > MAX_LENGTH) return undefined
  const given = path.replace(/\/+/g, '/').replace(/\/$/, '')
  const [base = ''] = /^(?:\/api)?\/v1(?=\/|$)/i.exec(given) ?? []
  if (given === base) return undefined
  const values = given.slice(base.length).split('/')
  const addresses = new Set(
    operations.map((operation) => (operation.isVersioned ? base.toLowerCase() || '/v1' : '') + filled(operation, values)),
  )
  if (addresses.has(given)) return given
  const last = values.at(-1) ?? ''
  const [similar] = nearestNames(given, addresses)
  const endsAlike = [...addresses].find((address) => last !== '' && address.endsWith(`/${last}`))
  // A name without the other parts of its address, such as /v1/send-text.
  return values.length === 2 ? endsAlike ?? similar : similar ?? endsAlike
}

/** The address of an operation. If another address has as many parts, its values replace the parameters, provided that the parameters accept them. */
const filled = ({ path, pathParameters }: Addressed, values: ReadonlyArray<string>): string => {
  const parts = path.split('/')
  if (parts.length !== values.length) return path
  const given = Object.fromEntries(
    parts.flatMap((part, at) => (part.startsWith('{') ? [[part.slice(1, -1), decoded(values[at] ?? '')]] : [])),
  )
  return !likelyValues(pathParameters)(given) ? path : parts.map((part, at) => (part.startsWith('{') ? values[at] : part)).join('/')
}

/** A part of an address as the router reads it. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
