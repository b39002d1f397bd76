import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { ACCESS } from '../../../core/access/access.js'
import { type Act, ACTS, auditActorOf, isView, type Principal, type Role, ROLES, type Scope, SCOPES } from '../../../core/kernel/actor.js'
import { memberIdOf, type WorkspaceId, workspaceIdOf } from '../../../core/kernel/ids.js'
import { done } from '../../support/right-of.js'
import { NOON } from '../gateway.js'
import { ACT_CASES, type ActCase, openActWorld, WITHOUT_USE_CASE } from '../use-cases/act-cases.js'

const ELSEWHERE = workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c')
const ADDRESS = '203.0.113.7'

const member = (roles: ReadonlyArray<readonly [WorkspaceId, Role]>, isOperator = false): Principal => ({
  _tag: 'Member', member: memberIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d'), email: 'ada@shop.example', isOperator, roles: new Map(roles),
})

const key = (workspace: WorkspaceId, scopes: ReadonlyArray<Scope>): Principal =>
  ({ _tag: 'Key', workspace, key: '9f86d081884c7d65', scopes })

/** Someone who acts in a workspace, and whether the table lets them do an act there. */
type Someone = { readonly principalIn: (workspace: WorkspaceId) => Principal; readonly may: (act: Act) => boolean }

/** Acts that are tried before there is a workspace, or in all of them. */
const ofNone: ReadonlyArray<Act> = ['workspace.create', 'message.reconcile', 'app.add', 'app.rotate', 'app.remove']

const always = () => true
const never = () => false

/** Everyone who can act: each role, each scope, and those of other workspaces. */
const EVERYONE: Readonly<Record<string, Someone>> = {
  'the gateway itself': { principalIn: () => ({ _tag: 'System' }), may: always },
  'the command line': { principalIn: () => ({ _tag: 'CommandLine', user: 'ada' }), may: always },
  'an operator': { principalIn: () => member([], true), may: always },
  ...Object.fromEntries(ROLES.map((role): [string, Someone] =>
    [
      `a member with the role ${role}`,
      { principalIn: (workspace) => member([[workspace, role]]), may: (act) => ACCESS[act].roles.includes(role) },
    ])),
  'a viewer who owns another workspace': {
    principalIn: (workspace) => member([[workspace, 'viewer'], [ELSEWHERE, 'owner']]), may: (act) => ACCESS[act].roles.includes('viewer'),
  },
  'an owner of another workspace': { principalIn: () => member([[ELSEWHERE, 'owner']]), may: never },
  'a member without a role': { principalIn: () => member([]), may: never },
  ...Object.fromEntries(SCOPES.map((scope): [string, Someone] =>
    [`a key with the scope ${scope}`, { principalIn: (workspace) => key(workspace, [scope]), may: (act) => ACCESS[act].scope === scope }])),
  'a key with every scope': { principalIn: (workspace) => key(workspace, SCOPES), may: (act) => ACCESS[act].scope !== undefined },
  'a key without a scope': { principalIn: (workspace) => key(workspace, []), may: never },
  'a key of another workspace': { principalIn: () => key(ELSEWHERE, SCOPES), may: never },
}

/** Acts in no workspace, and what operators still do in an archived one. */
const AFTER_ARCHIVE: ReadonlyArray<Act> = [
  ...ofNone, 'workspace.archive', 'key.revoke', 'wallet.adjust', 'message.resolve', 'message.settle_lost', 'customer.erase',
  'member.remove', 'sender.remove',
]

/** Tries an act in an archived workspace, and checks that nothing but reading is left, and to operators what ends what was begun. */
const triesArchived = async ({ act, run }: ActCase, { principalIn, may }: Someone): Promise<void> => {
  const world = await openActWorld()
  await done(world.deps.storage.workspaces.archive(world.workspace, NOON))
  const by = { principal: principalIn(world.workspace), address: ADDRESS }
  const before = await world.state()
  const outcome = await run(world, by)
  const isOperator = may === always
  if (may(act) && (isView(act) || (isOperator && AFTER_ARCHIVE.includes(act)))) {
    return assert.equal(E.isLeft(outcome) ? outcome.left._tag : 'done', 'done')
  }
  assert.deepEqual<unknown>(outcome, E.left({ _tag: 'Forbidden', act, ...(may(act) && !ofNone.includes(act) && { isArchived: true }) }))
  assert.equal(await world.state(), before, 'nothing is done')
  assert.deepEqual((await world.noted()).map((entry) => [entry.act, entry.outcome]), [[act, 'refused']])
}

