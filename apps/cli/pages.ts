import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Page, PageQuery } from '../../core/kernel/json.js'
import { everyItem } from '../operator/summary.js'
import { type CommandError, unwrap } from './error-messages.js'

/** Every item of a list, page after page, or the first so many. */
export const allItems = <Item>(page: (query: PageQuery) => TaskEither<CommandError, Page<Item>>, limit?: number): Promise<ReadonlyArray<Item>> =>
  everyItem((query) => unwrap(page(query)), limit)
