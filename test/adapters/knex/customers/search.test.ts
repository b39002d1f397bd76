import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { makeMemoryStorage } from '../../../../adapters/memory/index.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import { SYSTEM } from '../../../../core/kernel/actor.js'
import { type WorkspaceId, workspaceIdOf } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import type { Storage } from '../../../../core/ports.js'
import { makeSearch, MAX_NAMED, NAMED_LOOK } from '../../../../core/search.js'
import { describeEachStorage } from '../../../support/each-storage.js'
import { done } from '../../../support/right-of.js'

const NOON = Date.UTC(2026, 2, 1, 12)

/** The same customers are found in the same order in every storage. */
const findsNames = (storage: () => Storage): void => {
  it('finds exact names first, then names that begin with the text, then who wrote last, in one workspace', async () => {
    const { workspaces, customers, windowClock } = storage()
    const [here, elsewhere] = [workspaceIdOf(randomUUID()), workspaceIdOf(randomUUID())]
    for (const id of [here, elsewhere]) {
      await done(workspaces.create({ id, name: id.slice(-6), currency: 'USD' as Currency, createdAt: NOON }))
    }
    const wrote = async (workspace: WorkspaceId, number: number, name: string, at: number): Promise<void> => {
      const phoneNumber = `49151000${1000 + number}` as PhoneNumber
      await done(customers.learn(workspace, phoneNumber, { _tag: 'Named', name, at }))
      await done(windowClock.recordInbound(workspace, { phoneNumber }, at))
    }
    await wrote(here, 1, 'Łukasz', NOON)
    await wrote(here, 2, 'Lukasz Nowak', NOON + 1)
    await wrote(elsewhere, 3, 'Lukasz', NOON + 2)
    for (let count = 0; count < MAX_NAMED; count += 1) await wrote(here, 10 + count, `Jan Łukasz ${count}`, NOON + 10 + count)
    const { customers: found, named } = await done(makeSearch(storage())({ by: SYSTEM, text: 'lukasz', workspace: here }))
    assert.deepEqual(found.map(({ known }) => known?.name), [
      'Łukasz', 'Lukasz Nowak', ...Array.from({ length: MAX_NAMED - 2 }, (_, place) => `Jan Łukasz ${MAX_NAMED - 1 - place}`),
    ])
    assert.deepEqual(named, { count: MAX_NAMED + 2, isPartial: false, look: NAMED_LOOK })
  })
}

describe('The search for a name in memory', () => {
  const storage = makeMemoryStorage()
  findsNames(() => storage)
})

await describeEachStorage('The search for a name', ({ storage }) => findsNames(storage))
