import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import type { CustomerId, PhoneNumber } from '../../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { DAY_MS } from '../../../../core/kernel/time.js'
import { type MessageId, messageIdOf, type Metadata, type PlatformId } from '../../../../core/messages/message.js'
import { customerIn, MAX_NAMED, MAX_PLACES, NAME_LOOK } from '../../../../core/search.js'
import { role } from '../../../core/use-cases/member-world.js'
import { done } from '../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../browser.js'

const ALICE = '4915123456789' as PhoneNumber

describe('a number that is looked for', () => {
  it('is read in the writings in which people copy it, and a user id as it is', () => {
    const writings = [
      '+49 151 23456789', '4915123456789', '0049 151 2345 6789', '+49 (0)151/23456789', '+49 (0)151 23456789', '(+49) 151-23456789',
      '(0049) 151 23456789', 'tel:+49-151-23456789', '+49\u00a0151\u202f234\u201056789', ' +49.151.23456789 ',
    ]
    for (const writing of writings) assert.equal(customerIn(writing), ALICE, writing)
    assert.equal(customerIn('DE.1234567890'), 'DE.1234567890' as CustomerId)
    for (const none of ['0151 23456789', 'A-17', 'Ann', '', '+', '12']) assert.isUndefined(customerIn(none), none)
  })
})

