import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { openDatabase } from '../../../../adapters/knex/engine/database.js'
import { execute } from '../../../../adapters/knex/engine/sql.js'
import { openStorage } from '../../../../adapters/knex/index.js'
import { workspaceIdOf } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { type SenderId, senderIdOf } from '../../../../core/senders/sender.js'
import { describeEachDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'

const SECRET = 'a secret of tests that is long enough'
const [FIRST, SECOND] = [senderIdOf('15550100001'), senderIdOf('15550100002')]

await describeEachDatabase('A sender whose stored token cannot be decrypted', (server) => {
  /** A workspace with two senders, of which one has a token that was stored with another secret. */
  const opened = async (unreadable: SenderId) => {
    const database = await server.createMigrated()
    const [storage, { db, close }] = [openStorage({ url: database.url, secret: SECRET }), openDatabase(database.url)]
    const [workspace, { senders }] = [workspaceIdOf(uuidv7()), storage]
    rightOf(await storage.workspaces.create({ id: workspace, name: 'Shop', currency: 'USD' as Currency, createdAt: 0 }))
    for (const phoneNumberId of [FIRST, SECOND]) {
      rightOf(await senders.assign(workspace, { phoneNumberId, accessToken: `token of ${phoneNumberId}`, businessAccountId: '2001' }))
    }
    // The token is then in the cache of decrypted texts.
    assert.isTrue(O.isSome(rightOf(await senders.senderOf(workspace, unreadable))))
    await execute(db, 'UPDATE senders SET access_token = ? WHERE phone_number_id = ?', [`v1.${'A'.repeat(40)}`, unreadable])
    return {
      workspace, senders,
      [Symbol.asyncDispose]: async () => {
        await close()
        await storage.close()
        await database[Symbol.asyncDispose]()
      },
    }
  }

  for (const [which, unreadable, readable] of [['the default sender', FIRST, SECOND], ['another one', SECOND, FIRST]] as const) {
    it(`is listed as such, fails to be found, and leaves the others as they are, if it is ${which}`, async () => {
      await using world = await opened(unreadable)
      const { workspace, senders } = world
      const listed = rightOf(await senders.sendersOf(workspace))
      const marked = listed.map(({ phoneNumberId, isDefault, isUnreadable }) => [phoneNumberId, isDefault, isUnreadable])
      assert.deepEqual(marked, [
        [FIRST, true, unreadable === FIRST ? true : undefined], [SECOND, undefined, unreadable === SECOND ? true : undefined],
      ])
      const failed = await senders.senderOf(workspace, unreadable)
      assert.deepInclude(E.isLeft(failed) ? failed.left : {}, { _tag: 'PortFailure', port: 'Senders' })
      assert.equal(O.toUndefined(rightOf(await senders.senderOf(workspace, readable)))?.accessToken, `token of ${readable}`)
      assert.equal(E.isLeft(await senders.senderOf(workspace)), unreadable === FIRST)
      rightOf(await senders.assign(workspace, { phoneNumberId: unreadable, accessToken: 'renewed', businessAccountId: '2001' }))
      assert.isTrue(rightOf(await senders.sendersOf(workspace)).every(({ isUnreadable }) => isUnreadable === undefined))
    })
  }
})
