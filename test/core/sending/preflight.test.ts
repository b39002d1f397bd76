import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { DAY_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import type { TemplateSourceError } from '../../../core/templates/catalogue.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { failing } from '../failing-method.js'
import {
  ACCOUNT, gateway, type Gateway, type GatewayOptions, KEY, NOON,
  OPENING_BALANCE, TEMPLATE_PRICE, UTILITY_PRICE,
} from '../gateway.js'
import { templatePlatform } from '../../support/template-platform.js'
import { body, give, templateOf, text } from '../template-samples.js'

const EN = templateOf([body('Your order is on its way.')], { language: 'en' })
const DE = { ...EN, id: '2', language: 'de' }
const GREETING = templateOf([body('Hello {{1}}')], { id: '3', name: 'greeting' })

const UNREACHABLE: TemplateSourceError = { _tag: 'PlatformUnreachable', cause: 'no answer' }

/** Nothing was sent, charged, held or written down. */
const leftNoMark = async (gw: Gateway): Promise<void> => {
  assert.isEmpty(gw.sent)
  assert.isEmpty(await gw.messages())
  assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
}

describe('A template that the catalogue has', () => {
  it('costs its own category, and is sent', async () => {
    const gw = await gateway({ templates: [EN] })
    const { id } = rightOf(await gw.sendTemplate())
    assert.deepEqual((await gw.message(id)).price, { micros: UTILITY_PRICE, currency: 'USD', category: 'utility' })
    assert.lengthOf(gw.sent, 1)
  })

  it('is found by its exact name and language', async () => {
    const { source } = templatePlatform([EN, DE])
    const gw = await gateway({ templates: [EN, DE], source })
    for (const [name, language] of [
      ['order_update', 'EN'], ['order_update', 'en_US'], ['Order_update', 'en'], ['order_update ', 'en'],
    ] as const) {
      assert.equal(leftOf(await gw.sendTemplate({ name, language }))._tag, 'TemplateNotFound', `${name} ${language}`)
    }
    rightOf(await gw.sendTemplate({ language: 'de' }))
  })

  for (const status of [
    'pending', 'rejected', 'paused', 'disabled', 'in_appeal', 'limit_exceeded', 'archived', 'pending_deletion', 'deleted',
  ]) {
    it(`is refused while it is ${status}, with the languages that are approved`, async () => {
      const gw = await gateway({ templates: [{ ...EN, status }, DE] })
      assert.deepEqual(leftOf(await gw.sendTemplate()), {
        _tag: 'TemplateNotApproved', name: 'order_update', language: 'en', status, languages: ['de'],
      })
      await leftNoMark(gw)
    })
  }

  it('is sent in a state that is not known', async () => {
    const gw = await gateway({ templates: [{ ...EN, status: 'flagged' }, { ...DE, status: 'something_new' }] })
    rightOf(await gw.sendTemplate({ language: 'en' }))
    rightOf(await gw.sendTemplate({ language: 'de' }))
  })

  it('is refused if the components do not fill it', async () => {
    const gw = await gateway({ templates: [GREETING] })
    const refusal = leftOf(await gw.sendTemplate({ name: 'greeting', components: [] }))
    assert.equal(refusal._tag, 'TemplateParameters')
    assert.deepEqual(refusal._tag === 'TemplateParameters' && refusal.expected, [{ component: 'body', type: 'text', index: 1 }])
    await leftNoMark(gw)
    rightOf(await gw.sendTemplate({ name: 'greeting', components: [give('body', text('Ann'))] }))
  })

  it('whose components could not be read is left to the platform', async () => {
    const gw = await gateway({ templates: [{ ...GREETING, components: undefined }] })
    rightOf(await gw.sendTemplate({ name: 'greeting' }))
  })

  it('of a category that no rate card has costs the card\'s rate for templates', async () => {
    const gw = await gateway({ templates: [{ ...EN, category: 'something_new' }] })
    rightOf(await gw.sendTemplate())
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEMPLATE_PRICE, held: 0n })
  })
})

