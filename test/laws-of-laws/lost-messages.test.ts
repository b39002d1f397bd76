import * as E from 'fp-ts/lib/Either.js'
import type { PersonalData } from '../../core/privacy.js'
import type { LostMessage, LostMessages, LostStatus } from '../../core/reports/status.js'
import { type ForgottenLostMessagesFixture, lostMessagesForgottenLaws } from '../laws/lost-messages-forgotten.js'
import { type LostMessagesFixture, lostMessagesLaws } from '../laws/lost-messages.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: Parameters<typeof brokenMemory<'lostMessages'>>[1]): (() => Promise<LostMessagesFixture>) =>
  brokenMemory('lostMessages', defect)

const NOTED = 'a lost message is noted with what its status says, and a repetition changes nothing'
const ANY_ORDER = 'the statuses of a message are one record, in whatever order they come'
const FAILED = 'a message that failed is not listed, whichever of its statuses came first'
const CONCURRENT = 'concurrent statuses of a message are one record'
const OTHER_ID = 'a status that has our id and another id of the platform changes nothing'
const APART = 'workspaces are kept apart, even with the same ids'
const IN_LOG = 'a message that the log of any workspace has is not lost'
const BOUND = 'a workspace keeps its oldest messages, and a further one is not noted'
const PAGES = 'the list is read page by page, oldest first, and an unknown cursor never fails'
const CHARGES = 'settling charges the wallet, says why in its statement, and takes the message from the list'
const ZERO = 'an amount of zero charges nothing and leaves no entry'
const ONCE = 'of concurrent calls one settles, and a message is never charged twice'
const UNKNOWN = 'what is not noted, or has failed, is not settled'
const TOO_MUCH = 'a charge of more than is available changes nothing'
const LATER = 'a later status does not bring a settled message back'
const ALONG = 'what settling takes along is stored with it, and only with it'

/** Changes what the list shows of each message. */
const listing = (change: (message: LostMessage) => LostMessage) => broken(({ list }) => ({
  list: (query) => withResult(list(query), ({ items, next }) => ({ items: items.map(change), next })),
}))

/** Notes as it is written in a hurry: it looks whether there is a record, waits as for a database, and adds one under a name of its own. */
const hasty = broken(({ note, list, counts }) => {
  const twice: LostMessage[] = []
  const seen = new Set<string>()
  return {
    note: async (status) => {
      const isNew = !seen.has(status.message)
      await new Promise((resolve) => { setImmediate(resolve) })
      if (isNew && seen.has(status.message)) twice.push({ ...status, firstAt: status.at, lastAt: status.at })
      seen.add(status.message)
      return note(status)
    },
    list: (query) => withResult(list(query), ({ items, next }) => ({ items: next === undefined ? [...items, ...twice] : items, next })),
    counts,
  }
})

