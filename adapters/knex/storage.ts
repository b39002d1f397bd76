import { setTimeout as delay } from 'node:timers/promises'
import type { KeyStore } from '../../core/ports/key-store.js'
import type { Ledger } from '../../core/ports/ledger.js'
import type { MessageLog } from '../../core/ports/message-log.js'
import type { Senders } from '../../core/ports/senders.js'
import type { Wallet } from '../../core/ports/wallet.js'
import type { WindowClock } from '../../core/ports/window-clock.js'
import type { Workspaces } from '../../core/ports/workspaces.js'
import type { Instant } from '../../core/time.js'
import { openDatabase } from './database.js'
import { makeGroupCommit } from './group-commit.js'
import { makeKeyStore } from './key-store.js'
import { takeLease } from './lease.js'
import { makeLedger } from './ledger.js'
import { makeMessageLog } from './message-log.js'
import { migrate, schemaVersion, type Migrated } from './migrate.js'
import { STEPS } from './schema.js'
import { makeSecretBox } from './secret-box.js'
import { makeSenders } from './senders.js'
import { makeWallet } from './wallet.js'
import { makeWindowClock } from './window-clock.js'
import { makeWorkspaces } from './workspaces.js'

/** Every storage port over one SQL database. */
export type KnexStorage = {
  readonly wallet: Wallet
  readonly ledger: Ledger
  readonly keyStore: KeyStore
  readonly messageLog: MessageLog
  readonly senders: Senders
  readonly workspaces: Workspaces
  readonly windowClock: WindowClock
  /** Brings the database up to date; rejects with a sentence where it is newer than this program. */
  readonly migrate: () => Promise<Migrated>
  /** Whether the database answers and is up to date, with one sentence for each reason why not. */
  readonly readiness: () => Promise<Readiness>
  /** Takes or renews a lease for so many milliseconds; `false` where another holder has it. */
  readonly lease: (name: string, holder: string, ttlMs: number) => Promise<boolean>
  /** Waits for what is being written, then closes every connection. */
  readonly close: () => Promise<void>
}

/** Whether something can serve, with one sentence for each reason why not. */
export type Readiness = { readonly ready: boolean; readonly reasons: ReadonlyArray<string> }

/** Which database, and how it is used. */
export type KnexStorageOptions = {
  /** `sqlite:PATH`, `mysql://…` or `postgres://…`. */
  readonly url: string
  /** Encrypts senders' access tokens; without it none can be stored or read. */
  readonly secret: string | undefined
  /** The most writes that share a transaction; 256 where absent, 1 for one transaction per write. */
  readonly cohort?: number
  /** The clock; the machine's own where absent. */
  readonly now?: () => Instant
}

/** How long the database may take to say that it is there, in milliseconds. */
const READINESS_MS = 3_000

/** Opens a database; nothing is connected before the first call. Throws an `Error` with a sentence where the URL is not one. */
export const openStorage = ({ url, secret, cohort, now = Date.now }: KnexStorageOptions): KnexStorage => {
  const database = openDatabase(url)
  const groupCommit = makeGroupCommit(database, cohort === undefined ? {} : { width: cohort })
  return {
    wallet: makeWallet(database, groupCommit),
    ledger: makeLedger(database),
    keyStore: makeKeyStore(database, groupCommit),
    messageLog: makeMessageLog(database, groupCommit),
    senders: makeSenders(database, makeSecretBox(secret)),
    workspaces: makeWorkspaces(database),
    windowClock: makeWindowClock(database, groupCommit, now),
    migrate: () => migrate(database),
    readiness,
    lease: (name, holder, ttlMs) => takeLease(database, { name, holder, now: now(), ttlMs }),
    close: async () => {
      await groupCommit.idle()
      await database.knex.destroy()
    },
  }

  async function readiness(): Promise<Readiness> {
    const giveUp = new AbortController()
    const late = delay(READINESS_MS, { ready: false, reasons: ['the database does not answer'] }, { signal: giveUp.signal, ref: false })
    try {
      return await Promise.race([check(), late])
    } finally {
      late.catch(() => undefined)
      giveUp.abort()
    }
  }

  async function check(): Promise<Readiness> {
    try {
      const version = await schemaVersion(database.knex)
      if (version === STEPS.length) return { ready: true, reasons: [] }
      return { ready: false, reasons: [`the database is at version ${version}, this program wants ${STEPS.length}`] }
    } catch {
      return { ready: false, reasons: ['the database cannot be reached'] }
    }
  }
}
