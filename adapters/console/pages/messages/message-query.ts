import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import type { ListMessagesQuery } from '../../../../core/messages/message-log.js'
import type { MessageId, MessageRecord, MessageState } from '../../../../core/messages/message.js'
import type { UnknownSender } from '../../../../core/senders/sender.js'
import type { UsesOf } from '../../gateway.js'
import { type Filters, NOT_SENT } from './message-filters.js'

/** How many messages are read for a page whose filter has no index: reading them takes about 20 ms. */
export const LOOKED_AT_ONCE = 5_000

/** A query for messages, possibly of two states, and of a number. */
export type FilteredQuery = Omit<ListMessagesQuery, 'sender' | 'state'> & Pick<Filters, 'sender' | 'state'>

/**
 * Lists messages of one state or, as `NOT_SENT`, of two. Two lists are merged, because storage lists one state. A cursor is the id of a message, so both lists continue
 * after the same one. If a list has a `next`, its older messages are not known yet, so the merged page ends there.
 */
export const listFiltered =
  ({ listMessages, filterBySender }: Pick<UsesOf<'messages'>, 'filterBySender' | 'listMessages'>) =>
  async (
    workspace: WorkspaceId, { state, sender: named, oldestFirst, ...query }: FilteredQuery,
  ): Promise<E.Either<UnknownSender | PortFailure, ListPage<MessageRecord>>> => {
    const sender = named === undefined ? E.right(undefined) : await filterBySender({ workspace, sender: named })
    if (E.isLeft(sender)) return sender
    const order = oldestFirst && { oldestFirst }
    const list = (of: MessageState | undefined) => listMessages(workspace, { ...query, ...order, sender: sender.right, state: of })
    const isBefore = (a: MessageId, b: MessageId): boolean => (oldestFirst === true ? a < b : a > b)
    if (state !== NOT_SENT) return list(state)
    const [failed, refused] = await Promise.all([list('failed'), list('refused')])
    if (E.isLeft(failed)) return failed
    if (E.isLeft(refused)) return refused
    const ends = [failed.right.next, refused.right.next].filter((next) => next !== undefined).sort()
    const end = ends.at(oldestFirst === true ? 0 : -1)
    const known = [...failed.right.items, ...refused.right.items].filter(({ id }) => end === undefined || !isBefore(end as MessageId, id))
      .sort((a, b) => (isBefore(a.id, b.id) ? -1 : 1))
    const items = known.slice(0, query.limit)
    return E.right({ items, next: known.length > items.length ? items.at(-1)?.id : end })
  }
