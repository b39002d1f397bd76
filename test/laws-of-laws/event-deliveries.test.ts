import * as E from 'fp-ts/lib/Either.js'
import type { DeliveryProgress, EventDeliveries } from '../../core/events/delivery.js'
import type { EndpointId } from '../../core/events/endpoint.js'
import { portFailure } from '../../core/kernel/failure.js'
import type { Instant } from '../../core/kernel/time.js'
import { eventDeliveriesLaws } from '../laws/event-deliveries.js'
import { everyShard } from '../laws/event-fixture.js'
import { andThen, brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const PENDING = 'events after the position of an endpoint and those to be tried again wait, but none for one that is disabled or gone'

/** Memory that stores wrong results of deliveries. */
const noting = (change: (progress: DeliveryProgress) => Partial<DeliveryProgress>) =>
  brokenMemory('eventDeliveries', ({ record }) => ({
    record: (progress, outboxEntries) => record({ ...progress, ...change(progress) }, outboxEntries),
  }))

/** Memory that answers another query for what is due. */
const asking = (change: Partial<Parameters<EventDeliveries['due']>[0]>) =>
  brokenMemory('eventDeliveries', ({ due }) => ({ due: (query) => due({ ...query, ...change }) }))

const withoutFailing = brokenMemory('eventDeliveries', ({ due }) => ({ due: ({ failing: _failing, ...query }) => due(query) }))

describeMutations('deliveries of events', eventDeliveriesLaws, [
  {
    defect: 'counts waiting events of disabled endpoints',
    open: brokenMemory('eventDeliveries', ({ pending }) => ({
      pending: (id) => withResult(pending(id), ({ fresh, retries }) => ({ fresh: Math.max(1, fresh), retries })),
    })),
    breaks: [PENDING],
  },
  {
    defect: 'counts no retries',
    open: brokenMemory('eventDeliveries', ({ pending }) => ({
      pending: (id) => withResult(pending(id), ({ fresh }) => ({ fresh, retries: 0 })),
    })),
    breaks: [PENDING],
  },
  {
    defect: 'finds nothing due',
    open: brokenMemory('eventDeliveries', () => ({ due: async () => E.right([]) })),
    breaks: ['an endpoint is due once its workspace has an event after its position, and no longer when the position has passed it'],
  },
  {
    defect: 'leaves the position of an endpoint where it is',
    open: noting(({ from }) => ({ to: from })),
    breaks: ['an endpoint is due once its workspace has an event after its position, and no longer when the position has passed it'],
  },
  {
    defect: 'finds endpoints due a day too early',
    open: brokenMemory('eventDeliveries', ({ due }) => ({ due: (query) => due({ ...query, at: query.at + 86_400_000 }) })),
    breaks: ['an endpoint is due once an attempt is due', 'an endpoint is not due before its pause is over'],
  },
  {
    defect: 'delivers to disabled endpoints',
    open: brokenMemory('eventEndpoints', ({ change }) => ({
      change: (id, { status: _status, ...rest }, at, outboxEntries) => change(id, rest, at, outboxEntries),
    })),
    breaks: ['an endpoint is not due while it is disabled', 'nothing is noted of an endpoint that is at another position, disabled or gone'],
  },
  { defect: 'keeps no pause', open: noting(() => ({ pausedUntil: undefined })), breaks: ['an endpoint is not due before its pause is over'] },
  {
    defect: 'believes every pause, however long',
    open: brokenMemory('eventDeliveries', ({ record, due }) => {
      const paused = new Map<EndpointId, Instant>()
      return {
        record: (progress, outboxEntries) => {
          paused.set(progress.endpoint, progress.pausedUntil ?? -Infinity)
          return record(progress, outboxEntries)
        },
        due: (query) =>
          withResult(due(query), (tasks) => tasks.filter(({ endpoint: { id } }) => (paused.get(id) ?? -Infinity) <= query.at)),
      }
    }),
    breaks: ['an endpoint is due in spite of a pause that ends later than any can, because a wrong clock has stored it, and comes when it would without the pause'],
  },
  {
    defect: 'finds the endpoints of every shard due',
    open: asking({ shards: everyShard().shards }),
    breaks: ['only endpoints of the shards that are asked for are due, and none of those to be left out'],
  },
  {
    defect: 'finds endpoints due that are to be left out',
    open: asking({ except: [] }),
    breaks: ['only endpoints of the shards that are asked for are due, and none of those to be left out'],
  },
  {
    defect: 'finds endpoints of workspaces due that are to be left out',
    open: asking({ exceptWorkspaces: [] }),
    breaks: ['the endpoints of workspaces that are left out are not due, however long they have waited, and take no place of others'],
  },
  {
    defect: 'leaves workspaces out of what it has found, in place of looking further',
    open: brokenMemory('eventDeliveries', ({ due }) => ({
      due: ({ exceptWorkspaces = [], ...query }) =>
        withResult(due(query), (tasks) => tasks.filter(({ endpoint }) => !exceptWorkspaces.includes(endpoint.workspace))),
    })),
    breaks: ['the endpoints of workspaces that are left out are not due, however long they have waited, and take no place of others'],
  },
  { defect: 'does not tell failing endpoints from others', open: withoutFailing, breaks: ['those that failed last and the others can be asked for apart'] },
  {
    defect: 'finds those due first that have waited shortest',
    open: brokenMemory('eventDeliveries', ({ due }) => ({ due: (query) => withResult(due(query), (tasks) => tasks.toReversed()) })),
    breaks: ['of the endpoints that are due those that have waited longest come first, as many as are asked for'],
  },
  {
    defect: 'gives all that is due, however little is asked for',
    open: asking({ limit: 100_000 }),
    breaks: ['of the endpoints that are due those that have waited longest come first, as many as are asked for'],
  },
  {
    defect: 'tries the newest event again first',
    open: brokenMemory('eventDeliveries', ({ retries }) => ({
      retries: (...given) => withResult(retries(...given), (all) => all.toReversed()),
    })),
    breaks: ['events that are due come longest due first, then the oldest, each as it was stored'],
  },
  {
    defect: 'loses what a customer wrote when an event failed',
    open: brokenMemory('eventDeliveries', ({ retries }) => ({
      retries: (...given) =>
        withResult(retries(...given), (all) => all.map(({ event: { content: _content, ...event }, ...more }) => ({ ...more, event }))),
    })),
    breaks: ['events that are due come longest due first, then the oldest, each as it was stored'],
  },
  { defect: 'logs no attempts', open: noting(() => ({ attempts: [] })), breaks: ['what came of deliveries is noted whole'] },
  { defect: 'forgets since when an endpoint fails', open: noting(() => ({ failingSince: undefined })), breaks: ['what came of deliveries is noted whole'] },
  {
    defect: 'notes what came of deliveries from any position',
    open: brokenMemory('eventDeliveries', ({ record, due }) => ({
      record: (progress, outboxEntries) =>
        andThen(due(everyShard({ at: Date.UTC(2030, 0, 1) })), (tasks) =>
          record(
            { ...progress, from: tasks.find(({ endpoint: { id } }) => id === progress.endpoint)?.position ?? progress.from }, outboxEntries,
          )),
    })),
    breaks: ['nothing is noted of an endpoint that is at another position, disabled or gone'],
  },
  {
    defect: 'answers that each note was noted',
    open: brokenMemory('eventDeliveries', ({ record }) => ({ record: (...given) => withResult(record(...given), () => true) })),
    breaks: ['of concurrent notes that move an endpoint from one position one is noted'],
  },
  {
    defect: 'tries again what is done',
    open: noting(() => ({ done: [] })),
    breaks: ['a retry replaces an earlier one of its event, and one that is done is dropped'],
  },
  {
    defect: 'hastens nothing',
    open: brokenMemory('eventDeliveries', ({ record }) => ({
      record: ({ retryAtOnceSince: _since, ...progress }, outboxEntries) => record(progress, outboxEntries),
    })),
    breaks: ['events that failed since a moment are due at once, those that failed before and those noted with it are not'],
  },
  {
    defect: 'hastens all that waits',
    open: brokenMemory('eventDeliveries', ({ record }) => ({
      record: (progress, outboxEntries) =>
        record(progress.retryAtOnceSince === undefined ? progress : { ...progress, retryAtOnceSince: 0 }, outboxEntries),
    })),
    breaks: ['events that failed since a moment are due at once, those that failed before and those noted with it are not'],
  },
  {
    defect: 'stores no event when it disables an endpoint',
    open: brokenMemory('eventDeliveries', ({ record }) => ({ record: (progress) => record(progress) })),
    breaks: ['a note that disables an endpoint drops what waits, and stores its events with it'],
  },
  {
    defect: 'disables no endpoint',
    open: brokenMemory('eventDeliveries', ({ record }) => ({
      record: ({ disabled: _disabled, ...progress }, outboxEntries) => record(progress, outboxEntries),
    })),
    breaks: ['a note that disables an endpoint drops what waits, and stores its events with it'],
  },
  {
    defect: 'does not log an attempt by itself',
    open: brokenMemory('eventDeliveries', () => ({ log: async () => E.right(undefined) })),
    breaks: ['an attempt can be logged by itself, and changes nothing else'],
  },
  {
    defect: 'ends the log after its first page',
    open: brokenMemory('eventDeliveries', ({ attempts }) => ({
      attempts: (...given) => withResult(attempts(...given), ({ items }) => ({ items, next: undefined })),
    })),
    breaks: ['attempts come back as they were noted, newest first, page by page'],
  },
  {
    defect: 'cuts answers',
    open: noting(({ attempts }) => ({ attempts: attempts.map((attempt) => ({ ...attempt, answer: attempt.answer?.slice(0, 4_096) })) })),
    breaks: ['attempts come back as they were noted, newest first, page by page'],
  },
  {
    defect: 'fails for a cursor that is none',
    open: brokenMemory('eventDeliveries', ({ attempts }) => ({
      attempts: async (id, query) =>
        query.cursor === undefined || /^[0-9a-f]{32}$/.test(query.cursor)
          ? attempts(id, query)
          : E.left(portFailure('EventDeliveries')('no cursor')),
    })),
    breaks: ['an unknown cursor never fails'],
  },
  {
    defect: 'promises to deliver an event again that is not there',
    open: brokenMemory('eventDeliveries', ({ redeliver }) => ({ redeliver: (...given) => withResult(redeliver(...given), () => true) })),
    breaks: ['one stored event is delivered again where the event and the endpoint belong together'],
  },
  {
    defect: 'delivers all events again, whatever the moment',
    open: brokenMemory('eventDeliveries', ({ redeliverSince }) => ({ redeliverSince: (id, _since, at) => redeliverSince(id, 0, at) })),
    breaks: ['all events since a moment that an endpoint wants and has had are delivered again'],
  },
  {
    defect: 'gives the broker the newest events first',
    open: brokenMemory('eventDeliveries', ({ brokerDue }) => ({
      brokerDue: (limit) => withResult(brokerDue(limit), (all) => all.toReversed()),
    })),
    breaks: ['the broker is behind in the workspaces with events after its position, longest waiting first'],
  },
  {
    defect: 'answers that each move of the broker moved it',
    open: brokenMemory('eventDeliveries', ({ recordBroker }) => ({
      recordBroker: (progress) => withResult(recordBroker(progress), () => true),
    })),
    breaks: ['of concurrent moves of the broker from one position one moves it'],
  },
  {
    defect: 'takes an event that has ever failed for one that failed',
    open: brokenMemory('eventDeliveries', ({ attempts, failed }) => ({
      failed: async (id, filter, pass) => {
        const [log, found] = [await attempts(id, { limit: 100 }), await failed(id, filter, pass)]
        if (E.isLeft(log) || E.isLeft(found)) return found
        const ever = new Set(log.right.items.flatMap(({ delivered, event }) => (delivered ? [] : [event])))
        return E.right({ ...found.right, events: [...ever].toSorted() })
      },
    })),
    breaks: [
      'an event has failed if its latest attempt failed, unless it waits for a redelivery that was requested',
      'failed events are those of a filter: by type, by when they were created, and by the status of the latest attempt',
      'a pass over failed events looks at no more than its limit, and the next one continues after it',
    ],
  },
  {
    defect: 'delivers all failed events again, whatever the filter',
    open: brokenMemory('eventDeliveries', ({ redeliverFailed }) => ({
      redeliverFailed: (id, _filter, pass, at) => redeliverFailed(id, {}, pass, at),
    })),
    breaks: ['the failed events of a pass are delivered again in their order, and repeating it changes nothing'],
  },
])
