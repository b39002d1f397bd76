import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Sender } from '../../core/senders/sender.js'
import { same } from './expect.js'
import { newDigits, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import {
  assigned, newSender, NOON, noteAccount, notSharing, senderOf, type SendersFixture, sharing, workspacesOf,
} from './senders-fixture.js'

type Sharer = { readonly workspace: WorkspaceId; readonly sender: Sender }

/** Three workspaces, oldest first, that send through the same account. */
const sharers = async (fixture: SendersFixture): Promise<{ readonly account: string; readonly all: readonly [Sharer, Sharer, Sharer] }> => {
  const account = newDigits(15)
  const workspaces = (await Promise.all(times(3, () => fixture.openWorkspace()))).map(({ workspace }) => workspace).sort()
  const all = await Promise.all(workspaces.map(async (workspace): Promise<Sharer> =>
    ({ workspace, sender: await assigned(fixture, workspace, { ...newSender(), businessAccountId: account }) })))
  return { account, all: all as [Sharer, Sharer, Sharer] }
}

/** The promises of every `Senders` about the business accounts that tokens may read. */
export const senderAccountLaws: ReadonlyArray<Law<SendersFixture>> = [
  {
    name: 'a token may not read its account from the first note until a note that it may',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const sender = await assigned(fixture, workspace)
      same('it may already', await noteAccount(fixture, workspace, sender, false, NOON), false)
      same('the first note that it may not', await noteAccount(fixture, workspace, sender, true, NOON + 1), true)
      same('another one', await noteAccount(fixture, workspace, sender, true, NOON + 2), false)
      same('it may not since the first', await senderOf(fixture, workspace), O.some({ ...sender, accountRefusedSince: NOON + 1 }))
      same('a note that it may', await noteAccount(fixture, workspace, sender, false, NOON + 3), true)
      same('it may again', await senderOf(fixture, workspace), O.some(sender))
      same('it can lose the account again', await noteAccount(fixture, workspace, sender, true, NOON + 4), true)
      same('since then', await senderOf(fixture, workspace), O.some({ ...sender, accountRefusedSince: NOON + 4 }))
    },
  },
  {
    name: 'a note on the account of one sender is about no other',
    check: async (fixture) => {
      const { all: [ours, theirs] } = await sharers(fixture)
      const noted = await Promise.all([
        noteAccount(fixture, ours.workspace, ours.sender, true, NOON), noteAccount(fixture, theirs.workspace, theirs.sender, false, NOON),
      ])
      same('what has changed', noted, [true, false])
      same('the one that may not', await senderOf(fixture, ours.workspace), O.some({ ...ours.sender, accountRefusedSince: NOON }))
      same('the other', await senderOf(fixture, theirs.workspace), O.some(theirs.sender))
    },
  },
  {
    name: 'of concurrent notes that a token may not read its account exactly one changes something',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const sender = await assigned(fixture, workspace)
      const noted = await Promise.all(times(8, (index) => noteAccount(fixture, workspace, sender, true, NOON + index)))
      same('how many changed it', noted.filter((isChanged) => isChanged).length, 1)
      same('since that note', await senderOf(fixture, workspace), O.some({ ...sender, accountRefusedSince: NOON + noted.indexOf(true) }))
    },
  },
  {
    name: 'a note about a token or an account that the sender no longer has changes nothing',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const before = await assigned(fixture, workspace)
      const renewed = await assigned(fixture, workspace, { ...before, accessToken: 'renewed' })
      same('a late note about the token before', await noteAccount(fixture, workspace, before, true, NOON), false)
      const moved = { ...renewed, businessAccountId: newDigits(15) }
      same('one about another account', await noteAccount(fixture, workspace, moved, true, NOON), false)
      same('the sender may read its account', await senderOf(fixture, workspace), O.some(renewed))
      await noteAccount(fixture, workspace, renewed, true, NOON)
      same('a late note that the token before may', await noteAccount(fixture, workspace, before, false, NOON), false)
      same('the one that may not', await senderOf(fixture, workspace), O.some({ ...renewed, accountRefusedSince: NOON }))
      for (const none of [(await fixture.openWorkspace()).workspace, newWorkspaceId()]) {
        same('a workspace without a sender', await noteAccount(fixture, none, before, true, NOON), false)
        same('it has none still', await senderOf(fixture, none), O.none)
      }
    },
  },
  {
    name: 'a sender that is set again may read its account until it is noted that it may not',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const sender = await assigned(fixture, workspace)
      await noteAccount(fixture, workspace, sender, true, NOON)
      await assigned(fixture, workspace, { ...sender, accountRefusedSince: NOON })
      same('the same one', await senderOf(fixture, workspace), O.some(sender))
      await noteAccount(fixture, workspace, sender, true, NOON)
      const renewed = await assigned(fixture, workspace, { ...sender, accessToken: 'renewed' })
      same('one with another token', await senderOf(fixture, workspace), O.some(renewed))
    },
  },
  {
    name: 'a workspace whose token may not read its account is not found with those that share it, but with the others',
    check: async (fixture) => {
      const { account, all } = await sharers(fixture)
      const [oldest, second, newest] = all
      const found = async () => [await sharing(fixture, account), await notSharing(fixture, account)]
      same('before the first note', await found(), [all.map(({ workspace }) => workspace), []])
      for (const { workspace, sender } of [newest, oldest]) await noteAccount(fixture, workspace, sender, true, NOON)
      same('the one that may, and the others, oldest first', await found(), [[second.workspace], [oldest.workspace, newest.workspace]])
      same('of another account', await notSharing(fixture, newDigits(15)), [])
      await noteAccount(fixture, oldest.workspace, oldest.sender, false, NOON)
      same('once the oldest may again', await found(), [[oldest.workspace, second.workspace], [newest.workspace]])
    },
  },
  {
    name: 'a business account is listed with the oldest workspace whose token may read it, or with the oldest where no token may',
    check: async (fixture) => {
      const { account, all } = await sharers(fixture)
      const [oldest, second, newest] = all
      const listed = () => workspacesOf(fixture, [account])
      await noteAccount(fixture, oldest.workspace, oldest.sender, true, NOON)
      same('while the oldest may not', await listed(), [[second.workspace]])
      for (const { workspace, sender } of [second, newest]) await noteAccount(fixture, workspace, sender, true, NOON)
      same('while none may', await listed(), [[oldest.workspace]])
      await noteAccount(fixture, newest.workspace, newest.sender, false, NOON)
      same('once one may again', await listed(), [[newest.workspace]])
    },
  },
]
