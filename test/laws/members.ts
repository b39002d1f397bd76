import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { LinkPurpose } from '../../core/access/members.js'
import { done, holds, refused, same } from './expect.js'
import { newName, times } from './ids.js'
import { invitationsLaws } from './invitations.js'
import type { Law } from './law.js'
import {
  invitation, invited, joined, memberNow, type MembersFixture, newAlong, newDigest, newEmail, newMember, newMemberId, newSession, NOON,
  OPERATOR, roleIn, shown,
} from './member-fixture.js'

export type { MembersFixture } from './member-fixture.js'

const LATER = NOON + 3_600_000

/** The promises of every `Members`. */
export const membersLaws: ReadonlyArray<Law<MembersFixture>> = [
  ...invitationsLaws,
  {
    name: 'a person who is invited is found by her id and her email, without any access before she took the link, and with its role and nothing else afterwards',
    check: async (fixture) => {
      const { member, given, workspace } = await invited(fixture)
      const before = {
        id: given.id, email: given.email, isOperator: false, roles: [], createdAt: NOON, lastSignInAt: undefined, hasPassword: false,
        invitedBy: given.invitedBy,
      }
      same('the member', shown({ ...member, credentialsVersion: 0 }), { ...before, credentialsVersion: 0 })
      same('the member by her id', shown(await memberNow(fixture, member.id)), shown(member))
      const byEmail = await done('a member is looked for', fixture.elsewhere.members.withEmail(given.email))
      same('the member by her email', O.isSome(byEmail) && byEmail.value.id, member.id)
      const taken = await done('the link', fixture.elsewhere.members.takeLink(given.link.digest, NOON, undefined))
      same('the member', shown({ ...taken, credentialsVersion: 0 }), {
        ...before, roles: [[workspace, 'developer']], credentialsVersion: 0,
      })
      same('the member by her id', shown(await memberNow(fixture, member.id)), shown(taken))
      same('an unknown id', await done('a member is looked for', fixture.members.find(newMemberId())), O.none)
      same('an unknown email', await done('a member is looked for', fixture.members.withEmail(newEmail())), O.none)
    },
  },
  {
    name: 'a list has the members of a workspace, or all, in the order of their ids',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const made = await Promise.all(times(4, () => joined(fixture, invitation(roleIn(workspace)))))
      const { member: other } = await newMember(fixture)
      const ids = made.map(({ id }) => id).sort()
      same('those of the workspace', (await done('a list', fixture.members.list(workspace))).map(({ id }) => id), ids)
      const all = (await done('a list', fixture.members.list())).map(({ id }) => id)
      same('all', all.filter((id) => [...ids, other.id].includes(id)), [...ids, other.id].sort())
    },
  },
  {
    name: 'the language of a member is absent until it is set, then the one set last, and that of no other member',
    check: async (fixture) => {
      const [{ member }, { member: other }] = [await invited(fixture), await invited(fixture)]
      const language = async (id: typeof member.id) => (await memberNow(fixture, id)).language
      same('at first', await language(member.id), undefined)
      for (const chosen of ['es', 'en', 'en', 'pt-BR'] as const) {
        await done('a language is set', fixture.elsewhere.members.setLanguage(member.id, chosen))
        same('after it was set', await language(member.id), chosen)
      }
      same('the other member', await language(other.id), undefined)
      await done('the language of an unknown member is set', fixture.members.setLanguage(newMemberId(), 'de'))
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
        const taken = await Promise.all(
          times(8, (index) => (index % 2 === 0 ? fixture : fixture.elsewhere).members.takeLink(digest, NOON, undefined)),
        )
        same('how many uses succeed', taken.filter(E.isRight).length, 1)
      }
    },
  },
  {
    name: 'setting a password stores its digest, and ends the other sessions and the links that add nothing',
    check: async (fixture) => {
      const { member, given, workspace } = await newMember(fixture)
      const [again, operator] = [invitation(roleIn(workspace), { email: given.email }), invitation(OPERATOR, { email: given.email })]
      for (const more of [again, operator]) await done('an invitation', fixture.members.invite(more))
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
      await refused('a link', 'LinkUnusable', fixture.members.takeLink(again.link.digest, NOON, undefined))
      same(
        'who was proven before',
        (await fixture.sessions.open(newSession(member.id), newDigest(), undefined, member.credentialsVersion))._tag, 'Left',
      )
      await done('the link of an invitation that waits', fixture.members.takeLink(operator.link.digest, NOON, undefined))
      await refused('the password of no member', 'MemberNotFound', fixture.members.setPassword(newMemberId(), text, kept.id))
      same('an unknown email', await done('the password', fixture.members.withPassword(newEmail())), O.none)
    },
  },
  {
    name: 'taking the last access away removes the member with her sessions, links and identities; taking one of several leaves the others, also one that waits',
    check: async (fixture) => {
      const { member, given, workspace } = await newMember(fixture)
      const { workspace: other } = await fixture.openWorkspace()
      await joined(fixture, invitation(roleIn(other), { email: given.email }))
      const again = invitation(roleIn(other, 'owner'), { email: given.email })
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
      const { member: waiting, digest: link, workspace: third } = await invited(fixture)
      await refused('a workspace that she is not invited into', 'MemberNotFound', fixture.members.remove(waiting.id, other))
      await done('an invitation is taken back', fixture.members.remove(waiting.id, third))
      await refused('its link', 'LinkUnusable', fixture.members.takeLink(link, NOON, undefined))
      same('who was invited', await done('a member is looked for', fixture.members.find(waiting.id)), O.none)
      const { given: kept, member: both, workspace: first } = await newMember(fixture)
      const second = invitation(roleIn(other), { email: kept.email })
      await done('an invitation', fixture.members.invite(second))
      await done('her only role', fixture.members.remove(both.id, first))
      same('her roles', [...(await memberNow(fixture, both.id)).roles.keys()], [])
      await done('the link that waits', fixture.members.takeLink(second.link.digest, NOON, undefined))
    },
  },
  {
    name: 'an identity is joined to one member, and a member to one identity of an issuer',
    check: async (fixture) => {
      const [{ member: first }, { member: second }] = [await newMember(fixture), await newMember(fixture)]
      const issuer = `https://${newName()}.example.com/${'x'.repeat(500)}`
      const [one, two, elsewhere] = [
        { issuer, subject: newName() }, { issuer, subject: newName() }, { issuer: `${issuer}/`, subject: newName() },
      ]
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
      await done('an invitation', fixture.members.invite(given, inviting.outboxEntries))
      await done('a link', fixture.members.takeLink(digest, NOON, undefined, taking.outboxEntries))
      await done('a password', fixture.members.setPassword(member.id, 'x', newSession(member.id).id, setting.outboxEntries))
      await done('a removal', fixture.members.remove(member.id, workspace, removing.outboxEntries))
      const [unknown, used, gone] = failing
      await refused(
        'an invitation', 'UnknownWorkspace',
        fixture.members.invite(invitation(roleIn(`wsp_${newName()}` as never)), unknown?.outboxEntries),
      )
      await refused('a link', 'LinkUnusable', fixture.members.takeLink(digest, NOON, undefined, used?.outboxEntries))
      await refused('a removal', 'MemberNotFound', fixture.members.remove(member.id, workspace, gone?.outboxEntries))
      same(
        'which entries are stored', await Promise.all(entries.map(({ isStored }) => isStored())),
        [true, true, true, true, false, false, false],
      )
      same('the member as she was', removing.seen.map((seen) => (seen as { readonly id: string }).id), [member.id])
    },
  },
]

