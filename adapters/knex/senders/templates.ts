import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseExactJson } from '../../../core/kernel/exact-json.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { type Page, pageOf } from '../../../core/kernel/page.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { Instant } from '../../../core/kernel/time.js'
import {
  type CatalogueState, faultedState, listedState, type NamedTemplates, NEVER_LISTED, type TemplateCatalogue, templateCursor,
  type TemplatePlace, templatePlace, type TemplateQuery,
} from '../../../core/templates/catalogue.js'
import {
  changedTemplate, hasChanged, isCatalogued, isGone, listedTemplate, type Template, type TemplateChange, type TemplateDiff,
  type TemplateRecord,
} from '../../../core/templates/template.js'
import { makeBatcher, portTasks, type ReadBatcher } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import { type Dialect, storableText } from '../engine/dialect.js'
import { type Bound, execute, inList, insert, instant, instantOrNone, type Queryable, type Row, select, textOrNone } from '../engine/sql.js'
import type { Emit, TransactEvents } from '../events/entries.js'

/** The columns for the platform's list entry of a template, apart from its name and language. */
export const LISTED_COLUMNS = ['template_id', 'category', 'status', 'quality', 'parameter_format', 'components'] as const

/** The times of a template's parts. */
export const MOMENT_COLUMNS = ['listed_at', 'status_at', 'category_at', 'quality_at'] as const

/** The values of `LISTED_COLUMNS`. */
export const listedValues = ({ id, category, status, quality, parameterFormat, components }: Template): ReadonlyArray<Bound> => [
  word(id), word(category), word(status), quality === undefined ? null : word(quality), parameterFormat ?? null,
  components === undefined ? null : JSON.stringify(components),
]

/** The values of `MOMENT_COLUMNS`. */
export const momentValues = ({ listedAt, statusAt, categoryAt, qualityAt }: TemplateRecord): ReadonlyArray<Bound> =>
  [listedAt, statusAt, categoryAt, qualityAt]

/** The name and language of a row of `templates`. */
export const placeIn = (row: Row): TemplatePlace => ({ name: String(row['name']), language: String(row['language']) })

/**
 * The record of a row of `templates`. `listedAt` is when the whole list of its account was last read: no part of a template is older than that, so a list writes only
 * the templates that it changes.
 */
export const templateIn = (row: Row, listedAt: Instant | undefined): TemplateRecord => ({
  id: String(row['template_id']),
  ...placeIn(row),
  category: String(row['category']),
  status: String(row['status']),
  quality: textOrNone(row['quality']),
  parameterFormat: textOrNone(row['parameter_format']) as Template['parameterFormat'],
  components: typeof row['components'] === 'string' ? (parseExactJson(row['components']) as ReadonlyArray<JsonObject>) : undefined,
  listedAt: latest(row['listed_at'], listedAt),
  statusAt: latest(row['status_at'], listedAt),
  categoryAt: latest(row['category_at'], listedAt),
  qualityAt: latest(row['quality_at'], listedAt),
})

/** The stored difference, if the platform has changed any of the values that `hasChanged` compares; otherwise none. Stored words may be shorter than the given ones. */
export const changeIn = ({ before, after }: TemplateDiff): ReadonlyArray<TemplateDiff> => {
  const { category, status, quality } = after
  const stored = {
    before, after: { ...after, category: word(category), status: word(status), quality: quality === undefined ? undefined : word(quality) },
  }
  return hasChanged(stored) ? [stored] : []
}

const latest = (own: Row[string] | undefined, listedAt: Instant | undefined): Instant => Math.max(instant(own), listedAt ?? 0)

/** The length of the columns of the platform's words. */
const WORD_LENGTH = 255

const word = (text: string): string => storableText(text, WORD_LENGTH)

/** A list of an account's templates, or of the templates of one name, as of a given time. */
export type TemplateList = {
  readonly accountId: string
  readonly name: string | undefined
  readonly listed: ReadonlyArray<Template>
  readonly at: Instant
}

