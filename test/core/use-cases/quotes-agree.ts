import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { CustomerId } from '../../../core/customers/customer.js'
import type { Currency } from '../../../core/kernel/money.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, monthOf } from '../../../core/kernel/time.js'
import { type MessageId, messageIdOf, type Sent } from '../../../core/messages/message.js'
import type { RateCard } from '../../../core/money/rate-card.js'
import type { Quote } from '../../../core/sending/quote.js'
import type { TemplateSourceError } from '../../../core/templates/catalogue.js'
import { placeholdersOf, type Template } from '../../../core/templates/template.js'
import { done } from '../../support/right-of.js'
import { failing } from '../failing-method.js'
import { CUSTOMER, gateway, type Gateway, type GatewayOptions, NOON, TEMPLATE_PRICE, TEXT_PRICE, USD, UTILITY_PRICE } from '../gateway.js'
import { templatePlatform } from '../../support/template-platform.js'
import { anyComponents, anyTemplate, filling } from '../template-samples.js'

const USER = 'DE.13491208655302741918' as CustomerId

/** Everything that decides the answer to a send and to its quote. */
type State = {
  readonly kind: 'text' | 'template'
  readonly to: CustomerId
  readonly balance: bigint
  readonly lastInbound: number | undefined
  readonly isPaired: boolean
  readonly optedOut: boolean
  readonly keepsCustomers: boolean
  readonly hasSender: boolean
  readonly currency: Currency
  readonly fault: 'none' | 'senders' | 'windows' | 'catalogue' | 'customers' | 'freeMessages'
  /** How many texts a month are free, and how many of them were sent. */
  readonly free: number
  readonly freeTaken: number
  readonly catalogue: Listed
  readonly platform: Listed | TemplateSourceError | undefined
  readonly ageMs: number
  readonly preflight: 'on' | 'off'
  readonly name: string
  readonly language: string
  readonly components: 'filling' | 'generated' | 'none'
  readonly generated: GeneratedComponents
}
type Listed = ReadonlyArray<Template> | undefined
type GeneratedComponents = typeof anyComponents extends fc.Arbitrary<infer Components> ? Components : never

const failures: ReadonlyArray<TemplateSourceError> = [
  { _tag: 'PlatformUnreachable', cause: 'no answer' }, { _tag: 'CredentialsRefused', error: {} }, { _tag: 'PlatformThrottled', error: {} },
]
const words = { names: ['order_update', 'greeting', 'order_updat'], languages: ['en', 'de'] }
const template: fc.Arbitrary<Template> = fc.record({
  template: anyTemplate,
  status: fc.constantFrom('approved', 'approved', 'approved', 'paused', 'rejected', 'something_new'),
  category: fc.constantFrom('utility', 'marketing', 'authentication', 'marketing_lite', 'something_new'),
  name: fc.constantFrom(...words.names), language: fc.constantFrom(...words.languages),
}).map(({ template: known, ...rest }) => ({ ...known, ...rest }))
const listed = fc.uniqueArray(template, { maxLength: 5, selector: ({ name, language }) => `${name} ${language}` })

const state: fc.Arbitrary<State> = fc.record({
  kind: fc.constantFrom('text', 'template', 'template', 'template'),
  to: fc.constantFrom(CUSTOMER, CUSTOMER, USER),
  balance: fc.constantFrom(0n, UTILITY_PRICE, TEXT_PRICE - 1n, TEXT_PRICE, TEMPLATE_PRICE - 1n, TEMPLATE_PRICE, 1_000_000n, 1_000_000n),
  lastInbound: fc.constantFrom(undefined, NOON - 1, NOON - HOUR_MS, NOON - DAY_MS + 1, NOON - DAY_MS),
  isPaired: fc.boolean(), optedOut: fc.boolean(), keepsCustomers: fc.constantFrom(true, true, true, false),
  hasSender: fc.constantFrom(...Array<boolean>(9).fill(true), false),
  currency: fc.constantFrom(...Array<Currency>(9).fill(USD), 'EUR' as Currency),
  fault: fc.constantFrom(...Array<State['fault']>(16).fill('none'), 'senders', 'windows', 'catalogue', 'customers', 'freeMessages'),
  free: fc.constantFrom(0, 0, 1, 2), freeTaken: fc.constantFrom(0, 1),
  catalogue: fc.option(listed, { nil: undefined, freq: 6 }),
  platform: fc.oneof(fc.option(listed, { nil: undefined }), fc.constantFrom(...failures)),
  ageMs: fc.constantFrom(0, 0, MINUTE_MS, DAY_MS, DAY_MS + 1),
  preflight: fc.constantFrom('on', 'on', 'on', 'off'),
  name: fc.constantFrom(...words.names), language: fc.constantFrom(...words.languages),
  components: fc.constantFrom('filling', 'filling', 'generated', 'none'), generated: anyComponents,
})

const CARD: Partial<RateCard> = { markets: new Map([['49', { utility: UTILITY_PRICE + 1n, marketing: 0n }]]) }

