import { consentsToErase, type ErasedIds } from '../../../core/consent/asking.js'
import {
  type Consent, type ConsentFact, type ConsentItem, type ConsentRules, type Consents, type ConsentSettings, type ConsentsQuery,
  type ConsentStatus, type ConsentTopic, type CustomerConsent, ERASED_SOURCE, factsIn,
  type EntriesOfItem, laterConsent, type ListedConsent, MAX_SOURCE_LENGTH,
  mergeConsents,
  NO_CONSENT, type OptOut, type RecordedConsent,
} from '../../../core/consent/consent.js'
import type { OptOutWords } from '../../../core/consent/words.js'
import { type CustomerId, idsOf, recordKeyOf } from '../../../core/customers/customer.js'
import { pageOf } from '../../../core/kernel/page.js'
import type { OutboxEntry } from '../../../core/kernel/outbox.js'
import { MAX_NOTE_LENGTH } from '../../../core/kernel/text.js'
import { keptFor, portTasks, type Read, type ReadBatcher } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { type Dialect, storableText } from '../engine/dialect.js'
import { execute, inList, insert, instant, type Queryable, type Row, select, textOrNone, together } from '../engine/sql.js'
import type { TransactEvents } from '../events/entries.js'

/** The digest that replaces the key of an erased person. */
export type DigestOfKey = (workspace: string, key: string) => string

/** How long the rules of a workspace are cached, in milliseconds, so that a send costs no query for them. */
const KEPT_MS = 2_000

/** What customers allowed and stopped, over SQL. Without a secret there are no erased persons, and `digestOf` is absent. */
export const makeConsents = (
  { db, dialect }: Database, readBatcher: ReadBatcher, transactEvents: TransactEvents, digestOf: DigestOfKey | undefined,
): Consents => {
  const stored = readBatcher<ConsentKey, CustomerConsent>((reading, keys) => readConsents(reading, dialect, keys, digestOf))
  const rules = keptFor(KEPT_MS, readBatcher(readRules))
  return {
    find: (workspace, ids) => tasks.value(() => Promise.all(ids.map((id) => stored({ workspace, key: recordKeyOf(id) })))),
    record: (workspace, items, outboxEntries) => tasks.value(async () => {
      try {
        return await transactEvents(async (trx, emit) => {
          const known = await lockConsents(trx, dialect, keysOf(workspace, items, digestOf))
          const step = recordStep(known, { workspace, items, outboxEntries, digestOf })
          await together([
            insert(trx, dialect, 'consents', COLUMNS, step.changed, dialect.upsert(KEY, COLUMNS.slice(KEY.length))),
            insert(trx, dialect, 'consents', COLUMNS, step.added, '', 'another transaction has recorded the consent'),
            insert(trx, dialect, 'consent_history', COLUMNS, step.facts, '', 'another transaction has recorded the consent'),
          ])
          emit(step.entries)
          return step.recorded
        })
      } finally {
        // A write that fails may have taken effect.
        rules.forget(workspace)
      }
    }),
    history: (workspace, id, limit) => tasks.value(async () => {
      const rows = await select(
        db, 'SELECT * FROM consent_history WHERE workspace_id = ? AND customer_key = ? ORDER BY since DESC, status DESC, topic LIMIT ?',
        [workspace, recordKeyOf(id), limit],
      )
      return rows.map(factIn)
    }),
    list: (workspace, query) => tasks.value(() => listConsents(db, workspace, query)),
    rules: (workspace) => tasks.value(() => rules.get(workspace)),
    set: (workspace, change, outboxEntries) => tasks.value(async () => {
      try {
        return await transactEvents(async (trx, emit) => {
          await insert(
            trx, dialect, 'consent_settings', ['workspace_id', 'marketing_needs_consent'], [[workspace, 0]],
            dialect.insertIgnore('consent_settings', ['workspace_id'], 'marketing_needs_consent'),
          )
          const [row = {}] = await select(trx, `SELECT * FROM consent_settings WHERE workspace_id = ? ${dialect.forUpdate}`, [workspace])
          const settings = { ...settingsIn(row), ...change }
          await execute(
            trx, 'UPDATE consent_settings SET marketing_needs_consent = ?, topic = ?, words = ?, reply = ? WHERE workspace_id = ?',
            [...settingValues(settings), workspace],
          )
          emit(outboxEntries?.(settings) ?? [])
          return settings
        })
      } finally {
        rules.forget(workspace)
      }
    }),
  }
}

const KEY = ['workspace_id', 'customer_key', 'topic'] as const
const COLUMNS = [...KEY, 'since', 'status', 'source', 'note']

type ConsentKey = { readonly workspace: string; readonly key: string }

const nameOf = ({ workspace, key }: ConsentKey): string => `${workspace} ${key}`

