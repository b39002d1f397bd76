import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type AttemptName, CLOCK_SKEW_MS, type Digest, SESSION_IDLE_MS, SESSION_MS } from '../../core/access/members.js'
import type { Instant } from '../../core/kernel/time.js'
import { done, holds, refused, same } from './expect.js'
import { newName, times } from './ids.js'
import type { Law } from './law.js'
import {
  invitation, joined, memberNow, type MembersFixture, newAlong, newDigest, newMember, newMemberId, newSession, NOON, OPERATOR, roleIn,
  shown,
} from './member-fixture.js'

const MINUTE = 60_000

/** A new member with a session that began at noon. */
const signedIn = async (fixture: MembersFixture) => {
  const { member, given, workspace } = await newMember(fixture)
  const [session, digest] = [newSession(member.id, NOON, { address: '2001:db8::1', userAgent: 'Mozilla/5.0 "x" é 🦊' }), newDigest()]
  await done('a session begins', fixture.sessions.open(session, digest))
  return { member, given, workspace, session, digest }
}

const found = ({ sessions }: Pick<MembersFixture, 'sessions'>, digest: Digest, at: Instant) =>
  done('a session is looked for', sessions.find(digest, at))

const isFound = async (fixture: Pick<MembersFixture, 'sessions'>, digest: Digest, at: Instant): Promise<boolean> =>
  O.isSome(await found(fixture, digest, at))

/** The first `free` attempts are free; then the delays are 1, 2, 4 and at most 5 minutes, and one attempt is forgotten per hour. */
const attempts = (free: number): AttemptName => ({
  name: `email ${newName()} \u0000 ${'é'.repeat(300)}`, free, firstDelayMs: MINUTE, longestDelayMs: 5 * MINUTE, forgetOneMs: 60 * MINUTE,
})

const count = ({ sessions }: Pick<MembersFixture, 'sessions'>, names: ReadonlyArray<AttemptName>, at: Instant) =>
  done('an attempt', sessions.countAttempt(names, at))

/** Until when the next attempt must wait. */
const retryAt = async ({ sessions }: Pick<MembersFixture, 'sessions'>, names: ReadonlyArray<AttemptName>, at: Instant): Promise<Instant> =>
  (await refused('an attempt', 'TooManyAttempts', sessions.countAttempt(names, at))).retryAt

