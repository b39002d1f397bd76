import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { AuditLog } from '../../core/access/acting.js'
import {
  type ApiKey, apiKeyIdIn, apiKeyOf, checkReplaceable, endOfReplaced, hasEnded, KEY_ID_BYTES, KEY_SECRET_BYTES, type KeyEnded,
  type KeyReplaced, type KeyStore, type KeySuccession, type MintedKey, type NewKey, type Rotation, type Successor, type UnknownApiKey,
  type WorkspaceKey,
} from '../../core/access/keys.js'
import {
  type Access, addsTo, type AttemptName, type Attempts, delayedUntil, type Digest, type Identity, type Invitation, isElsewhere, isForSame,
  type LastOperator, type LinkUnusable, type Member, type MemberNotFound, type Members, NO_ATTEMPTS, type PendingInvitation, type Session,
  SESSION_IDLE_MS, type SessionId, type Sessions, type TooManyAttempts, withAccess, withAttempt, withoutAttempt,
} from '../../core/access/members.js'
import { type Email, type KeyPrincipal, SCOPES } from '../../core/kernel/actor.js'
import type { MemberId, WorkspaceId } from '../../core/kernel/ids.js'
import type { MakeOutboxEntries } from '../../core/kernel/outbox.js'
import { type Instant, MINUTE_MS } from '../../core/kernel/time.js'
import type { UnknownWorkspace, Workspace } from '../../core/kernel/workspace.js'
import { type EventState, openEventState, storeEvents } from './events.js'
import { atomic, infallible, pageById } from './kernel.js'

/** The members, the open sessions, and the sign-in attempts. */
export type AccessState = {
  readonly members: Map<MemberId, MemberRecord>
  readonly links: Map<Digest, LinkRecord>
  /** The member of each identity, by its issuer and subject as JSON. */
  readonly identities: Map<string, { readonly member: MemberId; readonly issuer: string }>
  readonly sessions: Map<SessionId, SessionRecord>
  readonly attempts: Map<string, Attempts>
}

/** A member with their password digest. */
export type MemberRecord = { member: Member; passwordDigest: string | undefined }

/** The member that a link signs in, its expiry, and its purpose; without an invitation it is for the first operator. */
export type LinkRecord = { readonly expiresAt: Instant; readonly invitation: LinkInvitation | undefined }

/** The access that a link grants, and who created it. */
export type LinkInvitation = { readonly member: MemberId; readonly access: Access; readonly invitedBy: string; readonly onlyHere: boolean }

/** A session by the digest of its token. */
export type SessionRecord = { session: Session; readonly digest: Digest }

/** Without a member. */
export const openAccessState = (): AccessState => ({
  members: new Map(), links: new Map(), identities: new Map(), sessions: new Map(), attempts: new Map(),
})

/** The member with an email. */
export const memberWithEmail = ({ members }: AccessState, email: Email): MemberRecord | undefined =>
  [...members.values()].find(({ member }) => member.email === email)

/** Deletes the entries of a map that match a filter. */
export const deleteWhere = <Key, Value>(map: Map<Key, Value>, isOne: (value: Value, key: Key) => boolean): void => {
  for (const [key, value] of map) if (isOne(value, key)) map.delete(key)
}

/** The audit log in memory. */
export const makeMemoryAuditLog = (state: EventState = openEventState()): AuditLog => ({
  append: (entries) => infallible(() => storeEvents(state, entries)),
  list: ({ workspace, since = -Infinity, until = Infinity, ...query }) =>
    infallible(() => {
      const wanted = [...state.auditEntries.values()].filter(
        (entry) => (workspace === undefined || entry.workspace === workspace) && entry.at >= since && entry.at < until,
      )
      return pageById(wanted, query, ({ id }) => id)
    }),
  removeAnonymous: (before, limit) => infallible(() => {
    const found = [...state.auditEntries.values()].filter(({ by, at }) => by.type === 'unknown' && at < before).slice(0, limit)
    for (const { id } of found) state.auditEntries.delete(id)
    return found.length
  }),
})

/** A key as it is stored: the SHA-256 digest of its text, its data, and for a successor the id for which its spending counts. */
export type KeyRecord = { readonly digest: Buffer; known: ApiKey; readonly spendingId?: string }

