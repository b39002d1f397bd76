import { ClassicLevel } from 'classic-level'

/** One atomic write: a value for each key; `undefined` deletes the key. */
export type Writes = ReadonlyArray<readonly [key: string, value: unknown]>

/** A LevelDB database with JSON values, and queues for work that reads before it writes. */
export type LevelStore = {
  readonly get: <Value>(key: string) => Promise<Value | undefined>
  /** Writes everything or nothing, and resolves when it is on disk. */
  readonly write: (writes: Writes) => Promise<void>
  /** The entries after `from` and before `to`, in the order of their keys; in reverse order if `newestFirst`. */
  readonly entries: <Value>(range: { readonly from: string; readonly to: string; readonly newestFirst?: boolean }) => AsyncIterable<[string, Value]>
  /** Runs work after all earlier work of that name. Only one process can open a LevelDB, so queues in this process are enough. */
  readonly inTurn: <Result>(name: string, work: () => Promise<Result>) => Promise<Result>
  readonly close: () => Promise<void>
}

/** Opens the database in a folder, and creates the folder if it does not exist. */
export const openLevelStore = (folder: string): LevelStore => {
  const database = new ClassicLevel<string, string>(folder)
  const turns = new Map<string, Promise<unknown>>()
  return {
    get: async <Value>(key: string) => {
      const text = await database.get(key)
      return text === undefined ? undefined : (JSON.parse(text) as Value)
    },
    write: (writes) =>
      database.batch(
        writes.map(([key, value]) =>
          value === undefined ? { type: 'del' as const, key } : { type: 'put' as const, key, value: JSON.stringify(value) },
        ),
        { sync: true },
      ),
    async *entries<Value>({ from, to, newestFirst = false }: { readonly from: string; readonly to: string; readonly newestFirst?: boolean }) {
      for await (const [key, text] of database.iterator({ gt: from, lt: to, reverse: newestFirst })) yield [key, JSON.parse(text) as Value]
    },
    inTurn: async (name, work) => {
      const turn = (turns.get(name) ?? Promise.resolve()).then(work)
      const over = turn.catch(() => undefined)
      turns.set(name, over)
      try {
        return await turn
      } finally {
        if (turns.get(name) === over) turns.delete(name)
      }
    },
    close: () => database.close(),
  }
}

/** Encodes any text as part of a key: the result has no separator, and different texts have different results. */
export const asKey = (text: string): string => Buffer.from(text, 'utf16le').toString('hex')

/** A moment as part of a key, so that keys sort by time. */
export const timeKey = (at: number): string => String(at).padStart(16, '0')

/** A key after all keys that begin with `prefix`, which ends in a slash. */
export const after = (prefix: string): string => `${prefix.slice(0, -1)}0`
