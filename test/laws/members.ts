import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { LinkPurpose } from '../../core/ports/members.js'
import { done, holds, refused, same } from './expect.js'
import { times, newName } from './ids.js'
import type { Law } from './law.js'
import {
  invitation, invited, memberNow, type MembersFixture, newAlong, newDigest, newEmail, newMemberId, newSession, NOON, OPERATOR, roleIn, shown,
} from './member-fixture.js'

export type { MembersFixture } from './member-fixture.js'

const LATER = NOON + 3_600_000

/** What every `Members` promises. */
export const membersLaws: ReadonlyArray<Law<MembersFixture>> = [
  {
    name: 'a person who is invited is found by her id and her email, with her role and nothing else',
    check: async (fixture) => {
      const { member, given, workspace } = await invited(fixture)
      same('the member', shown(member), {
        id: given.id, email: given.email, isOperator: false, roles: [[workspace, 'developer']], createdAt: NOON, lastSignInAt: undefined, hasPassword: false,
      })
      same('the member by her id', shown(await memberNow(fixture, member.id)), shown(member))
      const byEmail = await done('a member is looked for', fixture.elsewhere.members.withEmail(given.email))
      same('the member by her email', O.isSome(byEmail) && byEmail.value.id, member.id)
      same('an unknown id', await done('a member is looked for', fixture.members.find(newMemberId())), O.none)
      same('an unknown email', await done('a member is looked for', fixture.members.withEmail(newEmail())), O.none)
    },
  },
  {
    name: 'a second invitation for an email adds to the same member, replaces a role in the same workspace, and ends the earlier link',
    check: async (fixture) => {
      const { member, given, digest, workspace } = await invited(fixture)
      const other = (await fixture.openWorkspace()).workspace
      const [second, third] = [roleIn(other, 'owner'), roleIn(workspace, 'viewer')].map((access) => invitation(access, { email: given.email }))
      for (const more of [second, third]) if (more !== undefined) await done('an invitation', fixture.elsewhere.members.invite(more))
      same('her roles', shown(await memberNow(fixture, member.id)), shown({ ...member, roles: new Map([[workspace, 'viewer'], [other, 'owner']]) }))
      for (const ended of [digest, second?.link.digest ?? digest]) await refused('an earlier link', 'LinkUnusable', fixture.members.takeLink(ended, NOON, undefined))
      await done('the latest link', fixture.members.takeLink(third?.link.digest ?? digest, NOON, undefined))
    },
  },
  {
    name: 'concurrent invitations for one email make one member, with the accesses of all and one link',
    check: async (fixture) => {
      const email = newEmail()
      const given = await Promise.all(times(6, async () => invitation(roleIn((await fixture.openWorkspace()).workspace), { email })))
      const made = await Promise.all(given.map((one, index) => done('an invitation', (index % 2 === 0 ? fixture : fixture.elsewhere).members.invite(one))))
      same('how many members there are', new Set(made.map(({ id }) => id)).size, 1)
      const [first] = made
      if (first !== undefined) same('her roles', (await memberNow(fixture, first.id)).roles.size, given.length)
      const taken = await Promise.all(given.map(({ link }) => fixture.members.takeLink(link.digest, NOON, undefined)()))
      same('how many links work', taken.filter(E.isRight).length, 1)
    },
  },
  {
    name: 'an invitation into a workspace that does not exist is an UnknownWorkspace and leaves no member',
    check: async ({ members }) => {
      const given = invitation(roleIn(`wsp_${newName()}` as never))
      await refused('an invitation', 'UnknownWorkspace', members.invite(given))
      same('the member', await done('a member is looked for', members.withEmail(given.email)), O.none)
    },
  },
  {
    name: 'an invitation that is for one workspace alone is a MemberElsewhere for a person with more access, and changes nothing',
    check: async (fixture) => {
      const { member, given, digest, workspace } = await invited(fixture)
      const operator = invitation(OPERATOR)
      await done('an operator is invited', fixture.members.invite(operator))
      const { workspace: other } = await fixture.openWorkspace()
      for (const email of [given.email, operator.email]) {
        await refused('an invitation', 'MemberElsewhere', fixture.members.invite(invitation(roleIn(other), { email, onlyHere: true })))
      }
      same('the member', shown(await memberNow(fixture, member.id)), shown(member))
      await done('her link', fixture.members.takeLink(digest, NOON, undefined))
      await done('an invitation into the same workspace', fixture.members.invite(invitation(roleIn(workspace), { email: given.email, onlyHere: true })))
    },
  },
  {
    name: 'a list has the members of a workspace, or all, in the order of their ids',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const made = await Promise.all(times(4, () => done('an invitation', fixture.members.invite(invitation(roleIn(workspace))))))
      const { member: other } = await invited(fixture)
      const ids = made.map(({ id }) => id).sort()
      same('those of the workspace', (await done('a list', fixture.members.list(workspace))).map(({ id }) => id), ids)
      const all = (await done('a list', fixture.members.list())).map(({ id }) => id)
      same('all', all.filter((id) => [...ids, other.id].includes(id)), [...ids, other.id].sort())
    },
  },
  {
    name: 'a link shows its member without being used up, signs in once, and not when it has expired',
    check: async (fixture) => {
      const { member, digest, given } = await invited(fixture)
      const shows = () => done('a link is looked at', fixture.members.peekLink(digest, NOON))
      const purpose: LinkPurpose = { _tag: 'Member', email: given.email }
      same('the link', [await shows(), await shows()], [O.some(purpose), O.some(purpose)])
      await refused('an expired link', 'LinkUnusable', fixture.members.takeLink(digest, LATER, undefined))
      same('an expired link', await done('a link is looked at', fixture.members.peekLink(digest, LATER)), O.none)
      same('whom it signs in', (await done('the link', fixture.members.takeLink(digest, LATER - 1, undefined))).id, member.id)
      await refused('a used link', 'LinkUnusable', fixture.elsewhere.members.takeLink(digest, NOON, undefined))
      same('a used link', await done('a link is looked at', fixture.members.peekLink(digest, NOON)), O.none)
      for (const unknown of [newDigest(), '', '\u0000', 'x'.repeat(1_000)]) {
        await refused('an unknown link', 'LinkUnusable', fixture.members.takeLink(unknown as typeof digest, NOON, undefined))
      }
    },
  },
  {
    name: 'of concurrent uses of one link exactly one succeeds',
    check: async (fixture) => {
      for (let round = 0; round < 4; round += 1) {
        const { digest } = await invited(fixture)
        const taken = await Promise.all(times(8, (index) => (index % 2 === 0 ? fixture : fixture.elsewhere).members.takeLink(digest, NOON, undefined)()))
        same('how many uses succeed', taken.filter(E.isRight).length, 1)
      }
    },
  },
  {
    name: 'setting a password stores its digest, and ends the other sessions and the links',
    check: async (fixture) => {
      const { member, given } = await invited(fixture)
      const [kept, other] = [newSession(member.id), newSession(member.id)]
      const [keptDigest, otherDigest] = [newDigest(), newDigest()]
      await done('a session', fixture.sessions.open(kept, keptDigest))
      await done('a session', fixture.sessions.open(other, otherDigest))
      const text = `$digest$${'x'.repeat(247)}`
      await done('a password is set', fixture.members.setPassword(member.id, text, kept.id))
      const known = await done('the password', fixture.elsewhere.members.withPassword(given.email))
      same('its digest', O.isSome(known) && [known.value.passwordDigest, known.value.member.hasPassword], [text, true])
      same('the other session', await done('a session', fixture.sessions.find(otherDigest, NOON)), O.none)
      holds('the session stays', O.isSome(await done('a session', fixture.sessions.find(keptDigest, NOON))), keptDigest)
      await refused('a link', 'LinkUnusable', fixture.members.takeLink(given.link.digest, NOON, undefined))
      await refused('the password of no member', 'MemberNotFound', fixture.members.setPassword(newMemberId(), text, kept.id))
      same('an unknown email', await done('the password', fixture.members.withPassword(newEmail())), O.none)
    },
  },
  {
    name: 'taking the last access away removes the member with her sessions, links and identities; taking one of several leaves the others',
    check: async (fixture) => {
      const { member, given, workspace } = await invited(fixture)
      const { workspace: other } = await fixture.openWorkspace()
      const again = invitation(roleIn(other), { email: given.email })
      await done('an invitation', fixture.members.invite(again))
      const [digest, identity] = [newDigest(), { issuer: 'https://id.example.com', subject: newName() }]
      await done('a session', fixture.sessions.open(newSession(member.id), digest))
      await done('an identity', fixture.members.joinIdentity(member.id, identity))
      await done('one access', fixture.members.remove(member.id, workspace))
      same('the other role', [...(await memberNow(fixture, member.id)).roles.keys()], [other])
      holds('the session stays', O.isSome(await done('a session', fixture.sessions.find(digest, NOON))), digest)
      await refused('the access that is gone', 'MemberNotFound', fixture.members.remove(member.id, workspace))
      await done('the last access', fixture.members.remove(member.id, other))
      same('the member', await done('a member is looked for', fixture.members.find(member.id)), O.none)
      same('her session', await done('a session', fixture.sessions.find(digest, NOON)), O.none)
      same('her identity', await done('an identity', fixture.members.withIdentity(identity)), O.none)
      await refused('her link', 'LinkUnusable', fixture.members.takeLink(again.link.digest, NOON, undefined))
      await refused('an unknown member', 'MemberNotFound', fixture.members.remove(member.id, 'everywhere'))
    },
  },
  {
    name: 'an identity is joined to one member, and a member to one identity of an issuer',
    check: async (fixture) => {
      const [{ member: first }, { member: second }] = [await invited(fixture), await invited(fixture)]
      const issuer = `https://${newName()}.example.com/${'x'.repeat(500)}`
      const [one, two, elsewhere] = [{ issuer, subject: newName() }, { issuer, subject: newName() }, { issuer: `${issuer}/`, subject: newName() }]
      const join = (id: typeof first.id, identity: typeof one) => done('an identity is joined', fixture.members.joinIdentity(id, identity))
      same('a first identity', [await join(first.id, one), await join(first.id, one)], [true, true])
      same('an identity of another member', await join(second.id, one), false)
      same('another identity of the issuer', await join(first.id, two), false)
      same('an identity of another issuer', await join(first.id, elsewhere), true)
      const found = await done('an identity', fixture.elsewhere.members.withIdentity(one))
      same('whose it is', O.isSome(found) && found.value.id, first.id)
      same('an identity that was not joined', await done('an identity', fixture.members.withIdentity(two)), O.none)
      await refused('an unknown member', 'MemberNotFound', fixture.members.joinIdentity(newMemberId(), two))
    },
  },
  {
    name: 'what a change of members takes along is stored with it, and only where it happened',
    check: async (fixture) => {
      const { member, digest, workspace } = await invited(fixture)
      const entries = times(7, () => newAlong(fixture))
      const [inviting, taking, setting, removing, ...failing] = entries
      if (inviting === undefined || taking === undefined || setting === undefined || removing === undefined) return
      const given = invitation(roleIn(workspace))
      await done('an invitation', fixture.members.invite(given, inviting.along))
      await done('a link', fixture.members.takeLink(digest, NOON, undefined, taking.along))
      await done('a password', fixture.members.setPassword(member.id, 'x', newSession(member.id).id, setting.along))
      await done('a removal', fixture.members.remove(member.id, workspace, removing.along))
      const [unknown, used, gone] = failing
      await refused('an invitation', 'UnknownWorkspace', fixture.members.invite(invitation(roleIn(`wsp_${newName()}` as never)), unknown?.along))
      await refused('a link', 'LinkUnusable', fixture.members.takeLink(digest, NOON, undefined, used?.along))
      await refused('a removal', 'MemberNotFound', fixture.members.remove(member.id, workspace, gone?.along))
      same('which entries are stored', await Promise.all(entries.map(({ isStored }) => isStored())), [true, true, true, true, false, false, false])
      same('the member as she was', removing.seen.map((seen) => (seen as { readonly id: string }).id), [member.id])
    },
  },
]

