import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'
import type { NewSpan, Tracer } from '../../../core/kernel/tracing.js'
import { type MessageId, messageIdOf, type PlatformId } from '../../../core/messages/message.js'
import { type Inbound, makeReceive } from '../../../core/reports/receive.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { CUSTOMER, gateway, type Gateway, NOON, OPENING_BALANCE, TEXT_PRICE } from '../gateway.js'
import { UNKNOWN } from '../../support/scripted-platform.js'

const UNKNOWN_ID = messageIdOf(uuidv7())

const inbound = (gw: Gateway, more: Partial<Inbound> = {}): Inbound => ({
  _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER }, at: NOON, ...more,
})

const accepted = async (gw: Gateway): Promise<MessageId> => rightOf(await gw.sendText()).id

describe('A customer who writes', () => {
  it('opens the window from the moment the platform names', async () => {
    const gw = await gateway({ lastInbound: undefined })
    assert.deepEqual(await gw.receive(inbound(gw, { at: NOON - HOUR_MS })), E.right(['window_marked']))
    assert.equal(await gw.lastInbound(), NOON - HOUR_MS)
    rightOf(await gw.sendText())
  })

  it('opens it from the date of the message up to a minute ahead, and from its arrival beyond', async () => {
    for (const [at, opened] of [
      [NOON + 1, NOON + 1], [NOON + 60 * SECOND_MS, NOON + 60 * SECOND_MS], [NOON + 60 * SECOND_MS + 1, NOON], [NOON + HOUR_MS, NOON],
      [Number.MAX_SAFE_INTEGER, NOON],
    ] as const) {
      const gw = await gateway({ lastInbound: undefined })
      assert.deepEqual(await gw.receive(inbound(gw, { at })), E.right(['window_marked']))
      assert.equal(await gw.lastInbound(), opened)
    }
  })

  it('extends an open window by the arrival of a message that is dated far ahead', async () => {
    const gw = await gateway({ lastInbound: NOON - HOUR_MS })
    rightOf(await gw.receive(inbound(gw, { at: NOON + 1_000 * HOUR_MS })))
    assert.equal(await gw.lastInbound(), NOON)
  })

  it('does not open it again by a message dated ahead that is delivered again, also after the window has closed', async () => {
    const gw = await gateway({ lastInbound: undefined })
    const ahead = inbound(gw, { at: NOON + 1_000 * HOUR_MS })
    rightOf(await gw.receive(ahead))
    for (const hours of [1, 22, 2, 1_000]) {
      gw.passes(hours * HOUR_MS)
      assert.deepEqual(await gw.receive(ahead, ahead), E.right(['window_marked', 'window_marked']))
      assert.equal(await gw.lastInbound(), NOON)
    }
    assert.equal(leftOf(await gw.sendText())._tag, 'WindowClosed')
    rightOf(await gw.receive(inbound(gw, { at: gw.now() })))
    assert.equal(await gw.lastInbound(), gw.now())
  })

  it('keeps the window as the first delivery left it, whatever the date of the message and whenever it is delivered again', async () => {
    await fc.assert(fc.asyncProperty(
      fc.integer({ min: -48 * HOUR_MS, max: 48 * HOUR_MS }), fc.array(fc.integer({ min: 0, max: 12 * HOUR_MS }), { maxLength: 12 }),
      async (aheadMs, pauses) => {
        const gw = await gateway({ lastInbound: undefined })
        const message = inbound(gw, { at: NOON + aheadMs })
        rightOf(await gw.receive(message))
        const opened = await gw.lastInbound()
        for (const pause of pauses) {
          gw.passes(pause)
          rightOf(await gw.receive(message, message))
          assert.equal(await gw.lastInbound(), opened)
        }
      },
    ), { numRuns: 300, examples: [[60 * SECOND_MS + 1, [1, 60 * SECOND_MS, 1]], [48 * HOUR_MS, [25 * HOUR_MS, 23 * HOUR_MS, 1]]] })
  })

  it('never moves the window back, delivered late or twice', async () => {
    const gw = await gateway({ lastInbound: NOON - HOUR_MS })
    assert.deepEqual(
      await gw.receive(inbound(gw, { at: NOON - 3 * HOUR_MS }), inbound(gw, { at: NOON - HOUR_MS })),
      E.right(['window_marked', 'window_marked']),
    )
    assert.equal(await gw.lastInbound(), NOON - HOUR_MS)
  })

  it('opens the window to that workspace alone', async () => {
    const gw = await gateway({ lastInbound: undefined })
    const other = await gw.addWorkspace()
    rightOf(await gw.receive(inbound(gw, { phoneNumberId: other.phoneNumberId })))
    assert.isUndefined(await gw.lastInbound())
  })

  it('to a number of no workspace is acknowledged and marks nothing', async () => {
    const gw = await gateway({ lastInbound: undefined })
    assert.deepEqual(await gw.receive(inbound(gw, { phoneNumberId: senderIdOf('404') })), E.right(['unknown_sender']))
    assert.isUndefined(await gw.lastInbound())
  })
})