/** The API keys in memory, of the existing workspaces. */
export const makeMemoryKeyStore = (
  workspaces: ReadonlyMap<WorkspaceId, Pick<Workspace, 'archivedAt'>>,
  keys: Map<string, KeyRecord> = new Map(),
  events: EventState = openEventState(),
): KeyStore => {
  return {
    principalOf: (presented, at) => atomic(() => principalOf(presented, at)),
    mint: (key, outboxEntries) =>
      atomic((): E.Either<UnknownWorkspace, MintedKey> => {
        if (!workspaces.has(key.workspace)) return E.left({ _tag: 'UnknownWorkspace' })
        const made = makeKey(key)
        if (outboxEntries !== undefined) {
          storeEvents(events, outboxEntries({ workspace: key.workspace, id: made.minted.id, name: key.name }))
        }
        keys.set(made.minted.id, made.record)
        return E.right(made.minted)
      }),
    rotate: (id, rotation, outboxEntries) => atomic(() => rotate(id, rotation, outboxEntries)),
    find: (id) => infallible(() => O.fromNullable(keys.get(id)?.known)),
    list: (workspace) =>
      infallible(() =>
        [...keys.values()]
          .map(({ known }) => known)
          .filter((key) => key.workspace === workspace)
          .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
      ),
    revoke: (id, at, outboxEntries) => atomic(() => revoke(id, at, outboxEntries)),
  }

  function principalOf(presented: string, at: Instant): E.Either<UnknownApiKey, KeyPrincipal> {
    const key = keys.get(apiKeyIdIn(presented) ?? '')
    if (key === undefined || hasEnded(key.known, at) || !timingSafeEqual(key.digest, digestOf(presented))) return UNKNOWN
    const { id, workspace, name, scopes, lastUsedAt } = key.known
    if (workspaces.get(workspace)?.archivedAt !== undefined) return UNKNOWN
    if (lastUsedAt === undefined || at > lastUsedAt) key.known = { ...key.known, lastUsedAt: at }
    return E.right({
      _tag: 'Key', workspace, key: id, name, scopes, ...limitsOf(key.known),
      ...(key.spendingId !== undefined && { spendingId: key.spendingId }),
    })
  }

  function rotate(
    id: string, rotation: Rotation, outboxEntries?: MakeOutboxEntries<KeySuccession>,
  ): E.Either<UnknownApiKey | KeyEnded | KeyReplaced, Successor> {
    const old = keys.get(id)
    if (old === undefined) return UNKNOWN
    const replaceable = checkReplaceable(old.known, rotation.at)
    if (E.isLeft(replaceable)) return replaceable
    const { workspace, name, scopes } = old.known
    const { minted, record } = makeKey({ workspace, name, scopes, at: rotation.at, ...limitsOf(old.known) })
    const endsAt = endOfReplaced(old.known, rotation)
    if (outboxEntries !== undefined) storeEvents(events, outboxEntries({ workspace, id, name, successor: minted.id, endsAt }))
    keys.set(minted.id, { ...record, spendingId: old.spendingId ?? id })
    old.known = { ...old.known, replacedBy: minted.id, expiresAt: endsAt, revokedAt: rotation.overlapMs === 0 ? rotation.at : undefined }
    return E.right({ ...minted, replacedEndsAt: endsAt })
  }

  function revoke(id: string, at: Instant, outboxEntries?: MakeOutboxEntries<WorkspaceKey>): E.Either<UnknownApiKey, void> {
    const key = keys.get(id)
    if (key === undefined) return UNKNOWN
    const { workspace, name, revokedAt } = key.known
    if (outboxEntries !== undefined && revokedAt === undefined) storeEvents(events, outboxEntries({ workspace, id, name }))
    key.known = { ...key.known, revokedAt: revokedAt ?? at }
    return E.right(undefined)
  }
}

const limitsOf = ({ expiresAt, spendingLimit }: ApiKey): Pick<NewKey, 'expiresAt' | 'spendingLimit'> => ({
  ...(expiresAt !== undefined && { expiresAt }),
  ...(spendingLimit !== undefined && { spendingLimit }),
})

const UNKNOWN: E.Either<UnknownApiKey, never> = E.left({ _tag: 'UnknownApiKey' })

const makeKey = ({
  workspace, name, scopes, at, expiresAt, spendingLimit,
}: NewKey): { readonly minted: MintedKey; readonly record: KeyRecord } => {
  const id = randomBytes(KEY_ID_BYTES).toString('hex')
  const key = apiKeyOf(id, randomBytes(KEY_SECRET_BYTES).toString('hex'))
  const known: ApiKey = {
    id, workspace, name, scopes: SCOPES.filter((scope) => scopes.includes(scope)), createdAt: at, lastUsedAt: undefined,
    revokedAt: undefined, expiresAt, spendingLimit, replacedBy: undefined,
  }
  return { minted: { id, key }, record: { digest: digestOf(key), known } }
}

