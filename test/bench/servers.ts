import { findServers, serverAt, type UnavailableServer, type TestServer } from '../support/databases.js'
import { startDatabaseServer } from '../support/database-server.js'
import { MARIADB, POSTGRES, type ServerKind } from '../support/database-server-kinds.js'
import type { Cleanup } from './cleanup.js'

/** The databases of a run, the unavailable ones, and a sentence about the servers. */
export type Servers = {
  readonly found: ReadonlyArray<TestServer>
  readonly missing: ReadonlyArray<UnavailableServer>
  readonly sentence: string
}

/** Enough cache for a million messages; with the defaults of 96 to 128 MiB, the bench would measure the disk. */
const WITH_LARGE_CACHE: Readonly<Record<'MySQL' | 'PostgreSQL', ServerKind>> = {
  MySQL: withOptions(MARIADB, '--innodb-buffer-pool-size=1G', '--innodb-log-file-size=512M'),
  PostgreSQL: withOptions(POSTGRES, '-c', 'shared_buffers=1GB', '-c', 'max_wal_size=2GB'),
}

/**
 * The databases to measure: SQLite, and a server of each wanted kind that is started for this run only.
 *
 * If a server's programs are not installed, or its variable is set, the server of the tests is used.
 */
export const benchServers = async (cleanup: Cleanup, wanted: ReadonlySet<string>): Promise<Servers> => {
  const { found, missing } = await findServers()
  const own = new Map<string, TestServer>()
  for (const name of ['MySQL', 'PostgreSQL'] as const) {
    const kind = WITH_LARGE_CACHE[name]
    if (!wanted.has(name) || kind.programFolder === undefined
        || process.env[`${name === 'MySQL' ? 'MYSQL' : 'POSTGRES'}_URL`] !== undefined) {
      continue
    }
    const server = await startDatabaseServer(kind)
    cleanup.defer(server.remove)
    own.set(name, serverAt(name, kind.client, server.url))
  }
  return {
    found: [...found.filter(({ name }) => !own.has(name)), ...own.values()],
    missing: missing.filter(({ name }) => !own.has(name)),
    sentence: own.size === 0 ? '' : ` ${[...own.keys()].join(' and ')}: a server started for this run with 1 GiB of cache, on the cores of the load.`,
  }
}

function withOptions(kind: ServerKind, ...options: ReadonlyArray<string>): ServerKind {
  return {
    ...kind,
    serve: (folder, port) => {
      const { program, args } = kind.serve(folder, port)
      return { program, args: [...args, ...options] }
    },
  }
}
