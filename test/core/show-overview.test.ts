import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { makeMemoryStorage } from '../../adapters/memory/index.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import { endpointIdOf, type EndpointSecret } from '../../core/events/endpoint.js'
import { SCOPES } from '../../core/kernel/actor.js'
import type { Currency } from '../../core/kernel/money.js'
import { DAY_MS, type Days, HOUR_MS, MINUTE_MS } from '../../core/kernel/time.js'
import type { SenderFilter } from '../../core/messages/message-log.js'
import { type MessageId, messageIdOf, type MessageState } from '../../core/messages/message.js'
import { makeRollUpMessages } from '../../core/messages/statistics.js'
import { cutRange, lastsMsOf, makeShowOverview, makeShowRunway, OVERVIEW_RANGES, SETUP_STEPS, totalOf } from '../../core/overview.js'
import { inboxOf, type SenderId, senderIdOf } from '../../core/senders/sender.js'
import { newMessageId } from '../laws/ids.js'
import { fundedWorkspace } from '../support/account.js'
import { rightOf } from '../support/right-of.js'

const NOON = Date.UTC(2026, 5, 1, 12, 3)
const PRICE = 50_000n

const world = async (micros = 10_000_000n) => {
  const storage = makeMemoryStorage()
  const workspace = await fundedWorkspace(storage, micros)
  const deps = { ...storage, now: () => NOON }
  return {
    storage, workspace,
    /** Sends through the books as a send does, and ends in a state. */
    send: async (
      ago: number, state: Exclude<MessageState, 'queued' | 'pending'>, code?: number, sender?: SenderId,
    ): Promise<MessageId> => {
      const at = NOON - ago
      const message = newMessageId(at)
      const amount = { micros: PRICE, currency: 'USD' as Currency }
      rightOf(await storage.messageLog.open({
        id: message, workspace, at, price: { ...amount, category: 'utility' }, ...(sender !== undefined && { sender }),
        message: { _tag: 'Text', to: '4915123456789' as PhoneNumber, text: 'Hello' },
      }))
      rightOf(await storage.wallet.hold({ workspace, message, amount, at }))
      rightOf(await storage.messageLog.apply(workspace, message, { state, at, ...(code !== undefined && { error: { code } }) }))
      if (state === 'refused') rightOf(await storage.wallet.release({ workspace, message, at }))
      else if (state !== 'unconfirmed') rightOf(await storage.wallet.capture({ workspace, message, at }))
      if (state === 'failed') rightOf(await storage.wallet.refund({ workspace, message, at }))
      return message
    },
    shown: async (range: (typeof OVERVIEW_RANGES)[number] = '24h', sender?: SenderFilter) => {
      rightOf(await makeRollUpMessages(deps)(() => Promise.resolve(true)))
      return rightOf(await makeShowOverview(deps)({ workspace, range, sender }))
    },
  }
}

const shifted = (zone: string, ms: number): Days => ({ zone, startOf: (at) => Math.floor((at + ms) / DAY_MS) * DAY_MS - ms })

