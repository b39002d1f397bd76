import { findServers, serverAt, type MissingServer, type TestServer } from '../support/databases.js'
import { startOwn } from '../support/own-server.js'
import { MARIADB, POSTGRES, type Kind } from '../support/own-server-kinds.js'
import type { Closing } from './closing.js'

/** The databases of a run, those it has to do without, and where the servers among them come from. */
export type Servers = { readonly found: ReadonlyArray<TestServer>; readonly missing: ReadonlyArray<MissingServer>; readonly sentence: string }

/** As an operator with a million messages would set it up; the defaults of 96 to 128 MiB would measure the disk instead. */
const GENEROUS: Readonly<Record<'MySQL' | 'PostgreSQL', Kind>> = {
  MySQL: withOptions(MARIADB, '--innodb-buffer-pool-size=1G', '--innodb-log-file-size=512M'),
  PostgreSQL: withOptions(POSTGRES, '-c', 'shared_buffers=1GB', '-c', 'max_wal_size=2GB'),
}

/**
 * The databases to measure on: SQLite, and those wanted as servers of the run's own, which nothing else asks for anything.
 *
 * Where a server's programs are not installed, or its variable names one, it is the one that the tests use.
 */
export const benchServers = async (closing: Closing, wanted: ReadonlySet<string>): Promise<Servers> => {
  const { found, missing } = await findServers()
  const own = new Map<string, TestServer>()
  for (const name of ['MySQL', 'PostgreSQL'] as const) {
    const kind = GENEROUS[name]
    if (!wanted.has(name) || kind.home === undefined || process.env[`${name === 'MySQL' ? 'MYSQL' : 'POSTGRES'}_URL`] !== undefined) continue
    const server = await startOwn(kind)
    closing.defer(server.remove)
    own.set(name, serverAt(name, kind.client, server.url))
  }
  return {
    found: [...found.filter(({ name }) => !own.has(name)), ...own.values()],
    missing: missing.filter(({ name }) => !own.has(name)),
    sentence: own.size === 0 ? '' : ` ${[...own.keys()].join(' and ')}: a server of this run's own with 1 GiB of cache, on the cores of the load.`,
  }
}

function withOptions(kind: Kind, ...options: ReadonlyArray<string>): Kind {
  return {
    ...kind,
    serve: (folder, port) => {
      const { program, args } = kind.serve(folder, port)
      return { program, args: [...args, ...options] }
    },
  }
}
