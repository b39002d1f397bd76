import { FAULTS, isAnswerFault, type Fault } from '../../apps/simulator/faults.js'
import type { Rates } from '../../apps/simulator/dice.js'

/**
 * Faults that leave nothing to prove: `silent` never tells what became of a message, and `pacedDropped` takes a template away
 * from every send that comes later.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(['silent', 'pacedDropped'])

/**
 * Faults whose statuses carry only the platform's id. Where the answer that told that id was lost too, the gateway asks for
 * them again for a minute and then knows no more than of a silent message; so a run that has to be short leaves them out.
 */
const UNMARKED: ReadonlySet<string> = new Set(['noCallbackData', 'failedWithoutCallback'])

/** The share of requests that meet some fault of the answer, and of messages that meet some fault of their statuses. */
const OF_ANSWERS = 0.25
const OF_STATUSES = 0.5

/** Every fault of the simulator at once, all those of a kind equally likely. */
export const faultRates = (unmarked: boolean): Rates => {
  const wanted = FAULTS.filter(({ name }) => !LEFT_OUT.has(name) && (unmarked || !UNMARKED.has(name)))
  const [answers, statuses] = [wanted.filter(isAnswerFault), wanted.filter((fault) => !isAnswerFault(fault))]
  return { ...sharing(answers, OF_ANSWERS), ...sharing(statuses, OF_STATUSES) }
}

const sharing = (faults: ReadonlyArray<Fault>, share: number): Rates =>
  Object.fromEntries(faults.map(({ name }) => [name, share / faults.length]))