const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer')

/** The members in memory, with roles in the existing workspaces. */
export const makeMemoryMembers = (
  workspaces: ReadonlyMap<WorkspaceId, unknown>, state: AccessState = openAccessState(), events: EventState = openEventState(),
): Members => {
  const { members, links, identities } = state
  const note = (outboxEntries: MakeOutboxEntries<Member> | undefined, member: Member): void => {
    if (outboxEntries !== undefined) storeEvents(events, outboxEntries(member))
  }
  return {
    find: (id) => infallible(() => memberOf(members.get(id))),
    withEmail: (email) => infallible(() => memberOf(memberWithEmail(state, email))),
    list: (workspace) =>
      infallible(() =>
        everyMember(state).filter(({ roles }) => workspace === undefined || roles.has(workspace)).sort((a, b) => (a.id < b.id ? -1 : 1))),
    invite: (invitation, outboxEntries) =>
      atomic((): E.Either<UnknownWorkspace, Member> => {
        const { access, link: { digest, expiresAt }, email, invitedBy, onlyHere } = invitation
        if (access._tag === 'Role' && !workspaces.has(access.workspace)) return E.left({ _tag: 'UnknownWorkspace' })
        const record = memberWithEmail(state, email) ?? { member: { ...newMember(invitation), invitedBy }, passwordDigest: undefined }
        const member = addsTo(record.member, access) ? record.member : withAccess(record.member, access)
        note(outboxEntries, member)
        record.member = member
        members.set(member.id, record)
        deleteWhere(links, (other) => other.invitation?.member === member.id && isForSame(other.invitation.access, access))
        links.set(digest, { expiresAt, invitation: { member: member.id, access, invitedBy, onlyHere } })
        return E.right(member)
      }),
    pending: (at, workspace) =>
      infallible(() =>
        [...links.values()].flatMap((link) => waiting(state, link, at))
          .filter(({ access }) => workspace === undefined || (access._tag === 'Role' && access.workspace === workspace))
          .sort((a, b) => (a.member < b.member ? -1 : a.member > b.member ? 1 : a.expiresAt - b.expiresAt))),
    remove: (id, from, outboxEntries) => atomic(() => remove(state, { id, from, note: (member) => note(outboxEntries, member) })),
    hasOperator: () => infallible(() => operators(state) > 0),
    addFirstLink: ({ digest, expiresAt }) => infallible(() => void links.set(digest, { expiresAt, invitation: undefined })),
    peekLink: (digest, at) =>
      infallible(() => {
        const link = links.get(digest)
        if (link === undefined || at >= link.expiresAt) return O.none
        if (link.invitation === undefined) return operators(state) > 0 ? O.none : O.some({ _tag: 'FirstOperator' })
        return purposeOf(invitee(state, link))
      }),
    takeLink: (digest, at, first, outboxEntries) =>
      atomic((): E.Either<LinkUnusable, Member> => {
        const link = links.get(digest)
        if (link === undefined || at >= link.expiresAt) return UNUSABLE
        const record = link.invitation === undefined ? firstOperator(state, first, at) : invitee(state, link)
        if (record === undefined) return UNUSABLE
        const member = withNewCredentials(link.invitation === undefined ? record.member : withAccess(record.member, link.invitation.access))
        note(outboxEntries, member)
        startAnew(state, member)
        links.delete(digest)
        if (link.invitation === undefined) deleteWhere(links, ({ invitation }) => invitation === undefined)
        return E.right(member)
      }),
    acceptAll: (id, at, outboxEntries) =>
      change(members, id, (record) => {
        const accesses = [...links.values()].flatMap((link) => waiting(state, link, at))
          .filter(({ member }) => member === id)
          .map(({ access }) => access)
        if (accesses.length === 0) return record.member
        const member = withNewCredentials(accesses.reduce(withAccess, record.member))
        note(outboxEntries, member)
        startAnew(state, member)
        deleteWhere(links, ({ invitation }) => invitation?.member === id)
        return member
      }),
    withPassword: (email) => infallible(() => O.fromNullable(copyOf(memberWithEmail(state, email)))),
    setPassword: (id, passwordDigest, keep, outboxEntries) =>
      change(members, id, (record) => {
        const member = { ...withNewCredentials(record.member), hasPassword: true }
        note(outboxEntries, member)
        Object.assign(record, { member, passwordDigest })
        deleteWhere(state.sessions, ({ session }) => session.member === id && session.id !== keep)
        deleteWhere(links, ({ invitation }) => invitation?.member === id && !addsTo(member, invitation.access))
      }),
    setLanguage: (id, language) => infallible(() => {
      const record = members.get(id)
      if (record !== undefined) record.member = { ...record.member, language }
    }),
    withIdentity: (identity) => infallible(() => memberOf(recordOf(members, identities.get(keyOf(identity))?.member))),
    joinIdentity: (id, identity) =>
      change(members, id, () => {
        const joined = identities.get(keyOf(identity))
        if (joined !== undefined) return joined.member === id
        if ([...identities.values()].some(({ member, issuer }) => member === id && issuer === identity.issuer)) return false
        identities.set(keyOf(identity), { member: id, issuer: identity.issuer })
        return true
      }),
  }
}

