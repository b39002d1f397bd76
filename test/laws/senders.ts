import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { done, holds, refused, same } from './expect.js'
import { newDigits, newWorkspaceId, times } from './ids.js'
import type { ArchiveFixture } from './key-fixture.js'
import type { Law } from './law.js'
import { senderAccountLaws } from './sender-accounts.js'
import { senderHealthLaws, senderLookupLaws, type SenderLookupFixture } from './sender-lookup.js'
import { severalSendersLaws } from './several-senders.js'
import {
  assigned, newSender, NOON, noteAccount, noteHealth, notSharing, senderOf, type SendersFixture, sharing, workspaceOf, workspacesOf,
} from './senders-fixture.js'

export type { SendersFixture } from './senders-fixture.js'

/** The fixture of the laws that do not prescribe how a workspace gets its sender; here it is assigned. */
const assigning = (fixture: SendersFixture): SendersFixture & SenderLookupFixture =>
  ({ ...fixture, assign: (workspace, sender) => assigned(fixture, workspace, sender) })

const byAssigning = ({ name, check }: Law<SendersFixture & SenderLookupFixture>): Law<SendersFixture> =>
  ({ name, check: (fixture) => check(assigning(fixture)) })

/** The promises of every `Senders`, including its methods that sends do not call. */
export const sendersLaws: ReadonlyArray<Law<SendersFixture>> = [
  ...[...senderLookupLaws, ...senderHealthLaws].map(byAssigning),
  {
    name: 'whether marketing templates go by the API for them is kept with the phone number id until a sender says otherwise',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const sender = newSender()
      const isOn = async () => O.toUndefined(await senderOf(fixture, workspace))?.marketingApi
      for (const [said, expected] of [
        [undefined, undefined], [true, true], [undefined, true], [false, undefined], [undefined, undefined], [true, true],
      ] as const) {
        await assigned(fixture, workspace, { ...sender, ...(said !== undefined && { marketingApi: said }) })
        same(`after ${String(said)}`, await isOn(), expected)
      }
      await noteHealth(fixture, workspace, true, NOON)
      same('while it fails', await isOn(), true)
      await assigned(fixture, workspace)
      same('of another phone number id', await isOn(), undefined)
    },
  },
  {
    name: 'a phone number id of another workspace is SenderTaken, and nothing changes',
    check: async (fixture) => {
      const [ours, theirs] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const [mine, taken] = [await assigned(fixture, ours.workspace), await assigned(fixture, theirs.workspace)]
      const greedy = { ...newSender(), phoneNumberId: taken.phoneNumberId }
      await refused('a phone number id of another workspace', 'SenderTaken', fixture.senders.assign(ours.workspace, greedy))
      same('the one refused keeps its sender', await senderOf(fixture, ours.workspace), O.some(mine))
      same('the owner keeps its sender', await senderOf(fixture, theirs.workspace), O.some(taken))
      same('the phone number id keeps its workspace', await workspaceOf(fixture, taken.phoneNumberId), O.some(theirs.workspace))
    },
  },
  {
    name: 'of concurrent workspaces that want one phone number id exactly one gets it',
    check: async (fixture) => {
      const workspaces = await Promise.all(times(4, () => fixture.openWorkspace()))
      const { phoneNumberId } = newSender()
      const outcomes = await Promise.all(
        workspaces.map(({ workspace }) => fixture.senders.assign(workspace, { ...newSender(), phoneNumberId })),
      )
      const failures = outcomes.flatMap((outcome) => (E.isLeft(outcome) ? [outcome.left._tag] : []))
      same('all but one are answered SenderTaken', failures, ['SenderTaken', 'SenderTaken', 'SenderTaken'])
      const senders = await Promise.all(workspaces.map(({ workspace }) => senderOf(fixture, workspace)))
      same('one workspace has the sender', senders.filter(O.isSome).length, 1)
      const owner = workspaces[outcomes.findIndex(E.isRight)]?.workspace
      same('the phone number id belongs to the one that succeeded', await workspaceOf(fixture, phoneNumberId), O.fromNullable(owner))
    },
  },
  {
    name: 'each business account is listed once, with the oldest workspace that sends through it',
    check: async (fixture) => {
      const [oldest, second, other, bare] = (await Promise.all(times(4, () => fixture.openWorkspace())))
        .map(({ workspace }) => workspace).sort() as [
        WorkspaceId, WorkspaceId, WorkspaceId, WorkspaceId,
      ]
      const [shared, own, unused] = [newDigits(15), newDigits(15), newDigits(15)]
      await assigned(fixture, second, { ...newSender(), businessAccountId: shared })
      await assigned(fixture, other, { ...newSender(), businessAccountId: own })
      await assigned(fixture, bare, { ...newSender(), businessAccountId: undefined })
      same('before the oldest has a sender', await workspacesOf(fixture, [shared, own, unused]), [[second], [other], []])
      await assigned(fixture, oldest, { ...newSender(), businessAccountId: shared })
      same('with the oldest', await workspacesOf(fixture, [shared, own, unused]), [[oldest], [other], []])
      await assigned(fixture, oldest, { ...newSender(), businessAccountId: unused })
      await assigned(fixture, other, { ...newSender(), businessAccountId: undefined })
      same('after the senders changed', await workspacesOf(fixture, [shared, own, unused]), [[second], [], [oldest]])
      const known = await done('the business accounts are listed', fixture.senders.accounts())
      holds('a sender without a business account is left out', known.every(({ workspace }) => workspace !== bare), known)
    },
  },
  {
    name: 'the workspaces that share a business account are found, oldest first',
    check: async (fixture) => {
      const [oldest, second, other] = (await Promise.all(times(3, () => fixture.openWorkspace())))
        .map(({ workspace }) => workspace).sort() as [
        WorkspaceId, WorkspaceId, WorkspaceId,
      ]
      const shared = newDigits(15)
      await assigned(fixture, second, { ...newSender(), businessAccountId: shared })
      await assigned(fixture, oldest, { ...newSender(), businessAccountId: shared })
      await assigned(fixture, other)
      same('both, and no other', await sharing(fixture, shared), [oldest, second])
      await assigned(fixture, oldest)
      same('the one that still sends through it', await sharing(fixture, shared), [second])
      same('an account through which none sends', await sharing(fixture, newDigits(15)), [])
    },
  },
  {
    name: 'a sender that is removed is gone, and its phone number id can go to another workspace',
    check: async (fixture) => {
      const [ours, theirs] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const [mine, other] = [await assigned(fixture, ours.workspace), await assigned(fixture, theirs.workspace)]
      const removed = { workspace: ours.workspace, sender: mine.phoneNumberId }
      await done('a sender is removed', fixture.senders.remove(removed))
      same('the workspace has none', await senderOf(fixture, ours.workspace), O.none)
      same('its number belongs to none', await workspaceOf(fixture, mine.phoneNumberId), O.none)
      same('its account is not listed', await workspacesOf(fixture, [mine.businessAccountId ?? '']), [[]])
      await refused('a second removal', 'UnknownSender', fixture.senders.remove(removed))
      await refused('a workspace that does not exist', 'UnknownSender', fixture.senders.remove({ ...removed, workspace: newWorkspaceId() }))
      await refused('the sender of another', 'UnknownSender', fixture.senders.remove({ ...removed, sender: other.phoneNumberId }))
      same('the other keeps its own', await senderOf(fixture, theirs.workspace), O.some(other))
      const moved = await assigned(fixture, theirs.workspace, { ...mine, accessToken: 'another' })
      same(
        'the number can go to another', [await senderOf(fixture, theirs.workspace), await workspaceOf(fixture, mine.phoneNumberId)],
        [O.some(moved), O.some(theirs.workspace)],
      )
    },
  },
  {
    name: 'of concurrent removals of one sender exactly one removes it',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { phoneNumberId: sender } = await assigned(fixture, workspace)
      const removed = await Promise.all(times(4, () => fixture.senders.remove({ workspace, sender })))
      same('how many removed it', removed.filter(E.isRight).length, 1)
    },
  },
  {
    name: 'a sender cannot be given to a workspace that does not exist',
    check: async (fixture) => {
      const sender = newSender()
      await refused('a workspace that does not exist', 'UnknownWorkspace', fixture.senders.assign(newWorkspaceId(), sender))
      same('its phone number id belongs to no workspace', await workspaceOf(fixture, sender.phoneNumberId), O.none)
    },
  },
  ...senderAccountLaws,
  ...severalSendersLaws,
]