describe('A template that the catalogue does not have', () => {
  it('is read once at the platform, and sent if the platform has it', async () => {
    const platform = templatePlatform([EN, DE])
    const gw = await gateway({ templates: [], source: platform.source })
    rightOf(await gw.sendTemplate())
    rightOf(await gw.sendTemplate({ language: 'de' }))
    assert.deepEqual(platform.asked, ['order_update'])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - 2n * UTILITY_PRICE, held: 0n })
  })

  it('is refused if the platform does not have it, with the languages that are approved', async () => {
    const { source } = templatePlatform([DE, { ...EN, language: 'fr', status: 'rejected' }])
    const gw = await gateway({ templates: [], source })
    assert.deepEqual(leftOf(await gw.sendTemplate()), {
      _tag: 'TemplateNotFound', name: 'order_update', language: 'en', languages: ['de'], nearest: [],
    })
    await leftNoMark(gw)
  })

  it('is refused with the nearest names, if there is no template of its name', async () => {
    const { source } = templatePlatform([])
    const gw = await gateway({ templates: [EN, GREETING], source })
    assert.deepEqual(
      leftOf(await gw.sendTemplate({ name: 'orderupdate' })),
      { _tag: 'TemplateNotFound', name: 'orderupdate', language: 'en', languages: [], nearest: ['order_update'] },
    )
  })

  it('is sent unchecked, at the card\'s rate for templates, if the platform cannot be asked', async () => {
    for (const source of [undefined, templatePlatform(UNREACHABLE).source]) {
      const gw = await gateway({ templates: [], ...(source && { source }) })
      rightOf(await gw.sendTemplate())
      assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEMPLATE_PRICE, held: 0n })
    }
  })

  it('is sent unchecked if what the platform listed could not be stored', async () => {
    const { source } = templatePlatform([DE])
    const gw = await gateway({
      templates: [], source,
      ports: ({ templateCatalogue }) => ({
        templateCatalogue: { ...templateCatalogue, replaceNamed: failing(templateCatalogue.replaceNamed) },
      }),
    })
    rightOf(await gw.sendTemplate())
  })
})

describe('A template that the catalogue would refuse', () => {
  const refused: ReadonlyArray<readonly [string, GatewayOptions['templates']]> = [
    ['for its state', [{ ...EN, status: 'paused' }]],
    ['for its parameters', [{ ...EN, components: [body('Hello {{1}}')] }]],
  ]
  for (const [why, templates = []] of refused) {
    it(`${why} is read again, and sent if the platform says otherwise by now`, async () => {
      const platform = templatePlatform([EN])
      const gw = await gateway({ templates, source: platform.source })
      rightOf(await gw.sendTemplate())
      assert.deepEqual(platform.asked, ['order_update'])
    })

    it(`${why} is refused if the platform cannot be asked`, async () => {
      const { source } = templatePlatform(UNREACHABLE)
      const gw = await gateway({ templates, source })
      assert.include(['TemplateNotApproved', 'TemplateParameters'], leftOf(await gw.sendTemplate())._tag)
      await leftNoMark(gw)
    })
  }
})

