import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { done, holds, refused, same } from './expect.js'
import { times, newName } from './ids.js'
import type { Law } from './law.js'
import {
  invitation, invited, joined, memberNow, type MembersFixture, newAlong, newDigest, newEmail, newMember, newMemberId, newSession, NOON,
  OPERATOR, roleIn, shown,
} from './member-fixture.js'

const LATER = NOON + 3_600_000

/** The promises of every `Members` about invitations, and about the access that their links will give. */
export const invitationsLaws: ReadonlyArray<Law<MembersFixture>> = [
  {
    name: 'what an invitation adds waits for its own link, and what it takes away is gone at once',
    check: async (fixture) => {
      const { member, given, workspace } = await newMember(fixture)
      const other = (await fixture.openWorkspace()).workspace
      const email = given.email
      const [elsewhere, more] = [invitation(roleIn(other, 'owner'), { email }), invitation(roleIn(workspace, 'owner'), { email })]
      const [less, operator] = [invitation(roleIn(workspace, 'viewer'), { email }), invitation(OPERATOR, { email })]
      const access = async () => {
        const { isOperator, roles } = await memberNow(fixture, member.id)
        return [isOperator, roles.get(workspace), roles.get(other)]
      }
      for (const one of [elsewhere, more, operator]) await done('an invitation', fixture.members.invite(one))
      same('her access before she took a link', await access(), [false, 'developer', undefined])
      await done('a lower role', fixture.members.invite(less))
      same('her access with a lower role', await access(), [false, 'viewer', undefined])
      await refused('the link that was replaced', 'LinkUnusable', fixture.members.takeLink(more.link.digest, NOON, undefined))
      await done('the link for elsewhere', fixture.elsewhere.members.takeLink(elsewhere.link.digest, NOON, undefined))
      same('her access after one link', await access(), [false, 'viewer', 'owner'])
      await done('the link of the operator', fixture.members.takeLink(operator.link.digest, NOON, undefined))
      same('her access after all', await access(), [true, 'viewer', 'owner'])
    },
  },
  {
    name: 'taking a link forgets the password, and ends every session that no identity provider vouched for',
    check: async (fixture) => {
      const { member, given } = await newMember(fixture)
      const own = newSession(member.id)
      const others = [newSession(member.id, NOON, { openedBy: 'link' }), newSession(member.id, NOON, { openedBy: 'identity' })]
      const digests = [newDigest(), newDigest(), newDigest()] as const
      await done('a session', fixture.sessions.open(own, digests[0]))
      await done('a password', fixture.members.setPassword(member.id, 'x', own.id))
      for (const [index, session] of others.entries()) {
        await done('a session', fixture.sessions.open(session, digests[index + 1] ?? digests[0]))
      }
      const operator = invitation(OPERATOR, { email: given.email })
      await done('an invitation', fixture.members.invite(operator))
      const before = await memberNow(fixture, member.id)
      const taken = await done('its link', fixture.members.takeLink(operator.link.digest, NOON, undefined))
      same('her password', [before.hasPassword, taken.hasPassword], [true, false])
      const known = await done('the password', fixture.elsewhere.members.withPassword(given.email))
      same('its digest', O.isSome(known) && known.value.passwordDigest, undefined)
      same(
        'which sessions are left',
        await Promise.all(digests.map(async (digest) => O.isSome(await done('a session', fixture.elsewhere.sessions.find(digest, NOON))))),
        [false, false, true],
      )
      for (const proven of [before, taken]) {
        const opened = await fixture.sessions.open(newSession(member.id), newDigest(), undefined, proven.credentialsVersion)
        same('a session of what was proven', opened._tag, proven === taken ? 'Right' : 'Left')
      }
    },
  },
  {
    name: 'an invitation for the same ends the link before it, and leaves those for others',
    check: async (fixture) => {
      const { given, digest, workspace } = await invited(fixture)
      const other = (await fixture.openWorkspace()).workspace
      const [second, third] = [
        invitation(roleIn(other, 'owner'), { email: given.email }), invitation(roleIn(workspace, 'viewer'), { email: given.email }),
      ]
      for (const more of [second, third]) await done('an invitation', fixture.elsewhere.members.invite(more))
      await refused('the earlier link', 'LinkUnusable', fixture.members.takeLink(digest, NOON, undefined))
      for (const { link } of [second, third]) await done('a link', fixture.members.takeLink(link.digest, NOON, undefined))
      same('her roles', [...(await memberNow(fixture, given.id)).roles].sort(), [[workspace, 'viewer'], [other, 'owner']].sort())
    },
  },
  {
    name: 'concurrent invitations for one email make one member, who has the accesses of all after their links',
    check: async (fixture) => {
      const email = newEmail()
      const given = await Promise.all(times(6, async () => invitation(roleIn((await fixture.openWorkspace()).workspace), { email })))
      const made = await Promise.all(
        given.map((one, index) => done('an invitation', (index % 2 === 0 ? fixture : fixture.elsewhere).members.invite(one))),
      )
      same('how many members there are', new Set(made.map(({ id }) => id)).size, 1)
      const taken = await Promise.all(
        given.map(({ link }, index) => (index % 2 === 0 ? fixture : fixture.elsewhere).members.takeLink(link.digest, NOON, undefined)),
      )
      same('how many links work', taken.filter(E.isRight).length, given.length)
      const [first] = made
      if (first !== undefined) same('her roles', (await memberNow(fixture, first.id)).roles.size, given.length)
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
    name: 'a link for a person without access elsewhere does not work for one who has some by then, and the invitation does not tell',
    check: async (fixture) => {
      const { member, given, workspace } = await newMember(fixture)
      const operator = invitation(OPERATOR)
      await joined(fixture, operator)
      const { workspace: other } = await fixture.openWorkspace()
      for (const email of [given.email, operator.email]) {
        const barred = invitation(roleIn(other), { email, onlyHere: true })
        await done('an invitation', fixture.members.invite(barred))
        same('its link', await done('a link is looked at', fixture.elsewhere.members.peekLink(barred.link.digest, NOON)), O.none)
        await refused('its link', 'LinkUnusable', fixture.members.takeLink(barred.link.digest, NOON, undefined))
        await done(
          'an invitation of an operator',
          fixture.members.invite({ ...barred, link: { ...barred.link, digest: newDigest() }, onlyHere: false }),
        )
      }
      same('the member', shown(await memberNow(fixture, member.id)), shown(member))
      await joined(fixture, invitation(roleIn(workspace), { email: given.email, onlyHere: true }))
      const [early, late] = [invitation(roleIn(workspace), { onlyHere: true }), invitation(OPERATOR)]
      await done('an invitation before she has more', fixture.members.invite(early))
      await joined(fixture, { ...late, email: early.email })
      await refused('its link afterwards', 'LinkUnusable', fixture.members.takeLink(early.link.digest, NOON, undefined))
    },
  },
  {
    name: 'the invitations that wait are listed: all, or those into a workspace, until their links are taken or expire',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { given: other } = await newMember(fixture)
      const all = [
        invitation(roleIn(workspace, 'owner')), invitation(OPERATOR),
        invitation(roleIn(workspace, 'viewer'), { email: other.email, onlyHere: true, invitedBy: 'x'.repeat(254) }),
      ]
      const made: Array<string> = []
      for (const one of all) made.push((await done('an invitation', fixture.members.invite(one))).id)
      const waiting = async (at: number, of?: typeof workspace) =>
        (await done('a list', fixture.elsewhere.members.pending(at, of))).filter(({ member }) => made.includes(member))
          .map(({ member, email, access, invitedBy, expiresAt, needsOperator }) =>
            JSON.stringify([member, email, access, invitedBy, expiresAt, needsOperator])).sort()
      const wanted = all.map(({ email, access, invitedBy, link, onlyHere }, index) =>
        JSON.stringify([made[index], email, access, invitedBy, link.expiresAt, onlyHere]))
      same('all that wait', await waiting(NOON), wanted.toSorted())
      same('those of the workspace', await waiting(NOON, workspace), [wanted[0], wanted[2]].sort())
      same('after they expired', await waiting(LATER), [])
      await done('a link', fixture.members.takeLink(all[0]?.link.digest ?? newDigest(), NOON, undefined))
      same('after one was taken', await waiting(NOON, workspace), [wanted[2]])
    },
  },
  {
    name: 'a person for whom an identity provider vouches accepts all her invitations, and her password and other sessions end with them',
    check: async (fixture) => {
      const { member, given, workspace } = await newMember(fixture)
      const { workspace: other } = await fixture.openWorkspace()
      const [digest, ignored, noted] = [newDigest(), newAlong(fixture), newAlong(fixture)]
      await done('a session', fixture.sessions.open(newSession(member.id), digest))
      same(
        'without an invitation',
        shown(await done('nothing is accepted', fixture.members.acceptAll(member.id, NOON, ignored.outboxEntries))),
        shown(await memberNow(fixture, member.id)),
      )
      holds('her session stays', O.isSome(await done('a session', fixture.sessions.find(digest, NOON))), digest)
      const [expired, barred] = [roleIn((await fixture.openWorkspace()).workspace), roleIn(other, 'viewer')]
        .map((access) => invitation(access, { email: given.email, onlyHere: true }))
      if (expired === undefined || barred === undefined) return
      await done('an invitation', fixture.members.invite({ ...expired, link: { ...expired.link, expiresAt: NOON } }))
      await done('an invitation', fixture.members.invite(barred))
      const accepted = await done('all are accepted', fixture.members.acceptAll(member.id, NOON, noted.outboxEntries))
      same('her roles', [...accepted.roles].sort(), [[workspace, 'developer'], [other, 'viewer']].sort())
      same('the member', shown(await memberNow(fixture, member.id)), shown(accepted))
      same('her session', await done('a session', fixture.sessions.find(digest, NOON)), O.none)
      await refused('a link', 'LinkUnusable', fixture.members.takeLink(barred.link.digest, NOON, undefined))
      same('what was stored along', [await ignored.isStored(), await noted.isStored()], [false, true])
      await refused('an unknown member', 'MemberNotFound', fixture.members.acceptAll(newMemberId(), NOON))
    },
  },
]