/** The promises of every `Members` about operators; a separate list, because each law needs a storage without members. */
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
    name: 'a link for the first operator forgets what a member of that email had proven before, and an operator who is only invited is none yet',
    check: async (fixture) => {
      const { member, given } = await newMember(fixture)
      const [session, link] = [newDigest(), newDigest()]
      await done('a session', fixture.sessions.open(newSession(member.id), session))
      await done('an operator is invited', fixture.members.invite(invitation(OPERATOR)))
      same('an operator', await done('whether there is one', fixture.members.hasOperator()), false)
      await done('a link', fixture.members.addFirstLink({ digest: link, expiresAt: LATER }))
      const taken = await done('the link', fixture.members.takeLink(link, NOON, { id: newMemberId(), email: given.email }))
      same('the operator', [taken.id, taken.isOperator, taken.roles.size], [member.id, true, 1])
      same('the session of before', await done('a session', fixture.sessions.find(session, NOON)), O.none)
    },
  },
  {
    name: 'of concurrent uses of links for the first operator exactly one succeeds',
    check: async (fixture) => {
      const links = times(6, newDigest)
      for (const digest of links) await done('a link', fixture.members.addFirstLink({ digest, expiresAt: LATER }))
      const taken = await Promise.all(
        links.map((digest, index) =>
          (index % 2 === 0 ? fixture : fixture.elsewhere).members.takeLink(digest, NOON, { id: newMemberId(), email: newEmail() })),
      )
      same('how many uses succeed', taken.filter(E.isRight).length, 1)
      same('how many operators there are', (await done('a list', fixture.members.list())).length, 1)
    },
  },
  {
    name: 'the last operator cannot be removed, and concurrent removals of all operators leave one',
    check: async (fixture) => {
      const made = await Promise.all(times(4, () => joined(fixture, invitation(OPERATOR))))
      const removed = await Promise.all(
        made.map(({ id }, index) => (index % 2 === 0 ? fixture : fixture.elsewhere).members.remove(id, 'everywhere')),
      )
      same(
        'how many removals are refused', removed.filter((removal) => E.isLeft(removal) && removal.left._tag === 'LastOperator').length, 1,
      )
      const left = await done('a list', fixture.members.list())
      same('how many are left', left.length, 1)
      const { workspace } = await fixture.openWorkspace()
      for (const { id, email } of left) {
        await refused('the last one', 'LastOperator', fixture.members.remove(id, 'everywhere'))
        await joined(fixture, invitation(roleIn(workspace), { email }))
        await done('her role is taken away', fixture.members.remove(id, workspace))
        same('she is still an operator', (await memberNow(fixture, id)).isOperator, true)
      }
    },
  },
]
