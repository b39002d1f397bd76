import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { UnknownWorkspace } from '../../../core/kernel/workspace.js'
import { type Pricing, readPricing, type WorkspacePricing, writePricing } from '../../../core/money/pricing.js'
import { keptFor, portTasks, type ReadBatcher } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { execute, inList, insert, select } from '../engine/sql.js'
import type { TransactEvents } from '../events/entries.js'

/** How long a pricing is cached, in milliseconds, so that a send costs no query for it. */
const KEPT_MS = 2_000

/** How workspaces are priced, over SQL. */
export const makeWorkspacePricing = (
  { dialect }: Database, readBatcher: ReadBatcher, transactEvents: TransactEvents,
): WorkspacePricing => {
  const stored = readBatcher<string, O.Option<Pricing>>(async (reading, keys) => {
    const { sql, bindings } = inList(dialect, ['workspace_id'], Array.from(new Set(keys), (key) => [key]))
    const rows = await select(reading, `SELECT workspace_id, pricing FROM workspace_pricing WHERE ${sql}`, bindings)
    const found = new Map(rows.map((row) => [row['workspace_id'], readPricing(String(row['pricing']))]))
    return keys.map((key) => O.fromNullable(found.get(key)))
  })
  const kept = keptFor(KEPT_MS, stored)
  return {
    pricingOf: (workspace) => tasks.value(() => kept.get(workspace)),
    setPricing: (workspace, pricing, outboxEntries) => tasks.either(async () => {
      try {
        return await transactEvents(async (trx, emit): Promise<E.Either<UnknownWorkspace, void>> => {
          const [known] = await select(trx, `SELECT id FROM workspaces WHERE id = ? ${dialect.forUpdate}`, [workspace])
          if (known === undefined) return E.left({ _tag: 'UnknownWorkspace' })
          await execute(trx, 'DELETE FROM workspace_pricing WHERE workspace_id = ?', [workspace])
          if (pricing !== undefined) {
            await insert(trx, dialect, 'workspace_pricing', ['workspace_id', 'pricing'], [[workspace, writePricing(pricing)]])
          }
          emit(outboxEntries?.(workspace) ?? [])
          return E.right(undefined)
        })
      } finally {
        // A write that fails may have taken effect.
        kept.forget(workspace)
      }
    }),
  }
}

const tasks = portTasks('WorkspacePricing')
