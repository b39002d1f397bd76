import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { ACCESS, checkAccess, isAllowed } from '../../../core/access/access.js'
import { type Act, ACTS, isView, type Principal, type Role, type Scope, SCOPES } from '../../../core/kernel/actor.js'
import { memberIdOf, type WorkspaceId, workspaceIdOf } from '../../../core/kernel/ids.js'

const [OURS, THEIRS] = [
  '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c',
].map(workspaceIdOf) as [WorkspaceId, WorkspaceId]

const member = (roles: ReadonlyArray<readonly [WorkspaceId, Role]>, isOperator = false): Principal => ({
  _tag: 'Member', member: memberIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d'), email: 'ada@shop.example', isOperator, roles: new Map(roles),
})

const key = (workspace: WorkspaceId, scopes: ReadonlyArray<Scope>): Principal => ({ _tag: 'Key', workspace, key: 'k', scopes })

const OWNER: ReadonlyArray<Act> = [
  'workspace.rename', 'sender.assign', 'sender.remove', 'sender.set_default', 'sender.replace', 'wallet.set_alert', 'customer.erase',
  'workspace.set_consent',
  'member.view', 'member.invite',
  'member.remove', 'audit.view',
]
const EVENTS: ReadonlyArray<Act> = [
  'endpoint.add', 'endpoint.change', 'endpoint.remove', 'endpoint.rotate_secret', 'endpoint.test', 'event.redeliver', 'event.view',
]
const READ: ReadonlyArray<Act> = ['queue.view', 'sender.view', 'wallet.view', 'message.view', 'customer.view', 'batch.view']
const BATCHES: ReadonlyArray<Act> = ['batch.create', 'batch.change', 'batch.confirm', 'batch.pause', 'batch.resume', 'batch.cancel']
const CONSENT: ReadonlyArray<Act> = ['consent.record', 'consent.set_words']
const ANSWER: ReadonlyArray<Act> = ['message.mark_read', 'attachment.view']
const VIEWER: ReadonlyArray<Act> = ['workspace.view', 'template.view', 'event.view', ...READ]
const DEVELOPER: ReadonlyArray<Act> = [
  'workspace.view', 'key.mint', 'key.rotate', 'key.revoke', 'message.send', 'message.cancel', 'template.sync', 'template.view',
  'alert.set_channel', ...CONSENT, ...BATCHES, ...EVENTS, ...READ, ...ANSWER,
]

/** What each principal may do in a workspace, written out a second time, so that a change of the table is a change of two places. */
const MAY: ReadonlyArray<readonly [string, Principal, ReadonlyArray<Act>]> = [
  ['an operator', member([], true), ACTS],
  ['an owner', member([[OURS, 'owner']]), [...OWNER, ...DEVELOPER]],
  ['a developer', member([[OURS, 'developer']]), DEVELOPER],
  ['a viewer', member([[OURS, 'viewer']]), VIEWER],
  ['a member without a role', member([]), []],
  ['an owner of another workspace', member([[THEIRS, 'owner']]), []],
  ['a viewer who owns another workspace', member([[OURS, 'viewer'], [THEIRS, 'owner']]), VIEWER],
  [
    'a key with every scope', key(OURS, SCOPES),
    ['message.send', 'message.cancel', 'template.view', ...CONSENT, ...BATCHES, ...EVENTS, ...READ, ...ANSWER],
  ],
  ['a key without a scope', key(OURS, []), []],
  ['a key that may send', key(OURS, ['send']), ['message.send', 'message.cancel', ...CONSENT, ...BATCHES]],
  ['a key that may read', key(OURS, ['read']), READ],
  ['a key that may see templates', key(OURS, ['templates']), ['template.view']],
  ['a key that may manage events', key(OURS, ['events']), EVENTS],
  ['a key that may answer', key(OURS, ['answer']), ANSWER],
  ['a key of another workspace', key(THEIRS, SCOPES), []],
  ['the command line', { _tag: 'CommandLine' }, ACTS],
  ['the gateway itself', { _tag: 'System' }, ACTS],
]

/** What operators, the command line and the gateway may still do in an archived workspace besides reading. */
const AFTER_ARCHIVE: ReadonlyArray<Act> = [
  'workspace.archive', 'key.revoke', 'wallet.adjust', 'message.resolve', 'message.settle_lost', 'message.reconcile', 'sender.remove',
  'customer.erase', 'member.remove',
]

describe('the table of who may do what', () => {
  for (const [title, principal, may] of MAY) {
    it(`lets ${title} do exactly its acts in a workspace`, () => {
      assert.sameMembers(ACTS.filter((act) => isAllowed(principal, act, { id: OURS })), [...may])
    })
  }

  for (const [title, principal, may] of MAY) {
    it(`leaves ${title} in an archived workspace nothing but reading${may === ACTS ? ', what ends money under way, and the rights of people' : ''}`, () => {
      const left = may.filter((act) => isView(act) || (may === ACTS && AFTER_ARCHIVE.includes(act)))
      assert.sameMembers(ACTS.filter((act) => isAllowed(principal, act, { id: OURS, archivedAt: 1 })), left)
    })
  }

  it('reports that only the archive prevents it', () => {
    const owner = member([[OURS, 'owner']])
    assert.deepEqual(
      checkAccess(owner, 'key.mint', { id: OURS, archivedAt: 1 }), E.left({ _tag: 'Forbidden', act: 'key.mint', isArchived: true }),
    )
    assert.deepEqual(checkAccess(owner, 'wallet.adjust', { id: OURS, archivedAt: 1 }), E.left({ _tag: 'Forbidden', act: 'wallet.adjust' }))
  })

  for (const [title, principal, may] of MAY) {
    it(`lets ${title} do ${may === ACTS ? 'everything' : 'nothing'} that concerns no workspace or all of them`, () => {
      assert.sameMembers(ACTS.filter((act) => isAllowed(principal, act, undefined)), may === ACTS ? [...ACTS] : [])
    })
  }

  it('names the act that it refuses', () => {
    assert.deepEqual(checkAccess(member([]), 'key.mint', { id: OURS }), E.left({ _tag: 'Forbidden', act: 'key.mint' }))
    assert.deepEqual(checkAccess({ _tag: 'System' }, 'key.mint', { id: OURS }), E.right(undefined))
  })

  it('has a rule for every act and for nothing else', () => {
    assert.sameMembers(Object.keys(ACCESS), [...ACTS])
    assert.sameMembers(ACTS.filter(isView), ['attachment.view', 'audit.view', 'health.view', 'member.view', ...VIEWER])
  })
})