const gatewayIn = async (of: State): Promise<Gateway> => {
  const options: GatewayOptions = {
    balance: of.balance, lastInbound: of.lastInbound, sender: of.hasSender, keepsCustomers: of.keepsCustomers,
    templatePreflight: of.preflight,
    card: { ...CARD, currency: of.currency, freeServiceMessages: of.free },
    ...(of.catalogue && { templates: of.catalogue }), ...(of.platform && { source: templatePlatform(of.platform).source }),
    ports: (storage) => ({
      ...(of.fault === 'senders' && { senders: { ...storage.senders, senderOf: failing(storage.senders.senderOf) } }),
      ...(of.fault === 'windows' && { windowClock: { ...storage.windowClock, lastInbound: failing(storage.windowClock.lastInbound) } }),
      ...(of.fault === 'catalogue' && {
        templateCatalogue: { ...storage.templateCatalogue, find: failing(storage.templateCatalogue.find) },
      }),
      ...(of.fault === 'freeMessages' && {
        freeMessages: { ...storage.freeMessages, take: failing(storage.freeMessages.take), taken: failing(storage.freeMessages.taken) },
      }),
      ...(of.fault === 'customers' && of.keepsCustomers && { customers: { ...storage.customers, find: failing(storage.customers.find) } }),
    }),
  }
  const gw = await gateway(options)
  const learn = (id: CustomerId, fact: Parameters<typeof gw.storage.customers.learn>[2]) =>
    done(gw.storage.customers.learn(gw.workspace, id, fact))
  if (of.isPaired) {
    await learn(CUSTOMER, { _tag: 'Paired', other: USER, at: NOON - DAY_MS })
    await learn(USER, { _tag: 'Paired', other: CUSTOMER, at: NOON - DAY_MS })
  }
  if (of.optedOut) await learn(CUSTOMER, { _tag: 'MarketingStopped', at: NOON - HOUR_MS })
  gw.passes(of.ageMs)
  for (let sent = 0; sent < of.freeTaken; sent += 1) {
    await done(gw.storage.freeMessages.take({
      workspace: gw.workspace, message: messageIdOf(`${sent}`), phoneNumberId: gw.phoneNumberId, month: monthOf(gw.now()),
      limit: of.freeTaken,
    }))
  }
  return gw
}

const componentsOf = ({ components, generated, name, language, catalogue = [] }: State): GeneratedComponents | undefined => {
  const known = catalogue.find((one) => one.name === name && one.language === language)
  switch (components) {
    case 'filling': return filling((known && placeholdersOf(known)) ?? [])
    case 'generated': return generated
    case 'none': return undefined
  }
}

type Failure = { readonly _tag: string; readonly messageId?: MessageId; readonly replayed?: boolean }

/** A failure without what only a send has, which names the message that it opened. */
const withoutMessage = ({ messageId: _id, replayed: _replayed, ...failure }: Failure): object =>
  (failure._tag === 'PortFailure' ? { _tag: 'PortFailure' } : failure)

/** Compares sends with their quotes in as many states. */
export const describeAgreement = (runs: number): void => {
  it('gives the answer and the price of the send, whatever is asked in whatever state, and leaves no mark', async () => {
    const seen = new Map<string, number>()
    await fc.assert(fc.asyncProperty(state, async (of) => {
      const gw = await gatewayIn(of)
      const components = componentsOf(of)
      const asked = { to: of.to, name: of.name, language: of.language, ...(components && { components }) }
      const before = await gw.balance()
      const freeTaken = (): Promise<number> => done(gw.storage.freeMessages.taken(gw.phoneNumberId, monthOf(gw.now())))
      const quote: E.Either<Failure, Quote> = of.kind === 'text' ? await gw.quoteText({ to: of.to }) : await gw.quoteTemplate(asked)
      assert.isEmpty(gw.sent)
      assert.isEmpty(await gw.messages())
      assert.deepEqual(await gw.balance(), before)
      assert.equal(await freeTaken(), of.freeTaken)
      const sent: E.Either<Failure, Sent> = of.kind === 'text' ? await gw.sendText({ to: of.to }) : await gw.sendTemplate(asked)
      const isFree = of.kind === 'text' && E.isRight(sent) && of.free > of.freeTaken
      assert.equal(await freeTaken(), of.freeTaken + (isFree ? 1 : 0))
      const answer = `${of.kind} ${E.isLeft(sent) ? sent.left._tag : isFree ? 'sent free' : 'sent'}`
      seen.set(answer, (seen.get(answer) ?? 0) + 1)
      if (E.isLeft(sent)) {
        assert.deepEqual(E.isLeft(quote) ? withoutMessage(quote.left) : 'a quote', withoutMessage(sent.left))
        assert.isEmpty(gw.sent)
        return
      }
      if (E.isLeft(quote)) return assert.fail(`sent, but quoted ${quote.left._tag}`)
      const { price: { micros, currency, category }, available } = quote.right
      assert.deepEqual((await gw.message(sent.right.id)).price, { micros, currency, category })
      assert.deepEqual({ available, after: available - micros }, { available: before.available, after: (await gw.balance()).available })
    }), { numRuns: runs })
    const ends = ['sent', 'SenderNotConfigured', 'InsufficientBalance', 'PortFailure']
    const expected = [
      ...ends.map((end) => `text ${end}`), 'text sent free', 'text WindowClosed', ...ends.map((end) => `template ${end}`),
      ...['TemplateNotFound', 'TemplateNotApproved', 'TemplateParameters', 'PhoneNumberRequired', 'CustomerOptedOut']
      .map((end) => `template ${end}`),
    ]
    for (const end of expected) assert.isAbove(seen.get(end) ?? 0, runs / 1_000, end)
    assert.sameMembers([...seen.keys()], expected)
  }).timeout(0)
}
