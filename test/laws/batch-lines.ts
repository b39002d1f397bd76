import { type BatchRef, type Count, CUSTOMER_ERASED, type NewLine, type StoredLine } from '../../core/batches/batch.js'
import type { CustomerDigest, CustomerId } from '../../core/customers/customer.js'
import type { JsonObject } from '../../core/kernel/json.js'
import type { Instant } from '../../core/kernel/time.js'
import type { MessageId, MessageState } from '../../core/messages/message.js'
import type { ForgetStep } from '../../core/privacy.js'
import { type AtRest, longWordsIn } from './at-rest.js'
import {
  type BatchesFixture, confirmed, linesFrom, nodeOf, numbersOf, openBatches, problematic, rated, shown, UPLOAD,
} from './batches-fixture.js'
import { done, holds, refused, same } from './expect.js'
import { LONG_NUMBERS, longAgo, newBatchId, newMessageId, newName, newPhoneNumber, newPlatformId, newUserId, times } from './ids.js'
import type { Law } from './law.js'
import { NOON } from './message-fixture.js'

const ODD_TEXTS = ['🙂 ü ﷽', 'a\u0000b', '\ud800 half', 'عربى', '日本語\n\t"\\\'', '', ' spaces ', 'é']

/** The promises of every `Batches` about the lines of batches. */
export const batchLinesLaws: ReadonlyArray<Law<BatchesFixture>> = [
  {
    name: 'lines come back as they were given, in the order of their numbers, with every character of their contents',
    check: async (fixture) => {
      const { filled, read } = await openBatches(fixture)
      const lines = ODD_TEXTS.map((text, index): NewLine => ({
        line: 1_000 - index * 100, to: index === 0 ? newUserId() : newPhoneNumber(),
        content: {
          components: [{ type: 'body', parameters: [{ type: 'text', text, ...LONG_NUMBERS }] }], metadata: { note: text },
          timezone: 'Europe/Berlin',
        },
      }))
      const others = [
        { line: 2, to: '', problem: 'invalid_line' }, { line: 3, to: '٣ no id 🙂'.padEnd(255, 'x'), content: {} },
        { line: 4, to: newPhoneNumber() },
      ]
      const of = await filled([...lines, ...others])
      const wanted = [...lines, ...others].sort((a, b) => a.line - b.line)
      same('all lines', JSON.stringify(await read(of)), JSON.stringify(wanted))
      same('the first two', numbersOf(await read(of, { limit: 2 })), [2, 3])
      same('those after a line', numbersOf(await read(of, { after: 899, limit: 1 })), [900])
      const hostile = await filled(ODD_TEXTS.map((to, line) => ({ line, to })))
      same('lines to what no customer is', numbersOf(await read(hostile, { after: -1 })), ODD_TEXTS.map((_, line) => line))
    },
  },
  {
    name: 'a line that exists stays as it is, and uploads stay apart',
    check: async (fixture) => {
      const { batches } = fixture
      const { filled, read, check, counts } = await openBatches(fixture)
      const [first, second] = [{ line: 2, to: newPhoneNumber() }, { line: 3, to: newPhoneNumber(), content: { metadata: { a: 'b' } } }]
      const of = await filled([first, second])
      const again = [{ line: 2, to: newPhoneNumber(), content: {} }, { line: 3, to: newPhoneNumber() }, { line: 4, to: newPhoneNumber() }]
      await Promise.all(times(4, (index) => done('lines are added again', nodeOf(fixture, index).append(of, UPLOAD, again))))
      await done('lines of another upload', batches.append(of, UPLOAD + 1, [{ line: 2, to: '1' }]))
      same('the lines', await read(of), [first, second, ...again.slice(2)])
      await check(of, [problematic(2)])
      same('the other upload', await read(of, {}, UPLOAD + 1), [{ line: 2, to: '1' }])
      same('the counts', [(await counts(of)).lines, (await counts(of, UPLOAD + 1)).lines, (await counts(of, 5)).lines], [3, 1, 0])
    },
  },
  {
    name: 'no line is added to a batch that is not a draft or does not exist',
    check: async (fixture) => {
      const { batches } = fixture
      const { filled, change, read, workspace } = await openBatches(fixture)
      const of = await filled(1)
      await change(of, ['draft'], { state: 'confirmed' })
      const unknown = { workspace, batch: newBatchId(NOON) }
      for (const one of [of, unknown]) await done('lines are added', batches.append(one, UPLOAD, linesFrom(5, 1)))
      same('the lines', [numbersOf(await read(of)), await read(unknown)], [[2], []])
    },
  },
  {
    name: 'the lines of other uploads are removed, at most as many as are wanted',
    check: async (fixture) => {
      const { batches } = fixture
      const { filled, read } = await openBatches(fixture)
      const of = await filled(2)
      const bystander = await filled(2)
      const uploads = [UPLOAD - 1, UPLOAD + 1, 8_999_999_999_999_999]
      for (const upload of uploads) {
        await done('lines are added', batches.append(of, upload, linesFrom(2, 2).map((line) => ({ ...line, content: {} }))))
      }
      const remove = (limit: number) => done('lines are removed', batches.removeOthers(of, UPLOAD, limit))
      same('how many are removed', [await remove(3), await remove(100), await remove(100)], [3, 3, 0])
      same('the lines', [numbersOf(await read(of)), numbersOf(await read(bystander))], [[2, 3], [2, 3]])
      for (const upload of uploads) same('other lines', await read(of, {}, upload), [])
    },
  },
  {
    name: 'a later check replaces an earlier one, and changes nothing else',
    check: async (fixture) => {
      const { filled, read, check } = await openBatches(fixture)
      const [one, two, three] = [newPhoneNumber(), newPhoneNumber(), newPhoneNumber()]
      const of = await filled([
        { line: 2, to: one }, { line: 3, to: two }, { line: 4, to: three },
        { line: 5, to: 'x', problem: 'invalid_line', content: { timezone: 'UTC' } },
      ])
      const rate = { micros: 9_007_199_254_740_993n, category: 'marketing', cost: 5n, market: 'default' } as const
      same('a check of a draft', await check(of, [{ line: 2, rate }, problematic(3), rated(5, 0n), rated(77)]), true)
      same('a check of no line', await check(of, []), true)
      same('after the first', await read(of), [
        { line: 2, to: one, rate }, { line: 3, to: two, problem: 'invalid_recipient' }, { line: 4, to: three },
        { line: 5, to: 'x', content: { timezone: 'UTC' }, rate: { micros: 0n, category: 'marketing' } },
      ])
      await check(of, [problematic(2, 'customer_opted_out'), rated(3, 4n)])
      same('after the second', (await read(of)).slice(0, 2), [
        { line: 2, to: one, problem: 'customer_opted_out' }, { line: 3, to: two, rate: { micros: 4n, category: 'marketing' } },
      ])
    },
  },
  {
    name: 'once a batch is not a draft any more, no check writes, not even a concurrent one',
    check: async (fixture) => {
      const { filled, read, check, change } = await openBatches(fixture)
      const of = await filled(20)
      await check(of, times(20, (index) => rated(index + 2, 1n)))
      let left: ReadonlyArray<StoredLine> = []
      const checks = times(8, (index) => done('a check', nodeOf(fixture, index).noteChecked(
        of, UPLOAD, times(20, (line) => rated(line + 2, BigInt(index + 2))),
      )))
      const changing = change(of, ['draft'], { state: 'confirmed' }).then(async () => { left = await read(of) })
      await Promise.all([...checks, changing])
      same('the lines', await read(of), left)
      same('a check', await check(of, [problematic(2)]), false)
      same('the lines after it', await read(of), left)
    },
  },
  {
    name: 'concurrent calls assign one message to each line, and each call returns the lines that it assigned',
    check: async (fixture) => {
      const { filled, read, check, assign } = await openBatches(fixture)
      const of = await filled(60)
      const numbers = times(60, (index) => index + 2)
      await check(of, numbers.map((line) => rated(line)))
      const calls = await Promise.all(times(6, (index) => assign(of, index % 3 === 0 ? numbers.toReversed() : numbers.slice(index), index)))
      same('the lines that were assigned', calls.flatMap(({ given }) => given).sort((a, b) => a - b), numbers)
      const messages = new Map(calls.flatMap(({ assignments, given }) =>
        assignments.filter(({ line }) => given.includes(line)).map(({ line, message }) => [line, message])))
      same('their messages', (await read(of)).map(({ line, message }) => [line, message]), [...messages].sort(([a], [b]) => a - b))
    },
  },
  {
    name: 'only a line with a rate and without a message gets one, and lines are read by what they wait for',
    check: async (fixture) => {
      const { filled, read, check, assign, change } = await openBatches(fixture)
      const of = await filled(6)
      await check(of, [rated(2), rated(3), rated(4), problematic(5), rated(6)])
      const shows = async (promise: string, sendable: ReadonlyArray<number>, assigned: ReadonlyArray<number>) => same(
        promise, [numbersOf(await read(of, { only: 'sendable' })), numbersOf(await read(of, { only: 'assigned' }))], [sendable, assigned],
      )
      await change(of, ['draft'], { state: 'sending' })
      await shows('before', [2, 3, 4, 6], [])
      const { assignments, given } = await assign(of, [2, 3, 5, 7, 99])
      same('the lines that got a message', given, [2, 3])
      await shows('after the first', [4, 6], [2, 3])
      same('what is given again', (await assign(of, [3, 2, 4])).given, [4])
      await done('messages are noted', fixture.batches.noteOpened(of, UPLOAD, [3, 5, 6]))
      await shows('after messages exist', [6], [2, 4])
      same('messages that exist', (await read(of)).map(({ message, isOpened }) => [message, isOpened]), [
        [assignments[0]?.message, undefined], [assignments[1]?.message, true],
        [(await read(of, { after: 3, limit: 1 }))[0]?.message, undefined], ...times(3, () => [undefined, undefined]),
      ])
      const assigned = async (query: object) => numbersOf(await read(of, { only: 'assigned', ...query }))
      same('a part of them', [await assigned({ after: 2 }), await assigned({ limit: 1 })], [[4], [2]])
    },
  },
  {
    name: 'lines that have neither a message nor a problem end with one, and the others stay as they are',
    check: async (fixture) => {
      const { filled, read, check, assign } = await openBatches(fixture)
      const [of, bystander] = [await filled(5), await filled(1)]
      await check(of, [rated(2), rated(3), rated(4), problematic(5)])
      await assign(of, [2, 3])
      await done('a message is noted', fixture.batches.noteOpened(of, UPLOAD, [3]))
      const before = await read(of)
      await done('lines end', fixture.batches.endUnsent(of, UPLOAD, 'queue_expired'))
      const ended = ({ rate: _rate, ...line }: StoredLine): StoredLine => ({ ...line, problem: 'queue_expired' })
      same('the lines', await read(of), before.map((line) => (line.line === 4 || line.line === 6 ? ended(line) : line)))
      same('another batch', (await read(bystander))[0]?.problem, undefined)
    },
  },
  {
    name: 'lines are counted by their problems, by the states that their messages have now, with the sums of their prices, and by the codes of failures',
    check: async (fixture) => {
      const { filled, check, assign, counts, opened, apply } = await openBatches(fixture)
      const of = await filled(10)
      same('before a check', shown(await counts(of)), { lines: 10, unsent: { lines: 0, micros: 0n }, problems: {}, states: {} })
      await check(of, [
        ...times(6, (index) => rated(index + 2, 10n ** BigInt(index))), problematic(8), problematic(9), problematic(10, 'other'),
      ])
      const problems = { invalid_recipient: 2, other: 1 }
      same('after a check', shown(await counts(of)), { lines: 10, unsent: { lines: 6, micros: 111_111n }, problems, states: {} })
      const { assignments } = await assign(of, [2, 3, 4, 5])
      same('after messages were assigned', (await counts(of)).unsent, { lines: 6, micros: 111_111n })
      const [first, second, third] = assignments.map(({ message }) => message)
      for (const id of [first, second, third]) await opened({ ...(id && { id }) })
      const states = async (promise: string, wanted: Partial<Record<MessageState, Count>>) =>
        same(promise, shown(await counts(of)), { lines: 10, unsent: { lines: 3, micros: 111_000n }, problems, states: wanted })
      await states('after messages were opened', { pending: { lines: 3, micros: 111n } })
      const move = async (id: MessageId | undefined, state: 'accepted' | 'delivered' | 'refused') => {
        await apply(id ?? newMessageId(NOON), { state, at: NOON + 1, ...(state === 'accepted' && { platformId: newPlatformId() }) })
      }
      await move(first, 'accepted')
      await move(second, 'refused')
      await move(third, 'accepted')
      await move(third, 'delivered')
      await states('after messages have moved', {
        accepted: { lines: 1, micros: 1n }, delivered: { lines: 1, micros: 100n }, refused: { lines: 1, micros: 10n },
      })
      same('a refusal without an error', [...(await counts(of)).failures], [['unknown', 1]])
    },
  },
  {
    name: 'failed and refused messages of lines are counted by the codes of their errors, and no others',
    check: async (fixture) => {
      const { filled, check, assign, counts, opened, apply } = await openBatches(fixture)
      const errors: ReadonlyArray<JsonObject> = [
        { code: 131_026, title: 'x "code": "7" \u0000\\' }, { message: '\\"code":5', code: '131026', error_data: { details: 'y' } },
        { code: 'queue_expired', message: 'Its time to be sent had passed' }, { message: 'Without a code' }, { code: 'not ours' },
        { title: 'z', code: 131_049 },
      ]
      const of = await filled(errors.length)
      await check(of, errors.map((_, index) => rated(index + 2)))
      const { assignments } = await assign(of, errors.map((_, index) => index + 2))
      for (const [index, error] of errors.entries()) {
        const { id } = await opened({ id: assignments[index]?.message ?? newMessageId(NOON) })
        await apply(id, { state: 'accepted', at: NOON + 1, platformId: newPlatformId() })
        if (index < 5) await apply(id, { state: 'failed', at: NOON + 2, error })
      }
      const { failures, states } = await counts(of)
      const codes = [...failures].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
      same('the codes', codes, [[131_026, 2], ['queue_expired', 1], ['unknown', 2]])
      same('the states', [...states].map(([state, { lines }]) => [state, lines]).sort(), [['accepted', 1], ['failed', 5]])
    },
  },
  {
    name: 'the last messages that have left are those of the highest lines that are neither queued nor pending',
    check: async (fixture) => {
      const { filled, check, assign, opened, apply } = await openBatches(fixture)
      const of = await filled(8)
      await check(of, times(8, (index) => rated(index + 2)))
      const { assignments } = await assign(of, [2, 3, 4, 5, 6, 7])
      const ids = assignments.map(({ message }) => message)
      for (const id of ids.slice(0, 5)) await opened({ id })
      for (const id of ids.slice(0, 4)) await apply(id, { state: 'accepted', at: NOON + 1, platformId: newPlatformId() })
      await done('messages are noted', fixture.batches.noteOpened(of, UPLOAD, [2, 4, 5, 6]))
      const last = (limit: number) => done('the last messages', fixture.batches.lastSent(of, UPLOAD, limit))
      same('all of them', await last(100), ids.slice(0, 4).toReversed())
      same('two of them', await last(2), ids.slice(2, 4).toReversed())
    },
  },
  {
    name: 'contents of batches that ended before a time are deleted, at most as many as are wanted, and no others, and the batches say so',
    check: async (fixture) => {
      const { batches } = fixture
      const { filled, change, found, read } = await openBatches(fixture)
      const at = longAgo()
      const lines = linesFrom(2, 3).map((line): NewLine => ({ ...line, content: { metadata: { of: line.to } } }))
      const [old, later, draft] = [await filled([...lines, { line: 9, to: newPhoneNumber() }]), await filled(lines), await filled(lines)]
      await done('lines of another upload', batches.append(old, UPLOAD + 1, lines))
      await change(old, ['draft'], { state: 'canceled', endedAt: at })
      await change(later, ['draft'], { state: 'canceled', endedAt: at + 1 })
      const withContents = async (of: BatchRef, upload = UPLOAD) =>
        (await read(of, {}, upload)).filter(({ content }) => content !== undefined).length
      const forget = (limit: number) => done('contents are deleted', batches.forgetContents(at + 1, limit))
      const empty = await filled(3)
      await change(empty, ['draft'], { state: 'canceled', endedAt: at })
      const part = await forget(2)
      same('after a part of them', (await found(old))?.contentsDeleted, true)
      same('how many', [part, await forget(100), await forget(100)], [2, 4, 0])
      same('a batch without contents', (await found(empty))?.contentsDeleted, undefined)
      const left = [await withContents(old), await withContents(old, UPLOAD + 1), await withContents(later), await withContents(draft)]
      same('those that are left', left, [0, 0, 3, 3])
      same('the lines', (await read(old)).map(({ to }) => to).slice(0, 3), lines.map(({ to }) => to))
      const isDeleted = async (of: BatchRef) => (await found(of))?.contentsDeleted ?? false
      same('which batches say so', [await isDeleted(old), await isDeleted(later), await isDeleted(draft)], [true, false, false])
    },
  },
  {
    name: 'the lines of an erased person lose the id and the content, and those without a message are not sent',
    check: async (fixture) => {
      const { batches, personalData } = fixture
      const { filled, check, read, assign, opened, apply, counts, workspace } = await openBatches(fixture)
      const [number, userId, other] = [newPhoneNumber(), newUserId(), newPhoneNumber()]
      const content = { metadata: { a: 'b' } }
      const of = await filled([
        { line: 2, to: number, content }, { line: 3, to: `+${number.slice(0, 3)} ${number.slice(3)}`, content },
        { line: 4, to: userId, content }, { line: 5, to: other, content }, { line: 6, to: number, content },
      ])
      await check(of, [rated(2), rated(4), rated(5), problematic(6)])
      const { assignments: [assigned] } = await assign(of, [2])
      const { id } = await opened({ ...(assigned && { id: assigned.message }), message: { _tag: 'Text', to: number, text: 'hi' } })
      await apply(id, { state: 'accepted', at: NOON + 1, platformId: newPlatformId() })
      await done('the message is noted', batches.noteOpened(of, UPLOAD, [2]))
      const kept = (await read(of)).filter(({ line }) => line === 5)
      await done('the person is erased', personalData.erase(workspace, [{ phoneNumber: number, userId }]))
      const digest = (one: CustomerId): Promise<CustomerDigest> => done('a digest', personalData.digestOf(workspace, one))
      const [ofNumber, ofUser] = [await digest(number), await digest(userId)]
      same('the lines', await read(of), [
        { line: 2, to: ofNumber, rate: { micros: 2_000n, category: 'marketing' }, message: id, isOpened: true },
        { line: 3, to: ofNumber, problem: CUSTOMER_ERASED }, { line: 4, to: ofUser, problem: CUSTOMER_ERASED }, ...kept,
        { line: 6, to: ofNumber, problem: 'invalid_recipient' },
      ])
      same('what can be sent', numbersOf(await read(of, { only: 'sendable' })), [5])
      same('the number of lines', (await counts(of)).lines, 5)
    },
  },
  {
    name: 'a person is not erased as long as a message that was assigned to a line may be opened',
    check: async (fixture) => {
      const { batches, personalData } = fixture
      const { filled, check, read, change, assign, workspace, draft } = await openBatches(fixture)
      const number = newPhoneNumber()
      const of = await filled([{ line: 2, to: number, content: {} }])
      await check(of, [rated(2)])
      await change(of, ['draft'], { state: 'sending', confirmed: confirmed(draft().price.currency) })
      await assign(of, [2])
      const erase = () => personalData.erase(workspace, [{ phoneNumber: number }])
      same('how many messages prevent it', (await refused('an erasure', 'MessagesUnderWay', erase())).count, 1)
      same('the line', (await read(of)).map(({ to, content }) => [to, content]), [[number, {}]])
      await done('it is settled', batches.change({ ...of, from: ['sending'], set: { state: 'canceled', endedAt: NOON, settledAt: NOON } }))
      await done('the person is erased', erase())
      same('the line after it', (await read(of)).map(({ to, content }) => [to === number, content]), [[false, undefined]])
    },
  },
  {
    name: 'the recipients of batches that ended and of drafts that were created before a time are forgotten, step by step, and no others',
    check: async (fixture) => {
      const { batches, personalData } = fixture
      const { create, change, check, read, assign, opened, apply, workspace } = await openBatches(fixture)
      const [at, number] = [longAgo(), newPhoneNumber()]
      const lines = [...linesFrom(2, 2), { line: 4, to: number, content: {} }, { line: 5, to: `${newName()} 🙂`, content: {} }]
      const make = async (createdAt: Instant): Promise<BatchRef> => {
        const of = { workspace, batch: (await create({ createdAt, upload: UPLOAD })).id }
        await done('lines are added', batches.append(of, UPLOAD, lines))
        await check(of, [rated(2), rated(3), rated(4), problematic(5)])
        return of
      }
      const [ended, draft, later, running] = [await make(at), await make(at), await make(at), await make(at)]
      const { assignments } = await assign(ended, [2, 3])
      for (const { message } of assignments) await opened({ id: message })
      await apply(assignments[0]?.message ?? newMessageId(NOON), { state: 'refused', at: NOON })
      await change(ended, ['draft'], { state: 'done', endedAt: at })
      await change(later, ['draft'], { state: 'done', endedAt: at + 1 })
      await change(running, ['draft'], { state: 'sending' })
      const forget = async (): Promise<number> => {
        let [count, cursor]: [number, string | undefined] = [0, undefined]
        do {
          const query = { before: at + 1, limit: 3, ...(cursor !== undefined && { cursor }) }
          const step: ForgetStep = await done('a step', personalData.forgetBefore(query))
          count += step.forgotten.messages
          cursor = step.next
        } while (cursor !== undefined)
        return count
      }
      const kept = async (of: BatchRef) => (await read(of)).filter(({ to }) => lines.some((line) => line.to === to)).map(({ line }) => line)
      const first = await forget()
      holds('each recipient without a message is counted', first >= 6, first)
      same('what is forgotten again', await forget(), 0)
      same('the line of a message whose outcome is unknown is left', await kept(ended), [3])
      same('the recipients of the others', [await kept(draft), await kept(later), await kept(running)], [[], [2, 3, 4, 5], [2, 3, 4, 5]])
      same('the digest', (await read(ended))[2]?.to, await done('a digest', personalData.digestOf(workspace, number)))
      same('what can be sent of the draft', await read(draft, { only: 'sendable' }), [])
      same('its contents', (await read(draft)).filter(({ content }) => content !== undefined), [])
    },
  },
]

/** The promises of every `Batches` about its stored data. */
export const batchesAtRestLaws: ReadonlyArray<Law<BatchesFixture & AtRest>> = [
  {
    name: 'the content of a line cannot be read where it is stored, and its encrypted form is gone once it is deleted',
    check: async (fixture) => {
      const { filled, change } = await openBatches(fixture)
      const [text, note, at] = [newName(), newName(), longAgo()]
      const before = new Set(longWordsIn(await fixture.atRest()))
      const of = await filled([{
        line: 2, to: newPhoneNumber(),
        content: { components: [{ type: 'body', parameters: [{ type: 'text', text }] }], metadata: { note } },
      }])
      const stored = await fixture.atRest()
      const contents = longWordsIn(stored).filter((word) => !before.has(word))
      holds('the id can be read', stored.includes(of.batch), of.batch)
      same('a text can be read', [text, note].filter((one) => stored.includes(one)), [])
      await change(of, ['draft'], { state: 'canceled', endedAt: at })
      await done('contents are deleted', fixture.batches.forgetContents(at + 1, 1_000))
      const after = await fixture.atRest()
      same('what is left of the content', contents.filter((word) => after.includes(word)), [])
    },
  },
]
