import { assert } from 'chai'
import {
  type Attempted, type AttemptResult, type EndpointHealth, GIVES_UP_AFTER_MS, isCircuitOpen, type MadeAttempt, nextAttemptAt, noteAttempts,
  pauseAfter,
} from '../../../core/events/delivery.js'
import { endpointIdOf } from '../../../core/events/endpoint.js'
import { type EventId, eventIdOf } from '../../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'

const NOON = Date.UTC(2026, 0, 1, 12)
const ENDPOINT = endpointIdOf('01930000-0000-7000-8000-000000000000')
const HEALTHY: EndpointHealth = { failures: 0, failingSince: undefined }
const OK: AttemptResult = { delivered: true, httpStatus: 200, error: undefined, answer: 'thanks', durationMs: 20 }
const FAILED: AttemptResult = { delivered: false, httpStatus: 500, error: 'It answered 500.', answer: 'oops', durationMs: 20 }
const GONE: AttemptResult = { ...FAILED, httpStatus: 410, isGone: true }

const event = (n: number): EventId => eventIdOf(n.toString(16).padStart(32, '0'))

let lastId = 0
const attempt = (n: number, result: AttemptResult, more: Partial<MadeAttempt> = {}): MadeAttempt => ({
  id: (lastId += 1).toString(16).padStart(32, '0'), event: { id: event(n), type: 'message.sent' }, startedAt: NOON, result, random: 0,
  ...more,
})
const note = (health: EndpointHealth, ...made: ReadonlyArray<MadeAttempt>) => noteAttempts(ENDPOINT, health, made)

describe('What is noted after attempts', () => {
  it('contains every attempt, in order, with its result and the time of the retry', () => {
    const { attempts } = note(HEALTHY, attempt(1, OK), attempt(2, FAILED))
    assert.deepEqual(attempts.map(({ id: _, ...rest }) => rest), [
      {
        endpoint: ENDPOINT, event: event(1), type: 'message.sent', at: NOON, delivered: true, httpStatus: 200, error: undefined,
        answer: 'thanks', durationMs: 20, nextAttemptAt: undefined,
      },
      {
        endpoint: ENDPOINT, event: event(2), type: 'message.sent', at: NOON, delivered: false, httpStatus: 500, error: 'It answered 500.',
        answer: 'oops', durationMs: 20, nextAttemptAt: NOON + 20 + 5 * SECOND_MS,
      },
    ])
  })

  it('is nothing to try again after a success', () => {
    const { retry, done, failures, failingSince, pausedUntil, retryAtOnceSince, disabled } = note(HEALTHY, attempt(1, OK))
    assert.deepEqual(
      [retry, done, failures, failingSince, pausedUntil, retryAtOnceSince, disabled],
      [[], [], 0, undefined, undefined, undefined, undefined],
    )
  })

  it('is the next attempt of an event that failed, counted from the end of the attempt', () => {
    const { retry, failures, failingSince } = note(HEALTHY, attempt(1, { ...FAILED, durationMs: 15_000 }))
    assert.deepEqual(retry, [{ event: event(1), attempts: 1, firstAttemptAt: NOON, at: NOON + 15_000 + 5 * SECOND_MS }])
    assert.deepEqual([failures, failingSince], [1, NOON])
  })

  it('keeps the first attempt of an event that failed again, and counts on', () => {
    const { retry } = note(HEALTHY, attempt(1, FAILED, { retry: { attempts: 1, firstAttemptAt: NOON - 6_000 } }))
    assert.deepEqual(retry, [{ event: event(1), attempts: 2, firstAttemptAt: NOON - 6_000, at: NOON + 20 + 5 * MINUTE_MS }])
  })

  it('restarts the schedule for an event that its owner wants again', () => {
    const { retry } = note(HEALTHY, attempt(1, FAILED, { retry: { attempts: 0, firstAttemptAt: NOON - 30 * DAY_MS } }))
    assert.deepEqual(retry, [{ event: event(1), attempts: 1, firstAttemptAt: NOON, at: NOON + 20 + 5 * SECOND_MS }])
  })

  it('ends the waiting of an event that was tried again with success', () => {
    assert.deepEqual(note(HEALTHY, attempt(1, OK, { retry: { attempts: 3, firstAttemptAt: NOON } }), attempt(2, OK)).done, [event(1)])
  })

  it('gives an event up after five days', () => {
    const { retry, done, attempts } = note(
      { failures: 0, failingSince: undefined },
      attempt(1, FAILED, { retry: { attempts: 9, firstAttemptAt: NOON - GIVES_UP_AFTER_MS + DAY_MS } }),
    )
    assert.deepEqual([retry, done, attempts[0]?.nextAttemptAt], [[], [event(1)], undefined])
  })

  it('honours what the receiver asks to wait', () => {
    assert.equal(note(HEALTHY, attempt(1, { ...FAILED, retryAfterMs: MINUTE_MS })).retry[0]?.at, NOON + 20 + MINUTE_MS)
  })

  it('counts failures in a row, and a success ends them', () => {
    assert.equal(note({ failures: 2, failingSince: NOON - 1 }, attempt(1, FAILED), attempt(2, FAILED)).failures, 4)
    const { failures, failingSince } = note({ failures: 4, failingSince: NOON - 1 }, attempt(1, FAILED), attempt(2, OK))
    assert.deepEqual([failures, failingSince], [0, undefined])
    assert.equal(note(HEALTHY, attempt(1, FAILED), attempt(2, OK), attempt(3, FAILED, { startedAt: NOON + 9 })).failingSince, NOON + 9)
  })
})

