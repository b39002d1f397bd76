import { startAttackWorld, type AttackWorld } from './attack-world.js'
import type { Attack, AttackGroup, AttackResult, Size } from './attack.js'

/** Starts the gateway that a group attacks, on an empty database. */
export const openGroup = (group: AttackGroup, databaseUrl: string): Promise<AttackWorld> => startAttackWorld(databaseUrl, group.env)

/** Makes an attack; whatever it did, the gateway must go on, its books must be exact and its log free of defects. */
export const makeAttack = async (attack: Attack, world: AttackWorld, size: Size): Promise<AttackResult> => {
  const begun = performance.now()
  const { counts, findings } = await attack.run(world, size)
  const live = await fetch(`${world.server.url}/health/live`).then(({ status }) => status, () => 0)
  return {
    counts: { ...counts, seconds: Math.round((performance.now() - begun) / 100) / 10 },
    findings: [
      ...findings, ...(live === 200 ? [] : [`the gateway answered ${live} to GET /health/live afterwards`]), ...await world.faults(),
    ],
  }
}

/** One attack in a few lines. */
export const describeResult = (name: string, { counts, findings }: AttackResult): string => [
  `  ${name}: ${Object.entries(counts).map(([what, count]) => `${what} ${count}`).join(', ')}`,
  ...findings.map((finding) => `    FINDING ${finding}`),
].join('\n')
