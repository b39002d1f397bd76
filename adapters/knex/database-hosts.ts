import * as E from 'fp-ts/lib/Either.js'

/** One host of a database URL. */
export type DatabaseHost = {
  /** Its name and port as the URL has them; no user and no password. */
  readonly name: string
  /** The database URL with this host alone. */
  readonly url: string
}

/** What a database URL says of its hosts. */
export type DatabaseHosts = {
  /** One or more, in the order in which they are tried. */
  readonly hosts: readonly [DatabaseHost, ...ReadonlyArray<DatabaseHost>]
  /** Whether a host that takes no writes is left for the next one. It always is where there is a next one. */
  readonly mustTakeWrites: boolean
}

const DEFAULT_PORT: Readonly<Record<string, number>> = { mysql: 3306, mariadb: 3306, postgres: 5432, postgresql: 5432 }

/** A scheme, the part that names user and hosts, and the rest. */
const FORM = /^([a-z]+):\/\/([^/?#]*)(.*)$/s

/** A name, an IPv4 address, or an IPv6 address in brackets; then perhaps a port. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(.*))?$/i

const WRITABLE: ReadonlyArray<string | null> = ['read-write', 'primary']

/**
 * Reads the hosts of a database URL such as `postgres://user:password@pg1,pg2:5433/postern`.
 *
 * Left: what the URL must be, to follow "DATABASE_URL must be"; it repeats nothing of the URL, since any part may hold the password.
 */
export const parseDatabaseHosts = (url: string): E.Either<string, DatabaseHosts> => {
  const [, scheme = '', authority = '', rest = ''] = FORM.exec(url) ?? []
  const wanted = scheme.startsWith('postgres') ? targetOf(rest) : null
  if (wanted !== null && !WRITABLE.includes(wanted)) return E.left('a URL whose target_session_attrs is read-write or primary, because a gateway always writes')
  if (/,[a-z]+:\/\//.test(url)) return E.left('one URL, with commas between its hosts; it is several URLs')
  const [user, hosts] = splitUser(authority)
  if (!hosts.includes(',')) return E.right({ hosts: [{ name: hosts, url: wanted === null ? url : withoutTarget(url) }], mustTakeWrites: wanted !== null })

  const names = hosts.split(',')
  const fault = faultOfList(user, names, rest, DEFAULT_PORT[scheme])
  if (fault !== undefined) return E.left(fault)
  const [first, ...others] = names.map((name): DatabaseHost => ({ name, url: withoutTarget(`${scheme}://${user}${name}${rest}`) }))
  return first === undefined ? E.left('a URL with a host') : E.right({ hosts: [first, ...others], mustTakeWrites: true })
}

/** Splits off the user and the password with the last `@` behind them; either may contain a comma. */
const splitUser = (authority: string): readonly [user: string, hosts: string] => {
  const end = authority.lastIndexOf('@') + 1
  return [authority.slice(0, end), authority.slice(end)]
}

const faultOfList = (user: string, names: ReadonlyArray<string>, rest: string, defaultPort: number | undefined): string | undefined => {
  if (/@./.test(user) || rest.split('?')[0]?.includes('@') === true) return 'a URL whose password is percent-encoded: @ is %40, / is %2F, ? is %3F, # is %23'
  const ports = names.map((name) => portOf(name, defaultPort))
  for (const [index, name] of names.entries()) {
    if (name === '') return `a URL without empty hosts; host ${index + 1} is empty`
    if (!HOST.test(name)) return `a URL whose hosts are names or addresses, IPv6 addresses in brackets; host ${index + 1} is neither`
    if (ports[index] === undefined) return `a URL whose ports are numbers from 1 to 65535; that of host ${index + 1} is not`
  }
  const keys = names.map((name, index) => `${HOST.exec(name)?.[1]?.toLowerCase()} ${ports[index]}`)
  const again = keys.findIndex((key, index) => keys.indexOf(key) !== index)
  return again === -1 ? undefined : `a URL whose hosts are all different; hosts ${keys.indexOf(keys[again] ?? '') + 1} and ${again + 1} are the same`
}

const portOf = (name: string, absent: number | undefined): number | undefined => {
  const text = HOST.exec(name)?.[2]
  if (text === undefined) return absent
  const port = Number(text)
  return /^[0-9]{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined
}

const TARGET = 'target_session_attrs'

const targetOf = (rest: string): string | null => new URLSearchParams(/\?([^#]*)/.exec(rest)?.[1] ?? '').get(TARGET)

/** The driver of PostgreSQL does not know the parameter. */
const withoutTarget = (url: string): string => {
  const [before = '', query] = url.split('?')
  if (query === undefined) return url
  const kept = query.split('&').filter((part) => !part.startsWith(`${TARGET}=`))
  return kept.length === 0 ? before : `${before}?${kept.join('&')}`
}
