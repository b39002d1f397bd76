import { makeBatcher, type BatcherOptions } from './batcher.js'
import type { Database } from './database.js'
import { ServerDatabase } from './server-database.js'
import { ServerReads } from './server-reads.js'
import type { Queryable } from './sql.js'

/** One kind of read, which runs one query for many callers: it returns one answer for each key, in the same order. */
export type Read<Key, Answer> = (db: Queryable, keys: ReadonlyArray<Key>) => Promise<ReadonlyArray<Answer>>

/** Makes a look-up of one key, which shares its round trips with all other look-ups of the database. */
export type ReadBatcher = <Key, Answer>(read: Read<Key, Answer>) => (key: Key) => Promise<Answer>

/** The most reads in one batch, and the most that wait or run. A send has about five. */
const WIDTH = 2_048
const DEPTH = 100_000

type Queued = { readonly read: Read<unknown, unknown>; readonly key: unknown }

/**
 * Makes the batcher of a database's look-ups: those of all kinds that are asked for in one turn of the event loop go out together on one connection, and
 * come back in one round trip. Look-ups that arrive while a batch runs share the next one. Nothing is cached.
 */
export const makeReadBatcher = (
  { db }: Pick<Database, 'db'>, { width = WIDTH, depth = DEPTH, ...bounds }: BatcherOptions = {},
): ReadBatcher => {
  const reading = db instanceof ServerDatabase ? new ServerReads(db) : db
  const batcher = makeBatcher<Queued, unknown>((batch) => readAll(reading, batch), { width, depth, ...bounds })
  return <Key, Answer>(read: Read<Key, Answer>) => (key: Key) => batcher.load({ read: read as Read<unknown, unknown>, key }) as Promise<Answer>
}

/** Starts the queries of all kinds together. Where one fails, the callers of the other kinds still get their answers. */
const readAll = async (db: Queryable, batch: ReadonlyArray<Queued>): Promise<ReadonlyArray<unknown>> => {
  const answers: Array<unknown> = new Array(batch.length)
  const indexes = new Map<Queued['read'], Array<number>>()
  batch.forEach(({ read }, index) => {
    const group = indexes.get(read)
    if (group === undefined) indexes.set(read, [index])
    else group.push(index)
  })
  await Promise.all(Array.from(indexes, async ([read, group]) => {
    const found = await read(db, group.map((index) => batch[index]?.key)).catch(asError)
    group.forEach((index, position) => { answers[index] = found instanceof Error ? found : found[position] })
  }))
  return answers
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
