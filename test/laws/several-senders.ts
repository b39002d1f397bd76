import * as O from 'fp-ts/lib/Option.js'
import { type InboxId, type WorkspaceId, workspaceIdOf } from '../../core/kernel/ids.js'
import {
  FORMER_ID_MS, inboxOf, MAX_SENDERS, type Sender, type SenderId, type SenderOf, type SenderOwner,
} from '../../core/senders/sender.js'
import { done, holds, refused, same } from './expect.js'
import { newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { appFor, newSender, NOON, senderOf, type SendersFixture, workspaceOf } from './senders-fixture.js'

/** Adds senders to a workspace, one after the other; their ids are in the same order. */
const added = async (
  { senders }: SendersFixture, workspace: WorkspaceId, count: number,
): Promise<readonly [Sender, Sender, Sender]> => {
  const given = [...times(count, newSender)].sort((a, b) => (a.phoneNumberId < b.phoneNumberId ? -1 : 1))
  for (const sender of given) await done('a sender is added', senders.assign(workspace, sender))
  return given as ReadonlyArray<Sender> as readonly [Sender, Sender, Sender]
}

const idsOf = async ({ senders }: SendersFixture, workspace: WorkspaceId): Promise<ReadonlyArray<SenderId>> =>
  (await done('the senders are listed', senders.sendersOf(workspace))).map(({ phoneNumberId }) => phoneNumberId)

const inboxesOf = async ({ senders }: SendersFixture, workspace: WorkspaceId): Promise<ReadonlyArray<InboxId>> =>
  (await done('the senders are listed', senders.sendersOf(workspace))).map((sender) => inboxOf(workspace, sender))

const ownerOf = async ({ senders }: SendersFixture, id: SenderId, at: number): Promise<SenderOwner | undefined> =>
  O.toUndefined(await done('the owner of an id is read', senders.ownerOf(id, at)))

const removed = ({ senders }: SendersFixture, workspace: WorkspaceId, { phoneNumberId: sender }: Sender): Promise<void> =>
  done('a sender is removed', senders.remove({ workspace, sender }))

const replaced = async ({ senders }: SendersFixture, of: SenderOf, at: number, by: Sender = newSender()): Promise<Sender> => {
  await done('a number moves', senders.replace(of, by, at))
  return by
}

/** The promises of `Senders` about workspaces with several of them. */
export const severalSendersLaws: ReadonlyArray<Law<SendersFixture>> = [
  {
    name: 'a sender is added to those that its workspace has, and the first one is the default',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [first, second, third] = await added(fixture, workspace, 3)
      same('the default sender', await senderOf(fixture, workspace), O.some(first))
      for (const sender of [first, second, third]) {
        same('each is found by its id', await senderOf(fixture, workspace, sender.phoneNumberId), O.some(sender))
        same('and its workspace', await workspaceOf(fixture, sender.phoneNumberId), O.some(workspace))
      }
      same('all of them', await idsOf(fixture, workspace), [first, second, third].map(({ phoneNumberId }) => phoneNumberId))
      const all = await done('the senders are listed', fixture.senders.sendersOf(workspace))
      same('one is the default', all.map(({ isDefault }) => isDefault), [true, undefined, undefined])
      same('of a workspace that does not exist', await idsOf(fixture, newWorkspaceId()), [])
    },
  },
  {
    name: 'senders are listed as they are found, without their access tokens',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const all = await added(fixture, workspace, 2)
      await done(
        'the second is set again',
        fixture.senders.assign(workspace, { ...all[1], businessAccountId: '2001', marketingApi: true }),
      )
      const found = await Promise.all(
        all.map(({ phoneNumberId }) => done('a sender is read', fixture.senders.senderOf(workspace, phoneNumberId))),
      )
      const withoutTokens = found.flatMap((one) => (O.isSome(one) ? [one.value] : [])).map(({ accessToken: _token, ...sender }) => sender)
      same('the list', await done('the senders are listed', fixture.senders.sendersOf(workspace)), withoutTokens)
    },
  },
  {
    name: 'a sender that is set again stays the default or not, unless it is set as the default',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [first, second] = await added(fixture, workspace, 2)
      for (const sender of [first, second]) await done(
        'it is set again', fixture.senders.assign(workspace, { ...sender, accessToken: 'renewed' }),
      )
      same('the first stays it', O.toUndefined(await senderOf(fixture, workspace))?.phoneNumberId, first.phoneNumberId)
      await done('the second is set as it', fixture.senders.assign(workspace, { ...second, isDefault: true }))
      same('the second is it', await senderOf(fixture, workspace), O.some(second))
      await done('the second is set again', fixture.senders.assign(workspace, second))
      same('it stays it', await senderOf(fixture, workspace), O.some(second))
    },
  },
  {
    name: 'any sender of a workspace can be made the default, and after concurrent calls exactly one is the default',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const all = await added(fixture, workspace, 3)
      await done('it is made the default', fixture.senders.makeDefault({ workspace, sender: all[2].phoneNumberId }))
      same('it is the default', await senderOf(fixture, workspace), O.some(all[2]))
      same('it is listed first', await idsOf(fixture, workspace), [all[2], all[0], all[1]].map(({ phoneNumberId }) => phoneNumberId))
      await Promise.all(all.flatMap(({ phoneNumberId: sender }) => times(3, () => fixture.senders.makeDefault({ workspace, sender }))))
      const listed = await done('the senders are listed', fixture.senders.sendersOf(workspace))
      same('one is the default', listed.filter(({ isDefault }) => isDefault).length, 1)
    },
  },
  {
    name: 'of concurrent first senders one is the default and one has the workspace\'s own inbox',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      await Promise.all(times(4, () => done('a sender is added', fixture.senders.assign(workspace, newSender()))))
      const listed = await done('the senders are listed', fixture.senders.sendersOf(workspace))
      same('all were added', listed.length, 4)
      same('one is the default', listed.filter(({ isDefault }) => isDefault).length, 1)
      const inboxes = await inboxesOf(fixture, workspace)
      same('each has an inbox of its own', new Set(inboxes).size, 4)
      same('one has the workspace\'s', inboxes.filter((inbox) => inbox === workspace).length, 1)
    },
  },
  {
    name: 'a workspace has the senders of no other, and UnknownSender changes nothing',
    check: async (fixture) => {
      const [ours, theirs] = [(await fixture.openWorkspace()).workspace, (await fixture.openWorkspace()).workspace]
      const [[mine], [other]] = [await added(fixture, ours, 1), await added(fixture, theirs, 1)]
      same('their sender is none of ours', await senderOf(fixture, ours, other.phoneNumberId), O.none)
      const foreign = { workspace: ours, sender: other.phoneNumberId }
      await refused('made the default', 'UnknownSender', fixture.senders.makeDefault(foreign))
      await refused('removed', 'UnknownSender', fixture.senders.remove(foreign))
      await refused('replaced', 'UnknownSender', fixture.senders.replace(foreign, newSender(), NOON))
      same('theirs is as it was', await senderOf(fixture, theirs), O.some(other))
      same('ours, too', await senderOf(fixture, ours), O.some(mine))
      same('a note about it changes nothing', await done('its health is noted', fixture.senders.noteHealth(foreign, true, NOON)), false)
      const asked = { businessAccountId: other.businessAccountId ?? '', accessToken: other.accessToken }
      same('nor one about its account', await done('its account is noted', fixture.senders.noteAccount(foreign, asked, true, NOON)), false)
      same('theirs is healthy', await senderOf(fixture, theirs), O.some(other))
    },
  },
  {
    name: 'a default sender that is removed is followed by the first of the others',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [first, second, third] = await added(fixture, workspace, 3)
      await done('the second is made it', fixture.senders.makeDefault({ workspace, sender: second.phoneNumberId }))
      await removed(fixture, workspace, second)
      same('the first of the others', await senderOf(fixture, workspace), O.some(first))
      await removed(fixture, workspace, first)
      same('the last', await senderOf(fixture, workspace), O.some(third))
      await removed(fixture, workspace, third)
      same('none is left', await senderOf(fixture, workspace), O.none)
    },
  },
  {
    name: 'the sender that follows a removed default sender stays the default when another one is added or moves',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [first, second, third] = await added(fixture, workspace, 4)
      const [fourth] = (await idsOf(fixture, workspace)).toReversed()
      await removed(fixture, workspace, first)
      await done('one with a lower id is added', fixture.senders.assign(workspace, first))
      same('the second stays the default', await senderOf(fixture, workspace), O.some(second))
      for (const sender of [first, second]) await removed(fixture, workspace, sender)
      await replaced(fixture, { workspace, sender: fourth ?? third.phoneNumberId }, NOON, first)
      same('the third is the default, and not the one that has moved to a lower id', await senderOf(fixture, workspace), O.some(third))
    },
  },
  {
    name: 'each sender has an inbox of its own, the first one the workspace\'s, and keeps it',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [first, second] = await added(fixture, workspace, 3)
      const inboxes = await inboxesOf(fixture, workspace)
      same('the first', inboxes[0], workspace)
      same('each its own', new Set(inboxes).size, 3)
      for (const [index, id] of (await idsOf(fixture, workspace)).entries()) {
        same('the owner of the id has it', (await ownerOf(fixture, id, NOON))?.inbox, inboxes[index])
      }
      await done('the second is made the default', fixture.senders.makeDefault({ workspace, sender: second.phoneNumberId }))
      for (const sender of [first, second]) await done(
        'it is set again', fixture.senders.assign(workspace, { ...sender, accessToken: 'renewed' }),
      )
      const after = await inboxesOf(fixture, workspace)
      same('they stay', [...after].sort(), [...inboxes].sort())
      same('with their senders', after[0], inboxes[1])
      const other = (await fixture.openWorkspace()).workspace
      await added(fixture, other, 2)
      same('no other workspace has one of them', (await inboxesOf(fixture, other)).filter((inbox) => inboxes.includes(inbox)), [])
    },
  },
  {
    name: 'a number that comes back has the inbox that it had, and no other number gets it',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [first, second] = await added(fixture, workspace, 2)
      const [inboxOfFirst, inboxOfSecond] = await inboxesOf(fixture, workspace)
      for (const sender of [first, second]) await removed(fixture, workspace, sender)
      const [stranger] = await added(fixture, workspace, 1)
      const [inboxOfStranger] = await inboxesOf(fixture, workspace)
      holds(
        'another number starts with an empty inbox', inboxOfStranger !== inboxOfFirst && inboxOfStranger !== inboxOfSecond, inboxOfStranger,
      )
      for (const sender of [first, second]) await done('it comes back', fixture.senders.assign(workspace, sender))
      const listed = await done('the senders are listed', fixture.senders.sendersOf(workspace))
      const inboxes = new Map(listed.map((one) => [one.phoneNumberId, inboxOf(workspace, one)]))
      same(
        'each has its own again', [first, second, stranger].map(({ phoneNumberId }) => inboxes.get(phoneNumberId)),
        [inboxOfFirst, inboxOfSecond, inboxOfStranger],
      )
      const elsewhere = (await fixture.openWorkspace()).workspace
      await removed(fixture, workspace, second)
      await done('it moves to another workspace', fixture.senders.assign(elsewhere, second))
      same('there it has another', await inboxesOf(fixture, elsewhere), [elsewhere])
    },
  },
  {
    name: 'every inbox of a workspace is listed, those of removed senders too',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const listed = () => done('the inboxes are listed', fixture.senders.inboxesOf(workspace))
      same('before the first sender', await listed(), [workspace])
      const [first, second] = await added(fixture, workspace, 2)
      const inboxes = await inboxesOf(fixture, workspace)
      same('those of its senders', [...(await listed())].sort(), [...inboxes].sort())
      for (const sender of [first, second]) await removed(fixture, workspace, sender)
      same('those that it had', [...(await listed())].sort(), [...inboxes].sort())
    },
  },
  {
    name: 'a number that moves has its new ids, and its place and its inbox as before',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [first, second] = await added(fixture, workspace, 2)
      const inboxes = await inboxesOf(fixture, workspace)
      await done('it fails', fixture.senders.noteHealth({ workspace, sender: first.phoneNumberId }, true, NOON))
      const moved = await replaced(fixture, { workspace, sender: first.phoneNumberId }, NOON)
      same('the default sender', await senderOf(fixture, workspace), O.some(moved))
      same('its former id is no sender', await senderOf(fixture, workspace, first.phoneNumberId), O.none)
      same('its inbox', (await inboxesOf(fixture, workspace))[0], inboxes[0])
      const other = await replaced(fixture, { workspace, sender: second.phoneNumberId }, NOON)
      same('the default sender stays it', await senderOf(fixture, workspace), O.some(moved))
      same('the other moved', await senderOf(fixture, workspace, other.phoneNumberId), O.some(other))
      same('with its inbox', [...(await inboxesOf(fixture, workspace))].sort(), [...inboxes].sort())
    },
  },
  {
    name: 'the former id of a moved number is understood for seven days, as that of its present sender',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [first] = await added(fixture, workspace, 1)
      const second = await replaced(fixture, { workspace, sender: first.phoneNumberId }, NOON)
      const third = await replaced(fixture, { workspace, sender: second.phoneNumberId }, NOON + 1)
      const expected = { workspace, sender: third.phoneNumberId, inbox: workspace as InboxId, isFormer: true as const }
      same('the first id', await ownerOf(fixture, first.phoneNumberId, NOON + FORMER_ID_MS - 1), expected)
      same('the second id', await ownerOf(fixture, second.phoneNumberId, NOON + FORMER_ID_MS), expected)
      same(
        'the present id', await ownerOf(fixture, third.phoneNumberId, NOON), { workspace, sender: third.phoneNumberId, inbox: workspace },
      )
      same('after seven days', await ownerOf(fixture, first.phoneNumberId, NOON + FORMER_ID_MS), undefined)
      const ids = await done('former ids are listed', fixture.senders.formerIdsOf({ workspace, sender: third.phoneNumberId }))
      same('all of them, oldest first', ids, [first.phoneNumberId, second.phoneNumberId])
      const none = await done('former ids are listed', fixture.senders.formerIdsOf({ workspace, sender: first.phoneNumberId }))
      same('of a sender that never moved', none, [])
    },
  },
  {
    name: 'a former id that another workspace has belongs to that one, and is given to a new sender with an inbox of its own',
    check: async (fixture) => {
      const [ours, theirs] = [(await fixture.openWorkspace()).workspace, (await fixture.openWorkspace()).workspace]
      const [first] = await added(fixture, ours, 1)
      await replaced(fixture, { workspace: ours, sender: first.phoneNumberId }, NOON)
      await done('another workspace has it', fixture.senders.assign(theirs, first))
      same('it is theirs', (await ownerOf(fixture, first.phoneNumberId, NOON + 1))?.workspace, theirs)
      await removed(fixture, theirs, first)
      await done('it comes back', fixture.senders.assign(ours, first))
      same('two senders have two inboxes', new Set(await inboxesOf(fixture, ours)).size, 2)
    },
  },
  {
    name: 'a number cannot move to an id that a workspace has, and nothing changes',
    check: async (fixture) => {
      const [ours, theirs] = [(await fixture.openWorkspace()).workspace, (await fixture.openWorkspace()).workspace]
      const [[first, second], [other]] = [await added(fixture, ours, 2), await added(fixture, theirs, 1)]
      for (const { phoneNumberId } of [second, other]) {
        await refused('an id that is taken', 'SenderTaken', fixture.senders.replace(
          { workspace: ours, sender: first.phoneNumberId }, { ...newSender(), phoneNumberId }, NOON))
      }
      same('ours', await idsOf(fixture, ours), [first.phoneNumberId, second.phoneNumberId])
      same('theirs', await senderOf(fixture, theirs), O.some(other))
    },
  },
  {
    name: `a workspace has at most ${MAX_SENDERS} senders`,
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [first] = await added(fixture, workspace, MAX_SENDERS)
      await refused('one more', 'TooManySenders', fixture.senders.assign(workspace, newSender()))
      await done('one of them is set again', fixture.senders.assign(workspace, { ...first, accessToken: 'renewed' }))
      same('all are there', (await idsOf(fixture, workspace)).length, MAX_SENDERS)
      await removed(fixture, workspace, first)
      await done('one in its place', fixture.senders.assign(workspace, newSender()))
      await refused(
        'a workspace that does not exist', 'UnknownWorkspace', fixture.senders.assign(workspaceIdOf('0'.repeat(32)), newSender()),
      )
    },
  },
  {
    name: 'the app of a sender comes back as it was given, and its owner has it',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const sender = { ...newSender(), app: await appFor(fixture) }
      await done('a sender is added', fixture.senders.assign(workspace, sender))
      same('of the sender', await senderOf(fixture, workspace), O.some(sender))
      same('of its owner', (await ownerOf(fixture, sender.phoneNumberId, NOON))?.app, sender.app)
      const { app: _app, ...bare } = sender
      await done('it is set without an app', fixture.senders.assign(workspace, bare))
      same('it has none', await senderOf(fixture, workspace), O.some(bare))
    },
  },
]
