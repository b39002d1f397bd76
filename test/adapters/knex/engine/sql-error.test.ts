import { assert } from 'chai'
import { sqlErrorKind, type SqlErrorKind, WriteConflict } from '../../../../adapters/knex/engine/dialect.js'

const CODES: ReadonlyArray<readonly [code: string, kind: SqlErrorKind]> = [
  ['ER_LOCK_DEADLOCK', 'retry'],
  ['ER_LOCK_WAIT_TIMEOUT', 'retry'],
  ['ER_CHECKREAD', 'retry'],
  ['40001', 'retry'],
  ['40P01', 'retry'],
  ['55P03', 'retry'],
  ['SQLITE_BUSY', 'retry'],
  ['SQLITE_BUSY_SNAPSHOT', 'retry'],
  ['SQLITE_LOCKED', 'retry'],
  ['ER_DUP_ENTRY', 'conflict'],
  ['23505', 'conflict'],
  ['SQLITE_CONSTRAINT_PRIMARYKEY', 'conflict'],
  ['SQLITE_CONSTRAINT_UNIQUE', 'conflict'],
  ['ECONNREFUSED', 'unavailable'],
  ['ECONNRESET', 'unavailable'],
  ['PROTOCOL_CONNECTION_LOST', 'unavailable'],
  ['ER_SERVER_SHUTDOWN', 'unavailable'],
  ['ER_CON_COUNT_ERROR', 'unavailable'],
  ['08006', 'unavailable'],
  ['53300', 'unavailable'],
  ['57P01', 'unavailable'],
  ['57P03', 'unavailable'],
  ['25006', 'unavailable'],
  ['ER_OPTION_PREVENTS_STATEMENT', 'unavailable'],
  ['ER_READ_ONLY_MODE', 'unavailable'],
  ['ER_UNKNOWN_COM_ERROR', 'unavailable'],
  ['ER_ERROR_DURING_COMMIT', 'unavailable'],
  ['SQLITE_IOERR_FSYNC', 'unavailable'],
  ['SQLITE_FULL', 'unavailable'],
  ['SQLITE_THREAD_LOST', 'unavailable'],
  ['ER_BAD_NULL_ERROR', 'other'],
  ['22003', 'other'],
  ['42P01', 'other'],
  ['SQLITE_ERROR', 'other'],
]

describe('An error of a driver', () => {
  for (const [code, kind] of CODES) {
    it(`with the code ${code} counts as ${kind}`, () => {
      assert.equal(sqlErrorKind(Object.assign(new Error('of a driver'), { code })), kind)
    })
  }

  for (const message of [
    'Connection terminated unexpectedly',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'timeout expired',
    "Can't write in closed state",
    'Knex: Timeout acquiring a connection. The pool is probably full. Are you missing a .transacting(trx) call?',
    "Can't add new command when connection is in closed state",
  ]) {
    it(`with only the message «${message.slice(0, 40)}» counts as unavailable`, () => {
      assert.equal(sqlErrorKind(new Error(message)), 'unavailable')
    })
  }

  it('of a guarded update that matched too few rows counts as retry', () => {
    assert.equal(sqlErrorKind(new WriteConflict('too late')), 'retry')
  })

  it('that is not an Error counts as other', () => {
    for (const thrown of [undefined, null, 'ECONNREFUSED', { code: 'ECONNREFUSED' }]) assert.equal(sqlErrorKind(thrown), 'other')
  })
})
