import { assert } from 'chai'
import { formatMicros } from '../../../core/kernel/money.js'
import { assertExact, readBooks } from '../../support/books.js'
import { describeEachDatabase } from '../../support/databases.js'
import type { Answer } from '../../support/gateway.js'
import type { InProcessServer } from '../../support/in-process-server.js'
import { PRICE, sendTemplate } from '../../support/load.js'
import { posternJson } from '../../support/postern.js'
import { startGatewaysInProcess, type SeveralGateways } from '../../support/several-gateways.js'

const SENDS = 256
const PAID = 100

/** What the key may spend: the prices of so many sends, and a rest that is one micro too little for one more. */
const LIMIT = BigInt(PAID + 1) * PRICE - 1n
const FUNDS = BigInt(2 * SENDS) * PRICE

type NewKey = { readonly id: string; readonly key: string }

await describeEachDatabase('Two gateways', (server) => {
  let world: SeveralGateways<InProcessServer>
  const paid: string[] = []

  before(async () => {
    world = await startGatewaysInProcess(server, FUNDS)
  })
  after(() => world[Symbol.asyncDispose]())

  /** Sends everything at once, with each key at each gateway. */
  const sendAll = (keys: ReadonlyArray<string>): Promise<ReadonlyArray<Answer>> =>
    Promise.all(Array.from({ length: SENDS }, (_, index) =>
      sendTemplate(world.gateways[index % 2]?.url ?? '', keys[Math.floor(index / 2) % keys.length] ?? '', `1555020${String(index).padStart(6, '0')}`)))

  for (const [whose, rotations] of [['a key', 0], ['a key and its successors', 2]] as const) {
    it(`pay exactly what ${whose} may spend in a day, by ${SENDS} sends at once`, async () => {
      const keys = [await posternJson(['key', 'mint', world.account.id, '--daily-limit', formatMicros(LIMIT)], world.env) as NewKey]
      for (const _ of Array.from({ length: rotations })) {
        keys.push(await posternJson(['key', 'rotate', keys.at(-1)?.id ?? '', '--overlap', '1h'], world.env) as NewKey)
      }

      const answers = await sendAll(keys.map(({ key }) => key))
      const accepted = answers.filter(({ status }) => status === 200)
      assert.lengthOf(accepted, PAID)
      assert.deepEqual(
        answers.filter(({ status }) => status !== 200).map(({ status, json: { code, limit, spent } }) => ({ status, code, limit, spent })),
        Array.from({ length: SENDS - PAID }, () => ({
          status: 402, code: 'spending_limit_reached', limit: formatMicros(LIMIT), spent: formatMicros(BigInt(PAID) * PRICE),
        })),
      )
      paid.push(...accepted.map(({ headers }) => headers.get('Postern-Message') ?? 'none'))
      assert.sameMembers(world.simulator.received().map(({ callback }) => callback ?? 'none'), paid)
      assertExact(await readBooks(world.env.DATABASE_URL, world.account.id), FUNDS, paid)
    })
  }
})
