import type { OnHost } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'

/** Logs which of several database hosts is used, and which one is left, and why. */
export const logDatabaseHosts = (log: Log): OnHost => ({ host, fault }) => {
  if (fault === undefined) log('info', 'database_host_used', { host })
  else log('warn', 'database_host_left', { host, fault })
}