describe('the search of the console', () => {
  let console: OpenConsole
  let operator: string
  beforeEach(async () => {
    console = await openConsole()
    operator = await join('ann@example.com')
  })
  afterEach(() => console.close())

  const join = async (email: string, access?: Parameters<OpenConsole['join']>[1]): Promise<string> => `postern_session=${(await console.join(email, access)).token}`
  const opened = async (
    workspace: WorkspaceId,
    { to = ALICE as CustomerId, metadata, platformId }: { to?: CustomerId; metadata?: Metadata; platformId?: string } = {},
  ): Promise<MessageId> => {
    const [id, at] = [messageIdOf(uuidv7()), console.clock.at]
    const price = { micros: 0n, currency: 'USD' as Currency, category: 'service' } as const
    await done(console.storage.messageLog.open({
      id, workspace, at, price, message: { _tag: 'Text', to, text: 'Hello', ...(metadata && { metadata }) },
    }))
    if (platformId !== undefined) {
      await done(console.storage.messageLog.apply(workspace, id, { state: 'accepted', at, platformId: platformId as PlatformId }))
    }
    return id
  }
  const find = (q: string, cookie = operator, workspace: WorkspaceId = console.workspace) =>
    console.get(`/console/workspaces/${workspace}/search?q=${encodeURIComponent(q)}`, cookie)
  const ledTo = async (...given: Parameters<typeof find>): Promise<string> => {
    const { status, headers, text } = await find(...given)
    assert.equal(status, 303, text)
    return String(headers['location'])
  }
  const pathOf = (end: string, workspace = console.workspace): string => `/console/workspaces/${workspace}/${end}`

  it('leads straight to a message of another network by its id there, and finds a customer by digits that no message has', async () => {
    const [word, digits] = [
      await opened(console.workspace, { platformId: 'SM9f86d081884c7d65' }),
      await opened(console.workspace, { platformId: '49151234567890' }),
    ]
    assert.equal(await ledTo('SM9f86d081884c7d65'), pathOf(`messages/${word}`))
    assert.equal(await ledTo('49151234567890'), pathOf(`messages/${digits}`))
    assert.equal(await ledTo(ALICE), pathOf(`customers/${ALICE}`))
  })

  it('leads straight to a message, by either id, also from another workspace and from none', async () => {
    const other = await console.newWorkspace()
    const id = await opened(other, { platformId: 'wamid.HBgL==' })
    for (const [text, workspace] of [[id, console.workspace], ['wamid.HBgL==', other], [` ${id} `, other]] as const) {
      assert.equal(await ledTo(text, operator, workspace), pathOf(`messages/${id}`, other))
    }
    const everywhere = await console.get(`/console/search?q=${id}`, operator)
    assert.equal(everywhere.headers['location'], pathOf(`messages/${id}`, other))
  })

  it('leads straight to a customer, however the number is written, who wrote or to whom messages were sent', async () => {
    await done(console.storage.windowClock.recordInbound(console.workspace, { phoneNumber: ALICE }, console.clock.at))
    assert.equal(await ledTo('+49 (0)151 23456789'), pathOf(`customers/${ALICE}`))
    await opened(console.workspace, { to: 'DE.77' as CustomerId })
    assert.equal(await ledTo('DE.77'), pathOf('customers/DE.77'))
    assert.include((await find('+49 151 00000000')).text, 'No results for')
  })

  const wrote = async (
    phoneNumber: string, name: string,
    { workspace = console.workspace, at = console.clock.at }: { workspace?: WorkspaceId; at?: number } = {},
  ): Promise<void> => {
    const id = phoneNumber as PhoneNumber
    await done(console.storage.customers.learn(workspace, id, { _tag: 'Named', name, at }))
    await done(console.storage.windowClock.recordInbound(workspace, { phoneNumber: id }, at))
  }

  it('leads straight to the customer with a word in the name that begins with the text, whatever its case and accents', async () => {
    await wrote(ALICE, 'José Ángel O’Brien')
    for (const text of ['josé', 'JOSE', 'ang', 'Jose An', 'brien', 'o\'brien']) {
      assert.equal(await ledTo(text), pathOf(`customers/${ALICE}`), text)
    }
    for (const text of ['osé', 'rien', 'José Obrien', '?', 'José  X']) assert.include((await find(text)).text, 'No results for', text)
  })

  it('finds a name without the letters that a keyboard may lack', async () => {
    await wrote(ALICE, 'Łukasz Straßer')
    for (const text of ['lukasz', 'Łuk', 'STRASSER', 'straßer']) assert.equal(await ledTo(text), pathOf(`customers/${ALICE}`), text)
    const other = await console.newWorkspace()
    await done(console.storage.workspaces.rename(other, 'Łódź'))
    assert.equal(await ledTo('lodz'), `/console/workspaces/${other}`)
    assert.include((await console.get('/console?name=lodz', operator)).text, 'Łódź')
  })

  it('lists who has the name first, then whose name begins with it, and says how many more there are', async () => {
    const [exact, prefix, later] = ['4915100000001', '4915100000002', '4915100000003']
    await wrote(exact, 'Ann', { at: console.clock.at - 3 })
    await wrote(prefix, 'Ann Marie', { at: console.clock.at - 2 })
    await wrote(later, 'Mary Ann', { at: console.clock.at })
    for (let count = 0; count <= MAX_NAMED; count += 1) {
      await wrote(`49151000001${10 + count}`, `Jo Ann ${count}`, { at: console.clock.at - 1 })
    }
    const { text } = await find('ann')
    const named = Array.from(text.matchAll(/customers\/(\d+)"/g), ([, id]) => id)
    assert.deepEqual(named.slice(0, 3), [exact, prefix, later])
    assert.lengthOf(named, MAX_NAMED)
    assert.include(text, `${MAX_NAMED + 4} results for`)
    assert.include(text, `The first ${MAX_NAMED} of ${MAX_NAMED + 4} customers with this name`)
    assert.notInclude((await find('jo ann 1')).text, 'customers with this name')
  })

  it('shows the window of each customer and the newest message', async () => {
    const [open, closed] = ['4915100000001', '4915100000002']
    await wrote(open, 'Ann Open')
    await wrote(closed, 'Ann Closed', { at: console.clock.at - DAY_MS })
    const id = await opened(console.workspace, { to: closed as CustomerId })
    const rows = (await find('ann')).text.split('<tr').filter((row) => row.includes('/customers/'))
    assert.deepEqual(rows.map((row) => /state (?:good|quiet)">(Open|Closed)</.exec(row)?.[1]), ['Open', 'Closed'])
    assert.include(rows[0], 'from the customer')
    assert.match(rows[1] ?? '', new RegExp(`class="state moving">[^<]+</span> <a href="[^"]+/messages/${id}"`))
  })

  it('lists the customers with a name, who wrote last first, and names no one of another workspace, nor who was erased', async () => {
    for (let count = 0; count <= MAX_NAMED; count += 1) {
      await wrote(`49151000000${10 + count}`, `Ann ${count}`, { at: console.clock.at + count })
    }
    await wrote(ALICE, 'Ann elsewhere', { workspace: await console.newWorkspace() })
    const named = async (): Promise<ReadonlyArray<string | undefined>> =>
      Array.from((await find('ann')).text.matchAll(/customers\/(\d+)"/g), ([, id]) => id)
    const newest = Array.from({ length: MAX_NAMED }, (_, place) => `49151000000${20 - place}`)
    assert.deepEqual(await named(), newest)
    await done(console.storage.personalData.erase(console.workspace, [{ phoneNumber: newest[0] as PhoneNumber }]))
    assert.deepEqual(await named(), [...newest.slice(1), '4915100000010'])
    assert.notInclude((await console.get('/console/search?q=ann', operator)).text, '/customers/', 'a name is looked for in one workspace')
  })

  it('shows the newest message of each customer, of either direction', async () => {
    await wrote(ALICE, 'Ann A')
    await wrote('4915100000001', 'Ann B')
    console.clock.at += 1
    const id = await opened(console.workspace, { to: ALICE })
    const cellOf = async (customer: string): Promise<string> =>
      new RegExp(`customers/${customer}"[^]*?data-label="Last message">([^]*?)</td>`).exec((await find('ann')).text)?.[1] ?? ''
    assert.include(await cellOf(ALICE), `/messages/${id}"`)
    assert.include(await cellOf('4915100000001'), 'from the customer')
    console.clock.at += 1
    await done(console.storage.windowClock.recordInbound(console.workspace, { phoneNumber: ALICE }, console.clock.at))
    assert.include(await cellOf(ALICE), 'from the customer')
  })

  it('without an index looks at the names of those who wrote last, and says so', async () => {
    const { named } = console.storage.customers
    Object.assign(console.storage.customers, { named: undefined })
    after(() => { Object.assign(console.storage.customers, { named }) })
    await wrote(ALICE, 'Ann', { at: console.clock.at - 1 })
    await wrote('4915100000001', 'Annabel')
    for (let count = 1; count < NAME_LOOK; count += 1) {
      await done(console.storage.windowClock.recordInbound(
        console.workspace, { phoneNumber: `49152000${10_000 + count}` as PhoneNumber }, console.clock.at,
      ))
    }
    const { status, text } = await find('ann')
    assert.equal(status, 200, 'there may be another one')
    assert.include(text, '10,000 customers who wrote most recently')
    assert.notInclude(text, ALICE)
  })

  it('lists what was noted, newest first, with the way to all of it, and opens the only one', async () => {
    const ids = [await opened(console.workspace, { metadata: { order: 'A-17' } })]
    assert.equal(await ledTo('A-17'), pathOf(`messages/${ids[0]}`))
    ids.push(
      await opened(console.workspace, { metadata: { visit: 'A-17' } }), await opened(console.workspace, { metadata: { visit: 'A-170' } }),
    )
    const { status, text } = await find('A-17')
    assert.equal(status, 200)
    assert.deepEqual(Array.from(text.matchAll(/<tr id="(msg_\w+)"/g), ([, id]) => id), [ids[1], ids[0]])
    const [, all = ''] = /href="([^"]+reference=A-17)"/.exec(text) ?? []
    assert.lengthOf((await console.get(all, operator)).text.match(/<tr id="msg_/g) ?? [], 2)
  })

  it('finds workspaces by a part of the name, and says of a text that finds nothing what can be looked for', async () => {
    const rename = (id: WorkspaceId, name: string) => done(console.storage.workspaces.rename(id, name))
    await rename(await console.newWorkspace(), 'Meridian Clinics')
    const shop = await console.newWorkspace()
    await rename(shop, 'Meridian Shop')
    assert.equal(await ledTo('n SHOP'), `/console/workspaces/${shop}`)
    assert.match((await find('meridian')).text, /Meridian Clinics[^]*Meridian Shop/)
    const { text } = await find('<b>nothing</b>')
    assert.include(text, 'No results for “&lt;b>nothing&lt;/b>”')
    assert.include(text, 'a phone number with its country code')
    assert.include((await find('')).text, 'You can search for')
  })

  it('finds only what the person may see', async () => {
    const other = await console.newWorkspace()
    await done(console.storage.workspaces.rename(other, 'Secret'))
    const id = await opened(other, { metadata: { order: 'A-17' }, platformId: 'wamid.secret' })
    const viewer = await join('vic@example.com', role(console.workspace, 'viewer'))
    for (const text of [id, 'wamid.secret', ALICE, 'A-17', 'Secret', other]) {
      for (const reply of [await find(text, viewer), await console.get(`/console/search?q=${text}`, viewer)]) {
        assert.equal(reply.status, 200, text)
        assert.include(reply.text, 'No results for', text)
        assert.notInclude(reply.text.replaceAll(text, ''), id)
      }
    }
    assert.equal((await find(id, viewer, other)).status, 403)
    await done(console.storage.workspaces.archive(console.workspace, console.clock.at))
    const mine = await opened(console.workspace)
    assert.equal(await ledTo(mine, viewer), pathOf(`messages/${mine}`))
  })

  it('asks some workspaces for a customer where none is open, and says how many were not asked', async () => {
    for (let count = 0; count < MAX_PLACES; count += 1) await console.newWorkspace()
    await opened(console.workspace)
    const { status, text } = await console.get(`/console/search?q=${ALICE}`, operator)
    assert.equal(status, 200)
    assert.include(text, pathOf(`customers/${ALICE}`))
    assert.include(text, '1 more workspace was not searched')
  })

  it('leaves nothing of the text in the log', async () => {
    await find('+49 151 23456789')
    await console.get('/console/search?q=Ann%20Lovelace', operator)
    assert.isNotEmpty(console.lines)
    assert.notMatch(console.lines.join('\n'), /23456789|Lovelace/)
  })

  it('is on every page of who is signed in, and on no other', async () => {
    for (const path of ['/console', '/console/account', pathOf('messages'), '/console/nowhere-at-all']) {
      assert.equal((await console.get(path, operator)).text.includes('id="find-anything"'), path !== '/console/nowhere-at-all', path)
    }
    assert.notInclude((await console.get('/console/sign-in')).text, 'id="find-anything"')
    assert.include((await console.get(pathOf('search?q=%22x%22'), operator)).text, 'value="&quot;x&quot;"')
  })
})
