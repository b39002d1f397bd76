import type { ConsentFact, Consents } from '../../core/consent/consent.js'
import type { CustomerId, PhoneNumber } from '../../core/customers/customer.js'
import { DAY_MS, type Instant, UTC_DAYS } from '../../core/kernel/time.js'
import type { SenderFilter } from '../../core/messages/message-log.js'
import type { MessageId, MessageState } from '../../core/messages/message.js'
import type { PersonalData } from '../../core/privacy.js'
import { type SenderId, senderIdOf } from '../../core/senders/sender.js'
import {
  ANSWERED_WITHIN_MS, type CustomerReply, type ResultCount, type ResultsQuery, type TemplateResults,
} from '../../core/templates/results.js'
import { done, same } from './expect.js'
import { newDigits, newMessageId, newPhoneNumber, newUserId, times } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, type MessageWorkspace, NOON, openMessageWorkspace } from './message-fixture.js'

/** Results over a message log, with the consents and the personal data of the same storage. */
export type TemplateResultsFixture = MessageLogFixture & {
  readonly templateResults: TemplateResults
  readonly consents: Consents
  readonly personalData: PersonalData
  /** The same storage as another gateway opens it, if there are several. */
  readonly elsewhere?: { readonly templateResults: TemplateResults }
}

const DAY = UTC_DAYS.startOf(NOON)
const OF_DAY = { from: DAY, to: DAY + DAY_MS }
const NAME = 'appointment_reminder'
const STATES: ReadonlyArray<MessageState> = [
  'pending', 'unconfirmed', 'refused', 'released', 'accepted', 'sent', 'failed', 'delivered', 'read', 'played',
]
/** A second after the platform's date, which has no milliseconds. */
const SECOND = Math.floor(NOON / 1_000) * 1_000

type NewMessage = {
  readonly at?: Instant
  readonly state?: MessageState
  readonly to?: CustomerId
  readonly name?: string
  readonly language?: string
  readonly sender?: SenderId
  readonly micros?: bigint
}

type Results = MessageWorkspace & {
  /** Sends a template message at a time, and moves it into a state; it is read by default. */
  readonly send: (one?: NewMessage) => Promise<MessageId>
  readonly counts: (query?: Partial<ResultsQuery>) => Promise<ReadonlyArray<ResultCount>>
  /** The number of messages that were replied to, and of those after which the customer opted out. */
  readonly answers: (query?: Partial<ResultsQuery>) => Promise<readonly [replied: number, optedOut: number]>
  readonly reply: (from: CustomerId, at: Instant, to?: SenderFilter) => Promise<void>
  readonly record: (id: CustomerId, fact: Partial<ConsentFact>) => Promise<void>
}

const SENDER = senderIdOf('106540352242922')
const ANY_SENDER: SenderFilter = { ids: [SENDER], orNone: true }

const openResults = async (fixture: TemplateResultsFixture): Promise<Results> => {
  const { templateResults, consents } = fixture
  const messages = await openMessageWorkspace(fixture)
  const { workspace, draft, opened, apply } = messages
  const counts: Results['counts'] = async (query) => {
    const read = await done('the counts are read', templateResults.counts(workspace, { template: NAME, ...OF_DAY, ...query }))
    return [...read].sort((a, b) => a.day - b.day || (a.state < b.state ? -1 : 1))
  }
  return {
    ...messages,
    send: async ({ at = NOON, state = 'read', to = newPhoneNumber(), name = NAME, language = 'en', sender, micros = 62_500n } = {}) => {
      const one = await opened({
        id: newMessageId(at), at, message: { _tag: 'Template', to, name, language }, price: { ...draft().price, micros },
        ...(sender !== undefined && { sender }),
      })
      if (state !== 'pending' && state !== 'queued') await apply(one.id, { state, at: at + 1 })
      return one.id
    },
    counts,
    answers: async (query) => {
      const read = await counts(query)
      return [read.reduce((sum, { replied }) => sum + replied, 0), read.reduce((sum, { optedOut }) => sum + optedOut, 0)]
    },
    reply: (from, at, to = ANY_SENDER) =>
      done('a reply is noted', templateResults.noteReply({ workspace, to, from: [{ id: from }], at })),
    record: async (id, fact) => {
      const full: ConsentFact = { topic: 'marketing', status: 'withdrawn', source: 'word', since: SECOND, ...fact }
      await done('a fact is recorded', consents.record(workspace, [{ ids: [id], fact: full }]))
    },
  }
}

