import type { Env } from '../support/postern.js'
import type { AttackWorld } from './attack-world.js'

/** How much of an attack is made: what a test run has time for, or all of it. */
export type Size = 'short' | 'long'

/** The result of an attack; each finding is a broken promise, in one sentence. */
export type AttackResult = { readonly counts: Readonly<Record<string, number>>; readonly findings: ReadonlyArray<string> }

/** One attack on a gateway that runs in a process of its own. */
export type Attack = { readonly name: string; readonly run: (world: AttackWorld, size: Size) => Promise<AttackResult> }

/** Attacks that are made one after another on the same gateway. */
export type AttackGroup = {
  readonly title: string
  /** SQLite alone, or every database at hand. */
  readonly databases: 'sqlite' | 'each'
  /** Variables of the gateway. */
  readonly env: Env
  readonly attacks: ReadonlyArray<Attack>
}

/** How often each name occurs. */
export const tally = (names: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b)))
}
