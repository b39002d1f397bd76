import { assert } from 'chai'
import type { GatewayProcess } from '../../../adapters/knex/index.js'
import { describeEachStorage } from '../../support/each-storage.js'

const clock = { at: Date.UTC(2026, 10, 2) }
const process = (id: string, startedAt: number): GatewayProcess => ({
  id, version: '1.0.0', host: 'app-1', pid: 7, startedAt, reconciledAt: undefined,
})

await describeEachStorage('the processes that serve a gateway', ({ storage, elsewhere }) => {
  it('are those that sent a heartbeat within ten minutes, until they end', async () => {
    const [a, b] = [process('a', 2), process('b', 1)]
    await storage().gateways.note(a)
    await elsewhere().gateways.note(b)
    clock.at += 300_000
    await storage().gateways.note({ ...a, reconciledAt: clock.at - 5 })
    const seenAt = clock.at
    assert.deepEqual(await elsewhere().gateways.list(), [{ ...b, seenAt: seenAt - 300_000 }, { ...a, reconciledAt: seenAt - 5, seenAt }])
    clock.at += 300_001
    assert.deepEqual((await elsewhere().gateways.list()).map(({ id }) => id), ['a'])
    await storage().gateways.note(a)
    await elsewhere().gateways.note(b)
    await storage().gateways.remove('a')
    await storage().gateways.remove('a')
    assert.deepEqual((await storage().gateways.list()).map(({ id }) => id), ['b'])
    await elsewhere().gateways.remove('b')
  })

  it('do not include one whose clock was an hour ahead when it crashed', async () => {
    clock.at += 3_600_000
    await storage().gateways.note(process('ahead', 1))
    clock.at -= 3_600_000
    await storage().gateways.note(process('right', 2))
    assert.deepEqual((await elsewhere().gateways.list()).map(({ id }) => id), ['right'])
    await storage().gateways.remove('right')
  })

  it('keep the beginning of a name that is too long', async () => {
    await storage().gateways.note({ ...process('c', 1), host: 'h'.repeat(400), version: 'v'.repeat(100) })
    const [long] = await storage().gateways.list()
    assert.deepEqual([long?.host.length, long?.version.length], [255, 64])
    await storage().gateways.remove('c')
  })
}, { secret: undefined, now: () => clock.at })
