import { type Page, pageOf } from '../../core/kernel/json.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import {
  type CatalogueState, faultedState, type NamedTemplates, type TemplateCatalogue, templateCursor, templatePlace, type TemplateQuery,
} from '../../core/templates/catalogue.js'
import type { TemplateDiff, TemplateRecord } from '../../core/templates/template.js'
import { makeBatcher } from './batcher.js'
import { inList } from './bulk-sql.js'
import { applyTemplateChanges, type TemplateChangeItem } from './change-templates.js'
import type { Database } from './database.js'
import type { Dialect } from './dialect.js'
import { lockCatalogue, replaceTemplates, stateIn, type TemplateList } from './list-templates.js'
import { portTasks } from './port-tasks.js'
import type { ReadBatcher } from './read-batcher.js'
import { type Bound, execute, instantOrNone, type Queryable, type Row, select } from './sql.js'
import { storableText } from './storable-text.js'
import { templateIn } from './template-rows.js'
import type { TransactEvents } from './transact-events.js'
import { transact } from './transact.js'

/** The catalogue of templates over SQL. Every write locks the row of its account first, so that no two writes can each wait for a row of the other. */
export const makeTemplateCatalogue = (database: Database, readBatcher: ReadBatcher, transactEvents: TransactEvents): TemplateCatalogue => {
  const { db, dialect } = database
  const named = readBatcher<NameKey, NamedTemplates>((reading, keys) => readNamed(reading, dialect, keys))
  // Changes have transactions of their own: in those of the group commit, sends would wait until a long list is written.
  const changes = makeBatcher<TemplateChangeItem, boolean>((items, signal) =>
    transactEvents((trx, emit) => applyTemplateChanges(trx, dialect, items, emit), { signal }))
  const replace = (list: TemplateList, along: Along<ReadonlyArray<TemplateDiff>> | undefined): Promise<void> =>
    transactEvents(async (trx, emit) => {
      const changed = await replaceTemplates(trx, dialect, list)
      if (along !== undefined && changed.length > 0) emit(along(changed))
    })
  return {
    find: (accountId, name) => tasks.value(() => named({ accountId, name })),
    list: (accountId, query) => tasks.value(() => list(db, accountId, query)),
    names: (accountId) =>
      tasks.value(async () => {
        const rows = await select(db, 'SELECT DISTINCT name FROM templates WHERE account_id = ? ORDER BY name', [accountId])
        return rows.map(({ name }) => String(name))
      }),
    replaceAll: (accountId, listed, at, along) => tasks.value(() => replace({ accountId, name: undefined, listed, at }, along)),
    replaceNamed: (accountId, name, listed, at, along) => tasks.value(() => replace({ accountId, name, listed, at }, along)),
    change: (accountId, change, along) => tasks.value(() => changes.load({ accountId, change, along })),
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

/** The most characters of a fault that are kept. */
const FAULT_LENGTH = 1_000

/** One statement reads the templates and the moment of the list, so that they belong together. */
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
    // MySQL uses the key for the first of these conditions alone.
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
