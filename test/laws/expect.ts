import assert from 'node:assert/strict'
import type * as E from 'fp-ts/lib/Either.js'
import type { Page, PageQuery } from '../../core/kernel/page.js'

type Tagged = { readonly _tag: string }

/** The result of a call that must not fail. */
export const done = async <Failure, Result>(promise: string, answer: Promise<E.Either<Failure, Result>>): Promise<Result> => {
  const outcome = await answer
  return outcome._tag === 'Right' ? outcome.right : assert.fail(`${promise}: expected success, saw ${show(outcome.left)}`)
}

/** The failure of a call that must fail in a given way. */
export const refused = async <Failure extends Tagged, Tag extends Failure['_tag']>(
  promise: string,
  tag: Tag,
  answer: Promise<E.Either<Failure, unknown>>,
): Promise<Extract<Failure, { readonly _tag: Tag }>> => {
  const outcome = await answer
  return outcome._tag === 'Left' && hasTag(outcome.left, tag)
    ? outcome.left
    : assert.fail(`${promise}: expected ${tag}, saw ${show(outcome._tag === 'Left' ? outcome.left : outcome)}`)
}

/** Compares the observed value with the promised one. */
export const same = <Value>(promise: string, seen: Value, promised: Value): void =>
  assert.deepEqual(seen, promised, `${promise}: expected ${show(promised)}, saw ${show(seen)}`)

/** Checks a promise that is not a comparison; `seen` is shown if the promise is broken. */
export const holds = (promise: string, kept: boolean, seen: unknown): void =>
  assert.ok(kept, `${promise}: saw ${show(seen)}`)

/** Reads a list page by page to its end; `between` runs after each page except the last. */
export const allPages = async <Failure, Item>(
  promise: string,
  read: (query: PageQuery) => Promise<E.Either<Failure, Page<Item>>>,
  limit: number,
  between: (page: ReadonlyArray<Item>) => Promise<unknown> = () => Promise.resolve(),
): Promise<ReadonlyArray<Item>> => {
  const items: Item[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  do {
    const part = await done(promise, read({ limit, ...(cursor !== undefined && { cursor }) }))
    holds(`${promise}: a page has at most ${limit} items`, part.items.length <= limit, part.items.length)
    holds(`${promise}: a page that has a next one is not empty`, part.items.length > 0 || part.next === undefined, part)
    items.push(...part.items)
    cursor = part.next
    if (cursor !== undefined) {
      holds(`${promise}: no page leads back`, !cursors.has(cursor), `the cursor ${cursor} twice`)
      cursors.add(cursor)
      await between(part.items)
    }
  } while (cursor !== undefined)
  return items
}

/** Looks repeatedly while work is in progress, and again after it. Between two looks all other work can run. */
export const lookDuring = async (work: ReadonlyArray<Promise<unknown>>, look: () => Promise<unknown>): Promise<void> => {
  const working = new AbortController()
  const looking = (async () => {
    while (!working.signal.aborted) {
      await look()
      await new Promise((resolve) => { setTimeout(resolve, 0) })
    }
  })()
  await Promise.all(work).finally(() => { working.abort() })
  await looking
  await look()
}

/** A value as text for a failure's message, shortened if it is long. */
export const show = (value: unknown): string => {
  const text = JSON.stringify([value], (_key, inner: unknown) => {
    if (typeof inner === 'bigint') return `${inner}n`
    if (inner instanceof Error) return String(inner)
    return inner === undefined ? 'undefined' : inner
  }).slice(1, -1)
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text
}

const hasTag = <Failure extends Tagged, Tag extends string>(
  failure: Failure,
  tag: Tag,
): failure is Extract<Failure, { readonly _tag: Tag }> => failure._tag === tag
