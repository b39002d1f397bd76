import { findServers } from '../support/databases.js'
import type { AttackGroup } from './attack.js'
import { longForm } from './attacks.js'
import { describeResult, makeAttack, openGroup } from './run-attacks.js'

/** Runs every attack in its long form, or those whose group or name contains a word, and prints the result of each. Returns whether no attack found anything. */
export const attackAll = async (databases: ReadonlyArray<string>, only: string): Promise<boolean> => {
  const { found } = await findServers()
  let passed = true
  for (const group of longForm) {
    const attacks = `${group.title} `.includes(only) ? group.attacks : group.attacks.filter(({ name }) => name.includes(only))
    const servers = found.filter(({ name }) => databases.includes(name) && (group.databases === 'each' || name === 'SQLite'))
    for (const server of attacks.length === 0 ? [] : servers) passed = await attackOn({ ...group, attacks }, server) && passed
  }
  return passed
}

const attackOn = async (group: AttackGroup, server: Awaited<ReturnType<typeof findServers>>['found'][number]): Promise<boolean> => {
  await using database = await server.create()
  await using world = await openGroup(group, database.url)
  let passed = true
  process.stdout.write(`${group.title} on ${server.name}\n`)
  for (const attack of group.attacks) {
    const result = await makeAttack(attack, world, 'long')
    process.stdout.write(`${describeResult(attack.name, result)}\n`)
    passed &&= result.findings.length === 0
  }
  return passed
}
