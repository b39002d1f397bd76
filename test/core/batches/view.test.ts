import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { batchView, preflightView, shownBatchView } from '../../../core/batches/view.js'
import { DAY_MS, SECOND_MS } from '../../../core/kernel/time.js'
import { rightOf } from '../../support/right-of.js'
import { NOON, TEMPLATE_PRICE } from '../gateway.js'
import { batchWorld, customer, linesTo } from './world.js'

const AT = new Date(NOON).toISOString()

describe('The view of a batch', () => {
  it('has each field, null if it is absent, and times and amounts as texts', async () => {
    const world = await batchWorld()
    const { id } = rightOf(await world.batching.create({ ...world.of('' as never), templateName: 'sale', language: 'en', timing: {} }))
    const view = batchView(await world.found(id))
    assert.deepEqual(view, {
      id, name: null, state: 'draft', paused_because: null, template_name: 'sale', language: 'en', sender: world.phoneNumberId,
      send_at: null, until: null, deliver_between: null, first_wave: null, brake: { share: 0.05, of: 200 }, metadata: null, total: null,
      currency: null, sendable: null, created_at: AT, confirmed_at: null, ended_at: null,
    })
  })

  it('shows hours, waits in seconds, and what was confirmed', async () => {
    const world = await batchWorld()
    const timing = { sendAt: NOON + SECOND_MS, until: NOON + 9 * SECOND_MS, hours: { from: '09:00', to: '20:00' } }
    const id = await world.confirmed(linesTo(2), {
      templateName: 'sale', timing, name: 'Sale', firstWave: { recipients: 1, waitMs: 60 * SECOND_MS }, metadata: { campaign: 'a' },
    })
    assert.deepInclude(batchView(await world.found(id)), {
      name: 'Sale', state: 'confirmed', send_at: '2026-03-01T12:00:01.000Z', until: '2026-03-01T12:00:09.000Z',
      deliver_between: { from: '09:00', to: '20:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], timezone: 'customer' },
      first_wave: { recipients: 1, wait: 60 }, metadata: { campaign: 'a' }, total: '0.125000', currency: 'USD', sendable: 2,
      confirmed_at: AT,
    })
  })

  it('counts what waits, what is left out and the messages by their states, and tells what is charged and held', async () => {
    const world = await batchWorld()
    const bad = E.left({ line: 9, code: 'invalid_phone_number', message: '', to: '0151' })
    const id = await world.draft([...linesTo(3), bad], { templateName: 'sale' })
    const shown = async () => shownBatchView(rightOf(await world.batching.show(world.of(id))))
    const draft = await shown()
    assert.deepInclude(draft, { recipients: 4, price: '0.000000', held: '0.000000', rate: 80, expected_end: null })
    assert.deepInclude(draft.counts, { waiting: 3, left_out: 1, queued: 0, accepted: 0 })
    await world.confirm(id)
    assert.deepInclude(await shown(), { held: '0.187500', expected_end: '2026-03-01T12:00:00.038Z' })
    await world.runAll()
    const done = await shown()
    assert.deepInclude(done, { state: 'done', price: '0.187500', held: '0.000000', expected_end: null })
    assert.deepInclude(done.counts, { waiting: 0, left_out: 1, queued: 0, accepted: 3 })
  })

  it('of a check adds up categories and markets, and names what each warning is about', () => {
    const view = preflightView({
      recipients: 7, sendable: 6, total: 6n * TEMPLATE_PRICE, currency: 'USD' as never, availableAfter: -1n, daysNeeded: 2,
      earliestEnd: NOON, days: [{ from: NOON, lines: 250 }, { from: NOON + DAY_MS, lines: 1 }],
      problems: [{ code: 'duplicate_recipient', count: 1, lines: [8] }],
      parts: [
        { category: 'marketing', market: 'Germany', lines: 3, micros: 3n * TEMPLATE_PRICE },
        { category: 'marketing', lines: 2, micros: 2n * TEMPLATE_PRICE },
        { category: 'utility', market: 'Germany', lines: 1, micros: TEMPLATE_PRICE },
      ],
      warnings: [
        { code: 'category_changed', before: 'utility', now: 'marketing' },
        { code: 'price_changed', market: 'Germany', before: 1n, now: 2n },
        { code: 'first_use' }, { code: 'quality_not_green', quality: 'yellow' }, { code: 'more_than_a_day', perDay: 250, used: 7 },
      ],
    })
    assert.deepEqual(view, {
      recipients: 7, sendable: 6, total: '0.375000', currency: 'USD', available_after: '-0.000001', days_needed: 2, earliest_end: AT,
      days: [{ from: AT, recipients: 250 }, { from: '2026-03-02T12:00:00.000Z', recipients: 1 }],
      problems: [{ code: 'duplicate_recipient', count: 1, lines: [8] }],
      by_category: [
        { category: 'marketing', recipients: 5, price: '0.312500' }, { category: 'utility', recipients: 1, price: '0.062500' },
      ],
      by_market: [{ market: 'Germany', recipients: 4, price: '0.250000' }, { market: null, recipients: 2, price: '0.125000' }],
      warnings: [
        { code: 'category_changed', before: 'utility', now: 'marketing' },
        { code: 'price_changed', market: 'Germany', before: '0.000001', now: '0.000002' },
        { code: 'first_use' }, { code: 'quality_not_green', quality: 'yellow' }, { code: 'more_than_a_day', per_day: 250, used: 7 },
      ],
    })
  })

  it('of a batch that waits after its first wave ends later by that wait', async () => {
    const world = await batchWorld()
    const firstWave = { recipients: 1, waitMs: 60 * SECOND_MS }
    const id = await world.draft(linesTo(2), { templateName: 'sale', firstWave })
    const { earliestEnd } = rightOf(await world.batching.preflight(world.of(id)))
    assert.isAtLeast(earliestEnd, NOON + 60 * SECOND_MS)
    assert.notEqual(customer(0), customer(1))
  })
})
