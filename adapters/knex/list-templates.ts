import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Instant } from '../../core/kernel/time.js'
import { type CatalogueState, listedState, NEVER_LISTED, templateCursor } from '../../core/templates/catalogue.js'
import { isCatalogued, isGone, listedTemplate, type Template, type TemplateDiff, type TemplateRecord } from '../../core/templates/template.js'
import { inList, insert } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { type Bound, execute, instant, instantOrNone, type Queryable, type Row, select, textOrNone } from './sql.js'
import { changeIn, LISTED_COLUMNS, listedValues, MOMENT_COLUMNS, momentValues, placeIn, templateIn } from './template-rows.js'

/** A list of an account's templates, or of those of one name, as it was at a moment. */
export type TemplateList = {
  readonly accountId: string
  readonly name: string | undefined
  readonly listed: ReadonlyArray<Template>
  readonly at: Instant
}

/**
 * Takes in a list in the caller's transaction, and answers with the known templates that have changed. Templates of a whole list that are stored as it has
 * them are not written: `templateIn` knows their moments.
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
    // The statements of SQLite are synchronous, so a long list would keep the process from everything else.
    await nextTurn()
  }
  if (name === undefined) await writeState(trx, accountId, listedState(state, at))
  return changed
}

/** Locks the row of an account, which it adds if there is none, and returns its state. */
export const lockCatalogue = async (trx: Queryable, dialect: Dialect, accountId: string): Promise<CatalogueState> => {
  const set = `account_id = ${dialect.inserted('account_id')}`
  const upsert = dialect.name === 'mysql' ? `ON DUPLICATE KEY UPDATE ${set}` : `ON CONFLICT (account_id) DO UPDATE SET ${set}`
  await insert(trx, dialect, 'template_catalogues', ['account_id'], [[accountId]], upsert)
  return stateIn((await select(trx, 'SELECT * FROM template_catalogues WHERE account_id = ?', [accountId]))[0])
}

/**
 * Locks the templates that are read, for a Galera node: it does not tell the others that the row of the account is locked, but it fails a transaction of which
 * another node has changed a locked row.
 */
export const lockForNodes = ({ name, forUpdate }: Dialect): string => (name === 'mysql' ? forUpdate : '')

/** The state in a row of `template_catalogues`. */
export const stateIn = (row: Row | undefined): CatalogueState => {
  if (row === undefined) return NEVER_LISTED
  const [sentence, at] = [textOrNone(row['fault']), instantOrNone(row['fault_at'])]
  return { listedAt: instantOrNone(row['listed_at']), fault: sentence === undefined || at === undefined ? undefined : { sentence, at } }
}

/** Writes records whose rows are locked by that of their account, in place of those with the same keys. */
export const writeTemplates = async (trx: Queryable, dialect: Dialect, accountId: string, records: ReadonlyArray<TemplateRecord>): Promise<void> => {
  for (const chunk of chunksBySize(records.map((record) => [accountId, record.name, record.language, ...listedValues(record), ...momentValues(record)]))) {
    await insert(trx, dialect, 'templates', [...KEY, ...OTHERS], chunk, replace(dialect))
  }
}

const KEY = ['account_id', 'name', 'language'] as const
const OTHERS = [...LISTED_COLUMNS, ...MOMENT_COLUMNS]

/** The most rows of one statement, and the most characters of their values: MySQL refuses statements of more than some megabytes. */
const CHUNK_ROWS = 200
const CHUNK_LENGTH = 1_000_000

const deleteGone = async (trx: Queryable, dialect: Dialect, { accountId, name, at }: TemplateList, listed: ReadonlyMap<string, Template>): Promise<void> => {
  const rows = await select(trx, `SELECT name, language, listed_at FROM templates WHERE ${scope(name)} ${lockForNodes(dialect)}`, scopeOf(accountId, name))
  const places = rows.map((row) => ({ ...placeIn(row), listedAt: instant(row['listed_at']) }))
  const gone = places.filter((place) => !listed.has(templateCursor(place)) && isGone(place, at))
  for (const chunk of chunksOf(gone, CHUNK_ROWS)) {
    const { sql, bindings } = inList(dialect, ['name', 'language'], chunk.map((place) => [place.name, place.language]))
    await execute(trx, `DELETE FROM templates WHERE account_id = ? AND ${sql}`, [accountId, ...bindings])
  }
}

const writeListed = async (
  trx: Queryable, dialect: Dialect, { accountId, name: only, at }: TemplateList, listed: ReadonlyArray<Template>, listedBefore: Instant | undefined,
): Promise<ReadonlyArray<TemplateDiff>> => {
  const { sql, bindings } = inList(dialect, ['name'], Array.from(new Set(listed.map(({ name }) => name)), (name) => [name]))
  const rows = await select(trx, `SELECT * FROM templates WHERE account_id = ? AND ${sql} ${lockForNodes(dialect)}`, [accountId, ...bindings])
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

const scopeOf = (accountId: string, name: string | undefined): ReadonlyArray<Bound> => (name === undefined ? [accountId] : [accountId, name])

/** The account's row is locked, so each new value may replace the stored one. */
const replace = (dialect: Dialect): string => {
  const set = OTHERS.map((column) => `${column} = ${dialect.inserted(column)}`).join(', ')
  return dialect.name === 'mysql' ? `ON DUPLICATE KEY UPDATE ${set}` : `ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${set}`
}

/** Whether a template is listed as it is stored. Then the rule changes no more than its moments, and its components need not be parsed. */
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
