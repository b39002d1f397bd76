import * as E from 'fp-ts/lib/Either.js'
import type { Act } from './act.js'
import type { Forbidden } from './errors.js'
import type { Role } from './member.js'
import type { Principal, Scope } from './principal.js'
import type { WorkspaceId } from './workspace.js'

/** Who may do an act: operators may do every act; the roles of a workspace and the scopes of its keys are listed here. */
export type Rule = { readonly roles: ReadonlyArray<Role>; readonly scope?: Scope }

const OPERATORS_ONLY: Rule = { roles: [] }
const OWNERS: Rule = { roles: ['owner'] }
const DEVELOPERS: Rule = { roles: ['owner', 'developer'] }
const EVERY_ROLE: Rule = { roles: ['owner', 'developer', 'viewer'] }

const withScope = (rule: Rule, scope: Scope): Rule => ({ ...rule, scope })

/**
 * Who may do what: the whole table. Operators may do everything, and so may the command line and the gateway itself.
 *
 * What only shows something (`….view`) changes nothing, so only its refusals are in the audit log.
 */
export const ACCESS: Readonly<Record<Act, Rule>> = {
  'workspace.create': OPERATORS_ONLY,
  'workspace.view': EVERY_ROLE,
  'workspace.rename': OWNERS,
  'workspace.archive': OPERATORS_ONLY,
  'sender.assign': OWNERS,
  'key.mint': DEVELOPERS,
  'key.rotate': DEVELOPERS,
  'key.revoke': DEVELOPERS,
  'wallet.top_up': OPERATORS_ONLY,
  'wallet.adjust': OPERATORS_ONLY,
  'wallet.set_alert': OWNERS,
  'window.record': OPERATORS_ONLY,
  'message.send': withScope(DEVELOPERS, 'send'),
  'message.resolve': OPERATORS_ONLY,
  'message.settle_lost': OPERATORS_ONLY,
  'message.reconcile': OPERATORS_ONLY,
  'endpoint.add': withScope(DEVELOPERS, 'events'),
  'endpoint.change': withScope(DEVELOPERS, 'events'),
  'endpoint.remove': withScope(DEVELOPERS, 'events'),
  'endpoint.rotate_secret': withScope(DEVELOPERS, 'events'),
  'endpoint.test': withScope(DEVELOPERS, 'events'),
  'event.redeliver': withScope(DEVELOPERS, 'events'),
  'template.sync': DEVELOPERS,
  'customer.erase': OWNERS,
  'member.view': OWNERS,
  'member.invite': OWNERS,
  'member.remove': OWNERS,
  'audit.view': OWNERS,
  'health.view': OPERATORS_ONLY,
}

/** Whether a principal may do an act; without a workspace it is one that concerns no workspace or all of them. */
export const isAllowed = (principal: Principal, act: Act, workspace: WorkspaceId | undefined): boolean => {
  const rule = ACCESS[act]
  switch (principal._tag) {
    case 'CommandLine':
    case 'System':
      return true
    case 'Key':
      return rule.scope !== undefined && principal.workspace === workspace && principal.scopes.includes(rule.scope)
    case 'Member': {
      const role = workspace === undefined ? undefined : principal.roles.get(workspace)
      return principal.isOperator || (role !== undefined && rule.roles.includes(role))
    }
  }
}

/** Checks that a principal may do an act. */
export const checkAccess = (principal: Principal, act: Act, workspace: WorkspaceId | undefined): E.Either<Forbidden, void> =>
  isAllowed(principal, act, workspace) ? E.right(undefined) : E.left({ _tag: 'Forbidden', act })
