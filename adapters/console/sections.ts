import type { GatewayFacts, ShownUseCases } from './gateway.js'
import type { Page, PageDeps } from './page.js'
import { accountPages } from './pages/people/account.js'
import { appsPages } from './pages/operators/apps.js'
import { auditPages } from './pages/operators/audit.js'
import { batchesPages } from './pages/batches/batches.js'
import { customersPages } from './pages/customers/customers.js'
import { endpointsPages } from './pages/endpoints/endpoints.js'
import { healthPages } from './pages/operators/health.js'
import { keysPages } from './pages/workspaces/keys.js'
import { languagePages } from './pages/people/language.js'
import { linkPages } from './pages/people/link.js'
import { membersPages } from './pages/people/members.js'
import { messagesPages } from './pages/messages/messages.js'
import { numbersPages } from './pages/numbers/number-list.js'
import { overviewPages } from './pages/workspaces/overview.js'
import { palettePages } from './pages/palette.js'
import { passwordPages } from './pages/people/password.js'
import { sendPages } from './pages/sending/send.js'
import { allQueuesPages } from './pages/queue/all-queues.js'
import { queuePages } from './pages/queue/queue.js'
import { requestsPages } from './pages/requests/requests.js'
import { searchPages } from './pages/search.js'
import { settingsPages } from './pages/workspaces/settings.js'
import { signInPages } from './pages/people/sign-in.js'
import { templatesPages } from './pages/workspaces/templates.js'
import { walletPages } from './pages/wallet/wallet.js'
import { workspacesPages } from './pages/workspaces/workspaces.js'

/** What all pages need together. */
export type ShownDeps = GatewayFacts & Pick<PageDeps, 'identityPath'> & { readonly postern: ShownUseCases }

/** Every page of the console. */
export const pagesOf = ({ postern, identityPath, ...facts }: ShownDeps): ReadonlyArray<Page> => {
  const deps = { ...postern, ...(identityPath !== undefined && { identityPath }) }
  const others = otherPages(deps, postern, facts)
  const { money, overview, queue, workspaces } = postern
  const pages = [
    ...workspacesPages(deps, { ...money, ...overview, ...workspaces, ...facts, queue }, new Set(others.map(({ path }) => path))), ...others,
  ]
  return [...pages, ...signInPages(deps, pages), ...languagePages(deps, pages)]
}

const otherPages = (deps: PageDeps, postern: ShownUseCases, facts: GatewayFacts): ReadonlyArray<Page> => {
  const {
    alerts, apps, batches, clock, consent, customers, events, keys, messages, money, numbers, overview,
    queue, requests, search, sending, templates, upkeep, workspaces,
  } = postern
  const { eraseCustomer, ...readCustomers } = customers
  const { health, isSecretSet } = facts
  return [
    ...linkPages(deps), ...passwordPages(deps), ...accountPages(deps, { alerts, ...facts }), ...membersPages(deps), ...auditPages(deps),
    ...(search === undefined ? [] : [
      ...searchPages(deps, { ...search, ...customers }), ...palettePages(deps, { ...search, ...customers, ...messages, ...clock }),
    ]),
    ...overviewPages(deps, { ...overview, ...customers, ...workspaces, ...messages, queue }),
    ...messagesPages(deps, { ...customers, ...messages, ...templates, ...money, ...workspaces, ...facts, again: sending, queue }),
    // Without a secret, the storage cannot erase a customer.
    ...customersPages(
      deps, {
        ...readCustomers, ...messages, ...templates, ...money, ...clock, ...workspaces, ...facts, queue, consent,
        ...(isSecretSet && { eraseCustomer }),
      }, search !== undefined,
    ),
    ...(queue === undefined ? [] : [
      ...queuePages(deps, { ...queue, ...customers, ...workspaces }), ...allQueuesPages(deps, { ...queue, ...customers, ...workspaces }),
    ]),
    ...(batches === undefined
      ? []
      : batchesPages(deps, { ...batches, ...customers, ...templates, ...money, ...clock, ...workspaces, ...facts })),
    ...keysPages(deps, keys),
    ...(events === undefined ? [] : endpointsPages(deps, { ...events, ...facts })),
    ...(requests === undefined ? [] : requestsPages(deps, { ...keys, ...requests, ...facts })),
    ...numbersPages(deps, {
      ...clock, ...templates, ...workspaces, ...facts, listApps: apps?.listApps, refreshNumber: numbers?.refreshNumber,
      watchQueue: queue?.watchQueue, showLimitUse: batches?.showLimitUse,
    }),
    ...settingsPages(deps, { ...money, ...workspaces, ...facts, alerts, consent }),
    ...(health === undefined || events === undefined ? [] : healthPages(deps, { ...health, ...events, ...upkeep, ...clock, queue })),
    ...(apps === undefined ? [] : appsPages(deps, apps)),
    ...(sending === undefined ? [] : sendPages(deps, { ...customers, ...sending, ...templates, ...clock, ...workspaces, ...facts })),
    ...templatesPages(deps, { ...templates, ...money, ...clock, ...workspaces }),
    ...walletPages(deps, { ...money, ...overview, ...clock, ...workspaces, ...messages }),
  ]
}
