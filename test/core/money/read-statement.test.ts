import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { openSandbox } from '../../../adapters/memory/index.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { portFailure } from '../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { PageQuery } from '../../../core/kernel/page.js'
import type { Currency } from '../../../core/kernel/money.js'
import { DAY_MS } from '../../../core/kernel/time.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { errorCodeOf } from '../../../core/messages/own-errors.js'
import { presentBuckets } from '../../../core/messages/statistics.js'
import { makeListKeys, makeListMonths, makeReportSpend, templateCsvLines, TEMPLATES_CSV_HEADER } from '../../../core/money/use-cases.js'
import { makeReadStatement } from '../../../core/money/statement.js'
import { makeSending } from '../../../core/postern.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { gateway, TEXT_PRICE } from '../gateway.js'

const CUSTOMER = '4915123456789' as PhoneNumber

describe('A statement read with filters', () => {
  it('has the entries of a kind alone, page by page', async () => {
    const { workspace, ledger } = await openSandbox()
    for (const reference of ['a', 'b', 'c']) rightOf(await ledger.topUp({ workspace, micros: 1n, reference, at: Date.now() }))
    rightOf(await ledger.adjust({ workspace, micros: -1n, reference: 'x', note: 'typed wrong', at: Date.now() }))
    const read = makeReadStatement({ ledger })
    const first = rightOf(await read(workspace, { limit: 2, kind: 'top_up' }))
    assert.deepEqual(first.items.map(({ reference }) => reference), ['c', 'b'])
    const second = rightOf(await read(workspace, { limit: 2, kind: 'top_up', cursor: first.next ?? assert.fail('there is no next page') }))
    assert.equal(second.items[0]?.reference, 'a')
    assert.deepEqual(rightOf(await read(workspace, { limit: 5, kind: 'adjustment' })).items.map(({ note }) => note), ['typed wrong'])
  })

  it('has the entries of a time alone', async () => {
    const { workspace, ledger } = await openSandbox()
    const read = makeReadStatement({ ledger })
    const count = async (since: number, until: number) => rightOf(await read(workspace, { limit: 9, since, until })).items.length
    const now = Date.now()
    assert.deepEqual(
      [await count(now - DAY_MS, now + DAY_MS), await count(now - DAY_MS, now - DAY_MS / 2), await count(now + DAY_MS / 2, now + DAY_MS)],
      [1, 0, 0],
    )
  })

  it('has the entries of the messages of one sender alone, and no top-up', async () => {
    const gw = await gateway()
    const messages = [await done(gw.sendText()), await done(gw.sendText())]
    const read = makeReadStatement(gw.deps)
    const of = async (...ids: ReadonlyArray<string>) => rightOf(await read(gw.workspace, {
      limit: 9, sender: { ids: ids.map(senderIdOf), orNone: false },
    })).items.map(({ kind, message }) => [kind, message])
    const ids = messages.map(({ id }) => id).toReversed()
    assert.sameDeepMembers<unknown>(await of('106540352242922', gw.phoneNumberId), ids.flatMap((id) => [['capture', id], ['hold', id]]))
    assert.deepEqual(await of('106540352242922'), [])
  })

  it('has the entries of messages without a sender, if they are wanted, and of no top-up', async () => {
    const { workspace, wallet, ledger } = await openSandbox()
    const amount = { micros: 1n, currency: 'USD' as Currency }
    await done(wallet.hold({ workspace, message: messageIdOf(crypto.randomUUID()), amount, at: Date.now() }))
    const read = async (orNone: boolean) =>
      (await done(makeReadStatement({ ledger })(workspace, { limit: 9, sender: { ids: [], orNone } }))).items.map(({ kind }) => kind)
    assert.deepEqual([await read(true), await read(false)], [['hold'], []])
  })

  it('has no entry of a message that the wallet or the limit of a key refused, because no money moved', async () => {
    const gw = await gateway({ balance: TEXT_PRICE })
    const read = async () => rightOf(await makeReadStatement(gw.deps)(gw.workspace, { limit: 9 })).items.map(({ kind }) => kind)
    const limited = { id: 'key_1', spendingLimit: TEXT_PRICE - 1n }
    assert.equal(leftOf(await gw.sendText({ key: limited }))._tag, 'SpendingLimitReached')
    assert.equal(leftOf(await gw.sendTemplate())._tag, 'InsufficientBalance')
    const codes = (await gw.messages()).map(({ error }) => errorCodeOf(error))
    assert.deepEqual(codes, ['spending_limit_reached', 'insufficient_balance'])
    assert.deepEqual(await read(), ['top_up'])
    rightOf(await gw.sendText())
    assert.deepEqual(await read(), ['capture', 'hold', 'top_up'])
  })

  it('reads a bounded number of entries, returns where the next read continues, and finds older entries', async () => {
    const { workspace, ledger } = await openSandbox()
    rightOf(await ledger.adjust({ workspace, micros: -1n, reference: 'x', note: 'long ago', at: Date.now() }))
    for (let index = 0; index < 2_100; index += 1) {
      rightOf(await ledger.topUp({ workspace, micros: 1n, reference: `r${index}`, at: Date.now() }))
    }
    let reads = 0
    const counted = { statement: (...of: Parameters<typeof ledger.statement>) => { reads += 1; return ledger.statement(...of) } }
    const read = makeReadStatement({ ledger: counted })
    const first = rightOf(await read(workspace, { limit: 5, kind: 'adjustment' }))
    assert.deepEqual([first.items.length, reads], [0, 10])
    const second = rightOf(
      await read(workspace, { limit: 5, kind: 'adjustment', cursor: first.next ?? assert.fail('the look does not go on') }),
    )
    assert.deepEqual([second.items.map(({ note }) => note), second.next], [['long ago'], undefined])
  })
})

