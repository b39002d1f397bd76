import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { KnexStorage } from '../../../../adapters/knex/index.js'
import { type WorkspaceId, workspaceIdOf } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { PULL_LISTENS_MS } from '../../../../core/kernel/outbox.js'
import { DAY_MS, HOUR_MS } from '../../../../core/kernel/time.js'
import { addedEndpoint, allEvents, newAttempt, newEvent, NOON, progressOf } from '../../../laws/event-fixture.js'
import { describeEachStorage, type StorageFixture } from '../../../support/each-storage.js'
import { eventually } from '../../../support/eventually.js'
import { rightOf } from '../../../support/right-of.js'

const SECRET = 'a secret for tests, long enough for anyone'
const CONTENT = { content: { body: 'Hello' }, context: null }

/** Opens workspaces of a storage. */
const opening = ({ storage }: StorageFixture) => ({
  openWorkspace: async (): Promise<{ readonly workspace: WorkspaceId }> => {
    const workspace = workspaceIdOf(randomUUID())
    rightOf(await storage().workspaces.create({ id: workspace, name: 'of a test', currency: 'USD' as Currency, createdAt: NOON }))
    return { workspace }
  },
})

const append = async ({ eventOutbox }: KnexStorage, workspace: WorkspaceId, count: number, at = NOON): Promise<void> => {
  const events = Array.from({ length: count }, () => newEvent(workspace, { type: 'message.received', at, content: CONTENT }))
  rightOf(await eventOutbox.append(workspace, events))
}

const withContent = async (storage: KnexStorage, workspace: WorkspaceId): Promise<number> =>
  (await allEvents(storage, workspace)).filter(({ content }) => content !== undefined).length

