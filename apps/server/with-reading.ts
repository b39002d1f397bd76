import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Ledger } from '../../core/ports/ledger.js'
import { MINUTE_MS } from '../../core/time.js'
import type { WorkspaceId } from '../../core/workspace.js'
import { shareByKey } from './share-result.js'

/** The storage for pages: what they read comes over the connections for reading, and books are added up once for all who ask at the time. */
export const withReading = (storage: KnexStorage): KnexStorage => {
  const { reading } = storage
  return {
    ...storage,
    accountNotices: { ...storage.accountNotices, ...reading.accountNotices },
    auditLog: { ...storage.auditLog, ...reading.auditLog },
    customers: { ...storage.customers, ...reading.customers },
    customerWindows: { ...storage.customerWindows, ...reading.customerWindows },
    eventDeliveries: { ...storage.eventDeliveries, ...reading.eventDeliveries },
    eventEndpoints: { ...storage.eventEndpoints, ...reading.eventEndpoints },
    eventOutbox: { ...storage.eventOutbox, ...reading.eventOutbox },
    keyStore: { ...storage.keyStore, ...reading.keyStore },
    ledger: { ...storage.ledger, ...reading.ledger, books: sharedBooks(reading.ledger.books) },
    lostMessages: { ...storage.lostMessages, ...reading.lostMessages },
    members: { ...storage.members, ...reading.members },
    messageLog: { ...storage.messageLog, ...reading.messageLog },
    messageStatistics: { ...storage.messageStatistics, ...reading.messageStatistics },
    messageTrail: { ...storage.messageTrail, ...reading.messageTrail },
    sessions: { ...storage.sessions, ...reading.sessions },
    templateCatalogue: { ...storage.templateCatalogue, ...reading.templateCatalogue },
    walletAlerts: { ...storage.walletAlerts, ...reading.walletAlerts },
    workspaces: { ...storage.workspaces, ...reading.workspaces },
  }
}

/** What took a second to add up is given again for a second, so that whoever asks again and again takes half of the time of one connection at most. */
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
