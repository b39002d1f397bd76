import { uuidv7 } from 'uuidv7'
import {
  type Access, type Actor, type AuditEntry, auditIdOf, type Principal, type Role, SCOPES, type SignedIn, SYSTEM, type WorkspaceId,
} from '../../../core/index.js'
import type { Ports } from '../../../core/ports.js'
import { makeMembers } from '../../../core/postern.js'
import { memoryWorld, type MemoryWorldOptions } from '../../support/memory-world.js'
import { done } from '../../support/right-of.js'

export const PASSWORD = 'three blind otters'
export const ADDRESS = '203.0.113.7'

/** Members in memory with a clock that the tests move; the parts of passwords may be replaced. */
export const memberWorld = async (
  more: Partial<Pick<Ports, 'passwords' | 'passwordHashQueue'>> = {}, options: Omit<MemoryWorldOptions, 'at'> = {},
) => {
  const world = memoryWorld({ ...options, at: Date.UTC(2026, 10, 2) })
  const { storage } = world
  const use = makeMembers({ ...world.ports, ...more }, world.settings)
  const newWorkspace = async (): Promise<WorkspaceId> => (await world.addWorkspace({ name: 'Acme', sender: false })).workspace
  /** Invites, takes the link and sets a password. */
  const join = async (email: string, access: Access = { _tag: 'Operator' }): Promise<SignedIn> => {
    const { token } = await done(use.inviteMember({ by: SYSTEM, email, access }))
    const signedIn = await done(use.takeLink({ token, address: ADDRESS }))
    await done(use.setPassword({ signedIn, password: PASSWORD }))
    return signedIn
  }
  const entries = async (): Promise<ReadonlyArray<AuditEntry>> => (await done(storage.auditLog.list({ limit: 1000 }))).items.toReversed()
  return { ...world, use, newAuditId: () => auditIdOf(uuidv7()), workspace: await newWorkspace(), newWorkspace, join, entries }
}

/** Who acts, without an address. */
export const by = (principal: Principal): Actor => ({ principal })

export const role = (workspace: WorkspaceId, name: Role): Access => ({ _tag: 'Role', workspace, role: name })

/** A key with every scope. */
export const keyOf = (workspace: WorkspaceId): Actor => by({ _tag: 'Key', workspace, key: '00', scopes: SCOPES })