describe('The overview of a workspace', () => {
  it('has the 30 days of the zone of the person, each with the messages between its bars', async () => {
    const { send, storage, workspace, shown } = await world()
    // Half past eleven at night in UTC is the next day in Berlin.
    const night = Date.UTC(2026, 4, 30, 23, 30)
    await send(NOON - night, 'read')
    await shown()
    for (const [days, day] of [[undefined, 30], [shifted('Berlin', 2 * HOUR_MS), 31]] as const) {
      const overview = rightOf(
        await makeShowOverview({ ...storage, now: () => NOON })({ workspace, range: '30d', ...(days !== undefined && { days }) }),
      )
      const found = overview.parts.find(({ messages }) => messages.read > 0)
      assert.equal(overview.parts.length, 30)
      assert.isTrue(found !== undefined && found.start <= night && night < found.end)
      assert.equal(found?.start, Date.UTC(2026, 4, day) - (days === undefined ? 0 : 2 * HOUR_MS))
      assert.deepEqual(overview.parts.slice(1).map(({ start }) => start), overview.parts.slice(0, -1).map(({ end }) => end))
      assert.deepEqual(overview.before, { messages: 0, micros: 0n, shares: undefined })
    }
  })

  it('has the messages, the reasons and the open windows of one sender, and those of the workspace without a sender', async () => {
    const { send, storage, workspace, shown } = await world()
    const [one, other] = [senderIdOf('1001'), senderIdOf('1002')]
    for (const phoneNumberId of [one, other]) {
      rightOf(await storage.senders.assign(workspace, { phoneNumberId, accessToken: 'token', businessAccountId: undefined }))
    }
    for (const [sender, ids] of [[one, ['4915100000001']], [other, ['4915100000001', '4915100000002']]] as const) {
      const found = rightOf(await storage.senders.sendersOf(workspace)).find(({ phoneNumberId }) => phoneNumberId === sender)
      for (const id of ids) {
        rightOf(await storage.windowClock.recordInbound(inboxOf(workspace, found), { phoneNumber: id as PhoneNumber }, NOON - HOUR_MS))
      }
    }
    await send(HOUR_MS, 'read', undefined, one)
    await send(HOUR_MS, 'failed', 131_026, other)
    const last = await send(MINUTE_MS, 'delivered', undefined, other)
    const figures = async (sender?: SenderFilter) => {
      const { total, failures, latest, openWindows, parts } = await shown('24h', sender)
      const counted = parts.reduce((sum, part) => sum + totalOf(part), 0)
      return [totalOf(total), counted, total.micros, failures.reasons.length, latest.length, openWindows]
    }
    assert.deepEqual(await figures(), [3, 3, 2n * PRICE, 1, 3, 3])
    assert.deepEqual(await figures({ ids: [one], orNone: true }), [1, 1, PRICE, 0, 1, 1])
    assert.deepEqual(await figures({ ids: [other], orNone: false }), [2, 2, PRICE, 1, 2, 2])
    assert.equal((await shown('24h', { ids: [other], orNone: false })).latest[0]?.id, last)
  })

  it('begins a day of a half-hour zone with its first whole hour of UTC', () => {
    const days = shifted('India', 5.5 * HOUR_MS)
    for (const at of [NOON, Date.UTC(2026, 5, 1, 18, 29), Date.UTC(2026, 5, 1, 18, 45), Date.UTC(2026, 5, 1, 19)]) {
      const { width, parts } = cutRange('30d', at, days)
      assert.deepEqual(
        [width, parts.length, parts.map(({ from }) => (from + 5.5 * HOUR_MS) % DAY_MS / MINUTE_MS)],
        ['1h', 30, Array.from({ length: 30 }, () => 30)],
      )
      const last = parts.at(-1)
      assert.isTrue(last !== undefined && last.from <= at && at < last.to, new Date(at).toISOString())
    }
  })

  it('says as the list of workspaces does how long the balance lasts', async () => {
    const { send, shown, storage, workspace } = await world()
    for (const ago of [
      0, 11 * HOUR_MS, 13 * HOUR_MS, 22 * HOUR_MS, 25 * HOUR_MS, 3 * DAY_MS, 6 * DAY_MS, 7 * DAY_MS - HOUR_MS, 7 * DAY_MS - 10, 8 * DAY_MS,
    ]) {
      await send(ago, 'read')
    }
    const { rates } = await shown()
    const runway = rightOf(await makeShowRunway({ ...storage, now: () => NOON })(workspace))
    assert.deepEqual(runway.rates, rates)
    assert.equal(lastsMsOf(runway.rates), Math.min(rates.day.lastsMs ?? 0, rates.week.lastsMs ?? 0))
  })

  it('has the messages of a range by state, in parts, and the shares of those that were accepted', async () => {
    const { send, shown } = await world()
    for (const state of ['read', 'read', 'delivered', 'sent', 'accepted', 'failed', 'refused', 'unconfirmed'] as const) {
      await send(MINUTE_MS, state)
    }
    const { total, shares, parts } = await shown('1h')
    assert.deepEqual(total.messages, { read: 2, delivered: 1, sent: 2, open: 1, failed: 2 })
    assert.deepEqual(shares, { delivered: 0.5, read: 2 / 6 })
    assert.equal(parts.length, 12)
    assert.equal(totalOf(parts.at(-1) ?? total), 8)
  })

  it('reaches back as far as each range says', async () => {
    const { send, shown } = await world()
    for (const ago of [0, 30 * MINUTE_MS, 3 * HOUR_MS, 3 * DAY_MS, 20 * DAY_MS, 80 * DAY_MS, 95 * DAY_MS]) await send(ago, 'read')
    const totals: Array<number> = []
    for (const range of OVERVIEW_RANGES) totals.push(totalOf((await shown(range)).total))
    assert.deepEqual(totals, [2, 3, 4, 5, 6])
  })

  it('spends what the wallet has paid, whatever became of the messages', async () => {
    const { send, shown, storage, workspace } = await world()
    for (const state of ['read', 'delivered', 'sent', 'accepted', 'failed', 'refused', 'unconfirmed'] as const) await send(HOUR_MS, state)
    const { total, balance } = await shown()
    const { items } = rightOf(await storage.ledger.statement(workspace, { limit: 100 }))
    const sum = (kind: string): bigint => items.reduce((all, entry) => (entry.kind === kind ? all + entry.micros : all), 0n)
    assert.equal(total.micros, sum('capture') - sum('refund'))
    assert.equal(total.micros, 4n * PRICE)
    assert.equal(balance?.available, 10_000_000n - 4n * PRICE - PRICE)
  })

  it('says how long the balance lasts at the spend of a day and of a week, and nothing if nothing was spent', async () => {
    const { send, shown } = await world(1_000_000n)
    assert.isUndefined((await (await world()).shown()).rates.day.lastsMs)
    for (const ago of [0, HOUR_MS, 3 * DAY_MS, 3 * DAY_MS + 1, 3 * DAY_MS + 2, 3 * DAY_MS + 3]) await send(ago, 'read')
    const { rates: { day, week } } = await shown()
    assert.deepEqual([day.micros, week.micros], [2n * PRICE, 6n * PRICE])
    assert.equal(day.lastsMs, 7 * DAY_MS)
    assert.equal(week.lastsMs, Math.floor((700_000 / 300_000) * 7 * DAY_MS))
  })

  it('has the time of the same length before, with a part of the bucket that it begins in, if that is still counted', async () => {
    const { send, shown } = await world()
    assert.deepEqual((await (await world()).shown()).before, { messages: 0, micros: 0n, shares: undefined })
    // Three minutes of the hour have passed, so the day before begins three minutes before the end of an hour.
    for (const ago of [HOUR_MS, 24 * HOUR_MS, 30 * HOUR_MS, 45 * HOUR_MS]) await send(ago, 'read')
    for (let count = 0; count < 20; count += 1) await send(46 * HOUR_MS + 30 * MINUTE_MS, 'failed')
    const { before, total } = await shown()
    assert.deepEqual([totalOf(total), before?.messages, before?.micros], [1, 3 + 20 * (3 / 60), 3n * PRICE])
    assert.equal(before?.shares?.read, 3 / 4)
    for (const range of ['1h', '7d', '30d'] as const) assert.isDefined((await shown(range)).before, range)
    assert.isUndefined((await shown('90d')).before)
  })

  it('says why messages were not delivered, the most frequent reason first', async () => {
    const { send, shown } = await world()
    for (const code of [131_026, 131_047, 131_026]) await send(HOUR_MS, 'failed', code)
    await send(2 * HOUR_MS, 'refused', 131_026)
    await send(HOUR_MS, 'failed')
    await send(HOUR_MS, 'read')
    await send(3 * DAY_MS, 'failed', 132_000)
    assert.deepEqual((await shown()).failures, {
      reasons: [{ code: 131_026, messages: 3 }, { code: 131_047, messages: 1 }, { code: undefined, messages: 1 }], isPartial: false,
    })
    assert.deepEqual((await shown('1h')).failures, { reasons: [], isPartial: false })
    assert.lengthOf((await shown('7d')).failures.reasons, 4)
  })

  it('has the newest messages, and names those of unknown outcome until they are known', async () => {
    const { send, shown, storage, workspace } = await world()
    const unknown = [await send(3 * DAY_MS, 'unconfirmed'), await send(20 * HOUR_MS, 'unconfirmed')]
    const ids: Array<MessageId> = []
    for (let ago = 8; ago > 0; ago -= 1) ids.unshift(await send(ago * HOUR_MS, 'read'))
    assert.deepEqual((await shown()).latest.map(({ id }) => id), ids.slice(0, 6))
    const named = async () => (await shown()).attention.filter(({ _tag }) => _tag === 'OutcomeUnknown')
    assert.deepEqual(await named(), [{ _tag: 'OutcomeUnknown', messages: 2, since: NOON - 3 * DAY_MS, isMore: false }])
    // The roll-up does not count the old bucket again so soon.
    for (const id of unknown) rightOf(await storage.messageLog.apply(workspace, id, { state: 'delivered', at: NOON }))
    assert.deepEqual(await named(), [])
  })

  it('says which steps to a first message are done', async () => {
    const { storage, workspace, send, shown } = await world(0n)
    const done = async () => Object.entries((await shown()).setup).filter(([, isDone]) => isDone).map(([step]) => step)
    assert.deepEqual(await done(), [])
    rightOf(await storage.senders.assign(workspace, { phoneNumberId: senderIdOf('1'), accessToken: 'token', businessAccountId: 'account' }))
    const { id } = rightOf(await storage.keyStore.mint({ workspace, name: 'shop', at: NOON, scopes: SCOPES }))
    assert.deepEqual(await done(), ['sender', 'key'])
    rightOf(await storage.ledger.topUp({ workspace, micros: 1_000_000n, reference: 'first', at: NOON }))
    assert.deepEqual(await done(), ['sender', 'money', 'key'])
    await send(0, 'accepted')
    assert.deepEqual(await done(), ['sender', 'money', 'key', 'message'], 'the platform has reported nothing')
    await send(0, 'sent')
    assert.deepEqual(await done(), [...SETUP_STEPS])
    rightOf(await storage.keyStore.revoke(id, NOON))
    assert.notInclude(await done(), 'key')
  })

  it('counts the open windows', async () => {
    const { storage, workspace, shown } = await world()
    for (const [ago, phoneNumber] of [[0, '4915100000001'], [23 * HOUR_MS, '4915100000002'], [25 * HOUR_MS, '4915100000003']] as const) {
      rightOf(await storage.windowClock.recordInbound(workspace, { phoneNumber: phoneNumber as PhoneNumber }, NOON - ago))
    }
    assert.equal((await shown()).openWindows, 2)
  })

  it('names what needs attention, and nothing else', async () => {
    const { storage, workspace, shown } = await world(0n)
    assert.deepEqual((await shown()).attention, [{ _tag: 'NoSender' }])
    rightOf(await storage.senders.assign(workspace, { phoneNumberId: senderIdOf('1'), accessToken: 'token', businessAccountId: 'account' }))
    assert.deepEqual((await shown()).attention, [])

    rightOf(await storage.senders.noteHealth({ workspace, sender: senderIdOf('1') }, true, NOON))
    const price = { micros: PRICE, currency: 'USD' as Currency }
    await storage.wallet.hold({ workspace, message: messageIdOf(uuidv7()), amount: price, at: NOON })
    const id = endpointIdOf(uuidv7())
    rightOf(await storage.eventEndpoints.add({
      id, workspace, url: 'https://example.com/', types: ['*'], description: '', createdAt: NOON, secret: 'whsec' as EndpointSecret,
    }))
    rightOf(await storage.eventEndpoints.change(id, { status: 'disabled' }, NOON))
    const template = {
      name: 'order', language: 'en', id: '1', category: 'utility', quality: undefined, parameterFormat: undefined, components: undefined,
    }
    rightOf(await storage.templateCatalogue.replaceAll(
      'account', ['paused', 'approved', 'pending'].map((status) => ({ ...template, name: status, status })), NOON,
    ))
    assert.deepEqual((await shown()).attention, [
      { _tag: 'SenderFailing', sender: senderIdOf('1'), since: NOON }, { _tag: 'WalletExhausted', since: NOON },
      { _tag: 'EndpointDisabled', id, url: 'https://example.com/' },
      { _tag: 'TemplatesStopped', templates: [{ name: 'paused', language: 'en', status: 'paused' }], more: 0 },
    ])
  })
})
