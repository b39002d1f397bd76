import { assert } from 'chai'
import { makeMetrics } from '../../../apps/server/metrics.js'

describe('the metrics', () => {
  it('are made once for all who ask at the same time, and again for a later caller', async () => {
    const metrics = makeMetrics()
    let reads = 0
    metrics.showPending(() => (reads += 1))
    const texts = await Promise.all(Array.from({ length: 64 }, () => metrics.text()))
    assert.equal(reads, 1)
    assert.lengthOf(new Set(texts), 1)
    metrics.countRefusedConnection()
    assert.match((await metrics.text()).body, /^postern_connections_refused_total 1$/m)
    assert.equal(reads, 2)
  })
})
