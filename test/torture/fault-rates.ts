import { type Fault, FAULTS, isAnswerFault, type Rates } from '../../apps/simulator/faults/faults.js'

/**
 * Faults after which nothing can be checked: with `silent` no status ever arrives, and `pacedDropped` pauses a template for every
 * later send.
 */
const EXCLUDED: ReadonlySet<string> = new Set(['silent', 'pacedDropped'])

/**
 * Faults whose statuses contain only the platform's id. If the response with that id was lost too, the gateway refuses the notification for a
 * minute and then cannot match the message, so a short run omits these faults.
 */
const WITHOUT_CALLBACK: ReadonlySet<string> = new Set(['noCallbackData', 'failedWithoutCallback'])

/** The share of requests with a fault of the response, and of messages with a fault of their statuses. */
const OF_ANSWERS = 0.25
const OF_STATUSES = 0.5

/** Rates for all faults of the simulator; faults of the same kind are equally likely. */
export const faultRates = (withoutCallback: boolean): Rates => {
  const wanted = FAULTS.filter(({ name }) => !EXCLUDED.has(name) && (withoutCallback || !WITHOUT_CALLBACK.has(name)))
  const [answers, statuses] = [wanted.filter(isAnswerFault), wanted.filter((fault) => !isAnswerFault(fault))]
  return { ...evenRates(answers, OF_ANSWERS), ...evenRates(statuses, OF_STATUSES) }
}

const evenRates = (faults: ReadonlyArray<Fault>, share: number): Rates =>
  Object.fromEntries(faults.map(({ name }) => [name, share / faults.length]))
