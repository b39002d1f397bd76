/**
 * Digests of passwords by scrypt, which Node has built in, and the turns in which they are computed.
 *
 * @packageDocumentation
 */
export { makePasswordTurns, type PasswordTurnsOptions } from './password-turns.js'
export { makeScryptHasher, type ScryptOptions } from './scrypt-hasher.js'
