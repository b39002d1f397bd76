import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { Page, PageQuery } from '../../core/kernel/json.js'
import { causeOf } from '../server/cause.js'

const PAGE_SIZE = 100

/** What a storage answers; its failure is thrown, with a sentence. */
export const stored = async <A>(step: TaskEither<PortFailure, A>): Promise<A> => {
  const result = await step()
  if (E.isLeft(result)) throw new Error(`The database failed: ${causeOf(result.left.cause).message}.`)
  return result.right
}

/** Every item of a list, page after page, or the first so many. */
export const everyItem = async <Item>(page: (query: PageQuery) => Promise<Page<Item>>, limit = Number.POSITIVE_INFINITY): Promise<ReadonlyArray<Item>> => {
  const items: Item[] = []
  let cursor: string | undefined
  do {
    const { items: more, next } = await page({ limit: Math.min(PAGE_SIZE, limit - items.length), ...(cursor !== undefined && { cursor }) })
    items.push(...more)
    cursor = next
  } while (cursor !== undefined && items.length < limit)
  return items
}