describe('The report of spend', () => {
  it('adds up charged messages by category and market, highest amount first', async () => {
    const sandbox = await openSandbox({ customers: [CUSTOMER] })
    const { workspace } = sandbox
    const { sendText, sendTemplate } = makeSending(sandbox, sandbox)
    const first = rightOf(await sandbox.keyStore.mint({ workspace, name: 'shop', at: Date.now(), scopes: ['send'] }))
    const second = rightOf(await sandbox.keyStore.rotate(first.id, { at: Date.now(), overlapMs: 1_000 }))
    for (const { id } of [first, second]) rightOf(await sendText({ workspace, to: CUSTOMER, text: 'a', key: { id } }))
    rightOf(await sendTemplate({ workspace, to: '14155550100' as PhoneNumber, name: 'birthday' }))
    const report = async (moment: number) =>
      rightOf(await makeReportSpend({ ...sandbox, now: Date.now, marketOf: (to) => to.slice(0, 2) })(workspace, moment))
    assert.deepEqual((await report(Date.now() - DAY_MS)).categories, [], 'nothing is rolled up yet')
    for (const { start } of presentBuckets(Date.now())) rightOf(await sandbox.messageStatistics.recount(workspace, '5m', start))
    const lately = await report(Date.now() - DAY_MS)
    assert.equal(lately.messages, 3)
    assert.isUndefined(lately.reachedBack)
    assert.deepEqual(lately.categories, [
      { category: 'service', messages: 2, micros: 60_000n },
      { category: 'marketing', messages: 1, micros: 30_000n },
    ])
    assert.deepEqual(
      lately.shares.map(({ market, messages, micros }) => [market, messages, micros]), [['49', 2, 60_000n], ['14', 1, 30_000n]],
    )
    assert.deepEqual(lately.templates, [
      { template: undefined, messages: 2, micros: 60_000n },
      { template: 'birthday', messages: 1, micros: 30_000n },
    ])
    assert.deepEqual(
      lately.keys,
      [{ key: { id: first.id, name: 'shop' }, messages: 2, micros: 60_000n }, { key: undefined, messages: 1, micros: 30_000n }],
      'a key and the one it was rotated to are one',
    )
    const earlier = rightOf(await makeReportSpend({ ...sandbox, now: Date.now, marketOf: () => '49' })(
      workspace, Date.now() - 3 * DAY_MS, Date.now() - 2 * DAY_MS,
    ))
    assert.deepEqual([earlier.categories, earlier.shares, earlier.keys, earlier.messages], [[], [], [], 0])
    const tomorrow = await report(Date.now() + DAY_MS)
    assert.deepEqual([tomorrow.categories, tomorrow.shares], [[], []])
  })

  it('looks at 5,000 messages, and says how far back it reached', async () => {
    const sandbox = await openSandbox({ customers: [CUSTOMER] })
    const { workspace } = sandbox
    rightOf(await makeSending(sandbox, sandbox).sendText({ workspace, to: CUSTOMER, text: 'a' }))
    const { items: [sent] } = rightOf(await sandbox.messageLog.list(workspace, { limit: 1 }))
    let looked = 0
    const list = async (_workspace: WorkspaceId, { limit }: PageQuery) => {
      looked += limit
      return looked > 10_000
        ? E.left(portFailure('MessageLog')('the look has no end'))
        : E.right({ items: sent === undefined ? [] : [{ ...sent, createdAt: looked }], next: String(looked) })
    }
    const { messages, reachedBack } = rightOf(
      await makeReportSpend({ ...sandbox, messageLog: { list }, now: Date.now, marketOf: () => '49' })(workspace, 0),
    )
    assert.deepEqual([looked, messages, reachedBack], [5_000, 25, 5_000])
  })

  it('has in a CSV file what each template cost, and what the messages cost that were not looked at', () => {
    const [shares, keys, templates] = [
      [], [], [{ template: 'birthday', messages: 2, micros: 30n }, { template: undefined, messages: 1, micros: 10n }],
    ]
    const linesOf = (messages: number, reachedBack?: number) =>
      templateCsvLines(
        { categories: [{ category: 'utility', messages, micros: 45n }], shares, keys, templates, messages: 3, reachedBack },
        'EUR' as Currency,
      )
    const lines = ['birthday,2,0.000030,EUR\r\n', ',1,0.000010,EUR\r\n']
    assert.deepEqual(
      [TEMPLATES_CSV_HEADER, ...linesOf(4, 0)], ['template,messages,cost,currency\r\n', ...lines, '(not looked at),1,0.000005,EUR\r\n'],
    )
    for (const whole of [linesOf(4), linesOf(3, 0)]) assert.deepEqual(whole, lines)
  })
})

describe('What is read of a wallet', () => {
  it('fails if one of the ports that it is read from fails', async () => {
    const sandbox = await openSandbox()
    const { workspace, ledger, messageLog, messageStatistics, keyStore } = sandbox
    const deps = { ...sandbox, now: Date.now, marketOf: () => '49' }
    const noCounts = { ...deps, messageStatistics: { counts: failing(messageStatistics.counts) } }
    const noKeys = { ...deps, keyStore: { list: failing(keyStore.list) } }
    const reads: ReadonlyArray<Promise<E.Either<unknown, unknown>>> = [
      makeReadStatement({ ledger: { statement: failing(ledger.statement) } })(workspace, { limit: 1 }),
      makeReportSpend({ ...deps, messageLog: { list: failing(messageLog.list) } })(workspace, 0),
      makeReportSpend(noCounts)(workspace, 0), makeReportSpend(noKeys)(workspace, 0), makeListMonths(noCounts)(workspace),
      makeListKeys(noKeys)({ by: SYSTEM, workspace }),
      makeListKeys({ ...deps, ledger: { keySpending: failing(ledger.keySpending) } })({ by: SYSTEM, workspace }),
    ]
    for (const read of reads) assert.deepEqual(await read, E.left(DOWN))
  })
})
