import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import createKnex from 'knex'
import { uuidv7 } from 'uuidv7'
import { makeConsole } from '../../adapters/console/index.js'
import { fileForms } from '../../adapters/koa/index.js'
import { openStorage } from '../../adapters/knex/index.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { firstMessageIdAt, messageIdOf } from '../../core/messages/message.js'
import { makeRollUpMessages } from '../../core/messages/statistics.js'
import type { RateCard } from '../../core/money/rate-card.js'
import { OVERVIEW_RANGES } from '../../core/overview.js'
import type { TestServer } from '../support/databases.js'
import { listening } from '../support/listening.js'
import { done } from '../support/right-of.js'
import { administrationOf, membersOf } from '../support/use-cases.js'
import type { Cleanup } from './cleanup.js'
import { fillByNumber } from './fill-by-number.js'
import { percentile } from './load-result.js'
import type { Options } from './options.js'
import { benchServers } from './servers.js'
import { SECRET } from './tenants.js'

/** The time that the console needs for a page, and a list for its read, in milliseconds. */
export type ConsoleReport = {
  readonly database: string
  readonly messages: number
  /** The duration of the first roll-up without a pause, in seconds. */
  readonly roll_up_seconds: number
  readonly rows: ReadonlyArray<{ readonly name: string; readonly p50: number; readonly p99: number }>
}

const CARD: RateCard = {
  currency: 'USD' as Currency, effective: '2026-01-01', templateCategory: 'utility', markets: new Map(),
  default: { service: 0n, marketing: 50_000n, utility: 10_000n, authentication: 10_000n },
}
const REQUESTS = 100
const WARM_UP = 10
/** A person who requests more pages than the console allows at the same time waits, and the wait would be measured. */
const PAUSE_MS = 100
const ID_LENGTH = messageIdOf(uuidv7()).length
const FUNDS = 1_000_000_000_000n

/** Measures the overview and the list of messages with many messages. */
export const benchConsole = async (
  options: Options, cleanup: Cleanup, log: (line: string) => void,
): Promise<ReadonlyArray<ConsoleReport>> => {
  const { found } = await benchServers(cleanup, new Set(['MySQL', 'PostgreSQL']))
  const reports: ConsoleReport[] = []
  for (const server of found.filter(({ name }) => options.only?.test(name) ?? name === 'SQLite')) {
    reports.push(await measureOn(server, options.messages, cleanup, log))
  }
  return reports
}

const measureOn = async (server: TestServer, messages: number, cleanup: Cleanup, log: (line: string) => void): Promise<ConsoleReport> => {
  const database = await server.create()
  cleanup.defer(async () => database[Symbol.asyncDispose]())
  const storage = openStorage({ url: database.url, secret: SECRET })
  cleanup.defer(storage.close)
  await storage.migrate()
  const workspace = workspaceIdOf(uuidv7())
  await done(storage.workspaces.create({ id: workspace, name: 'bench', currency: 'USD' as Currency, createdAt: Date.now() }))
  await done(storage.ledger.topUp({ workspace, micros: FUNDS, reference: 'bench', at: Date.now() }))
  log(`filling ${server.name}`)
  const knex = createKnex(connectionTo(database.url))
  await fillByNumber(knex, workspace, messages, log).finally(() => knex.destroy())
  log('rolling up')
  const begun = performance.now()
  await done(makeRollUpMessages({ ...storage, now: Date.now })(() => Promise.resolve(true)))
  const seconds = (performance.now() - begun) / 1_000
  log(`rolled up in ${seconds.toFixed(1)} s`)

  const took = new Array<number>()
  const [administration, members] = [administrationOf(storage), membersOf(storage)]
  const never = (): never => { throw new TypeError('no template is read here') }
  const link = await done(members.inviteMember({ by: SYSTEM, email: 'bench@example.com', access: { _tag: 'Operator' } }))
  const { token } = await done(members.takeLink({ token: link.token, address: '127.0.0.1' }))
  const pages = makeConsole({
    postern: { ...administration, members, templates: { ...administration.templates, syncTemplates: never, syncByHand: never } },
    rateCard: () => CARD,
    newFormKey: uuidv7,
    fileForms,
    readSender: async () => E.left('no sender is looked at here'),
    summaryOf: () => '',
    isSecretSet: true,
    retentionDays: undefined,
    keptAMinute: { answered: 0, refused: 0 },
    observe: ({ status, durationMs }) => {
      if (status !== 200) throw new Error(`a page answered ${status}`)
      took.push(durationMs)
    },
  })
  const http = await listening(createServer((request, response) => void pages.handle(request, response)))
  cleanup.defer(http.close)
  const address = `${http.url}/console/workspaces/${workspace}`
  const headers = { Cookie: `postern_session=${token}`, Connection: 'close' }

  const measure = async (name: string, once: () => Promise<void>): Promise<ConsoleReport['rows'][number]> => {
    const ask = async (): Promise<void> => {
      await once()
      await delay(PAUSE_MS)
    }
    for (let index = 0; index < WARM_UP; index += 1) await ask()
    took.length = 0
    for (let index = 0; index < REQUESTS; index += 1) await ask()
    if (took.length < REQUESTS) throw new Error(`${name}: of ${REQUESTS} pages ${took.length} were answered with 200`)
    return { name, p50: percentile(took, 0.5), p99: percentile(took, 0.99) }
  }
  const rows: Array<ConsoleReport['rows'][number]> = []
  const deep = firstMessageIdAt(Date.now() - 60 * 86_400_000).padEnd(ID_LENGTH, '0')
  for (const [name, end] of [
    ...OVERVIEW_RANGES.map((range) => [`overview, ${range}`, `?range=${range}`] as const),
    ...pagesOfMessages(deep).map(([name, end]) => [`messages, ${name}`, `/messages${end}`] as const),
  ]) {
    rows.push(await measure(name, async () => { await (await fetch(`${address}${end}`, { headers })).text() }))
  }
  return { database: server.name, messages, roll_up_seconds: seconds, rows }
}

/** The pages of the list of messages, by the ends of their addresses. */
const pagesOfMessages = (deep: string): ReadonlyArray<readonly [string, string]> => [
  ['first page', ''], ['60 days deep', `?cursor=${deep}`], ['of one customer', '?to=491511000000'], ['in a frequent state', '?state=read'],
  ['in a rare state', '?state=unconfirmed'], ['in a state that none has', '?state=released'],
]

const connectionTo = (url: string) => {
  if (url.startsWith('sqlite:')) {
    return { client: 'better-sqlite3', useNullAsDefault: true, connection: { filename: url.slice('sqlite:'.length) } }
  }
  return url.startsWith('postgres')
    ? { client: 'pg', connection: url }
    : { client: 'mysql2', connection: url.replace(/^mariadb:/, 'mysql:') }
}

/** The report as text. */
export const consoleText = (reports: ReadonlyArray<ConsoleReport>): string => reports.map(({
  database, messages, roll_up_seconds, rows,
}) => [
  `${database}, ${messages.toLocaleString('en-US')} messages; the first roll-up took ${roll_up_seconds.toFixed(1)} s`,
  ...rows.map(({ name, p50, p99 }) => `  ${name.padEnd(32)} p50 ${p50.toFixed(1).padStart(9)} ms   p99 ${p99.toFixed(1).padStart(9)} ms`), '',
].join('\n')).join('\n')
