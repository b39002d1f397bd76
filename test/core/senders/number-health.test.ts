import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { type PlatformUnreachable, portFailure } from '../../../core/kernel/failure.js'
import { HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { makePostern } from '../../../core/postern.js'
import type { AccountField, AccountNoticeReport } from '../../../core/reports/account.js'
import { type NumberFacts, type PlatformNumbers, READ_EVERY_MS, READ_SOON_MS } from '../../../core/senders/number-health.js'
import { type SenderId, senderIdOf } from '../../../core/senders/sender.js'
import { ACCOUNT, memoryWorld, type NewWorkspace } from '../../support/memory-world.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'

const FACTS: NumberFacts = {
  displayNumber: '+1 555-010-9999', verifiedName: 'Shop', quality: 'green', customersPerDay: 250, messagesPerSecond: 80,
}
const DOWN: PlatformUnreachable = { _tag: 'PlatformUnreachable', cause: new Error('down') }

/** The use cases over memory, and a platform whose numbers a test changes; a number without facts cannot be read. */
const openWorld = (numbers?: PlatformNumbers) => {
  const world = memoryWorld()
  const [facts, asked] = [new Map<string, NumberFacts>(), new Array<SenderId>()]
  const platformNumbers: PlatformNumbers = numbers ?? {
    read: async ({ phoneNumberId }) => {
      asked.push(phoneNumberId)
      const found = facts.get(phoneNumberId)
      return found === undefined ? E.left(DOWN) : E.right(found)
    },
  }
  const postern = makePostern({ ...world.ports, platformNumbers }, world.settings)
  const readings = postern.numbers ?? assert.fail('there are no readings of numbers')
  return {
    ...world, postern, facts, asked,
    add: async (of: NumberFacts | undefined, more: NewWorkspace = {}) => {
      const added = await world.addWorkspace(more)
      if (of !== undefined) facts.set(added.phoneNumberId, of)
      return added
    },
    refresh: async () => rightOf(await readings.refreshNumbers(() => true)),
    refreshNumber: readings.refreshNumber,
    events: async (workspace: Parameters<typeof world.storage.eventOutbox.after>[0]) =>
      (await done(world.storage.eventOutbox.after(workspace, 0, 100))).map(({ type, subject, data }) => ({ type, subject, data })),
  }
}

describe('Reading the numbers that are due', () => {
  it('stores what the platform reports, and reads each number again after six hours', async () => {
    const { add, refresh, asked, passes, storage, now } = openWorld()
    const { workspace, phoneNumberId } = await add(FACTS)
    assert.deepEqual(await refresh(), { read: 1, failed: 0 })
    assert.deepEqual(await done(storage.numberHealth.of(workspace)), [{ ...FACTS, phoneNumberId, qualitySince: now(), readAt: now() }])
    passes(READ_EVERY_MS - 1)
    assert.deepEqual(await refresh(), { read: 0, failed: 0 })
    passes(1)
    assert.deepEqual(await refresh(), { read: 1, failed: 0 })
    assert.lengthOf(asked, 2)
  })

  it('reads the others if one cannot be read, which is tried again after half an hour', async () => {
    const { add, refresh, asked, passes } = openWorld()
    const { phoneNumberId } = await add(undefined)
    for (let count = 0; count < 9; count += 1) await add(FACTS)
    assert.deepEqual(await refresh(), { read: 9, failed: 1 })
    passes(30 * MINUTE_MS)
    assert.deepEqual(await refresh(), { read: 0, failed: 1 })
    assert.lengthOf(asked.filter((id) => id === phoneNumberId), 2)
  })

  it('reads the others if a platform throws for one', async () => {
    let calls = 0
    const { add, refresh } = openWorld({
      read: async () => {
        calls += 1
        if (calls === 1) throw new Error('broken')
        return E.right(FACTS)
      },
    })
    for (let count = 0; count < 5; count += 1) await add(undefined)
    assert.deepEqual(await refresh(), { read: 4, failed: 1 })
  })

  it('starts no more readings once it should stop', async () => {
    const { add, postern, asked } = openWorld()
    await add(FACTS)
    assert.deepEqual(await postern.numbers?.refreshNumbers(() => false), E.right({ read: 0, failed: 0 }))
    assert.deepEqual(asked, [])
  })

  it('makes an event of a changed quality or limit, with the values before, and none of anything else', async () => {
    const { add, facts, refresh, passes, events, storage, now } = openWorld()
    const { workspace, phoneNumberId } = await add(FACTS)
    await done(storage.eventOutbox.notePull(workspace, now()))
    await refresh()
    passes(READ_EVERY_MS)
    facts.set(phoneNumberId, { ...FACTS, verifiedName: 'Other' })
    await refresh()
    assert.deepEqual(await events(workspace), [])
    passes(READ_EVERY_MS)
    facts.set(phoneNumberId, { ...FACTS, quality: 'red', customersPerDay: 'unlimited' })
    await refresh()
    const at = new Date(now()).toISOString()
    assert.deepEqual<unknown>(await events(workspace), [{
      type: 'sender.quality', subject: phoneNumberId,
      data: {
        phone_number_id: phoneNumberId, display_phone_number: '+1 555-010-9999', quality: 'red', messages_per_second: 80,
        customers_per_day: { limit: 'unlimited' }, quality_since: at, read_at: at,
        previous: { quality: 'green', messages_per_second: 80, customers_per_day: { limit: 250 } },
      },
    }])
  })
})

describe('Reading one number', () => {
  it('is refused for a number that is not a sender of the workspace', async () => {
    const { add, refreshNumber, asked } = openWorld()
    const [ours, theirs] = [await add(FACTS), await add(FACTS)]
    for (const sender of [theirs.phoneNumberId, senderIdOf('1')]) {
      assert.deepEqual(leftOf(await refreshNumber({ workspace: ours.workspace, sender })), { _tag: 'UnknownSender', sender })
    }
    assert.deepEqual(asked, [])
  })

  it('says why it could not be read, and keeps what is known', async () => {
    const { add, facts, refreshNumber, storage } = openWorld()
    const { workspace, phoneNumberId: sender } = await add(FACTS)
    assert.deepEqual(rightOf(await refreshNumber({ workspace, sender })), FACTS)
    facts.delete(sender)
    assert.deepEqual(leftOf(await refreshNumber({ workspace, sender })), DOWN)
    assert.deepInclude((await done(storage.numberHealth.of(workspace)))[0], FACTS)
  })
})

describe('A notice of the platform about numbers', () => {
  const notice = (field: AccountField, accountId: string, subject = ''): AccountNoticeReport =>
    ({ _tag: 'AccountNotice', accountId, field, subject, value: { event: 'FLAGGED' } })

  for (const field of ['phone_number_quality_update', 'business_capability_update'] as const) {
    it(`has the numbers of the account read soon, but not within the request: ${field}`, async () => {
      const { add, postern, refresh, passes, asked } = openWorld()
      const { phoneNumberId } = await add(FACTS, { businessAccountId: ACCOUNT })
      await add(FACTS, { businessAccountId: '1' })
      await refresh()
      passes(HOUR_MS)
      assert.deepEqual(await postern.upkeep.receive([notice(field, ACCOUNT)]), E.right(['notice_kept']))
      assert.lengthOf(asked, 2)
      passes(READ_SOON_MS - 1)
      assert.deepEqual(await refresh(), { read: 0, failed: 0 })
      passes(1)
      assert.deepEqual(await refresh(), { read: 1, failed: 0 })
      assert.equal(asked.at(-1), phoneNumberId)
    })
  }

  it('finds a number of a sender without an account by its digits', async () => {
    const { add, postern, refresh, passes } = openWorld()
    await add(FACTS)
    await refresh()
    rightOf(await postern.upkeep.receive([notice('phone_number_quality_update', ACCOUNT, '15550109999')]))
    passes(READ_SOON_MS)
    assert.deepEqual(await refresh(), { read: 1, failed: 0 })
  })

  it('is delivered again if that cannot be stored', async () => {
    const { ports, settings, storage } = memoryWorld()
    const failure = portFailure('NumberHealth')('down')
    const { upkeep } = makePostern({ ...ports, numberHealth: { ...storage.numberHealth, want: async () => E.left(failure) } }, settings)
    assert.deepEqual(leftOf(await upkeep.receive([notice('business_capability_update', ACCOUNT)])), failure)
    assert.isTrue(E.isRight(await upkeep.receive([notice('account_update', ACCOUNT)])))
  })
})

describe('Setting a sender', () => {
  const form = { phoneNumberId: '1000', accessToken: 'EAAtoken', businessAccountId: ACCOUNT }

  it('reads its number at once', async () => {
    const { add, facts, postern, storage, now } = openWorld()
    const { workspace } = await add(undefined, { sender: false })
    facts.set('1000', FACTS)
    rightOf(await postern.workspaces.assignSender({ by: SYSTEM, workspace, ...form }))
    const phoneNumberId = senderIdOf('1000')
    assert.deepEqual(await done(storage.numberHealth.of(workspace)), [{ ...FACTS, phoneNumberId, qualitySince: now(), readAt: now() }])
  })

  it('succeeds if the number cannot be read, which is then due', async () => {
    const { add, facts, postern, refresh } = openWorld()
    const { workspace } = await add(undefined, { sender: false })
    rightOf(await postern.workspaces.assignSender({ by: SYSTEM, workspace, ...form }))
    facts.set('1000', FACTS)
    assert.deepEqual(await refresh(), { read: 1, failed: 0 })
  })

  it('reads no number if it is refused', async () => {
    const { add, asked, postern } = openWorld()
    const { workspace } = await add(undefined, { sender: false })
    leftOf(await postern.workspaces.assignSender({ by: SYSTEM, workspace, ...form, accessToken: '' }))
    assert.deepEqual(asked, [])
  })

  it('to another id of the number reads it, too', async () => {
    const { add, asked, facts, postern } = openWorld()
    const { workspace, phoneNumberId: sender } = await add(FACTS)
    facts.set('1000', FACTS)
    rightOf(await postern.workspaces.replaceSender({ by: SYSTEM, workspace, sender, replacement: form }))
    assert.deepEqual(asked, [senderIdOf('1000')])
  })
})