/**
 * Stores a list in the caller's transaction, and returns the known templates that have changed. Templates that a whole list repeats unchanged are not written:
 * `templateIn` knows their times.
 */
export const replaceTemplates = async (trx: Queryable, dialect: Dialect, list: TemplateList): Promise<ReadonlyArray<TemplateDiff>> => {
  const { accountId, name, at } = list
  const state = await lockCatalogue(trx, dialect, accountId)
  if (at < (state.listedAt ?? at)) return []
  const meant = list.listed.filter((template) => isCatalogued(template) && (name === undefined || template.name === name))
  const listed = new Map(meant.map((template) => [templateCursor(template), template]))
  await deleteGone(trx, dialect, list, listed)
  const changed: TemplateDiff[] = []
  for (const chunk of chunksOf([...listed.values()], CHUNK_ROWS)) {
    changed.push(...(await writeListed(trx, dialect, list, chunk, state.listedAt)))
    // The statements of SQLite are synchronous, so a long list would block the process.
    await nextTurn()
  }
  if (name === undefined) await writeState(trx, accountId, listedState(state, at))
  return changed
}

/** Locks the row of an account, which it adds if it does not exist, and returns its state. */
export const lockCatalogue = async (trx: Queryable, dialect: Dialect, accountId: string): Promise<CatalogueState> => {
  await insert(trx, dialect, 'template_catalogues', ['account_id'], [[accountId]], dialect.upsert(['account_id'], ['account_id']))
  return stateIn((await select(trx, 'SELECT * FROM template_catalogues WHERE account_id = ?', [accountId]))[0])
}

/**
 * Locks the templates that are read, for a Galera node: it does not report the lock on the account's row to the other nodes, but it fails a transaction if another node
 * has changed a row that the transaction has locked.
 */
export const lockForNodes = ({ name, forUpdate }: Dialect): string => (name === 'mysql' ? forUpdate : '')

/** The state in a row of `template_catalogues`. */
export const stateIn = (row: Row | undefined): CatalogueState => {
  if (row === undefined) return NEVER_LISTED
  const [sentence, at] = [textOrNone(row['fault']), instantOrNone(row['fault_at'])]
  return { listedAt: instantOrNone(row['listed_at']), fault: sentence === undefined || at === undefined ? undefined : { sentence, at } }
}

/** Writes records whose rows are protected by the lock of their account's row. They replace records with the same keys. */
export const writeTemplates = async (
  trx: Queryable, dialect: Dialect, accountId: string, records: ReadonlyArray<TemplateRecord>,
): Promise<void> => {
  for (const chunk of chunksBySize(
    records.map((record) => [accountId, record.name, record.language, ...listedValues(record), ...momentValues(record)]),
  )) {
    await insert(trx, dialect, 'templates', [...KEY, ...OTHERS], chunk, replace(dialect))
  }
}

const KEY = ['account_id', 'name', 'language'] as const
const OTHERS = [...LISTED_COLUMNS, ...MOMENT_COLUMNS]

/** The maximum number of rows of one statement, and of characters of their values: MySQL refuses statements of more than some megabytes. */
const CHUNK_ROWS = 200
const CHUNK_LENGTH = 1_000_000

const deleteGone = async (
  trx: Queryable, dialect: Dialect, { accountId, name, at }: TemplateList, listed: ReadonlyMap<string, Template>,
): Promise<void> => {
  const rows = await select(
    trx, `SELECT name, language, listed_at FROM templates WHERE ${scope(name)} ${lockForNodes(dialect)}`, scopeOf(accountId, name),
  )
  const places = rows.map((row) => ({ ...placeIn(row), listedAt: instant(row['listed_at']) }))
  const gone = places.filter((place) => !listed.has(templateCursor(place)) && isGone(place, at))
  for (const chunk of chunksOf(gone, CHUNK_ROWS)) {
    const { sql, bindings } = inList(dialect, ['name', 'language'], chunk.map((place) => [place.name, place.language]))
    await execute(trx, `DELETE FROM templates WHERE account_id = ? AND ${sql}`, [accountId, ...bindings])
  }
}

