import { assert } from 'chai'
import { findServers, type TestServer } from '../support/databases.js'
import type { AttackGroup } from './attack.js'
import type { AttackWorld } from './attack-world.js'
import { describeResult, makeAttack, openGroup } from './run-attacks.js'

const { found } = await findServers()

/** Makes the attacks of the short form, on SQLite and one more database at most; all of them is what the long form is for. */
export const describeAttacks = (groups: ReadonlyArray<AttackGroup>): void => {
  for (const group of groups) {
    for (const server of found.slice(0, group.databases === 'each' ? 2 : 1)) describeGroup(group, server)
  }
}

const describeGroup = (group: AttackGroup, server: TestServer): void => {
  describe(`${group.title} on ${server.name}`, () => {
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
