import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Batch } from '../../core/batches/batch.js'
import { type CustomerId, isUserId, type PhoneNumber } from '../../core/customers/customer.js'
import { type InboxId, inboxIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import { DAY_MS } from '../../core/kernel/time.js'
import { FORMER_ID_MS, type ListedSender, MAX_SENDERS, type SenderId, type SenderOwner, type Senders } from '../../core/senders/sender.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { sendersWithBatchesLaws, type SendersWithBatchesFixture } from '../laws/moved-batches.js'
import type { QueuedSendersFixture, SenderDataFixture } from '../laws/moved-numbers.js'
import type { SendersFixture } from '../laws/senders.js'
import { andThen, brokenMemory, ignoring, noting, withResult } from './broken-memory.js'
import { type Mutation, namesOf } from './mutation.js'

const ADDED = 'a sender is added to those that its workspace has, and the first one is the default'
const SET_AGAIN = 'a sender that is set again stays the default or not, unless it is set as the default'
const DEFAULT = 'any sender of a workspace can be made the default, and after concurrent calls exactly one is the default'
const FIRSTS = 'of concurrent first senders one is the default and one has the workspace\'s own inbox'
const FOREIGN = 'a workspace has the senders of no other, and UnknownSender changes nothing'
const LISTED = 'senders are listed as they are found, without their access tokens'
const FOLLOWED = 'a default sender that is removed is followed by the first of the others'
const STAYS = 'the sender that follows a removed default sender stays the default when another one is added or moves'
const INBOXES = 'each sender has an inbox of its own, the first one the workspace\'s, and keeps it'
const BACK = 'a number that comes back has the inbox that it had, and no other number gets it'
const EVERY_INBOX = 'every inbox of a workspace is listed, those of removed senders too'
const MOVED = 'a number that moves has its new ids, and its place and its inbox as before'
const FORMER = 'the former id of a moved number is understood for seven days, as that of its present sender'
const FORMER_FREE = 'a former id that another workspace has belongs to that one, and is given to a new sender with an inbox of its own'
const TAKEN = 'a number cannot move to an id that a workspace has, and nothing changes'
const MANY = `a workspace has at most ${MAX_SENDERS} senders`
const APP = 'the app of a sender comes back as it was given, and its owner has it'

const withoutInbox = ({ inbox: _inbox, ...sender }: ListedSender): ListedSender => sender

/** Senders with a defect in workspaces that have several of them. */
export const SEVERAL_SENDERS_MUTATIONS: ReadonlyArray<Mutation<SendersFixture>> = [
  {
    defect: 'replaces the senders of a workspace',
    open: brokenMemory('senders', ({ assign, sendersOf, remove }) => ({
      assign: (workspace, sender) => noting(assign(workspace, sender), async () => {
        const all = await sendersOf(workspace)
        for (const { phoneNumberId } of E.isRight(all) ? all.right : []) {
          if (phoneNumberId !== sender.phoneNumberId) await remove({ workspace, sender: phoneNumberId })
        }
      }),
    })),
    breaks: [ADDED],
  },
  {
    defect: 'makes each sender that is set the default',
    open: brokenMemory('senders', ({ assign }) => ({
      assign: (workspace, sender, ...more) => assign(workspace, { ...sender, isDefault: true }, ...more),
    })),
    breaks: [ADDED, SET_AGAIN],
  },
  {
    defect: 'makes no sender the default',
    open: brokenMemory('senders', () => ({ makeDefault: async () => E.right(undefined) })),
    breaks: [DEFAULT],
  },
  {
    defect: 'marks every sender as the default',
    open: brokenMemory('senders', ({ sendersOf }) => ({
      sendersOf: (workspace) => withResult(sendersOf(workspace), (all) => all.map((one) => ({ ...one, isDefault: true as const }))),
    })),
    breaks: [ADDED, DEFAULT, FIRSTS],
  },
  {
    defect: 'finds a sender of any workspace by its id',
    open: brokenMemory('senders', ({ senderOf, ownerOf }) => ({
      senderOf: (workspace, named) => andThen(senderOf(workspace, named), (found) =>
        (O.isSome(found) || named === undefined ? Promise.resolve(E.right(found)) : andThen(ownerOf(named, 0), async (owner) =>
          (O.isNone(owner) ? E.right(O.none) : senderOf(owner.value.workspace, named))))),
    })),
    breaks: [FOREIGN],
  },
  {
    defect: 'answers an unknown sender with success',
    open: brokenMemory('senders', ({ makeDefault, remove, replace }) => ({
      makeDefault: (...given) => ignoring(makeDefault(...given), 'UnknownSender'),
      remove: (...given) => ignoring(remove(...given), 'UnknownSender'),
      replace: (...given) => ignoring(replace(...given), 'UnknownSender'),
    })),
    breaks: [FOREIGN],
  },
  {
    defect: 'leaves a workspace without a default sender',
    open: brokenMemory('senders', ({ remove, senderOf }) => {
      const removedFrom = new Set<string>()
      return {
        remove: (of, ...more) => noting(remove(of, ...more), () => { removedFrom.add(of.workspace) }),
        senderOf: async (workspace, named) =>
          (named === undefined && removedFrom.has(workspace) ? E.right(O.none) : senderOf(workspace, named)),
      }
    }),
    breaks: [FOLLOWED],
  },
  {
    defect: 'takes the sender with the lowest id as the default, once a default sender was removed',
    open: brokenMemory('senders', ({ remove, senderOf, sendersOf, makeDefault }) => {
      const removedFrom = new Set<WorkspaceId>()
      const lowestFirst: typeof sendersOf = async (workspace) => {
        const all = await sendersOf(workspace)
        const known = E.isRight(all) && removedFrom.has(workspace) ? all.right : []
        const [lowest] = known.toSorted((a, b) => (a.phoneNumberId < b.phoneNumberId ? -1 : 1))
        if (lowest !== undefined) await makeDefault({ workspace, sender: lowest.phoneNumberId })
        return sendersOf(workspace)
      }
      return {
        remove: (of, ...more) => noting(remove(of, ...more), () => { removedFrom.add(of.workspace) }),
        senderOf: async (workspace, named) => {
          const listed = await lowestFirst(workspace)
          if (E.isLeft(listed)) return listed
          const found = listed.right.find(({ phoneNumberId }) => named === undefined || phoneNumberId === named)
          return found === undefined ? E.right(O.none) : senderOf(workspace, found.phoneNumberId)
        },
        sendersOf: lowestFirst,
      }
    }),
    breaks: [STAYS],
  },
  {
    defect: 'lists senders with their access tokens',
    open: brokenMemory('senders', ({ sendersOf, senderOf }) => ({
      sendersOf: async (workspace) => {
        const all = await sendersOf(workspace)
        if (E.isLeft(all)) return all
        return E.sequenceArray(await Promise.all(all.right.map(async (one) =>
          E.map(O.getOrElse<ListedSender>(() => one))(await senderOf(workspace, one.phoneNumberId)))))
      },
    })),
    breaks: [LISTED],
  },
  {
    defect: 'has one inbox for all senders of a workspace',
    open: brokenMemory('senders', ({ sendersOf, ownerOf }) => ({
      sendersOf: (workspace) => withResult(sendersOf(workspace), (all) => all.map(withoutInbox)),
      ownerOf: (id, at) => withResult(ownerOf(id, at), O.map((owner: SenderOwner) => ({ ...owner, inbox: owner.workspace }))),
    })),
    breaks: [INBOXES, BACK, FIRSTS],
  },
  {
    defect: 'gives the inbox of a removed sender to the next one',
    open: brokenMemory('senders', ({ sendersOf }) => ({
      sendersOf: (workspace) => withResult(sendersOf(workspace), (all) => (all.length === 1 ? all.map(withoutInbox) : all)),
    })),
    breaks: [BACK],
  },
  {
    defect: 'lists the inboxes of present senders alone',
    open: brokenMemory('senders', ({ sendersOf }) => ({
      inboxesOf: (workspace) => withResult(sendersOf(workspace), (all) => [workspace, ...all.flatMap(({ inbox }) => inbox ?? [])]),
    })),
    breaks: [EVERY_INBOX],
  },
  {
    defect: 'gives a moved number a new inbox',
    open: brokenMemory('senders', ({ replace, sendersOf }) => {
      const moved = new Set<SenderId>()
      return {
        replace: (of, by, ...more) => noting(replace(of, by, ...more), () => { moved.add(by.phoneNumberId) }),
        sendersOf: (workspace) => withResult(sendersOf(workspace), (all) => all.map((one) =>
          (moved.has(one.phoneNumberId) ? { ...one, inbox: inboxIdOf(`in_${'0'.repeat(32)}`) } : one))),
      }
    }),
    breaks: [MOVED],
  },
  {
    defect: 'adds a moved number beside its former id',
    open: brokenMemory('senders', ({ replace, assign, senderOf }) => ({
      replace: (of, by, at, outboxEntries) => andThen(senderOf(of.workspace, of.sender), (before) =>
        (O.isNone(before)
          ? replace(of, by, at, outboxEntries)
          : ignoring(assign(of.workspace, by), 'UnknownWorkspace') as ReturnType<typeof replace>)),
    })),
    breaks: [MOVED, FORMER],
  },
  {
    defect: 'forgets the former ids of numbers',
    open: brokenMemory('senders', ({ ownerOf }) => ({ ownerOf: (id, at) => ownerOf(id, at + FORMER_ID_MS) })),
    breaks: [FORMER],
  },
  {
    defect: 'understands former ids without end',
    open: brokenMemory('senders', ({ ownerOf }) => ({ ownerOf: (id) => ownerOf(id, 0) })),
    breaks: [FORMER],
  },
  {
    defect: 'lists the latest former id alone',
    open: brokenMemory('senders', ({ formerIdsOf }) => ({ formerIdsOf: (of) => withResult(formerIdsOf(of), (ids) => ids.slice(-1)) })),
    breaks: [FORMER],
  },
  {
    defect: 'takes a former id for its former workspace\'s',
    open: brokenMemory('senders', ({ replace, ownerOf }) => {
      const former = new Map<SenderId, SenderOwner>()
      return {
        replace: (of, by, ...more) => noting(replace(of, by, ...more), () => {
          former.set(of.sender, { workspace: of.workspace, sender: by.phoneNumberId, inbox: of.workspace, isFormer: true })
        }),
        ownerOf: (id, at) => withResult(ownerOf(id, at), (found) => O.alt(() => found)(O.fromNullable(former.get(id)))),
      }
    }),
    breaks: [FORMER_FREE],
  },
  {
    defect: 'lets a number move to an id that is taken',
    open: brokenMemory('senders', ({ replace }) => ({ replace: (...given) => ignoring(replace(...given), 'SenderTaken') })),
    breaks: [TAKEN],
  },
  {
    defect: 'has room for one sender more',
    open: brokenMemory('senders', ({ assign }) => ({ assign: (...given) => ignoring(assign(...given), 'TooManySenders') })),
    breaks: [MANY],
  },
  {
    defect: 'keeps no app',
    open: brokenMemory('senders', ({ assign }) => ({
      assign: (workspace, { app: _app, ...sender }, ...more) => assign(workspace, sender, ...more),
    })),
    breaks: [APP],
  },
]

const BY_SENDER = 'a message has its sender, and is listed with those of its sender'
const NO_OTHER = 'what is recorded in one inbox counts for no other'
const IN_USE = 'a sender whose messages are under way is neither removed nor replaced, and the answer says how many'
const NUMBERS = 'of a number that moves, what was recorded for numbers stays, and what was recorded for user ids is gone'
const PRESENT = 'a number that moves keeps what its present user id did, and nothing of a user id that had the number before'
const EVERYWHERE = 'a person is erased in every inbox of the workspace'

/** Senders with a defect in the data that belongs to them. */
export const SENDER_DATA_MUTATIONS: ReadonlyArray<Mutation<SenderDataFixture>> = [
  {
    defect: 'lists the messages of every sender',
    open: brokenMemory('messageLog', ({ list }) => ({ list: (workspace, { sender: _sender, ...query }) => list(workspace, query) })),
    breaks: [BY_SENDER],
  },
  {
    defect: 'keeps no sender of a message',
    open: brokenMemory('messageLog', ({ open }) => ({
      open: ({ sender: _sender, ...draft }) => open(draft),
    })),
    breaks: [BY_SENDER],
  },
  {
    defect: 'records everything in one inbox',
    open: brokenMemory('windowClock', ({ recordInbound, lastInbound }) => ({
      recordInbound: (_inbox, ...more) => recordInbound(inboxIdOf('all'), ...more),
      lastInbound: (_inbox, ...more) => lastInbound(inboxIdOf('all'), ...more),
    })),
    breaks: [NO_OTHER],
  },
  {
    defect: 'removes a sender whose messages are under way',
    open: brokenMemory('senders', ({ remove }) => ({ remove: (...given) => ignoring(remove(...given), 'SenderInUse') })),
    breaks: [IN_USE],
  },
  {
    defect: 'replaces a sender whose messages are under way',
    open: brokenMemory('senders', ({ replace }) => ({ replace: (...given) => ignoring(replace(...given), 'SenderInUse') })),
    breaks: [IN_USE],
  },
  {
    defect: 'keeps what was recorded for user ids when the number moves',
    open: brokenMemory('senders', () => ({ replace: async () => E.right(undefined) })),
    breaks: [NUMBERS, IN_USE],
  },
  {
    defect: 'loses the window of a number whose latest message named its user id',
    open: brokenMemory('customers', ({ find }, { senders }) => {
      const moved = new Set<InboxId>()
      const { replace } = senders
      Object.assign(senders, {
        replace: (...given: Parameters<typeof replace>) => noting(replace(...given), () => { moved.add(given[0].workspace) }),
      })
      return {
        find: (inbox, id) => withResult(find(inbox, id), (known) => {
          const { since } = known.own
          return moved.size > 0 && since !== undefined ? { ...known, own: { ...known.own, since: since + 1 } } : known
        }),
      }
    }),
    breaks: [PRESENT],
  },
  {
    defect: 'keeps the windows of a user id for every number that it has had',
    open: async () => {
      const fixture = await openMemoryFixture()
      const { senders, customers, windowClock } = fixture
      const numbers = new Map<CustomerId, { readonly inbox: InboxId; readonly phoneNumber: PhoneNumber }>()
      return {
        ...fixture,
        customers: {
          ...customers,
          learn: (inbox, id, fact, outboxEntries) => {
            if (fact._tag === 'Paired' && isUserId(id) && !isUserId(fact.other)) numbers.set(id, { inbox, phoneNumber: fact.other })
            return customers.learn(inbox, id, fact, outboxEntries)
          },
        },
        senders: {
          ...senders,
          replace: async (...given) => {
            const windows = await Promise.all([...numbers].map(async ([id, of]) =>
              ({ ...of, last: await windowClock.lastInbound(of.inbox, id) })))
            const replaced = await senders.replace(...given)
            for (const { inbox, phoneNumber, last } of E.isRight(replaced) ? windows : []) {
              if (E.isRight(last) && O.isSome(last.right)) await windowClock.recordInbound(inbox, { phoneNumber }, last.right.value)
            }
            return replaced
          },
        },
      }
    },
    breaks: [PRESENT],
  },
  {
    defect: 'erases a person in the workspace\'s own inbox alone',
    open: async () => {
      const fixture = await openMemoryFixture()
      const { senders, personalData } = fixture
      return {
        ...fixture,
        personalData: {
          ...personalData,
          erase: async (workspace, person, outboxEntries) => {
            const kept = await senders.inboxesOf(workspace)
            const others = E.isRight(kept) ? kept.right.filter((inbox) => inbox !== workspace) : []
            const numbers = person.flatMap(({ phoneNumber }) => phoneNumber ?? [])
            const marks = others.flatMap((inbox) => numbers.map((phoneNumber) => ({ inbox, phoneNumber })))
            const moments = await Promise.all(marks.map(async ({ inbox, phoneNumber }) =>
              ({ inbox, phoneNumber, last: await fixture.windowClock.lastInbound(inbox, phoneNumber) })))
            const erased = await personalData.erase(workspace, person, outboxEntries)
            for (const { inbox, phoneNumber, last } of moments) {
              if (E.isRight(last) && O.isSome(last.right)) await fixture.windowClock.recordInbound(inbox, { phoneNumber }, last.right.value)
            }
            return erased
          },
        },
      }
    },
    breaks: [EVERYWHERE],
  },
]

const QUEUE_MOVES = 'what a sender has queued for numbers is queued for the new id of a number that moves, at its time, and nothing else is'
const USER_IDS_STAY = 'what a sender has queued for user ids keeps the former id of a number that moves, and is due immediately'
const LATE = 'what is queued for a former id after the number moved is moved later as what was queued before, and nothing is moved from another id'
const NOT_CLAIMED = 'a queued message whose sender was replaced is not claimed for the former one'
const NOT_REMOVED = 'a sender with queued messages is not removed, and not replaced under the same id while some are for user ids'

/** The former ids of the senders that are replaced from now on, by their new ids. */
const formerIds = (senders: Senders): ReadonlyMap<string, string> => {
  const former = new Map<string, string>()
  const { replace } = senders
  Object.assign(senders, {
    replace: (...given: Parameters<typeof replace>) =>
      noting(replace(...given), () => { former.set(given[1].phoneNumberId, given[0].sender) }),
  })
  return former
}

const [BATCHES_MOVE, FOREIGN_BATCH, NEEDED] = namesOf(sendersWithBatchesLaws) as [string, string, string]

/** Senders with a defect in what they do with batches. */
export const SENDERS_WITH_BATCHES_MUTATIONS: ReadonlyArray<Mutation<SendersWithBatchesFixture>> = [
  {
    defect: 'forgets the id that a batch was confirmed with',
    open: brokenMemory('batches', ({ find, change }) => {
      const forgotten = ({ formerSender: _, ...batch }: Batch): Batch => batch
      return {
        find: (of) => withResult(find(of), O.map(forgotten)), change: (of, make) => withResult(change(of, make), O.map(forgotten)),
      }
    }),
    breaks: [BATCHES_MOVE],
  },
  {
    defect: 'keeps the former id of the sender',
    open: brokenMemory('batches', ({ find }) => ({
      find: (of) => withResult(find(of), O.map((batch) => ({ ...batch, sender: batch.formerSender ?? batch.sender }))),
    })),
    breaks: [BATCHES_MOVE],
  },
  {
    defect: 'moves the batches of every workspace',
    open: brokenMemory('batches', ({ find }, { senders }) => {
      const former = formerIds(senders)
      return {
        find: (of) => withResult(find(of), O.map((batch) => {
          const [present] = [...former].find(([, before]) => before === batch.sender) ?? [batch.sender]
          return { ...batch, sender: present as SenderId }
        })),
      }
    }),
    breaks: [FOREIGN_BATCH],
  },
  {
    defect: 'removes a sender whose batches are under way',
    open: brokenMemory('senders', ({ remove }) => ({ remove: (...given) => ignoring(remove(...given), 'SenderInUse') })),
    breaks: [NEEDED],
  },
]

/** Senders with a defect in what they have queued. */
export const QUEUED_SENDERS_MUTATIONS: ReadonlyArray<Mutation<QueuedSendersFixture>> = [
  {
    defect: 'does not move what is queued',
    open: brokenMemory('messageQueue', ({ due, claim }, { senders }) => {
      const former = formerIds(senders)
      return {
        due: (query) => (former.has(query.sender) ? Promise.resolve(E.right([])) : due(query)),
        claim: (of, at) => (former.has(of.sender ?? '') ? Promise.resolve(E.right(false)) : claim(of, at)),
      }
    }),
    breaks: [QUEUE_MOVES, NOT_CLAIMED],
  },
  {
    defect: 'sends what has moved early',
    open: brokenMemory('messageQueue', ({ due }) => ({ due: (query) => due({ ...query, at: query.at + DAY_MS }) })),
    breaks: [QUEUE_MOVES],
  },
  {
    defect: 'moves what is queued for user ids, too',
    open: brokenMemory('messageQueue', ({ due }, { senders }) => {
      const former = formerIds(senders)
      return {
        due: async (query) => {
          if ([...former.values()].includes(query.sender)) return E.right([])
          const sender = former.get(query.sender)
          if (sender === undefined) return due(query)
          return andThen(due(query), (found) => withResult(due({ ...query, sender }), (more) => [...found, ...more]))
        },
      }
    }),
    breaks: [QUEUE_MOVES, USER_IDS_STAY],
  },
  {
    defect: 'moves nothing late',
    open: brokenMemory('senders', () => ({ moveLate: async () => E.right(true) })),
    breaks: [LATE],
  },
  {
    defect: 'moves everything late',
    open: brokenMemory('senders', ({ moveLate }) => ({ moveLate: (of, at) => withResult(moveLate(of, at), () => true) })),
    breaks: [LATE],
  },
  {
    defect: 'claims whatever the sender is',
    open: brokenMemory('messageQueue', ({ claim }) => ({ claim: ({ workspace, message }, at) => claim({ workspace, message }, at) })),
    breaks: [NOT_CLAIMED],
  },
  {
    defect: 'removes a sender with a queue',
    open: brokenMemory('senders', ({ remove }) => ({ remove: (...given) => ignoring(remove(...given), 'SenderInUse') })),
    breaks: [NOT_REMOVED],
  },
]