const writeListed = async (
  trx: Queryable, dialect: Dialect, { accountId, name: only, at }: TemplateList, listed: ReadonlyArray<Template>,
  listedBefore: Instant | undefined,
): Promise<ReadonlyArray<TemplateDiff>> => {
  const { sql, bindings } = inList(dialect, ['name'], Array.from(new Set(listed.map(({ name }) => name)), (name) => [name]))
  const rows = await select(
    trx, `SELECT * FROM templates WHERE account_id = ? AND ${sql} ${lockForNodes(dialect)}`, [accountId, ...bindings],
  )
  const stored = new Map(rows.map((row) => [templateCursor(placeIn(row)), row]))
  const written = listed.flatMap((template) => {
    const row = stored.get(templateCursor(template))
    if (row !== undefined && only === undefined && isStoredAs(row, template)) return []
    const before = row && templateIn(row, listedBefore)
    return [{ before, after: listedTemplate(before, template, at) }]
  })
  await writeTemplates(trx, dialect, accountId, written.map(({ after }) => after))
  return written.flatMap(({ before, after }) => (before === undefined ? [] : changeIn({ before, after })))
}

const writeState = async (trx: Queryable, accountId: string, { listedAt, fault }: CatalogueState): Promise<void> => {
  await execute(
    trx, 'UPDATE template_catalogues SET listed_at = ?, fault = ?, fault_at = ? WHERE account_id = ?',
    [listedAt ?? null, fault?.sentence ?? null, fault?.at ?? null, accountId],
  )
}

const scope = (name: string | undefined): string => (name === undefined ? 'account_id = ?' : 'account_id = ? AND name = ?')

const scopeOf = (accountId: string, name: string | undefined): ReadonlyArray<Bound> =>
  name === undefined ? [accountId] : [accountId, name]

/** The account's row is locked, so each new value may replace the stored one. */
const replace = (dialect: Dialect): string => dialect.upsert(KEY, OTHERS)

/** Whether a template is listed as it is stored. Then the rule changes only its times, and its components need not be parsed. */
const isStoredAs = (row: Row, template: Template): boolean =>
  listedValues(template).every((value, index) => value === (textOrNone(row[LISTED_COLUMNS[index] ?? '']) ?? null))

const chunksOf = <Item>(items: ReadonlyArray<Item>, size: number): ReadonlyArray<ReadonlyArray<Item>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

const chunksBySize = (rows: ReadonlyArray<ReadonlyArray<Bound>>): ReadonlyArray<ReadonlyArray<ReadonlyArray<Bound>>> => {
  const chunks: Array<Array<ReadonlyArray<Bound>>> = []
  let length = Infinity
  for (const row of rows) {
    const own = row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0)
    if (length + own > CHUNK_LENGTH || (chunks.at(-1)?.length ?? CHUNK_ROWS) >= CHUNK_ROWS) {
      chunks.push([])
      length = 0
    }
    chunks.at(-1)?.push(row)
    length += own
  }
  return chunks
}

/** A change of one template of an account, and the entries that are stored together with it. */
export type TemplateChangeItem = {
  readonly accountId: string
  readonly change: TemplateChange
  readonly outboxEntries: MakeOutboxEntries<ReadonlyArray<TemplateDiff>> | undefined
}

/**
 * Changes templates in the caller's transaction, and returns for each change whether the catalogue contains its template. The accounts are locked in the order of their
 * ids.
 */
