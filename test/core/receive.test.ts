import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { messageIdOf, type MessageId, type PhoneNumber, type PlatformId } from '../../core/message.js'
import type { Inbound } from '../../core/receive.js'
import { HOUR_MS, SECOND_MS } from '../../core/time.js'
import { DOWN, failing } from './failing.js'
import { CUSTOMER, gateway, left, NOON, OPENING_BALANCE, right, TEXT_PRICE, type Gateway } from './gateway.js'
import { UNKNOWN } from './programmable.js'

const NOBODYS = messageIdOf(uuidv7())

const inbound = (gw: Gateway, more: Partial<Inbound> = {}): Inbound => ({
  _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: CUSTOMER, at: NOON, ...more,
})

const accepted = async (gw: Gateway): Promise<MessageId> => right(await gw.sendText()).id

describe('A customer who writes', () => {
  it('opens the window from the moment the platform names', async () => {
    const gw = await gateway({ lastInbound: undefined })
    assert.deepEqual(await gw.receive(inbound(gw, { at: NOON - HOUR_MS })), E.right(['window_marked']))
    assert.equal(await gw.lastInbound(), NOON - HOUR_MS)
    right(await gw.sendText())
  })

  it('never opens it from later than now, though the platform\'s clock is ahead', async () => {
    const gw = await gateway({ lastInbound: undefined })
    for (const at of [NOON + 1, NOON + HOUR_MS, Number.MAX_SAFE_INTEGER]) {
      assert.deepEqual(await gw.receive(inbound(gw, { at })), E.right(['window_marked']))
    }
    assert.equal(await gw.lastInbound(), NOON)
  })

  it('never moves the window back, heard late or twice', async () => {
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
    right(await gw.receive(inbound(gw, { phoneNumberId: other.phoneNumberId })))
    assert.isUndefined(await gw.lastInbound())
  })

  it('to a number nobody sends through is acknowledged and marks nothing', async () => {
    const gw = await gateway({ lastInbound: undefined })
    assert.deepEqual(await gw.receive(inbound(gw, { phoneNumberId: '404' })), E.right(['unknown_sender']))
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
    const { id, platformId } = right(await gw.sendText())
    assert.deepEqual(await gw.receive(gw.status(undefined, 'read', { platformId })), E.right(['message_moved']))
    assert.equal((await gw.message(id)).state, 'read')
  })

  it('tells the platform\'s id of a message whose acceptance was never heard of', async () => {
    const gw = await gateway()
    gw.willAnswer(UNKNOWN)
    left(await gw.sendText())
    const { id } = gw.sent[0]!
    const platformId = 'wamid.told' as PlatformId
    right(await gw.receive(gw.status(id, 'sent', { platformId })))
    assert.equal((await gw.message(id)).platformId, platformId)
    assert.deepEqual(await gw.receive(gw.status(undefined, 'delivered', { platformId })), E.right(['message_moved']))
    assert.equal((await gw.message(id)).state, 'delivered')
  })

  it('keeps what the platform reports on errors and billing, and when it happened', async () => {
    const gw = await gateway()
    const id = await accepted(gw)
    const pricing = { billable: true, category: 'service' }
    const error = { code: 131_047, title: 'Re-engagement message' }
    right(await gw.receive(gw.status(id, 'sent', { change: { state: 'sent', at: NOON + 1_000, pricing } })))
    right(await gw.receive(gw.status(id, 'failed', { change: { state: 'failed', at: NOON + 2_000, error } })))
    const message = await gw.message(id)
    assert.deepInclude(message, { state: 'failed', error, pricing })
    assert.deepEqual(message.history.slice(-2), [{ state: 'sent', at: NOON + 1_000 }, { state: 'failed', at: NOON + 2_000 }])
  })

  it('from a number nobody sends through is acknowledged and moves nothing', async () => {
    const gw = await gateway()
    const id = await accepted(gw)
    assert.deepEqual(await gw.receive(gw.status(id, 'failed', { phoneNumberId: '404' })), E.right(['unknown_sender']))
    assert.equal((await gw.message(id)).state, 'accepted')
  })

  it('that names a message of another workspace by our id or the platform\'s never moves it', async () => {
    const gw = await gateway()
    const { id, platformId } = right(await gw.sendText())
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
    assert.deepEqual(await gw.receive(gw.status(NOBODYS, 'sent')), E.right(['unknown_message']))
    assert.isEmpty(await gw.messages())
  })
})

