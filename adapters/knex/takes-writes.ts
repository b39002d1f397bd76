import type { DialectName } from './dialect.js'
import { HostFault } from './host-fault.js'

/** Asks a new connection one question. */
export type Ask = (sql: string) => Promise<unknown>

type Named = { readonly Variable_name: string; readonly Value: string }

/** Rejects with a `HostFault` if the server of a new connection takes no writes. */
export const checkTakesWrites = async (dialect: DialectName, ask: Ask): Promise<void> => {
  if (dialect === 'postgres') {
    const { rows } = (await ask("SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS read_only")) as {
      readonly rows: ReadonlyArray<{ readonly standby: boolean; readonly read_only: string }>
    }
    if (rows[0]?.standby === true) throw new HostFault('25006', 'it is a standby')
    if (rows[0]?.read_only === 'on') throw new HostFault('25006', 'it is read-only')
  } else if (dialect === 'mysql') {
    // SHOW also works on a Galera node outside its cluster, and it knows variables that MySQL does not have. MariaDB without Galera has `wsrep_ready` too, always OFF.
    const answers = (await ask("SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'wsrep_on'); SHOW GLOBAL STATUS LIKE 'wsrep_ready'")) as ReadonlyArray<ReadonlyArray<Named>>
    const values = new Map(answers.flat().map(({ Variable_name: name, Value: value }) => [name, value]))
    if (values.get('wsrep_on') === 'ON' && values.get('wsrep_ready') === 'OFF') throw new HostFault('ER_UNKNOWN_COM_ERROR', 'its Galera node is not ready')
    if ((values.get('read_only') ?? 'OFF') !== 'OFF') throw new HostFault('ER_OPTION_PREVENTS_STATEMENT', 'it is read-only')
  }
}
