import type { EventEmitter } from 'node:events'
import { connect, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Knex } from 'knex'
import type { DialectName } from './dialect.js'
import { codeOf, connectionFault, type DatabaseHost, HostFault, isUnreachable, NoUsableHost, refusesWrites } from './faults.js'
import { checkTakesWrites } from './server.js'

/** The hosts of a database URL. */
export type DatabaseHosts = {
  /** One or more, in the order in which they are tried. */
  readonly hosts: readonly [DatabaseHost, ...ReadonlyArray<DatabaseHost>]
  /** Whether the next host replaces a host that refuses writes. This is always the case if there is a next host. */
  readonly mustTakeWrites: boolean
}

const DEFAULT_PORT: Readonly<Record<string, number>> = { mysql: 3306, mariadb: 3306, postgres: 5432, postgresql: 5432 }

/** A scheme, the part with the user and the hosts, and the rest. */
const FORM = /^([a-z]+):\/\/([^/?#]*)(.*)$/s

/** A name, an IPv4 address, or an IPv6 address in brackets; then optionally a port. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(.*))?$/i

const WRITABLE: ReadonlyArray<string | null> = ['read-write', 'primary']

/**
 * Reads the hosts of a database URL such as `postgres://user:password@pg1,pg2:5433/postern`.
 *
 * Left: what the URL must be, to follow "DATABASE_URL must be"; it quotes no part of the URL, because any part may contain the password.
 */
export const parseDatabaseHosts = (url: string): E.Either<string, DatabaseHosts> => {
  const [, scheme = '', authority = '', rest = ''] = FORM.exec(url) ?? []
  const wanted = scheme.startsWith('postgres') ? targetOf(rest) : null
  if (wanted !== null && !WRITABLE.includes(wanted)) return E.left('a URL whose target_session_attrs is read-write or primary, because a gateway always writes')
  if (/,[a-z]+:\/\//.test(url)) return E.left('one URL, with commas between its hosts; it is several URLs')
  const [user, hosts] = splitUser(authority)
  if (!hosts.includes(',')) {
    return E.right({ hosts: [{ name: hosts, url: wanted === null ? url : withoutTarget(url) }], mustTakeWrites: wanted !== null })
  }

  const names = hosts.split(',')
  const fault = faultOfList(user, names, rest, DEFAULT_PORT[scheme])
  if (fault !== undefined) return E.left(fault)
  const [first, ...others] = names.map((name): DatabaseHost => ({ name, url: withoutTarget(`${scheme}://${user}${name}${rest}`) }))
  return first === undefined ? E.left('a URL with a host') : E.right({ hosts: [first, ...others], mustTakeWrites: true })
}

/** Splits off the user and the password at the last `@`; both may contain a comma. */
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
  const keys = names.map((name) => keyOf(name, defaultPort))
  const again = keys.findIndex((key, index) => keys.indexOf(key) !== index)
  return again === -1 ? undefined : `a URL whose hosts are all different; hosts ${keys.indexOf(keys[again] ?? '') + 1} and ${again + 1} are the same`
}

/** The name of a host in lower case, and its port. */
const keyOf = (name: string, defaultPort: number | undefined): string =>
  `${(HOST.exec(name)?.[1] ?? name).toLowerCase()}:${portOf(name, defaultPort)}`

/** The hosts of a database URL, sorted: each in lower case and with its port, so that two spellings of one host are alike. */
export const hostKeys = (url: string): ReadonlyArray<string> => {
  const read = parseDatabaseHosts(url)
  return E.isLeft(read) ? [] : read.right.hosts.map(({ name }) => keyOf(name, DEFAULT_PORT[FORM.exec(url)?.[1] ?? ''])).sort()
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

/** The property with the socket of a driver's connection: mysql2 uses `stream`, `pg` uses `connection.stream`; SQLite has none. */
export type DriverConnection = Partial<Pick<EventEmitter, 'on' | 'listenerCount'>> & {
  readonly stream?: Socket
  readonly connection?: { readonly stream: Socket }
}

/** The socket of a driver's connection; `undefined` for SQLite. */
export const socketOf = (connection: DriverConnection): Socket | undefined => connection.stream ?? connection.connection?.stream

/**
 * Destroys a connection's socket after a period in which no byte was sent or received.
 *
 * A server may disappear without closing its connections, for example in a failover. Without this timeout a caller would wait about 15 minutes, until the operating
 * system closes the connection, and the connection would occupy the pool. The pool closes idle connections earlier.
 */
export const setSocketTimeout = (connection: DriverConnection, timeoutMs: number): void => {
  const socket = socketOf(connection)
  socket?.setTimeout(timeoutMs, () => { socket.destroy() })
  ignoreLateErrors(connection)
}

/** Knex removes its listeners from a mysql2 connection that it closes. Without a listener, a later error would end the process. */
export const ignoreLateErrors = (connection: DriverConnection): void => {
  socketOf(connection)?.prependListener('error', () => {
    if (connection.listenerCount?.('error') === 0) connection.on?.('error', () => undefined)
  })
}

/** The state of one host. */
export type HostState = {
  /** The host and its port as in the URL. */
  readonly name: string
  /** `used`: connections to it are open; `failed`: the last attempt to use it failed; otherwise `unused`. */
  readonly state: 'used' | 'failed' | 'unused'
  /** Why the last attempt failed, for the operator, without a secret. */
  readonly fault?: string
}

/** The connections of a pool, spread over the hosts of its URL. */
export type HostConnections = {
  /** Whether the URL names several hosts. */
  readonly hasSeveral: boolean
  /** Records the host of a connection of the pool. */
  readonly place: (connection: PooledConnection) => void
  /** Whether a connection leads to a host that is still used. */
  readonly isUsable: (connection: object) => boolean
  /** The state of each host, in the order of the URL. */
  readonly states: () => ReadonlyArray<HostState>
  /** Tries every host now, each for a limited time. */
  readonly tryAll: () => Promise<ReadonlyArray<HostState>>
  /** Stops watching and destroys every connection that is still open. */
  readonly close: () => void
}

/** Called when the gateway starts to use a host, and with a `fault` when it stops using one. */
export type OnHost = (change: { readonly host: string; readonly fault?: string }) => void

/** A connection with the marks that knex sets. */
export type PooledConnection = DriverConnection & { readonly __knexUid: string }

/** How long one of several hosts may take to open a connection, in milliseconds. With two silent hosts a caller still gets a connection within its five seconds. */
export const HOST_MS = 2_000

/** The interval between checks for silent hosts, in milliseconds, and the number of silent checks after which a host is tried. Together with `HOST_MS` less than five seconds. */
const LOOK_MS = 500
const SILENT_LOOKS = 3

/** How long a failed host is tried only after all others, in milliseconds. */
const AVOIDED_MS = 30_000

type Host = DatabaseHost & {
  readonly sockets: Set<Socket>
  /** Increases when the host is no longer used: a connection with an older number is not used again. */
  generation: number
  failure: { readonly at: number; readonly error: unknown } | undefined
  /** How many bytes each socket had read at the last check. */
  readonly bytesRead: WeakMap<Socket, number>
  silentLooks: number
}

/** The host of a connection, and the number of the host when the connection was opened. */
type Place = { readonly host: Host; readonly generation: number }

const hostOf = (host: DatabaseHost): Host => ({
  ...host, sockets: new Set(), generation: 0, failure: undefined, bytesRead: new WeakMap(), silentLooks: 0,
})

const placeAt = (host: Host): Place => ({ host, generation: host.generation })

/** The parts of knex's client that a connection to a chosen host needs. */
type RawClient = {
  connectionSettings: object
  acquireRawConnection: () => Promise<RawConnection>
  readonly destroyRawConnection: (connection: RawConnection) => Promise<unknown>
  readonly pool: { readonly numUsed: () => number; readonly numPendingCreates: () => number } | undefined
}

type RawConnection = DriverConnection & { readonly query: (sql: string, done: (error: Error | null, answer: unknown) => void) => unknown }

export type HostOptions = DatabaseHosts & {
  readonly dialect: DialectName
  /** The settings of a driver for the URL of one host. */
  readonly settingsOf: (url: string) => object
  readonly onHost?: OnHost | undefined
}

/**
 * Makes the pool of a knex instance open each connection to the first host that answers before the deadline and accepts writes.
 *
 * For a while, a failed host is tried only after all others. If a host refuses writes, it is no longer used: its connections finish their work and are not used again.
 * If a host sends nothing while callers wait, it is tried; if it does not answer, its connections are destroyed.
 */
export const connectToHosts = (
  knex: Knex, { hosts: given, mustTakeWrites, dialect, settingsOf, onHost = () => undefined }: HostOptions,
): HostConnections => {
  const client = knex.client as RawClient
  const openRaw = client.acquireRawConnection.bind(client)
  const [first, ...others] = [hostOf(given[0]), ...given.slice(1).map(hostOf)] as const
  const hosts = [first, ...others]
  const placeOf = new WeakMap<object, Place>()
  const pooled = new Map<string, Host>()
  let latest: Host | undefined
  let timer: NodeJS.Timeout | undefined

  const openTo = async (host: Host): Promise<RawConnection> => {
    const place = placeAt(host)
    let socket: Socket | undefined
    const cancel = new AbortController()
    const attempt = async (): Promise<RawConnection> => {
      // Knex reads the settings before its first wait, so no other attempt can change them in between.
      client.connectionSettings = { ...settingsOf(host.url), stream: (driver: DriverSettings) => (socket = makeSocket(dialect, driver)) }
      const opening = openRaw()
      socket?.once('close', () => { if (socket) host.sockets.delete(socket) })
      if (socket) host.sockets.add(socket)
      const connection = await opening
      if (mustTakeWrites) await checkTakesWrites(dialect, (sql) => ask(connection, sql))
      return connection
    }
    const late = async (): Promise<never> => {
      await delay(HOST_MS, undefined, { signal: cancel.signal })
      throw new HostFault('ETIMEDOUT', `it did not answer within ${HOST_MS} ms`)
    }
    try {
      const connection = await Promise.race([attempt(), late()])
      if (place.generation !== host.generation) throw new HostFault(codeOf(host.failure?.error) || 'ECONNRESET', 'it was left meanwhile')
      placeOf.set(connection, place)
      return connection
    } catch (error) {
      socket?.destroy()
      throw error
    } finally {
      cancel.abort()
    }
  }

  const fail = (host: Host, error: unknown): void => {
    const isNew = host.failure === undefined
    host.failure = { at: performance.now(), error }
    if (isNew) onHost({ host: host.name, fault: faultOf(host, error) })
  }
  const leave = (host: Host, error: unknown): void => {
    host.generation += 1
    fail(host, error)
  }
  const use = (host: Host): void => {
    const isNew = latest !== host || host.failure !== undefined
    host.failure = undefined
    latest = host
    if (isNew) onHost({ host: host.name })
  }

  const isAvoided = ({ failure }: Host): boolean => failure !== undefined && performance.now() - failure.at < AVOIDED_MS
  const isSilent = ({ failure }: Host): boolean => isUnreachable(failure?.error)
  const rank = (host: Host): number => (isAvoided(host) ? (isSilent(host) ? 2 : 1) : 0)

  const open = async (): Promise<RawConnection> => {
    const failures: Array<{ readonly host: Host; readonly error: unknown }> = []
    for (const host of hosts.toSorted((a, b) => rank(a) - rank(b))) {
      try {
        const connection = await openTo(host)
        use(host)
        return connection
      } catch (error) {
        fail(host, error)
        failures.push({ host, error })
      }
    }
    throw failures.length === 1 ? failures[0]?.error : new NoUsableHost(failures)
  }

  const touch = async (host: Host): Promise<void> => {
    const connection = await openTo(host)
    ignoreLateErrors(connection)
    client.destroyRawConnection(connection).catch(() => undefined)
  }

  const tryHost = async (host: Host): Promise<HostState> => {
    try {
      await touch(host)
      return { name: host.name, state: host.sockets.size > 1 ? 'used' : 'unused' }
    } catch (error) {
      return { name: host.name, state: 'failed', fault: faultOf(host, error) }
    }
  }

  /** Checks a silent host, and stops using it if it does not respond. */
  const examine = async (host: Host): Promise<void> => {
    try {
      await touch(host)
    } catch (error) {
      if (isUnreachable(error) || refusesWrites(error)) leave(host, error)
      if (isUnreachable(error)) for (const socket of host.sockets) socket.destroy()
    }
  }

  const look = (): void => {
    const isWaiting = client.pool !== undefined && client.pool.numUsed() + client.pool.numPendingCreates() > 0
    for (const host of hosts) {
      const hasAnswered = hasRead(host)
      host.silentLooks = isWaiting && host.sockets.size > 0 && !hasAnswered ? host.silentLooks + 1 : 0
      // The host answers the trial too, so the next trial starts only after further silence.
      if (host.silentLooks === SILENT_LOOKS) void examine(host)
    }
  }

  const mayChoose = hosts.length > 1 || mustTakeWrites
  if (mayChoose) {
    client.acquireRawConnection = open
    timer = setInterval(look, LOOK_MS).unref()
  }
  knex.on('query-error', (error: unknown, { __knexUid: uid = '' }: Partial<PooledConnection>) => {
    const host = pooled.get(uid)
    if (host === undefined || !refusesWrites(error)) return
    if (mayChoose) leave(host, error)
    else host.generation += 1
  })

  return {
    hasSeveral: others.length > 0,
    place: (connection) => {
      const place = placeOf.get(connection) ?? placeAt(first)
      placeOf.set(connection, place)
      pooled.set(connection.__knexUid, place.host)
      socketOf(connection)?.once('close', () => pooled.delete(connection.__knexUid))
    },
    isUsable: (connection) => {
      const place = placeOf.get(connection)
      return place === undefined || place.generation === place.host.generation
    },
    states: () => hosts.map(({ name, url, sockets, failure }) => ({
      name, state: failure !== undefined ? 'failed' : sockets.size > 0 ? 'used' : 'unused',
      ...(failure && { fault: faultOf({ url }, failure.error) }),
    })),
    tryAll: () => Promise.all(hosts.map(tryHost)),
    close: () => {
      clearInterval(timer)
      for (const { sockets } of hosts) for (const socket of sockets) socket.destroy()
    },
  }
}

/**
 * Whether a socket of a host has read anything since the last check. Each socket is checked separately, because a socket that was closed meanwhile is no
 * evidence about the host.
 */
const hasRead = ({ sockets, bytesRead }: Host): boolean => {
  const readers = Array.from(sockets).filter((socket) => socket.bytesRead > (bytesRead.get(socket) ?? 0))
  for (const socket of readers) bytesRead.set(socket, socket.bytesRead)
  return readers.length > 0
}

const faultOf = ({ url }: { readonly url: string }, error: unknown): string => connectionFault(url, error).fault

type DriverSettings = { readonly config?: { readonly host?: string; readonly port?: number; readonly socketPath?: string } }

/** The socket of a new connection, which is known before the server has answered. `pg` connects it itself. */
const makeSocket = (dialect: DialectName, { config: { host = '127.0.0.1', port = 3306 } = {} }: DriverSettings): Socket =>
  dialect === 'postgres' ? new Socket() : connect({ host, port, noDelay: true, keepAlive: true })

const ask = (connection: RawConnection, sql: string): Promise<unknown> =>
  new Promise((resolve, reject) => { connection.query(sql, (error, answer) => { if (error) reject(error); else resolve(answer) }) })