describe('A status by a platform\'s id that nobody knows', () => {
  const aged = async (ageMs: number) => {
    const gw = await gateway()
    return gw.receive(gw.status(undefined, 'sent', { change: { state: 'sent', at: NOON - ageMs } }))
  }

  it('is asked for again while it is younger than a minute, since our note of the id may be on its way', async () => {
    for (const ageMs of [0, 59_999]) assert.deepEqual(await aged(ageMs), E.left({ _tag: 'NotYetKnown' }))
  })

  it('is acknowledged from then on', async () => {
    for (const ageMs of [60_000, HOUR_MS]) assert.deepEqual(await aged(ageMs), E.right(['unknown_message']))
  })

  it('is asked for again where the platform\'s clock is a little ahead, and acknowledged where its date is absurd', async () => {
    assert.deepEqual(await aged(-59 * SECOND_MS), E.left({ _tag: 'NotYetKnown' }))
    for (const ageMs of [-60_000, -1_000 * HOUR_MS, -Number.MAX_SAFE_INTEGER]) {
      assert.deepEqual(await aged(ageMs), E.right(['unknown_message']))
    }
  })

  it('moves the message when it is told again after the id became known', async () => {
    const gw = await gateway()
    const early = gw.status(undefined, 'delivered')
    gw.willAnswer(async () => {
      assert.deepEqual(await gw.receive(early), E.left({ _tag: 'NotYetKnown' }))
      return 'accept'
    })
    const { id, platformId } = right(await gw.sendText())
    assert.deepEqual(await gw.receive({ ...early, platformId }), E.right(['message_moved']))
    assert.equal((await gw.message(id)).state, 'delivered')
  })
})

describe('A batch of reports', () => {
  it('is answered report by report, in order', async () => {
    const gw = await gateway()
    const id = await accepted(gw)
    const reports = [inbound(gw, { phoneNumberId: '404' }), gw.status(id, 'sent'), inbound(gw), gw.status(NOBODYS, 'sent')]
    assert.deepEqual(await gw.receive(...reports), E.right(['unknown_sender', 'message_moved', 'window_marked', 'unknown_message']))
    assert.deepEqual(await gw.receive(), E.right([]))
  })

  it('has every report written though one of them fails, whichever that is', async () => {
    for (const bad of [0, 1, 2]) {
      const gw = await gateway({ lastInbound: NOON - HOUR_MS })
      const ids = [await accepted(gw), await accepted(gw)]
      const reports = [...ids.map((id) => gw.status(id, 'delivered')), inbound(gw)].toSpliced(bad, 0, gw.status(undefined, 'sent'))
      assert.deepEqual(await gw.receive(...reports), E.left({ _tag: 'NotYetKnown' }))
      assert.deepEqual((await gw.messages()).map(({ state }) => state), ['delivered', 'delivered'])
      assert.equal(await gw.lastInbound(), NOON)
    }
  })

  it('is refused where one report cannot be written, and loses nothing by being told again', async () => {
    const gw = await gateway({ ports: ({ windowClock }) => ({
      windowClock: { ...windowClock, recordInbound: failing(windowClock.recordInbound, { times: 1 }) },
    }) })
    const id = await accepted(gw)
    const reports = [inbound(gw), inbound(gw, { customer: '33612345678' as PhoneNumber }), gw.status(id, 'delivered')]
    assert.deepEqual(await gw.receive(...reports), E.left(DOWN))
    assert.equal(await gw.lastInbound('33612345678' as PhoneNumber), NOON)
    assert.equal((await gw.message(id)).state, 'delivered')
    assert.deepEqual(await gw.receive(...reports), E.right(['window_marked', 'window_marked', 'message_moved']))
    assert.equal(await gw.lastInbound(), NOON)
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
  })

  it('of a thousand statuses of one message leaves it where one would', async () => {
    const gw = await gateway()
    const id = await accepted(gw)
    const states = ['sent', 'delivered', 'read'] as const
    right(await gw.receive(...Array.from({ length: 1_000 }, (_, index) => gw.status(id, states[index % 3] ?? 'sent'))))
    const message = await gw.message(id)
    assert.equal(message.state, 'read')
    assert.lengthOf(message.history, 5)
    assert.deepEqual(await gw.entries(), ['hold', 'capture'])
  })
})
