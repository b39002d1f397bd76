import type { AttemptResult, EventSink } from '../../core/events/delivery.js'
import type { Event } from '../../core/kernel/outbox.js'
import type { NewSpan, Tracer } from '../../core/kernel/tracing.js'

/** Longer than `EventSink` allows for an attempt. A sink that never returns must not block its endpoint forever. */
const LONGEST_ATTEMPT_MS = 25_000

/** Tries once to deliver an event, in a span if there is a tracer. Never rejects and always ends, whatever the sink does. */
export const attemptToDeliver = (
  sink: EventSink, event: Event, tracer: Tracer | undefined, system: 'broker' | 'webhook',
): Promise<AttemptResult> =>
  tracer === undefined ? attempt(sink, event) : tracer.span(deliverySpan(event, system), async (span) => {
    const result = await attempt(sink, event)
    if (result.httpStatus !== undefined) span.say({ 'http.response.status_code': result.httpStatus })
    if (!result.delivered) span.fail(result.isUntried === true ? 'untried' : String(result.httpStatus ?? 'unanswered'))
    return result
  })

/** The event was created in another trace, perhaps long ago, and the span is linked to that trace. */
const deliverySpan = ({ id, type, trace, workspace }: Event, system: string): NewSpan => ({
  name: `deliver ${type}`, kind: 'producer', isRoot: true, link: trace,
  attributes: {
    'messaging.system': system, 'messaging.operation.name': 'deliver', 'messaging.operation.type': 'send', 'messaging.message.id': id,
    'postern.event.type': type, 'postern.workspace': workspace,
  },
})

const attempt = async (sink: EventSink, event: Event): Promise<AttemptResult> => {
  const startedAt = performance.now()
  const failed = (error: string): AttemptResult => ({
    delivered: false, httpStatus: undefined, error, answer: undefined, durationMs: Math.round(performance.now() - startedAt),
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<AttemptResult>((resolve) => {
    timer = setTimeout(() => { resolve(failed('The attempt did not end in time.')) }, LONGEST_ATTEMPT_MS)
  })
  try {
    return await Promise.race([sink.deliver(event), late])
  } catch {
    return failed('The attempt could not be made.')
  } finally {
    clearTimeout(timer)
  }
}