describe('A status', () => {
  it('by our id moves the message it names', async () => {
    const gw = await gateway()
    const id = await accepted(gw)
    assert.deepEqual(await gw.receive(gw.status(id, 'sent')), E.right(['message_moved']))
    assert.equal((await gw.message(id)).state, 'sent')
  })

  it('by the platform\'s id alone moves the message it names', async () => {
    const gw = await gateway()
    const { id, platformId } = rightOf(await gw.sendText())
    assert.deepEqual(await gw.receive(gw.status(undefined, 'read', { platformId })), E.right(['message_moved']))
    assert.equal((await gw.message(id)).state, 'read')
  })

  it('records the platform\'s id of a message whose acceptance is unknown', async () => {
    const gw = await gateway()
    gw.willAnswer(UNKNOWN)
    leftOf(await gw.sendText())
    const { id } = gw.sent[0]!
    const platformId = 'wamid.accepted' as PlatformId
    rightOf(await gw.receive(gw.status(id, 'sent', { platformId })))
    assert.equal((await gw.message(id)).platformId, platformId)
    assert.deepEqual(await gw.receive(gw.status(undefined, 'delivered', { platformId })), E.right(['message_moved']))
    assert.equal((await gw.message(id)).state, 'delivered')
  })

  it("that names one message by our id and none of ours by the platform's moves neither, and is reported as a mismatch", async () => {
    const gw = await gateway()
    const id = await accepted(gw)
    const foreign = { platformId: 'wamid.foreign' as PlatformId }
    for (const state of ['failed', 'delivered', 'read'] as const) {
      assert.deepEqual(await gw.receive(gw.status(id, state, foreign)), E.right(['platform_id_mismatch']))
    }
    assert.equal((await gw.message(id)).state, 'accepted')
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
    assert.deepEqual(await gw.receive(gw.status(id, 'delivered')), E.right(['message_moved']))
    assert.equal((await gw.message(id)).state, 'delivered')
  })

  it("by the platform's id moves the message of that id, whatever id of ours it carries", async () => {
    const gw = await gateway()
    const [one, other] = [rightOf(await gw.sendText()), rightOf(await gw.sendText())]
    for (const mark of [UNKNOWN_ID, other.id]) {
      assert.deepEqual(await gw.receive(gw.status(mark, 'failed', { platformId: one.platformId })), E.right(['message_moved']))
    }
    assert.equal((await gw.message(one.id)).state, 'failed')
    assert.equal((await gw.message(other.id)).state, 'accepted')
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
  })

  it('keeps what the platform reports on errors and billing, and when it happened', async () => {
    const gw = await gateway()
    const id = await accepted(gw)
    const pricing = { billable: true, category: 'service' }
    const error = { code: 131_047, title: 'Re-engagement message' }
    rightOf(await gw.receive(gw.status(id, 'sent', { change: { state: 'sent', at: NOON + 1_000, pricing } })))
    rightOf(await gw.receive(gw.status(id, 'failed', { change: { state: 'failed', at: NOON + 2_000, error } })))
    const message = await gw.message(id)
    assert.deepInclude(message, { state: 'failed', error, pricing })
    assert.deepEqual(message.history.slice(-2), [{ state: 'sent', at: NOON + 1_000 }, { state: 'failed', at: NOON + 2_000 }])
  })

  it('from a number of no workspace is acknowledged and moves nothing', async () => {
    const gw = await gateway()
    const id = await accepted(gw)
    assert.deepEqual(await gw.receive(gw.status(id, 'failed', { phoneNumberId: senderIdOf('404') })), E.right(['unknown_sender']))
    assert.equal((await gw.message(id)).state, 'accepted')
  })

  it('that names a message of another workspace by our id or the platform\'s never moves it', async () => {
    const gw = await gateway()
    const { id, platformId } = rightOf(await gw.sendText())
    const { phoneNumberId } = await gw.addWorkspace()
    const old = { state: 'failed', at: NOON - HOUR_MS } as const
    assert.deepEqual(
      await gw.receive(
        gw.status(id, 'failed', { phoneNumberId, platformId }),
        gw.status(undefined, 'failed', { phoneNumberId, platformId, change: old }),
      ),
      E.right(['unknown_message', 'unknown_message']),
    )
    assert.equal((await gw.message(id)).state, 'accepted')
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
  })

  it('of a message that was never opened, by our id, is acknowledged', async () => {
    const gw = await gateway()
    assert.deepEqual(await gw.receive(gw.status(UNKNOWN_ID, 'sent')), E.right(['unknown_message']))
    assert.isEmpty(await gw.messages())
  })
})

