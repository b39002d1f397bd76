import type { Access } from '../../core/access/members.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../support/process-fixture.js'
import { rightOf } from '../support/right-of.js'
import { membersOf } from '../support/use-cases.js'

/** Who looks: an operator, the roles of a workspace, and a member of another workspace. */
export const VIEWERS = ['operator', 'owner', 'developer', 'viewer', 'stranger'] as const
export type Viewer = (typeof VIEWERS)[number]

/** A whole gateway with a workspace, and a member in each role. */
export type Console = {
  readonly gateway: InProcessFixture
  readonly tenant: Tenant
  /** The token of a member's session. */
  readonly tokenOf: (viewer: Viewer) => string
  /** The cookie of a member's session, as a header. */
  readonly cookieOf: (viewer: Viewer) => string
  readonly close: () => Promise<void>
}

/** The business account of the workspace. */
export const ACCOUNT = '102290129340398'

/** Starts a gateway. */
export const openConsole = async (env: Readonly<Record<string, string>> = {}): Promise<Console> => {
  const gateway = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8', ...env })
  const tenant = await gateway.tenant('100', { businessAccountId: ACCOUNT })
  const other = await gateway.tenant()
  const members = membersOf(gateway.storage)
  const tokens = new Map<Viewer, string>()
  for (const viewer of VIEWERS) {
    const { token } = rightOf(
      await members.inviteMember({ by: SYSTEM, email: `${viewer}@example.com`, access: accessOf(viewer, tenant.id, other.id) }),
    )
    tokens.set(viewer, rightOf(await members.takeLink({ token, address: '127.0.0.1' })).token)
  }
  const tokenOf = (viewer: Viewer): string => tokens.get(viewer) ?? ''
  return {
    gateway,
    tenant,
    tokenOf,
    cookieOf: (viewer) => `postern_session=${tokenOf(viewer)}`,
    close: async () => { await gateway[Symbol.asyncDispose]() },
  }
}

const accessOf = (viewer: Viewer, workspace: WorkspaceId, other: WorkspaceId): Access => {
  if (viewer === 'operator') return { _tag: 'Operator' }
  return viewer === 'stranger' ? { _tag: 'Role', workspace: other, role: 'owner' } : { _tag: 'Role', workspace, role: viewer }
}
