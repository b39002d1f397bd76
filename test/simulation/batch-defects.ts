import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Batch, BatchCounts, StoredLine } from '../../core/batches/batch.js'
import type { ConsentRules, CustomerConsent } from '../../core/consent/consent.js'
import { type MessageId, messageIdOf } from '../../core/messages/message.js'
import type { Ports } from '../../core/ports.js'
import type { SimulatedStorage } from './gateway.js'
import type { Defect } from './simulate.js'

/** The ports of a gateway, which has batches and consents here. */
type WithBatches = Ports & Pick<SimulatedStorage, 'batches' | 'consents' | 'sharedHolds'>

const spoiling = (change: (ports: WithBatches) => Partial<WithBatches>) => (ports: Ports): Ports =>
  ({ ...ports, ...change(ports as WithBatches) })

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000]

/** The planted defects of batches and of consent. */
export const BATCH_DEFECTS: ReadonlyArray<Defect> = [
  {
    name: 'a line that was assigned gets another message after a crash',
    spoil: spoiling(({ batches }) => {
      let made = 0
      return {
        batches: {
          ...batches,
          lines: async (of, upload, query) => {
            const found = await batches.lines(of, upload, query)
            return query.only !== 'assigned' ? found : E.map((lines: ReadonlyArray<StoredLine>) => lines.map((line) =>
              ({ ...line, message: anotherThan(line.message, made += 1) })))(found)
          },
        },
      }
    }),
  },
  {
    name: 'the gate of a paused or canceled batch is open',
    spoil: spoiling(({ batches }) => ({
      batches: {
        ...batches,
        find: async (of) => E.map(O.map(asOpen))(await batches.find(of)),
      },
    })),
  },
  {
    name: 'what no line of a batch took is not given back',
    spoil: spoiling(({ sharedHolds }) => ({ sharedHolds: { ...sharedHolds, release: () => Promise.resolve(E.right(undefined)) } })),
  },
  {
    name: 'the messages of a canceled batch that are queued stay in the queue',
    spoil: spoiling(({ batches }) => ({
      batches: {
        ...batches,
        counts: async (of, upload) => E.map((counts: BatchCounts) =>
          ({ ...counts, states: new Map([...counts.states].filter(([state]) => state !== 'queued')) }))(await batches.counts(of, upload)),
      },
    })),
  },
  {
    name: 'the lines of a canceled batch that have no message get no outcome',
    spoil: spoiling(({ batches }) => ({ batches: { ...batches, endUnsent: () => Promise.resolve(E.right(undefined)) } })),
  },
  {
    name: 'a gateway remembers for an hour that no customer has stopped anything',
    spoil: spoiling(({ consents, windowClock }) => {
      const kept = new Map<string, { readonly rules: E.Either<never, ConsentRules>; readonly until: number }>()
      return {
        consents: {
          ...consents,
          rules: async (workspace) => {
            const known = kept.get(workspace)
            if (known !== undefined && windowClock.now() < known.until) return known.rules
            const rules = await consents.rules(workspace)
            if (E.isRight(rules)) kept.set(workspace, { rules, until: windowClock.now() + HOUR_MS })
            return rules
          },
        },
      }
    }),
  },
  {
    name: 'a gateway remembers for a minute what a customer allows',
    spoil: spoiling(({ consents, windowClock }) => {
      const kept = new Map<string, { readonly found: Awaited<ReturnType<typeof consents.find>>; readonly until: number }>()
      return {
        consents: {
          ...consents,
          find: async (workspace, ids) => {
            const [name, now] = [[workspace, ...ids].join(' '), windowClock.now()]
            const known = kept.get(name)
            if (known !== undefined && now < known.until) return known.found
            const found = await consents.find(workspace, ids)
            const topics = E.isRight(found) ? found.right.flatMap(({ all, marketing }) => [all, marketing]) : []
            const hasStopped = topics.some((topic) => topic?.status === 'withdrawn')
            if (!hasStopped) kept.set(name, { found, until: now + MINUTE_MS })
            return found
          },
        },
      }
    }),
  },
  {
    name: 'a word of a customer that stops messages is lost',
    spoil: spoiling(({ consents }) => ({
      consents: {
        ...consents,
        record: (workspace, items, outboxEntries) => consents.record(
          workspace,
          items.map((item) =>
            (item.fact.source === 'word' ? { ...item, fact: { ...item.fact, since: 0, status: 'granted' as const } } : item)),
          outboxEntries,
        ),
      },
    })),
  },
  {
    name: 'two gateways assign one line to two messages',
    spoilStorage: (storage) => ({
      ...storage,
      batches: {
        ...storage.batches,
        assign: async (of, upload, lines) => E.map(() => lines.map(({ line }) => line))(await storage.batches.assign(of, upload, lines)),
      },
    }),
  },
  {
    name: 'a customer who stopped all messages gets those that are not marketing',
    spoil: spoiling(({ consents }) => ({
      consents: {
        ...consents,
        find: async (workspace, ids) => E.map((all: ReadonlyArray<CustomerConsent>) => all.map(({ marketing }): CustomerConsent =>
          (marketing === undefined ? {} : { marketing })))(await consents.find(workspace, ids)),
      },
    })),
  },
  {
    name: 'the key of a request for a batch is forgotten when its total is reserved',
    spoil: spoiling(({ batches }) => ({
      batches: {
        ...batches,
        change: (change, outboxEntries) => batches.change(
          change.set.confirmed?.heldAt === undefined ? change : { ...change, set: { ...change.set, request: undefined } }, outboxEntries,
        ),
      },
    })),
  },
  {
    name: 'the body of a request for a batch is not compared with that of its key',
    spoil: spoiling(({ batches }) => ({
      batches: {
        ...batches,
        findByRequest: () => Promise.resolve(E.right(O.none)),
        create: async (batch, outboxEntries) => E.map((stored: Batch): Batch =>
          ({ ...stored, ...(batch.request && { request: batch.request }) }))(await batches.create(batch, outboxEntries)),
      },
    })),
  },
  {
    name: 'a repeated request for a batch is checked again before its batch is looked for',
    spoil: spoiling(({ batches }) => ({ batches: { ...batches, findByRequest: () => Promise.resolve(E.right(O.none)) } })),
  },
  {
    name: 'two requests for a batch with one key that meet make a batch each',
    spoilStorage: (storage) => ({
      ...storage,
      batches: {
        ...storage.batches,
        create: async (batch, outboxEntries) => {
          const stored = await storage.batches.create(batch, outboxEntries)
          if (E.isLeft(stored) || stored.right.id === batch.id) return stored
          const { request: _request, ...another } = batch
          return storage.batches.create(another, outboxEntries)
        },
      },
    }),
  },
]

/** A batch that is paused, or canceled after it was confirmed, as if it were sent. */
const asOpen = (batch: Batch): Batch => {
  const isClosed = batch.state === 'paused' || (batch.state === 'canceled' && batch.confirmed !== undefined)
  return isClosed ? { ...batch, state: 'sending' } : batch
}

/** Another id of a message, the same for the same number. */
const anotherThan = (id: MessageId | undefined, number: number): MessageId =>
  messageIdOf(`${String(id).slice(4, 24)}${String(number).padStart(12, '0')}`)
