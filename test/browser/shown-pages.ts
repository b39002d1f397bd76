/** The pages of the console that all members of a workspace may see, by the end of their addresses. */
export const SHOWN = [
  '', '?range=90d', '/messages', '/messages?state=failed&template=order_update', '/customers', '/customers/4915123456789', '/queue',
  '/keys', '/endpoints', '/requests', '/requests?refused=on', '/sender', '/sender?new', '/settings', '/send', '/templates',
  '/wallet', '/wallet/books', '/wallet/spend', '/wallet/months', '/wallet/alerts', '/wallet/entries',
  `/wallet/days/${new Date().toISOString().slice(0, 10)}`,
  `/wallet/months/${new Date().toISOString().slice(0, 7)}`,
  `/search?q=${'nothing'.repeat(40)}`, '/search?q=4915',
]

/** The pages of an operator that belong to no workspace. */
export const OF_ALL = [
  '/console', '/console/search?q=test', '/console/health', '/console/queue', '/console/apps', '/console/members', '/console/audit',
  '/console/account', '/console/password',
]
