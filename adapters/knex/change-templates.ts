import type { Along } from '../../core/kernel/outbox.js'
import { templateCursor } from '../../core/templates/catalogue.js'
import { changedTemplate, type TemplateChange, type TemplateDiff, type TemplateRecord } from '../../core/templates/template.js'
import { inList } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { lockForNodes, writeTemplates } from './list-templates.js'
import { instantOrNone, type Queryable, select } from './sql.js'
import { changeIn, placeIn, templateIn } from './template-rows.js'
import type { Emit } from './transact-events.js'

/** A change of one template of an account, and what becomes durable together with it. */
export type TemplateChangeItem = {
  readonly accountId: string
  readonly change: TemplateChange
  readonly along: Along<ReadonlyArray<TemplateDiff>> | undefined
}

/**
 * Changes templates in the caller's transaction, and answers for each change whether the catalogue has its template. The accounts are locked in the order of
 * their ids.
 */
export const applyTemplateChanges = async (
  trx: Queryable, dialect: Dialect, items: ReadonlyArray<TemplateChangeItem>, emit: Emit,
): Promise<ReadonlyArray<boolean>> => {
  const accounts = Array.from(new Set(items.map(({ accountId }) => accountId)), (accountId) => [accountId])
  const locked = inList(dialect, ['account_id'], accounts)
  const catalogues = await select(
    trx, `SELECT account_id, listed_at FROM template_catalogues WHERE ${locked.sql} ORDER BY account_id ${dialect.forUpdate}`, locked.bindings,
  )
  const listedAt = new Map(catalogues.map((row) => [String(row['account_id']), instantOrNone(row['listed_at'])]))

  const keys = new Map(items.map((item) => [keyOf(item.accountId, item.change), [item.accountId, item.change.name, item.change.language]]))
  const { sql, bindings } = inList(dialect, ['account_id', 'name', 'language'], [...keys.values()])
  const rows = await select(trx, `SELECT * FROM templates WHERE ${sql} ${lockForNodes(dialect)}`, bindings)
  const before = new Map(rows.map((row) => {
    const accountId = String(row['account_id'])
    return [keyOf(accountId, placeIn(row)), templateIn(row, listedAt.get(accountId))]
  }))
  const after = new Map(before)
  const answers = items.map(({ accountId, change, along }) => {
    const record = after.get(keyOf(accountId, change))
    if (record === undefined) return false
    const changed = changedTemplate(record, change)
    after.set(keyOf(accountId, change), changed)
    const changes = along === undefined ? [] : changeIn({ before: record, after: changed })
    if (along !== undefined && changes.length > 0) emit(along(changes))
    return true
  })
  for (const [accountId] of accounts) {
    const ofAccount = [...after].filter(([key, record]) => keys.get(key)?.[0] === accountId && record !== before.get(key))
    await writeTemplates(trx, dialect, accountId ?? '', ofAccount.map(([, record]) => record))
  }
  return answers
}

const keyOf = (accountId: string, place: Pick<TemplateRecord, 'name' | 'language'>): string => `${accountId} ${templateCursor(place)}`
