/**
 * Digests of passwords by scrypt, which Node has built in.
 *
 * @packageDocumentation
 */
export { makeScryptHasher, type ScryptOptions } from './scrypt-hasher.js'
