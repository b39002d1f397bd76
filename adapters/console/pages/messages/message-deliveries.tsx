import type { VNode } from 'preact'
import type { DeliveryAttempt } from '../../../../core/events/delivery.js'
import type { ShownMessage } from '../../../../core/trail.js'
import { Empty, State, Table, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'

const { message: texts } = TEXTS

/** The events of a message, and the attempts to deliver each. */
export const Deliveries = ({ shown: { events, endpoints } }: { readonly shown: ShownMessage }): VNode => (
  <>
    <h2>{texts.events}</h2>
    {events.length === 0 ? <Empty sentence={texts.noEvents} icon="endpoints" /> : (
      <Table label={texts.events} columns={[texts.event, texts.endpoint, texts.at, texts.outcome, texts.next]}>
        {events.flatMap(({ id, type, at, attempts }) => (attempts.length === 0 ? [undefined] : attempts).map((attempt) => (
          <tr key={attempt?.id ?? id}>
            <td data-label={texts.event}>{type}</td>
            <td data-label={texts.endpoint} class="long">{attempt === undefined ? <span class="soft">{texts.notTried}</span> : urlOf(endpoints, attempt)}</td>
            <td data-label={texts.at}><Time at={attempt?.at ?? at} as="second" /></td>
            <td {...(attempt !== undefined && { 'data-label': texts.outcome })}>{attempt !== undefined && <Outcome attempt={attempt} />}</td>
            <td {...(attempt?.nextAttemptAt !== undefined && { 'data-label': texts.next })}>{attempt?.nextAttemptAt !== undefined && <Time at={attempt.nextAttemptAt} as="second" />}</td>
          </tr>
        )))}
      </Table>
    )}
  </>
)

const urlOf = (endpoints: ShownMessage['endpoints'], { endpoint }: DeliveryAttempt): string => endpoints.find(({ id }) => id === endpoint)?.url ?? texts.removedEndpoint

const Outcome = ({ attempt: { delivered, httpStatus, error } }: { readonly attempt: DeliveryAttempt }): VNode =>
  (delivered ? <State text={texts.delivered(httpStatus)} tone="good" /> : <State text={texts.notDelivered(error)} tone="bad" />)
