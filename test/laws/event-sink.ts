import type { EventSink } from '../../core/events/delivery.js'
import { eventIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import { type Event, eventView } from '../../core/kernel/outbox.js'
import { holds, same } from './expect.js'
import type { Law } from './law.js'

/** A sink, its receiver, and control over the receiver. */
export type EventSinkFixture = {
  readonly sink: EventSink
  /** The bodies that the receiver received, as JSON, in order of arrival. */
  readonly received: () => Promise<ReadonlyArray<unknown>>
  /** The receiver cannot be reached. */
  readonly goDown: () => Promise<void>
  /** The receiver accepts connections and never responds. */
  readonly hang: () => Promise<void>
  /** The receiver accepts events again; resolves once the sink may have noticed it. */
  readonly comeBack: () => Promise<void>
  /** Texts that no error may contain: secrets and credentials. */
  readonly secrets: ReadonlyArray<string>
}

/** The promises of every `EventSink`. */
export const eventSinkLaws: ReadonlyArray<Law<EventSinkFixture>> = [
  {
    name: 'an event that was delivered has arrived whole when the answer comes, with what a customer wrote',
    check: async ({ sink, received }) => {
      const written: Event = {
        ...event(1), content: { content: { body: 'Grüße 👋 \u2028 "quoted" \\ </script>' }, context: { id: 'wamid.0' } },
      }
      const result = await sink.deliver(written)
      holds('it is delivered', result.delivered, result)
      holds('there is no error', result.error === undefined, result)
      holds('the duration is a number of milliseconds', Number.isFinite(result.durationMs) && result.durationMs >= 0, result)
      same('the receiver has the event as JSON', await received(), [JSON.parse(JSON.stringify(eventView(written)))])
    },
  },
  {
    name: 'a long event arrives whole',
    check: async ({ sink, received }) => {
      const long: Event = { ...event(1), data: { text: 'é'.repeat(200_000) } }
      holds('it is delivered', (await sink.deliver(long)).delivered, 'not delivered')
      same('the receiver has all of it', await received(), [JSON.parse(JSON.stringify(eventView(long)))])
    },
  },
  {
    name: 'an event that is delivered again has the same id, and both deliveries succeed',
    check: async ({ sink, received }) => {
      for (let times = 0; times < 3; times += 1) {
        const repetition = await sink.deliver(event(1))
        holds('it is delivered', repetition.delivered, repetition)
      }
      const ids = new Set(idsOf(await received()))
      same('the receiver can recognise it', [...ids], [event(1).id])
    },
  },
  {
    name: 'events that are delivered one after another arrive in this order',
    check: async ({ sink, received }) => {
      const events = Array.from({ length: 20 }, (_, nth) => event(nth))
      for (const one of events) holds('it is delivered', (await sink.deliver(one)).delivered, one.id)
      same('the order is kept', idsOf(await received()), events.map(({ id }) => id))
    },
  },
  {
    name: 'events that are delivered at the same time all arrive',
    check: async ({ sink, received }) => {
      const events = Array.from({ length: 50 }, (_, nth) => event(nth))
      const results = await Promise.all(events.map((one) => sink.deliver(one)))
      holds('all are delivered', results.every(({ delivered }) => delivered), results)
      same('all have arrived', [...idsOf(await received())].sort(), events.map(({ id }) => id).sort())
    },
  },
  {
    name: 'an event for a receiver that is down is not delivered, and the answer says why',
    check: async (fixture) => {
      await fixture.goDown()
      assertFailed(fixture, await fixture.sink.deliver(event(1)))
      assertFailed(fixture, await fixture.sink.deliver(event(2)))
    },
  },
  {
    name: 'an event for a receiver that answers nothing is not delivered, within 20 seconds',
    check: async (fixture) => {
      await fixture.hang()
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<undefined>((resolve) => { timer = setTimeout(() => resolve(undefined), 20_000) })
      const result = await Promise.race([fixture.sink.deliver(event(1)), late])
      clearTimeout(timer)
      if (result === undefined) return holds('the answer comes within 20 seconds', false, 'no answer')
      assertFailed(fixture, result)
    },
  },
  {
    name: 'a receiver that comes back gets events again',
    check: async (fixture) => {
      await fixture.goDown()
      assertFailed(fixture, await fixture.sink.deliver(event(1)))
      await fixture.comeBack()
      holds('it is delivered', (await fixture.sink.deliver(event(2))).delivered, 'not delivered')
      holds('it has arrived', idsOf(await fixture.received()).includes(event(2).id), await fixture.received())
    },
  },
]

const assertFailed = ({ secrets }: EventSinkFixture, result: Awaited<ReturnType<EventSink['deliver']>>): void => {
  holds('it is not delivered', !result.delivered, result)
  holds('the error is a sentence', /^\S.* .*\S$/s.test(result.error ?? ''), result)
  const shown = JSON.stringify(result)
  holds('no secret is shown', !secrets.some((secret) => shown.includes(secret)), 'a secret in the answer')
}

const idsOf = (bodies: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  bodies.map((body) => (typeof body === 'object' && body !== null && 'id' in body ? body.id : body))

const event = (nth: number): Event => ({
  id: eventIdOf(`0192a000-0000-7000-8000-${nth.toString(16).padStart(12, '0')}`),
  type: 'message.received',
  workspace: 'ws_0192a00000007000800000000000000a' as WorkspaceId,
  at: Date.UTC(2026, 10, 22) + nth,
  subject: `wamid.${nth}`,
  data: { id: `wamid.${nth}`, content: null, context: null },
})
