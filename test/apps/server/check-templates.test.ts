import { assert } from 'chai'
import { makeMemoryTemplateCatalogue } from '../../../adapters/memory/workspaces.js'
import { showCatalogue } from '../../../apps/server/checks.js'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import type { Template } from '../../../core/templates/template.js'
import { NOON } from '../../core/gateway.js'
import { done } from '../../support/right-of.js'

const template = (name: string, more: Partial<Template> = {}): Template =>
  ({
    id: '1', name, language: 'en', category: 'utility', status: 'approved', quality: 'green', parameterFormat: 'positional', components: [],
    ...more,
  })

describe('The age of a catalogue in doctor', () => {
  const noteAt = async (templates: ReadonlyArray<Template>, ageMs: number, fault?: string): Promise<string | undefined> => {
    const catalogue = makeMemoryTemplateCatalogue()
    await done(catalogue.replaceAll('1', templates, NOON))
    if (fault !== undefined) await done(catalogue.noteFault('1', fault, NOON + 1))
    const { check, fault: found, note } = await showCatalogue('ws_1', '1', catalogue, NOON + ageMs)
    assert.deepEqual([check, found], ['catalogue of ws_1', null])
    return note
  }

  const ages: ReadonlyArray<readonly [number, string]> = [
    [0, 'less than a minute ago'], [MINUTE_MS, 'a minute ago'], [2 * MINUTE_MS, '2 minutes ago'], [2 * HOUR_MS - 1, '119 minutes ago'],
    [2 * HOUR_MS, '2 hours ago'], [DAY_MS, '24 hours ago'],
  ]
  for (const [ageMs, words] of ages) {
    it(`is ${words}`, async () => {
      assert.equal(await noteAt([template('a'), template('b')], ageMs), `2 templates (2 approved) read ${words}`)
    })
  }

  it('is a warning from a day on, since nothing is checked then', async () => {
    const warning = 'a list older than a day is not used for checks; make sure that a gateway is running, and check TEMPLATE_SYNC_MINUTES'
    assert.equal(await noteAt([template('a')], 3 * DAY_MS), `one template (1 approved) read 3 days ago; ${warning}`)
  })

  it('names a reading that failed since', async () => {
    assert.equal(await noteAt([], HOUR_MS, 'It is down.'), '0 templates read 60 minutes ago; the last read failed 59 minutes ago: It is down')
  })

  it('names at most ten templates of a kind, in printable characters', async () => {
    const paused = Array.from({ length: 12 }, (_, n) => template(`offer_${String(n).padStart(2, '0')}\u001b`, { status: 'paused' }))
    const yellow = template('slow', { quality: 'yellow' })
    const rejected = template('never', { status: 'rejected', quality: 'red' })
    const note = (await noteAt([...paused, yellow, rejected], 0)) ?? ''
    assert.match(note, /; paused: offer_00 \(en\), .*, offer_09 \(en\) and 2 more; of yellow quality: slow \(en\)$/)
    assert.notInclude(note, 'never')
  })
})