describe('A template is sent unchecked', () => {
  const refusable = [{ ...EN, status: 'paused' }]

  it('if the sender has no business account', async () => {
    const gw = await gateway()
    await done(gw.storage.templateCatalogue.replaceAll(ACCOUNT, refusable, NOON))
    rightOf(await gw.sendTemplate())
  })

  it('if the catalogue was never read as a whole, but costs what the catalogue has of it', async () => {
    const gw = await gateway({ templates: [] })
    await done(
      gw.storage.senders.assign(gw.workspace, {
        phoneNumberId: senderIdOf('new'), accessToken: 'token', businessAccountId: 'unread', isDefault: true,
      }),
    )
    await done(gw.storage.templateCatalogue.replaceNamed('unread', EN.name, refusable, NOON))
    rightOf(await gw.sendTemplate())
    rightOf(await gw.sendTemplate({ name: 'no_such_template' }))
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - UTILITY_PRICE - TEMPLATE_PRICE, held: 0n })
  })

  it('if the catalogue is more than a day old, but not at a day', async () => {
    const gw = await gateway({ templates: refusable })
    gw.passes(DAY_MS)
    assert.equal(leftOf(await gw.sendTemplate())._tag, 'TemplateNotApproved')
    gw.passes(1)
    rightOf(await gw.sendTemplate())
  })

  it('if checks are switched off, at the price of its category, and the platform is not asked', async () => {
    const platform = templatePlatform([])
    const gw = await gateway({ templates: refusable, source: platform.source, templatePreflight: 'off' })
    rightOf(await gw.sendTemplate())
    rightOf(await gw.sendTemplate({ name: 'no_such_template' }))
    assert.isEmpty(platform.asked)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - UTILITY_PRICE - TEMPLATE_PRICE, held: 0n })
  })
})

describe('The order in which a template is refused', () => {
  it('is the sender, the template, the customer, the wallet', async () => {
    const { source } = templatePlatform([])
    const templates = [{ ...GREETING, category: 'marketing' }]
    const bad = { name: 'greeting', components: [] }
    const good = { name: 'greeting', components: [give('body', text('Ann'))] }
    const noSender = await gateway({ templates, source, sender: false, balance: 0n })
    assert.equal(leftOf(await noSender.sendTemplate(bad))._tag, 'SenderNotConfigured')
    const gw = await gateway({ templates, balance: 0n })
    await done(gw.storage.customers.learn(gw.workspace, '4915123456789' as never, { _tag: 'MarketingStopped', at: NOON }))
    assert.equal(leftOf(await gw.sendTemplate(bad))._tag, 'TemplateParameters')
    assert.equal(leftOf(await gw.sendTemplate(good))._tag, 'CustomerOptedOut')
    assert.equal(leftOf(await gw.sendTemplate({ ...good, to: '4915123456780' as never }))._tag, 'InsufficientBalance')
  })

  it('gives a repeated request its first answer, whatever became of the template', async () => {
    const gw = await gateway({ templates: [EN] })
    const first = rightOf(await gw.sendTemplate({ idempotencyKey: KEY }))
    await done(gw.storage.templateCatalogue.change(ACCOUNT, { name: EN.name, language: EN.language, at: NOON + 1, status: 'paused' }))
    assert.equal(leftOf(await gw.sendTemplate())._tag, 'TemplateNotApproved')
    assert.deepEqual(rightOf(await gw.sendTemplate({ idempotencyKey: KEY })), { ...first, replayed: true })
  })
})

describe('What a template needs of the customer', () => {
  const counted = async (options: GatewayOptions) => {
    let finds = 0
    const gw = await gateway({
      ...options,
      ports: ({ customers }) => ({ customers: { ...customers, find: (...of) => { finds += 1; return customers.find(...of) } } }),
    })
    return { ...gw, finds: () => finds }
  }

  it('is not looked up for a number, if its category is known and is not marketing', async () => {
    const gw = await counted({ templates: [EN] })
    rightOf(await gw.sendTemplate())
    assert.equal(gw.finds(), 0)
  })

  it('does not matter for a number, if its category is known and is not marketing', async () => {
    const gw = await gateway({
      templates: [EN], ports: ({ customers }) => ({ customers: { ...customers, needsLookup: failing(customers.needsLookup) } }),
    })
    rightOf(await gw.sendTemplate())
  })

  it('is looked up for marketing, for a category that is not known, and for a user id', async () => {
    for (const category of ['marketing', 'marketing_lite', 'something_new']) {
      const gw = await counted({ templates: [{ ...EN, category }] })
      await done(gw.storage.customers.learn(gw.workspace, '4915123456789' as never, { _tag: 'MarketingStopped', at: NOON }))
      assert.equal(leftOf(await gw.sendTemplate())._tag, 'CustomerOptedOut', category)
      assert.equal(gw.finds(), 1, category)
    }
    const gw = await counted({ templates: [{ ...EN, category: 'authentication' }] })
    assert.equal(leftOf(await gw.sendTemplate({ to: 'DE.13491208655302741918' as never }))._tag, 'PhoneNumberRequired')
    assert.equal(gw.finds(), 1)
  })
})