describe('A status by an unknown id of the platform', () => {
  const aged = async (ageMs: number) => {
    const gw = await gateway()
    gw.willAnswer(UNKNOWN)
    assert.equal(leftOf(await gw.sendText())._tag, 'OutcomeUnknown')
    return gw.receive(gw.status(undefined, 'sent', { change: { state: 'sent', at: NOON - ageMs } }))
  }

  it('is asked for again while it is younger than a minute, since our note of the id may be on its way', async () => {
    for (const ageMs of [0, 59_999]) assert.deepEqual(await aged(ageMs), E.left({ _tag: 'NotYetKnown' }))
  })

  it('is acknowledged at once while no message of its workspace waits for its outcome', async () => {
    const gw = await gateway()
    const other = await gw.addWorkspace()
    rightOf(await gw.sendText())
    gw.willAnswer(UNKNOWN)
    rightOf(E.swap(await gw.sendText(other)))
    assert.deepEqual(await gw.receive(gw.status(undefined, 'sent')), E.right(['unknown_message']))
    assert.deepEqual(
      await gw.receive(gw.status(undefined, 'sent', { phoneNumberId: other.phoneNumberId })), E.left({ _tag: 'NotYetKnown' }),
    )
  })

  it('is acknowledged although an older message waits for its outcome, whose answer no send awaits any more', async () => {
    const gw = await gateway()
    gw.willAnswer(UNKNOWN)
    rightOf(E.swap(await gw.sendText()))
    let at = NOON
    const received = async (afterMs: number) => {
      at += afterMs
      gw.passes(afterMs)
      return gw.receive(gw.status(undefined, 'sent', { change: { state: 'sent', at } }))
    }
    assert.deepEqual(await received(3 * MINUTE_MS), E.left({ _tag: 'NotYetKnown' }))
    assert.deepEqual(await received(1), E.right(['unknown_message']))
    gw.willAnswer(UNKNOWN)
    rightOf(E.swap(await gw.sendText()))
    assert.deepEqual(await received(0), E.left({ _tag: 'NotYetKnown' }))
  })

  it('costs one read of the open messages at a time, and the statuses that arrive meanwhile share the next', async () => {
    let reads = 0
    const gw = await gateway({
      ports: ({ messageLog }) => ({ messageLog: { ...messageLog, stale: (query) => { reads += 1; return messageLog.stale(query) } } }),
    })
    const statuses = Array.from({ length: 500 }, () => gw.status(undefined, 'sent'))
    rightOf(await gw.receive(...statuses))
    assert.isAtMost(reads, 6)
  })

  it('is acknowledged from then on', async () => {
    for (const ageMs of [60_000, HOUR_MS]) assert.deepEqual(await aged(ageMs), E.right(['unknown_message']))
  })

  it('is asked for again if the platform\'s clock is a little ahead, and acknowledged if its date is absurd', async () => {
    assert.deepEqual(await aged(-59 * SECOND_MS), E.left({ _tag: 'NotYetKnown' }))
    for (const ageMs of [-60_000, -1_000 * HOUR_MS, -Number.MAX_SAFE_INTEGER]) {
      assert.deepEqual(await aged(ageMs), E.right(['unknown_message']))
    }
  })

  it('moves the message when it is delivered again after the id became known', async () => {
    const gw = await gateway()
    const early = gw.status(undefined, 'delivered')
    gw.willAnswer(async () => {
      assert.deepEqual(await gw.receive(early), E.left({ _tag: 'NotYetKnown' }))
      return 'accept'
    })
    const { id, platformId } = rightOf(await gw.sendText())
    assert.deepEqual(await gw.receive({ ...early, platformId }), E.right(['message_moved']))
    assert.equal((await gw.message(id)).state, 'delivered')
  })
})

