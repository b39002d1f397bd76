import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import type { CustomerId, PhoneNumber } from '../../../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../../../core/kernel/ids.js'
import type { Currency } from '../../../../../core/kernel/money.js'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../../core/kernel/time.js'
import type { HoldReason } from '../../../../../core/messages/queue-holds.js'
import { type MessageId, messageIdOf } from '../../../../../core/messages/message.js'
import { senderIdOf } from '../../../../../core/senders/sender.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { done } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'
import { addNumber } from '../numbers/several-numbers.js'

const ANN = '4915123456789' as PhoneNumber
const PRICE = { micros: 46_200n, currency: 'USD' as Currency, category: 'utility' } as const
const NUMBER = senderIdOf('106540352242922')

describe('the page of the queue', () => {
  let console: OpenConsole
  let operator: string
  beforeEach(async () => {
    console = await openConsole()
    operator = await join('boss@example.com')
  })
  afterEach(() => console.close())

  const join = async (email: string, access?: Parameters<OpenConsole['join']>[1]): Promise<string> =>
    `postern_session=${(await console.join(email, access)).token}`
  const as = (name: 'owner' | 'developer' | 'viewer') => join(`${name}@example.com`, role(console.workspace, name))
  const pathOf = (end = '/queue', workspace: WorkspaceId = console.workspace): string => `/console/workspaces/${workspace}${end}`
  const queued = async (after: number, { to = ANN, workspace = console.workspace }: { to?: CustomerId; workspace?: WorkspaceId } = {}) => {
    const [id, at] = [messageIdOf(uuidv7()), console.clock.at]
    await done(console.storage.messageLog.open({
      id, workspace, at, price: PRICE, sender: NUMBER, message: { _tag: 'Text', to, text: 'Later' },
      queue: { dueAt: at + after, endsAt: at + after + DAY_MS },
    }))
    return id
  }
  const hold = (why: HoldReason = 'operator', workspace?: WorkspaceId) => done(console.storage.queueHolds.hold({
    since: console.clock.at, why, by: { type: 'system' }, note: 'a <wrong> price', ...(workspace !== undefined && { workspace }),
  }))
  const stateOf = async (id: MessageId): Promise<string | undefined> =>
    (await done(console.storage.messageLog.list(console.workspace, { limit: 100 }))).items.find((one) => one.id === id)?.state
  const shown = async (path = pathOf(), cookie = operator): Promise<string> => {
    const { status, text } = await console.get(path, cookie)
    assert.equal(status, 200, text)
    return text
  }
  /** The words of a page between its tags. */
  const wordsOf = (text: string): string => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  const rowsOf = (text: string): ReadonlyArray<string> => Array.from(text.matchAll(/<tr id="(msg_\w+)"/g), ([, id = '']) => id)

  it('of all workspaces is updated while it is open, for operators only', async () => {
    const watched = await console.watch('/console/queue', operator)
    await watched.shows('No message waits.')
    await queued(-MINUTE_MS)
    await watched.shows('class="state moving"')
    watched.close()
    assert.include(await shown('/console/queue'), 'hx-sse:connect="/console/queue"')
    assert.equal((await console.get('/console/queue', await as('owner'))).status, 403)
  })

  it('shows everyone of the workspace what waits by number, and the next messages in the order in which they leave', async () => {
    await addNumber(console, NUMBER, { verifiedName: 'Acme Support', displayNumber: '+49 30 23125142' })
    await done(console.storage.customers.learn(console.workspace, ANN, { _tag: 'Named', name: 'Ann', at: console.clock.at }))
    assert.include(await shown(), 'No message waits.')
    const later = await queued(DAY_MS)
    const [first, second] = [await queued(-30 * MINUTE_MS), await queued(-MINUTE_MS, { to: '4915123456780' as PhoneNumber })]
    await queued(-HOUR_MS, { workspace: await console.newWorkspace() })
    for (const name of ['owner', 'developer', 'viewer'] as const) {
      const text = await shown(pathOf(), await as(name))
      assert.deepEqual(rowsOf(text), [first, second, later], name)
      const words = wordsOf(text)
      for (const said of ['Waiting 2', 'Scheduled 1', 'Acme Support', 'Sending', 'unlimited', 'waits for a limit', 'Ann']) {
        assert.include(words, said, name)
      }
      assert.include(text, `href="${pathOf(`/messages/${first}`)}"`)
      assert.equal(text.includes(`action="${pathOf(`/messages/${first}/cancel`)}"`), name !== 'viewer', name)
      assert.notInclude(text, `action="${pathOf('/queue/hold')}"`, name)
    }
    assert.include(await shown(), `action="${pathOf('/queue/hold')}"`)
  })

  it('cancels a message for those who may, from the queue and from the page of the message, and never one that has left', async () => {
    const [one, two, gone] = [await queued(HOUR_MS), await queued(HOUR_MS), await queued(0)]
    const [developer, viewer] = [await as('developer'), await as('viewer')]
    const cancel = (id: MessageId, cookie: string, form = {}) => console.post(pathOf(`/messages/${id}/cancel`), form, cookie)
    assert.equal((await cancel(one, viewer)).status, 403)
    assert.equal(await stateOf(one), 'queued')
    const onQueue = await cancel(one, developer, { back: 'queue' })
    assert.include(onQueue.text, 'The message was canceled.')
    assert.include(onQueue.text, '<title>Queue')
    assert.include(await shown(pathOf(`/messages/${two}`), developer), `action="${pathOf(`/messages/${two}/cancel`)}"`)
    assert.notInclude(await shown(pathOf(`/messages/${two}`), viewer), 'Cancel message')
    const onMessage = await cancel(two, developer)
    assert.include(onMessage.text, '<title>Message')
    assert.deepEqual([await stateOf(one), await stateOf(two)], ['canceled', 'canceled'])
    assert.deepEqual((await console.entries()).filter(({ act }) => act === 'message.cancel').map(({ outcome }) => outcome), [
      'refused', 'done', 'done',
    ])
    await done(console.storage.messageQueue.claim({ workspace: console.workspace, message: gone }, console.clock.at))
    const late = await cancel(gone, developer)
    assert.equal(late.status, 422)
    assert.include(late.text, 'already left the queue, so it cannot be canceled. Its state is: pending.')
    assert.notInclude(await shown(pathOf(`/messages/${gone}`), developer), 'Cancel message')
    assert.equal((await cancel(`msg_${'0'.repeat(32)}` as MessageId, developer)).status, 404)
    assert.equal((await console.post(pathOf('/messages/nonsense/cancel'), {}, developer)).status, 404)
  })

  it('lets an operator hold the queue with a reason, which only operators see, and resume it', async () => {
    await queued(-MINUTE_MS)
    await queued(HOUR_MS)
    const refused = await console.post(pathOf('/queue/hold'), { note: ' ' }, operator)
    assert.equal(refused.status, 422)
    assert.match(refused.text, /<details class="more" open>[^]*Enter the reason, on one line/)
    const held = await console.post(pathOf('/queue/hold'), { note: 'a <wrong> price' }, operator)
    assert.include(wordsOf(held.text), 'The queue is held. No queued message is sent until it is resumed.')
    const own = await shown()
    assert.include(wordsOf(own), '2 messages wait. An operator holds the queue: a &lt;wrong> price. Look at what waits')
    assert.include(own, `<code>postern queue resume ${console.workspace}</code>`)
    assert.include(wordsOf(own), '1 message is sent from now on, as fast as the limits allow, and 1 at its time.')
    assert.notInclude(own, `action="${pathOf('/queue/hold')}"`)
    const [owner, viewer] = [await as('owner'), await as('viewer')]
    assert.include(wordsOf(await shown(pathOf(), owner)), 'Only an operator can resume it. Cancel the messages that should not be sent.')
    const theirs = await shown(pathOf(), viewer)
    assert.notInclude(theirs, 'wrong')
    assert.notInclude(theirs, 'Cancel the messages')
    assert.notInclude(theirs, pathOf('/queue/resume'))
    for (const act of ['hold', 'resume']) assert.equal((await console.post(pathOf(`/queue/${act}`), { note: 'x' }, owner)).status, 403)
    assert.include((await console.post(pathOf('/queue/resume'), {}, operator)).text, 'The queue is resumed.')
    assert.include((await console.post(pathOf('/queue/resume'), {}, operator)).text, 'The queue was not held.')
    assert.deepEqual(await done(console.storage.queueHolds.list()), [])
  })

  it('says on the overview, in the list of workspaces and on the page Health that a held start keeps messages, and since when', async () => {
    const places = [pathOf(''), '/console', '/console/health'] as const
    await queued(-MINUTE_MS)
    for (const place of places) assert.notInclude(await shown(place), 'queue is held', place)
    await hold('asleep')
    for (const place of places.slice(0, 2)) {
      const text = await shown(place)
      assert.match(wordsOf(text), /The queue is held since 2 Nov 2026, 00:00 \. 1 message waits\./, place)
      assert.notInclude(text, 'All well')
    }
    assert.include(await shown(pathOf('')), `href="${pathOf()}">Show queue`)
    assert.include(await shown('/console'), 'href="/console/queue">Show all queues')
    assert.include(wordsOf(await shown('/console/health')), 'the queue is held, and 1 message waits')
    const words = wordsOf(await shown())
    assert.include(words, 'The queues of all workspaces are held since')
    assert.include(words, 'No gateway had sent the queue for longer than HELD_START_HOURS')
    await console.post('/console/queue/resume', {}, operator)
    for (const place of places) assert.notInclude(await shown(place), 'queue is held', place)
  })

  it('has the queues of all workspaces for operators, who hold and resume all of them, or look at one that is held', async () => {
    const other = await console.newWorkspace()
    await queued(-MINUTE_MS)
    await queued(-HOUR_MS, { workspace: other })
    await hold('operator', other)
    const text = await shown('/console/queue')
    const order = [other, console.workspace].map((workspace) => text.lastIndexOf(`class="known" href="${pathOf('/queue', workspace)}"`))
    assert.isTrue((order[0] ?? -1) > 0 && (order[0] ?? 0) < (order[1] ?? 0), 'the longest wait first')
    assert.include(wordsOf(text), 'The queue of Acme is held')
    assert.include(text, `<code>postern queue resume ${other}</code>`)
    assert.equal((await console.post('/console/queue/hold', { note: '' }, operator)).status, 422)
    await console.post('/console/queue/hold', { note: 'all' }, operator)
    const held = await shown('/console/queue')
    assert.include(held, '<code>postern queue resume</code>')
    assert.include(wordsOf(held), '2 messages are sent from now on, as fast as the limits allow, and 0 at their times. Holds of single')
    assert.include((await console.post('/console/queue/resume', {}, operator)).text, 'The queue is resumed.')
    assert.deepEqual((await done(console.storage.queueHolds.list())).map(({ workspace }) => workspace), [other])
    const owner = await as('owner')
    assert.equal((await console.get('/console/queue', owner)).status, 403)
    for (const act of ['hold', 'resume']) assert.equal((await console.post(`/console/queue/${act}`, { note: 'x' }, owner)).status, 403)
  })

  it('is updated while it is open, for those who may cancel and for those who may not', async () => {
    const [first, viewer] = [await queued(HOUR_MS), await as('viewer')]
    const [own, theirs] = [await console.watch(pathOf(), operator), await console.watch(pathOf(), viewer)]
    try {
      await Promise.all([own.shows(`/messages/${first}/cancel`), theirs.shows(`id="${first}"`)])
      const second = await queued(2 * HOUR_MS)
      await Promise.all([own.shows(`/messages/${second}/cancel`), theirs.shows(`id="${second}"`)])
    } finally {
      own.close()
      theirs.close()
    }
  })

  it('is in the navigation and the palette, each with its keys; without a queue there is no such page', async () => {
    const keys = async (path: string) => /href="([^"]+)"[^>]*data-keys="g q"/.exec((await console.get(path, operator)).text)?.[1]
    assert.equal(await keys(`${pathOf('/palette')}?q=%3F`), pathOf())
    assert.equal(await keys('/console/palette?q=queue'), '/console/queue')
    assert.include(await shown(pathOf('')), `href="${pathOf()}"`)
    await console.close()
    console = await openConsole({ uses: { queue: undefined } })
    operator = await join('boss@example.com')
    await queued(HOUR_MS)
    for (const path of [pathOf(), '/console/queue']) assert.equal((await console.get(path, operator)).status, 404)
    for (const end of ['', '/messages', `/customers/${ANN}`]) assert.notInclude(await shown(pathOf(end)), pathOf(), end)
    await shown('/console/health')
  })

  it('is where lists, a conversation and a message take from when a queued message leaves, or what it waits for', async () => {
    const message = await queued(HOUR_MS)
    const ends = ['/messages', '', `/customers/${ANN}`, `/messages/${message}`]
    const leaving = new Date(console.clock.at + HOUR_MS).toISOString()
    for (const end of ends) {
      assert.match(await shown(pathOf(end)), new RegExp(`leaves <time dateTime="${leaving}"`, 'i'), end)
    }
    assert.match(wordsOf(await shown(pathOf(ends[3]))), /Not sent after 3 Nov 2026, 01:00/)
    console.clock.at += HOUR_MS
    for (const end of ends) assert.include(await shown(pathOf(end)), 'waits for a limit', end)
    await hold()
    for (const end of ends) assert.match(await shown(pathOf(end)), /class="soft why">held</, end)
  })
})
