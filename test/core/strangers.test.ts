import { assert } from 'chai'
import { makeMemoryStorage } from '../../adapters/memory/index.js'
import { MOST_STRANGERS_A_MINUTE, noteFewStrangers } from '../../core/access/audit.js'
import type { AuditActor } from '../../core/kernel/actor.js'
import { auditIdOf } from '../../core/kernel/ids.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import { rightOf } from '../support/right-of.js'

describe('The audit log that strangers reach', () => {
  const world = () => {
    const { auditLog } = makeMemoryStorage()
    const clock = { at: 0 }
    let entries = 0
    const few = noteFewStrangers(auditLog, () => clock.at)
    const note = async (by: AuditActor, times = 1) => {
      for (let each = 0; each < times; each += 1) {
        entries += 1
        const id = auditIdOf(String(entries).padStart(32, '0'))
        rightOf(await few.append([{ id, at: clock.at, by, act: 'member.sign_in', outcome: 'refused', details: { reason: 'SignInRefused' } }]))
      }
    }
    const noted = async () => rightOf(await auditLog.list({ limit: 1_000 })).items
    return { clock, note, noted }
  }

  it('has each of a few, and every entry of those who are known', async () => {
    const { note, noted } = world()
    await note({ type: 'unknown' }, MOST_STRANGERS_A_MINUTE)
    await note({ type: 'system' }, 100)
    const entries = await noted()
    assert.lengthOf(entries, MOST_STRANGERS_A_MINUTE + 100)
    assert.deepEqual(entries.filter(({ details }) => details?.['left_out'] !== undefined), [])
  })

  it('counts those of a flood, and says so with the next one', async () => {
    const { clock, note, noted } = world()
    await note({ type: 'unknown' }, MOST_STRANGERS_A_MINUTE + 500)
    assert.lengthOf(await noted(), MOST_STRANGERS_A_MINUTE)
    clock.at += MINUTE_MS
    await note({ type: 'unknown' }, 2)
    const [last, first] = await noted()
    assert.deepEqual([first?.details, last?.details], [{ reason: 'SignInRefused', left_out: 500 }, { reason: 'SignInRefused' }])
  })
})
