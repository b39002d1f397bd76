import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { type ActDeps, type Acting, checkView, perform } from '../../../core/access/acting.js'
import type { Actor, AuditEntry } from '../../../core/kernel/actor.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { auditIdOf, memberIdOf, workspaceIdOf } from '../../../core/kernel/ids.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import { rightOf } from '../../support/right-of.js'

const NOON = Date.UTC(2026, 2, 1, 12)
const WORKSPACE = workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')
const SHELL: Actor = { principal: { _tag: 'CommandLine', user: 'ada' } }
const STRANGER: Actor = {
  principal: {
    _tag: 'Member', member: memberIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d'), email: 'eve@shop.example', isOperator: false,
    roles: new Map(),
  },
  address: '192.0.2.1',
}

const world = () => {
  const { auditLog } = makeMemoryStorage()
  const deps: ActDeps = { audit: { auditLog, newAuditId: () => auditIdOf(uuidv7()), now: () => NOON } }
  const noted = async (): Promise<ReadonlyArray<Omit<AuditEntry, 'id'>>> => {
    const { items } = rightOf(await auditLog.list({ limit: 10 }))
    return items.map(({ id: _, ...entry }) => entry)
  }
  /** A write that stores what it takes along, as an adapter with a table for entries does. */
  const storing = <Outcome>(outcome: Outcome) => async (outboxEntries: MakeOutboxEntries<Outcome>) => {
    const entries = outboxEntries(outcome)
    assert.deepEqual(await noted(), [], 'nothing is noted before the write')
    return auditLog.append(entries as ReadonlyArray<AuditEntry>)
  }
  return { auditLog, deps, noted, storing }
}

const acting = (by: Actor): Acting => ({ by, act: 'workspace.rename', workspace: WORKSPACE, subject: 'shop' })

const ENTRY = {
  at: NOON, by: { type: 'command_line', user: 'ada' }, act: 'workspace.rename', outcome: 'done', workspace: WORKSPACE, subject: 'shop',
}
const REFUSED = { ...ENTRY, outcome: 'refused' }

describe('an act', () => {
  it('is noted with its write, and once', async () => {
    const { deps, noted, storing } = world()
    const done = await perform(deps, acting(SHELL), { describe: (name: string) => ({ details: { name } }) }, storing('Shop'))
    assert.deepEqual(done, E.right(undefined))
    assert.deepEqual<unknown>(await noted(), [{ ...ENTRY, details: { name: 'Shop' } }])
  })

  it('is recorded after the write if the write stores no entries', async () => {
    const { deps, noted } = world()
    assert.deepEqual(await perform(deps, acting(SHELL), {}, async () => E.right(5)), E.right(5))
    assert.deepEqual<unknown>(await noted(), [ENTRY])
  })

  it('is recorded after the write with the details of its answer, if there are any', async () => {
    const { deps, noted } = world()
    const consequences = {
      describe: () => assert.fail('nothing was taken along'), describeAnswer: (name: string) => ({ subject: 'shop-2', details: { name } }),
    }
    assert.deepEqual(await perform(deps, acting(SHELL), consequences, async () => E.right('Shop')), E.right('Shop'))
    assert.deepEqual<unknown>(await noted(), [{ ...ENTRY, subject: 'shop-2', details: { name: 'Shop' } }])
  })

  it('is refused without a write if its principal may not do it, and that is noted with the address', async () => {
    const { deps, noted } = world()
    const done = await perform(deps, acting(STRANGER), {}, () => assert.fail('nothing is written'))
    assert.deepEqual<unknown>(done, E.left({ _tag: 'Forbidden', act: 'workspace.rename' }))
    assert.deepEqual<unknown>(await noted(), [{
      ...REFUSED, by: { type: 'member', id: 'mbr_0199a1b2c3d47e5f8a9b0c1d2e3f4a5d', email: 'eve@shop.example' }, address: '192.0.2.1',
      details: { reason: 'Forbidden' },
    }])
  })

  it('is noted as refused if the write refuses it', async () => {
    const { deps, noted } = world()
    const refusal = E.left({ _tag: 'UnknownWorkspace' as const })
    assert.deepEqual(await perform(deps, { ...acting(SHELL), details: { name: 'Shop' } }, {}, async () => refusal), refusal)
    assert.deepEqual<unknown>(await noted(), [{ ...REFUSED, details: { name: 'Shop', reason: 'UnknownWorkspace' } }])
  })

  it('is not noted if storage fails, since then nothing is known of it', async () => {
    const { deps, noted } = world()
    const failure = E.left(portFailure('Workspaces')('down'))
    assert.deepEqual(await perform(deps, acting(SHELL), {}, async () => failure), failure)
    assert.deepEqual(await noted(), [])
  })

  it('fails if its entry, or that of its refusal, cannot be stored', async () => {
    const failure = portFailure('AuditLog')('down')
    const deps: ActDeps = {
      audit: { auditLog: { append: async () => E.left(failure) }, newAuditId: () => auditIdOf(uuidv7()), now: () => NOON },
    }
    assert.deepEqual(await perform(deps, acting(SHELL), {}, async () => E.right(5)), E.left(failure))
    assert.deepEqual(await perform(deps, acting(STRANGER), {}, async () => E.right(5)), E.left(failure))
    assert.deepEqual(await checkView(deps, { by: STRANGER, act: 'audit.view', workspace: WORKSPACE }), E.left(failure))
  })

  it('is checked and done without an audit log, too', async () => {
    assert.deepEqual(await perform({}, acting(SHELL), {}, async () => E.right(5)), E.right(5))
    assert.deepEqual<unknown>(
      await perform({}, acting(STRANGER), {}, async () => E.right(5)), E.left({ _tag: 'Forbidden', act: 'workspace.rename' }),
    )
  })

  it('that only shows something is noted if it is refused, and only then', async () => {
    const { deps, noted } = world()
    assert.deepEqual(await checkView(deps, { by: SHELL, act: 'audit.view', workspace: WORKSPACE }), E.right(undefined))
    assert.deepEqual(await noted(), [])
    const refused = await checkView(deps, { by: STRANGER, act: 'audit.view', workspace: WORKSPACE })
    assert.deepEqual<unknown>(refused, E.left({ _tag: 'Forbidden', act: 'audit.view' }))
    assert.deepEqual((await noted()).map(({ act, outcome }) => [act, outcome]), [['audit.view', 'refused']])
  })
})
