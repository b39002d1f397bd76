import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  type AttemptName, delayedUntil, type MemberNotFound, NO_ATTEMPTS, type Session, SESSION_IDLE_MS, type SessionId, type Sessions, type TooManyAttempts,
  withAttempt, withoutAttempt,
} from '../../core/access/members.js'
import type { MemberId, WorkspaceId } from '../../core/kernel/ids.js'
import { type Instant, MINUTE_MS } from '../../core/kernel/time.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import { type AccessState, openAccessState } from './access-state.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { atomic, infallible } from './task.js'

/** The sessions in memory, of the members of the same state. */
export const makeMemorySessions = (
  state: AccessState = openAccessState(), events: EventState = openEventState(), workspaces: ReadonlyMap<WorkspaceId, Pick<Workspace, 'archivedAt'>> = new Map(),
): Sessions => {
  const { members, sessions, attempts } = state
  return {
    open: (session, digest, along, credentialsVersion) =>
      atomic((): E.Either<MemberNotFound, void> => {
        const record = members.get(session.member)
        if (record === undefined || (credentialsVersion !== undefined && record.member.credentialsVersion !== credentialsVersion)) {
          return E.left({ _tag: 'MemberNotFound', member: session.member })
        }
        if (along !== undefined) storeEvents(events, along(session))
        record.member = { ...record.member, lastSignInAt: Math.max(session.createdAt, record.member.lastSignInAt ?? session.createdAt) }
        sessions.set(session.id, { session, digest })
        return E.right(undefined)
      }),
    find: (digest, at) =>
      infallible(() => {
        const record = [...sessions.values()].find((one) => one.digest === digest)
        if (record === undefined || !isOpen(record.session, at)) return O.none
        const member = members.get(record.session.member)?.member
        if (at >= record.session.lastSeenAt + MINUTE_MS) record.session = { ...record.session, lastSeenAt: at }
        return member === undefined ? O.none : O.some({ session: record.session, member })
      }),
    standing: (ids, places, at) =>
      infallible(() => ({
        rights: new Map(openOf(state, at).filter(({ id }) => ids.includes(id)).flatMap(({ id, member }) => rightsOf(state, id, member, places))),
        archived: new Set(places.filter((place) => workspaces.get(place)?.archivedAt !== undefined)),
      })),
    list: (member, at) => infallible(() => openOf(state, at).filter((session) => session.member === member).sort((a, b) => b.lastSeenAt - a.lastSeenAt || (a.id < b.id ? 1 : -1))),
    end: (member, which, at, along) =>
      infallible(() => {
        const ended = openOf(state, at).filter(({ id, member: of }) => of === member && ('only' in which ? which.only.includes(id) : id !== which.except))
        if (along !== undefined && ended.length > 0) storeEvents(events, along(ended))
        for (const { id } of ended) sessions.delete(id)
        return ended.length
      }),
    countAttempt: (names, at) => atomic(() => countAttempt(state, names, at)),
    mayAttempt: (names, at) => atomic(() => mayAttempt(state, names, at)),
    uncountAttempt: (names, at) =>
      infallible(() => {
        for (const name of names) {
          const counted = attempts.get(name.name)
          if (counted !== undefined) attempts.set(name.name, withoutAttempt(name, counted, at))
        }
      }),
    clearAttempts: (names) =>
      infallible(() => {
        for (const { name } of names) attempts.delete(name)
      }),
    removeOld: (at, limit) =>
      infallible(() =>
        deleteSome(sessions, limit, ({ session }) => !isOpen(session, at)) + deleteSome(state.links, limit, ({ expiresAt }) => at >= expiresAt)
        + deleteSome(attempts, limit, ({ endsAt }) => at >= endsAt)),
  }
}

const isOpen = ({ lastSeenAt, expiresAt }: Session, at: Instant): boolean => at < expiresAt && at < lastSeenAt + SESSION_IDLE_MS

const openOf = ({ sessions }: AccessState, at: Instant): Array<Session> => Array.from(sessions.values(), ({ session }) => session).filter((session) => isOpen(session, at))

const rightsOf = ({ members }: AccessState, id: SessionId, of: MemberId, places: ReadonlyArray<WorkspaceId>) => {
  const member = members.get(of)?.member
  return member === undefined ? [] : [[id, { isOperator: member.isOperator, roles: new Map([...member.roles].filter(([place]) => places.includes(place))) }] as const]
}

const countAttempt = ({ attempts }: AccessState, names: ReadonlyArray<AttemptName>, at: Instant): E.Either<TooManyAttempts, void> => {
  const allowed = mayAttempt({ attempts }, names, at)
  if (E.isLeft(allowed)) return allowed
  for (const name of names) attempts.set(name.name, withAttempt(name, attempts.get(name.name) ?? NO_ATTEMPTS, at))
  return E.right(undefined)
}

const mayAttempt = ({ attempts }: Pick<AccessState, 'attempts'>, names: ReadonlyArray<AttemptName>, at: Instant): E.Either<TooManyAttempts, void> => {
  const until = delayedUntil(names.map(({ name }) => attempts.get(name) ?? NO_ATTEMPTS), at)
  return until === undefined ? E.right(undefined) : E.left({ _tag: 'TooManyAttempts', retryAt: until })
}

const deleteSome = <Key, Value>(map: Map<Key, Value>, limit: number, isOld: (value: Value) => boolean): number => {
  const old = [...map].filter(([, value]) => isOld(value)).slice(0, limit)
  for (const [key] of old) map.delete(key)
  return old.length
}
