import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Sender, Senders, WorkspaceId } from '../../core/ports/senders.js'
import { done, refused, same } from './expect.js'
import { newDigits, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** The senders, and the powers over the outside that their laws need. */
export type SendersWorld = {
  readonly senders: Senders
  /** Opens a workspace that has no sender. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
}

const newSender = (): Sender => ({
  phoneNumberId: newDigits(15), accessToken: `EAAG${newDigits(30)}`, businessAccountId: newDigits(15),
})

const assigned = async ({ senders }: SendersWorld, workspace: WorkspaceId, sender: Sender = newSender()): Promise<Sender> => {
  await done('a workspace is given its sender', senders.assign(workspace, sender))
  return sender
}

const senderOf = ({ senders }: SendersWorld, workspace: WorkspaceId): Promise<O.Option<Sender>> =>
  done('the sender of a workspace is told', senders.senderOf(workspace))

const workspaceOf = ({ senders }: SendersWorld, phoneNumberId: string): Promise<O.Option<WorkspaceId>> =>
  done('the workspace of a phone number id is told', senders.workspaceOf(phoneNumberId))

/** What every `Senders` promises. */
export const sendersLaws: ReadonlyArray<Law<SendersWorld>> = [
  {
    name: 'a workspace that was given no sender has none',
    check: async (world) => {
      same('a new workspace', await senderOf(world, (await world.openWorkspace()).workspace), O.none)
      same('a workspace that does not exist', await senderOf(world, newWorkspaceId()), O.none)
    },
  },
  {
    name: 'a phone number id that nobody has belongs to no workspace',
    check: async (world) => {
      for (const phoneNumberId of [newDigits(15), '', '__proto__', '\u0000', '☎️', 'x'.repeat(10_240), '%']) {
        same('a phone number id nobody has', await workspaceOf(world, phoneNumberId), O.none)
      }
    },
  },
  {
    name: 'a sender is found by its workspace, and the workspace by the phone number id',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const sender = await assigned(world, workspace)
      same('the sender of the workspace', await senderOf(world, workspace), O.some(sender))
      same('the workspace of the phone number id', await workspaceOf(world, sender.phoneNumberId), O.some(workspace))
    },
  },
  {
    name: 'a sender comes back as it was given',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const tokens = ['t', 'é🔑\u2028"\'\\', '日本語'.repeat(100), `EAAG${'x'.repeat(500)}`]
      for (const accessToken of tokens) {
        const sender = await assigned(world, workspace, { ...newSender(), accessToken })
        same('an access token comes back as given', await senderOf(world, workspace), O.some(sender))
      }
      const bare = await assigned(world, workspace, { ...newSender(), businessAccountId: undefined })
      same('a sender without a business account', await senderOf(world, workspace), O.some(bare))
    },
  },
  {
    name: 'a sender takes the place of the one before',
    check: async (world) => {
      const [ours, theirs] = [await world.openWorkspace(), await world.openWorkspace()]
      const before = await assigned(world, ours.workspace)
      const after = await assigned(world, ours.workspace)
      same('the new sender stands', await senderOf(world, ours.workspace), O.some(after))
      same('the new phone number id is known', await workspaceOf(world, after.phoneNumberId), O.some(ours.workspace))
      same('the old phone number id is known no more', await workspaceOf(world, before.phoneNumberId), O.none)
      await assigned(world, theirs.workspace, before)
      same('the old phone number id can go to another workspace', await workspaceOf(world, before.phoneNumberId), O.some(theirs.workspace))
    },
  },
  {
    name: 'a workspace can be given its phone number id again with another token',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const sender = await assigned(world, workspace)
      await assigned(world, workspace, sender)
      const renewed = await assigned(world, workspace, { ...sender, accessToken: 'renewed' })
      same('the new token stands', await senderOf(world, workspace), O.some(renewed))
      same('the phone number id stays', await workspaceOf(world, sender.phoneNumberId), O.some(workspace))
    },
  },
  {
    name: 'a phone number id of another workspace is SenderTaken, and nothing changes',
    check: async (world) => {
      const [ours, theirs] = [await world.openWorkspace(), await world.openWorkspace()]
      const [mine, taken] = [await assigned(world, ours.workspace), await assigned(world, theirs.workspace)]
      const greedy = { ...newSender(), phoneNumberId: taken.phoneNumberId }
      await refused('a phone number id of another workspace', 'SenderTaken', world.senders.assign(ours.workspace, greedy))
      same('the one refused keeps its sender', await senderOf(world, ours.workspace), O.some(mine))
      same('the owner keeps its sender', await senderOf(world, theirs.workspace), O.some(taken))
      same('the phone number id keeps its workspace', await workspaceOf(world, taken.phoneNumberId), O.some(theirs.workspace))
    },
  },
  {
    name: 'of concurrent workspaces that want one phone number id exactly one gets it',
    check: async (world) => {
      const workspaces = await Promise.all(times(4, () => world.openWorkspace()))
      const { phoneNumberId } = newSender()
      const outcomes = await Promise.all(
        workspaces.map(({ workspace }) => world.senders.assign(workspace, { ...newSender(), phoneNumberId })()),
      )
      const failures = outcomes.flatMap((outcome) => (E.isLeft(outcome) ? [outcome.left._tag] : []))
      same('all but one are told SenderTaken', failures, ['SenderTaken', 'SenderTaken', 'SenderTaken'])
      const senders = await Promise.all(workspaces.map(({ workspace }) => senderOf(world, workspace)))
      same('one workspace has the sender', senders.filter(O.isSome).length, 1)
      const owner = workspaces[outcomes.findIndex(E.isRight)]?.workspace
      same('the phone number id belongs to the one that was told so', await workspaceOf(world, phoneNumberId), O.fromNullable(owner))
    },
  },
  {
    name: 'a sender cannot be given to a workspace that does not exist',
    check: async (world) => {
      const sender = newSender()
      await refused('a workspace that does not exist', 'UnknownWorkspace', world.senders.assign(newWorkspaceId(), sender))
      same('its phone number id belongs to no workspace', await workspaceOf(world, sender.phoneNumberId), O.none)
    },
  },
]
