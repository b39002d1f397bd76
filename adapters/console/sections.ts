import type { Page, PageDeps } from './page.js'
import { accountPages } from './pages/account.js'
import { auditPages } from './pages/audit.js'
import type { CustomersSection } from './pages/customers-section.js'
import { customersPages } from './pages/customers.js'
import type { EndpointsSection } from './pages/endpoints-section.js'
import { endpointsPages } from './pages/endpoints.js'
import type { HealthSection } from './pages/health-section.js'
import { healthPages } from './pages/health.js'
import { keysPages, type KeysSection } from './pages/keys.js'
import { linkPages } from './pages/link.js'
import { membersPages } from './pages/members.js'
import type { MessagesSection } from './pages/messages-section.js'
import { messagesPages } from './pages/messages.js'
import { overviewPages, type OverviewSection } from './pages/overview.js'
import { passwordPages } from './pages/password.js'
import { sendPages, type SendSection } from './pages/send.js'
import { searchPages, type SearchSection } from './pages/search.js'
import { senderPages, type SenderSection } from './pages/sender.js'
import { settingsPages, type SettingsSection } from './pages/settings.js'
import { signInPages } from './pages/sign-in.js'
import { templatesPages, type TemplatesSection } from './pages/templates.js'
import { walletPages, type WalletSection } from './pages/wallet.js'
import { workspacesPages, type AllWorkspacesSection } from './pages/workspaces.js'

/** What the sections of the console show; one that is not given has no pages. */
export type Sections = {
  readonly search?: SearchSection
  readonly overview?: OverviewSection
  readonly messages?: MessagesSection
  readonly customers?: CustomersSection
  readonly keys?: KeysSection
  readonly endpoints?: EndpointsSection
  readonly sender?: SenderSection
  readonly settings?: SettingsSection
  readonly health?: HealthSection
  readonly allWorkspaces?: AllWorkspacesSection
  readonly send?: SendSection
  readonly templates?: TemplatesSection
  readonly wallet?: WalletSection
}

/** Every page of the console. */
export const pagesOf = (deps: PageDeps & Sections): ReadonlyArray<Page> => {
  const others = otherPages(deps)
  return [...workspacesPages(deps, deps.allWorkspaces, new Set(others.map(({ path }) => path))), ...others]
}

const otherPages = (deps: PageDeps & Sections): ReadonlyArray<Page> => [
  ...signInPages(deps), ...linkPages(deps), ...passwordPages(deps), ...accountPages(deps), ...membersPages(deps), ...auditPages(deps),
  ...(deps.search === undefined ? [] : searchPages(deps, deps.search)),
  ...(deps.overview === undefined ? [] : overviewPages(deps, deps.overview)),
  ...(deps.messages === undefined ? [] : messagesPages(deps, deps.messages)),
  ...(deps.customers === undefined ? [] : customersPages(deps, deps.customers)),
  ...(deps.keys === undefined ? [] : keysPages(deps, deps.keys)),
  ...(deps.endpoints === undefined ? [] : endpointsPages(deps, deps.endpoints)),
  ...(deps.sender === undefined ? [] : senderPages(deps, deps.sender)),
  ...(deps.settings === undefined ? [] : settingsPages(deps, deps.settings)),
  ...(deps.health === undefined ? [] : healthPages(deps, deps.health)),
  ...(deps.send === undefined ? [] : sendPages(deps, deps.send)),
  ...(deps.templates === undefined ? [] : templatesPages(deps, deps.templates)),
  ...(deps.wallet === undefined ? [] : walletPages(deps, deps.wallet)),
]
