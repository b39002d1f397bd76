import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { type BatcherOptions, BatchTimeout, makeBatcher, makeReadBatcher, QueueFull, type Read } from '../../../../adapters/knex/engine/batches.js'
import { type Database, openDatabase } from '../../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../../adapters/knex/engine/sql.js'
import { makeGroupCommit, type Write } from '../../../../adapters/knex/writes.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { type MessageId, messageIdOf } from '../../../../core/messages/message.js'
import { fundedWorkspace } from '../../../support/books.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { describeEachStorage } from '../../../support/each-storage.js'
import { openTcpProxy } from '../../../support/tcp-proxy.js'

/** A batcher whose batches wait until the test finishes them. */
const heldBatcher = (bounds: BatcherOptions = {}) => {
  const batches: Array<{ readonly items: ReadonlyArray<string>; readonly finish: () => void }> = []
  const arrived: Array<() => void> = []
  const batcher = makeBatcher<string, string>(
    (items) => new Promise((resolve) => {
      batches.push({ items, finish: () => { resolve(items.map((item) => (item === 'bad' ? new Error('bad item') : `done ${item}`))) } })
      for (const resolveArrived of arrived.splice(0)) resolveArrived()
    }),
    bounds,
  )
  const batch = async (index: number) => {
    while (batches[index] === undefined) await new Promise<void>((resolve) => arrived.push(resolve))
    return batches[index]
  }
  return { batcher, batches, batch }
}

describe('A batcher', () => {
  it('runs one batch at a time, and then all items that arrived meanwhile in the next one', async () => {
    const { batcher, batches, batch } = heldBatcher()
    const first = batcher.load('a')
    assert.deepEqual((await batch(0)).items, ['a'])
    const rest = Promise.all([batcher.load('b'), batcher.load('c')])
    await new Promise((resolve) => setImmediate(resolve))
    assert.lengthOf(batches, 1)
    batches[0]?.finish()
    assert.deepEqual((await batch(1)).items, ['b', 'c'])
    batches[1]?.finish()
    assert.equal(await first, 'done a')
    assert.deepEqual(await rest, ['done b', 'done c'])
  })

  it('gives each caller the result of its own item', async () => {
    const { batcher, batch } = heldBatcher()
    const outcomes = Promise.allSettled([batcher.load('a'), batcher.load('bad'), batcher.load('b')])
    ;(await batch(0)).finish()
    assert.deepEqual((await outcomes).map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled'])
  })

  it('puts no more items into a batch than its width', async () => {
    const { batcher, batches, batch } = heldBatcher({ width: 2 })
    const all = Promise.all(['a', 'b', 'c'].map((item) => batcher.load(item)))
    assert.deepEqual((await batch(0)).items, ['a', 'b'])
    batches[0]?.finish()
    assert.deepEqual((await batch(1)).items, ['c'])
    batches[1]?.finish()
    await all
  })

  it('refuses items beyond its depth, and takes more once others are done', async () => {
    const { batcher, batch } = heldBatcher({ depth: 2 })
    const taken = Promise.all([batcher.load('a'), batcher.load('b')])
    const refusal = await batcher.load('c').then(() => undefined, (error: unknown) => error)
    assert.instanceOf(refusal, QueueFull)
    ;(await batch(0)).finish()
    await taken
    const later = batcher.load('d')
    ;(await batch(1)).finish()
    assert.equal(await later, 'done d')
  })

  it('fails a batch that takes too long, and then runs the next one', async () => {
    let batches = 0
    const batcher = makeBatcher<string, string>(
      (items) => ((batches += 1) === 1 ? new Promise(() => undefined) : Promise.resolve([...items])),
      { deadlineMs: 5 },
    )
    const hanging = await batcher.load('a').then(() => undefined, (error: unknown) => error)
    assert.instanceOf(hanging, BatchTimeout)
    assert.equal(await batcher.load('b'), 'b')
  })

  it('aborts the signal of a batch that takes too long, and of no other', async () => {
    const signals: AbortSignal[] = []
    const batcher = makeBatcher<string, string>(
      (items, signal) => (signals.push(signal) === 1 ? new Promise(() => undefined) : Promise.resolve([...items])),
      { deadlineMs: 5 },
    )
    await batcher.load('a').catch(() => undefined)
    await batcher.load('b')
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, false])
  })

  it('counts no time in which the event loop was too busy to read answers, neither for a batch nor for items that wait', async () => {
    const block = (ms: number): void => {
      const start = performance.now()
      while (performance.now() - start < ms);
    }
    const batcher = makeBatcher<string, string>(async (items) => {
      for (let statement = 0; statement < 3; statement += 1) {
        const answer = stat(fileURLToPath(import.meta.url))
        block(250)
        await answer
      }
      return [...items]
    }, { width: 1, deadlineMs: 500 })
    assert.deepEqual(await Promise.all(['a', 'b'].map(batcher.load)), ['a', 'b'])
  })

  it('fails an item that has waited past its deadline, and does not run it', async () => {
    const ran: Array<string> = []
    const batcher = makeBatcher<string, string>((items) => {
      ran.push(...items)
      return new Promise(() => undefined)
    }, { width: 1, deadlineMs: 100 })
    const outcomes = await Promise.all(['a', 'b', 'c'].map((item) => batcher.load(item).catch((error: unknown) => error)))
    for (const outcome of outcomes) assert.instanceOf(outcome, BatchTimeout)
    // The first takes the whole time. The second may run for the fifth of it that each batch gets, if the clock's tick falls on the deadline; the third never may.
    assert.equal(ran[0], 'a')
    assert.notInclude(ran, 'c')
  })

  it('runs the same item again each time, because nothing is cached', async () => {
    let asked = 0
    const batcher = makeBatcher<string, number>((items) => Promise.resolve(items.map(() => (asked += 1))))
    assert.equal(await batcher.load('a'), 1)
    assert.equal(await batcher.load('a'), 2)
  })

  it('is idle only once every loaded item is done', async () => {
    const { batcher, batch } = heldBatcher()
    let idle = false
    const asked = batcher.load('a')
    const waiting = batcher.idle().then(() => { idle = true })
    const under = await batch(0)
    assert.isFalse(idle)
    under.finish()
    await asked
    await waiting
    assert.isTrue(idle)
  })

  it('runs further batches after one that failed as a whole', async () => {
    let fail = true
    const batcher = makeBatcher<string, string>((items) => (fail ? Promise.reject(new Error('down')) : Promise.resolve([...items])))
    assert.equal(await batcher.load('a').catch((error: unknown) => (error as Error).message), 'down')
    fail = false
    assert.equal(await batcher.load('a'), 'a')
  })
})

