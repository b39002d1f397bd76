/**
 * Postern's use cases for an inversify container: typed tokens of the ports, and the module that binds the use cases.
 *
 * @packageDocumentation
 */
export * from './tokens.js'
export { useCases } from './use-cases.js'
