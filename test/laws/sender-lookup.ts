import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Sender, type SenderDirectory, type SenderHealth, senderIdOf } from '../../core/senders/sender.js'
import { same } from './expect.js'
import { newDigits, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { newSender, NOON, noteHealth, senderOf, workspaceOf } from './senders-fixture.js'

/** The senders as sends and reports look them up, and the control over the environment that their laws need. */
export type SenderLookupFixture = {
  readonly senders: SenderDirectory
  /** Opens a workspace that has no sender. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
  /** Assigns a sender to a workspace, replacing an earlier one. */
  readonly assign: (workspace: WorkspaceId, sender: Sender) => Promise<unknown>
}

/** The same fixture, for senders whose health is recorded. */
export type SenderHealthFixture = SenderLookupFixture & { readonly senders: SenderHealth }

/** The promises of every `Senders` about the two methods that every send and every report needs. */
export const senderLookupLaws: ReadonlyArray<Law<SenderLookupFixture>> = [
  {
    name: 'a workspace that was given no sender has none',
    check: async (fixture) => {
      same('a new workspace', await senderOf(fixture, (await fixture.openWorkspace()).workspace), O.none)
      same('a workspace that does not exist', await senderOf(fixture, newWorkspaceId()), O.none)
    },
  },
  {
    name: 'an unassigned phone number id belongs to no workspace',
    check: async (fixture) => {
      for (const phoneNumberId of [newDigits(15), '', '__proto__', '\u0000', '☎️', 'x'.repeat(10_240), '%']) {
        same('an unassigned phone number id', await workspaceOf(fixture, senderIdOf(phoneNumberId)), O.none)
      }
    },
  },
  {
    name: 'a sender is found by its workspace, and the workspace by the phone number id',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const sender = await given(fixture, workspace)
      same('the sender of the workspace', await senderOf(fixture, workspace), O.some(sender))
      same('the workspace of the phone number id', await workspaceOf(fixture, sender.phoneNumberId), O.some(workspace))
    },
  },
  {
    name: 'a sender comes back as it was given',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const tokens = ['t', 'é🔑\u2028"\'\\', '日本語'.repeat(100), `EAAG${'x'.repeat(500)}`]
      for (const accessToken of tokens) {
        const sender = await given(fixture, workspace, { ...newSender(), accessToken })
        same('an access token comes back as given', await senderOf(fixture, workspace), O.some(sender))
      }
      const bare = await given(fixture, workspace, { ...newSender(), businessAccountId: undefined })
      same('a sender without a business account', await senderOf(fixture, workspace), O.some(bare))
    },
  },
  {
    name: 'a sender takes the place of the one before',
    check: async (fixture) => {
      const [ours, theirs] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const before = await given(fixture, ours.workspace)
      const after = await given(fixture, ours.workspace)
      same('the new sender stands', await senderOf(fixture, ours.workspace), O.some(after))
      same('the new phone number id is known', await workspaceOf(fixture, after.phoneNumberId), O.some(ours.workspace))
      same('the old phone number id is known no more', await workspaceOf(fixture, before.phoneNumberId), O.none)
      await given(fixture, theirs.workspace, before)
      same(
        'the old phone number id can go to another workspace', await workspaceOf(fixture, before.phoneNumberId), O.some(theirs.workspace),
      )
    },
  },
  {
    name: 'a workspace can be given its phone number id again with another token',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const sender = await given(fixture, workspace)
      await given(fixture, workspace, sender)
      const renewed = await given(fixture, workspace, { ...sender, accessToken: 'renewed' })
      same('the new token stands', await senderOf(fixture, workspace), O.some(renewed))
      same('the phone number id stays', await workspaceOf(fixture, sender.phoneNumberId), O.some(workspace))
    },
  },
]

/** The promises of a `Senders` that records whether the platform refuses the credentials of a sender. */
export const senderHealthLaws: ReadonlyArray<Law<SenderHealthFixture>> = [
  {
    name: 'a sender fails from the first note until a note that it does not',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const sender = await given(fixture, workspace)
      same('a healthy one is healthy already', await noteHealth(fixture, workspace, false, NOON), false)
      same('the first note that it fails', await noteHealth(fixture, workspace, true, NOON + 1), true)
      same('another one', await noteHealth(fixture, workspace, true, NOON + 2), false)
      same('it fails since the first', await senderOf(fixture, workspace), O.some({ ...sender, failingSince: NOON + 1 }))
      same('a note that it does not', await noteHealth(fixture, workspace, false, NOON + 3), true)
      same('it fails no more', await senderOf(fixture, workspace), O.some(sender))
      same('it can fail again', await noteHealth(fixture, workspace, true, NOON + 4), true)
      same('since then', await senderOf(fixture, workspace), O.some({ ...sender, failingSince: NOON + 4 }))
    },
  },
  {
    name: 'a note on the health of one sender is about no other',
    check: async (fixture) => {
      const [ours, theirs] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const [mine, other] = [await given(fixture, ours.workspace), await given(fixture, theirs.workspace)]
      const noted = await Promise.all([noteHealth(fixture, ours.workspace, true, NOON), noteHealth(fixture, theirs.workspace, false, NOON)])
      same('what has changed', noted, [true, false])
      same('the one that fails', await senderOf(fixture, ours.workspace), O.some({ ...mine, failingSince: NOON }))
      same('the other', await senderOf(fixture, theirs.workspace), O.some(other))
    },
  },
  {
    name: 'of concurrent notes that a sender fails exactly one changes something',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      await given(fixture, workspace)
      const noted = await Promise.all(times(8, (index) => noteHealth(fixture, workspace, true, NOON + index)))
      same('how many changed it', noted.filter((isChanged) => isChanged).length, 1)
      const sender = await senderOf(fixture, workspace)
      same('it fails since that note', O.isSome(sender) ? sender.value.failingSince : undefined, NOON + noted.indexOf(true))
    },
  },
  {
    name: 'the health of a sender stays with its phone number id',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const sender = await given(fixture, workspace)
      await noteHealth(fixture, workspace, true, NOON)
      const renewed = await given(fixture, workspace, { ...sender, accessToken: 'renewed' })
      same('another token may be as bad', await senderOf(fixture, workspace), O.some({ ...renewed, failingSince: NOON }))
      const other = await given(fixture, workspace, { ...newSender(), failingSince: NOON })
      const { failingSince: _given, ...healthy } = other
      same('of another phone number id nothing is known', await senderOf(fixture, workspace), O.some(healthy))
    },
  },
  {
    name: 'a workspace without a sender has no health',
    check: async (fixture) => {
      for (const workspace of [(await fixture.openWorkspace()).workspace, newWorkspaceId()]) {
        for (const isFailing of [true, false]) same('nothing is noted', await noteHealth(fixture, workspace, isFailing, NOON), false)
        same('there is no sender still', await senderOf(fixture, workspace), O.none)
      }
    },
  },
]

/** Assigns a sender to a workspace, by default a new one. */
const given = async ({ assign }: SenderLookupFixture, workspace: WorkspaceId, sender: Sender = newSender()): Promise<Sender> => {
  await assign(workspace, sender)
  return sender
}