await describeEachDatabase('A read batcher', (server) => {
  let testDatabase: TestDatabase
  let opened: Database

  before(async () => {
    testDatabase = await server.create()
    opened = openDatabase(testDatabase.url)
    opened.allowCreate()
    await opened.knex.schema.createTable('notes', (table) => {
      table.integer('id').primary()
      table.text('note')
    })
    await execute(opened.db, "INSERT INTO notes (id, note) VALUES (1, 'one'), (2, 'two')")
  })

  after(async () => {
    await opened.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  const noteOf: Read<number, string | undefined> = async (db, ids) => {
    const rows = await select(db, 'SELECT id, note FROM notes ORDER BY id')
    return ids.map((id) => rows.find((row) => Number(row['id']) === id)?.['note'] as string | undefined)
  }
  const sumWith: Read<number, number> = async (db, addends) => {
    const [row] = await select(db, 'SELECT SUM(id) AS total FROM notes')
    return addends.map((addend) => Number(row?.['total']) + addend)
  }
  const wrong: Read<number, never> = async (db) => {
    await select(db, 'SELECT nothing FROM nowhere')
    return []
  }

  it('gives every caller its own answer', async () => {
    const readBatcher = makeReadBatcher(opened)
    const [note, sum] = [readBatcher(noteOf), readBatcher(sumWith)]
    assert.deepEqual(await Promise.all([note(2), sum(10), note(1), note(3), sum(20)]), ['two', 13, 'one', undefined, 23])
  })

  // A file has no round trips.
  if (server.name !== 'SQLite') {
    it('asks for all kinds in one round trip on one connection', async () => {
      const proxy = await openTcpProxy(testDatabase.url)
      const beyond = openDatabase(proxy.url)
      const readBatcher = makeReadBatcher(beyond)
      const [note, sum] = [readBatcher(noteOf), readBatcher(sumWith)]
      await note(1)
      const before = proxy.roundTrips()
      await Promise.all([note(2), sum(10), note(1), sum(20)])
      assert.deepEqual([proxy.roundTrips() - before, proxy.open()], [1, 1])
      await beyond.close()
      await proxy.close()
    })
  }

  it('reads again each time', async () => {
    const note = makeReadBatcher(opened)(noteOf)
    assert.equal(await note(2), 'two')
    await execute(opened.db, "UPDATE notes SET note = 'deux' WHERE id = 2")
    assert.equal(await note(2), 'deux')
    await execute(opened.db, "UPDATE notes SET note = 'two' WHERE id = 2")
  })

  for (const [place, order] of [['first', [0, 1, 2]], ['in between', [1, 0, 2]], ['last', [1, 2, 0]]] as const) {
    it(`answers the others if a query fails that was started ${place}`, async () => {
      const readBatcher = makeReadBatcher(opened)
      const [fails, note, sum] = [readBatcher(wrong), readBatcher(noteOf), readBatcher(sumWith)]
      const loads = [() => fails(1), () => note(1), () => sum(1)]
      const outcomes = await Promise.allSettled(order.map((index) => loads[index]!()))
      assert.deepEqual(
        order.map((index, position) => [index, outcomes[position]?.status]).sort().map(([, status]) => status),
        ['rejected', 'fulfilled', 'fulfilled'],
      )
    })
  }

  it('releases its connections', async () => {
    const readBatcher = makeReadBatcher(opened)
    const [fails, note, sum] = [readBatcher(wrong), readBatcher(noteOf), readBatcher(sumWith)]
    // More batches than the pool has connections.
    for (let batch = 0; batch < 12; batch += 1) await Promise.allSettled([fails(1), note(1), sum(1)])
    assert.deepEqual(await Promise.all([note(1), sum(0)]), ['one', 3])
  })
})

await describeEachDatabase('A write that passes its deadline', (server) => {
  let testDatabase: TestDatabase
  let database: Database

  before(async () => {
    testDatabase = await server.create()
    database = openDatabase(testDatabase.url)
    database.allowCreate()
    await database.knex.raw('CREATE TABLE notes (note VARCHAR(20))')
  })
  after(async () => {
    await database.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  it('is rolled back, because its caller has got an error', async () => {
    let resume = (): void => undefined
    let finish = (): void => undefined
    const resumed = new Promise<void>((resolve) => { resume = resolve })
    const finished = new Promise<void>((resolve) => { finish = resolve })
    let runs = 0
    const insertNotes: Write<string, undefined> = {
      kind: 'apply-changes',
      run: async (trx, notes) => {
        runs += 1
        if (notes.includes('late')) await resumed
        for (const note of notes) await execute(trx, 'INSERT INTO notes (note) VALUES (?)', [note])
        if (notes.includes('late')) finish()
        return notes.map(() => undefined)
      },
    }
    const impatient = makeGroupCommit(database, { deadlineMs: 50 })
    assert.instanceOf(await impatient.write(insertNotes, 'late').catch((error: unknown) => error), BatchTimeout)
    resume()
    await finished
    await impatient.idle()
    // Of another process, which has as long as it needs.
    await makeGroupCommit(database).write(insertNotes, 'in time')
    // Closing the pool waits for every connection that is still in use.
    await database.close()
    database = openDatabase(testDatabase.url)
    assert.deepEqual((await select(database.db, 'SELECT note FROM notes')).map(({ note }) => note), ['in time'])
    assert.equal(runs, 2)
  })
})

const USD = 'USD' as Currency
const AT = Date.UTC(2026, 10, 1)

await describeEachStorage('Group commit', ({ storage, elsewhere }) => {
  let workspace: WorkspaceId

  beforeEach(async () => { workspace = await fundedWorkspace(storage(), 1_000n) })

  const newId = (): MessageId => messageIdOf(randomUUID())

  const open = (id: MessageId, micros = 1n) =>
    storage().messageLog.open({
      id, workspace, at: AT, price: { micros, currency: USD, category: 'service' },
      message: { _tag: 'Text', to: '15550001' as PhoneNumber, text: 'hello' },
    })

  const hold = (message: MessageId) => storage().wallet.hold({ workspace, message, amount: { micros: 1n, currency: USD }, at: AT })

  it('fails a bad item alone, and writes the other items of its transaction', async () => {
    const tooBigForAnyColumn = 2n ** 70n
    const outcomes = await Promise.all([open(newId()), open(newId(), tooBigForAnyColumn), open(newId()), hold(newId())])
    assert.deepEqual(outcomes.map(({ _tag }) => _tag), ['Right', 'Left', 'Right', 'Right'])
    const messages = await storage().messageLog.list(workspace, { limit: 10 })
    assert.lengthOf(E.isRight(messages) ? messages.right.items : [], 2)
  })

  it('accepts a repeated hold, and writes the other holds of its transaction', async () => {
    const known = newId()
    assert.isTrue(E.isRight(await hold(known)))
    const outcomes = await Promise.all([hold(newId()), hold(known), hold(newId())])
    assert.deepEqual(outcomes.map(E.isRight), [true, true, true])
    const balance = await storage().ledger.balance(workspace)
    assert.deepInclude(balance, { right: { _tag: 'Some', value: { available: 997n, held: 3n, currency: USD } } })
  })

  it('lets two gateways hold exactly the balance of one wallet', async () => {
    const outcomes = []
    // Both gateways compete in each round. All at once could pass the deadline of a write on a loaded machine.
    for (let round = 0; round < 12; round += 1) {
      outcomes.push(...await Promise.all(Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? storage() : elsewhere()).wallet.hold({
          workspace, message: newId(), amount: { micros: 1n, currency: USD }, at: AT,
        }))))
    }
    assert.lengthOf(outcomes.filter(E.isRight), 1_000)
    assert.isTrue(outcomes.every((outcome) => E.isRight(outcome) || outcome.left._tag === 'InsufficientBalance'))
    assert.deepEqual(await storage().ledger.audit(), await elsewhere().ledger.audit())
  })
})
