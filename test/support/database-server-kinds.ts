import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A kind of database server that tests can start if its programs are installed. */
export type ServerKind = {
  readonly name: string
  /** How to install it. */
  readonly remedy: string
  /** The folder of its programs; `undefined` if they are not installed. */
  readonly programFolder: string | undefined
  readonly client: 'mysql2' | 'pg'
  /** The user it runs as if the tests run as root, because it refuses to run as root. */
  readonly user: string
  readonly urlOf: (port: number, database: string) => string
  /** A database that exists after installation. */
  readonly initialDatabase: string
  /** Creates its data folder. */
  readonly initialise: (folder: string) => Command
  /** Preparation before each process of it is started. */
  readonly beforeStart?: (folder: string) => Promise<void>
  /** Starts it on a data folder and a port of the loopback address. */
  readonly serve: (folder: string, port: number) => Command
  /** How long a start may take, in milliseconds; half a minute by default. */
  readonly startMs?: number
  /** The end of its log, for people. */
  readonly log?: (folder: string) => Promise<string>
  /** The signal that stops it cleanly while connections are open. */
  readonly stopSignal: NodeJS.Signals
}

export type Command = { readonly program: string; readonly args: ReadonlyArray<string> }

/** Whether servers must run as another user. */
export const IS_ROOT = process.getuid?.() === 0

/** Folders of programs, including folders that are not in every PATH. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', '/sbin']

const folderOf = (program: string): string | undefined => FOLDERS.find((folder) => existsSync(join(folder, program)))

const latestPostgres = (): string | undefined => {
  const all = '/usr/lib/postgresql'
  const versions = existsSync(all) ? readdirSync(all).map(Number).sort((a, b) => b - a) : []
  return versions.map((version) => join(all, String(version), 'bin')).find((bin) => existsSync(join(bin, 'postgres'))) ?? folderOf('initdb')
}

const MARIADB_HOME = folderOf('mariadbd')
const POSTGRES_HOME = latestPostgres()

export const MARIADB: ServerKind = {
  name: 'MariaDB', remedy: 'install mariadb-server', client: 'mysql2', user: 'mysql', initialDatabase: 'mysql', stopSignal: 'SIGTERM',
  programFolder: MARIADB_HOME,
  urlOf: (port, database) => `mysql://root@127.0.0.1:${port}/${database}`,
  initialise: (folder) => ({
    program: 'mariadb-install-db',
    args: ['--no-defaults', ...asMysql(), `--datadir=${folder}/data`, '--auth-root-authentication-method=normal', '--skip-test-db'],
  }),
  serve: (folder, port) => ({
    program: join(MARIADB_HOME ?? '', 'mariadbd'),
    args: [
      '--no-defaults', ...asMysql(), `--datadir=${folder}/data`, `--socket=${folder}/socket`, `--pid-file=${folder}/pid`,
      '--bind-address=127.0.0.1', `--port=${port}`, '--skip-name-resolve', '--character-set-server=utf8mb4',
    ],
  }),
}

/** PostgreSQL, with its programs in a folder. */
export const postgresIn = (programFolder: string | undefined): ServerKind => ({
  name: 'PostgreSQL', remedy: 'install postgresql', client: 'pg', user: 'postgres', initialDatabase: 'postgres',
  // SIGTERM would wait until every client has disconnected.
  stopSignal: 'SIGINT',
  programFolder,
  urlOf: (port, database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
  initialise: (folder) => asPostgres(
    join(programFolder ?? '', 'initdb'), '-D', `${folder}/data`, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C',
  ),
  serve: (folder, port) => asPostgres(
    join(programFolder ?? '', 'postgres'), '-D', `${folder}/data`, '-c', 'listen_addresses=127.0.0.1', '-c', `port=${port}`,
    '-c', `unix_socket_directories=${folder}`,
  ),
})

export const POSTGRES = postgresIn(POSTGRES_HOME)

/** A server that is a streaming standby of the PostgreSQL server at a port, until it is promoted. */
export const postgresStandbyOf = (port: number): ServerKind => ({
  ...POSTGRES,
  initialise: (folder) => asPostgres(
    join(POSTGRES_HOME ?? '', 'pg_basebackup'), '-D', `${folder}/data`, '-R', '-c', 'fast', '-h', '127.0.0.1', '-p', String(port), '-U',
    'postgres',
  ),
})

function asMysql(): ReadonlyArray<string> {
  return IS_ROOT ? ['--user=mysql'] : []
}

function asPostgres(program: string, ...args: ReadonlyArray<string>): Command {
  return IS_ROOT
    ? { program: 'setpriv', args: ['--reuid=postgres', '--regid=postgres', '--init-groups', program, ...args] }
    : { program, args }
}