/** What every `Members` promises of operators; a list of its own, since each law needs a storage that has no members yet. */
export const operatorsLaws: ReadonlyArray<Law<MembersFixture>> = [
  {
    name: 'a link for the first operator makes one, who has every access, and no such link works afterwards',
    check: async (fixture) => {
      const [digest, other, late] = [newDigest(), newDigest(), newDigest()]
      same('an operator', await done('whether there is one', fixture.members.hasOperator()), false)
      for (const one of [digest, other]) await done('a link', fixture.members.addFirstLink({ digest: one, expiresAt: LATER }))
      same('the link', await done('a link is looked at', fixture.members.peekLink(digest, NOON)), O.some({ _tag: 'FirstOperator' }))
      await refused('a link without an email', 'LinkUnusable', fixture.members.takeLink(digest, NOON, undefined))
      const first = { id: newMemberId(), email: newEmail() }
      await refused('an expired link', 'LinkUnusable', fixture.members.takeLink(digest, LATER, first))
      const taken = await done('a link', fixture.elsewhere.members.takeLink(digest, NOON, first))
      same('the operator', [taken.id, taken.email, taken.isOperator], [first.id, first.email, true])
      same('an operator', await done('whether there is one', fixture.members.hasOperator()), true)
      await done('a link', fixture.members.addFirstLink({ digest: late, expiresAt: LATER }))
      for (const one of [digest, other, late]) {
        await refused('a link', 'LinkUnusable', fixture.members.takeLink(one, NOON, { id: newMemberId(), email: newEmail() }))
        same('the link', await done('a link is looked at', fixture.members.peekLink(one, NOON)), O.none)
      }
    },
  },
  {
    name: 'of concurrent uses of links for the first operator exactly one succeeds',
    check: async (fixture) => {
      const links = times(6, newDigest)
      for (const digest of links) await done('a link', fixture.members.addFirstLink({ digest, expiresAt: LATER }))
      const taken = await Promise.all(
        links.map((digest, index) => (index % 2 === 0 ? fixture : fixture.elsewhere).members.takeLink(digest, NOON, { id: newMemberId(), email: newEmail() })()),
      )
      same('how many uses succeed', taken.filter(E.isRight).length, 1)
      same('how many operators there are', (await done('a list', fixture.members.list())).length, 1)
    },
  },
  {
    name: 'the last operator cannot be removed, and concurrent removals of all operators leave one',
    check: async (fixture) => {
      const made = await Promise.all(times(4, () => done('an operator', fixture.members.invite(invitation(OPERATOR)))))
      const removed = await Promise.all(made.map(({ id }, index) => (index % 2 === 0 ? fixture : fixture.elsewhere).members.remove(id, 'everywhere')()))
      same('how many removals are refused', removed.filter((removal) => E.isLeft(removal) && removal.left._tag === 'LastOperator').length, 1)
      const left = await done('a list', fixture.members.list())
      same('how many are left', left.length, 1)
      const { workspace } = await fixture.openWorkspace()
      for (const { id, email } of left) {
        await refused('the last one', 'LastOperator', fixture.members.remove(id, 'everywhere'))
        await done('a role of hers', fixture.members.invite(invitation(roleIn(workspace), { email })))
        await done('her role is taken away', fixture.members.remove(id, workspace))
        same('she is still an operator', (await memberNow(fixture, id)).isOperator, true)
      }
    },
  },
]
