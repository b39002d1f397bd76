import { createHash } from 'node:crypto'
import { FAULTS, isAnswerFault, type AnswerFault, type Fault, type ReportFault } from './faults.js'

/** How likely each fault is, 0 to 1, by its name. */
export type Rates = Readonly<Record<string, number>>

/** The faults that chance gave one request: how it is answered, and how its message fares if it is accepted. */
export type Roll = { readonly answer: AnswerFault | undefined; readonly report: ReportFault | undefined }

/** Decides by chance which faults the next request meets. The same seed, rates and order of requests give the same faults. */
export type Dice = { readonly roll: () => Roll }

const answerFaults = FAULTS.filter(isAnswerFault)
const reportFaults = FAULTS.filter((fault): fault is ReportFault => !isAnswerFault(fault))

/** Dice for these rates; with no rates, every request goes well. */
export const makeDice = (seed: number, rates: Rates): Dice => {
  const idle = Object.values(rates).every((rate) => rate === 0)
  let rolls = 0
  return {
    roll: () => {
      if (idle) return { answer: undefined, report: undefined }
      const digest = createHash('sha256').update(`${seed}:${rolls++}`).digest()
      return {
        answer: pick(answerFaults, rates, digest.readUInt32BE(0) / 2 ** 32),
        report: pick(reportFaults, rates, digest.readUInt32BE(4) / 2 ** 32),
      }
    },
  }
}

/** What is wrong with the rates, in one sentence; undefined where nothing is. */
export const faultyRates = (rates: Rates): string | undefined => {
  const unknown = Object.keys(rates).find((name) => !FAULTS.some((fault) => fault.name === name))
  if (unknown !== undefined) return `There is no fault named ${JSON.stringify(unknown)}`
  if (!Object.values(rates).every((rate) => rate >= 0 && rate <= 1)) return 'A rate is a number from 0 to 1'
  const tooLikely = [answerFaults, reportFaults].some((faults) =>
    faults.reduce((sum, { name }) => sum + (rates[name] ?? 0), 0) > 1 + 1e-9)
  return tooLikely ? 'The rates of the faults of answers, and those of the faults of statuses, each add up to at most 1' : undefined
}

const pick = <F extends Fault>(faults: ReadonlyArray<F>, rates: Rates, chance: number): F | undefined => {
  let passed = 0
  return faults.find(({ name }) => (passed += rates[name] ?? 0) > chance)
}
