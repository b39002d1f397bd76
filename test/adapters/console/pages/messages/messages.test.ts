import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import type { CustomerId } from '../../../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../../../core/kernel/ids.js'
import type { Currency } from '../../../../../core/kernel/money.js'
import { HOUR_MS } from '../../../../../core/kernel/time.js'
import { type Message, type MessageId, messageIdOf, type PlatformId, type StateChange } from '../../../../../core/messages/message.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { done } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole, type Reply } from '../../browser.js'

const ROLES = ['owner', 'developer', 'viewer'] as const
const ALICE = '4915123456789' as CustomerId
const BOB = '4915123456780' as CustomerId

describe('the messages of the console', () => {
  let console: OpenConsole
  let operator: string
  beforeEach(async () => {
    console = await openConsole()
    operator = await join('ann@example.com')
    await done(
      console.storage.ledger.topUp({ workspace: console.workspace, micros: 100_000_000n, reference: 'first', at: console.clock.at }),
    )
  })
  afterEach(() => console.close())

  const join = async (email: string, access?: Parameters<OpenConsole['join']>[1]): Promise<string> => `postern_session=${(await console.join(email, access)).token}`
  const pathOf = (end: string, workspace: WorkspaceId = console.workspace): string => `/console/workspaces/${workspace}/messages${end}`
  const idAt = (at: number): MessageId => messageIdOf(`${at.toString(16).padStart(12, '0')}${uuidv7().replaceAll('-', '').slice(12)}`)
  const text = (to: CustomerId): Message => ({ _tag: 'Text', to, text: 'Hello' })
  /** Opens a message, sets its price aside and changes its state. */
  const opened = async ({ at = console.clock.at, message = text(ALICE), change }: {
    at?: number
    message?: Message
    change?: StateChange
  } = {}): Promise<MessageId> => {
    const [id, workspace, amount] = [idAt(at), console.workspace, { micros: 100_000n, currency: 'USD' as Currency }]
    await done(console.storage.messageLog.open({ id, workspace, message, price: { ...amount, category: 'marketing' }, at }))
    await done(console.storage.wallet.hold({ workspace, message: id, amount, at }))
    if (change !== undefined) await done(console.storage.messageLog.apply(workspace, id, change))
    return id
  }
  const shown = async (query: string): Promise<ReadonlyArray<string>> => {
    const { status, text: page } = await console.get(pathOf(query), operator)
    assert.equal(status, 200, page)
    return Array.from(page.matchAll(/<tr id="(msg_[0-9a-f]{32})"/g), ([, id]) => id ?? '')
  }

  /** A console whose messages can be sent again, for 0.0462 each, but those of Bob; and a developer and a viewer in it. */
  const sending = async () => {
    await console.close()
    const asked: Array<string> = []
    const second = idAt(console.clock.at + 5)
    const price = { micros: 46_200n, currency: 'USD' as Currency, category: 'utility' } as const
    console = await openConsole({
      uses: {
        sending: {
          quoteAgain: async ({ workspace, message }) => {
            const found = await done(console.storage.messageLog.find(workspace, { id: message }))
            return O.isSome(found) && found.value.to === BOB
              ? E.left({ _tag: 'ContentNotKept' })
              : E.right({ price, available: 1_000_000n, lastInbound: undefined, preview: undefined })
          },
          sendAgain: async ({ message, idempotencyKey }) => {
            asked.push(`${message} ${idempotencyKey}`)
            return E.right({ id: second, platformId: 'wamid.2' as PlatformId, replayed: false })
          },
        },
      },
    })
    await done(
      console.storage.ledger.topUp({ workspace: console.workspace, micros: 100_000_000n, reference: 'first', at: console.clock.at }),
    )
    const as = (one: 'developer' | 'viewer') => join(`${one}@example.com`, role(console.workspace, one))
    return { asked, second, developer: await as('developer'), viewer: await as('viewer') }
  }

  it('are filtered by each thing, however a number is written', async () => {
    const { at } = console.clock
    const plain = await opened({ at: at - HOUR_MS })
    const failed = await opened({ message: text(BOB), change: { state: 'failed', at, error: { code: 131_047 } } })
    const template = await opened({ message: { _tag: 'Template', to: BOB, name: 'order_update', language: 'en' }, at: at + 1 })
    assert.deepEqual(await shown(''), [template, failed, plain])
    assert.deepEqual(await shown(`?to=${encodeURIComponent('+49 (151) 234-56789')}`), [plain])
    assert.deepEqual(await shown('?state=failed'), [failed])
    assert.deepEqual(await shown('?error=131047'), [failed])
    assert.deepEqual(await shown('?error=insufficient_balance'), [])
    assert.deepEqual(await shown('?template=order_update'), [template])
    assert.deepEqual(await shown(`?from=${new Date(at).toISOString().slice(0, 16)}`), [template, failed])
    assert.deepEqual(await shown(`?before=${new Date(at).toISOString().slice(0, 16)}`), [plain])
    assert.deepEqual(await shown(`?to=${BOB}&state=failed&error=131047&template=`), [failed])
    assert.deepEqual(await shown('?state=read'), [])
  })

  it('that failed or were refused are one list, newest first, page by page and as a file', async () => {
    const price = { micros: 0n, currency: 'USD' as Currency, category: 'service' } as const
    const ids: Array<string> = []
    for (let count = 0; count < 130; count += 1) {
      const id = messageIdOf(uuidv7())
      await done(console.storage.messageLog.open({
        id, workspace: console.workspace, at: console.clock.at, price, message: { _tag: 'Text', to: BOB, text: 'Hello' },
      }))
      // Of the newest, most are of one state: the older ones of the other state come only after all of them.
      const state = count % 3 === 2 || count >= 100 ? 'failed' : count % 3 === 1 ? 'refused' : 'read'
      await done(console.storage.messageLog.apply(console.workspace, id, { state, at: console.clock.at }))
      if (state !== 'read') ids.unshift(id)
    }
    const listed: Array<string> = []
    for (let href: string | undefined = pathOf('?state=failed%2Crefused'); href !== undefined;) {
      const { status, text: page }: Reply = await console.get(href, operator)
      assert.equal(status, 200)
      listed.push(...Array.from(page.matchAll(/<tr id="(msg_\w+)"/g), ([, id = '']) => id))
      href = /href="([^"]+cursor=[^"]+)"[^>]*>(?:Older|Look)/.exec(page)?.[1]?.replaceAll('&amp;', '&')
    }
    assert.deepEqual(listed.slice(0, ids.length), ids)
    assert.lengthOf(new Set(listed), listed.length)
    const csv = (await console.get(pathOf('.csv?state=failed%2Crefused'), operator)).text.trim().split('\r\n').slice(1)
    assert.deepEqual(csv.slice(0, ids.length).map((line) => line.split(',')[0]), ids)
  })

  it('are counted by state and by reason, the most frequent first, if the counts are exact', async () => {
    const { at } = console.clock
    for (const code of [131_026, 131_047, 131_026]) await opened({ change: { state: 'failed', at, error: { code } } })
    await opened({ change: { state: 'read', at } })
    const chips = async (query: string): Promise<ReadonlyArray<string>> => {
      const bar = /<nav class="chips"[^]*?<\/nav>/.exec((await console.get(pathOf(query), operator)).text)?.[0] ?? ''
      return Array.from(bar.matchAll(/<a[^>]*>([^]*?)<\/a>/g), ([, chip = '']) => chip.replace(/<[^>]*>/g, ''))
    }
    assert.deepEqual(await chips(''), ['Failed 3', 'Read 1'])
    assert.deepEqual(await chips('?state=failed'), ['Failed 3', 'Not on WhatsApp 2', 'Window closed 1'])
    assert.deepEqual(await chips('?state=failed&error=131026'), ['Failed', 'Not on WhatsApp 2'])
    for (let count = 0; count < 500; count += 1) {
      const price = { micros: 0n, currency: 'USD' as Currency, category: 'service' } as const
      await done(console.storage.messageLog.open({ id: idAt(at - 1), workspace: console.workspace, at, price, message: text(ALICE) }))
    }
    assert.deepEqual(await chips(''), ['Failed', 'Read', 'Unconfirmed', 'Refused'])
  })

  it('are a file of the filters, too, in which no text is a formula, to all who see them', async () => {
    const { at } = console.clock
    const failed = await opened({
      message: { ...text(BOB), metadata: { order: '=1+1', who: 'A,"B"' } }, change: { state: 'failed', at, error: { code: 131_047 } },
    })
    const template = await opened({ message: { _tag: 'Template', to: ALICE, name: '=cmd', language: 'en' }, at: at + 1 })
    const viewer = await join('vic@example.com', role(console.workspace, 'viewer'))
    const all = await console.get(pathOf('.csv'), viewer)
    assert.deepEqual(
      [all.status, all.headers['content-type'], all.headers['content-disposition']],
      [200, 'text/csv; charset=utf-8', 'attachment; filename="messages.csv"'],
    )
    const [head = '', ...lines] = all.text.trim().split('\r\n')
    assert.match(head, /^id,platform_id,at,to,kind,summary,template,language,state,error,category,price,charged,currency,metadata$/)
    assert.deepEqual(lines.map((line) => line.split(',')[0]), [template, failed])
    assert.include(lines[0], `,'=cmd,en,pending,,marketing,0.100000,0.000000,USD,`)
    assert.include(lines[1], `failed,131047,marketing,0.100000,0.000000,USD,"{""order"":""=1+1""`)
    assert.lengthOf((await console.get(pathOf('.csv?state=failed'), viewer)).text.trim().split('\r\n'), 2)
    assert.equal((await console.get(pathOf('.csv?state=nonsense'), viewer)).status, 422)
    for (let older = 1; older <= 1_001; older += 1) await done(console.storage.messageLog.open({
      id: idAt(at - older), workspace: console.workspace, at, message: text(ALICE),
      price: { micros: 0n, currency: 'USD' as Currency, category: 'service' },
    }))
    assert.lengthOf((await console.get(pathOf('.csv'), viewer)).text.trim().split('\r\n'), 1 + 2 + 1_001)
    const { text: page } = await console.get(pathOf('?state=failed'), viewer)
    assert.include(page, `${pathOf('.csv')}?state=failed`)
  })

  it('are sent again once failed, for a price that the page names, by those who may send', async () => {
    const { asked, second, developer, viewer } = await sending()
    const [failed, read] = [
      await opened({ change: { state: 'failed', at: console.clock.at } }),
      await opened({ change: { state: 'read', at: console.clock.at } }),
    ]
    const { text: page } = await console.get(pathOf(`/${failed}`), developer)
    assert.include(page, '>Send again for $0.0462<')
    const key = /name="key" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const sent = await console.post(pathOf(`/${failed}/again`), { key }, developer)
    assert.deepEqual([sent.status, sent.headers['location']], [303, pathOf(`/${second}`)])
    assert.deepEqual(asked, [`${failed} ${key}`])
    for (const [message, cookie] of [[read, developer], [failed, viewer]] as const) {
      assert.notInclude((await console.get(pathOf(`/${message}`), cookie)).text, 'Send again')
    }
  })

  it('are chosen and sent again together, for a price that the button names, or exported', async () => {
    const { asked, developer, viewer } = await sending()
    const { at } = console.clock
    const [first, other, bobs] = [
      await opened({ change: { state: 'failed', at } }), await opened({ at: at + 1, change: { state: 'failed', at } }),
      await opened({ at: at + 2, message: text(BOB), change: { state: 'failed', at } }),
    ]
    const list = (await console.get(pathOf(''), developer)).text
    assert.include(list, `<tr id="${first}" data-again><td class="pick"><input type="checkbox" name="${first}"`)
    assert.include(list, 'class="resend">Send again <span class="price"')
    assert.notInclude((await console.get(pathOf(''), viewer)).text, 'Send again')
    const chosen = { [first]: 'on', [other]: 'on', [bobs]: 'on' }
    const page = await console.post(pathOf('/again'), chosen, developer)
    assert.equal(page.status, 200)
    assert.include(page.text, '>Send 2 again for $0.0924<')
    assert.include(page.text, 'One message was not: Its content is not stored.')
    const fields = page.text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)
    const form = Object.fromEntries(Array.from(fields, ([, name = '', value = '']) => [name, value]))
    assert.include((await console.post(pathOf('/again/confirm'), form, developer)).text, '2 messages were sent again.')
    assert.sameMembers(asked, [first, other].map((id) => `${id} ${form['key']} ${id}`))
    assert.equal((await console.post(pathOf('/again'), { [bobs]: 'on' }, developer)).status, 422)
    assert.equal((await console.post(pathOf('/again'), chosen, viewer)).status, 403)
    const priceOf = async (ids: ReadonlyArray<string>) =>
      (await console.get(pathOf(`/again/price?${new URLSearchParams(ids.map((id) => [id, 'on'])).toString()}`), developer)).text
    const prices = [await priceOf([first, other]), await priceOf([first, bobs]), await priceOf([bobs])]
    assert.deepEqual(prices, ['· $0.0924', '· $0.0462 for 1', ''])
    assert.equal((await console.get(pathOf(`/again/price?${first}=on`), viewer)).status, 403)
    const csv = await console.get(pathOf(`/chosen.csv?${new URLSearchParams({ [first]: 'on', [bobs]: 'on' }).toString()}`), viewer)
    assert.deepEqual(csv.text.trim().split('\r\n').slice(1).map((line) => line.split(',')[0]), [bobs, first])
  })

  it('are listed oldest first if the address says so, page by page, also those of two states', async () => {
    const { at } = console.clock
    const ids: Array<string> = []
    for (let nth = 0; nth < 53; nth += 1) {
      ids.push(await opened({ at: at + nth, change: { state: 'failed', at: at + nth } }))
    }
    const listed = (text: string) => Array.from(text.matchAll(/<tr id="(msg_[0-9a-f]+)"/g), ([, id]) => id)
    for (const filter of ['', 'state=failed&', `state=${encodeURIComponent('failed,refused')}&`]) {
      const { text } = await console.get(pathOf(`?${filter}sort=oldest`), operator)
      assert.deepEqual(listed(text), ids.slice(0, 50), filter)
      const [, next = ''] = /href="[^"]*messages(\?[^"]*cursor=[^"]*)">Newer messages</.exec(text) ?? assert.fail('no further page')
      assert.deepEqual(listed((await console.get(pathOf(next.replaceAll('&amp;', '&')), operator)).text), ids.slice(50), filter)
      assert.match(text, /<th scope="col" class="number" aria-sort="ascending"><a href="[^"]*messages(?:\?state=[^"]*)?">/)
    }
    const { text } = await console.get(pathOf(''), operator)
    assert.match(text, /aria-sort="descending"><a href="[^"]*messages\?sort=oldest">/)
    assert.notInclude(text, 'Clear all')
  })

  it('are chosen all together where the page shows only a part of them', async () => {
    const { developer } = await sending()
    const { at } = console.clock
    for (let nth = 0; nth < 52; nth += 1) await opened({ at: at + nth, change: { state: 'failed', at: at + nth } })
    for (let nth = 0; nth < 3; nth += 1) await opened({ at: at + 60 + nth, change: { state: 'read', at: at + 60 + nth } })
    const list = (await console.get(pathOf('?state=failed'), developer)).text
    assert.match(list, /<label class="choice every" data-again><input type="checkbox" name="all"\/>All 52<input type="hidden" name="state" value="failed"\/>/)
    assert.match((await console.get(pathOf(''), developer)).text, /<label class="choice every"><input type="checkbox" name="all"\/>All 55<\/label>/)
    assert.notInclude((await console.get(pathOf('?state=read'), developer)).text, 'class="choice every"')
    const form = { state: 'failed', all: 'on' }
    assert.include((await console.post(pathOf('/again'), form, developer)).text, '>Send 52 again for $2.4024<')
    const csv = await console.get(pathOf(`/chosen.csv?${new URLSearchParams(form).toString()}`), developer)
    assert.lengthOf(csv.text.trim().split('\r\n').slice(1), 52)
  })

  it('say that they cannot be sent again without their content', async () => {
    const failed = await opened({ change: { state: 'failed', at: console.clock.at } })
    const { text: page } = await console.get(pathOf(`/${failed}`), operator)
    assert.include(page, 'This message cannot be sent again. Its content is not stored.')
    const refused = await console.post(pathOf(`/${failed}/again`), { key: 'a' }, operator)
    assert.equal(refused.status, 422)
    assert.equal((await console.post(pathOf(`/${failed}/again`), {}, operator)).status, 422)
  })

  it('are named by their templates, and others by what they are', async () => {
    await opened()
    await opened({
      message: { _tag: 'Content', to: ALICE, type: 'location', content: { latitude: '52.5219', longitude: '13.4132', name: 'Shop' } },
    })
    await opened({ message: { _tag: 'Template', to: ALICE, name: 'order_update', language: 'en' } })
    await opened({ message: { _tag: 'Content', to: ALICE, type: 'contacts', content: [{ name: { formatted_name: 'Ann' } }] } })
    const { text: page } = await console.get(pathOf(''), operator)
    assert.sameMembers(Array.from(page.matchAll(/<td class="what cut" title="([^"]*)"/g), ([, what]) => what), [
      'Text', 'Location', 'Contacts, 1 card', 'order_update (en)',
    ])
  })

  it('name their customers, each workspace as it knows them', async () => {
    const { workspace, clock: { at }, storage: { customers } } = console
    await done(customers.learn(workspace, ALICE, { _tag: 'Named', name: 'Alice Ahrens', at }))
    await done(customers.learn(await console.newWorkspace(), BOB, { _tag: 'Named', name: 'Bob Bauer', at }))
    await opened()
    await opened({ message: text(BOB) })
    for (const path of [pathOf(''), `/console/workspaces/${workspace}`]) {
      const { text: page } = await console.get(path, operator)
      assert.match(page, /title="Alice Ahrens">Alice Ahrens<\/span> <span class="whole soft">\+49 151 234 567 89</)
      assert.match(page, /<span class="whole">\+49 151 234 567 80</)
      assert.notInclude(page, 'Bob Bauer')
    }
  })

  it('show who watches the newest ones those that come, whatever address others watch', async () => {
    const { at } = console.clock
    const oldest = await opened({ at: at - HOUR_MS })
    for (let older = 50; older > 0; older -= 1) await opened({ at: at - older })
    const { text: page } = await console.get(pathOf(''), operator)
    const cursor = /cursor=([^"&]+)/.exec(page)?.[1] ?? ''
    const forged = await console.watch(pathOf(`?cursor=${cursor}`), await join('eve@example.com', role(console.workspace, 'viewer')))
    const mine = await console.watch(pathOf(''), operator)
    const newest = await opened({ at })
    await mine.shows(newest)
    await forged.shows(newest)
    assert.notInclude((await console.get(pathOf(''), operator)).text, oldest)
    forged.close()
    mine.close()
  })

  it('say what is wrong with a filter, and keep what was typed', async () => {
    const { status, text: page } = await console.get(
      pathOf('?to=abc&state=gone&from=yesterday&error=12a&template=order&sate=failed'), operator,
    )
    assert.equal(status, 422)
    for (const said of [
      'The filter “sate” does not exist', '“abc” is neither a phone number', 'The state “gone” does not exist',
      '“yesterday” is not a valid time', '“12a” is not an error code',
    ]) {
      assert.include(page, said)
    }
    for (const typed of ['value="abc"', 'value="12a"', 'value="order"']) assert.include(page, typed)
    assert.include((await console.get(pathOf('?from=2026-02-02T00:00&before=2026-02-01T00:00'), operator)).text, 'before its start')
  })

  it('continue page by page with their filters, and look further where few match', async () => {
    const wanted: Array<string> = []
    for (let index = 0; index < 60; index += 1) {
      wanted.unshift(
        await opened({ at: console.clock.at + index, ...(index % 20 === 0 && { change: { state: 'failed', at: console.clock.at } }) }),
      )
    }
    const { text: first } = await console.get(pathOf(''), operator)
    const older = /href="([^"]*cursor=[^"]*)"/.exec(first)?.[1] ?? assert.fail('there is no older page')
    assert.deepEqual(await shown(older.replace(/^[^?]*/, '')), wanted.slice(50))
    for (let index = 0; index < 5_000; index += 1) {
      const at = console.clock.at + 100 + index
      await done(console.storage.messageLog.open({
        id: idAt(at),
        workspace: console.workspace,
        message: text(BOB),
        price: { micros: 0n, currency: 'USD' as Currency, category: 'service' },
        at,
      }))
    }
    const { text: looked } = await console.get(pathOf('?state=failed'), operator)
    assert.include(looked, 'No messages match.')
    assert.include(looked, '5,000 messages')
    const further = /href="([^"]*cursor=[^"]*)">Search further back/.exec(looked)?.[1]?.replaceAll('&amp;', '&')
      ?? assert.fail('there is no way on')
    assert.deepEqual(
      await shown(further.replace(/^[^?]*/, '')), [19, 39, 59].map((index) => wanted[index] ?? assert.fail('there are sixty')),
    )
  })

  it('show one beside the list from which it was chosen, with the filters and the place of that list', async () => {
    const ids: Array<string> = []
    for (let index = 0; index < 55; index += 1) {
      ids.unshift(
        await opened({ at: console.clock.at + index, change: { state: 'failed', at: console.clock.at, error: { code: 131_026 } } }),
      )
    }
    const other = await opened({ at: console.clock.at + 60 })
    const addressed = (page: string, id: string): string =>
      new RegExp(`<a href="([^"]*/${id}[^"#]*)#${id}"`).exec(page)?.[1]?.replaceAll('&amp;', '&') ?? assert.fail(`there is no way to ${id}`)
    const first = (await console.get(pathOf('?state=failed'), operator)).text
    const older = /href="([^"]*cursor=[^"]*)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? assert.fail('there is no older page')
    const second = (await console.get(older, operator)).text
    for (const [list, id, neighbour, stranger] of [[first, ids[3], ids[4], ids[52]], [second, ids[52], ids[51], ids[3]]] as const) {
      const { status, text: page } = await console.get(addressed(list, id ?? ''), operator)
      assert.equal(status, 200)
      assert.match(page, new RegExp(`<a href="[^"]*${id}[^"]*" aria-current="true"`))
      assert.include(page, 'Money held')
      assert.include(page, `id="${neighbour}"`)
      for (const absent of [stranger, other]) assert.notInclude(page, `id="${absent}"`)
      assert.equal(addressed(page, neighbour ?? ''), addressed(list, neighbour ?? ''), 'the way to its neighbour is the same')
      assert.include(page.replaceAll('&amp;', '&'), `<p class="back"><a href="${list === first ? pathOf('?state=failed') : older}">`)
    }
    const alone = (await console.get(pathOf(`/${ids[3]}`), operator)).text
    assert.notInclude(alone, `id="${ids[4]}"`)
    const forged = await console.get(pathOf(`/${ids[3]}?list=&state=gone`), operator)
    assert.deepEqual([forged.status, forged.text.includes(`id="${ids[4]}"`)], [200, false], 'filters that are none show it alone')
  })

  it('are found by a click on a state, and say what went wrong in a few words', async () => {
    const failed = await opened({ change: { state: 'failed', at: console.clock.at, error: { code: 131_026 } } })
    const strange = await opened({ at: console.clock.at + 1, change: { state: 'failed', at: console.clock.at, error: { code: 999_999 } } })
    await opened({ at: console.clock.at + 2 })
    const { text: page } = await console.get(pathOf(''), operator)
    assert.match(page, /title="131026">not on WhatsApp</)
    assert.match(page, /title="999999">999999</)
    const chip = new RegExp(`<a href="(${pathOf('\\?state=failed')})">`).exec(page)?.[1] ?? assert.fail('there is no click for what failed')
    assert.sameMembers([...(await shown(chip.replace(/^[^?]*/, '')))], [failed, strange])
    const filtered = (await console.get(`${chip}&error=131026`, operator)).text
    const rest = Array.from(filtered.matchAll(/<a class="active" href="([^"]+)"[^>]*>([^<]+)</g), ([, href = '', what]) =>
      [what, href.replace(/^[^?]*/, '')])
    assert.deepEqual(rest, [['Failed', '?error=131026'], ['Not on WhatsApp ', '?state=failed']])
  })

  it('say with which key each was sent, and what the application noted on it', async () => {
    const key = await done(
      console.storage.keyStore.mint({ workspace: console.workspace, name: 'the shop', at: console.clock.at, scopes: ['send'] }),
    )
    const id = idAt(console.clock.at)
    const price = { micros: 0n, currency: 'USD' as Currency, category: 'service' } as const
    await done(console.storage.messageLog.open({
      id, workspace: console.workspace, message: { ...text(ALICE), metadata: { order: 'A-17' } }, price, at: console.clock.at,
      keyId: key.id,
    }))
    const { text: page } = await console.get(pathOf(`/${id}`), operator)
    for (const said of ['the key “the shop”', 'order: A-17']) assert.include(page, said)
    assert.notInclude((await console.get(pathOf(`/${await opened()}`), operator)).text, 'Sent with')
  })

  it('show one with its money, its error and its market, and never that of another workspace', async () => {
    const id = await opened({
      change: { state: 'failed', at: console.clock.at + 1_000, error: { code: 131_047, title: 'Re-engagement message' } },
    })
    await done(console.storage.wallet.refund({ workspace: console.workspace, message: id, at: console.clock.at + 1_000 }))
    const { status, text: page } = await console.get(pathOf(`/${id}`), operator)
    assert.equal(status, 200)
    for (const said of [
      '$0.10', 'marketing, market +49', 'Money held', 'Money released', 'more than 24 hours have passed',
      'Send an approved template instead', 'Re-engagement message',
    ]) {
      assert.include(page, said)
    }
    const unknown = await opened({ change: { state: 'failed', at: console.clock.at, error: { code: 999_999, title: 'Something new' } } })
    assert.include((await console.get(pathOf(`/${unknown}`), operator)).text, 'Something new')
    const other = await console.newWorkspace()
    for (const path of [pathOf(`/${id}`, other), pathOf(`/${idAt(console.clock.at)}`), pathOf('/msg_x'), pathOf('/%3Cscript%3E')]) {
      assert.equal((await console.get(path, operator)).status, 404, path)
    }
    const stranger = await join('eve@example.com', role(other, 'owner'))
    assert.equal((await console.get(pathOf(`/${id}`), stranger)).status, 403)
    assert.equal((await console.get(pathOf(''), stranger)).status, 403)
  })

  it('show who may see them, to every role', async () => {
    const id = await opened()
    for (const name of ROLES) {
      const member = await join(`${name}@example.com`, role(console.workspace, name))
      for (const end of ['', `/${id}`]) assert.equal((await console.get(pathOf(end), member)).status, 200, `${name} ${end}`)
      assert.notInclude((await console.get(pathOf(`/${id}`), member)).text, '/resolve')
    }
    assert.equal((await console.get(pathOf(''))).status, 303)
    assert.include((await console.get(pathOf(`/${id}`), operator)).text, `${id}/resolve`)
  })

  it('are settled by operators alone, with a note', async () => {
    const id = await opened({ change: { state: 'unconfirmed', at: console.clock.at } })
    const settle = (form: Readonly<Record<string, string>>, cookie: string, workspace?: WorkspaceId) =>
      console.post(pathOf(`/${id}/resolve`, workspace), form, cookie)
    const good = { outcome: 'sent', note: 'seen at the platform' }
    for (const name of ROLES) {
      const member = await join(`${name}@example.com`, role(console.workspace, name))
      for (const form of [good, {}]) assert.equal((await settle(form, member)).status, 403, name)
    }
    const without = await settle({ outcome: 'not_sent', note: ' ' }, operator)
    assert.equal(without.status, 422)
    assert.include(without.text, 'how you know the outcome')
    const noOutcome = await settle({ note: 'typed before' }, operator)
    assert.equal(noOutcome.status, 422)
    assert.include(noOutcome.text, 'value="typed before"')
    assert.equal((await settle(good, operator, await console.newWorkspace())).status, 404)
    const settled = await settle(good, operator)
    assert.deepEqual([settled.status, settled.headers['location']], [303, pathOf(`/${id}`)])
    const { text: page } = await console.get(pathOf(`/${id}`), operator)
    for (const said of ['Money charged', 'seen at the platform', 'Accepted by the platform']) assert.include(page, said)
    assert.equal((await settle({ ...good, outcome: 'not_sent' }, operator)).status, 422)
    const noted = (await console.entries()).filter(({ act }) => act === 'message.resolve')
    assert.includeMembers(noted.map(({ outcome }) => outcome), ['done', 'refused'])
    assert.equal(noted.filter(({ outcome }) => outcome === 'done').length, 1)
  })
})
