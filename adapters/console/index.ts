/**
 * The console: the pages on which people sign in, and see and change who has access.
 *
 * @packageDocumentation
 */
export { makeConsole, type Console, type ConsoleDeps, type ConsoleIdentity, type ConsoleIdentityHooks } from './console.js'
export type { FileForm, FileForms, FormFields } from './form-body.js'
export type { ClientAddress, ConsoleLog, ConsoleObservation } from './settings.js'
export { type ConsoleLimits, makeConsoleLimits, type RequestKind } from './limits.js'
export type { Sections } from './sections.js'
export type { PageDeps } from './page.js'
export type { SearchSection } from './pages/search.js'
export type { OverviewSection } from './pages/overview.js'
export type { CustomersSection } from './pages/customers-section.js'
export type { EndpointsSection } from './pages/endpoints-section.js'
export type { KeysSection } from './pages/keys.js'
export type { MessagesSection } from './pages/messages-section.js'
export type { PlatformSays, SenderSection } from './pages/sender.js'
export type { SettingsSection } from './pages/settings.js'
export type { AllWorkspacesSection } from './pages/workspaces.js'
export type { CheckShown, GatewayShown, HealthSection, RateCardShown, UnconfirmedMessages } from './pages/health-section.js'
export type { SendSection } from './pages/send.js'
export type { TemplatesSection } from './pages/templates.js'
export type { WalletSection } from './pages/wallet.js'
