// Slow: keeps compiled gateways busy through an overlap of five seconds by the real clock, on each database.
import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { assertExact, readBooks, withDatabase } from '../../support/books.js'
import { describeEachDatabase } from '../../support/databases.js'
import { PRICE, sendTemplate } from '../../support/load.js'
import { posternJson } from '../../support/postern.js'
import { rightOf } from '../../support/right-of.js'
import { startGateways, type SeveralGateways } from '../../support/several-gateways.js'
import type { ServerProcess } from '../../support/server-process.js'

const SENDERS_EACH = 3
const SENDS_BEFORE = 50
const FUNDS = 1_000_000n * PRICE

/** A send and its status, with the moments between which a gateway looked at its key. */
type Send = { readonly from: number; readonly to: number; readonly status: number; readonly id: string }

/** Senders of one key at all gateways, one send after another. */
type Sending = {
  readonly sends: ReadonlyArray<Send>
  /** Resolves after so many sends. */
  readonly busy: Promise<void>
  /** Each sender stops after its first send that began at a moment or later. */
  readonly stopFrom: (moment: number) => void
  readonly done: Promise<void>
}

type NewKey = { readonly id: string; readonly key: string }

await describeEachDatabase('Two gateways, busy with sends,', (server) => {
  let world: SeveralGateways<ServerProcess>
  const sent: Send[] = []

  before(async () => {
    world = await startGateways(server, FUNDS)
  })
  after(() => world[Symbol.asyncDispose]())

  const startSending = (key: string): Sending => {
    const sends: Send[] = []
    let last = Infinity
    let onBusy: () => void
    const busy = new Promise<void>((resolve) => { onBusy = resolve })
    const sendOn = async ({ url }: ServerProcess): Promise<void> => {
      for (let from = 0; from < last;) {
        from = Date.now()
        const { status, headers } = await sendTemplate(url, key, `1555020${String(sent.length + sends.length).padStart(6, '0')}`)
        sends.push({ from, to: Date.now(), status, id: headers.get('Postern-Message') ?? 'none' })
        if (sends.length >= SENDS_BEFORE) onBusy()
      }
    }
    const done = Promise.all(Array.from({ length: SENDERS_EACH }, () => world.gateways.map(sendOn)).flat())
      .then(() => void sent.push(...sends))
    return { sends, busy, done, stopFrom: (moment) => { last = moment } }
  }

  const statusesOf = (sends: ReadonlyArray<Send>): number[] => [...new Set(sends.map(({ status }) => status))]

  it('serve both keys while a rotation lets them overlap, and from its end on only the successor', async () => {
    const old = startSending(world.account.key)
    await Promise.race([old.busy, old.done])
    const { key } = await posternJson(['key', 'rotate', world.account.keyId, '--overlap', '5s'], world.env) as NewKey
    const successor = startSending(key)
    const replaced = O.toUndefined(
      rightOf(await withDatabase(world.env.DATABASE_URL, ({ keyStore }) => keyStore.find(world.account.keyId))),
    )
    const endsAt = replaced?.expiresAt ?? assert.fail('the old key has no end')
    old.stopFrom(endsAt)
    await old.done
    successor.stopFrom(Date.now())
    await successor.done

    assert.deepEqual(statusesOf(old.sends.filter(({ to }) => to < endsAt)), [200], 'the old key before the end')
    const after = old.sends.filter(({ from }) => from >= endsAt)
    assert.isAtLeast(after.length, SENDERS_EACH * world.gateways.length)
    assert.deepEqual(statusesOf(after), [401], 'the old key from the end on')
    assert.sameMembers(statusesOf(old.sends), [200, 401])
    assert.deepEqual(statusesOf(successor.sends), [200], 'the successor')
    assert.isNotEmpty(successor.sends.filter(({ to }) => to < endsAt), 'both keys were used in the overlap')
  })

  for (const [title, command] of [['revoked', ['revoke']], ['replaced without an overlap', ['rotate', '--overlap', '0']]] as const) {
    it(`serve a key that is ${title} no more from the next send on`, async () => {
      const { id, key } = await posternJson(['key', 'mint', world.account.id], world.env) as NewKey
      const ended = startSending(key)
      await Promise.race([ended.busy, ended.done])
      const [verb, ...options] = command
      const begun = Date.now()
      await posternJson(['key', verb, id, ...options], world.env)
      const answered = Date.now()
      ended.stopFrom(answered)
      await ended.done
      assert.deepEqual(statusesOf(ended.sends.filter(({ to }) => to < begun)), [200])
      assert.deepEqual(statusesOf(ended.sends.filter(({ from }) => from >= answered)), [401])
      assert.sameMembers(statusesOf(ended.sends), [200, 401])
    })
  }

  it('leave exact books', async () => {
    const paid = sent.flatMap(({ status, id }) => (status === 200 ? [id] : []))
    assert.sameMembers(world.simulator.received().map(({ callback }) => callback ?? 'none'), paid)
    assertExact(await readBooks(world.env.DATABASE_URL, world.account.id), FUNDS, paid)
  })
})
