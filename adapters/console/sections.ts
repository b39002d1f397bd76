import type { Page, PageDeps } from './page.js'
import { accountPages } from './pages/people/account.js'
import { auditPages } from './pages/operators/audit.js'
import type { CustomersSection } from './pages/customers/customers-section.js'
import { customersPages } from './pages/customers/customers.js'
import type { EndpointsSection } from './pages/endpoints/endpoints-section.js'
import { endpointsPages } from './pages/endpoints/endpoints.js'
import type { HealthSection } from './pages/operators/health-section.js'
import { healthPages } from './pages/operators/health.js'
import { keysPages, type KeysSection } from './pages/workspaces/keys.js'
import { languagePages } from './pages/people/language.js'
import { linkPages } from './pages/people/link.js'
import { membersPages } from './pages/people/members.js'
import type { MessagesSection } from './pages/messages/messages-section.js'
import { messagesPages } from './pages/messages/messages.js'
import { overviewPages, type OverviewSection } from './pages/workspaces/overview.js'
import { passwordPages } from './pages/people/password.js'
import { sendPages, type SendSection } from './pages/sending/send.js'
import type { RequestsSection } from './pages/requests/requests-section.js'
import { requestsPages } from './pages/requests/requests.js'
import { searchPages, type SearchSection } from './pages/search.js'
import { senderPages, type SenderSection } from './pages/workspaces/sender.js'
import { settingsPages, type SettingsSection } from './pages/workspaces/settings.js'
import { signInPages } from './pages/people/sign-in.js'
import { templatesPages, type TemplatesSection } from './pages/workspaces/templates.js'
import { walletPages, type WalletSection } from './pages/wallet/wallet.js'
import { workspacesPages, type AllWorkspacesSection } from './pages/workspaces/workspaces.js'

/** The sections of the console; a section that is absent has no pages. */
export type Sections = {
  readonly search?: SearchSection
  readonly overview?: OverviewSection
  readonly messages?: MessagesSection
  readonly customers?: CustomersSection
  readonly keys?: KeysSection
  readonly endpoints?: EndpointsSection
  readonly requests?: RequestsSection
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
  const pages = [...workspacesPages(deps, deps.allWorkspaces, new Set(others.map(({ path }) => path))), ...others]
  return [...pages, ...signInPages(deps, pages), ...languagePages(pages)]
}

const otherPages = (deps: PageDeps & Sections): ReadonlyArray<Page> => [
  ...linkPages(deps), ...passwordPages(deps), ...accountPages(deps), ...membersPages(deps), ...auditPages(deps),
  ...(deps.search === undefined ? [] : searchPages(deps, deps.search)),
  ...(deps.overview === undefined ? [] : overviewPages(deps, deps.overview)),
  ...(deps.messages === undefined ? [] : messagesPages(deps, deps.messages)),
  ...(deps.customers === undefined ? [] : customersPages(deps, deps.customers, deps.search !== undefined)),
  ...(deps.keys === undefined ? [] : keysPages(deps, deps.keys)),
  ...(deps.endpoints === undefined ? [] : endpointsPages(deps, deps.endpoints)),
  ...(deps.requests === undefined ? [] : requestsPages(deps, deps.requests)),
  ...(deps.sender === undefined ? [] : senderPages(deps, deps.sender)),
  ...(deps.settings === undefined ? [] : settingsPages(deps, deps.settings)),
  ...(deps.health === undefined ? [] : healthPages(deps, deps.health)),
  ...(deps.send === undefined ? [] : sendPages(deps, deps.send)),
  ...(deps.templates === undefined ? [] : templatesPages(deps, deps.templates)),
  ...(deps.wallet === undefined ? [] : walletPages(deps, deps.wallet)),
]
