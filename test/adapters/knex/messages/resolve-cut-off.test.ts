import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { type KnexStorage, openStorage } from '../../../../adapters/knex/index.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { type MessageId, messageIdOf } from '../../../../core/messages/message.js'
import { makeAuditBooks } from '../../../../core/money/use-cases.js'
import { makeResolveMessage } from '../../../../core/sending/reconcile.js'
import { bySystem } from '../../../core/use-cases/by-system.js'
import { fundedWorkspace } from '../../../support/books.js'
import { describeEachDatabase, type ServerName } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'
import { openTcpProxy } from '../../../support/tcp-proxy.js'

const PRICE = { micros: 30n, currency: 'USD' as Currency, category: 'service' as const }
const AT = Date.UTC(2026, 10, 1)
const UNCONFIRMED_AFTER_MS = 1
/** More answers than a resolution gets from the database. */
const MANY = 40

const unconfirmed = async ({ messageLog, wallet }: KnexStorage, workspace: WorkspaceId): Promise<MessageId> => {
  const message = messageIdOf(uuidv7())
  const to = '4915123456789' as PhoneNumber
  rightOf(await messageLog.open({ id: message, workspace, message: { _tag: 'Text', to, text: 'Hello' }, price: PRICE, at: AT }))
  rightOf(await wallet.hold({ workspace, message, amount: PRICE, at: AT }))
  rightOf(await messageLog.apply(workspace, message, { state: 'unconfirmed', at: AT }))
  return message
}

for (const name of ['MySQL', 'PostgreSQL'] satisfies ReadonlyArray<ServerName>) {
  await describeEachDatabase('A resolution whose connection breaks', (server) => {
    it('is done whole or not at all, at whichever answer that is, so that the next one finds what stands', async () => {
      await using database = await server.createMigrated()
      const direct = openStorage({ url: database.url, secret: undefined })
      const proxy = await openTcpProxy(database.url)
      const resolveOver = (storage: KnexStorage) => bySystem(makeResolveMessage({ ...storage, unconfirmedAfterMs: UNCONFIRMED_AFTER_MS }))
      const seen = new Set<string>()
      try {
        const workspace = await fundedWorkspace(direct, 10_000n)
        let isCut = true
        for (let answers = 0; isCut && answers < MANY; answers += 1) {
          const message = await unconfirmed(direct, workspace)
          const storage = openStorage({ url: proxy.url, secret: undefined })
          // The connection is open before, so that every answer is one to the resolution.
          rightOf(await storage.messageLog.find(workspace, { id: message }))
          proxy.failAfter(answers)
          const first = await resolveOver(storage)({ workspace, message, outcome: 'sent', note: 'looked it up' })
          await proxy.recover()
          await storage.close()
          isCut = E.isLeft(first)
          const second = await resolveOver(direct)({ workspace, message, outcome: 'not_sent', note: 'looked it up again' })
          const state = O.toUndefined(rightOf(await direct.messageLog.find(workspace, { id: message })))?.state
          const hold = rightOf(await direct.wallet.holdOf({ workspace, message }))
          assert.include(['accepted captured', 'released released'], `${state} ${hold}`, `cut at answer ${answers}`)
          assert.equal(E.isRight(second), state === 'released', `cut at answer ${answers}`)
          seen.add(`${isCut} ${state}`)
        }
        // Cut before the commit, cut after it, and not cut.
        assert.sameMembers([...seen], ['true released', 'true accepted', 'false accepted'])
        assert.deepEqual(rightOf(await makeAuditBooks({ ...direct, unconfirmedAfterMs: UNCONFIRMED_AFTER_MS })()).broken, [])
      } finally {
        await proxy.close()
        await direct.close()
      }
    })
  }, name)
}
