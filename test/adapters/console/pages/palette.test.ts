import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { matchOf } from '../../../../adapters/console/pages/palette.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import { SYSTEM } from '../../../../core/kernel/actor.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { messageIdOf } from '../../../../core/messages/message.js'
import { makeSearch, NAME_LOOK, QUICK_NAME_LOOK } from '../../../../core/search.js'
import { role } from '../../../core/use-cases/member-world.js'
import { done } from '../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../browser.js'

describe('a match of the palette', () => {
  it('prefers the whole text, then its beginning, then a later word, then the inside of a word', () => {
    const ranks = ['Re', 'Requests', 'API reference', 'order_reminder', 'Create key', 'Wallet'].map((text) => matchOf(text, 're')?.rank)
    assert.deepEqual(ranks, [0, 1, 2, 2, 3, undefined])
    assert.deepEqual(matchOf('core re', 're'), { rank: 2, from: 5, to: 7 })
  })

  it('has the places of the text as it is written, whatever its case and accents', () => {
    const texts = [['Tomás RIVERA', 'tomas', 'Tomás'], ['Groß & Söhne', 'gross', 'Groß'], ['🙂 Łódź', 'lodz', 'Łódź']] as const
    for (const [text, sought, marked] of texts) {
      const { from, to } = matchOf(text, sought) ?? assert.fail(`${sought} is not found`)
      assert.equal(text.slice(from, to), marked)
    }
  })
})

describe('the palette', () => {
  let console: OpenConsole
  let [operator, viewer] = ['', '']
  beforeEach(async () => {
    console = await openConsole()
    operator = `postern_session=${(await console.join('ann@example.com')).token}`
    viewer = `postern_session=${(await console.join('vic@example.com', role(console.workspace, 'viewer'))).token}`
  })
  afterEach(() => console.close())

  const rows = async (sought: string, cookie = operator): Promise<string> => {
    const { status, text } = await console.get(`/console/workspaces/${console.workspace}/palette?q=${encodeURIComponent(sought)}`, cookie)
    assert.equal(status, 200, text)
    return text
  }
  const wrote = async (phoneNumber: string, name: string): Promise<void> => {
    const at = console.clock.at
    await done(console.storage.windowClock.recordInbound(console.workspace, { phoneNumber: phoneNumber as PhoneNumber }, at))
    await done(console.storage.customers.learn(console.workspace, phoneNumber as PhoneNumber, { _tag: 'Named', name, at }))
  }
  const sent = (to: string, name: string): Promise<unknown> => {
    const price = { micros: 0n, currency: 'USD' as Currency, category: 'utility' } as const
    return done(console.storage.messageLog.open({
      id: messageIdOf(uuidv7()), workspace: console.workspace, at: console.clock.at, price,
      message: { _tag: 'Template', to: to as PhoneNumber, name, language: 'en' },
    }))
  }
  const namesIn = (text: string, tag: 'h2' | 'a'): ReadonlyArray<string> =>
    Array.from(text.matchAll(new RegExp(`<${tag} .*?</${tag}>`, 'gs')), ([one]) => one.replace(/<svg.*?<\/svg>|<kbd.*?<\/kbd>|<[^>]*>/gs, ''))

  it('lists customers, messages, pages and actions in this order, with what matched', async () => {
    await wrote('4915112345678', 'Renate Vogel')
    await sent('4915112345678', 'order_reminder')
    await sent('4915112345678', 'shipping')
    const text = await rows('re')
    assert.deepEqual(namesIn(text, 'h2'), ['Customers', 'Messages', 'Pages', 'Actions'])
    assert.include(text, '<mark>Re</mark>nate Vogel')
    assert.include(text, 'window open for 24 h')
    assert.include(text, 'order_<mark>re</mark>minder (en) to Renate Vogel')
    assert.include(text, '<mark>Re</mark>quests')
    assert.include(text, 'C<mark>re</mark>ate key')
    assert.include(namesIn(text, 'a').at(-1), 'All results for “re”')
    assert.include(text, 'data-said="')
  })

  it('shows five rows of a group at most, the best matches first', async () => {
    for (const [index, name] of ['Jo Ann', 'Ann Miller', 'Ann', 'Ann Bell', 'Ann Carr', 'Ann Dietz', 'Ann Egan'].entries()) {
      await wrote(`491511234567${index}`, name)
    }
    const people = namesIn(await rows('ann'), 'a').filter((row) => row.includes('Ann'))
    assert.lengthOf(people, 5)
    assert.match(people[0] ?? '', /^Ann\+/)
    assert.notInclude(people.join(), 'Jo Ann')
  })

  it('leaves out actions that the role forbids, and pages that it may not see', async () => {
    assert.include(await rows('key', viewer), '/keys"')
    for (const sought of ['create key', 'add', 'invite', 'resolve', 'new message', 'audit']) {
      const found = [await rows(sought), await rows(sought, viewer)].map((text) => namesIn(text, 'a').length)
      assert.isAbove(found[0] ?? 0, 1, sought)
      assert.equal(found[1], 1, `${sought}: only the search is left`)
    }
  })

  it('lists every page and action with its keys, of which each is there once', async () => {
    const text = await rows('?')
    const keys = Array.from(text.matchAll(/data-keys="([^"]+)"/g), ([, each]) => each)
    assert.includeMembers(keys, ['g m', 'g r', 'c k', 'c m', 'r o'])
    assert.lengthOf(new Set(keys), keys.length)
    assert.lengthOf(keys, namesIn(text, 'a').length)
    assert.notInclude(text, 'All results')
  })

  it('finds a message by its id, and the person’s workspaces by their names', async () => {
    const other = await console.newWorkspace()
    await done(console.storage.workspaces.rename(other, 'Corner Shop'))
    assert.include(await rows('corner'), `href="/console/workspaces/${other}"`)
    assert.notInclude(await rows('corner', viewer), other)
    await sent('4915112345678', 'shipping')
    const [message] = (await done(console.storage.messageLog.list(console.workspace, { limit: 1 }))).items
    assert.include(await rows(message?.id ?? ''), `/messages/${message?.id}"`)
  })

  it('compares fewer names than the search, and no notes', async () => {
    const { customerWindows, messageLog } = console.storage
    const [looks, references] = [new Set<number>(), new Set<string | undefined>()]
    const search = makeSearch({
      ...console.storage, customers: { find: console.storage.customers.find },
      windowClock: { ...console.storage.windowClock, now: () => console.clock.at },
      customerWindows: {
        ...customerWindows,
        list: (workspace, query) => {
          looks.add(query.limit)
          return customerWindows.list(workspace, query)
        },
      },
      messageLog: {
        ...messageLog,
        list: (workspace, query) => {
          references.add(query.reference)
          return messageLog.list(workspace, query)
        },
      },
    })
    await done(search({ by: SYSTEM, text: 'ann', workspace: console.workspace, isQuick: true }))
    assert.deepEqual([[...looks], [...references]], [[QUICK_NAME_LOOK], []])
    await done(search({ by: SYSTEM, text: 'ann', workspace: console.workspace }))
    assert.deepEqual([[...looks], [...references]], [[QUICK_NAME_LOOK, NAME_LOOK], ['ann']])
  })
})
