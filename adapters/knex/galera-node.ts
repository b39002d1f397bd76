type Query = (sql: string, done: (error: Error | null, rows?: unknown) => void) => unknown

/** What waits: statements that read, that change or delete rows, and that insert them. The bits of `wsrep_sync_wait`. */
const READS_AND_WRITES = 7

/** The connections that lead to a Galera node. */
const toNodes = new WeakSet<object>()

/** Whether a connection leads to a Galera node. */
export const isToGaleraNode = (connection: object): boolean => toNodes.has(connection)

/**
 * Asks a new connection of mysql2 whether it leads to a Galera node. If so, sets what makes transactions exact there:
 *
 * - The node waits before each transaction, and before each statement outside of one, until it has applied what other nodes have committed. Without this a revoked key
 *   would be valid for a moment on other nodes, and a top-up unknown there.
 * - The node runs no statement again by itself. It would run the failed statement of a transaction alone, and commit it.
 */
export const setUpGaleraSession = async (connection: { readonly query?: Query }): Promise<void> => {
  // MySQL does not know the variable, MariaDB without Galera has it too.
  const rows = await ask(connection, "SHOW GLOBAL VARIABLES LIKE 'wsrep_on'")
  const isNode = Array.isArray(rows) && (rows[0] as { readonly Value?: string } | undefined)?.Value === 'ON'
  if (!isNode) return
  await ask(connection, `SET SESSION wsrep_sync_wait = ${READS_AND_WRITES}, SESSION wsrep_retry_autocommit = 0`)
  toNodes.add(connection)
}

const ask = (connection: { readonly query?: Query }, sql: string): Promise<unknown> =>
  new Promise((resolve, reject) => connection.query?.(sql, (error, rows) => { if (error) reject(error); else resolve(rows) }))
