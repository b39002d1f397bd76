import { createServer } from 'node:http'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { makeWebhook } from '../../../adapters/cloud-api/index.js'
import { makeUndiciTransport } from '../../../adapters/cloud-api/undici-transport.js'
import { type Simulator, startSimulator } from '../../../apps/simulator/simulator.js'
import type { TemplateCategory, TemplateDefinition } from '../../../apps/simulator/templates/template.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { MINUTE_MS } from '../../../core/kernel/time.js'
import { priceBy, type Prices, type RateCard } from '../../../core/money/rate-card.js'
import { type GeneratedSend, generateSend, rightSend } from '../../support/generated-sends.js'
import { elementOf, generateTemplates, listOf, oneOf } from '../../support/generated-templates.js'
import { listening, withBody } from '../../support/listening.js'
import { rightOf } from '../../support/right-of.js'
import { OPENING_BALANCE, templateWorld, type TemplateWorld } from '../../support/template-world.js'
import { makeSeededRandom, type SeededRandom } from '../../torture/seeded-random.js'
import { APP_SECRET, control, VERIFY_TOKEN } from './support.js'

const AT_ONCE = 32
const ACCOUNT = '200000000000001'

/** Prices in micros that are hardly multiples of each other, so that two mistakes do not cancel out. */
const DEFAULT = { service: 7_703n, marketing: 62_501n, utility: 7_717n, authentication: 7_727n }
const MARKETS: ReadonlyArray<readonly [prefix: string, rates: Partial<Prices>]> = [
  ['49', { marketing: 136_523n, utility: 55_001n, service: 55_007n, authentication: 76_801n }],
  ['55', { service: 6_803n, marketing: 62_507n }],
  ['33', { service: 30_011n, marketing: 85_909n, utility: 30_013n }],
  ['234', { marketing: 51_607n, authentication: 14_503n, authentication_international: 75_011n }],
]
const CARD = {
  currency: 'USD' as Currency, effective: '2026-01-01', default: DEFAULT, markets: new Map(MARKETS), templateCategory: 'marketing',
} satisfies RateCard

/** What a message to a number costs that is billed by a category. */
const rateOf = (to: string, category: string): bigint => {
  const rates: Readonly<Record<string, bigint | undefined>> = { ...DEFAULT, ...MARKETS.find(([prefix]) => to.startsWith(prefix))?.[1] }
  const rate = rates[category]
  if (rate === undefined) throw new Error(`The card has no rate for ${category}`)
  return rate
}

/** The business numbers, each with the market of its texts, so that it does not matter which of them are free. */
const BUSINESSES = [['101', '4915'], ['102', '55119'], ['103', '4479']] as const
const PREFIXES = ['4915', '55119', '336', '23480', '4479', '1212'] as const
const customerIn = (random: SeededRandom, prefix: string): PhoneNumber =>
  `${prefix}${random.between(10_000_000, 99_999_999)}` as PhoneNumber
const NEVER_REACHED = '15550100026' as PhoneNumber

type Planned = { readonly sender: Sender; readonly to: PhoneNumber; readonly template: GeneratedSend | undefined }
type Sender = { readonly id: string; readonly prefix: string; readonly workspace: WorkspaceId }

/** What a send may fail with; anything else fails the test. */
const REFUSALS = ['TemplateNotFound', 'TemplateNotApproved', 'TemplateParameters', 'PlatformRejected']

/** How many messages are sent, and by that how many of each kind there must be at least. */
export type BillingLoad = {
  readonly phases: number
  readonly sendsAPhase: number
  readonly freeTexts: number
  readonly atLeastOfEach: number
}

