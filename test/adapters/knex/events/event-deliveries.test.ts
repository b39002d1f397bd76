import { randomBytes, randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { type KnexStorage, openStorage } from '../../../../adapters/knex/index.js'
import { SHARDS } from '../../../../core/events/delivery.js'
import { type EndpointId, endpointIdOf, endpointSecretOf } from '../../../../core/events/endpoint.js'
import { eventIdOf, type WorkspaceId, workspaceIdOf } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import type { Event, EventPosition } from '../../../../core/kernel/outbox.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { done } from '../../../support/right-of.js'

const NOON = Date.UTC(2026, 2, 1, 12)
const SECRET = 'a secret for tests, long enough for anyone'
const ALL_SHARDS = Array.from({ length: SHARDS }, (_, shard) => shard)

await describeEachDatabase('Deliveries of events over SQL', (server) => {
  let database: TestDatabase
  let storage: KnexStorage
  let elsewhere: KnexStorage
  let otherSecret: KnexStorage
  let withoutSecret: KnexStorage

  before(async () => {
    database = await server.createMigrated()
    const open = (secret: string | undefined): KnexStorage => openStorage({ url: database.url, secret })
    ;[storage, elsewhere, otherSecret, withoutSecret] = [open(SECRET), open(SECRET), open(`another ${SECRET}`), open(undefined)]
  })

  after(async () => {
    for (const opened of [storage, elsewhere, otherSecret, withoutSecret]) await opened.close()
    await database[Symbol.asyncDispose]()
  })

  const openWorkspace = async (): Promise<WorkspaceId> => {
    const id = workspaceIdOf(randomUUID())
    await done(storage.workspaces.create({ id, name: 'Acme', currency: 'USD' as Currency, createdAt: NOON }))
    return id
  }

  const newEndpoint = (workspace: WorkspaceId) => ({
    id: endpointIdOf(uuidv7()), workspace, url: 'https://app.example/', types: ['*'], description: '', createdAt: NOON,
    secret: endpointSecretOf(randomBytes(24).toString('base64')),
  })

  const added = async (workspace: WorkspaceId, by = storage): Promise<EndpointId> => {
    const endpoint = newEndpoint(workspace)
    await done(by.eventEndpoints.add(endpoint))
    return endpoint.id
  }

  const happens = (workspace: WorkspaceId, count: number): Promise<void> => {
    const eventOf = (): Event => ({ id: eventIdOf(uuidv7()), type: 'message.sent', workspace, at: NOON, subject: 'a message', data: {} })
    return done(storage.eventOutbox.append(workspace, Array.from({ length: count }, eventOf)))
  }

  const dueOf = async (ids: ReadonlyArray<EndpointId>) => {
    const due = await done(storage.eventDeliveries.due({ shards: ALL_SHARDS, at: NOON, limit: 2_000, except: [] }))
    return due.filter(({ endpoint }) => ids.includes(endpoint.id))
  }

  const moved = (endpoint: EndpointId, from: EventPosition, to: EventPosition) =>
    ({ endpoint, from, to, attempts: [], retry: [], done: [], failures: 0, failingSince: undefined, pausedUntil: undefined })

  it('records the results of many endpoints in one write, even if another gateway has moved one of them', async () => {
    const workspace = await openWorkspace()
    const endpoints = await Promise.all(Array.from({ length: 12 }, () => added(workspace)))
    const [first, ...others] = endpoints
    if (first === undefined) throw new Error('there is no endpoint')
    await happens(workspace, 3)
    assert.isTrue(await done(elsewhere.eventDeliveries.record(moved(first, 0, 1))))
    const attempt = (endpoint: EndpointId) => ({
      id: uuidv7().replaceAll('-', ''), endpoint, event: eventIdOf(uuidv7()), type: 'message.sent' as const, at: NOON, delivered: true,
      httpStatus: 204, error: undefined, answer: undefined, durationMs: 3, nextAttemptAt: undefined,
    })
    const noted = await Promise.all(
      endpoints.map((id) => done(storage.eventDeliveries.record({ ...moved(id, 0, 3), attempts: [attempt(id)] }))),
    )
    assert.deepEqual(noted, [false, ...others.map(() => true)])
    const listed = await done(storage.eventEndpoints.list(workspace))
    assert.deepEqual(
      listed.filter(({ lastDelivery }) => lastDelivery?.httpStatus === 204 && lastDelivery.delivered).map(({ id }) => id), others,
    )
    for (const id of endpoints) {
      assert.lengthOf((await done(storage.eventDeliveries.attempts(id, { limit: 10 }))).items, id === first ? 0 : 1)
    }
    assert.deepEqual((await dueOf(endpoints)).map(({ endpoint, position }) => [endpoint.id, position]), [[first, 1]])
  })

  it('stores no endpoint without a secret to encrypt its own, and says why', async () => {
    const workspace = await openWorkspace()
    const outcome = await withoutSecret.eventEndpoints.add(newEndpoint(workspace))
    assert.isTrue(E.isLeft(outcome))
    if (E.isLeft(outcome)) {
      assert.equal(outcome.left._tag, 'PortFailure')
      assert.match(String((outcome.left as { readonly cause?: unknown }).cause), /POSTERN_SECRET is not set/)
    }
    assert.deepEqual(await done(storage.eventEndpoints.list(workspace)), [])
  })

  it('delivers to other endpoints while the secret of one cannot be decrypted', async () => {
    const workspace = await openWorkspace()
    const [readable, unreadable] = [await added(workspace), await added(workspace, otherSecret)]
    await happens(workspace, 1)
    assert.deepEqual((await dueOf([readable, unreadable])).map(({ endpoint }) => endpoint.id), [readable])
    assert.isTrue(E.isLeft(await storage.eventEndpoints.secretsOf(unreadable)))
    await done(storage.eventEndpoints.remove(unreadable))
  })

  it('notes each step of an endpoint once while two gateways deliver to it', async () => {
    const workspace = await openWorkspace()
    const id = await added(workspace)
    await happens(workspace, 20)
    const [task] = await dueOf([id])
    const from = task?.position ?? 0
    for (let step = 0; step < 20; step += 1) {
      const outcomes = await Promise.all(
        [storage, elsewhere, storage, elsewhere].map(({ eventDeliveries }) =>
          done(eventDeliveries.record(moved(id, from + step, from + step + 1)))),
      )
      assert.deepEqual(outcomes.filter((noted) => noted), [true])
    }
    assert.deepEqual(await dueOf([id]), [])
  })

  it('has no endpoint due in another process once it was disabled there', async () => {
    const workspace = await openWorkspace()
    const id = await added(workspace)
    await happens(workspace, 1)
    await done(elsewhere.eventEndpoints.change(id, { status: 'disabled' }, NOON))
    assert.deepEqual(await dueOf([id]), [])
    assert.isFalse(await done(elsewhere.eventOutbox.listens(workspace, NOON)))
  })

  it('listens to a workspace at once when an endpoint is added, and no longer when it is removed', async () => {
    const workspace = await openWorkspace()
    assert.isFalse(await done(storage.eventOutbox.listens(workspace, NOON)))
    const id = await added(workspace)
    assert.isTrue(await done(storage.eventOutbox.listens(workspace, NOON)))
    await done(storage.eventDeliveries.record({ ...moved(id, 0, 0), disabled: true }))
    assert.isFalse(await done(storage.eventOutbox.listens(workspace, NOON)))
    await done(storage.eventEndpoints.change(id, { status: 'enabled' }, NOON))
    assert.isTrue(await done(storage.eventOutbox.listens(workspace, NOON)))
    await done(storage.eventEndpoints.remove(id))
    assert.isFalse(await done(storage.eventOutbox.listens(workspace, NOON)))
  })

  it('has more events delivered again than one transaction takes, each once', async () => {
    const workspace = await openWorkspace()
    await happens(workspace, 2_500)
    const id = await added(workspace)
    assert.equal(await done(storage.eventDeliveries.redeliverSince(id, NOON, NOON)), 2_500)
    const waiting = await done(storage.eventDeliveries.retries(id, NOON, 5_000))
    assert.equal(new Set(waiting.map(({ event }) => event.id)).size, 2_500)
    assert.isTrue(await done(storage.eventEndpoints.remove(id)))
  })

  it('says of an event that was removed by age that nothing is due', async () => {
    const workspace = await openWorkspace()
    const id = await added(workspace)
    await happens(workspace, 1)
    await done(storage.eventOutbox.removeOld(NOON + 1, NOON))
    assert.deepEqual(await dueOf([id]), [])
    const behind = await done(storage.eventDeliveries.brokerDue(1_000))
    assert.notInclude(behind.map((task) => task.workspace), workspace)
  })
})
