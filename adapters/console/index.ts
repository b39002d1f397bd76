/**
 * The console: the pages on which people sign in, and see and change who has access.
 *
 * @packageDocumentation
 */
export { makeConsole, type Console, type ConsoleDeps, type ConsoleIdentity, type ConsoleIdentityHooks } from './console.js'
export type { FileForm, FileForms, FormFields } from './form-body.js'
export type { ClientAddress, ConsoleLog, ConsoleObservation } from './settings.js'
export { type ConsoleLimits, makeConsoleLimits, type RequestKind } from './limits.js'
export type { Callers } from '../shared/callers.js'
export type { Entered } from '../shared/limiter.js'
export type { Sections } from './sections.js'
export type { PageDeps } from './page.js'
export type { SearchSection } from './pages/search.js'
export type { OverviewSection } from './pages/workspaces/overview.js'
export type { CustomersSection } from './pages/customers/customers-section.js'
export type { EndpointsSection } from './pages/endpoints/endpoints-section.js'
export type { KeysSection } from './pages/workspaces/keys.js'
export type { RequestsSection } from './pages/requests/requests-section.js'
export type { MessagesSection } from './pages/messages/messages-section.js'
export type { PlatformSays, SenderSection } from './pages/workspaces/sender.js'
export type { SettingsSection } from './pages/workspaces/settings.js'
export type { AllWorkspacesSection } from './pages/workspaces/workspaces.js'
export type { CheckShown, GatewayShown, HealthSection, RateCardShown, UnconfirmedMessages } from './pages/operators/health-section.js'
export type { SendSection } from './pages/sending/send.js'
export type { TemplatesSection } from './pages/workspaces/templates.js'
export type { WalletSection } from './pages/wallet/wallet.js'
