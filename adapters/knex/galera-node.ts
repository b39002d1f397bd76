type Query = (sql: string, done: (error: Error | null, rows?: unknown) => void) => unknown

/** What waits: statements that read, that change or delete rows, and that insert them. The bits of `wsrep_sync_wait`. */
const READS_AND_WRITES = 7

/**
 * On a Galera node, lets a new connection of mysql2 see at once what other nodes have committed. The node waits before each transaction, and before each
 * statement outside of one, until it has applied that. Without this a revoked key would be valid for a moment on other nodes, and a top-up unknown there.
 * Elsewhere it only asks.
 */
export const waitForOtherNodes = async (connection: { readonly query?: Query }): Promise<void> => {
  // MySQL does not know the variable, MariaDB without Galera has it too.
  const rows = await ask(connection, "SHOW GLOBAL VARIABLES LIKE 'wsrep_on'")
  const isNode = Array.isArray(rows) && (rows[0] as { readonly Value?: string } | undefined)?.Value === 'ON'
  if (isNode) await ask(connection, `SET SESSION wsrep_sync_wait = ${READS_AND_WRITES}`)
}

const ask = (connection: { readonly query?: Query }, sql: string): Promise<unknown> =>
  new Promise((resolve, reject) => connection.query?.(sql, (error, rows) => { if (error) reject(error); else resolve(rows) }))
