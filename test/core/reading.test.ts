import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { machine } from '../../adapters/machine/machine.js'
import { makeMemoryStorage } from '../../adapters/memory/index.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import type { RateCard } from '../../core/money/rate-card.js'
import { readsOf, STORAGE_PORTS, type StorageName, withReading } from '../../core/ports.js'
import { makeAdministration } from '../../core/postern.js'

const SETTINGS = {
  ...machine, rateCard: (): RateCard => { throw new TypeError('nothing is priced here') }, unconfirmedAfterMs: 1, releaseAfterMs: 1,
}

/** The methods of a port, which count their calls. */
const counted = <Port extends object>(port: Port, onCall: () => void): Port => new Proxy(port, {
  get: (of, name): unknown => {
    const method: unknown = Reflect.get(of, name)
    return typeof method !== 'function' ? method : (...given: ReadonlyArray<unknown>): unknown => {
      onCall()
      return Reflect.apply(method, of, given)
    }
  },
})

describe('the connections for reading', () => {
  it('serve what is shown, and writes stay where they were', async () => {
    const storage = makeMemoryStorage({ now: Date.now })
    let reads = 0
    const reading = readsOf(storage)
    const shown = { ...reading, ledger: counted(reading.ledger, () => { reads += 1 }) }
    const { money } = makeAdministration({ ...storage, reading: shown, senderVerification: 'trusted' }, SETTINGS)
    const workspace = workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')
    assert.isTrue(E.isRight(await money.showBooks(workspace)))
    assert.isTrue(E.isRight(await money.readStatement(workspace, { limit: 1 })))
    assert.equal(reads, 2)
    await money.topUp({ by: { principal: { _tag: 'System' } }, workspace, micros: 1n })
    assert.equal(reads, 2)
  })

  it('have the methods of each port that the list of ports names, and no others', () => {
    const storage = makeMemoryStorage({ now: Date.now })
    const [here, elsewhere] = [withReading(storage), withReading({ ...storage, reading: readsOf(makeMemoryStorage({ now: Date.now })) })]
    for (const name of Object.keys(STORAGE_PORTS) as ReadonlyArray<StorageName>) {
      const facts = STORAGE_PORTS[name]
      const reads: ReadonlyArray<string> = 'reads' in facts ? facts.reads : []
      assert.strictEqual(here[name], storage[name], name)
      for (const method of Object.keys(storage[name])) {
        assert.equal(
          Reflect.get(elsewhere[name], method) !== Reflect.get(storage[name], method), reads.includes(method), `${name}.${method}`,
        )
      }
    }
  })
})