describe('The circuit of an endpoint', () => {
  const pauses = [[0, 0], [1, 0], [4, 0], [5, 1], [6, 2], [7, 4], [8, 8], [9, 16], [10, 32], [11, 60], [12, 60], [5_000, 60]] as const
  for (const [failures, seconds] of pauses) {
    it(`pauses ${seconds} seconds after ${failures} failures in a row`, () => {
      assert.equal(pauseAfter(failures), seconds * SECOND_MS)
      assert.equal(isCircuitOpen({ failures }), seconds > 0)
    })
  }

  it('pauses from the end of the attempt that failed', () => {
    assert.equal(
      note({ failures: 5, failingSince: NOON }, attempt(1, { ...FAILED, durationMs: 15_000 })).pausedUntil, NOON + 15_000 + 2 * SECOND_MS,
    )
  })

  it('hastens what failed since an outage began, at the first success', () => {
    const outage = { failures: 7, failingSince: NOON - MINUTE_MS }
    const { retryAtOnceSince, retry, pausedUntil } = note(outage, attempt(1, FAILED), attempt(2, OK), attempt(3, FAILED))
    assert.deepEqual([retryAtOnceSince, pausedUntil], [NOON - MINUTE_MS, undefined])
    assert.deepEqual(retry.map(({ at }) => at), [NOON + 20, NOON + 20 + 5 * SECOND_MS])
  })

  it('hastens nothing after few failures or a short outage, so that events which the endpoint refuses are not tried without end', () => {
    assert.isUndefined(note({ failures: 4, failingSince: NOON - MINUTE_MS }, attempt(2, OK)).retryAtOnceSince)
    assert.isUndefined(note({ failures: 5, failingSince: NOON - 4 * SECOND_MS }, attempt(2, OK)).retryAtOnceSince)
    assert.equal(note({ failures: 5, failingSince: NOON - 5 * SECOND_MS }, attempt(2, OK)).retryAtOnceSince, NOON - 5 * SECOND_MS)
  })
})

describe('An endpoint is disabled', () => {
  it('at once when it answers that it is gone', () => {
    const { disabled, retry, attempts } = note(HEALTHY, attempt(1, GONE))
    assert.deepEqual([disabled, retry, attempts[0]?.nextAttemptAt], ['gone', [], undefined])
  })

  it('also if an attempt beside that one succeeded', () => assert.equal(note(HEALTHY, attempt(1, GONE), attempt(2, OK)).disabled, 'gone'))

  it('when every attempt of five days has failed', () => {
    const since = NOON + FAILED.durationMs - GIVES_UP_AFTER_MS
    assert.equal(note({ failures: 90, failingSince: since }, attempt(1, FAILED)).disabled, 'failing')
    assert.isUndefined(note({ failures: 90, failingSince: since + 1 }, attempt(1, FAILED)).disabled)
  })

  it('not when the attempt after five days succeeds', () => {
    assert.isUndefined(note({ failures: 90, failingSince: NOON - 2 * GIVES_UP_AFTER_MS }, attempt(1, OK)).disabled)
  })
})

const FIRST = Date.UTC(2026, 0, 1)

const next = (given: Partial<Attempted>): number | undefined => {
  const at = nextAttemptAt({ attempts: 1, firstAttemptAt: FIRST, now: FIRST, retryAfterMs: undefined, random: 0, ...given })
  return at === undefined ? undefined : at - (given.now ?? FIRST)
}

describe('The schedule of deliveries', () => {
  const pauses = [
    [1, 5 * SECOND_MS], [2, 5 * MINUTE_MS], [3, 30 * MINUTE_MS], [4, 2 * HOUR_MS], [5, 5 * HOUR_MS], [6, 10 * HOUR_MS], [7, 14 * HOUR_MS],
    [8, 20 * HOUR_MS], [9, DAY_MS], [10, DAY_MS], [50, DAY_MS],
  ] as const
  for (const [attempts, pause] of pauses) {
    it(`waits ${pause / SECOND_MS} seconds after ${attempts} failed attempts`, () => assert.equal(next({ attempts }), pause))
  }

  it('waits at most a tenth longer, so that events that failed together are not tried together', () => {
    assert.equal(next({ attempts: 2, random: 1 }), 5.5 * MINUTE_MS)
    assert.equal(next({ attempts: 2, random: 0.5 }), 5.25 * MINUTE_MS)
  })

  it('waits as long as the receiver asks for, if that is longer', () => {
    assert.equal(next({ retryAfterMs: HOUR_MS }), HOUR_MS)
    assert.equal(next({ attempts: 4, retryAfterMs: HOUR_MS }), 2 * HOUR_MS)
  })

  it('waits a day at most if the receiver asks for more', () => {
    assert.equal(next({ retryAfterMs: 365 * DAY_MS }), DAY_MS)
    assert.equal(next({ retryAfterMs: Infinity }), DAY_MS)
  })

  it('gives an event up once its next attempt would be more than five days after its first', () => {
    assert.equal(next({ attempts: 9, now: FIRST + GIVES_UP_AFTER_MS - DAY_MS }), DAY_MS)
    assert.isUndefined(next({ attempts: 9, now: FIRST + GIVES_UP_AFTER_MS - DAY_MS + 1 }))
    assert.isUndefined(next({ now: FIRST + GIVES_UP_AFTER_MS }))
  })

  it('tries an event that always fails ten or eleven times', () => {
    for (const random of [0, 0.5, 1]) {
      let [attempts, now] = [1, FIRST]
      for (;;) {
        const at = nextAttemptAt({ attempts, firstAttemptAt: FIRST, now, retryAfterMs: undefined, random })
        if (at === undefined) break
        assert.isAbove(at, now)
        now = at
        attempts += 1
      }
      assert.include([10, 11], attempts)
      assert.isAtMost(now - FIRST, GIVES_UP_AFTER_MS)
    }
  })
})
