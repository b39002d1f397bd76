import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import type { Database } from '../../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../../adapters/knex/engine/sql.js'
import { openStorage } from '../../../../adapters/knex/index.js'
import { migrate } from '../../../../adapters/knex/schema/migrate.js'
import { type Step, STEPS } from '../../../../adapters/knex/schema/steps.js'
import type { PhoneNumber, UserId } from '../../../../core/customers/customer.js'
import { eventIdOf, type WorkspaceId } from '../../../../core/kernel/ids.js'
import type { JsonObject } from '../../../../core/kernel/json.js'
import type { Currency } from '../../../../core/kernel/money.js'
import type { Event } from '../../../../core/kernel/outbox.js'
import type { MessageId } from '../../../../core/messages/message.js'
import { describeEachDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'
import { gatewaysOn } from '../gateways-on.js'

await describeEachDatabase('Migrating', (server) => {
  const withGateways = gatewaysOn(server)

  it('leaves a database on which the version before goes on noting customers who write', async () => {
    await withGateways(1, async (gateways, url) => {
      const [gateway] = gateways as [Database]
      await migrate(gateway, { steps: STEPS.filter(({ name }) => name < '0005') })
      const note = (at: number): Promise<number> => execute(gateway.db, `INSERT INTO windows (workspace_id, customer, last_inbound) VALUES ('ws_1', '4930', ?) ${
        gateway.dialect.name === 'mysql' ? 'ON DUPLICATE KEY UPDATE' : 'ON CONFLICT (workspace_id, customer) DO UPDATE SET'
      } last_inbound = ${gateway.dialect.latest('windows', 'last_inbound')}`, [at])
      await note(1)
      const { windowClock, migrate: migrateNow, close } = openStorage({ url, secret: undefined })
      try {
        await migrateNow()
        const [workspace, customer] = ['ws_1' as WorkspaceId, '4930' as PhoneNumber]
        await windowClock.recordInbound(workspace, { phoneNumber: customer }, 2, 1_000)
        await note(3)
        await windowClock.recordInbound(workspace, { phoneNumber: customer }, 4, 1_000)
        assert.deepEqual(await windowClock.lastInbound(workspace, customer), E.right(O.some(3)))
      } finally {
        await close()
      }
    })
  })

  /** Writes as the version before `0006-customers` does: a customer who wrote, and a message to a customer. */
  const versionBefore = ({ db, dialect }: Database) => ({
    note: (customer: string, at: number): Promise<number> => execute(db, `INSERT INTO windows (workspace_id, customer, last_inbound, stated_at) VALUES ('ws_1', ?, ?, NULL) ${
      dialect.name === 'mysql' ? 'ON DUPLICATE KEY UPDATE' : 'ON CONFLICT (workspace_id, customer) DO UPDATE SET'
    } last_inbound = ${dialect.latest('windows', 'last_inbound')}, stated_at = coalesce(windows.stated_at, ${dialect.inserted('stated_at')})`, [customer, at]),
    noted: async (customer: string): Promise<number> =>
      Number((await select(
        db, "SELECT last_inbound FROM windows WHERE workspace_id = 'ws_1' AND customer = ?", [customer],
      ))[0]?.['last_inbound']),
    send: (id: string, to: string): Promise<number> => execute(
      db, `INSERT INTO messages (workspace_id, id, kind, customer, state, price, currency, category, created_at, open_since)
      VALUES ('ws_1', ?, 'text', ?, 'pending', 1, 'EUR', 'service', 1000, 1000)`, [id, to],
    ),
  })

  /** Migrates twice, and fails each time at the end of a step. */
  const interruptTwice = async (gateway: Database, step: string): Promise<void> => {
    const steps = STEPS.map((one): Step => !one.name.startsWith(step) ? one : {
      ...one, up: async (db) => {
        await one.up(db)
        throw new Error('power failure')
      },
    })
    for (const _ of [1, 2]) await migrate(gateway, { steps }).then(() => assert.fail('it was interrupted'), () => undefined)
  }

  it('keeps every window and message of the version before, however often the step is interrupted', async () => {
    await withGateways(1, async (gateways, url) => {
      const [gateway] = gateways as [Database]
      await migrate(gateway, { steps: STEPS.filter(({ name }) => name < '0006') })
      const { note, send } = versionBefore(gateway)
      const numbers = Array.from({ length: 20 }, (_, index) => `4915550${100 + index}`)
      for (const [index, number] of numbers.entries()) {
        await note(number, 1_000 + index)
        await send(`0000000000000000000000000000${1000 + index}`, number)
      }
      const stored = () => Promise.all(['windows', 'messages'].map((table) => select(gateway.db, `SELECT * FROM ${table} ORDER BY customer`)))
      const before = await stored()
      await interruptTwice(gateway, '0006')
      assert.equal((await migrate(gateway)).to, STEPS.length)
      const added = { user_inbound: null, number_inbound: null }
      const columns = [added, {
        reported_type: null, summary: null, metadata: null, played_at: null, key_id: null, traceparent: null, cost: null, market: null,
        sender: null, queued_at: null, pending_at: null, canceled_at: null, replied_at: null,
      }]
      assert.deepEqual(await stored(), before.map((rows, index) => rows.map((row) => ({ ...row, ...columns[index] }))))

      const { windowClock, messageLog, close } = openStorage({ url, secret: undefined })
      try {
        const workspace = 'ws_1' as WorkspaceId
        for (const [index, number] of numbers.entries()) {
          assert.deepEqual(await windowClock.lastInbound(workspace, number as PhoneNumber), E.right(O.some(1_000 + index)))
          const listed = await messageLog.list(workspace, { to: [{ id: number as PhoneNumber }], limit: 5 })
          assert.deepEqual(E.isRight(listed) && listed.right.items.map(({ to }) => to), [number as PhoneNumber])
        }
      } finally {
        await close()
      }
    })
  })

  it('adds events to a database of the version before, whose rows stay as they are, however often the step is interrupted', async () => {
    await withGateways(1, async (gateways, url) => {
      const [gateway] = gateways as [Database]
      await migrate(gateway, { steps: STEPS.filter(({ name }) => name < '0013') })
      const { note, send } = versionBefore(gateway)
      for (let index = 0; index < 10; index += 1) {
        await note(`491555010${index}`, 1_000 + index)
        await send(`msg_0000000000000000000000000000000${index}`, `491555010${index}`)
      }
      await execute(gateway.db, "INSERT INTO workspaces (id, name, currency, created_at) VALUES ('ws_1', 'older', 'EUR', 1000)")
      const stored = () =>
        Promise.all(['windows', 'messages', 'workspaces'].map((table) => select(gateway.db, `SELECT * FROM ${table} ORDER BY 1, 2`)))
      const before = await stored()
      await interruptTwice(gateway, '0013')
      assert.equal((await migrate(gateway)).to, STEPS.length)
      const added = {
        summary: null, metadata: null, played_at: null, key_id: null, traceparent: null, cost: null, market: null, sender: null,
        queued_at: null, pending_at: null, canceled_at: null, replied_at: null,
      }
      const columns = [{}, added, {}]
      assert.deepEqual(await stored(), before.map((rows, index) => rows.map((row) => ({ ...row, ...columns[index] }))))

      const { windowClock, messageLog, eventOutbox, close } = openStorage({ url, secret: undefined })
      try {
        const workspace = 'ws_1' as WorkspaceId
        const eventAbout = (subject: string, data: JsonObject): Event =>
          ({ id: eventIdOf(uuidv7()), type: 'message.sent', workspace, at: 1, subject, data })
        const phoneNumber = '4915550103' as PhoneNumber
        await windowClock.recordInbound(
          workspace, { phoneNumber }, 5_000, undefined, ({ before: at }) => [eventAbout('a customer', { earlier: at ?? null })],
        )
        await messageLog.apply(
          workspace, 'msg_00000000000000000000000000000004' as MessageId, { state: 'sent', at: 6_000 }, ({ from, message: { to } }) => [
            eventAbout('a message', { from, to }),
          ],
        )
        const events = await eventOutbox.after(workspace, 0, 9)
        assert.deepEqual(E.isRight(events) && events.right.map(({ data }) => data), [
          { earlier: 1_003 }, { from: 'pending', to: '4915550104' },
        ])
      } finally {
        await close()
      }
    })
  })

  it('leaves a database on which the version before sees who writes under two ids, and is seen', async () => {
    await withGateways(1, async (gateways, url) => {
      const [gateway] = gateways as [Database]
      const { windowClock, messageLog, migrate: migrateNow, close } = openStorage({ url, secret: undefined })
      try {
        await migrateNow()
        const { note, noted, send } = versionBefore(gateway)
        const [workspace, phoneNumber, userId] = ['ws_1' as WorkspaceId, '4930' as PhoneNumber, `DE.ENT.${'aB3x'.repeat(32)}` as UserId]
        const last = (id: PhoneNumber | UserId) => windowClock.lastInbound(workspace, id)
        await windowClock.recordInbound(workspace, { phoneNumber, userId }, 10)
        assert.equal(await noted(phoneNumber), 10)
        assert.deepEqual([await last(phoneNumber), await last(userId)], [E.right(O.none), E.right(O.some(10))])
        await note(phoneNumber, 20)
        assert.deepEqual([await last(phoneNumber), await last(userId)], [E.right(O.some(20)), E.right(O.some(10))])
        await windowClock.recordInbound(workspace, { phoneNumber, userId }, 30)
        assert.equal(await noted(phoneNumber), 30)
        assert.deepEqual([await last(phoneNumber), await last(userId)], [E.right(O.some(20)), E.right(O.some(30))])
        await windowClock.recordInbound(workspace, { phoneNumber }, 25)
        assert.equal(await noted(phoneNumber), 30)
        assert.deepEqual(await last(phoneNumber), E.right(O.some(25)))

        await send('00000000000000000000000000000001', phoneNumber)
        await send('00000000000000000000000000000002', userId)
        const listed = await messageLog.list(workspace, { to: [{ id: phoneNumber }, { id: userId }], limit: 5 })
        assert.deepEqual(E.isRight(listed) && listed.right.items.map(({ to }) => to), [userId, phoneNumber])
      } finally {
        await close()
      }
    })
  })

  it('leaves a database on which the version before sees a message that was played as one that was read', async () => {
    await withGateways(1, async (gateways, url) => {
      const [gateway] = gateways as [Database]
      const { messageLog, migrate: migrateNow, close } = openStorage({ url, secret: undefined })
      try {
        await migrateNow()
        await versionBefore(gateway).send('msg_00000000000000000000000000000001', '4915550100')
        const [workspace, id] = ['ws_1' as WorkspaceId, 'msg_00000000000000000000000000000001' as MessageId]
        for (const [at, state] of (['accepted', 'delivered', 'played'] as const).entries()) {
          await messageLog.apply(workspace, id, { state, at })
        }
        assert.deepEqual(await select(gateway.db, 'SELECT state FROM messages', []), [{ state: 'read' }])
        // The version before takes in that it was read.
        await execute(gateway.db, "UPDATE messages SET read_at = 9 WHERE state = 'read'")
        const found = await messageLog.find(workspace, { id })
        assert.deepEqual(E.isRight(found) && O.isSome(found.right) && found.right.value.history.map(({ state }) => state), [
          'pending', 'accepted', 'delivered', 'read', 'played',
        ])
      } finally {
        await close()
      }
    })
  })

  for (const [what, step, field] of [['keeps traces', '0035', 'trace'], ['notes the keys of messages', '0036', 'keyId']] as const) {
    it(`lets the version before send while this one ${what}, and takes its messages for those without`, async () => {
      await withGateways(1, async (gateways, url) => {
        const [gateway] = gateways as [Database]
        await migrate(gateway, { steps: STEPS.filter(({ name }) => name < step) })
        const { messageLog, migrate: migrateNow, close } = openStorage({ url, secret: undefined })
        try {
          await versionBefore(gateway).send('msg_00000000000000000000000000000001', '4915550100')
          await migrateNow()
          await versionBefore(gateway).send('msg_00000000000000000000000000000002', '4915550100')
          const { items } = rightOf(await messageLog.list('ws_1' as WorkspaceId, { limit: 5 }))
          assert.deepEqual(items.map((message) => [field in message, message.state]), [[false, 'pending'], [false, 'pending']])
        } finally {
          await close()
        }
      })
    })
  }

  it('takes the reported type of messages of the version before for unknown', async () => {
    await withGateways(1, async (gateways, url) => {
      const [gateway] = gateways as [Database]
      await migrate(gateway, { steps: STEPS.filter(({ name }) => name < '0009') })
      await versionBefore(gateway).send('00000000000000000000000000000001', '4915550100')
      await execute(gateway.db, `UPDATE messages SET state = 'sent', reported_category = 'utility', pricing = '{"category":"utility","type":"regular"}'`)
      const { messageLog, migrate: migrateNow, close } = openStorage({ url, secret: undefined })
      try {
        await migrateNow()
        const billed = await messageLog.billed()
        assert.deepEqual(billed, E.right([
          {
            workspace: 'ws_1' as WorkspaceId, currency: 'EUR' as Currency, charged: 'service', reported: 'utility', type: undefined,
            messages: 1, free: 0, micros: 1n, cost: 1n,
          },
        ]))
      } finally {
        await close()
      }
    })
  })
})