describeMutations('the lost messages', lostMessagesLaws, [
  { defect: 'notes nothing', open: broken(() => ({ note: async () => E.right(undefined) })), breaks: [NOTED, ANY_ORDER, CHARGES, ALONG] },
  { defect: 'counts a repetition', open: broken(({ note, counts }) => {
    let notes = 0
    return {
      note: (status) => { notes += 1; return note(status) },
      counts: () => withResult(counts(), (all) => all.map((one) => ({ ...one, messages: notes }))),
    }
  }), breaks: [NOTED] },
  {
    defect: 'drops what is reported on billing',
    open: listing((message) => ({ ...message, category: undefined, billable: undefined })),
    breaks: [NOTED, ANY_ORDER],
  },
  { defect: 'keeps the state of the first status', open: broken(({ note }) => {
    const first = new Map<string, LostStatus['state']>()
    return { note: (status) => {
      const state = first.get(status.message) ?? status.state
      first.set(status.message, state)
      return note({ ...status, state })
    } }
  }), breaks: [ANY_ORDER, CONCURRENT] },
  { defect: 'takes the latest status for the state', open: broken(({ note, list }) => {
    const latest = new Map<string, LostStatus['state']>()
    return {
      note: (status) => { latest.set(status.message, status.state); return note(status) },
      list: (query) =>
        withResult(list(query), ({ items, next }) => ({
          items: items.map((one) => ({ ...one, state: latest.get(one.message) ?? one.state })), next,
        })),
    }
  }), breaks: [ANY_ORDER] },
  { defect: 'ignores that a message failed', open: broken(({ note }) => ({
    note: async (status) => (status.state === 'failed' ? E.right(undefined) : note(status)),
  })), breaks: [FAILED] },
  { defect: 'looks, waits and writes', open: hasty, breaks: [CONCURRENT] },
  { defect: 'believes our id alone', open: broken(({ note }) => {
    const ids = new Map<string, LostStatus['platformId']>()
    return { note: (status) => {
      const platformId = ids.get(`${status.workspace} ${status.message}`) ?? status.platformId
      ids.set(`${status.workspace} ${status.message}`, platformId)
      return note({ ...status, platformId })
    } }
  }), breaks: [OTHER_ID] },
  { defect: 'has one record for all workspaces', open: broken(({ note }) => {
    const owners = new Map<string, LostStatus['workspace']>()
    return { note: (status) => {
      const workspace = owners.get(status.message) ?? status.workspace
      owners.set(status.message, workspace)
      return note({ ...status, workspace })
    } }
  }), breaks: [APART] },
  { defect: 'does not look into the log', open: broken(({ note }) => ({
    // Our ids are unique, so a message under another id is in no log.
    note: (status) => note({ ...status, message: status.message.replace('msg_0', 'msg_1') as LostStatus['message'] }),
  })), breaks: [IN_LOG] },
  { defect: 'has no bound', open: broken(({ note, list }, { lostMessagesKept }) => {
    const over: LostMessage[] = []
    const counts = new Map<string, number>()
    return {
      note: (status) => {
        counts.set(status.workspace, (counts.get(status.workspace) ?? 0) + 1)
        if ((counts.get(status.workspace) ?? 0) > lostMessagesKept) over.push({ ...status, firstAt: status.at, lastAt: status.at })
        return note(status)
      },
      list: (query) => withResult(list(query), ({ items, next }) => ({ items: next === undefined ? [...items, ...over] : items, next })),
    }
  }), breaks: [BOUND] },
  { defect: 'lists the newest first', open: broken(({ list }) => ({
    list: ({ limit, cursor }) => withResult(list({ limit: 1_000_000 }), ({ items }) => {
      const from = cursor === undefined ? 0 : Number(cursor)
      const part = items.toReversed().slice(from, from + limit)
      return { items: part, next: from + limit < items.length ? String(from + limit) : undefined }
    }),
  })), breaks: [PAGES] },
  { defect: 'fails at an unknown cursor', open: broken(({ list }) => ({
    list: async (query) =>
      query.cursor?.startsWith('{') === true ? E.left({ _tag: 'PortFailure', port: 'LostMessages', cause: 'a cursor' }) : list(query),
  })), breaks: [PAGES] },
  {
    defect: 'charges nothing',
    open: broken(({ settle }) => ({ settle: (settlement, outboxEntries) => settle({ ...settlement, micros: 0n }, outboxEntries) })),
    breaks: [CHARGES, TOO_MUCH, ALONG],
  },
  { defect: 'leaves a settled message in the list', open: broken(({ settle, list }) => {
    const settled: LostMessage[] = []
    return {
      settle: (settlement, outboxEntries) =>
        withResult(settle(settlement, outboxEntries), (outcome) => { settled.push(outcome.message); return outcome }),
      list: (query) => withResult(list(query), ({ items, next }) => ({ items: next === undefined ? [...items, ...settled] : items, next })),
    }
  }), breaks: [APART, CHARGES, ZERO, LATER] },
  {
    defect: 'drops the note',
    open: broken(({ settle }) => ({ settle: (settlement, outboxEntries) => settle({ ...settlement, note: '' }, outboxEntries) })),
    breaks: [CHARGES],
  },
  { defect: 'writes an entry of one micro for zero', open: broken(({ settle }) => ({
    settle: (settlement, outboxEntries) =>
      settle({ ...settlement, micros: settlement.micros === 0n ? 1n : settlement.micros }, outboxEntries),
  })), breaks: [ZERO] },
  { defect: 'charges at each call', open: broken(({ settle }, { ledger }) => ({
    settle: async (settlement, outboxEntries) => {
      const outcome = await settle(settlement, outboxEntries)
      if (E.isLeft(outcome) && outcome.left._tag === 'LostMessageSettled') {
        const { workspace, micros, note, at } = settlement
        await ledger.adjust({ workspace, micros: -micros, reference: crypto.randomUUID(), note, at })
      }
      return outcome
    },
  })), breaks: [ONCE] },
  { defect: 'does not know what was settled', open: broken(({ settle }) => ({
    settle: async (settlement, outboxEntries) => {
      const outcome = await settle(settlement, outboxEntries)
      return E.isLeft(outcome) && outcome.left._tag === 'LostMessageSettled'
        ? E.left({ _tag: 'NoSuchLostMessage', id: settlement.id })
        : outcome
    },
  })), breaks: [ONCE, LATER, ALONG] },
  { defect: 'settles a message that failed', open: broken(({ note }) => ({
    note: (status) => note(status.state === 'failed' ? { ...status, state: 'sent' } : status),
  })), breaks: [FAILED, UNKNOWN] },
  { defect: 'charges what is not available', open: broken(({ settle }, { ledger, openWorkspace }) => ({
    settle: async (settlement, outboxEntries) => {
      const outcome = await settle(settlement, outboxEntries)
      if (E.isRight(outcome) || outcome.left._tag !== 'BalanceOutOfRange') return outcome
      await ledger.topUp({
        workspace: settlement.workspace, micros: settlement.micros, reference: (await openWorkspace()).workspace, at: settlement.at,
      })
      return settle(settlement, outboxEntries)
    },
  })), breaks: [TOO_MUCH, ALONG] },
  { defect: 'forgets what is settled', open: broken(({ note, list, settle }) => {
    const back: LostMessage[] = []
    const settled = new Set<string>()
    return {
      note: (status) => {
        if (settled.has(status.message)) back.push({ ...status, firstAt: status.at, lastAt: status.at })
        return note(status)
      },
      settle: (settlement, outboxEntries) =>
        withResult(settle(settlement, outboxEntries), (outcome) => { settled.add(outcome.message.message); return outcome }),
      list: (query) => withResult(list(query), ({ items, next }) => ({ items: next === undefined ? [...items, ...back] : items, next })),
    }
  }), breaks: [LATER] },
  { defect: 'takes nothing along', open: broken(({ settle }) => ({ settle: (settlement) => settle(settlement) })), breaks: [ALONG] },
  { defect: 'stores what is taken along even if it refuses', open: broken(({ settle, list }, { eventOutbox, balance }) => ({
    settle: async (settlement, outboxEntries) => {
      const outcome = await settle(settlement, outboxEntries)
      const listed = await list({ limit: 1_000 })
      const message = E.isRight(listed) ? listed.right.items.find((one) => one.message === settlement.id) : undefined
      if (E.isLeft(outcome) && message !== undefined) {
        const entries = outboxEntries?.({ message, balance: await balance(settlement.workspace) }) ?? []
        await eventOutbox.append(settlement.workspace, entries.flatMap((entry) => ('act' in entry ? [] : [entry])))
      }
      return outcome
    },
  })), breaks: [ALONG] },
])

