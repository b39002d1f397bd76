import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  type ApiKey, apiKeyIdIn, apiKeyOf, appliedChange, applyChange, attempt, type Balance, billedAs, changeByPart, changeHold, checkReplaceable, checkSpending, type Claim, type Claimed, claimStands, countedIdOf,
  type Currency, endOfReplaced, hasEnded, HOLD_STATES, type HoldChange, type HoldState, type InboundMark, type InboxId, isApiKeyId, isListed, isLookedAt, isMessageId, isWorkspaceId, keepsIdempotencyKey,
  KEY_ID_BYTES, KEY_SECRET_BYTES, type KeyStore, markInbound, type MessageId, type MessageLog, type MessageRecord, type MessageRef, type MintedKey, type MoveHold, type NewKey,
  openRecord, pageOf, portFailure, type PortFailure, readRecord, SCOPES, type Sender, type SenderDirectory, type SenderHealth, senderIdOf, spendingDay, sumBilled, type UnknownApiKey, type Wallet,
  type WindowClock, type WorkspaceId, writeRecord,
} from 'postern'

// Money is whole micros. A hold and its wallet change in one transaction, so the books are always exact.
const SCHEMA = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS wallet (workspace TEXT PRIMARY KEY, currency TEXT NOT NULL, available INTEGER NOT NULL, held INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE TABLE IF NOT EXISTS hold (workspace TEXT, message TEXT, micros INTEGER NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL, spending_key TEXT, day TEXT,
    PRIMARY KEY (workspace, message)) STRICT;
  CREATE INDEX IF NOT EXISTS still_held ON hold (message) WHERE state = 'held';
  CREATE INDEX IF NOT EXISTS spent ON hold (workspace, spending_key, day) WHERE spending_key IS NOT NULL;
  CREATE TABLE IF NOT EXISTS message (workspace TEXT, id TEXT, platform_id TEXT, state TEXT NOT NULL, created_at INTEGER NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (workspace, id)) STRICT;
  CREATE INDEX IF NOT EXISTS by_platform_id ON message (workspace, platform_id);
  CREATE INDEX IF NOT EXISTS by_state ON message (state, created_at);
  CREATE TABLE IF NOT EXISTS claim (workspace TEXT, key TEXT, message TEXT NOT NULL, at INTEGER NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (workspace, key)) STRICT;
  CREATE INDEX IF NOT EXISTS claim_of ON claim (workspace, message);
  CREATE TABLE IF NOT EXISTS inbound (workspace TEXT, customer TEXT, last INTEGER NOT NULL, stated INTEGER, PRIMARY KEY (workspace, customer)) STRICT;
  CREATE TABLE IF NOT EXISTS sender (workspace TEXT PRIMARY KEY, number TEXT NOT NULL UNIQUE, token BLOB NOT NULL, account TEXT, failing_since INTEGER) STRICT;
  CREATE TABLE IF NOT EXISTS api_key (id TEXT PRIMARY KEY, workspace TEXT NOT NULL, name TEXT NOT NULL, scopes TEXT NOT NULL, digest TEXT NOT NULL,
    created_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER, expires_at INTEGER, spending_limit INTEGER, spending_id TEXT, replaced_by TEXT) STRICT;
  CREATE INDEX IF NOT EXISTS keys_of ON api_key (workspace, created_at, id);
`

/** Opens the five storage ports of a send in a file. `secret` encrypts access tokens. */
export const openSqliteStorage = (path: string, secret: string, now: () => number = Date.now) => {
  const store = openStore(path)
  return {
    wallet: makeWallet(store), messageLog: makeMessageLog(store), windowClock: makeWindowClock(store, now), keyStore: makeKeyStore(store), ...makeSenders(store, secret),
    /** Opens a workspace with an available balance. */
    openWorkspace: (workspace: WorkspaceId, currency: Currency, micros: bigint): void =>
      store.run('INSERT INTO wallet (workspace, currency, available) VALUES (?, ?, ?)', workspace, currency, micros),
    balance: (workspace: WorkspaceId, currency: Currency): Balance | undefined => {
      const row = store.get('SELECT available, held FROM wallet WHERE workspace = ? AND currency = ?', workspace, currency)
      return row && { currency, available: integerIn(row, 'available'), held: integerIn(row, 'held') }
    },
    close: store.close,
  }
}

/** The tables are strict, so each column has its declared type. */
type Row = Readonly<Record<string, SQLOutputValue>>
type Store = ReturnType<typeof openStore>

const openStore = (path: string) => {
  const database = new DatabaseSync(path)
  database.exec(SCHEMA)
  const prepared = new Map<string, StatementSync>()
  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? database.prepare(sql)
    known.setReadBigInts(true) // A balance may exceed the safe integers of a number.
    prepared.set(sql, known)
    return known
  }
  const get = (sql: string, ...values: ReadonlyArray<SQLInputValue>): Row | undefined => statement(sql).get(...values)
  const each = (sql: string, ...values: ReadonlyArray<SQLInputValue>): Iterable<Row> => statement(sql).iterate(...values)
  const run = (sql: string, ...values: ReadonlyArray<SQLInputValue>): void => void statement(sql).run(...values)
  /** Runs work in a transaction that takes the lock before its first read. The calls are synchronous, so no other code of this process runs in between. */
  const transaction = <Result>(work: () => Result): Result => {
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      database.exec('COMMIT')
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
  /** Creates the answers of a port. If the work throws, nothing was written and the answer is a failure of the port. */
  const answersOf = (port: string) => <Result>(work: () => Result) => attempt(async () => transaction(work), portFailure(port))
  return { get, each, run, answersOf, close: () => database.close() }
}

const textIn = (row: Row, column: string): string => String(row[column])
const integerIn = (row: Row, column: string): bigint => BigInt(textIn(row, column))
const momentIn = (row: Row, column: string): number => Number(integerIn(row, column))
const optional = <Value>(read: (row: Row, column: string) => Value, row: Row, column: string): Value | undefined => (row[column] === null ? undefined : read(row, column))
const textOf = <Text extends string>(is: (text: string) => text is Text) => (row: Row, column: string): Text => {
  const text = textIn(row, column)
  if (is(text)) return text
  throw new TypeError(`The column ${column} has something else.`)
}
const [workspaceIn, messageIn, stateIn] =
  [textOf(isWorkspaceId), textOf(isMessageId), textOf((text): text is HoldState => HOLD_STATES.some((state) => state === text))]

const makeWallet = ({ get, each, run, answersOf }: Store): Wallet => {
  const answer = answersOf('Wallet')
  const holdOf = (workspace: WorkspaceId, message: MessageId): Row | undefined => get('SELECT * FROM hold WHERE workspace = ? AND message = ?', workspace, message)
  const move = (workspace: WorkspaceId, available: bigint, held: bigint): void =>
    run('UPDATE wallet SET available = available + ?, held = held + ? WHERE workspace = ?', available, held, workspace)
  const spentBy = (workspace: WorkspaceId, key: string, day: string): bigint => integerIn(
    get(`SELECT COALESCE(SUM(micros), 0) AS n FROM hold WHERE workspace = ? AND spending_key = ? AND day = ? AND state IN ('held', 'captured')`, workspace, key, day) ?? {}, 'n')

  const hold: (...of: Parameters<Wallet['hold']>) => Awaited<ReturnType<Wallet['hold']>> = ({ workspace, message, amount, at, spending }) => {
    const { micros, currency } = amount
    if (holdOf(workspace, message) !== undefined) return E.right(undefined)
    const wallet = get('SELECT available, held FROM wallet WHERE workspace = ? AND currency = ?', workspace, currency)
    if (wallet === undefined) return E.left(portFailure('Wallet')('the workspace has no wallet in that currency'))
    const [available, held, day] = [integerIn(wallet, 'available'), integerIn(wallet, 'held'), spendingDay(at)]
    if (available < micros) return E.left({ _tag: 'InsufficientBalance', required: micros, available, held, currency })
    const checked = spending ? checkSpending({ amount, limit: spending.limit, spent: spentBy(workspace, spending.key, day), at }) : E.right(undefined)
    if (E.isLeft(checked)) return checked
    run(`INSERT INTO hold VALUES (?, ?, ?, 'held', ?, ?, ?)`, workspace, message, micros, at, spending?.key ?? null, day)
    move(workspace, -micros, micros)
    return E.right(undefined)
  }

  const moneyIn = (row: Row) => ({ state: stateIn(row, 'state'), micros: integerIn(row, 'micros') })
  const write = (row: Row, change: HoldChange | undefined): HoldState => {
    if (change === undefined) return stateIn(row, 'state')
    run('UPDATE hold SET state = ?, micros = ? WHERE workspace = ? AND message = ?', change.state, change.micros, workspaceIn(row, 'workspace'), messageIn(row, 'message'))
    move(workspaceIn(row, 'workspace'), change.available, change.held)
    return change.state
  }
  const withHold = <Result>({ workspace, message }: Pick<Parameters<MoveHold>[0], 'workspace' | 'message'>, work: (row: Row) => Result) => {
    const row = holdOf(workspace, message)
    return row && work(row)
  }
  const settle = (to: Parameters<typeof changeHold>[1]): MoveHold => (of) => answer(() => withHold(of, (row) => write(row, changeHold(moneyIn(row), to))))

  return {
    hold: async (price) => E.flatten(await answer(() => hold(price))),
    capture: settle('capture'),
    capturePart: async (of) => E.flattenW(await answer(() =>
      withHold(of, (row) => E.map((change: HoldChange | undefined) => write(row, change))(changeByPart(moneyIn(row), of.micros))) ?? E.right(undefined))),
    release: settle('release'),
    refund: settle('refund'),
    holdOf: (of) => answer(() => withHold(of, (row) => stateIn(row, 'state'))),
    stale: ({ before, limit, cursor = '' }) => answer(() => {
      const rows = each(`SELECT workspace, message FROM hold WHERE state = 'held' AND at < ? AND message > ? ORDER BY message LIMIT ?`, before, cursor, limit + 1)
      return pageOf(Array.from(rows, (row) => ({ workspace: workspaceIn(row, 'workspace'), message: messageIn(row, 'message') })), limit, ({ message }) => message)
    }),
  }
}

const makeMessageLog = ({ get, each, run, answersOf }: Store): MessageLog => {
  const answer = answersOf('MessageLog')
  const foundBy = (column: string, workspace: WorkspaceId, id: string) =>
    O.map(recordIn)(O.fromNullable(get(`SELECT record FROM message WHERE workspace = ? AND ${column} = ?`, workspace, id)))
  const find = (workspace: WorkspaceId, by: MessageRef) => ('id' in by ? foundBy('id', workspace, by.id) : foundBy('platform_id', workspace, by.platformId))
  const guardedBy = (workspace: WorkspaceId, { key, request }: Claim, at: number): Claimed | undefined => {
    const claim = get('SELECT message, at, digest FROM claim WHERE workspace = ? AND key = ?', workspace, key)
    const by = claim && O.toUndefined(foundBy('id', workspace, messageIn(claim, 'message')))
    if (!claim || !by || !claimStands(at, momentIn(claim, 'at'), by.state)) return undefined
    return { _tag: 'Claimed', by, sameRequest: textIn(claim, 'digest') === digestOf(request) }
  }
  return {
    open: (draft) => answer(() => {
      const { id, workspace, claim, at } = draft
      const guarded = claim && guardedBy(workspace, claim, at)
      if (guarded !== undefined) return guarded
      run('INSERT INTO message VALUES (?, ?, NULL, ?, ?, ?)', workspace, id, 'pending', at, writeRecord(openRecord(draft)))
      if (claim) run('INSERT OR REPLACE INTO claim VALUES (?, ?, ?, ?, ?)', workspace, claim.key, id, at, digestOf(claim.request))
      return { _tag: 'Opened' }
    }),
    claimed: (workspace, claim, at) => answer(() => O.fromNullable(guardedBy(workspace, claim, at))),
    apply: (workspace, id, change) => answer(() => O.map((before: MessageRecord) => {
      const after = applyChange(before, change)
      run('UPDATE message SET state = ?, platform_id = ?, record = ? WHERE workspace = ? AND id = ?', after.state, after.platformId ?? null, writeRecord(after), workspace, id)
      if (!keepsIdempotencyKey(after.state)) run('DELETE FROM claim WHERE workspace = ? AND message = ?', workspace, id)
      return appliedChange(after)
    })(foundBy('id', workspace, id))),
    find: (workspace, by) => answer(() => find(workspace, by)),
    // Ids sort by time. The cursor is the id of the last message on the page, or of the last message examined.
    list: (workspace, { limit, oldestFirst = false, cursor = oldestFirst ? '' : 'n', look = Infinity, ...query }) => answer(() => {
      const [items, looked]: [MessageRecord[], MessageRecord[]] = [[], []]
      const [after, order] = oldestFirst ? ['>', 'ASC'] : ['<', 'DESC']
      for (const row of each(`SELECT record FROM message WHERE workspace = ? AND id ${after} ? ORDER BY id ${order}`, workspace, cursor)) {
        const record = recordIn(row)
        if (!isLookedAt(query, record)) continue
        if (looked.length === look) return { items, next: looked.at(-1)?.id }
        looked.push(record)
        if (!isListed(query, record)) continue
        if (items.length === limit) return { items, next: items.at(-1)?.id }
        items.push(record)
      }
      return { items, next: undefined }
    }),
    stale: ({ state, before, limit }) => answer(() => Array.from(
      each('SELECT workspace, id FROM message WHERE state = ? AND created_at < ? ORDER BY created_at, id LIMIT ?', state, before, limit),
      (row) => ({ workspace: workspaceIn(row, 'workspace'), id: messageIn(row, 'id') }))),
    billed: (period) => answer(() => sumBilled(Array.from(each('SELECT record FROM message'), recordIn).filter(({ createdAt }) => period === undefined || (period.from <= createdAt && createdAt < period.until)).map(billedAs).filter((one) => one !== undefined))),
  }
}

const makeWindowClock = ({ get, run, answersOf }: Store, now: () => number): WindowClock => {
  const answer = answersOf('WindowClock')
  const markOf = (workspace: InboxId, customer: string): InboundMark | undefined => {
    const row = get('SELECT last, stated FROM inbound WHERE workspace = ? AND customer = ?', workspace, customer)
    return row && { lastInbound: momentIn(row, 'last'), statedAt: optional(momentIn, row, 'stated') }
  }
  return {
    now,
    lastInbound: (workspace, customer) => answer(() => O.fromNullable(markOf(workspace, customer)?.lastInbound)),
    recordInbound: (workspace, customer, at, statedAt) => answer(() => {
      const id = countedIdOf(customer)
      const mark = id && markInbound(markOf(workspace, id), at, statedAt)
      if (mark) run('INSERT OR REPLACE INTO inbound VALUES (?, ?, ?, ?)', workspace, id, mark.lastInbound, mark.statedAt ?? null)
    }),
  }
}

const makeSenders = ({ get, run, answersOf }: Store, secret: string) => {
  const [answer, key] = [answersOf('Senders'), createHash('sha256').update(secret).digest()]
  const seal = (text: string): Uint8Array => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  }
  const unseal = (bytes: Uint8Array): string => {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(-16))
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString()
  }
  const senderIn = (row: Row): Sender => {
    const [accessToken, failingSince] = [row['token'] instanceof Uint8Array ? unseal(row['token']) : '', optional(momentIn, row, 'failing_since')]
    return { phoneNumberId: senderIdOf(textIn(row, 'number')), accessToken, businessAccountId: optional(textIn, row, 'account'), ...(failingSince !== undefined && { failingSince }) }
  }
  const senders: SenderDirectory & SenderHealth = {
    senderOf: (workspace, named) => answer(() => O.filter(({ phoneNumberId }: Sender) => named === undefined || named === phoneNumberId)(
      O.map(senderIn)(O.fromNullable(get('SELECT * FROM sender WHERE workspace = ?', workspace))))),
    ownerOf: (sender) => answer(() => O.map((row: Row) => {
      const workspace = workspaceIn(row, 'workspace')
      return { workspace, sender, inbox: workspace }
    })(O.fromNullable(get('SELECT workspace FROM sender WHERE number = ?', sender)))),
    noteHealth: ({ workspace, sender }, isFailing, at) => answer(() => get('UPDATE sender SET failing_since = ? WHERE workspace = ? AND number = ? AND (failing_since IS NULL) = ? RETURNING workspace',
      isFailing ? at : null, workspace, sender, isFailing ? 1 : 0) !== undefined),
  }
  /** Assigns a sender to a workspace and replaces an earlier one. If the phone number id is unchanged, the health is kept. Throws if another workspace has that id. */
  const assign = (workspace: WorkspaceId, { phoneNumberId, accessToken, businessAccountId }: Sender): void => run(
    `INSERT INTO sender VALUES (?, ?, ?, ?, NULL) ON CONFLICT (workspace) DO UPDATE SET number = excluded.number, token = excluded.token, account = excluded.account,
      failing_since = CASE WHEN number = excluded.number THEN failing_since END`, workspace, phoneNumberId, seal(accessToken), businessAccountId ?? null)
  return { senders, assign }
}

const UNKNOWN: E.Either<UnknownApiKey, never> = E.left({ _tag: 'UnknownApiKey' })

const makeKeyStore = ({ get, each, run, answersOf }: Store): KeyStore => {
  const answer = answersOf('KeyStore')
  const trying = async <Failure, Result>(work: () => E.Either<Failure, Result>): Promise<E.Either<Failure | PortFailure, Result>> => E.flattenW(await answer(work))
  const rowOf = (id: string): Row | undefined => (isApiKeyId(id) ? get('SELECT * FROM api_key WHERE id = ?', id) : undefined)
  const make = ({ workspace, name, scopes, at, expiresAt, spendingLimit }: NewKey, spendingId?: string): MintedKey => {
    const id = randomBytes(KEY_ID_BYTES).toString('hex')
    const key = apiKeyOf(id, randomBytes(KEY_SECRET_BYTES).toString('hex'))
    run('INSERT INTO api_key VALUES (?, ?, ?, ?, ?, ?, NULL, NULL, ?, ?, ?, NULL)',
      id, workspace, name, scopes.join(' '), digestOf(key), at, expiresAt ?? null, spendingLimit ?? null, spendingId ?? null)
    return { id, key }
  }
  return {
    principalOf: (presented, at) => trying(() => {
      const row = rowOf(apiKeyIdIn(presented) ?? '')
      if (row === undefined || textIn(row, 'digest') !== digestOf(presented)) return UNKNOWN
      const key = keyIn(row)
      if (hasEnded(key, at)) return UNKNOWN
      // The port allows the last use to be up to a minute out of date.
      run('UPDATE api_key SET last_used_at = ? WHERE id = ? AND COALESCE(last_used_at, 0) <= ? - 30000', at, key.id, at)
      return E.right({ _tag: 'Key', workspace: key.workspace, key: key.id, name: key.name, scopes: key.scopes, ...limitsOf(key), ...(row['spending_id'] !== null && { spendingId: textIn(row, 'spending_id') }) })
    }),
    mint: (key) => trying(() => (get('SELECT 1 FROM wallet WHERE workspace = ?', key.workspace) ? E.right(make(key)) : E.left({ _tag: 'UnknownWorkspace' }))),
    rotate: (id, rotation) => trying(() => {
      const row = rowOf(id)
      if (row === undefined) return UNKNOWN
      const key = keyIn(row)
      const [replaceable, replacedEndsAt] = [checkReplaceable(key, rotation.at), endOfReplaced(key, rotation)]
      if (E.isLeft(replaceable)) return replaceable
      const minted = make({ workspace: key.workspace, name: key.name, scopes: key.scopes, at: rotation.at, ...limitsOf(key) }, optional(textIn, row, 'spending_id') ?? id)
      run('UPDATE api_key SET replaced_by = ?, expires_at = ?, revoked_at = ? WHERE id = ?', minted.id, replacedEndsAt, rotation.overlapMs === 0 ? rotation.at : null, id)
      return E.right({ ...minted, replacedEndsAt })
    }),
    find: (id) => answer(() => O.map(keyIn)(O.fromNullable(rowOf(id)))),
    list: (workspace) => answer(() => Array.from(each('SELECT * FROM api_key WHERE workspace = ? ORDER BY created_at, id', workspace), keyIn)),
    revoke: (id, at) => trying(() => {
      run('UPDATE api_key SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?', at, id)
      return rowOf(id) === undefined ? UNKNOWN : E.right(undefined)
    }),
  }
}

const keyIn = (row: Row): ApiKey => ({
  id: textIn(row, 'id'), workspace: workspaceIn(row, 'workspace'), name: textIn(row, 'name'), createdAt: momentIn(row, 'created_at'),
  scopes: SCOPES.filter((scope) => textIn(row, 'scopes').split(' ').includes(scope)), lastUsedAt: optional(momentIn, row, 'last_used_at'),
  revokedAt: optional(momentIn, row, 'revoked_at'), expiresAt: optional(momentIn, row, 'expires_at'),
  spendingLimit: optional(integerIn, row, 'spending_limit'), replacedBy: optional(textIn, row, 'replaced_by'),
})

const limitsOf = ({ expiresAt, spendingLimit }: ApiKey): Pick<NewKey, 'expiresAt' | 'spendingLimit'> =>
  ({ ...(expiresAt !== undefined && { expiresAt }), ...(spendingLimit !== undefined && { spendingLimit }) })

const recordIn = (row: Row): MessageRecord => readRecord(textIn(row, 'record'))

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
