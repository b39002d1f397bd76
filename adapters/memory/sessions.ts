import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  SESSION_IDLE_MS, type AttemptName, type Instant, type MemberNotFound, type Session, type Sessions, type TooManyAttempts,
} from '../../core/ports/sessions.js'
import { MINUTE_MS } from '../../core/time.js'
import { openAccessState, type AccessState } from './access-state.js'
import { openEventState, storeEvents, type EventState } from './event-state.js'
import { atomic, infallible } from './task.js'

/** The sessions in memory, of the members of the same state. */
export const makeMemorySessions = (state: AccessState = openAccessState(), events: EventState = openEventState()): Sessions => {
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
    list: (member, at) => infallible(() => openOf(state, at).filter((session) => session.member === member).sort((a, b) => b.lastSeenAt - a.lastSeenAt || (a.id < b.id ? 1 : -1))),
    end: (member, which, at, along) =>
      infallible(() => {
        const ended = openOf(state, at).filter(({ id, member: of }) => of === member && ('only' in which ? which.only.includes(id) : id !== which.except))
        if (along !== undefined && ended.length > 0) storeEvents(events, along(ended))
        for (const { id } of ended) sessions.delete(id)
        return ended.length
      }),
    countAttempt: (names, at) => atomic(() => countAttempt(state, names, at)),
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

const countAttempt = ({ attempts }: AccessState, names: ReadonlyArray<AttemptName>, at: Instant): E.Either<TooManyAttempts, void> => {
  const counts = names.map(({ name, most, withinMs }) => {
    const before = attempts.get(name)
    const current = before !== undefined && at < before.endsAt ? before : { count: 0, endsAt: at + withinMs }
    return { name, most, current }
  })
  const full = counts.filter(({ most, current }) => current.count >= most).map(({ current }) => current.endsAt)
  if (full.length > 0) return E.left({ _tag: 'TooManyAttempts', retryAt: Math.max(...full) })
  for (const { name, current } of counts) attempts.set(name, { count: current.count + 1, endsAt: current.endsAt })
  return E.right(undefined)
}

const deleteSome = <Key, Value>(map: Map<Key, Value>, limit: number, isOld: (value: Value) => boolean): number => {
  const old = [...map].filter(([, value]) => isOld(value)).slice(0, limit)
  for (const [key] of old) map.delete(key)
  return old.length
}
