import type { Either } from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { NamedTemplates, TemplateCatalogue } from '../../core/templates/catalogue.js'

/** The options of a cache; all are optional. */
export type TemplateCacheOptions = {
  /** How long an answer of `find` or `names` is kept, in milliseconds; 2,000 by default. */
  readonly maxAgeMs?: number
  /** The most names of all accounts together whose templates are kept; 2,000 by default. */
  readonly maxNames?: number
  /** The most accounts whose lists of names are kept; 20 by default. */
  readonly maxLists?: number
  /** A clock in milliseconds that never goes back; that of the process by default. */
  readonly now?: () => number
}

/**
 * A catalogue whose `find` and `names` answer from memory what they read shortly before. Concurrent finds of one name share one query, and so do those who ask
 * for the names of an account: a program that sends the same wrong name again and again must not have the whole list read each time.
 *
 * A write through this catalogue empties the cache of its account, even if the write failed, because it may still have been stored. A write of
 * another process is seen once the answer is too old. A failure is not kept.
 */
export const makeTemplateCache = (
  catalogue: TemplateCatalogue,
  { maxAgeMs = 2_000, maxNames = 2_000, maxLists = 20, now = () => performance.now() }: TemplateCacheOptions = {},
): TemplateCatalogue => {
  const kept = { ttl: maxAgeMs, ttlResolution: 0, perf: { now } }
  const answers = new LRUCache<string, Answer<NamedTemplates>>({ max: maxNames, ...kept })
  const lists = new LRUCache<string, Answer<ReadonlyArray<string>>>({ max: maxLists, ...kept })

  /** Empties the cache after a write. A find that began before the write ended may have read what was there before it, so it is forgotten too. */
  const emptying = async <Result>(
    accountId: string, write: Promise<Either<PortFailure, Result>>, keepsNames = false,
  ): Promise<Either<PortFailure, Result>> => {
    const outcome = await write
    for (const [key, answer] of [...answers.entries()]) if (answer.accountId === accountId) answers.delete(key)
    if (!keepsNames) lists.delete(accountId)
    return outcome
  }

  /** Whether the kept names of an account do not have a name. */
  const isWithout = async (accountId: string, name: string): Promise<boolean> => {
    const names = await lists.get(accountId)?.found
    return names?._tag === 'Right' && !names.right.includes(name)
  }

  return {
    find: (accountId, name) => remembered(answers, JSON.stringify([accountId, name]), accountId, () => catalogue.find(accountId, name)),
    list: catalogue.list,
    names: (accountId) => remembered(lists, accountId, accountId, () => catalogue.names(accountId)),
    stateOf: catalogue.stateOf,
    noteFault: catalogue.noteFault,
    replaceAll: (accountId, listed, at, outboxEntries) => emptying(accountId, catalogue.replaceAll(accountId, listed, at, outboxEntries)),
    // The platform is asked about each wrong name, and has no template of it. That changes no names, and the whole list is not read again for it.
    replaceNamed: async (accountId, name, listed, at, outboxEntries) => {
      const keepsNames = listed.length === 0 && await isWithout(accountId, name)
      return emptying(accountId, catalogue.replaceNamed(accountId, name, listed, at, outboxEntries), keepsNames)
    },
    change: (accountId, change, outboxEntries) => emptying(accountId, catalogue.change(accountId, change, outboxEntries)),
  }
}

/** An answer that was asked for, and the account whose writes remove it. */
type Answer<Result> = { readonly accountId: string; readonly found: Promise<Either<PortFailure, Result>> }

/** The answer that is kept, or that of a query; a failure is forgotten. */
const remembered = async <Result>(
  answers: LRUCache<string, Answer<Result>>, key: string, accountId: string, query: () => Promise<Either<PortFailure, Result>>,
): Promise<Either<PortFailure, Result>> => {
  const known = answers.get(key)
  if (known !== undefined) return known.found
  const answer = { accountId, found: query() }
  answers.set(key, answer)
  const found = await answer.found
  if (found._tag === 'Left' && answers.peek(key) === answer) answers.delete(key)
  return found
}
