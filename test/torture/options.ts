import { parseArgs } from 'node:util'
import { DATABASES, type DatabaseName } from './torture-database.js'

/** The options of the command line. */
export type Options = {
  readonly databases: ReadonlyArray<DatabaseName>
  readonly kill: 'gateway' | 'database'
  /** Whether the run uses three Galera nodes and three gateways, and kills, freezes and cuts off nodes. */
  readonly galera: boolean
  readonly kills: number
  readonly sends: number
  readonly seed: number
  /** The attacks to run instead of kills: those with this word in their title, or all if it is empty. */
  readonly attack: string | undefined
}

export const USAGE = `npm run torture -- [options]

  --database NAME   sqlite, mysql, postgres or all (default all)
  --kill WHAT       gateway (default), or database: a server started for the run; SQLite has none and is left out
  --galera          three Galera nodes and a gateway on each, instead of the databases. --kill database (its default) kills, freezes and cuts off nodes, and brings
                    them back; --kill gateway kills the first gateway
  --kills N         how often it is killed (default 100)
  --sends N         the least number of messages that clients send (default 0: as many as fit between the kills)
  --attack          runs every attack in its long form and kills nothing; --only WORD runs those with a word in their title
  --seed N          the seed of the random numbers (default: the time)

MySQL and PostgreSQL are taken from MYSQL_URL and POSTGRES_URL, or from their usual ports of this machine.
`

/** Reads the command line; throws an `Error` with a sentence if it is wrong. */
export const readOptions = (args: ReadonlyArray<string>, now: number): Options | 'help' => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      database: { type: 'string', default: 'all' },
      kill: { type: 'string' },
      galera: { type: 'boolean', default: false },
      kills: { type: 'string', default: '100' },
      sends: { type: 'string', default: '0' },
      seed: { type: 'string', default: String(now % 1_000_000) },
      attack: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const kill = values.kill ?? (values.galera ? 'database' : 'gateway')
  if (kill !== 'gateway' && kill !== 'database') throw new Error('--kill must be gateway or database')
  const databases = DATABASES.filter((name) =>
    (values.database === 'all' || name === values.database) && (kill === 'gateway' || name !== 'sqlite'))
  if (databases.length === 0) throw new Error('--database must be sqlite, mysql, postgres or all, and SQLite has no server to kill')
  const attack = values.attack ? values.only : undefined
  return {
    attack, databases, kill, galera: values.galera, kills: count('--kills', values.kills), sends: count('--sends', values.sends),
    seed: count('--seed', values.seed),
  }
}

const count = (name: string, text: string): number => {
  if (!/^[0-9]{1,9}$/.test(text)) throw new Error(`${name} must be a whole number`)
  return Number(text)
}
