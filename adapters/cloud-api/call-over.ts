import type { ConnectionPool } from './connection-pool.js'
import { loggable, type HttpRequest, type Transport, type TransportResult } from './transport.js'

/** Makes one call over a connection that no other call uses, and reports its result once. */
export type CallOnce<Connection> = (connection: Connection, request: HttpRequest, onResult: (result: TransportResult) => void) => void

/** Makes each call over a connection of its own. A connection whose call failed is closed; the others are used again. */
export const callOver =
  <Connection>(pool: ConnectionPool<Connection>, call: CallOnce<Connection>): Transport =>
  (request) =>
    new Promise((resolve) => {
      try {
        const lease = pool.acquire(request.origin)
        if (lease === undefined) return resolve({ _tag: 'NotSent', cause: new Error('The transport is closed, or all its connections are in use') })
        call(lease.connection, request, (result) => {
          lease.release(result._tag === 'Answered')
          resolve(result)
        })
      } catch (thrown) {
        // Only an address that is none, or the like, throws: before anything is written.
        resolve({ _tag: 'NotSent', cause: loggable(thrown) })
      }
    })
