import { assert } from 'chai'
import { parseMoment } from '../../../core/kernel/time.js'

describe('A moment in a request or a command', () => {
  it('has a time zone, or is a day alone, which begins at midnight UTC', () => {
    const moments = {
      '2026-03-01': Date.UTC(2026, 2, 1), '2028-02-29': Date.UTC(2028, 1, 29), '2026-03-01T12:00:00Z': Date.UTC(2026, 2, 1, 12),
      '2026-03-01T12:00Z': Date.UTC(2026, 2, 1, 12), '2026-03-01T12:00:00+01:00': Date.UTC(2026, 2, 1, 11),
      '2026-03-01T12:00:00.123456Z': Date.UTC(2026, 2, 1, 12, 0, 0, 123),
    }
    for (const [text, at] of Object.entries(moments)) assert.equal(parseMoment(text), at, text)
  })

  it('is neither a day that does not exist nor a time without its zone', () => {
    const others = [
      '', 'soon', '2026', '2026-3-1', '2026-02-29', '2026-02-31T12:00:00Z', '2026-13-01', '2026-03-01T12:00:00', '2026-03-01T24:00:00Z',
      '2026-03-01T12Z', '1772366400', ' 2026-03-01',
    ]
    for (const text of others) assert.isUndefined(parseMoment(text), text)
  })
})