/** The promises of every `TemplateResults`. */
export const templateResultsLaws: ReadonlyArray<Law<TemplateResultsFixture>> = [
  {
    name: 'the messages of a template are counted by day and state, with what they cost',
    check: async (fixture) => {
      const [results, others] = [await openResults(fixture), await openResults(fixture)]
      for (const [index, state] of STATES.entries()) {
        for (const day of [0, 2]) {
          await results.send({ at: NOON + day * DAY_MS + index, state, micros: BigInt(index) + 1_000_000_007n })
        }
      }
      await others.send()
      await results.send({ name: `${NAME}s` })
      await results.opened()
      const days = await results.counts({ to: DAY + 3 * DAY_MS })
      const none = { replied: 0, optedOut: 0 }
      const ofDay = (day: Instant) => [
        { day, state: 'accepted', messages: 1, micros: 1_000_000_011n, ...none },
        { day, state: 'delivered', messages: 1, micros: 1_000_000_014n, ...none },
        { day, state: 'failed', messages: 1, micros: 0n, ...none }, { day, state: 'pending', messages: 1, micros: 0n, ...none },
        { day, state: 'read', messages: 2, micros: 2_000_000_031n, ...none }, { day, state: 'refused', messages: 1, micros: 0n, ...none },
        { day, state: 'released', messages: 1, micros: 0n, ...none },
        { day, state: 'sent', messages: 1, micros: 1_000_000_012n, ...none },
        { day, state: 'unconfirmed', messages: 1, micros: 0n, ...none },
      ]
      same<unknown>('the counts', days, [...ofDay(DAY), ...ofDay(DAY + 2 * DAY_MS)])
      same('a template that was not sent', await results.counts({ template: 'appointment' }), [])
    },
  },
  {
    name: 'a message counts from the first millisecond of the period to the last, and in its language',
    check: async (fixture) => {
      const { send, counts } = await openResults(fixture)
      const [from, to] = [NOON + 5, NOON + DAY_MS + 5]
      for (const at of [from - 1, from, to - 1, to]) await send({ at })
      await send({ at: from, language: 'de' })
      const seen = async (language?: string) =>
        (await counts({ from, to, language })).map(({ day, messages }) => [(day - DAY) / DAY_MS, messages])
      same('every language', await seen(), [[0, 2], [1, 1]])
      same('English', await seen('en'), [[0, 1], [1, 1]])
      same('German', await seen('de'), [[0, 1]])
    },
  },
  {
    name: 'a reply counts for the latest template message that was sent in the 24 hours before it',
    check: async (fixture) => {
      const { send, reply, answers, opened } = await openResults(fixture)
      const to = newPhoneNumber()
      await send({ to, at: NOON - 5_000, language: 'de' })
      await send({ to, at: NOON, language: 'en' })
      await send({ to, at: NOON + 60_000, language: 'es' })
      await opened({ message: { _tag: 'Text', to, text: 'Hello' }, at: NOON + 1_000 })
      await reply(to, SECOND + 30_000)
      const seen = async () => [await answers({ language: 'de' }), await answers({ language: 'en' }), await answers({ language: 'es' })]
      same('before the last', await seen(), [[0, 0], [1, 0], [0, 0]])
      await reply(to, SECOND + 90_000)
      same('after the last', await seen(), [[0, 0], [1, 0], [1, 0]])
    },
  },
  {
    name: 'a reply in the same second as the message counts, and one after 24 hours does not',
    check: async (fixture) => {
      const { send, reply, answers } = await openResults(fixture)
      const times = [SECOND - 1_000, SECOND, NOON + ANSWERED_WITHIN_MS - 1, NOON + ANSWERED_WITHIN_MS]
      const seen: Array<number> = []
      for (const [index, at] of times.entries()) {
        const to = newPhoneNumber()
        await send({ to, language: `l${index}` })
        await reply(to, at)
        seen.push((await answers({ language: `l${index}` }))[0])
      }
      same('the replies', seen, [0, 1, 1, 0])
    },
  },
  {
    name: 'a message counts as replied once, however often and concurrently its reply is noted',
    check: async (fixture) => {
      const { send, reply, answers, workspace } = await openResults(fixture)
      const to = newPhoneNumber()
      await send({ to })
      const { templateResults } = fixture.elsewhere ?? fixture
      await Promise.all(times(4, (index) => [
        reply(to, SECOND + index * 1_000),
        done('a reply is noted elsewhere', templateResults.noteReply({ workspace, to: ANY_SENDER, from: [{ id: to }], at: SECOND })),
      ]).flat())
      await reply(to, SECOND + 9_000)
      same('the message', await answers(), [1, 0])
    },
  },
  {
    name: 'a reply counts for messages of its sender to an id of its customer alone',
    check: async (fixture) => {
      const { send, answers, workspace } = await openResults(fixture)
      const [phone, user] = [newPhoneNumber(), newUserId()]
      const [other, languages] = [senderIdOf(newDigits(15)), ['user', 'other', 'before', 'stranger', 'none']]
      const note = (to: SenderFilter, from: CustomerReply['from']) =>
        done('a reply is noted', fixture.templateResults.noteReply({ workspace, to, from, at: SECOND }))
      await send({ to: user, language: 'user', sender: SENDER })
      await send({ to: phone, at: NOON + 1, language: 'other', sender: other })
      await send({ language: 'stranger', at: NOON + 3 })
      await send({ to: user, at: NOON + 4, language: 'none' })
      await send({ to: phone, at: NOON + 6, language: 'before', sender: SENDER })
      const seen = async () => Promise.all(languages.map(async (language) => (await answers({ language }))[0]))
      await note({ ids: [SENDER], orNone: false }, [{ id: user }, { id: phone, after: NOON + 6 }])
      same('by the user id', await seen(), [1, 0, 0, 0, 0])
      await note({ ids: [SENDER], orNone: true }, [{ id: phone, after: NOON + 5 }])
      same('by the number', await seen(), [1, 0, 1, 0, 0])
      await note({ ids: [SENDER], orNone: true }, [{ id: user }])
      same('without a sender', await seen(), [1, 0, 1, 0, 1])
    },
  },
  {
    name: 'messages that reached no customer are not answered',
    check: async (fixture) => {
      const { send, reply, record, answers } = await openResults(fixture)
      for (const state of STATES) {
        const to = newPhoneNumber()
        await send({ to, state, language: state })
        await reply(to, SECOND)
        await record(to, {})
      }
      const answered = new Array<string>()
      for (const state of STATES) {
        const [replied, optedOut] = await answers({ language: state })
        same('both', replied, optedOut)
        if (replied > 0) answered.push(state)
      }
      same('the answered states', answered, ['pending', 'unconfirmed', 'accepted', 'sent', 'delivered', 'read', 'played'])
    },
  },
  {
    name: 'an opt-out of any topic counts for the latest template message in the 24 hours before it, in its workspace',
    check: async (fixture) => {
      const [{ send, record, answers }, others] = [await openResults(fixture), await openResults(fixture)]
      const to: ReadonlyArray<CustomerId> = times(6, (index) => (index === 1 ? newUserId() : newPhoneNumber()))
      for (const [index, id] of to.entries()) await send({ to: id, language: `l${index}`, at: NOON + index })
      const [first = newPhoneNumber(), second = first, third = first, fourth = first, fifth = first, sixth = first] = to
      await send({ to: first, name: 'later', language: 'l0', at: NOON + 10_000 })
      await record(first, { since: SECOND + 20_000 })
      await record(second, { topic: 'all' })
      await record(second, { topic: 'marketing', source: 'platform' })
      await record(third, { since: NOON + ANSWERED_WITHIN_MS + 2 })
      await record(fourth, { status: 'granted' })
      await record(fifth, { since: SECOND - 1_000 })
      await others.record(sixth, {})
      const seen = await Promise.all(to.map(async (_, index) => (await answers({ language: `l${index}` }))[1]))
      same('the opt-outs', seen, [0, 1, 0, 0, 0, 0])
      same('the later template', await answers({ template: 'later' }), [0, 1])
      same('every language', await answers(), [0, 1])
      same('another period', await answers({ from: DAY - DAY_MS, to: DAY }), [0, 0])
    },
  },
  {
    name: 'an opt-out is found under each variant of a number, and however many others there are',
    check: async (fixture) => {
      const { send, record, answers } = await openResults(fixture)
      const number = `55119${newDigits(8).replace(/^0/, '1')}` as PhoneNumber
      await send({ to: number })
      for (const index of times(210, (each) => each)) {
        await record(newPhoneNumber(), { since: SECOND + Math.floor(index / 3) })
      }
      await record(number.replace('55119', '5511') as PhoneNumber, { since: SECOND + 100 })
      same('the opt-out', await answers(), [0, 1])
    },
  },
  {
    name: 'a message stays replied to after its customer is erased, and the count of messages stays',
    check: async (fixture) => {
      const { send, reply, counts, workspace } = await openResults(fixture)
      const to = newPhoneNumber()
      await send({ to })
      await reply(to, SECOND)
      const before = await counts()
      await done('a person is erased', fixture.personalData.erase(workspace, [{ phoneNumber: to }]))
      same('the counts', await counts(), before)
      same('replied', before.map(({ replied }) => replied), [1])
    },
  },
]