const UNUSABLE: E.Either<LinkUnusable, never> = E.left({ _tag: 'LinkUnusable' })

const keyOf = ({ issuer, subject }: Identity): string => JSON.stringify([issuer, subject])

const memberOf = (record: MemberRecord | undefined): O.Option<Member> => O.fromNullable(record?.member)

const recordOf = (members: ReadonlyMap<MemberId, MemberRecord>, id: MemberId | undefined) =>
  id === undefined ? undefined : members.get(id)

const copyOf = (record: MemberRecord | undefined): MemberRecord | undefined => record && { ...record }

const purposeOf = (record: MemberRecord | undefined) => O.map(({ email }: Member) => ({ _tag: 'Member', email }) as const)(memberOf(record))

const everyMember = ({ members }: AccessState): ReadonlyArray<Member> => Array.from(members.values(), ({ member }) => member)

const operators = (state: AccessState): number => everyMember(state).filter(({ isOperator }) => isOperator).length

const newMember = ({ id, email, at }: Pick<Invitation, 'id' | 'email' | 'at'>): Member => ({
  id, email, isOperator: false, roles: new Map(), createdAt: at, lastSignInAt: undefined, hasPassword: false, credentialsVersion: 0,
})

/** The member of a link, unless the link is for a person without access elsewhere and the member has some. */
const invitee = ({ members }: AccessState, { invitation }: LinkRecord): MemberRecord | undefined => {
  const record = invitation && members.get(invitation.member)
  return record !== undefined && invitation?.onlyHere === true && isElsewhere(record.member, invitation.access) ? undefined : record
}

const waiting = ({ members }: AccessState, { invitation, expiresAt }: LinkRecord, at: number): ReadonlyArray<PendingInvitation> => {
  const record = invitation && members.get(invitation.member)
  if (invitation === undefined || record === undefined || at >= expiresAt) return []
  const { member, access, invitedBy, onlyHere } = invitation
  return [
    { member, email: record.member.email, access, invitedBy, expiresAt, needsOperator: onlyHere && isElsewhere(record.member, access) },
  ]
}

const withNewCredentials = (member: Member): Member => ({
  ...member, hasPassword: false, credentialsVersion: member.credentialsVersion + 1,
})

/** Stores a member without a password, and ends their sessions except those opened by an identity provider. */
const startAnew = ({ members, sessions }: AccessState, member: Member): void => {
  members.set(member.id, { member, passwordDigest: undefined })
  deleteWhere(sessions, ({ session }) => session.member === member.id && session.openedBy !== 'identity')
}

const firstOperator = (state: AccessState, first: Pick<Invitation, 'id' | 'email'> | undefined, at: number): MemberRecord | undefined => {
  if (first === undefined || operators(state) > 0) return undefined
  const record = memberWithEmail(state, first.email) ?? { member: newMember({ ...first, at }), passwordDigest: undefined }
  return { ...record, member: { ...record.member, isOperator: true } }
}

const change = <Result>(members: Map<MemberId, MemberRecord>, id: MemberId, to: (record: MemberRecord) => Result) =>
  atomic((): E.Either<MemberNotFound, Result> => {
    const record = members.get(id)
    return record === undefined ? E.left({ _tag: 'MemberNotFound', member: id }) : E.right(to(record))
  })

type Removal = { readonly id: MemberId; readonly from: 'everywhere' | WorkspaceId; readonly note: (member: Member) => void }