describe('Reading a template again at the platform', () => {
  it('is done once for callers at the same time', async () => {
    const platform = templatePlatform([])
    const gw = await gateway({ templates: [], source: platform.source })
    const release = platform.hold()
    const sends = Array.from({ length: 20 }, () => gw.sendTemplate())
    release()
    assert.deepEqual((await Promise.all(sends)).map((sent) => leftOf(sent)._tag), Array.from({ length: 20 }, () => 'TemplateNotFound'))
    assert.lengthOf(platform.asked, 1)
  })

  it('is done at most once a minute for a name, even if it failed', async () => {
    for (const [answer, expected] of [[[], 'TemplateNotFound'], [UNREACHABLE, undefined]] as const) {
      const platform = templatePlatform(answer)
      const gw = await gateway({ templates: [], source: platform.source })
      const tagOf = async () => {
        const sent = await gw.sendTemplate()
        return E.isLeft(sent) ? sent.left._tag : undefined
      }
      assert.equal(await tagOf(), expected)
      platform.willList([DE])
      gw.passes(MINUTE_MS - 1)
      assert.equal(await tagOf(), expected)
      assert.lengthOf(platform.asked, 1)
      gw.passes(1)
      assert.equal(leftOf(await gw.sendTemplate())._tag, 'TemplateNotFound')
      assert.lengthOf(platform.asked, 2)
    }
  })

  it('is done at most 60 times a minute for an account; what would need more is sent', async () => {
    const platform = templatePlatform([])
    const gw = await gateway({ templates: [], source: platform.source })
    const names = Array.from({ length: 61 }, (_, n) => `name_${n}`)
    for (const name of names.slice(0, 60)) assert.equal(leftOf(await gw.sendTemplate({ name }))._tag, 'TemplateNotFound')
    rightOf(await gw.sendTemplate({ name: names[60]! }))
    assert.lengthOf(platform.asked, 60)
    gw.passes(MINUTE_MS)
    assert.equal(leftOf(await gw.sendTemplate({ name: names[60]! }))._tag, 'TemplateNotFound')
  })

  it('is not done while the platform throttles the account', async () => {
    const platform = templatePlatform({ _tag: 'PlatformThrottled', error: {}, retryAfterSeconds: 300 })
    const gw = await gateway({ templates: [], source: platform.source })
    rightOf(await gw.sendTemplate())
    platform.willList([])
    gw.passes(5 * MINUTE_MS - 1)
    rightOf(await gw.sendTemplate({ name: 'greeting' }))
    assert.deepEqual(platform.asked, ['order_update'])
    gw.passes(1)
    assert.equal(leftOf(await gw.sendTemplate({ name: 'greeting' }))._tag, 'TemplateNotFound')
  })

  it('keeps a change that the platform reported while it was read', async () => {
    const platform = templatePlatform([EN])
    const gw = await gateway({ templates: [{ ...EN, status: 'pending' }], source: platform.source })
    const release = platform.hold()
    const send = gw.sendTemplate()
    await done(gw.storage.templateCatalogue.change(ACCOUNT, { name: EN.name, language: EN.language, at: NOON + 1, status: 'disabled' }))
    release()
    assert.deepInclude(leftOf(await send), { _tag: 'TemplateNotApproved', status: 'disabled' })
  })
})
