import type { VNode } from 'preact'
import type { DeliveryAttempt } from '../../../../core/events/delivery.js'
import type { ShownMessage, TimelineEvent } from '../../../../core/timeline.js'
import { Empty, Time, Timeline, type TimelineStep } from '../../parts.js'
import { TEXTS } from '../../texts.js'

const { message: texts } = TEXTS

/** The events of a message, and the attempts to deliver each. */
export const Deliveries = ({ shown: { events, endpoints } }: { readonly shown: ShownMessage }): VNode => (
  <>
    <h2>{texts.events}</h2>
    {events.length === 0 ? <Empty sentence={texts.noEvents} icon="endpoints" /> : (
      <Timeline label={texts.events} steps={events.flatMap((event) => stepsOf(event, endpoints))} />
    )}
  </>
)

const stepsOf = ({ id, type, at, attempts }: TimelineEvent, endpoints: ShownMessage['endpoints']): ReadonlyArray<TimelineStep> =>
  (attempts.length === 0
    ? [{ key: id, tone: 'quiet', what: type, at, more: texts.notTried }]
    : attempts.map((attempt) => ({
        key: attempt.id, tone: attempt.delivered ? 'good' : 'bad', what: type, at: attempt.at,
        more: <Outcome attempt={attempt} endpoints={endpoints} />,
      })))

const Outcome = ({ attempt, endpoints }: { readonly attempt: DeliveryAttempt; readonly endpoints: ShownMessage['endpoints'] }): VNode => {
  const { delivered, httpStatus, error, nextAttemptAt } = attempt
  return (
    <>
      {endpoints.find(({ id }) => id === attempt.endpoint)?.url
        ?? texts.removedEndpoint}: {delivered ? texts.delivered(httpStatus) : texts.notDelivered(error)}
      {nextAttemptAt !== undefined && <div>{texts.next}: <Time at={nextAttemptAt} as="second" /></div>}
    </>
  )
}
