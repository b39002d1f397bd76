import { createHash } from 'node:crypto'
import { FAULTS, isAnswerFault, type AnswerFault, type Fault, type Rates, type ReportFault } from './faults.js'

/** The random faults of one request: one of its answer, and one of its message's statuses if it is accepted. */
export type DrawnFaults = { readonly answer: AnswerFault | undefined; readonly report: ReportFault | undefined }

/** Draws the faults of the next request. The same seed, rates and order of requests give the same faults. */
export type RandomFaults = { readonly draw: () => DrawnFaults }

const answerFaults = FAULTS.filter(isAnswerFault)
const reportFaults = FAULTS.filter((fault): fault is ReportFault => !isAnswerFault(fault))

/** Random faults at these rates; without rates there are none. */
export const makeRandomFaults = (seed: number, rates: Rates): RandomFaults => {
  const isOff = Object.values(rates).every((rate) => rate === 0)
  let draws = 0
  return {
    draw: () => {
      if (isOff) return { answer: undefined, report: undefined }
      const digest = createHash('sha256').update(`${seed}:${draws++}`).digest()
      return {
        answer: pick(answerFaults, rates, digest.readUInt32BE(0) / 2 ** 32),
        report: pick(reportFaults, rates, digest.readUInt32BE(4) / 2 ** 32),
      }
    },
  }
}

const pick = <F extends Fault>(faults: ReadonlyArray<F>, rates: Rates, random: number): F | undefined => {
  let cumulative = 0
  return faults.find(({ name }) => (cumulative += rates[name] ?? 0) > random)
}
