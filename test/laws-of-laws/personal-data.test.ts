import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { CustomerDigest } from '../../core/customers/customer.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import type { Metadata } from '../../core/messages/message.js'
import type { Erased, PersonalData } from '../../core/privacy.js'
import type { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { type PersonalDataFixture, personalDataLaws } from '../laws/personal-data.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

type Fixture = Awaited<ReturnType<typeof openMemoryFixture>>

const broken = (defect: (port: PersonalData, fixture: Fixture) => Partial<PersonalData>): (() => Promise<PersonalDataFixture>) =>
  brokenMemory('personalData', defect)

const NOTHING = { messages: 0, customers: 0, windows: 0 }
const EVERYWHERE = workspaceIdOf('019c0000000070008000000000000000')

/** Gives up every message whose outcome is unknown. */
const giveUp = async ({ messageLog }: Fixture): Promise<void> => {
  for (const state of ['pending', 'unconfirmed'] as const) {
    const stale = await messageLog.stale({ state, before: Infinity, limit: 100 })
    if (E.isLeft(stale)) continue
    for (const { workspace, id } of stale.right) await messageLog.apply(workspace, id, { state: 'released', at: 1 })
  }
}

const FORGETTING = [
  'an old message loses its person, and keeps its price, its state and its history', 'each step looks at no more than its limit, and a second pass forgets nothing',
  'customers and windows that were not seen since are forgotten, and those that were are kept', 'a customer who stopped marketing messages is kept without a name',
  'a report on a forgotten message moves its state, and brings nothing of the person back', 'an unknown cursor begins at the beginning and never fails',
]
const DIGEST = 'a digest is the same for every variant of a number, another one in each workspace, and does not show the id'
const STEPS = 'each step looks at no more than its limit, and a second pass forgets nothing'
const UNKNOWN = 'a message whose outcome is unknown is never forgotten'
const ERASED = 'erasing takes a person out of everything, under every id and variant'
const OTHERS = 'erasing leaves everyone else as they are'
const UNDER_WAY = 'a person with a message whose outcome is unknown is not erased, and nothing changes'
const AGAIN = 'erasing again finds nothing more'
const KEY = 'the idempotency key of an erased message still guards it, and no request is the same'
const ALONG = 'what an erasure takes along is stored with it, even if nothing was found'

describeMutations('personal data', personalDataLaws, [
  {
    defect: 'shows the id in its digest',
    open: broken(() => ({ digestOf: async (_workspace, id) => E.right(id as string as CustomerDigest) })),
    breaks: [DIGEST],
  },
  {
    defect: 'makes one digest for all workspaces',
    open: broken(({ digestOf }) => ({ digestOf: (_workspace, id) => digestOf(EVERYWHERE, id) })),
    breaks: [DIGEST],
  },
  { defect: 'makes another digest each time', open: broken(({ digestOf }) => ({
    digestOf: (_workspace, id) => digestOf(workspaceIdOf(crypto.randomUUID()), id),
  })), breaks: [DIGEST, ERASED] },
  {
    defect: 'forgets nothing',
    open: broken(() => ({ forgetBefore: async () => E.right({ forgotten: NOTHING, next: undefined }) })),
    breaks: FORGETTING,
  },
  { defect: 'keeps what applications noted', open: brokenMemory('messageLog', ({ open, find }) => {
    const noted = new Map<string, Metadata | undefined>()
    return {
      open: (draft) => {
        noted.set(draft.id, draft.message.metadata)
        return open(draft)
      },
      find: (...of) => withResult(find(...of), O.map((record) => ({ ...record, metadata: noted.get(record.id) }))),
    }
  }), breaks: ['an old message loses its person, and keeps its price, its state and its history'] },
  {
    defect: 'forgets what is not old',
    open: broken(({ forgetBefore }) => ({ forgetBefore: (query) => forgetBefore({ ...query, before: Infinity }) })),
    breaks: [
      'an old message loses its person, and keeps its price, its state and its history',
      'customers and windows that were not seen since are forgotten, and those that were are kept',
    ],
  },
  { defect: 'gives up what it should leave', open: broken(({ forgetBefore }, fixture) => ({
    forgetBefore: async (query) => {
      await giveUp(fixture)
      return forgetBefore(query)
    },
  })), breaks: [UNKNOWN] },
  {
    defect: 'ignores the limit of a step',
    open: broken(({ forgetBefore }) => ({ forgetBefore: (query) => forgetBefore({ ...query, limit: 1_000 }) })),
    breaks: [STEPS],
  },
  { defect: 'counts what it looks at', open: broken(({ forgetBefore }) => ({
    forgetBefore: (query) =>
      withResult(forgetBefore(query), ({ next }) => ({ forgotten: { messages: 1, customers: 1, windows: 1 }, next })),
  })), breaks: [STEPS] },
  { defect: 'ends at an unknown cursor', open: broken(({ forgetBefore }) => ({
    forgetBefore: async (query) =>
      query.cursor?.startsWith('{') === true ? E.right({ forgotten: NOTHING, next: undefined }) : forgetBefore(query),
  })), breaks: ['an unknown cursor begins at the beginning and never fails'] },
  {
    defect: 'erases nothing',
    open: broken(() => ({ erase: async () => E.right({ ...NOTHING, events: 0 }) })),
    breaks: [ERASED, UNDER_WAY, AGAIN, KEY, ALONG],
  },
  { defect: 'erases one id of a person', open: broken(({ erase }) => ({
    erase: (workspace, person, outboxEntries) =>
      erase(workspace, person.map(({ phoneNumber, userId }) => (phoneNumber === undefined ? { userId } : { phoneNumber })), outboxEntries),
  })), breaks: [ERASED] },
  { defect: 'erases a person from every workspace', open: broken(({ erase }, { workspaces }) => ({
    erase: async (workspace, ids, outboxEntries) => {
      const all = await workspaces.list()
      if (E.isRight(all)) for (const { id } of all.right) if (id !== workspace) await erase(id, ids)
      return erase(workspace, ids, outboxEntries)
    },
  })), breaks: [OTHERS] },
  { defect: 'gives up messages that are under way', open: broken(({ erase }, fixture) => ({
    erase: async (workspace, ids, outboxEntries) => {
      await giveUp(fixture)
      return erase(workspace, ids, outboxEntries)
    },
  })), breaks: [UNDER_WAY] },
  { defect: 'repeats what it found at first', open: broken(({ erase }) => {
    const first = new Map<string, E.Either<never, Erased>>()
    return {
      erase: async (workspace, ids, outboxEntries) => {
        const known = first.get(workspace)
        const erased = await erase(workspace, ids, outboxEntries)
        if (E.isRight(erased) && known === undefined) first.set(workspace, erased)
        return known ?? erased
      },
    }
  }), breaks: [AGAIN] },
  { defect: 'frees the keys of the messages it erases', open: broken(({ erase }, { messageLog }) => ({
    erase: async (workspace, ids, outboxEntries) => {
      const erased = await erase(workspace, ids, outboxEntries)
      const listed = await messageLog.list(workspace, { limit: 10 })
      if (E.isRight(listed)) {
        for (const message of listed.right.items) Object.assign(message, { state: 'released' })
      }
      return erased
    },
  })), breaks: [KEY] },
  { defect: 'takes nothing along', open: broken(({ erase }) => ({ erase: (workspace, ids) => erase(workspace, ids) })), breaks: [ALONG] },
])
