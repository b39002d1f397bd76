import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { portFailure, type PortFailure } from '../../core/kernel/failure.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import {
  type AssignFailure, type Sender, type SenderAccount, senderIdOf, type SenderOf, type SenderOwner,
} from '../../core/senders/sender.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { type AtRest, sendersAtRestLaws } from '../laws/at-rest.js'
import { sendersWithBatchesLaws } from '../laws/moved-batches.js'
import { queuedSendersLaws, senderDataLaws } from '../laws/moved-numbers.js'
import { sendersArchiveLaws, type SendersFixture, sendersLaws } from '../laws/senders.js'
import { andThen, brokenMemory, followedBy, ignoring, noting, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'
import {
  QUEUED_SENDERS_MUTATIONS, SENDER_DATA_MUTATIONS, SENDERS_WITH_BATCHES_MUTATIONS, SEVERAL_SENDERS_MUTATIONS,
} from './several-senders-mutations.js'
import { ACCOUNT_MUTATIONS } from './sender-account-mutations.js'

const sender: Sender = { phoneNumberId: senderIdOf('1'), accessToken: 'token', businessAccountId: undefined }

/** Senders that list, of all workspaces that send through a business account, oldest first, those that `listed` selects. */
const everyAccount = (listed: (using: ReadonlyArray<SenderAccount>) => ReadonlyArray<SenderAccount>) =>
  brokenMemory('senders', ({ assign }) => {
    const given = new Map<WorkspaceId, Sender>()
    return {
      assign: (workspace, assigned) => noting(assign(workspace, assigned), () => { given.set(workspace, assigned) }),
      accounts: async () => {
        const using = [...given].sort(([a], [b]) => (a < b ? -1 : 1))
          .flatMap(([workspace, { phoneNumberId, businessAccountId }]) =>
            businessAccountId === undefined ? [] : [{ accountId: businessAccountId, workspace, sender: phoneNumberId }])
        return E.right([...new Set(using.map(({ accountId }) => accountId))].flatMap((account) =>
          listed(using.filter(({ accountId }) => accountId === account))))
      },
    }
  })

describeMutations('senders', sendersLaws, [
  {
    defect: 'removes a sender and keeps its number',
    open: brokenMemory('senders', ({ remove, ownerOf }) => {
      const kept = new Map<string, SenderOwner>()
      return {
        remove: (of, outboxEntries) => noting(remove(of, outboxEntries), () => { kept.set(of.sender, { ...of, inbox: of.workspace }) }),
        ownerOf: (id, at) => withResult(ownerOf(id, at), (found) => (O.isSome(found) ? found : O.fromNullable(kept.get(id)))),
      }
    }),
    breaks: ['a sender that is removed is gone, and its phone number id can go to another workspace'],
  },
  {
    defect: 'looks at a sender, waits, and then removes it',
    open: brokenMemory('senders', ({ remove, senderOf }) => ({
      remove: async (of, outboxEntries) => {
        const found = await senderOf(of.workspace, of.sender)
        const removed = await remove(of, outboxEntries)
        return E.isLeft(removed) && E.isRight(found) && O.isSome(found.right) ? E.right(undefined) : removed
      },
    })),
    breaks: ['of concurrent removals of one sender exactly one removes it'],
  },
  {
    defect: 'gives every workspace a sender',
    open: brokenMemory('senders', () => ({ senderOf: async () => E.right(O.some(sender)) })),
    breaks: [
      'a workspace that was given no sender has none',
      'a sender is found by its workspace, and the workspace by the phone number id',
    ],
  },
  {
    defect: 'fails for a phone number id that is not known',
    open: brokenMemory('senders', ({ ownerOf }) => ({
      ownerOf: (id, at) =>
        andThen(ownerOf(id, at), async (found) => (O.isNone(found) ? E.left(portFailure('Senders')('unknown')) : E.right(found))),
    })),
    breaks: ['an unassigned phone number id belongs to no workspace'],
  },
  {
    defect: 'keeps no senders',
    open: brokenMemory('senders', () => ({ assign: async () => E.right(undefined) })),
    breaks: ['a sender is found by its workspace, and the workspace by the phone number id'],
  },
  {
    defect: 'trims access tokens to plain ASCII',
    open: brokenMemory('senders', ({ assign }) => ({
      assign: (workspace, { accessToken, ...more }) => assign(workspace, { ...more, accessToken: accessToken.replace(/[^ -~]/g, '') }),
    })),
    breaks: ['a sender comes back as it was given'],
  },
  {
    defect: 'still finds the workspace by the phone number id that it had before',
    open: brokenMemory('senders', ({ assign, ownerOf }) => {
      const first = new Map<string, SenderOwner>()
      return {
        assign: (workspace, assigned) => noting(assign(workspace, assigned), () => {
          const { phoneNumberId: sender } = assigned
          if (!first.has(sender)) first.set(sender, { workspace, sender, inbox: workspace })
        }),
        ownerOf: (id, at) => withResult(ownerOf(id, at), O.alt(() => O.fromNullable(first.get(id)))),
      }
    }),
    breaks: ['a sender takes the place of the one before'],
  },
  {
    defect: 'forgets by which API marketing templates go when a sender is set again',
    open: brokenMemory('senders', ({ assign }) => ({
      assign: (workspace, assigned) => assign(workspace, { marketingApi: false, ...assigned }),
    })),
    breaks: ['whether marketing templates go by the API for them is kept with the phone number id until a sender says otherwise'],
  },
  {
    defect: 'keeps by which API marketing templates go for another phone number id',
    open: brokenMemory('senders', ({ assign, senderOf }) => ({
      assign: async (workspace, assigned) => {
        const before = await senderOf(workspace)
        const marketingApi = E.isRight(before) ? O.toUndefined(before.right)?.marketingApi ?? false : false
        return assign(workspace, { marketingApi, ...assigned })
      },
    })),
    breaks: ['whether marketing templates go by the API for them is kept with the phone number id until a sender says otherwise'],
  },
  {
    defect: 'keeps the first access token of a phone number id',
    open: brokenMemory('senders', ({ assign }) => {
      const tokens = new Map<string, string>()
      return {
        assign: (workspace, assigned) => {
          const accessToken = tokens.get(assigned.phoneNumberId) ?? assigned.accessToken
          tokens.set(assigned.phoneNumberId, accessToken)
          return assign(workspace, { ...assigned, accessToken })
        },
      }
    }),
    breaks: ['a workspace can be given its phone number id again with another token'],
  },
  {
    defect: 'answers SenderTaken but removes the sender of the workspace',
    open: brokenMemory('senders', ({ assign, senderOf }) => {
      const removed = new Set<string>()
      return {
        assign: (workspace, assigned) => assign(workspace, assigned).then(E.mapLeft((
          failure: AssignFailure | PortFailure,
        ) => {
          if (failure._tag === 'SenderTaken') removed.add(workspace)
          return failure
        })),
        senderOf: async (workspace, named) => (removed.has(workspace) ? E.right(O.none) : senderOf(workspace, named)),
      }
    }),
    breaks: ['a phone number id of another workspace is SenderTaken, and nothing changes'],
  },
  {
    defect: 'answers a taken phone number id with success',
    open: brokenMemory('senders', ({ assign }) => ({
      assign: (workspace, assigned) => ignoring(assign(workspace, assigned), 'SenderTaken'),
    })),
    breaks: ['of concurrent workspaces that want one phone number id exactly one gets it'],
  },
  {
    defect: 'lists a business account for each workspace',
    open: everyAccount((using) => using),
    breaks: ['each business account is listed once, with the oldest workspace that sends through it'],
  },
  {
    defect: 'lists each business account with the newest workspace',
    open: everyAccount((using) => using.slice(-1)),
    breaks: ['each business account is listed once, with the oldest workspace that sends through it'],
  },
  {
    defect: 'lists a business account through which no workspace sends any more',
    open: brokenMemory('senders', ({ assign, accounts }) => {
      const before: SenderAccount[] = []
      return {
        assign: (workspace, assigned) => {
          if (assigned.businessAccountId !== undefined) before.push(
            { accountId: assigned.businessAccountId, workspace, sender: assigned.phoneNumberId },
          )
          return assign(workspace, assigned)
        },
        accounts: () =>
          withResult(accounts(), (listed) =>
            [...listed, ...before.filter(({ accountId }) => !listed.some((one) => one.accountId === accountId))]),
      }
    }),
    breaks: ['each business account is listed once, with the oldest workspace that sends through it'],
  },
  {
    defect: 'finds the workspaces of every business account',
    open: brokenMemory('senders', ({ accounts }) => ({
      sharing: () => accounts(),
    })),
    breaks: ['the workspaces that share a business account are found, oldest first'],
  },
  {
    defect: 'finds the newest workspace of a business account first',
    open: brokenMemory('senders', ({ sharing }) => ({ sharing: (account) => withResult(sharing(account), (all) => all.toReversed()) })),
    breaks: ['the workspaces that share a business account are found, oldest first'],
  },
  {
    defect: 'never notes that a sender fails',
    open: brokenMemory('senders', () => ({ noteHealth: async () => E.right(false) })),
    breaks: ['a sender fails from the first note until a note that it does not', 'of concurrent notes that a sender fails exactly one changes something'],
  },
  {
    defect: 'lets a sender fail since the latest note',
    open: brokenMemory('senders', ({ noteHealth }) => ({
      noteHealth: (of, isFailing, at) => andThen(noteHealth(of, false, at), (recovered) =>
        withResult(noteHealth(of, isFailing, at), (failing) => (isFailing ? failing : recovered))),
    })),
    breaks: ['a sender fails from the first note until a note that it does not'],
  },
  {
    defect: 'notes the health of every sender',
    open: brokenMemory('senders', ({ assign, noteHealth }) => {
      const all: Array<SenderOf> = []
      return {
        assign: (workspace, assigned) => noting(
          assign(workspace, assigned), () => { all.push({ workspace, sender: assigned.phoneNumberId }) },
        ),
        noteHealth: (of, isFailing, at) => andThen(noteHealth(of, isFailing, at), (isChanged) =>
          withResult(Promise.all(all.map((other) => noteHealth(other, isFailing, at))).then(E.sequenceArray), () => isChanged)),
      }
    }),
    breaks: ['a note on the health of one sender is about no other'],
  },
  {
    defect: 'takes a sender with another token for healthy',
    open: brokenMemory('senders', ({ assign, noteHealth }) => ({
      assign: (workspace, assigned) => followedBy(
        assign(workspace, assigned), () => noteHealth({ workspace, sender: assigned.phoneNumberId }, false, 0),
      ),
    })),
    breaks: ['the health of a sender stays with its phone number id'],
  },
  {
    defect: 'keeps the health of a workspace that has another phone number id',
    open: brokenMemory('senders', ({ assign, noteHealth, senderOf }) => ({
      assign: (workspace, assigned) => andThen(senderOf(workspace), (before) => followedBy(assign(workspace, assigned), async () =>
        O.isSome(before) && before.value.failingSince !== undefined
          ? noteHealth({ workspace, sender: assigned.phoneNumberId }, true, before.value.failingSince)
          : E.right(false))),
    })),
    breaks: ['the health of a sender stays with its phone number id'],
  },
  {
    defect: 'says of a workspace without a sender that its health has changed',
    open: brokenMemory('senders', ({ noteHealth, senderOf }) => ({
      noteHealth: (of, isFailing, at) => andThen(senderOf(of.workspace), async (sender) =>
        (O.isNone(sender) ? E.right(true) : noteHealth(of, isFailing, at))),
    })),
    breaks: ['a workspace without a sender has no health'],
  },
  {
    defect: 'answers an unknown workspace with success',
    open: brokenMemory('senders', ({ assign }) => ({
      assign: (workspace, assigned) => ignoring(assign(workspace, assigned), 'UnknownWorkspace'),
    })),
    breaks: ['a sender cannot be given to a workspace that does not exist'],
  },
  ...ACCOUNT_MUTATIONS,
  ...SEVERAL_SENDERS_MUTATIONS,
])

describeMutations('senders of archived workspaces', sendersArchiveLaws, [
  {
    defect: 'lists archived workspaces',
    open: async () => ({ ...(await openMemoryFixture()), archiveWorkspace: async () => undefined }),
    breaks: ['a business account is listed with no archived workspace'],
  },
])

describeMutations('senders with messages and customers', senderDataLaws, SENDER_DATA_MUTATIONS)

describeMutations('senders with batches', sendersWithBatchesLaws, SENDERS_WITH_BATCHES_MUTATIONS)

describeMutations('senders with a queue', queuedSendersLaws, QUEUED_SENDERS_MUTATIONS)

/** Memory that writes tokens to its storage as `encode` says. */
const atRest = (encode: (token: string) => string) => async (): Promise<SendersFixture & AtRest> => {
  const stored: string[] = []
  const { senders, openWorkspace } = await openMemoryFixture()
  return {
    openWorkspace,
    senders: {
      ...senders,
      assign: (workspace, assigned) => {
        stored.push(JSON.stringify({ ...assigned, accessToken: encode(assigned.accessToken) }))
        return senders.assign(workspace, assigned)
      },
    },
    atRest: async () => stored.join('\n'),
  }
}

describeMutations('senders at rest', sendersAtRestLaws, [
  { defect: 'stores access tokens as they are', open: atRest((token) => token), breaks: ['access tokens are encrypted at rest'] },
  {
    defect: 'stores access tokens in Base64', open: atRest((token) => Buffer.from(token).toString('base64')),
    breaks: ['access tokens are encrypted at rest'],
  },
  {
    defect: 'cannot show what it stores',
    open: async () => ({ ...(await atRest(() => '')()), atRest: async () => '' }),
    breaks: ['access tokens are encrypted at rest'],
  },
])