/** Sends messages of every kind through a gateway, and compares what it charges with what the simulator bills. */
export const compareBilling = async (seed: number, { phases, sendsAPhase, freeTexts, atLeastOfEach }: BillingLoad): Promise<void> => {
  const random = makeSeededRandom(seed)
  const definitions = generateTemplates(random, 60).map((definition): TemplateDefinition => ({ ...definition, status: 'APPROVED' }))
  const simulator = await startSimulator({
    templates: definitions, businessAccountId: ACCOUNT, delays: { sent: 1, delivered: 2, read: null, failed: 3 },
    settings: { freeTier: freeTexts, internationalAuthentication: ['234'] },
  })
  const platform = makeUndiciTransport()
  // Longer than a busy machine takes: an unknown outcome would end the comparison.
  const endpoint = { baseUrl: simulator.url, version: 'v25.0', timeoutMs: 2 * MINUTE_MS }
  const world = templateWorld({
    transport: platform.send, endpoint, accountId: ACCOUNT, priceOf: priceBy({ ...CARD, freeServiceMessages: freeTexts }), now: Date.now,
  })
  const webhook = await startWebhook(world)
  simulator.setWebhook(webhook.target)
  try {
    const senders = await Promise.all(
      BUSINESSES.map(async ([id, prefix]): Promise<Sender> => ({ id, prefix, workspace: await world.addWorkspace(id) })),
    )
    await world.readTemplates()
    for (let phase = 0; phase < phases; phase += 1) {
      await inParallel(listOf(sendsAPhase, () => plan(random, senders, definitions)), (planned) => send(world, planned))
      await simulator.idle()
      await changeCategories(random, simulator, definitions)
      await simulator.idle()
    }

    const billed = simulator.received().filter(({ pricing }) => pricing?.type === 'regular')
    for (const { id, workspace } of senders) {
      const sum = billed.filter(({ phoneNumberId }) => phoneNumberId === id).reduce(
        (total, { to, pricing }) => total + rateOf(to, pricing?.category ?? ''), 0n,
      )
      const balance = O.toUndefined(rightOf(await world.storage.ledger.balance(workspace)))
      assert.deepEqual(balance, { available: OPENING_BALANCE - sum, held: 0n, currency: 'USD' as Currency }, `business number ${id}`)
    }
    const free = simulator.received().filter(({ pricing }) => pricing?.type === 'free_customer_service')
    assert.lengthOf(free, BUSINESSES.length * freeTexts)
    const counts = new Map(
      ['service', ...CATEGORIES].map((category) => [category, billed.filter(({ pricing }) => pricing?.category === category).length]),
    )
    assert.isAbove(Math.min(...counts.values()), atLeastOfEach, JSON.stringify([...counts]))
    assert.isAbove(simulator.received().filter(({ statuses }) => statuses.includes('failed')).length, atLeastOfEach)
    assert.isAbove(billed.length + free.length, phases * sendsAPhase * 0.9)
  } finally {
    await simulator.close()
    await webhook.close()
    await platform.close()
  }
}

const CATEGORIES = ['marketing', 'utility', 'authentication', 'authentication_international']

/** Handles every item, several at a time. */
const inParallel = async <A>(items: ReadonlyArray<A>, handle: (item: A) => Promise<void>): Promise<void> => {
  const left = items.values()
  await Promise.all(listOf(AT_ONCE, async () => {
    for (const item of left) await handle(item)
  }))
}

/** What is sent next: a text where there is no template. Some templates have mistakes, some messages never arrive. */
const plan = (random: SeededRandom, senders: ReadonlyArray<Sender>, definitions: ReadonlyArray<TemplateDefinition>): Planned => {
  const sender = elementOf(random, senders)
  const template = random.chance(0.25) ? undefined
    : random.chance(0.1) ? generateSend(random, definitions)
    : rightSend(random, elementOf(random, definitions))
  const prefix = template === undefined ? sender.prefix : oneOf(random, PREFIXES)
  return { sender, template, to: random.chance(0.03) ? NEVER_REACHED : customerIn(random, prefix) }
}

const send = async (
  { storage, sendText, sendTemplate }: TemplateWorld, { sender: { workspace }, to, template }: Planned,
): Promise<void> => {
  if (template === undefined) {
    rightOf(await storage.windowClock.recordInbound(workspace, { phoneNumber: to }, Date.now()))
    rightOf(await sendText({ workspace, to, text: 'Hello' }))
    return
  }
  const { name, language, components } = template
  const sent = await sendTemplate({ workspace, to, name, language, ...(components && { components }) })
  if (E.isLeft(sent) && !REFUSALS.includes(sent.left._tag)) throw new Error(`The send failed with ${sent.left._tag}`)
}

/** The platform gives some templates another category, and says so. */
const changeCategories = async (
  random: SeededRandom, simulator: Simulator, definitions: ReadonlyArray<TemplateDefinition>,
): Promise<void> => {
  for (const { name, language } of listOf(8, () => elementOf(random, definitions))) {
    const category: TemplateCategory = oneOf(random, ['MARKETING', 'UTILITY', 'AUTHENTICATION'])
    const { status } = await control(simulator, `templates/${encodeURIComponent(name)}`, { language, category })
    assert.equal(status, 200)
  }
}

/** A webhook that takes in what it gets. */
const startWebhook = async ({ receive }: TemplateWorld) => {
  const webhook = makeWebhook({ appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN })
  const { url, close } = await listening(createServer(withBody(async (body, _, response) => {
    const read = webhook.read(body)
    response.writeHead(E.isRight(read) && E.isRight(await receive(read.right.reports)) ? 200 : 500).end()
  })))
  return { target: { url, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN, batch: 500 }, close }
}