export const applyTemplateChanges = async (
  trx: Queryable, dialect: Dialect, items: ReadonlyArray<TemplateChangeItem>, emit: Emit,
): Promise<ReadonlyArray<boolean>> => {
  const accounts = Array.from(new Set(items.map(({ accountId }) => accountId)), (accountId) => [accountId])
  const locked = inList(dialect, ['account_id'], accounts)
  const catalogues = await select(
    trx, `SELECT account_id, listed_at FROM template_catalogues WHERE ${locked.sql} ORDER BY account_id ${dialect.forUpdate}`,
    locked.bindings,
  )
  const listedAt = new Map(catalogues.map((row) => [String(row['account_id']), instantOrNone(row['listed_at'])]))

  const keys = new Map(
    items.map((item) => [changeKeyOf(item.accountId, item.change), [item.accountId, item.change.name, item.change.language]]),
  )
  const { sql, bindings } = inList(dialect, ['account_id', 'name', 'language'], [...keys.values()])
  const rows = await select(trx, `SELECT * FROM templates WHERE ${sql} ${lockForNodes(dialect)}`, bindings)
  const before = new Map(rows.map((row) => {
    const accountId = String(row['account_id'])
    return [changeKeyOf(accountId, placeIn(row)), templateIn(row, listedAt.get(accountId))]
  }))
  const after = new Map(before)
  const answers = items.map(({ accountId, change, outboxEntries }) => {
    const record = after.get(changeKeyOf(accountId, change))
    if (record === undefined) return false
    const changed = changedTemplate(record, change)
    after.set(changeKeyOf(accountId, change), changed)
    const changes = outboxEntries === undefined ? [] : changeIn({ before: record, after: changed })
    if (outboxEntries !== undefined && changes.length > 0) emit(outboxEntries(changes))
    return true
  })
  for (const [accountId] of accounts) {
    const ofAccount = [...after].filter(([key, record]) => keys.get(key)?.[0] === accountId && record !== before.get(key))
    await writeTemplates(trx, dialect, accountId ?? '', ofAccount.map(([, record]) => record))
  }
  return answers
}

const changeKeyOf = (accountId: string, place: Pick<TemplateRecord, 'name' | 'language'>): string => `${accountId} ${templateCursor(place)}`

/** The catalogue of templates over SQL. Every write locks the row of its account first, so that two writes can never wait for each other's rows. */
export const makeTemplateCatalogue = (database: Database, readBatcher: ReadBatcher, transactEvents: TransactEvents): TemplateCatalogue => {
  const { db, dialect } = database
  const named = readBatcher<NameKey, NamedTemplates>((reading, keys) => readNamed(reading, dialect, keys))
  // Changes have separate transactions: in those of the group commit, sends would wait until a long list is written.
  const changes = makeBatcher<TemplateChangeItem, boolean>((items, signal) =>
    transactEvents((trx, emit) => applyTemplateChanges(trx, dialect, items, emit), { signal }))
  const replace = (list: TemplateList, outboxEntries: MakeOutboxEntries<ReadonlyArray<TemplateDiff>> | undefined): Promise<void> =>
    transactEvents(async (trx, emit) => {
      const changed = await replaceTemplates(trx, dialect, list)
      if (outboxEntries !== undefined && changed.length > 0) emit(outboxEntries(changed))
    })
  return {
    find: (accountId, name) => tasks.value(() => named({ accountId, name })),
    list: (accountId, query) => tasks.value(() => list(db, accountId, query)),
    names: (accountId) =>
      tasks.value(async () => {
        const rows = await select(db, 'SELECT DISTINCT name FROM templates WHERE account_id = ? ORDER BY name', [accountId])
        return rows.map(({ name }) => String(name))
      }),
    replaceAll: (accountId, listed, at, outboxEntries) =>
      tasks.value(() => replace({ accountId, name: undefined, listed, at }, outboxEntries)),
    replaceNamed: (accountId, name, listed, at, outboxEntries) =>
      tasks.value(() => replace({ accountId, name, listed, at }, outboxEntries)),
    change: (accountId, change, outboxEntries) => tasks.value(() => changes.load({ accountId, change, outboxEntries })),
    noteFault: (accountId, sentence, at) =>
      tasks.value(() => transact(database, async (trx) => {
        const { fault } = faultedState(await lockCatalogue(trx, dialect, accountId), { sentence: storableText(sentence, FAULT_LENGTH), at })
        const values = [fault?.sentence ?? null, fault?.at ?? null, accountId]
        await execute(trx, 'UPDATE template_catalogues SET fault = ?, fault_at = ? WHERE account_id = ?', values)
      })),
    stateOf: (accountId) => tasks.value(() => stateOf(db, accountId)),
  }
}

