import { assert } from 'chai'
import { findServers, type TestServer } from '../support/databases.js'
import type { AttackGroup } from './attack.js'
import type { AttackWorld } from './attack-world.js'
import { shortForm } from './attacks.js'
import { describeResult, makeAttack, openGroup } from './run-attacks.js'

const { found } = await findServers()

/** How long an attack may take on a busy machine, in milliseconds. */
const TIMEOUT_MS = 120_000

const describeGroup = (group: AttackGroup, server: TestServer): void => {
  describe(`${group.title} on ${server.name}`, function () {
    this.timeout(TIMEOUT_MS)
    const closing: AsyncDisposable[] = []
    let world: AttackWorld

    before(async () => {
      const database = await server.create()
      closing.push(database)
      world = await openGroup(group, database.url)
      closing.push(world)
    })
    after(async () => {
      for (const open of closing.reverse()) await open[Symbol.asyncDispose]()
    })

    for (const attack of group.attacks) {
      it(`breaks no promise: ${attack.name}`, async () => {
        const result = await makeAttack(attack, world, 'short')
        assert.isEmpty(result.findings, describeResult(attack.name, result))
      })
    }
  })
}

// SQLite and one more at most; all of them is what the long form is for.
for (const group of shortForm) {
  for (const server of found.slice(0, group.databases === 'each' ? 2 : 1)) describeGroup(group, server)
}
