import { assert } from 'chai'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import {
  AUDIT_CSV_HEADER, auditCsvLine, limitAnonymousEntries, makeListAudit, MAX_ANONYMOUS_PER_MINUTE,
} from '../../../core/access/audit.js'
import { type AuditActor, type AuditEntry, SYSTEM } from '../../../core/kernel/actor.js'
import { auditIdOf } from '../../../core/kernel/ids.js'
import { csvLine } from '../../../core/kernel/csv.js'
import { MINUTE_MS } from '../../../core/kernel/time.js'
import { rightOf } from '../../support/right-of.js'

const ENTRY: AuditEntry = {
  id: auditIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'), at: Date.UTC(2026, 2, 1, 12), by: { type: 'command_line' },
  act: 'workspace.rename', outcome: 'done',
}

describe('A line of comma-separated values', () => {
  it('quotes what would end a cell, here or where a semicolon or a tab does', () => {
    assert.equal(csvLine(['a,b', 'a"b', 'a\nb', 'a;b', 'a\tb', 'a=1', '']), '"a,b","a""b","a\nb","a;b","a\tb",a=1,\r\n')
  })

  it('leaves numbers as they are', () => {
    assert.equal(csvLine(['1', '-1.500000', '+1', '-1-1', '-1\n']), `1,-1.500000,'+1,'-1-1,"'-1\n"\r\n`)
  })

  // What other programs make of the line: they may part cells at commas, semicolons or tabs, and see or overlook quotes.
  const CELLS = [
    '=1+1', '+1', '@a', '\ta', '\ra', '\t=1', ' =1', '"=1"', '\u00A0=1', '\uFF1D1', '\uFF0B1', '\uFF0D1', '\uFF20a', 'a;=1', 'a; "=1"',
    'a;;+1;-1', 'a\t=1', 'a\r\n=1', '{"a":";=1"}', '=a,b',
  ]
  for (const text of CELLS) {
    it(`has no formula in ${JSON.stringify(text)}`, () => {
      const line = csvLine(['a', text, 'b'])
      assert.deepEqual(line.split(/[,;\t\r\n]/).filter((part) => /^[\s"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/.test(part)), [])
      assert.equal(line.replaceAll(/["']/g, ''), `a,${text.replaceAll(/["']/g, '')},b\r\n`, 'something else than quotes and apostrophes was changed')
    })
  }
})

describe('An audit entry as comma-separated values', () => {
  it('has a cell for each column, empty if there is nothing', () => {
    assert.equal(AUDIT_CSV_HEADER, 'id,at,actor_type,actor,address,act,outcome,workspace,subject,details\r\n')
    assert.equal(auditCsvLine(ENTRY), `${ENTRY.id},2026-03-01T12:00:00.000Z,command_line,,,workspace.rename,done,,,\r\n`)
  })

  it('names who tried to sign in, and its details as JSON', () => {
    const line = auditCsvLine({
      ...ENTRY, by: { type: 'unknown', email: '@ada' }, address: '192.0.2.1', subject: 'a,b', outcome: 'refused',
      details: { reason: 'Forbidden' },
    })
    assert.equal(line, `${ENTRY.id},2026-03-01T12:00:00.000Z,unknown,'@ada,192.0.2.1,workspace.rename,refused,,"a,b","{""reason"":""Forbidden""}"\r\n`)
  })
})

describe('The audit log that anonymous callers reach', () => {
  const world = () => {
    const { auditLog } = makeMemoryStorage()
    const clock = { at: 0 }
    let entries = 0
    const few = limitAnonymousEntries(auditLog, () => clock.at)
    const note = async (by: AuditActor, times = 1) => {
      for (let each = 0; each < times; each += 1) {
        entries += 1
        const id = auditIdOf(String(entries).padStart(32, '0'))
        rightOf(
          await few.append([{ id, at: clock.at, by, act: 'member.sign_in', outcome: 'refused', details: { reason: 'SignInRefused' } }]),
        )
      }
    }
    const noted = async () => rightOf(await auditLog.list({ limit: 1_000 })).items
    return { clock, note, noted }
  }

  it('has each of a few, and every entry of those who are known', async () => {
    const { note, noted } = world()
    await note({ type: 'unknown' }, MAX_ANONYMOUS_PER_MINUTE)
    await note({ type: 'system' }, 100)
    const entries = await noted()
    assert.lengthOf(entries, MAX_ANONYMOUS_PER_MINUTE + 100)
    assert.deepEqual(entries.filter(({ details }) => details?.['left_out'] !== undefined), [])
  })

  it('counts those of a flood, and says so with the next one', async () => {
    const { clock, note, noted } = world()
    await note({ type: 'unknown' }, MAX_ANONYMOUS_PER_MINUTE + 500)
    assert.lengthOf(await noted(), MAX_ANONYMOUS_PER_MINUTE)
    clock.at += MINUTE_MS
    await note({ type: 'unknown' }, 2)
    const [last, first] = await noted()
    assert.deepEqual([first?.details, last?.details], [{ reason: 'SignInRefused', left_out: 500 }, { reason: 'SignInRefused' }])
  })
})

describe('The audit log of an act or a person', () => {
  it('has their entries alone, page by page, and looks at a bounded number of others', async () => {
    const { auditLog } = makeMemoryStorage()
    const idOf = (number: number) => auditIdOf(`0199a1b2-c3d4-7e5f-8a9b-${String(number).padStart(12, '0')}`)
    const member = (email: string): AuditActor => ({ type: 'member', id: 'mbr_1' as never, email })
    const entries = Array.from({ length: 2_500 }, (_, number): AuditEntry => (
      number < 3 ? { ...ENTRY, id: idOf(number), act: 'wallet.top_up', by: member('ada@example.com') } : { ...ENTRY, id: idOf(number) }
    ))
    rightOf(await auditLog.append(entries))
    const listAudit = makeListAudit({ auditLog })
    const list = async (more: Partial<Parameters<typeof listAudit>[0]>, cursor: string | undefined) =>
      rightOf(await listAudit({ by: SYSTEM, limit: 2, ...more, ...(cursor !== undefined && { cursor }) }))
    const first = await list({ act: 'wallet.top_up' }, undefined)
    assert.deepEqual([first.items, first.next === undefined], [[], false])
    const found = await list({ act: 'wallet.top_up' }, first.next)
    assert.deepEqual(found.items.map(({ id }) => id), [idOf(2), idOf(1)])
    const last = await list({ person: 'ada@example.com' }, found.next)
    assert.deepEqual([last.items.map(({ id }) => id), last.next], [[idOf(0)], undefined])
    assert.deepEqual(await list({ person: 'bob@example.com' }, idOf(3)), { items: [], next: undefined })
  })
})
