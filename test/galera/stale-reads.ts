import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Suite } from 'mocha'
import { openStorage, type KnexStorage } from '../../adapters/knex/index.js'
import { createAccount } from '../support/account.js'
import { eventually } from '../support/eventually.js'
import type { GaleraCluster } from '../support/galera.js'
import { SECRET } from '../support/gateway.js'
import { rightOf } from '../support/right-of.js'

export const staleReads = (cluster: () => GaleraCluster): Suite => describe('A Galera node that lags behind the others', () => {
  let writer: KnexStorage
  let reader: KnexStorage

  before(async () => {
    const { urls } = await cluster().createDatabase('postern_lag')
    writer = openStorage({ url: urls[0], secret: SECRET })
    reader = openStorage({ url: urls[1], secret: SECRET })
    await writer.migrate()
  })
  after(async () => {
    await writer.close()
    await reader.close()
  })

  /** Lets the reader's node apply nothing for a while, as a slow machine does; gives what is read there after a write on the other node. */
  const readWhileLagging = async <Answer>(write: () => Promise<unknown>, read: () => Promise<Answer>): Promise<Answer> => {
    const held = cluster().nodes[1].ask('FLUSH TABLES WITH READ LOCK; SELECT SLEEP(1); UNLOCK TABLES')
    await eventually('the pause', async () =>
      (await cluster().nodes[1].ask("SHOW PROCESSLIST")).some(({ State: state }) => state === 'User sleep') ? true : undefined)
    await write()
    const answer = await read()
    await held
    return answer
  }

  it('no longer accepts a key that was revoked on another node', async () => {
    const { key, keyId } = await createAccount(writer, { micros: 1n })
    const before = await reader.keyStore.principalOf(key, 0)
    assert.isTrue(E.isRight(before), JSON.stringify(before))
    const after = await readWhileLagging(() => writer.keyStore.revoke(keyId, 0), () => reader.keyStore.principalOf(key, 1))
    assert.deepEqual(after, E.left({ _tag: 'UnknownApiKey' }))
  })

  it('returns the balance that another node has just written', async () => {
    const { id } = await createAccount(writer, { micros: 5n })
    const balance = await readWhileLagging(
      async () => rightOf(await writer.ledger.topUp({ workspace: id, micros: 7n, reference: 'second', at: 1 })),
      async () => rightOf(await reader.ledger.balance(id)),
    )
    assert.deepEqual(O.toUndefined(balance)?.available, 12n)
  })
})