const remove = (state: AccessState, { id, from, note }: Removal): E.Either<MemberNotFound | LastOperator, void> => {
  const record = state.members.get(id)
  const ofHers = [...state.links].filter(([, { invitation }]) => invitation?.member === id)
  const ofThis = ofHers.filter(([, { invitation }]) => invitation?.access._tag === 'Role' && invitation.access.workspace === from)
  if (record === undefined || (from !== 'everywhere' && !record.member.roles.has(from) && ofThis.length === 0)) {
    return E.left({ _tag: 'MemberNotFound', member: id })
  }
  const { isOperator } = record.member
  if (from === 'everywhere' && isOperator && operators(state) === 1) return E.left({ _tag: 'LastOperator' })
  note(record.member)
  const roles = new Map([...record.member.roles].filter(([workspace]) => workspace !== from))
  if (from !== 'everywhere' && (isOperator || roles.size > 0 || ofHers.length > ofThis.length)) {
    record.member = { ...record.member, roles }
    for (const [digest] of ofThis) state.links.delete(digest)
    return E.right(undefined)
  }
  state.members.delete(id)
  deleteWhere(state.sessions, ({ session }) => session.member === id)
  deleteWhere(state.links, ({ invitation }) => invitation?.member === id)
  deleteWhere(state.identities, ({ member }) => member === id)
  return E.right(undefined)
}

/** The sessions in memory, of the members of the same state. */
export const makeMemorySessions = (
  state: AccessState = openAccessState(), events: EventState = openEventState(),
  workspaces: ReadonlyMap<WorkspaceId, Pick<Workspace, 'archivedAt'>> = new Map(),
): Sessions => {
  const { members, sessions, attempts } = state
  return {
    open: (session, digest, outboxEntries, credentialsVersion) =>
      atomic((): E.Either<MemberNotFound, void> => {
        const record = members.get(session.member)
        if (record === undefined || (credentialsVersion !== undefined && record.member.credentialsVersion !== credentialsVersion)) {
          return E.left({ _tag: 'MemberNotFound', member: session.member })
        }
        if (outboxEntries !== undefined) storeEvents(events, outboxEntries(session))
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
        rights: new Map(
          openOf(state, at).filter(({ id }) => ids.includes(id)).flatMap(({ id, member }) => rightsOf(state, id, member, places)),
        ),
        archived: new Set(places.filter((place) => workspaces.get(place)?.archivedAt !== undefined)),
      })),
    list: (member, at) =>
      infallible(() =>
        openOf(state, at).filter((session) => session.member === member).sort((a, b) =>
          b.lastSeenAt - a.lastSeenAt || (a.id < b.id ? 1 : -1))),
    end: (member, which, at, outboxEntries) =>
      infallible(() => {
        const ended = openOf(state, at).filter(({ id, member: of }) =>
          of === member && ('only' in which ? which.only.includes(id) : id !== which.except))
        if (outboxEntries !== undefined && ended.length > 0) storeEvents(events, outboxEntries(ended))
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
        deleteSome(sessions, limit, ({ session }) => !isOpen(session, at))
        + deleteSome(state.links, limit, ({ expiresAt }) => at >= expiresAt)
        + deleteSome(attempts, limit, ({ endsAt }) => at >= endsAt)),
  }
}

const isOpen = ({ lastSeenAt, expiresAt }: Session, at: Instant): boolean => at < expiresAt && at < lastSeenAt + SESSION_IDLE_MS

const openOf = ({ sessions }: AccessState, at: Instant): Array<Session> =>
  Array.from(sessions.values(), ({ session }) => session).filter((session) => isOpen(session, at))

const rightsOf = ({ members }: AccessState, id: SessionId, of: MemberId, places: ReadonlyArray<WorkspaceId>) => {
  const member = members.get(of)?.member
  return member === undefined
    ? []
    : [[id, { isOperator: member.isOperator, roles: new Map([...member.roles].filter(([place]) => places.includes(place))) }] as const]
}

const countAttempt = ({ attempts }: AccessState, names: ReadonlyArray<AttemptName>, at: Instant): E.Either<TooManyAttempts, void> => {
  const allowed = mayAttempt({ attempts }, names, at)
  if (E.isLeft(allowed)) return allowed
  for (const name of names) attempts.set(name.name, withAttempt(name, attempts.get(name.name) ?? NO_ATTEMPTS, at))
  return E.right(undefined)
}

const mayAttempt = (
  { attempts }: Pick<AccessState, 'attempts'>, names: ReadonlyArray<AttemptName>, at: Instant,
): E.Either<TooManyAttempts, void> => {
  const until = delayedUntil(names.map(({ name }) => attempts.get(name) ?? NO_ATTEMPTS), at)
  return until === undefined ? E.right(undefined) : E.left({ _tag: 'TooManyAttempts', retryAt: until })
}

const deleteSome = <Key, Value>(map: Map<Key, Value>, limit: number, isOld: (value: Value) => boolean): number => {
  const old = [...map].filter(([, value]) => isOld(value)).slice(0, limit)
  for (const [key] of old) map.delete(key)
  return old.length
}