type NameKey = { readonly accountId: string; readonly name: string }

/** The maximum number of stored characters of a fault. */
const FAULT_LENGTH = 1_000

/** One statement reads the templates and the time of the list, so that they belong together. */
const readNamed = async (db: Queryable, dialect: Dialect, keys: ReadonlyArray<NameKey>): Promise<ReadonlyArray<NamedTemplates>> => {
  const [accounts, names] = [distinct(keys.map(({ accountId }) => accountId)), distinct(keys.map(({ name }) => name))]
  const [ofAccount, ofName] = [inList(dialect, ['c.account_id'], accounts), inList(dialect, ['t.name'], names)]
  const rows = await select(
    db,
    `SELECT c.account_id AS catalogue_id, c.listed_at AS catalogue_listed_at, t.* FROM template_catalogues c
     LEFT JOIN templates t ON t.account_id = c.account_id AND ${ofName.sql} WHERE ${ofAccount.sql} ORDER BY t.language`,
    [...ofName.bindings, ...ofAccount.bindings],
  )
  const [listedAt, templates] = [new Map<string, Instant | undefined>(), new Map<string, TemplateRecord[]>()]
  for (const row of rows) {
    const [accountId, at] = [String(row['catalogue_id']), instantOrNone(row['catalogue_listed_at'])]
    listedAt.set(accountId, at)
    if (row['name'] === null) continue
    const record = templateIn(row, at)
    const key = keyOf({ accountId, name: record.name })
    const others = templates.get(key)
    if (others === undefined) templates.set(key, [record])
    else others.push(record)
  }
  return keys.map((key) => ({ templates: templates.get(keyOf(key)) ?? [], listedAt: listedAt.get(key.accountId) }))
}

const keyOf = ({ accountId, name }: NameKey): string => JSON.stringify([accountId, name])

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<readonly [string]> => Array.from(new Set(texts), (text) => [text])

const list = async (db: Queryable, accountId: string, { name, cursor, limit }: TemplateQuery): Promise<Page<TemplateRecord>> => {
  const after = cursor === undefined ? undefined : templatePlace(cursor)
  const conditions: ReadonlyArray<readonly [string, ReadonlyArray<Bound>]> = [
    ['t.account_id = ?', [accountId]],
    ...(name === undefined ? [] : [['t.name = ?', [name]] as const]),
    // MySQL uses the key only for the first of these conditions.
    ...(after === undefined ? [] : [['t.name >= ? AND (t.name > ? OR t.language > ?)', [after.name, after.name, after.language]] as const]),
  ]
  const rows = await select(
    db,
    `SELECT t.*, c.listed_at AS catalogue_listed_at FROM templates t JOIN template_catalogues c ON c.account_id = t.account_id
     WHERE ${conditions.map(([sql]) => sql).join(' AND ')} ORDER BY t.name, t.language LIMIT ?`,
    [...conditions.flatMap(([, values]) => values), limit + 1],
  )
  return pageOf(rows.map((row) => templateIn(row, instantOrNone(row['catalogue_listed_at']))), limit, templateCursor)
}

const stateOf = async (db: Queryable, accountId: string): Promise<CatalogueState> => {
  const rows: ReadonlyArray<Row> = await select(db, 'SELECT * FROM template_catalogues WHERE account_id = ?', [accountId])
  return stateIn(rows[0])
}

const tasks = portTasks('TemplateCatalogue')
