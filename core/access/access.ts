import * as E from 'fp-ts/lib/Either.js'
import { type Act, isView, type Principal, type Role, type Scope } from '../kernel/actor.js'
import type { Workspace } from '../kernel/workspace.js'

/** The principal may not do this; `isArchived` if the only reason is that the workspace is archived. */
export type Forbidden = { readonly _tag: 'Forbidden'; readonly act: Act; readonly isArchived?: true }

/**
 * The principals who may do an act: the roles of a workspace and the scopes of its keys are listed here; operators may do every act.
 *
 * `afterArchive`: operators may still do it in an archived workspace. Otherwise only reading is possible there, for everyone who may read.
 */
export type Rule = { readonly roles: ReadonlyArray<Role>; readonly scope?: Scope; readonly afterArchive?: true }

/** Where an act is done: in one workspace, in none, or in all of them. */
export type Place = Pick<Workspace, 'id' | 'archivedAt'> | undefined

const OPERATORS_ONLY: Rule = { roles: [] }
const OWNERS: Rule = { roles: ['owner'] }
const DEVELOPERS: Rule = { roles: ['owner', 'developer'] }
const EVERY_ROLE: Rule = { roles: ['owner', 'developer', 'viewer'] }

/** The acts that remain possible after archiving: they concern money under way, keys of an app's own store, a number that another workspace needs, and people's rights. */
const evenAfterArchive = (rule: Rule): Rule => ({ ...rule, afterArchive: true })

const withScope = (rule: Rule, scope: Scope): Rule => ({ ...rule, scope })

/**
 * The complete access table. In a workspace in use, operators, the command line and the gateway itself may do everything.
 *
 * Acts that only show something (`….view`) change nothing, so only their refusals are in the audit log.
 */
export const ACCESS: Readonly<Record<Act, Rule>> = {
  'workspace.create': OPERATORS_ONLY,
  'workspace.view': EVERY_ROLE,
  'workspace.rename': OWNERS,
  'workspace.archive': evenAfterArchive(OPERATORS_ONLY),
  'workspace.set_prices': OPERATORS_ONLY,
  'sender.assign': OWNERS,
  'sender.remove': evenAfterArchive(OWNERS),
  'sender.set_default': OWNERS,
  'sender.replace': OWNERS,
  'sender.view': withScope(EVERY_ROLE, 'read'),
  'key.mint': DEVELOPERS,
  'key.rotate': DEVELOPERS,
  'key.revoke': evenAfterArchive(DEVELOPERS),
  'wallet.view': withScope(EVERY_ROLE, 'read'),
  'wallet.top_up': OPERATORS_ONLY,
  'wallet.adjust': evenAfterArchive(OPERATORS_ONLY),
  'wallet.set_alert': OWNERS,
  'window.record': OPERATORS_ONLY,
  'message.send': withScope(DEVELOPERS, 'send'),
  'message.view': withScope(EVERY_ROLE, 'read'),
  'message.mark_read': withScope(DEVELOPERS, 'answer'),
  'message.cancel': withScope(DEVELOPERS, 'send'),
  'message.resolve': evenAfterArchive(OPERATORS_ONLY),
  'message.settle_lost': evenAfterArchive(OPERATORS_ONLY),
  'message.reconcile': evenAfterArchive(OPERATORS_ONLY),
  'attachment.view': withScope(DEVELOPERS, 'answer'),
  'endpoint.add': withScope(DEVELOPERS, 'events'),
  'endpoint.change': withScope(DEVELOPERS, 'events'),
  'endpoint.remove': withScope(DEVELOPERS, 'events'),
  'endpoint.rotate_secret': withScope(DEVELOPERS, 'events'),
  'endpoint.test': withScope(DEVELOPERS, 'events'),
  'event.view': withScope(EVERY_ROLE, 'events'),
  'event.redeliver': withScope(DEVELOPERS, 'events'),
  'alert.set_channel': DEVELOPERS,
  'template.view': withScope(EVERY_ROLE, 'templates'),
  'template.sync': DEVELOPERS,
  'customer.view': withScope(EVERY_ROLE, 'read'),
  'customer.erase': evenAfterArchive(OWNERS),
  'consent.record': withScope(DEVELOPERS, 'send'),
  'consent.set_words': withScope(DEVELOPERS, 'send'),
  'workspace.set_consent': OWNERS,
  'member.view': OWNERS,
  'member.invite': OWNERS,
  'member.remove': evenAfterArchive(OWNERS),
  'audit.view': OWNERS,
  'batch.view': withScope(EVERY_ROLE, 'read'),
  'batch.create': withScope(DEVELOPERS, 'send'),
  'batch.change': withScope(DEVELOPERS, 'send'),
  'batch.confirm': withScope(DEVELOPERS, 'send'),
  'batch.pause': withScope(DEVELOPERS, 'send'),
  'batch.resume': withScope(DEVELOPERS, 'send'),
  'batch.cancel': withScope(DEVELOPERS, 'send'),
  'queue.view': withScope(EVERY_ROLE, 'read'),
  'queue.hold': OPERATORS_ONLY,
  'queue.resume': OPERATORS_ONLY,
  'health.view': OPERATORS_ONLY,
  'app.add': OPERATORS_ONLY,
  'app.rotate': OPERATORS_ONLY,
  'app.remove': OPERATORS_ONLY,
}

/** Whether a principal may do an act in a place. */
export const isAllowed = (principal: Principal, act: Act, place: Place): boolean => {
  const rule = ACCESS[act]
  if (isEnded(act, place) && !(rule.afterArchive === true && isOperator(principal))) return false
  switch (principal._tag) {
    case 'CommandLine':
    case 'System':
      return true
    case 'Key':
      return rule.scope !== undefined && principal.workspace === place?.id && principal.scopes.includes(rule.scope)
    case 'Member': {
      const role = place === undefined ? undefined : principal.roles.get(place.id)
      return principal.isOperator || (role !== undefined && rule.roles.includes(role))
    }
  }
}

/** Whether an act is no longer possible because its workspace is archived, at least for people who are not operators. */
const isEnded = (act: Act, place: Place): boolean => place?.archivedAt !== undefined && !isView(act)

const isOperator = (principal: Principal): boolean => (principal._tag === 'Member' ? principal.isOperator : principal._tag !== 'Key')

/** Checks that a principal may do an act. */
export const checkAccess = (principal: Principal, act: Act, place: Place): E.Either<Forbidden, void> => {
  if (isAllowed(principal, act, place)) return E.right(undefined)
  const isArchived = isEnded(act, place) && isAllowed(principal, act, place && { id: place.id })
  return E.left({ _tag: 'Forbidden', act, ...(isArchived && { isArchived }) })
}
