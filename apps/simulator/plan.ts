import type { ReportFault } from './faults.js'
import { graphError, type GraphError } from './graph-error.js'
import type { Delays } from './settings.js'
import type { Signature } from './signature.js'

/** A status of a message, as far as it is the same for every message. */
export type Step = {
  readonly status: string
  readonly error?: GraphError
  readonly withoutCallback?: true
  readonly unknownKeys?: true
  readonly bsuidOnly?: true
  readonly otherCategory?: true
  /** Whether it says what the message costs: `sent` does, and one of `delivered` and `read`. */
  readonly priced?: true
}

/** What is reported in one go: some statuses, and perhaps what comes with them. */
export type Post = {
  /** Milliseconds after the message was accepted. */
  readonly afterMs: number
  readonly steps: ReadonlyArray<Step>
  readonly signature?: Signature
  readonly withInbound?: true
  readonly pausesTemplate?: true
}

const FAILED_LATER = graphError(131026, 'Message undeliverable')
const PAUSED = graphError(132015, 'The template was paused because of its quality')
const SPURIOUS = graphError(131047, 'More than 24 hours have passed since the customer last replied')

/** What will be reported on an accepted message, by the fault it meets. */
export const planOf = (fault: ReportFault | undefined, delays: Delays): ReadonlyArray<Post> => {
  if (fault === undefined) return priced(usual(delays))
  if (fault._tag === 'Failed') return [failed(delays, fault.error)]
  return priced(oddPlan(fault.how, delays))
}

const oddPlan = (how: Extract<ReportFault, { _tag: 'Odd' }>['how'], delays: Delays): ReadonlyArray<Post> => {
  const plan = usual(delays)
  const [sent, delivered, ...read] = plan
  const readMs = delays.read ?? delays.delivered
  switch (how) {
    case 'deliveredBeforeSent': return [at(delays.sent, 'delivered'), at(delays.delivered, 'sent'), ...read]
    case 'readWithoutDelivered': return [sent, at(readMs, 'read')]
    case 'duplicateStatuses': return plan.flatMap((post) => [post, post])
    case 'statusBeforeReply': return [{ ...sent, afterMs: 0 }, delivered, ...read]
    case 'noCallbackData': return marked(plan, { withoutCallback: true })
    case 'silent': return []
    case 'failedWithoutCallback': return marked([failed(delays, FAILED_LATER)], { withoutCallback: true })
    case 'sentThenFailed': return [sent, failed(delays, FAILED_LATER)]
    case 'failedAfterDelivered': return [
      sent, delivered, { ...failed(delays, FAILED_LATER), afterMs: delays.delivered + delays.failed },
    ]
    case 'unknownStatus': return [sent, at(delays.sent, 'teleported'), delivered, ...read]
    case 'unknownKeys': return marked(plan, { unknownKeys: true })
    case 'bsuidOnly': return marked(plan, { bsuidOnly: true })
    case 'wrongSignature': return signed(plan, 'wrong')
    case 'missingSignature': return signed(plan, 'missing')
    case 'otherSecret': return signed(plan, 'otherSecret')
    case 'truncatedSignature': return signed(plan, 'truncated')
    case 'batched': return [{ afterMs: delays.delivered, steps: plan.flatMap(({ steps }) => steps) }]
    case 'mixed': return [sent, { ...delivered, withInbound: true }, ...read]
    case 'delayed': return plan.map((post) => ({ ...post, afterMs: post.afterMs * 10 }))
    case 'sentOnly': return [sent]
    case 'otherCategory': return marked(plan, { otherCategory: true })
    case 'paced': return plan
    case 'pacedDropped': return [{ ...failed(delays, PAUSED), pausesTemplate: true }]
    case 'spurious131047': return [failed(delays, SPURIOUS)]
  }
}

const at = (afterMs: number, status: string): Post => ({ afterMs, steps: [{ status }] })

const usual = ({ sent, delivered, read }: Delays): readonly [Post, Post, ...Post[]] =>
  [at(sent, 'sent'), at(delivered, 'delivered'), ...(read === null ? [] : [at(read, 'read')])]

const failed = (delays: Delays, error: GraphError): Post => ({ afterMs: delays.failed, steps: [{ status: 'failed', error }] })

const marked = (plan: ReadonlyArray<Post>, mark: Partial<Step>): ReadonlyArray<Post> =>
  plan.map((post) => ({ ...post, steps: post.steps.map((step) => ({ ...step, ...mark })) }))

const signed = (plan: ReadonlyArray<Post>, signature: Signature): ReadonlyArray<Post> =>
  plan.map((post) => ({ ...post, signature }))

const priced = (plan: ReadonlyArray<Post>): ReadonlyArray<Post> => {
  const statuses = plan.flatMap(({ steps }) => steps.map(({ status }) => status))
  const arrival = statuses.find((status) => status === 'delivered' || status === 'read')
  const isPriced = ({ status }: Step): boolean => status === 'sent' || status === arrival
  return plan.map((post) => ({ ...post, steps: post.steps.map((step) => (isPriced(step) ? { ...step, priced: true } : step)) }))
}
