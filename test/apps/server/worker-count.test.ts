import { assert } from 'chai'
import { workersFor } from '../../../apps/server/worker-count.js'

const GIB = 1024 ** 3

describe('The number of workers by default', () => {
  const on = (processors: number, gib: number, url = 'postgres://db/postern'): number =>
    workersFor(url, { processors, memoryBytes: gib * GIB })

  it('leaves one processor free, and is four at most', () => {
    assert.deepEqual([1, 2, 3, 4, 5, 6, 64].map((processors) => on(processors, 64)), [1, 1, 2, 3, 4, 4, 4])
  })

  it('is the same with every database server', () => {
    for (const scheme of ['mysql', 'mariadb', 'postgres', 'postgresql']) assert.equal(on(8, 64, `${scheme}://db/postern`), 4)
  })

  it('leaves a gibibyte of memory for each process', () => {
    assert.deepEqual([0.5, 1.5, 2, 3.9, 16].map((gib) => on(8, gib)), [1, 1, 2, 3, 4])
  })

  it('is one with SQLite', () => {
    assert.equal(on(64, 64, 'sqlite:./postern.db'), 1)
  })
})
