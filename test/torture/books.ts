import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Entry } from '../../core/ports/ledger.js'
import type { MessageRecord } from '../../core/ports/message-log.js'
import type { Page, PageQuery } from '../../core/page.js'
import type { PortFailure } from '../../core/errors.js'
import type { WorkspaceId } from '../../core/workspace.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { rightOf } from '../support/gateway.js'

/** Reads every message and every wallet entry of some workspaces through their ports. */
export const readBooks = async (
  { messageLog, ledger }: KnexStorage, workspaces: ReadonlyArray<WorkspaceId>,
): Promise<{ readonly messages: ReadonlyArray<MessageRecord>; readonly entries: ReadonlyArray<Entry> }> => {
  const messages: MessageRecord[] = []
  const entries: Entry[] = []
  for (const workspace of workspaces) {
    messages.push(...await readAllPages((query) => messageLog.list(workspace, query)))
    entries.push(...await readAllPages((query) => ledger.statement(workspace, query)))
  }
  return { messages, entries }
}

const readAllPages = async <Item>(page: (query: PageQuery) => TaskEither<PortFailure, Page<Item>>): Promise<ReadonlyArray<Item>> => {
  const items: Item[] = []
  let cursor: string | undefined
  do {
    const { items: more, next }: Page<Item> = rightOf(await page({ limit: 1_000, ...(cursor !== undefined && { cursor }) })())
    items.push(...more)
    cursor = next
  } while (cursor !== undefined)
  return items
}
