import { assert } from 'chai'
import { refusalsByConsent } from '../../../core/consent/asking.js'
import type { ConsentFact } from '../../../core/consent/consent.js'
import type { CustomerId, PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { DAY_MS, HOUR_MS } from '../../../core/kernel/time.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { failing } from '../failing-method.js'
import { CUSTOMER, gateway, type Gateway, type GatewayOptions, NOON, OPENING_BALANCE } from '../gateway.js'
import { body, templateOf } from '../template-samples.js'

const USER_ID = 'DE.1234567890' as UserId
const OTHER = '4915123456788' as PhoneNumber

const TEMPLATES = [
  templateOf([body('Sale!')], { id: '1', name: 'sale', category: 'marketing' }),
  templateOf([body('It is on its way.')], { id: '2' }),
]

const learn = (gw: Gateway, id: CustomerId, more: Partial<ConsentFact> = {}) => gw.storage.consents.record(gw.workspace, [
  { ids: [id], fact: { topic: 'marketing', status: 'withdrawn', since: NOON - HOUR_MS, source: 'word', ...more } },
]).then(rightOf)

const opened = async (fact?: Partial<ConsentFact>, options: GatewayOptions = {}): Promise<Gateway> => {
  const gw = await gateway({ templates: TEMPLATES, ...options })
  if (fact !== undefined) await learn(gw, CUSTOMER, fact)
  return gw
}

/** The results of a text, a utility template and a marketing template. */
const answers = async (gw: Gateway, to: CustomerId = CUSTOMER): Promise<ReadonlyArray<string>> => {
  const sends = [await gw.sendText({ to }), await gw.sendTemplate({ to }), await gw.sendTemplate({ to, name: 'sale' })]
  return sends.map((sent) => {
    if (sent._tag === 'Right') return 'sent'
    return sent.left._tag === 'CustomerOptedOut' ? `stopped ${sent.left.topic}` : sent.left._tag
  })
}

const needsConsent = (gw: Gateway) => gw.storage.consents.set(gw.workspace, { marketingNeedsConsent: true }).then(rightOf)

describe('A customer who stopped messages', () => {
  it('of all kinds gets nothing, and no money is held', async () => {
    const gw = await opened({ topic: 'all' })
    assert.deepEqual(await answers(gw), ['stopped all', 'stopped all', 'stopped all'])
    assert.isEmpty(gw.sent)
    assert.isEmpty(await gw.messages())
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
  })

  it('of marketing gets everything else', async () => {
    assert.deepEqual(await answers(await opened({})), ['sent', 'sent', 'stopped marketing'])
  })

  it('gets them again once they are granted again', async () => {
    const gw = await opened({ topic: 'all' })
    await learn(gw, CUSTOMER, { topic: 'all', status: 'granted', since: NOON })
    assert.deepEqual(await answers(gw), ['sent', 'sent', 'sent'])
  })

  it('is refused for that reason, not because the window is closed', async () => {
    const gw = await opened({ topic: 'all' }, { lastInbound: undefined })
    assert.equal(leftOf(await gw.sendText())._tag, 'CustomerOptedOut')
    assert.equal(leftOf(await gw.sendText({ to: OTHER }))._tag, 'WindowClosed')
  })

  it('is not sent to in another workspace only if it was stopped there', async () => {
    const gw = await opened({ topic: 'all' })
    const { workspace } = await gw.addWorkspace()
    rightOf(await gw.sendText({ workspace }))
  })

  it('is refused by a quote, too', async () => {
    const gw = await opened({ topic: 'all' })
    assert.equal(leftOf(await gw.quoteText())._tag, 'CustomerOptedOut')
    assert.equal(leftOf(await gw.quoteTemplate())._tag, 'CustomerOptedOut')
    rightOf(await gw.quoteText({ workspace: (await gw.addWorkspace()).workspace }))
  })

  it('under one id gets nothing under the other, whichever was stopped', async () => {
    for (const [stopped, to] of [[CUSTOMER, USER_ID], [USER_ID, CUSTOMER]] as const) {
      const gw = await opened()
      await learn(gw, stopped, { topic: 'all' })
      const customer = { phoneNumber: CUSTOMER, userId: USER_ID }
      rightOf(await gw.receive({ _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer, at: NOON - HOUR_MS }))
      assert.deepEqual(await answers(gw, to), ['stopped all', 'stopped all', 'stopped all'])
    }
  })

  it('stops nothing of the person who has the number afterwards', async () => {
    const gw = await opened()
    const belongsTo = async (userId: UserId, at: number) =>
      rightOf(await gw.storage.customers.learn(gw.workspace, CUSTOMER, { _tag: 'Paired', other: userId, at }))
    await belongsTo(USER_ID, NOON - 2 * DAY_MS)
    await learn(gw, CUSTOMER, { since: NOON - DAY_MS })
    assert.equal(leftOf(await gw.sendTemplate({ name: 'sale' }))._tag, 'CustomerOptedOut')
    await belongsTo('DE.2' as UserId, NOON - HOUR_MS)
    rightOf(await gw.sendTemplate({ name: 'sale' }))
  })
})

describe('A workspace that requires consent to marketing', () => {
  it('sends marketing messages only to customers who granted it', async () => {
    const gw = await opened()
    await needsConsent(gw)
    assert.deepEqual(await answers(gw), ['sent', 'sent', 'ConsentRequired'])
    await learn(gw, CUSTOMER, { topic: 'all', status: 'granted' })
    assert.deepEqual(await answers(gw), ['sent', 'sent', 'ConsentRequired'], 'to allow messages is not to allow marketing')
    await learn(gw, CUSTOMER, { status: 'granted' })
    assert.deepEqual(await answers(gw), ['sent', 'sent', 'sent'])
    await learn(gw, CUSTOMER, { since: NOON })
    assert.deepEqual(await answers(gw), ['sent', 'sent', 'stopped marketing'])
  })
})

describe('A queued message', () => {
  const drained = async (gw: Gateway) => {
    gw.passes(HOUR_MS)
    await gw.drain()
    return (await gw.messages()).map(({ state, error }) => [state, error?.['code']])
  }

  it('is not queued for a customer who stopped it', async () => {
    const gw = await opened({ topic: 'all' }, { lastInbound: undefined })
    assert.equal(leftOf(await gw.sendOrQueueText({ sendAt: NOON + HOUR_MS }))._tag, 'CustomerOptedOut')
  })

  it('is refused if the customer has stopped it since', async () => {
    const gw = await opened()
    rightOf(await gw.scheduleText())
    await learn(gw, CUSTOMER, { topic: 'all', since: NOON + 1 })
    assert.deepEqual(await drained(gw), [['refused', 'customer_opted_out']])
    assert.isEmpty(gw.sent)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
  })

  it('is refused if the workspace requires consent since', async () => {
    const gw = await opened()
    rightOf(await gw.scheduleTemplate({ name: 'sale' }))
    await needsConsent(gw)
    assert.deepEqual(await drained(gw), [['refused', 'consent_required']])
  })
})

describe('The consent of a customer', () => {
  it('is read for no message if no customer of the workspace stopped anything', async () => {
    const ports: GatewayOptions['ports'] = ({ consents }) => ({ consents: { ...consents, find: failing(consents.find) } })
    const gw = await opened({ status: 'granted' }, { ports })
    assert.deepEqual(await answers(gw), ['sent', 'sent', 'sent'])
    await learn(gw, OTHER)
    assert.deepEqual(await answers(gw), ['PortFailure', 'PortFailure', 'PortFailure'])
  })

  it('is not known to be there while the rules cannot be read, so nothing is sent', async () => {
    const gw = await opened({}, { ports: ({ consents }) => ({ consents: { ...consents, rules: failing(consents.rules) } }) })
    assert.deepEqual(await answers(gw), ['PortFailure', 'PortFailure', 'PortFailure'])
    assert.isEmpty(gw.sent)
  })

  it('is asked for many at once', async () => {
    let reads = 0
    const gw = await opened({})
    const { consents, customers } = gw.storage
    const find: typeof consents.find = (...of) => {
      reads += 1
      return consents.find(...of)
    }
    const of = { workspace: gw.workspace, inbox: gw.workspace }
    const asked = await refusalsByConsent({ consents: { ...consents, find }, customers }, of, 'marketing', [OTHER, CUSTOMER, USER_ID])
    assert.deepEqual(rightOf(asked), [undefined, { _tag: 'CustomerOptedOut', topic: 'marketing' }, undefined])
    assert.equal(reads, 1)
  })
})
