import fc from 'fast-check'
import { HOUR_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { MessageState } from '../../core/messages/message.js'

/** The states that the platform reports of an accepted message. */
export type Reported = Extract<MessageState, 'sent' | 'delivered' | 'read' | 'failed'>

/** One event of a scenario. */
export type Step =
  | SendStep
  | { readonly _tag: 'Report'; readonly picks: ReadonlyArray<number>; readonly reconciling: boolean }
  | { readonly _tag: 'Reconcile'; readonly times: number }
  | { readonly _tag: 'Retry' }
  | { readonly _tag: 'Crash' }
  | { readonly _tag: 'TopUp' }
  | { readonly _tag: 'Pass'; readonly ms: number }

/** A send, what the platform does with it, and the statuses it reports, perhaps before it answers. */
export type SendStep = {
  readonly _tag: 'Send'
  readonly key: 'a' | 'b' | undefined
  readonly fate: Fate
  readonly life: ReadonlyArray<Reported>
  /** Whether the platform's reports have our own id; without it, only a known platform id can match them. */
  readonly echoed: boolean
  readonly early: boolean
}

/** Whether the platform accepts a message, and whether the sender gets the answer, loses it, or crashes. */
export type Fate =
  | 'accepted' | 'rejected' | 'throttled' | 'unreachable' | 'accepted_unheard' | 'lost' | 'dies_accepted' | 'dies_unsent'

/** What happens to one call of a port. */
export type Fault = 'works' | 'fails' | 'answer_lost'

/** Steps in order, the faults of the storage in the order of its calls, and ranks that give the order of a second delivery of all reports. */
export type Scenario = {
  readonly steps: ReadonlyArray<Step>; readonly faults: ReadonlyArray<Fault>; readonly ranks: ReadonlyArray<number>,
}

/** Sequences of statuses that the platform can report. */
const LIVES: ReadonlyArray<ReadonlyArray<Reported>> = [
  [], ['sent'], ['delivered'], ['read'], ['sent', 'delivered'], ['delivered', 'read'],
  ['sent', 'delivered', 'read'], ['failed'], ['sent', 'failed'],
]

const FATES: ReadonlyArray<Fate> = [
  'accepted', 'rejected', 'throttled', 'unreachable', 'accepted_unheard', 'lost', 'dies_accepted', 'dies_unsent',
]

const send: fc.Arbitrary<Step> = fc.record({
  _tag: fc.constant('Send'),
  key: fc.constantFrom('a', 'b', undefined, undefined),
  fate: fc.constantFrom('accepted', 'accepted', ...FATES),
  life: fc.constantFrom(...LIVES),
  echoed: fc.constantFrom(true, true, true, false),
  early: fc.boolean(),
} as const)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: send },
  {
    weight: 4,
    arbitrary: fc.record(
      { _tag: fc.constant('Report'), picks: fc.array(fc.nat(99), { minLength: 1, maxLength: 4 }), reconciling: fc.boolean() } as const,
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant('Pass'),
      ms: fc.constantFrom(SECOND_MS, 61 * SECOND_MS, 121 * SECOND_MS, HOUR_MS, 25 * HOUR_MS, 8 * 24 * HOUR_MS),
    } as const),
  },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant('Reconcile'), times: fc.integer({ min: 1, max: 2 }) } as const) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ _tag: 'Retry' }, { _tag: 'Crash' }, { _tag: 'TopUp' }) },
)

const fault: fc.Arbitrary<Fault> = fc.constantFrom<Fault>('works', 'works', 'works', 'works', 'fails', 'answer_lost')

/** Scenarios of up to forty steps, in which a sixth of the storage's first calls fail and a sixth of their answers are lost. */
export const scenario: fc.Arbitrary<Scenario> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
  faults: fc.oneof(fc.constant([]), fc.array(fault, { maxLength: 120, size: 'max' })),
  ranks: fc.array(fc.nat(999), { minLength: 40, maxLength: 40 }),
})
