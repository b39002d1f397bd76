import { assert } from 'chai'
import { checkTakesWrites } from '../../../../adapters/knex/engine/server.js'

type Variables = Readonly<Record<string, string>>

/** The answers of MySQL and MariaDB to `SHOW GLOBAL VARIABLES` and `SHOW GLOBAL STATUS`. */
const shown = (variables: Variables, status: Variables): unknown =>
  [variables, status].map((values) => Object.entries(values).map(([name, value]) => ({ Variable_name: name, Value: value })))

const code = (dialect: 'mysql' | 'postgres', answer: unknown): Promise<unknown> =>
  checkTakesWrites(dialect, () => Promise.resolve(answer)).then(
    () => 'takes writes', (error: unknown) => (error as { readonly code?: string }).code,
  )

describe('A server that has just been connected to', () => {
  for (const [who, variables, status, expected] of [
    ['MySQL', { read_only: 'OFF' }, {}, 'takes writes'],
    ['MariaDB without Galera', { read_only: 'OFF', wsrep_on: 'OFF' }, { wsrep_ready: 'OFF' }, 'takes writes'],
    ['a Galera node in its cluster', { read_only: 'OFF', wsrep_on: 'ON' }, { wsrep_ready: 'ON' }, 'takes writes'],
    ['a Galera node outside its cluster', { read_only: 'OFF', wsrep_on: 'ON' }, { wsrep_ready: 'OFF' }, 'ER_UNKNOWN_COM_ERROR'],
    ['a replica', { read_only: 'ON', wsrep_on: 'OFF' }, { wsrep_ready: 'OFF' }, 'ER_OPTION_PREVENTS_STATEMENT'],
    ['a replica that also refuses locks', { read_only: 'NO_LOCK' }, {}, 'ER_OPTION_PREVENTS_STATEMENT'],
  ] as const) {
    it(`as ${who}: ${expected}`, async () => assert.equal(await code('mysql', shown(variables, status)), expected))
  }

  for (const [who, standby, readOnly, expected] of [
    ['a primary', false, 'off', 'takes writes'], ['a standby', true, 'on', '25006'], ['a primary set read-only', false, 'on', '25006'],
  ] as const) {
    it(`as ${who} of PostgreSQL: ${expected}`, async () =>
      assert.equal(await code('postgres', { rows: [{ standby, read_only: readOnly }] }), expected))
  }
})
