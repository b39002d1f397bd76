import type { TortureOptions, TortureResult } from './torture.js'

/** The maximum number of findings that are shown for a run. */
const SHOWN = 40

/** The result of a run as text; if it failed, with the seed and the findings. */
export const formatResult = (name: string, { kill, seed }: TortureOptions, result: TortureResult): string => {
  const { platform, findings, logLines } = result
  return [
    `${name}: the ${kill} was killed ${result.kills} times in ${result.seconds.toFixed(0)} s, seed ${seed}`,
    `  clients: ${result.requests} messages to send, ${result.repeated} of them repeated; last answers: ${counted(result.answered)}`,
    `  platform: ${platform.accepted} accepted, ${platform.refused} not; ${platform.acknowledged} reports acknowledged, ${platform.redeliveries} redeliveries`,
    `  messages: ${counted(result.states)}`,
    `  closed by the last reconciliation: ${JSON.stringify(result.reconciled)}`,
    `  accepted, but never named in anything that reached the gateway: ${result.untraceable}`,
    `  settled by hand by two operators: ${counted(result.byHand)}; free texts: ${result.freeTexts}`,
    `  events: ${result.events.received} deliveries, ${result.events.repeated} of them repeated`,
    ...(findings.length === 0
      ? ['  Every accepted message is charged once, none was sent twice, the audit is exact, and the application got every event in order.']
      : [
          `  FAILED, ${findings.length} findings; run it again with --seed ${seed}`,
          ...findings.slice(0, SHOWN).map(({ about, fault }) => `    ${about} ${fault}`),
          ...logLines.map((line) => `    log: ${line}`),
        ]),
  ].join('\n')
}

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(', ')
