import type { DatabaseHost } from './database-hosts.js'

/** Why a host is left for the next one. `code` is what a driver would have given. */
export class HostFault extends Error {
  constructor(readonly code: string, message: string) { super(message) }
}

/** No host of the database URL could be used. */
export class NoUsableHost extends Error {
  readonly code = 'NO_USABLE_HOST'
  constructor(readonly failures: ReadonlyArray<{ readonly host: DatabaseHost; readonly error: unknown }>) {
    super(`no host of the database can be used: ${failures.map(({ host, error }) => `${host.name}: ${error instanceof Error ? error.message : String(error)}`).join('; ')}`)
  }
}

/** What a server answers that takes no writes now, while another host may: a standby, a server set read-only, a Galera node outside its cluster. */
const REFUSES_WRITES = new Set(['25006', 'ER_OPTION_PREVENTS_STATEMENT', 'ER_READ_ONLY_MODE', 'ER_UNKNOWN_COM_ERROR'])

const UNREACHABLE = /^(ECONN|EHOST|ENET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|PROTOCOL_CONNECTION_LOST)/

/** Whether a server answered that it takes no writes. Its connections are of no use then, although they are open. */
export const refusesWrites = (error: unknown): boolean => REFUSES_WRITES.has(codeOf(error))

/** Whether a host could not be reached at all, or did not answer in time. */
export const isUnreachable = (error: unknown): boolean => UNREACHABLE.test(codeOf(error))

/** The code of a driver's error, or of the first of the errors that Node.js collects, one for each address of a host. */
export const codeOf = (error: unknown): string => {
  const own = error instanceof Error ? (error as Error & { readonly code?: unknown }).code : undefined
  if (typeof own === 'string') return own
  return error instanceof AggregateError && error.errors.length > 0 ? codeOf(error.errors[0]) : ''
}