await describeEachStorage('The outbox over SQL', (fixture) => {
  const { storage, elsewhere } = fixture
  const { openWorkspace } = opening(fixture)
  const removeOld = async (before = 0, at = NOON): Promise<number> => rightOf(await storage().eventOutbox.removeOld(before, at))

  it('keeps content until every enabled endpoint has got it, and while an endpoint waits to try again', async () => {
    const { workspace } = await openWorkspace()
    const [first, second] = [
      await addedEndpoint({ ...storage(), openWorkspace }, workspace), await addedEndpoint({ ...storage(), openWorkspace }, workspace),
    ]
    await append(storage(), workspace, 3)
    const events = await allEvents(storage(), workspace)
    const [one, two, three] = events.map(({ position }) => position) as [number, number, number]
    const retry = events.slice(0, 1).map(({ id: event }) => ({ event, attempts: 1, firstAttemptAt: NOON, at: NOON + HOUR_MS }))
    rightOf(await storage().eventDeliveries.record(progressOf(first, 0, { to: three, retry })))
    await removeOld()
    assert.equal(await withContent(storage(), workspace), 3)
    rightOf(await storage().eventDeliveries.record(progressOf(second, 0, { to: two })))
    await removeOld()
    assert.deepEqual((await allEvents(storage(), workspace)).map(({ content, position }) => [position, content]), [
      [one, CONTENT], [two, undefined], [three, CONTENT],
    ])
    rightOf(await storage().eventDeliveries.record(progressOf(first, three, { done: retry.map(({ event }) => event) })))
    rightOf(await storage().eventEndpoints.change(second.id, { status: 'disabled' }, NOON))
    assert.equal(await removeOld(), 2)
    assert.lengthOf(await allEvents(storage(), workspace), 3)
    assert.equal(await withContent(storage(), workspace), 0)
  })

  it('keeps content for an application that asks for events, until a week after it last asked', async () => {
    const { workspace } = await openWorkspace()
    rightOf(await elsewhere().eventOutbox.notePull(workspace, NOON))
    await append(storage(), workspace, 2)
    await removeOld(0, NOON + PULL_LISTENS_MS - 1)
    assert.equal(await withContent(storage(), workspace), 2)
    await removeOld(0, NOON + PULL_LISTENS_MS)
    assert.equal(await withContent(storage(), workspace), 0)
  })

  it('removes old events, contents, attempts and what waits to be tried again, in several transactions', async () => {
    const { workspace } = await openWorkspace()
    const endpoint = await addedEndpoint({ ...storage(), openWorkspace }, workspace)
    await append(storage(), workspace, 1_200, NOON - DAY_MS)
    await append(storage(), workspace, 5)
    const [old] = await allEvents(storage(), workspace)
    if (old === undefined) throw new Error('they were just stored')
    const retry = [{ event: old.id, attempts: 1, firstAttemptAt: NOON - DAY_MS, at: NOON }]
    const attempts = [newAttempt(endpoint, old, { at: NOON - DAY_MS }), newAttempt(endpoint, old)]
    rightOf(await storage().eventDeliveries.record(progressOf(endpoint, 0, { to: old.position, retry, attempts })))
    assert.equal(await removeOld(NOON - HOUR_MS), 1_201)
    assert.lengthOf(await allEvents(storage(), workspace), 5)
    assert.equal(await withContent(storage(), workspace), 5)
    assert.deepEqual(rightOf(await storage().eventDeliveries.attempts(endpoint.id, { limit: 9 })).items.map(({ at }) => at), [NOON])
    assert.deepEqual(rightOf(await storage().eventDeliveries.retries(endpoint.id, NOON, 9)), [])
    assert.equal(await removeOld(NOON - HOUR_MS), 0)
  })

  it('gives an event a later position than those that were removed', async () => {
    const { workspace } = await openWorkspace()
    await append(storage(), workspace, 3, NOON - DAY_MS)
    const last = (await allEvents(storage(), workspace)).at(-1)?.position ?? Infinity
    await removeOld(NOON)
    await append(storage(), workspace, 1)
    assert.isAbove((await allEvents(storage(), workspace))[0]?.position ?? 0, last)
  })

  it('notes a later request of an application at most once an hour, and never an earlier one', async () => {
    const { workspace } = await openWorkspace()
    const listens = async ({ eventOutbox }: KnexStorage, at: number): Promise<boolean> => rightOf(await eventOutbox.listens(workspace, at))
    const week = NOON + PULL_LISTENS_MS
    assert.isFalse(await listens(storage(), NOON))
    for (const at of [NOON, NOON + HOUR_MS - 1]) rightOf(await storage().eventOutbox.notePull(workspace, at))
    assert.deepEqual([await listens(storage(), week - 1), await listens(storage(), week)], [true, false])
    rightOf(await storage().eventOutbox.notePull(workspace, NOON + HOUR_MS))
    assert.deepEqual([await listens(storage(), week + HOUR_MS - 1), await listens(storage(), week + HOUR_MS)], [true, false])
    rightOf(await elsewhere().eventOutbox.notePull(workspace, NOON - DAY_MS))
    assert.isTrue(await listens(elsewhere(), week))
  })

  it('hears of an endpoint of another gateway', async () => {
    const { workspace } = await openWorkspace()
    const listens = async ({ eventOutbox }: KnexStorage): Promise<boolean> => rightOf(await eventOutbox.listens(workspace, NOON))
    assert.isFalse(await listens(storage()))
    const { id } = await addedEndpoint({ ...elsewhere(), openWorkspace }, workspace)
    assert.isTrue(await listens(elsewhere()))
    await eventually('the other gateway hears of the endpoint', async () => (await listens(storage())) || undefined)
    rightOf(await storage().eventEndpoints.remove(id))
    assert.isFalse(await listens(storage()))
    await eventually('the other gateway hears that it is gone', async () => !(await listens(elsewhere())) || undefined)
  })

  it('finds the workspaces whose events have waited longest', async () => {
    const [waiting, failing, idle] = [await openWorkspace(), await openWorkspace(), await openWorkspace()]
    const endpoints = await Promise.all(
      [waiting, failing, idle].map(({ workspace }) => addedEndpoint({ ...storage(), openWorkspace }, workspace)),
    )
    await append(storage(), waiting.workspace, 2, 2_000)
    await append(storage(), failing.workspace, 1, 1_000)
    await append(storage(), failing.workspace, 1, 3_000)
    await append(storage(), idle.workspace, 1, 500)
    const [, second, third] = endpoints
    const [event, later] = await allEvents(storage(), failing.workspace)
    const [done] = await allEvents(storage(), idle.workspace)
    if (second === undefined || third === undefined || event === undefined || later === undefined || done === undefined) {
      throw new Error('they were just added')
    }
    const retry = [{ event: event.id, attempts: 1, firstAttemptAt: NOON, at: NOON }]
    rightOf(await storage().eventDeliveries.record(progressOf(second, 0, { to: later.position, retry })))
    rightOf(await storage().eventDeliveries.record(progressOf(third, 0, { to: done.position })))
    const { oldest, stored } = rightOf(await storage().eventOutbox.backlog(2))
    assert.deepEqual(oldest, [{ workspace: failing.workspace, at: 1_000 }, { workspace: waiting.workspace, at: 2_000 }])
    assert.isAtLeast(stored, 5)
  })
}, { secret: SECRET })

await describeEachStorage('The outbox over SQL with a broker', (fixture) => {
  const { storage } = fixture
  const { openWorkspace } = opening(fixture)

  it('keeps content until the broker has got it, and counts what waits for the broker', async () => {
    const { workspace } = await openWorkspace()
    assert.isTrue(rightOf(await storage().eventOutbox.listens(workspace, NOON)))
    await append(storage(), workspace, 3, 7)
    const [one, two, three] = (await allEvents(storage(), workspace)).map(({ position }) => position) as [number, number, number]
    const waits = async (): Promise<unknown> =>
      rightOf(await storage().eventOutbox.backlog(9)).oldest.find((each) => each.workspace === workspace)
    assert.equal(rightOf(await storage().eventOutbox.removeOld(0, NOON)), 0)
    assert.isTrue(rightOf(await storage().eventDeliveries.recordBroker({ workspace, from: 0, to: two })))
    assert.equal(rightOf(await storage().eventOutbox.removeOld(0, NOON)), 2)
    assert.deepEqual((await allEvents(storage(), workspace)).map(({ content, position }) => [position, content]), [
      [one, undefined], [two, undefined], [three, CONTENT],
    ])
    assert.deepEqual(await waits(), { workspace, at: 7 })
    assert.isTrue(rightOf(await storage().eventDeliveries.recordBroker({ workspace, from: two, to: three })))
    assert.isUndefined(await waits())
  })
}, { secret: SECRET, broker: true })
