/**
 * The console: the pages on which people sign in, and see and change who has access.
 *
 * @packageDocumentation
 */
export { makeConsole, type ConsoleDeps, type ConsoleIdentity, type ConsoleIdentityHooks, type ConsoleLog, type ConsoleObservation } from './console.js'
export type { PageDeps } from './page.js'