/** The keys under which the consent of an id may be stored: its own, and the digest that replaced it when the person was erased. */
const placesOf = ({ workspace, key }: ConsentKey, digestOf: DigestOfKey | undefined): ReadonlyArray<ConsentKey> =>
  [{ workspace, key }, ...(digestOf === undefined ? [] : [{ workspace, key: digestOf(workspace, key) }])]

const consentsIn = (rows: ReadonlyArray<Row>): Map<string, CustomerConsent> => {
  const found = new Map<string, CustomerConsent>()
  for (const row of rows) {
    const [name, { topic, ...consent }] = [`${row['workspace_id']} ${row['customer_key']}`, factIn(row)]
    found.set(name, { ...found.get(name), [topic]: consent })
  }
  return found
}

const readConsents = async (
  db: Queryable, dialect: Dialect, keys: ReadonlyArray<ConsentKey>, digestOf: DigestOfKey | undefined,
): Promise<ReadonlyArray<CustomerConsent>> => {
  const places = new Map(keys.flatMap((key) => placesOf(key, digestOf)).map((place) => [nameOf(place), place]))
  const { sql, bindings } = inList(
    dialect, ['workspace_id', 'customer_key'], Array.from(places.values(), ({ workspace, key }) => [workspace, key]),
  )
  const found = consentsIn(await select(db, `SELECT * FROM ${dialect.byPrimaryKey('consents')} WHERE ${sql}`, bindings))
  return keys.map((key) => mergeConsents(placesOf(key, digestOf).map((place) => found.get(nameOf(place)) ?? NO_CONSENT)))
}

/** The rows are locked in the order of their keys, so that two gateways do not wait for each other. */
const lockConsents = async (
  trx: Queryable, dialect: Dialect, keys: ReadonlyArray<ConsentKey>,
): Promise<ReadonlyMap<string, CustomerConsent>> => {
  if (keys.length === 0) return new Map()
  const { sql, bindings } = inList(dialect, ['workspace_id', 'customer_key'], keys.map(({ workspace, key }) => [workspace, key]))
  return consentsIn(await select(
    trx,
    `SELECT * FROM ${dialect.byPrimaryKey('consents')} WHERE ${sql} ORDER BY workspace_id, customer_key, topic ${dialect.forUpdate}`,
    bindings,
  ))
}

const keysOf = (workspace: string, items: ReadonlyArray<ConsentItem>, digestOf: DigestOfKey | undefined): ReadonlyArray<ConsentKey> => {
  const keys = items.flatMap(({ ids }) => ids).flatMap((id) => placesOf({ workspace, key: recordKeyOf(id) }, digestOf))
  return [...new Map(keys.map((key) => [nameOf(key), key]))].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key)
}

type RecordQuery = {
  readonly workspace: string
  readonly items: ReadonlyArray<ConsentItem>
  readonly outboxEntries: EntriesOfItem | undefined
  readonly digestOf: DigestOfKey | undefined
}

type ConsentRow = ReadonlyArray<string | number | null>

/** What recording facts changes: rows that exist, new rows, rows of the history, and the entries. */
type RecordStep = {
  readonly recorded: ReadonlyArray<RecordedConsent>
  readonly changed: ReadonlyArray<ConsentRow>
  readonly added: ReadonlyArray<ConsentRow>
  readonly facts: ReadonlyArray<ConsentRow>
  readonly entries: ReadonlyArray<OutboxEntry>
}

const recordStep = (
  stored: ReadonlyMap<string, CustomerConsent>, { workspace, items, outboxEntries, digestOf }: RecordQuery,
): RecordStep => {
  const known = new Map(stored)
  const [rows, facts, entries] = [new Map<string, ConsentRow>(), new Map<string, ConsentRow>(), new Array<OutboxEntry>()]
  const isStored = new Set(Array.from(stored, ([name, consent]) => Object.keys(consent).map((topic) => `${name} ${topic}`)).flat())
  const knownOf = (key: string): CustomerConsent =>
    mergeConsents(placesOf({ workspace, key }, digestOf).map((place) => known.get(nameOf(place)) ?? NO_CONSENT))
  const recorded = items.map((item): RecordedConsent => {
    const { fact: { topic, ...given }, onlyIfUnknown } = item
    const fact: Consent = storable(given)
    const keys = [...new Set(item.ids.map(recordKeyOf))]
    const before = mergeConsents(keys.map(knownOf))[topic]
    if (before !== undefined && onlyIfUnknown) return { before, after: before }
    for (const key of keys) {
      const own = knownOf(key)[topic]
      const after = laterConsent(own, fact)
      if (after === own) continue
      const name = nameOf({ workspace, key })
      known.set(name, { ...known.get(name), [topic]: after })
      const row = rowOf(workspace, key, { topic, ...after })
      rows.set(`${name} ${topic}`, row)
      facts.set(row.slice(0, KEY.length + 2).join(' '), row)
    }
    const result = { before, after: mergeConsents(keys.map(knownOf))[topic] ?? fact }
    if (result.after.status !== before?.status) entries.push(...outboxEntries?.(item)?.(result) ?? [])
    return result
  })
  const ofKind = (wanted: boolean) => [...rows].filter(([name]) => isStored.has(name) === wanted).map(([, row]) => row)
  return { recorded, changed: ofKind(true), added: ofKind(false), facts: [...facts.values()], entries }
}

