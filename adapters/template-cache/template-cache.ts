import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { LRUCache } from 'lru-cache'
import type { NamedTemplates, PortFailure, TemplateCatalogue } from '../../core/ports/template-catalogue.js'

/** The options of a cache; all are optional. */
export type TemplateCacheOptions = {
  /** How long an answer of `find` is kept, in milliseconds; 2,000 by default. */
  readonly maxAgeMs?: number
  /** The most names of all accounts together whose templates are kept; 2,000 by default. */
  readonly maxNames?: number
  /** A clock in milliseconds that never goes back; that of the process by default. */
  readonly now?: () => number
}

/**
 * A catalogue whose `find` answers from memory what it read shortly before. Concurrent finds of one name share one query.
 *
 * A write through this catalogue empties the cache of its account, also if the write failed, because it may have been written all the same. A write of
 * another process is seen once the answer is too old. A failure is not kept.
 */
export const makeTemplateCache = (
  catalogue: TemplateCatalogue, { maxAgeMs = 2_000, maxNames = 2_000, now = () => performance.now() }: TemplateCacheOptions = {},
): TemplateCatalogue => {
  const answers = new LRUCache<string, Answer>({ max: maxNames, ttl: maxAgeMs, ttlResolution: 0, perf: { now } })

  const find = (accountId: string, name: string): Promise<Found> => {
    const key = JSON.stringify([accountId, name])
    const known = answers.get(key)
    if (known !== undefined) return known.found
    const answer = { accountId, found: catalogue.find(accountId, name)() }
    answers.set(key, answer)
    return forgetFailure(key, answer)
  }

  const forgetFailure = async (key: string, answer: Answer): Promise<Found> => {
    const found = await answer.found
    if (found._tag === 'Left' && answers.peek(key) === answer) answers.delete(key)
    return found
  }

  /** Empties the cache after a write. A find that began before the write ended may have read what was there before it, so it is forgotten too. */
  const emptying = <Result>(accountId: string, write: TaskEither<PortFailure, Result>): TaskEither<PortFailure, Result> => async () => {
    const outcome = await write()
    for (const [key, answer] of [...answers.entries()]) if (answer.accountId === accountId) answers.delete(key)
    return outcome
  }

  return {
    find: (accountId, name) => () => find(accountId, name),
    list: catalogue.list,
    names: catalogue.names,
    stateOf: catalogue.stateOf,
    noteFault: catalogue.noteFault,
    replaceAll: (accountId, listed, at, along) => emptying(accountId, catalogue.replaceAll(accountId, listed, at, along)),
    replaceNamed: (accountId, name, listed, at, along) => emptying(accountId, catalogue.replaceNamed(accountId, name, listed, at, along)),
    change: (accountId, change, along) => emptying(accountId, catalogue.change(accountId, change, along)),
  }
}

/** What `find` answers. */
type Found = Either<PortFailure, NamedTemplates>

/** An answer that was asked for, and the account whose writes remove it. */
type Answer = { readonly accountId: string; readonly found: Promise<Found> }
