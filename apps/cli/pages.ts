import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Page, PageQuery } from '../../core/page.js'
import { unwrap, type CommandError } from './error-messages.js'

const PAGE_SIZE = 100

/** Every item of a list, page after page, or the first so many. */
export const allItems = async <Item>(
  page: (query: PageQuery) => TaskEither<CommandError, Page<Item>>,
  limit = Number.POSITIVE_INFINITY,
): Promise<ReadonlyArray<Item>> => {
  const items: Item[] = []
  let cursor: string | undefined
  do {
    const { items: more, next } = await unwrap(page({ limit: Math.min(PAGE_SIZE, limit - items.length), ...(cursor !== undefined && { cursor }) }))
    items.push(...more)
    cursor = next
  } while (cursor !== undefined && items.length < limit)
  return items
}
