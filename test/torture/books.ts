import type * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Page, PageQuery } from '../../core/kernel/page.js'
import type { MessageRecord } from '../../core/messages/message.js'
import type { Entry } from '../../core/money/ledger.js'
import type { AlertState } from '../../core/money/wallet.js'
import { rightOf } from '../support/right-of.js'

/** The stored data of some workspaces. */
export type Books = {
  readonly messages: ReadonlyArray<MessageRecord>
  readonly entries: ReadonlyArray<Entry>
  readonly alerts: ReadonlyMap<WorkspaceId, AlertState>
  readonly audited: ReadonlyArray<AuditEntry>
}

/** Reads all messages, wallet entries, audit entries and alerts of some workspaces through their ports. */
export const readBooks = async (
  { messageLog, ledger, walletAlerts, auditLog }: KnexStorage, workspaces: ReadonlyArray<WorkspaceId>,
): Promise<Books> => {
  const messages: MessageRecord[] = []
  const entries: Entry[] = []
  const alerts = new Map<WorkspaceId, AlertState>()
  const audited: AuditEntry[] = []
  for (const workspace of workspaces) {
    messages.push(...await readAllPages((query) => messageLog.list(workspace, query)))
    entries.push(...await readAllPages((query) => ledger.statement(workspace, query)))
    audited.push(...await readAllPages((query) => auditLog.list({ ...query, workspace })))
    const found = rightOf(await walletAlerts.alertsOf(workspace))
    if (O.isSome(found)) alerts.set(workspace, found.value)
  }
  return { messages, entries, alerts, audited }
}

const readAllPages = async <Item>(page: (query: PageQuery) => Promise<E.Either<PortFailure, Page<Item>>>): Promise<ReadonlyArray<Item>> => {
  const items: Item[] = []
  let cursor: string | undefined
  do {
    const { items: more, next }: Page<Item> = rightOf(await page({ limit: 1_000, ...(cursor !== undefined && { cursor }) }))
    items.push(...more)
    cursor = next
  } while (cursor !== undefined)
  return items
}
