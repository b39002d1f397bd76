/**
 * The console: the pages on which people sign in, and see and change who has access.
 *
 * @packageDocumentation
 */
export { makeConsole, type Console, type ConsoleDeps, type ConsoleIdentity, type ConsoleIdentityHooks } from './console.js'
export type { FileForm, FileForms, FormFields } from './form-body.js'
export type { ClientAddress, ConsoleLog, ConsoleObservation } from './request.js'
export { type ConsoleLimits, makeConsoleLimits, type RequestKind } from './limits.js'
export type { Callers } from '../shared/callers.js'
export type { Entered } from '../shared/limiter.js'
export type {
  CheckShown, GatewayFacts, GatewayHealth, GatewayShown, PlatformSays, RateCardShown, ShownUseCases, UnconfirmedMessages,
} from './gateway.js'
