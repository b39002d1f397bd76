import { assert } from 'chai'
import { isSlow, tooSlow, type FileCost } from '../support/file-cost.js'
import { watchResources } from '../support/leftovers.js'

const cost = (file: string, cpu: number): FileCost => ({ file, wall: cpu, cpu })
const OTHERS = Array.from({ length: 280 }, (_, nth) => cost(`test/${nth}.test.ts`, 1))

describe('A run of the tests', () => {
  it('fails for a file of the fast part that takes more than fifteen seconds and a twentieth of the whole', () => {
    const slow = cost('test/a.test.ts', 15.1)
    assert.deepEqual(tooSlow([...OTHERS, slow]), [slow])
    assert.deepEqual(tooSlow([slow]), [slow])
    assert.deepEqual(tooSlow([...OTHERS, cost('test/a.test.ts', 14.9)]), [])
  })

  it('accepts such a file if all files take longer, or if it belongs to the slow part', () => {
    assert.deepEqual(tooSlow([...OTHERS, ...OTHERS, cost('test/a.test.ts', 20)]), [])
    assert.deepEqual(tooSlow([...OTHERS, cost('test/a.slow.test.ts', 200)]), [])
    assert.deepEqual(['a.slow.test.ts', 'a.long.test.ts', 'slow.test.ts', 'a.test.ts'].map(isSlow), [true, true, false, false])
  })

  it('sees a timer that is left running, and none that ends meanwhile', async () => {
    // From here on mocha's own timer of this test runs.
    await Promise.resolve()
    const left = watchResources()
    const short = setTimeout(() => undefined, 20)
    const long = setTimeout(() => undefined, 3_600_000)
    try {
      assert.deepEqual(await left(100), ['1 × Timeout'])
    } finally {
      clearTimeout(short)
      clearTimeout(long)
    }
    assert.deepEqual(await left(100), [])
  })
})