/** The promises of `Senders` over the same storage as a `Workspaces`; a separate list, because senders may stand alone. */
export const sendersArchiveLaws: ReadonlyArray<Law<SendersFixture & ArchiveFixture>> = [
  {
    name: 'a business account is listed with no archived workspace',
    check: async (fixture) => {
      const [first, second] = [
        (await fixture.openWorkspace()).workspace, (await fixture.openWorkspace()).workspace,
      ].sort() as [WorkspaceId, WorkspaceId]
      const shared = newDigits(15)
      for (const workspace of [first, second]) await assigned(fixture, workspace, { ...newSender(), businessAccountId: shared })
      await fixture.archiveWorkspace(first)
      same('while another workspace sends through it', await workspacesOf(fixture, [shared]), [[second]])
      same('the one that shares it', await sharing(fixture, shared), [second])
      const refused = (await fixture.openWorkspace()).workspace
      await noteAccount(fixture, refused, await assigned(fixture, refused, { ...newSender(), businessAccountId: shared }), true, NOON)
      for (const workspace of [second, refused]) await fixture.archiveWorkspace(workspace)
      same('when all are archived', await workspacesOf(fixture, [shared]), [[]])
      same('none of them shares it', await sharing(fixture, shared), [])
      same('they are found with those that do not', await notSharing(fixture, shared), [first, second, refused].sort())
    },
  },
]
