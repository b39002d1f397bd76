import { createHash, createHmac, randomBytes } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { makeMemberUseCases, type MemberUseCasesDeps } from '../../../core/access/member-use-cases.js'
import type { Digest } from '../../../core/access/members.js'
import {
  type Access, type Actor, type AuditEntry, auditIdOf, type Currency, memberIdOf, type MemberUseCases,
  type Principal, type Role, SCOPES, sessionIdOf, type SignedIn, SYSTEM, type Token, type WorkspaceId, workspaceIdOf,
} from '../../../core/index.js'
import { rightOf as valueOf } from '../../support/right-of.js'
import { plainHasher } from './plain-hasher.js'

export const PASSWORD = 'three blind otters'
export const ADDRESS = '203.0.113.7'

/** Members in memory with a clock that the tests move; the parts of passwords may be replaced. */
export const memberWorld = async (more: Partial<Pick<MemberUseCasesDeps, 'passwords' | 'passwordHashQueue'>> = {}) => {
  const storage = makeMemoryStorage()
  const verified: Array<string | undefined> = []
  const passwords = plainHasher((digest) => verified.push(digest))
  const clock = { at: Date.UTC(2026, 10, 2) }
  const now = () => clock.at
  const use: MemberUseCases = makeMemberUseCases({
    ...storage, passwords, now,
    audit: { auditLog: storage.auditLog, newAuditId: () => auditIdOf(uuidv7()), now },
    newToken: () => randomBytes(32).toString('base64url') as Token,
    digestOf: (text) => createHash('sha256').update(text).digest('hex') as Digest,
    signatureOf: (key, text) => createHmac('sha256', key).update(text).digest('base64url'),
    newMemberId: () => memberIdOf(uuidv7()),
    newSessionId: () => sessionIdOf(uuidv7()),
    ...more,
  })
  const newWorkspace = async (): Promise<WorkspaceId> => {
    const id = workspaceIdOf(uuidv7())
    await rightOf(storage.workspaces.create({ id, name: 'Acme', currency: 'USD' as Currency, createdAt: clock.at }))
    return id
  }
  /** Invites, takes the link and sets a password. */
  const join = async (email: string, access: Access = { _tag: 'Operator' }): Promise<SignedIn> => {
    const { token } = await rightOf(use.inviteMember({ by: SYSTEM, email, access }))
    const signedIn = await rightOf(use.takeLink({ token, address: ADDRESS }))
    await rightOf(use.setPassword({ signedIn, password: PASSWORD }))
    return signedIn
  }
  const entries = async (): Promise<ReadonlyArray<AuditEntry>> => (await rightOf(storage.auditLog.list({ limit: 1000 }))).items.toReversed()
  return {
    storage, use, clock, newAuditId: () => auditIdOf(uuidv7()), verified, workspace: await newWorkspace(), newWorkspace, join, entries,
  }
}

/** Who acts, without an address. */
export const by = (principal: Principal): Actor => ({ principal })

export const role = (workspace: WorkspaceId, name: Role): Access => ({ _tag: 'Role', workspace, role: name })

/** A key with every scope. */
export const keyOf = (workspace: WorkspaceId): Actor => by({ _tag: 'Key', workspace, key: '00', scopes: SCOPES })

/** The value of what must succeed. */
export const rightOf = async <Right>(answer: Promise<E.Either<unknown, Right>>): Promise<Right> => valueOf(await answer)

/** The failure of what must fail. */
export const leftOf = async <Left>(answer: Promise<E.Either<Left, unknown>>): Promise<Left> => valueOf(E.swap(await answer))