const brokenPeople = (
  defect: (port: PersonalData, lost: LostMessages) => Partial<PersonalData>,
): (() => Promise<ForgottenLostMessagesFixture>) => brokenMemory('personalData', (port, { lostMessages }) => defect(port, lostMessages))

const REMOVED = 'what is older than the retention is removed by its first status, settled or not'
const CHARGED_BEFORE = 'a message that was charged, forgotten and reported once more is not charged again'
const ERASED = 'erasing takes a person out of lost messages, which stay to be settled, and no status brings the person back'
const EVERYONE_ELSE = 'erasing leaves the lost messages of everyone else as they are'

describeMutations('the lost messages that are forgotten', lostMessagesForgottenLaws, [
  { defect: 'removes nothing', open: brokenPeople(() => ({
    forgetBefore: async () => E.right({ forgotten: { messages: 0, customers: 0, windows: 0 }, next: undefined }),
  })), breaks: [REMOVED] },
  {
    defect: 'removes what is not old',
    open: brokenPeople(({ forgetBefore }) => ({ forgetBefore: (query) => forgetBefore({ ...query, before: Infinity }) })),
    breaks: [REMOVED],
  },
  { defect: 'charges under a new reference each time', open: brokenMemory('lostMessages', ({ settle }, { ledger }) => ({
      settle: async (settlement, outboxEntries) => {
        const outcome = await settle(settlement, outboxEntries)
        if (E.isRight(outcome) || outcome.left._tag !== 'LostMessageSettled') return outcome
        const { workspace, micros, note, at } = settlement
        await ledger.adjust({ workspace, micros: -micros, reference: crypto.randomUUID(), note, at })
        return settle({ ...settlement, micros: 0n }, outboxEntries)
      },
  })), breaks: [CHARGED_BEFORE] },
  {
    defect: 'erases nothing',
    open: brokenPeople(() => ({ erase: async () => E.right({ messages: 0, customers: 0, windows: 0, events: 0 }) })),
    breaks: [ERASED],
  },
  { defect: 'erases the person from other workspaces, too', open: brokenMemory('personalData', ({ erase }, { workspaces }) => ({
      erase: async (workspace, ids, outboxEntries) => {
        const all = await workspaces.list()
        if (E.isRight(all)) for (const { id } of all.right) if (id !== workspace) await erase(id, ids)
        return erase(workspace, ids, outboxEntries)
      },
  })), breaks: [EVERYONE_ELSE] },
])
