import type { Ordeal, Outcome } from './torture.js'

/** The most findings that are shown of a run; those that follow are rarely of another kind. */
const SHOWN = 40

/** What came of a run, for people; the seed and every difference where it failed. */
export const tell = (name: string, { kill, seed }: Ordeal, outcome: Outcome): string => {
  const { platform, findings, complaints } = outcome
  return [
    `${name}: the ${kill} was killed ${outcome.kills} times in ${outcome.seconds.toFixed(0)} s, seed ${seed}`,
    `  clients: ${outcome.errands} errands, ${outcome.repeated} of them asked for again; last answers: ${counted(outcome.answered)}`,
    `  platform: ${platform.accepted} accepted, ${platform.refused} not; ${platform.acknowledged} reports acknowledged, ${platform.redeliveries} redeliveries`,
    `  messages: ${counted(outcome.states)}`,
    `  closed by the last reconciliation: ${JSON.stringify(outcome.reconciled)}`,
    `  accepted, but nothing that named them ever reached the gateway: ${outcome.untraceable}`,
    ...(findings.length === 0
      ? ['  Every accepted message is charged once, none was sent twice, and the audit is exact.']
      : [
          `  FAILED, ${findings.length} findings; run it again with --seed ${seed}`,
          ...findings.slice(0, SHOWN).map(({ about, fault }) => `    ${about} ${fault}`),
          ...complaints.map((line) => `    log: ${line}`),
        ]),
  ].join('\n')
}

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(', ')