/** Tries an act by a principal in a fresh workspace, and checks the result and the entries of the audit log. */
const tries = async ({ act, run }: ActCase, { principalIn, may }: Someone): Promise<void> => {
  const world = await openActWorld()
  const by = { principal: principalIn(world.workspace), address: ADDRESS }
  const before = await world.state()
  const outcome = await run(world, by)
  const entries = await world.noted()
  const noted = { act, by: auditActorOf(by), address: ADDRESS }
  if (may(act)) {
    assert.equal(E.isLeft(outcome) ? outcome.left._tag : 'done', 'done')
    if (isView(act)) return assert.deepEqual(entries, [])
    assert.lengthOf(entries, 1)
    assert.deepInclude(entries[0], { ...noted, outcome: 'done' })
    if (act !== 'workspace.create') assert.equal(entries[0]?.workspace, ofNone.includes(act) ? undefined : world.workspace)
    else assert.equal(entries[0]?.workspace, entries[0]?.subject)
  } else {
    assert.deepEqual<unknown>(outcome, E.left({ _tag: 'Forbidden', act }))
    assert.equal(await world.state(), before, 'nothing is done')
    assert.lengthOf(entries, 1)
    assert.deepInclude(entries[0], { ...noted, outcome: 'refused' })
    assert.equal(entries[0]?.details?.['reason'], 'Forbidden')
    assert.equal(entries[0]?.workspace, ofNone.includes(act) ? undefined : world.workspace)
  }
}

describe('A person who tries to', () => {
  for (const [title, tried] of Object.entries(ACT_CASES)) {
    describe(title, () => {
      for (const [who, someone] of Object.entries(EVERYONE)) {
        const may = someone.may(tried.act)
        it(`as ${who} ${may ? 'may' : 'may not'}, and the audit log ${may && isView(tried.act) ? 'does not say so' : 'says so'}`, () =>
          tries(tried, someone))
        it(`as ${who} in an archived workspace may no more than read, or end what was begun`, () => triesArchived(tried, someone))
      }
    })
  }

  it('change a wallet by a bad amount gets that error only if the act is allowed, and both are noted', async () => {
    const given: ReadonlyArray<readonly [Act, ActCase['run']]> = [
      ['wallet.top_up', ({ topUp, workspace }, by) => topUp({ by, workspace, micros: 0n })],
      ['wallet.adjust', ({ adjustWallet, workspace }, by) => adjustWallet({ by, workspace, micros: 0n, note: 'nothing' })],
      ['wallet.set_alert', ({ setWalletAlert, workspace }, by) => setWalletAlert({ by, workspace, threshold: -1n })],
    ]
    for (const [act, run] of given) {
      const world = await openActWorld()
      const reasons = [[member([], true), 'InvalidAmount'], [member([[world.workspace, 'viewer']]), 'Forbidden']] as const
      for (const [principal, reason] of reasons) {
        const refused = await run(world, { principal })
        assert.equal(E.isLeft(refused) ? refused.left._tag : 'done', reason, act)
      }
      const noted = (await world.noted()).map((entry) => [entry.act, entry.outcome, entry.details?.['reason']])
      assert.deepEqual(noted, reasons.map(([, reason]) => [act, 'refused', reason]))
    }
  })

  it('do any act finds it tried here', () => {
    const tried = new Set(Object.values(ACT_CASES).map(({ act }) => act))
    assert.sameMembers(ACTS.filter((act) => !tried.has(act)), [...WITHOUT_USE_CASE])
  })
})
