import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { MemoryStorage } from '../../adapters/memory/index.js'
import type { Member, Members, Sessions } from '../../core/access/members.js'
import { isAuditEntry } from '../../core/kernel/outbox.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { type MembersFixture, newEmail, newMemberId, NOON } from '../laws/member-fixture.js'
import { membersLaws, operatorsLaws } from '../laws/members.js'
import { sessionsLaws } from '../laws/sessions.js'
import { withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

/** Members in memory with defective methods, in both processes. */
const broken = (
  membersDefect: (members: Members, storage: MemoryStorage) => Partial<Members>,
  sessionsDefect: (sessions: Sessions, storage: MemoryStorage) => Partial<Sessions> = () => ({}),
) => async (): Promise<MembersFixture> => {
  const fixture = await openMemoryFixture()
  const members = { ...fixture.members, ...membersDefect(fixture.members, fixture) }
  const sessions = { ...fixture.sessions, ...sessionsDefect(fixture.sessions, fixture) }
  return { ...fixture, members, sessions, elsewhere: { members, sessions } }
}

const brokenSessions = (defect: (sessions: Sessions, storage: MemoryStorage) => Partial<Sessions>) => broken(() => ({}), defect)

const FOUND = 'a person who is invited is found by her id and her email, without any access before she took the link, and with its role and nothing else afterwards'
const WAITS = 'what an invitation adds waits for its own link, and what it takes away is gone at once'
const ANEW = 'taking a link forgets the password, and ends every session that no identity provider vouched for'
const SECOND = 'an invitation for the same ends the link before it, and leaves those for others'
const CONCURRENT = 'concurrent invitations for one email make one member, who has the accesses of all after their links'
const UNKNOWN = 'an invitation into a workspace that does not exist is an UnknownWorkspace and leaves no member'
const ELSEWHERE = 'a link for a person without access elsewhere does not work for one who has some by then, and the invitation does not tell'
const PENDING = 'the invitations that wait are listed: all, or those into a workspace, until their links are taken or expire'
const VOUCHED = 'a person for whom an identity provider vouches accepts all her invitations, and her password and other sessions end with them'
const LIST = 'a list has the members of a workspace, or all, in the order of their ids'
const LINK = 'a link shows its member without being used up, signs in once, and not when it has expired'
const ONCE = 'of concurrent uses of one link exactly one succeeds'
const STANDING = 'what sessions may do now is asked for many at once: those that have not ended, in the given workspaces, and which of these are archived'
const PASSWORD = 'setting a password stores its digest, and ends the other sessions and the links that add nothing'
const REMOVED = 'taking the last access away removes the member with her sessions, links and identities; taking one of several leaves the others, also one that waits'
const IDENTITY = 'an identity is joined to one member, and a member to one identity of an issuer'
const ALONG = 'what a change of members takes along is stored with it, and only where it happened'


const A_MEMBER: Member = {
  id: newMemberId(), email: newEmail(), isOperator: false, roles: new Map(), createdAt: 0, lastSignInAt: undefined, hasPassword: false,
  credentialsVersion: 0,
}

describeMutations('members', membersLaws, [
  {
    defect: 'sets the language of a member only once',
    open: broken(({ setLanguage, find }) => ({
      setLanguage: async (id, language) => {
        const found = await find(id)
        const isSet = E.isRight(found) && O.isSome(found.right) && found.right.value.language !== undefined
        return isSet ? E.right(undefined) : setLanguage(id, language)
      },
    })),
    breaks: ['the language of a member is absent until it is set, then the one set last, and that of no other member'],
  },
  {
    defect: 'makes a member of another id',
    open: broken(({ invite }) => ({
      invite: (given, outboxEntries) => invite({ ...given, id: `${given.id.slice(0, -1)}x` as typeof given.id }, outboxEntries),
    })),
    breaks: [FOUND],
  },
  {
    defect: 'makes a second member for an email',
    open: broken(({ invite }) => ({
      invite: (given, outboxEntries) => invite({ ...given, email: `${given.id}${given.email}` as typeof given.email }, outboxEntries),
    })),
    breaks: [SECOND, CONCURRENT],
  },
  {
    defect: 'gives at once what an invitation adds',
    open: broken((members) => ({
      invite: async (given, outboxEntries) => {
        await members.invite(given)
        await members.takeLink(given.link.digest, 0, undefined)
        return members.invite(given, outboxEntries)
      },
    })),
    breaks: [FOUND, WAITS],
  },
  {
    defect: 'takes nothing away before a link is taken',
    open: broken(({ invite }) => ({
      invite: (given, outboxEntries) =>
        invite(
          {
            ...given,
            access: given.access._tag === 'Role' && given.access.role === 'viewer' ? { ...given.access, role: 'owner' } : given.access,
          },
          outboxEntries,
        ),
    })),
    breaks: [WAITS],
  },
  {
    defect: 'keeps every session as one that the identity provider has opened',
    open: brokenSessions(({ find, open }) => ({
      open: (session, digest, outboxEntries, version) => open({ ...session, openedBy: 'identity' }, digest, outboxEntries, version), find,
    })),
    breaks: [ANEW],
  },
  {
    defect: 'begins a session of what was proven before',
    open: brokenSessions(({ open }) => ({ open: (session, digest, outboxEntries) => open(session, digest, outboxEntries) })),
    breaks: [ANEW],
  },
  {
    defect: 'keeps earlier links',
    open: broken((members) => {
      const links = new Map<string, Member>()
      return {
        invite: (given, outboxEntries) =>
          withResult(members.invite(given, outboxEntries), (member) => (links.set(given.link.digest, member), member)),
        takeLink: async (digest, at, first, outboxEntries) => {
          const known = links.get(digest)
          links.delete(digest)
          return known === undefined ? members.takeLink(digest, at, first, outboxEntries) : E.right(known)
        },
      }
    }),
    breaks: [SECOND],
  },
  {
    defect: 'takes a workspace for one that exists',
    open: broken(({ invite }) => ({ invite: (given, outboxEntries) => invite({ ...given, access: { _tag: 'Operator' } }, outboxEntries) })),
    breaks: [UNKNOWN],
  },
  {
    defect: 'takes links of owners for people with access elsewhere',
    open: broken(({ invite }) => ({ invite: (given, outboxEntries) => invite({ ...given, onlyHere: false }, outboxEntries) })),
    breaks: [ELSEWHERE],
  },
  {
    defect: 'lets an invitation tell who has access elsewhere',
    open: broken(({ invite, withEmail }) => ({
      invite: async (given, outboxEntries) => {
        const known = await withEmail(given.email)
        return given.onlyHere && known._tag === 'Right' && O.isSome(known.right)
          ? { _tag: 'Left', left: { _tag: 'UnknownWorkspace' } }
          : invite(given, outboxEntries)
      },
    })),
    breaks: [ELSEWHERE],
  },
  {
    defect: 'lists invitations of all for a workspace', open: broken(({ pending }) => ({ pending: (at) => pending(at) })),
    breaks: [PENDING],
  },
  {
    defect: 'lists invitations that have expired',
    open: broken(({ pending }) => ({ pending: (_at, workspace) => pending(0, workspace) })),
    breaks: [PENDING],
  },
  {
    defect: 'accepts nothing for a provider',
    open: broken(({ find }) => ({
      acceptAll: async (id) => {
        const found = await find(id)
        return found._tag === 'Right' && O.isSome(found.right)
          ? { _tag: 'Right', right: found.right.value }
          : { _tag: 'Left', left: { _tag: 'MemberNotFound', member: id } }
      },
    })),
    breaks: [VOUCHED],
  },
  {
    defect: 'accepts what has expired',
    open: broken(({ acceptAll }) => ({ acceptAll: (id, _at, outboxEntries) => acceptAll(id, 0, outboxEntries) })),
    breaks: [VOUCHED],
  },
  {
    defect: 'lists the newest first',
    open: broken(({ list }) => ({ list: (workspace) => withResult(list(workspace), (all) => all.toReversed()) })),
    breaks: [LIST],
  },
  { defect: 'lists everybody for a workspace', open: broken(({ list }) => ({ list: () => list() })), breaks: [LIST] },
  {
    defect: 'takes an expired link',
    open: broken(({ takeLink }) => ({ takeLink: (digest, _at, first, outboxEntries) => takeLink(digest, 0, first, outboxEntries) })),
    breaks: [LINK],
  },
  {
    defect: 'uses a link up by looking at it',
    open: broken(({ peekLink, takeLink }) => ({
      peekLink: async (digest, at) => { const seen = await peekLink(digest, at); await takeLink(digest, at, undefined); return seen },
    })),
    breaks: [LINK],
  },
  {
    defect: 'reads a link, waits, and then uses it up',
    open: broken(({ peekLink, takeLink, withEmail }) => ({
      takeLink: async (digest, at, first, outboxEntries) => {
        const purpose = await peekLink(digest, at)
        const member = purpose._tag === 'Right' && O.isSome(purpose.right) && purpose.right.value._tag === 'Member'
          ? await withEmail(purpose.right.value.email)
          : undefined
        await Promise.resolve()
        const taken = await takeLink(digest, at, first, outboxEntries)
        return member?._tag === 'Right' && O.isSome(member.right) ? { _tag: 'Right', right: member.right.value } : taken
      },
    })),
    breaks: [ONCE],
  },
  { defect: 'forgets to store a password', open: broken(() => ({ setPassword: async () => E.right(undefined) })), breaks: [PASSWORD] },
  {
    defect: 'shortens a digest',
    open: broken(({ setPassword }) => ({
      setPassword: (id, digest, keep, outboxEntries) => setPassword(id, digest.slice(0, 100), keep, outboxEntries),
    })),
    breaks: [PASSWORD],
  },
  {
    defect: 'removes a member with her first role',
    open: broken(({ remove }) => ({ remove: (id, _from, outboxEntries) => remove(id, 'everywhere', outboxEntries) })),
    breaks: [REMOVED],
  },
  {
    defect: 'joins an identity again',
    open: broken(({ joinIdentity }) => ({ joinIdentity: (id, identity) => withResult(joinIdentity(id, identity), () => true) })),
    breaks: [IDENTITY],
  },
  { defect: 'takes nothing along', open: broken(({ invite }) => ({ invite: (given) => invite(given) })), breaks: [ALONG] },
  {
    defect: 'takes along before it knows',
    open: broken(({ remove }, { auditLog }) => ({
      remove: async (id, from, outboxEntries) => {
        await auditLog.append(outboxEntries?.(A_MEMBER).filter(isAuditEntry) ?? [])
        return remove(id, from)
      },
    })),
    breaks: [ALONG],
  },
])

const FIRST = 'a link for the first operator makes one, who has every access, and no such link works afterwards'
const FIRST_ANEW = 'a link for the first operator forgets what a member of that email had proven before, and an operator who is only invited is none yet'
const ONE_FIRST = 'of concurrent uses of links for the first operator exactly one succeeds'
const LAST = 'the last operator cannot be removed, and concurrent removals of all operators leave one'

describeMutations('operators', operatorsLaws, [
  { defect: 'never has an operator', open: broken(() => ({ hasOperator: async () => E.right(false) })), breaks: [FIRST] },
  {
    defect: 'shows a link for the first operator without an end',
    open: broken(() => ({ peekLink: async () => E.right(O.some({ _tag: 'FirstOperator' as const })) })),
    breaks: [FIRST],
  },
  {
    defect: 'takes an operator who is only invited for one',
    open: broken(({ hasOperator, pending }) => ({
      hasOperator: async () => {
        const waiting = await pending(0)
        return waiting._tag === 'Right' && waiting.right.some(({ access }) => access._tag === 'Operator')
          ? { _tag: 'Right', right: true }
          : hasOperator()
      },
    })),
    breaks: [FIRST_ANEW],
  },
  {
    defect: 'asks for an operator, waits, and then makes one',
    open: broken(({ hasOperator, invite, takeLink }) => ({
      takeLink: async (digest, at, first, outboxEntries) => {
        const has = await hasOperator()
        await Promise.resolve()
        if (first === undefined || (has._tag === 'Right' && has.right)) return takeLink(digest, at, first, outboxEntries)
        const made = await invite(
          { ...first, access: { _tag: 'Operator' }, at, link: { digest, expiresAt: 0 }, invitedBy: '', onlyHere: false }, outboxEntries,
        )
        return made._tag === 'Right' ? made : { _tag: 'Left', left: { _tag: 'LinkUnusable' } }
      },
    })),
    breaks: [ONE_FIRST],
  },
  {
    defect: 'counts the operators, waits, and then removes one',
    open: broken(({ list, remove }) => ({
      remove: async (id, from, outboxEntries) => {
        const before = await list()
        await Promise.resolve()
        const operators = before._tag === 'Right' ? before.right.filter(({ isOperator }) => isOperator) : []
        const removed = await remove(id, from, outboxEntries)
        return operators.length > 1 && removed._tag === 'Left' ? { _tag: 'Right', right: undefined } : removed
      },
    })),
    breaks: [LAST],
  },
])

const BEGUN = 'a session is found by its digest as it was begun, with its member as she is now'
const OF_MEMBER = 'a session begins only for a member, whose last sign-in never moves back'
const ENDS = 'a session ends when it was idle for too long, and at the latest when it expires'
const NOTED = 'a request is noted exact to a minute, and never moves the last one back'
const SKEW = 'a session of a gateway whose clock is ahead is found by one whose clock is behind'
const SESSIONS = 'a list has a member\'s sessions that have not ended, the one last seen first'
const ENDED = 'sessions that are ended are gone at once everywhere, and those of others stay'
const SESSIONS_ALONG = 'what the beginning and the end of sessions take along is stored with them, and only where it happened'
const DELAYED = 'after the free attempts with a name each must wait twice as long as the one before, up to the longest delay'
const ALL_NAMES = 'an attempt is counted for all its names, or for none where one of them must wait'
const MAY = 'whether an attempt may be made is answered as for one that is counted, and counts nothing'
const ONE_BY_ONE = 'attempts are forgotten one by one, and all of them some time after the last, however many there were'
const TAKEN_BACK = 'an attempt that is taken back counts no more, with its delay, and leaves the others'
const CLEARED = 'attempts are forgotten when they are cleared, for the given names alone'
const NEVER_MORE = 'concurrent attempts never pass a delay'
const OLD = 'what has ended is removed in parts, and nothing else is'

describeMutations('sessions', sessionsLaws, [
  {
    defect: 'loses the browser of a session',
    open: brokenSessions(({ open }) => ({
      open: ({ userAgent: _, ...session }, digest, outboxEntries) => open(session, digest, outboxEntries),
    })),
    breaks: [BEGUN],
  },
  {
    defect: 'begins a session of an unknown member with success',
    open: brokenSessions(({ open }) => ({
      open: async (session, digest, outboxEntries) => {
        const opened = await open(session, digest, outboxEntries)
        return opened._tag === 'Left' && opened.left._tag === 'MemberNotFound' ? { _tag: 'Right', right: undefined } : opened
      },
    })),
    breaks: [OF_MEMBER],
  },
  {
    defect: 'looks at sessions with a clock that stands still',
    open: brokenSessions(({ find }) => ({ find: (digest) => find(digest, 0) })),
    breaks: [ENDS, NOTED],
  },
  {
    defect: 'knows a session only after its beginning',
    open: brokenSessions(({ find }) => ({
      find: (digest, at) =>
        withResult(find(digest, at), (found) => (O.isSome(found) && at < found.value.session.createdAt ? O.none : found)),
    })),
    breaks: [SKEW],
  },
  {
    defect: 'never ends the rights of a session',
    open: brokenSessions(({ standing }) => ({ standing: (ids, places) => standing(ids, places, NOON) })),
    breaks: [STANDING],
  },
  {
    defect: 'tells of no archive',
    open: brokenSessions(({ standing }) => ({
      standing: (ids, places, at) => withResult(standing(ids, places, at), (found) => ({ ...found, archived: new Set() })),
    })),
    breaks: [STANDING],
  },
  {
    defect: 'lists the session last seen last',
    open: brokenSessions(({ list }) => ({ list: (member, at) => withResult(list(member, at), (all) => all.toReversed()) })),
    breaks: [SESSIONS],
  },
  {
    defect: 'ends every session',
    open: brokenSessions(({ end }) => ({
      end: (member, _which, at, outboxEntries) => end(member, { except: undefined }, at, outboxEntries),
    })),
    breaks: [ENDED],
  },
  {
    defect: 'takes nothing along',
    open: brokenSessions(({ end }) => ({ end: (member, which, at) => end(member, which, at) })),
    breaks: [SESSIONS_ALONG],
  },
  {
    defect: 'counts nothing', open: brokenSessions(() => ({ countAttempt: async () => E.right(undefined) })),
    breaks: [DELAYED, ALL_NAMES, ONE_BY_ONE, TAKEN_BACK, CLEARED, NEVER_MORE, OLD],
  },
  {
    defect: 'refuses until a fixed time is over',
    open: brokenSessions(({ countAttempt }) => ({
      countAttempt: (names, at) => countAttempt(names.map((name) => ({ ...name, firstDelayMs: name.longestDelayMs })), at),
    })),
    breaks: [DELAYED, ALL_NAMES, ONE_BY_ONE, TAKEN_BACK],
  },
  {
    defect: 'counts the first name only',
    open: brokenSessions(({ countAttempt }) => ({ countAttempt: (names, at) => countAttempt(names.slice(0, 1), at) })),
    breaks: [ALL_NAMES, CLEARED, NEVER_MORE],
  },
  {
    defect: 'never forgets', breaks: [ONE_BY_ONE],
    open: brokenSessions(({ countAttempt }) => ({
      countAttempt: (names, at) => countAttempt(names.map((name) => ({ ...name, forgetOneMs: name.forgetOneMs * 1_000 })), at),
    })),
  },
  { defect: 'lets every attempt be made', open: brokenSessions(() => ({ mayAttempt: async () => E.right(undefined) })), breaks: [MAY] },
  { defect: 'counts what only asks', open: brokenSessions(({ countAttempt }) => ({ mayAttempt: countAttempt })), breaks: [MAY] },
  { defect: 'takes nothing back', open: brokenSessions(() => ({ uncountAttempt: async () => E.right(undefined) })), breaks: [TAKEN_BACK] },
  {
    defect: 'takes all back at once',
    open: brokenSessions(({ clearAttempts }) => ({ uncountAttempt: clearAttempts })),
    breaks: [TAKEN_BACK],
  },
  { defect: 'clears nothing', open: brokenSessions(() => ({ clearAttempts: async () => E.right(undefined) })), breaks: [CLEARED] },
  { defect: 'removes all at once', open: brokenSessions(({ removeOld }) => ({ removeOld: (at) => removeOld(at, 1_000) })), breaks: [OLD] },
  {
    defect: 'removes what has not ended',
    open: brokenSessions(({ removeOld }) => ({ removeOld: (at, limit) => removeOld(at + 1e12, limit) })),
    breaks: [OLD],
  },
])