/** The promises of every `Sessions`. */
export const sessionsLaws: ReadonlyArray<Law<MembersFixture>> = [
  {
    name: 'a session is found by its digest as it was begun, with its member as she is now',
    check: async (fixture) => {
      const { session, digest, member, given, workspace } = await signedIn(fixture)
      const known = await found(fixture.elsewhere, digest, NOON)
      same('the session', O.isSome(known) && known.value.session, session)
      same('the member', O.isSome(known) && shown(known.value.member), shown({ ...member, lastSignInAt: NOON }))
      await done('another role', fixture.members.invite(invitation(roleIn(workspace, 'viewer'), { email: given.email })))
      const later = await found(fixture, digest, NOON)
      same('her role now', O.isSome(later) && [...later.value.member.roles], [[workspace, 'viewer']])
      for (const unknown of [newDigest(), '', '\u0000', session.id]) {
        same('no session', await found(fixture, unknown as Digest, NOON), O.none)
      }
    },
  },
  {
    name: 'what sessions may do now is asked for many at once: those that have not ended, in the given workspaces, and which of these are archived',
    check: async (fixture) => {
      const [ada, bob, operator] = [await signedIn(fixture), await signedIn(fixture), await joined(fixture, invitation(OPERATOR))]
      const [ofOperator, ended] = [newSession(operator.id), newSession(ada.member.id)]
      await done('the session of an operator', fixture.sessions.open(ofOperator, newDigest()))
      await done('another session', fixture.sessions.open(ended, newDigest()))
      const [ids, places] = [
        [ada.session.id, bob.session.id, ofOperator.id, ended.id, newSession(ada.member.id).id],
        [ada.workspace, bob.workspace],
      ]
      const standing = async (
        workspaces = places, at = NOON,
      ): Promise<{ readonly rights: unknown; readonly archived: unknown; readonly count: number }> => {
        const { rights, archived } = await done('what they may do', fixture.elsewhere.sessions.standing(ids, workspaces, at))
        return {
          rights: ids.map((id) => { const found = rights.get(id); return found && [found.isOperator, ...found.roles] }),
          archived: [...archived].sort(),
          count: rights.size,
        }
      }
      const [ofAda, ofBob, ofBoth] = [[false, [ada.workspace, 'developer']], [false, [bob.workspace, 'developer']], [true]]
      same('all of them', await standing(), { rights: [ofAda, ofBob, ofBoth, ofAda, undefined], archived: [], count: 4 })
      same('in one workspace', await standing([ada.workspace]), {
        rights: [ofAda, [false], ofBoth, ofAda, undefined], archived: [], count: 4,
      })
      same('in none', (await standing([])).rights, [[false], [false], ofBoth, [false], undefined])
      same('of no sessions', (await done('none', fixture.sessions.standing([], places, NOON))).rights.size, 0)
      await done('a session ends', fixture.sessions.end(ada.member.id, { only: [ended.id] }, NOON))
      await done('a lower role', fixture.members.invite(invitation(roleIn(ada.workspace, 'viewer'), { email: ada.given.email })))
      await done('a removal', fixture.members.remove(bob.member.id, bob.workspace))
      await fixture.archiveWorkspace(bob.workspace)
      same('afterwards', await standing(), {
        rights: [[false, [ada.workspace, 'viewer']], undefined, ofBoth, undefined, undefined], archived: [bob.workspace], count: 2,
      })
      same('when all are idle', (await standing(places, NOON + SESSION_IDLE_MS)).count, 0)
      same('it was no request', await isFound(fixture, ada.digest, NOON + SESSION_IDLE_MS), false)
    },
  },
  {
    name: 'a session begins only for a member, whose last sign-in never moves back',
    check: async (fixture) => {
      const { member } = await signedIn(fixture)
      await done('an earlier session', fixture.sessions.open(newSession(member.id, NOON - MINUTE), newDigest()))
      same('her last sign-in', (await memberNow(fixture, member.id)).lastSignInAt, NOON)
      const digest = newDigest()
      await refused('a session of an unknown member', 'MemberNotFound', fixture.sessions.open(newSession(newMemberId()), digest))
      same('the session', await found(fixture, digest, NOON), O.none)
    },
  },
  {
    name: 'a session ends when it was idle for too long, and at the latest when it expires',
    check: async (fixture) => {
      const { digest } = await signedIn(fixture)
      same('a busy session', await isFound(fixture, digest, NOON + SESSION_IDLE_MS - 1), true)
      same('after its request', await isFound(fixture.elsewhere, digest, NOON + 2 * SESSION_IDLE_MS - 2), true)
      for (let at = NOON + 2 * SESSION_IDLE_MS; at < NOON + SESSION_MS; at += SESSION_IDLE_MS / 2) {
        same('a busy session', await isFound(fixture, digest, at), true)
      }
      same('an expired session', await isFound(fixture, digest, NOON + SESSION_MS), false)
      const idle = await signedIn(fixture)
      same('an idle session', await isFound(fixture, idle.digest, NOON + SESSION_IDLE_MS), false)
    },
  },
  {
    name: 'a request is noted exact to a minute, and never moves the last one back',
    check: async (fixture) => {
      const { digest } = await signedIn(fixture)
      const seenAt = async (at: Instant): Promise<Instant | undefined> => {
        const known = await found(fixture, digest, at)
        return O.isSome(known) ? known.value.session.lastSeenAt : undefined
      }
      const last = (await seenAt(NOON + 10 * MINUTE)) ?? 0
      holds('the request is noted', last > NOON + 9 * MINUTE && last <= NOON + 10 * MINUTE, last)
      same('an earlier request', await seenAt(NOON + 5 * MINUTE), last)
      same(
        'the last request elsewhere',
        O.map(({ session }: { readonly session: { readonly lastSeenAt: Instant } }) => session.lastSeenAt)(
          await found(fixture.elsewhere, digest, NOON + 10 * MINUTE),
        ),
        O.some(last),
      )
    },
  },
  {
    name: 'a session of a gateway whose clock is ahead is found by one whose clock is behind',
    check: async (fixture) => {
      const { digest } = await signedIn(fixture)
      same('the session', await isFound(fixture.elsewhere, digest, NOON - CLOCK_SKEW_MS), true)
      same('the session later', await isFound(fixture, digest, NOON + SESSION_IDLE_MS - 1), true)
    },
  },
  {
    name: 'a list has a member\'s sessions that have not ended, the one last seen first',
    check: async (fixture) => {
      const { member, session, digest } = await signedIn(fixture)
      await signedIn(fixture)
      const [second, expired] = [newSession(member.id, NOON + MINUTE), newSession(member.id, NOON, { expiresAt: NOON + 2 * MINUTE })]
      for (const one of [second, expired]) await done('a session begins', fixture.sessions.open(one, newDigest()))
      await found(fixture, digest, NOON + 2 * MINUTE)
      const ids = (await done('a list', fixture.elsewhere.sessions.list(member.id, NOON + 2 * MINUTE))).map(({ id }) => id)
      same('the sessions', ids, [session.id, second.id])
    },
  },
  {
    name: 'sessions that are ended are gone at once everywhere, and those of others stay',
    check: async (fixture) => {
      const { member, session, digest } = await signedIn(fixture)
      const other = await signedIn(fixture)
      const more = times(3, () => ({ session: newSession(member.id), digest: newDigest() }))
      for (const one of more) await done('a session begins', fixture.sessions.open(one.session, one.digest))
      const [first, ...rest] = more
      const only = { only: [first?.session.id ?? session.id, other.session.id] }
      same('one session', await done('sessions end', fixture.sessions.end(member.id, only, NOON)), 1)
      same('all but one', await done('sessions end', fixture.sessions.end(member.id, { except: session.id }, NOON)), rest.length)
      same(
        'which are left', await Promise.all([digest, ...more.map((one) => one.digest)].map((one) => isFound(fixture.elsewhere, one, NOON))),
        [true, false, false, false],
      )
      same('all', await done('sessions end', fixture.sessions.end(member.id, { except: undefined }, NOON)), 1)
      same('again', await done('sessions end', fixture.sessions.end(member.id, { except: undefined }, NOON)), 0)
      same('those of others', await isFound(fixture, other.digest, NOON), true)
    },
  },
  {
    name: 'what the beginning and the end of sessions take along is stored with them, and only where it happened',
    check: async (fixture) => {
      const { member } = await signedIn(fixture)
      const [opening, ending, refusing, nothing] = [newAlong(fixture), newAlong(fixture), newAlong(fixture), newAlong(fixture)]
      await done('a session begins', fixture.sessions.open(newSession(member.id), newDigest(), opening.outboxEntries))
      await done('sessions end', fixture.sessions.end(member.id, { except: undefined }, NOON, ending.outboxEntries))
      await refused(
        'a session of an unknown member', 'MemberNotFound',
        fixture.sessions.open(newSession(newMemberId()), newDigest(), refusing.outboxEntries),
      )
      await done('nothing ends', fixture.sessions.end(member.id, { except: undefined }, NOON, nothing.outboxEntries))
      same(
        'which entries are stored', await Promise.all([opening, ending, refusing, nothing].map(({ isStored }) => isStored())),
        [true, true, false, false],
      )
      same('how many sessions ended', ending.seen.map((seen) => (seen as ReadonlyArray<unknown>).length), [2])
    },
  },
  {
    name: 'after the free attempts with a name each must wait twice as long as the one before, up to the longest delay',
    check: async (fixture) => {
      const name = attempts(2)
      await count(fixture, [name], NOON)
      let at = NOON
      for (const minutes of [1, 2, 4, 5, 5, 5]) {
        await count(fixture.elsewhere, [name], at)
        same('when to try again', await retryAt(fixture, [name], at), at + minutes * MINUTE)
        at += minutes * MINUTE
        same('a moment before', await retryAt(fixture, [name], at - 1), at)
      }
      await count(fixture, [name], at)
      await done('an attempt of no name', fixture.sessions.countAttempt([], NOON))
    },
  },
  {
    name: 'an attempt is counted for all its names, or for none where one of them must wait',
    check: async (fixture) => {
      const [few, many] = [attempts(1), attempts(3)]
      await count(fixture, [few, many], NOON)
      same('when to try again', await retryAt(fixture.elsewhere, [many, few], NOON), NOON + MINUTE)
      await count(fixture, [many], NOON)
      await count(fixture, [many], NOON)
      same('when to try again', await retryAt(fixture, [few, many], NOON), NOON + MINUTE)
      same('the later of two', await retryAt(fixture, [few, many], NOON + MINUTE / 2), NOON + MINUTE)
    },
  },
  {
    name: 'whether an attempt may be made is answered as for one that is counted, and counts nothing',
    check: async (fixture) => {
      const [few, many] = [attempts(1), attempts(3)]
      const may = (names: ReadonlyArray<AttemptName>, at: Instant) => fixture.elsewhere.sessions.mayAttempt(names, at)
      for (let asked = 0; asked < 5; asked += 1) await done('before an attempt', may([few, many], NOON))
      await count(fixture, [few, many], NOON)
      for (const names of [[few, many], [many, few], [few]]) {
        same(
          'when to try again', (await refused('during a delay', 'TooManyAttempts', may(names, NOON + MINUTE - 1))).retryAt, NOON + MINUTE,
        )
      }
      for (const names of [[many], []]) await done('with other names', may(names, NOON))
      await done('after the delay', may([few, many], NOON + MINUTE))
      await count(fixture, [few, many], NOON + MINUTE)
    },
  },
  {
    name: 'attempts are forgotten one by one, and all of them some time after the last, however many there were',
    check: async (fixture) => {
      const name = attempts(2)
      for (const minutes of [0, 0, 1, 3, 7, 12, 17, 22]) await count(fixture, [name], NOON + minutes * MINUTE)
      const last = NOON + 22 * MINUTE
      await count(fixture.elsewhere, [name], last + 3 * name.forgetOneMs)
      same(
        'with those that are left', await retryAt(fixture, [name], last + 3 * name.forgetOneMs), last + 3 * name.forgetOneMs + 2 * MINUTE,
      )
      const later = last + 9 * name.forgetOneMs
      await count(fixture, [name], later)
      await count(fixture, [name], later)
      same('a new count', await retryAt(fixture, [name], later), later + MINUTE)
    },
  },
  {
    name: 'an attempt that is taken back counts no more, with its delay, and leaves the others',
    check: async (fixture) => {
      const [name, other] = [attempts(2), attempts(1)]
      await count(fixture, [name], NOON)
      for (let right = 1; right <= 5; right += 1) {
        await count(fixture, [name], NOON + right)
        await done('it is taken back', fixture.elsewhere.sessions.uncountAttempt([name, other], NOON + right))
      }
      await count(fixture, [name], NOON + 10)
      same('the first one stays', await retryAt(fixture, [name], NOON + 10), NOON + 10 + MINUTE)
      await done('one that is none is taken back', fixture.sessions.uncountAttempt([other], NOON))
      await count(fixture, [other], NOON + 10)
      same('the other name', await retryAt(fixture, [other], NOON + 10), NOON + 10 + MINUTE)
    },
  },
  {
    name: 'attempts are forgotten when they are cleared, for the given names alone',
    check: async (fixture) => {
      const [one, other] = [attempts(1), attempts(1)]
      await count(fixture, [one, other], NOON)
      await done('they are forgotten', fixture.elsewhere.sessions.clearAttempts([one]))
      await count(fixture, [one], NOON)
      await retryAt(fixture, [other], NOON)
    },
  },
  {
    name: 'concurrent attempts never pass a delay',
    check: async (fixture) => {
      const [email, address] = [attempts(3), attempts(5)]
      const made = await Promise.all(times(12, (index) => {
        const names = index % 2 === 0 ? [email, address] : [address, { ...email, name: `${email.name} ${index % 4}` }]
        return (index % 3 === 0 ? fixture.elsewhere : fixture).sessions.countAttempt(names, NOON)
      }))
      same('how many are counted', made.filter(E.isRight).length, 5)
      holds('others are refused', made.filter(E.isLeft).every(({ left }) => left._tag === 'TooManyAttempts'), made)
      await done('all are taken back', fixture.sessions.clearAttempts([email, address]))
      await Promise.all(times(6, async (index) => {
        const at = NOON + index
        const counted = await (index % 2 === 0 ? fixture.elsewhere : fixture).sessions.countAttempt([address], at)
        if (E.isRight(counted)) await done('it is taken back', fixture.sessions.uncountAttempt([address], at))
      }))
      for (let attempt = 0; attempt < 5; attempt += 1) await count(fixture, [address], NOON + MINUTE)
      await retryAt(fixture, [address], NOON + MINUTE)
    },
  },
  {
    name: 'what has ended is removed in parts, and nothing else is',
    check: async (fixture) => {
      const { member, digest } = await signedIn(fixture)
      const at = NOON + 60 * MINUTE
      for (const one of times(6, () => newSession(member.id, NOON, { expiresAt: NOON + 1 }))) {
        await done('a session begins', fixture.sessions.open(one, newDigest()))
      }
      const name = attempts(1)
      await done('an attempt', fixture.sessions.countAttempt([name], at))
      const old = invitation(roleIn((await fixture.openWorkspace()).workspace), { link: { digest: newDigest(), expiresAt: NOON + 1 } })
      await done('an invitation', fixture.members.invite(old))
      const fresh = invitation(old.access, { link: { digest: newDigest(), expiresAt: at + 1 } })
      await done('an invitation', fixture.members.invite(fresh))
      const removed: Array<number> = []
      do removed.push(
        await done('what is old is removed', fixture.sessions.removeOld(at, 2)),
      ); while (removed.at(-1) !== 0 && removed.length < 10_000)
      holds('all that is old is removed', removed.reduce((sum, count) => sum + count, 0) >= 7, removed)
      holds('a few at a time', removed.every((count) => count <= 6), removed)
      same('the old link', await done('a link', fixture.members.peekLink(old.link.digest, NOON)), O.none)
      same('the session', await isFound(fixture, digest, at), true)
      await done('the fresh link', fixture.members.takeLink(fresh.link.digest, at, undefined))
      await refused('the attempt is still counted', 'TooManyAttempts', fixture.sessions.countAttempt([name], at))
      same('the ended ones are gone', (await done('a list', fixture.sessions.list(member.id, NOON))).length, 1)
    },
  },
]
