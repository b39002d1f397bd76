import * as E from 'fp-ts/lib/Either.js'
import type { InvalidEndpointUrl } from './invalid.js'

/** The longest address of an endpoint, in UTF-16 units. */
export const MAX_ENDPOINT_URL_LENGTH = 2_048

/** The form of an endpoint's address: a host of visible characters, then printable ASCII without `#`. */
export const ENDPOINT_URL_FORM = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/?#@\\\p{C}]+([/?][!-"$-~]*)?$/u

/** Reads the address of an endpoint. Which hosts may be called is checked when it is dialled. */
export const parseEndpointUrl = (text: string): E.Either<InvalidEndpointUrl, string> =>
  text.length <= MAX_ENDPOINT_URL_LENGTH && ENDPOINT_URL_FORM.test(text)
    ? E.right(text)
    : E.left({ _tag: 'InvalidEndpointUrl', reason: `url is an absolute https URL without a user, a password or a fragment, at most ${MAX_ENDPOINT_URL_LENGTH} characters` })