describe('A batch of reports', () => {
  it('is answered report by report, in order', async () => {
    const gw = await gateway()
    const id = await accepted(gw)
    const reports = [inbound(gw, { phoneNumberId: senderIdOf('404') }), gw.status(id, 'sent'), inbound(gw), gw.status(UNKNOWN_ID, 'sent')]
    assert.deepEqual(await gw.receive(...reports), E.right(['unknown_sender', 'message_moved', 'window_marked', 'unknown_message']))
    assert.deepEqual(await gw.receive(), E.right([]))
  })

  it('has every report written though one of them fails, whichever that is', async () => {
    for (const bad of [0, 1, 2]) {
      const gw = await gateway({ lastInbound: NOON - HOUR_MS })
      const ids = [await accepted(gw), await accepted(gw)]
      gw.willAnswer(UNKNOWN)
      leftOf(await gw.sendText())
      const reports = [...ids.map((id) => gw.status(id, 'delivered')), inbound(gw)].toSpliced(bad, 0, gw.status(undefined, 'sent'))
      assert.deepEqual(await gw.receive(...reports), E.left({ _tag: 'NotYetKnown' }))
      assert.deepEqual((await gw.messages()).map(({ state }) => state), ['delivered', 'delivered', 'unconfirmed'])
      assert.equal(await gw.lastInbound(), NOON)
    }
  })

  it('is refused if one report cannot be written, and loses nothing by being delivered again', async () => {
    const gw = await gateway({ ports: ({ windowClock }) => ({
      windowClock: { ...windowClock, recordInbound: failing(windowClock.recordInbound, { times: 1 }) },
    }) })
    const id = await accepted(gw)
    const reports = [inbound(gw), inbound(gw, { customer: { phoneNumber: '33612345678' as PhoneNumber } }), gw.status(id, 'delivered')]
    assert.deepEqual(await gw.receive(...reports), E.left(DOWN))
    assert.equal(await gw.lastInbound('33612345678' as PhoneNumber), NOON)
    assert.equal((await gw.message(id)).state, 'delivered')
    assert.deepEqual(await gw.receive(...reports), E.right(['window_marked', 'window_marked', 'message_moved']))
    assert.equal(await gw.lastInbound(), NOON)
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
  })

  it('of tens of thousands is written a thousand at a time', async () => {
    let [underWay, most] = [0, 0]
    const gw = await gateway({ lastInbound: undefined, ports: ({ windowClock }) => ({
      windowClock: {
        ...windowClock,
        recordInbound: async (...inbound) => {
          most = Math.max(most, ++underWay)
          const written = await windowClock.recordInbound(...inbound)
          underWay -= 1
          return written
        },
      },
    }) })
    const customers = Array.from({ length: 25_000 }, (_, n) => `49151${String(n).padStart(8, '0')}` as PhoneNumber)
    const outcomes = rightOf(await gw.receive(...customers.map((customer) => inbound(gw, { customer: { phoneNumber: customer } }))))
    assert.lengthOf(outcomes.filter((outcome) => outcome === 'window_marked'), customers.length)
    assert.equal(await gw.lastInbound(customers.at(-1)), NOON)
    assert.equal(most, 1_000)
  })

  it('of a thousand statuses of one message has the same effect as of one', async () => {
    const gw = await gateway()
    const id = await accepted(gw)
    const states = ['sent', 'delivered', 'read'] as const
    rightOf(await gw.receive(...Array.from({ length: 1_000 }, (_, index) => gw.status(id, states[index % 3] ?? 'sent'))))
    const message = await gw.message(id)
    assert.equal(message.state, 'read')
    assert.lengthOf(message.history, 5)
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
  })
})

describe('The span of a report', () => {
  const spansOf = (gw: Gateway) => {
    const spans: Array<NewSpan> = []
    const tracer: Tracer = {
      span: (wanted, work) => {
        spans.push(wanted)
        return work({ isRecording: false, name: () => undefined, say: () => undefined, link: () => undefined, fail: () => undefined })
      },
      current: () => undefined,
    }
    return { spans, receive: makeReceive({ ...gw.deps, tracer }) }
  }
  const PROCESS = { 'messaging.system': 'whatsapp_cloud_api', 'messaging.operation.name': 'process', 'messaging.operation.type': 'process' }

  it('names the state of a status, and the message only if the status has our id', async () => {
    const gw = await gateway()
    const id = await accepted(gw)
    const { spans, receive } = spansOf(gw)
    rightOf(await receive([gw.status(id, 'delivered'), gw.status(undefined, 'sent')]))
    assert.deepEqual(spans, [
      { name: 'process status', kind: 'consumer', attributes: { ...PROCESS, 'postern.status': 'delivered', 'messaging.message.id': id } },
      { name: 'process status', kind: 'consumer', attributes: { ...PROCESS, 'postern.status': 'sent' } },
    ])
  })

  it('has nothing of a status if it is of another report', async () => {
    const gw = await gateway()
    const { spans, receive } = spansOf(gw)
    rightOf(await receive([inbound(gw)]))
    assert.deepEqual(spans, [{ name: 'process message', kind: 'consumer', attributes: PROCESS }])
  })
})
