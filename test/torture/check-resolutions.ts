import { moneyMove } from '../../core/messages/message.js'
import { groupedBy } from './grouped-by.js'
import type { Finding, RunRecord } from './run-record.js'

/** The final outcome of each message that was settled by hand, according to the audit log. */
export const settledByHand = ({ audited = [] }: Pick<RunRecord, 'audited'>): ReadonlyMap<string, unknown> =>
  new Map(audited.flatMap(({ act, outcome, subject = '', details }) =>
    act === 'message.resolve' && outcome === 'done' ? [[subject, details?.['outcome']] as const] : []))

/**
 * Checks the outcomes that operators set for messages at the same time: the audit log has one outcome for each message (it also contains repetitions of the same
 * outcome), every operator who got a confirmation was right, and if the platform reported nothing, the message and its money show the outcome that won.
 */
export const checkResolutions = (run: Pick<RunRecord, 'messages' | 'arrivals' | 'answered' | 'audited'>): ReadonlyArray<Finding> => {
  const { messages, arrivals, answered = [], audited = [] } = run
  const stands = settledByHand(run)
  const arrived = new Set(arrivals.filter(({ outcome }) => outcome === 'accepted').map(({ callback }) => callback))
  const done = groupedBy(audited.filter(({ act, outcome }) => act === 'message.resolve' && outcome === 'done'), ({ subject }) => subject)
  const states = new Map(messages.map(({ id, state }) => [String(id), state]))
  return [
    ...[...done].flatMap(([subject = '', entries]) => (
      new Set(entries.map(({ details }) => details?.['outcome'])).size > 1
        ? [{ about: subject, fault: 'was settled by hand with both outcomes' }]
        : []
    )),
    ...answered.flatMap(({ message, outcome, result }) => (
      result === 'done' && !arrived.has(message) && stands.get(message) !== outcome
        ? [{ about: message, fault: `an operator was told that it is ${outcome}, and it was settled as ${String(stands.get(message))}` }]
            : []
    )),
    ...[...stands].flatMap(([message, outcome]) => {
      const state = states.get(message)
      const isCharged = state !== undefined && moneyMove(state) === 'capture'
      return !arrived.has(message) && isCharged !== (outcome === 'sent')
        ? [{ about: message, fault: `was settled as ${String(outcome)}, and is ${state}` }]
        : []
    }),
  ]
}

/** No sender has more free texts in a month than the rate card allows, even if messages were given up, resolved or reported late. */
export const checkFreeTexts = ({ messages, freeTexts }: Pick<RunRecord, 'messages' | 'freeTexts'>): ReadonlyArray<Finding> => {
  const free = messages.filter(({ kind, price, state }) =>
    kind === 'text' && price.micros === 0n && ['capture', 'keep'].includes(moneyMove(state)))
  return [...groupedBy(free, ({ workspace }) => workspace)].flatMap(([workspace, texts]) =>
    freeTexts !== undefined && texts.length > freeTexts
      ? [{ about: workspace, fault: `has ${texts.length} free texts of ${freeTexts}` }]
      : [])
}