const storable = ({ source, note, ...consent }: Consent): Consent => ({
  ...consent, source: storableText(source, MAX_SOURCE_LENGTH), ...(note !== undefined && { note: storableText(note, MAX_NOTE_LENGTH) }),
})

const rowOf = (workspace: string, key: string, { topic, since, status, source, note }: ConsentFact): ConsentRow =>
  [workspace, key, topic, since, status, source, note ?? null]

const factIn = (row: Row): ConsentFact => {
  const note = textOrNone(row['note'])
  return {
    topic: String(row['topic']) as ConsentTopic, status: String(row['status']) as ConsentStatus, since: instant(row['since']),
    source: String(row['source']), ...(note !== undefined && { note }),
  }
}

/** What begins the key of an erased person. */
const ERASED = 'forgotten.'

const listConsents = async (db: Queryable, workspace: string, { topic, status, cursor, limit }: ConsentsQuery) => {
  const [after = '', from = ''] = cursor?.split(' ') ?? []
  const rows = await select(
    db,
    `SELECT * FROM consents WHERE workspace_id = ? AND (customer_key > ? OR (customer_key = ? AND topic > ?))
     AND customer_key NOT LIKE '${ERASED}%' ${topic === undefined ? '' : 'AND topic = ?'} ${status === undefined ? '' : 'AND status = ?'} ORDER BY customer_key, topic LIMIT ?`,
    [workspace, after, after, from, ...(topic === undefined ? [] : [topic]), ...(status === undefined ? [] : [status]), limit + 1],
  )
  const listed = rows.map((row): ListedConsent => ({ id: String(row['customer_key']) as CustomerId, ...factIn(row) }))
  return pageOf(listed, limit, (one) => `${one.id} ${one.topic}`)
}

/** One query for each workspace, which ends at the first withdrawal. */
const readRules: Read<string, ConsentRules> = (db, workspaces) => Promise.all(workspaces.map(async (workspace) => {
  const [row = {}] = await select(
    db,
    `SELECT s.*, (SELECT c.status FROM consents c WHERE c.workspace_id = ? AND c.status = 'withdrawn' LIMIT 1) AS withdrawn
     FROM (SELECT 1 AS one) AS x LEFT JOIN consent_settings s ON s.workspace_id = ?`,
    [workspace, workspace],
  )
  return { ...settingsIn(row), hasWithdrawals: row['withdrawn'] !== null && row['withdrawn'] !== undefined }
}))

const settingsIn = (row: Row): ConsentSettings => {
  const [topic, words, reply] = ['topic', 'words', 'reply'].map((column) => textOrNone(row[column]))
  const optOut: OptOut | undefined = topic === undefined || words === undefined
    ? undefined
    : { topic: topic as ConsentTopic, words: JSON.parse(words) as OptOutWords, ...(reply !== undefined && { reply }) }
  return { marketingNeedsConsent: Number(row['marketing_needs_consent'] ?? 0) === 1, ...(optOut !== undefined && { optOut }) }
}

const settingValues = ({ marketingNeedsConsent, optOut }: ConsentSettings): ReadonlyArray<string | number | null> =>
  [Number(marketingNeedsConsent), optOut?.topic ?? null, optOut === undefined ? null : JSON.stringify(optOut.words), optOut?.reply ?? null]

/** Erases a person's consents. What the person stopped is kept under a digest, so that no import brings the person back. */
export const eraseConsents = async (
  trx: Queryable, dialect: Dialect, workspace: string, person: ReadonlyArray<ErasedIds>, digestOf: DigestOfKey,
): Promise<void> => {
  const keys = [...new Set(person.flatMap(idsOf).map(recordKeyOf))]
  const places = keys.flatMap((key) => placesOf({ workspace, key }, digestOf))
  const known = await lockConsents(trx, dialect, places)
  const consentOfKey = (key: string): CustomerConsent =>
    mergeConsents(placesOf({ workspace, key }, digestOf).map((place) => known.get(nameOf(place)) ?? NO_CONSENT))
  const kept = [...consentsToErase(person, consentOfKey)].flatMap(([key, consent]) => factsIn(consent).flatMap(({ topic, status, since }) =>
    (status === 'withdrawn' ? [rowOf(workspace, digestOf(workspace, key), { topic, status, since, source: ERASED_SOURCE })] : [])))
  const { sql, bindings } = inList(dialect, ['customer_key'], places.map(({ key }) => [key]))
  await execute(trx, `DELETE FROM consents WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
  await execute(trx, `DELETE FROM consent_history WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
  await insert(trx, dialect, 'consents', COLUMNS, kept)
}

const tasks = portTasks('Consents')
