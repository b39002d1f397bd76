import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import type { Ledger } from '../../core/money/ledger.js'
import { shareByKey } from './share-result.js'

/** The storage for pages: what they read comes over the connections for reading, and books are added up once for all who ask at the time. */
export const withReading = (storage: KnexStorage): KnexStorage => {
  const { reading } = storage
  const ports = Object.entries(reading).map(([port, reads]) => [port, { ...storage[port as keyof typeof reading], ...reads }] as const)
  return { ...storage, ...Object.fromEntries(ports), ledger: { ...storage.ledger, ...reading.ledger, books: sharedBooks(reading.ledger.books) } }
}

/** Shares the sums of the books. Sums that took a second to add up are given again for a second, so repeated requests use one connection at most half of the time. */
const sharedBooks = (books: Ledger['books']): Ledger['books'] => {
  let last: Promise<unknown> = Promise.resolve()
  // One after another: they have a connection each for as long as they take.
  const addUp = (workspace: WorkspaceId): ReturnType<ReturnType<Ledger['books']>> => {
    const found = last.then(books(workspace))
    last = found.catch(() => undefined)
    return found
  }
  const shared = shareByKey(addUp, {
    keyOf: (workspace) => workspace, freshMs: (tookMs, found) => (E.isRight(found) ? Math.min(tookMs, MINUTE_MS) : 0),
  })
  return (workspace) => () => shared(workspace)
}
