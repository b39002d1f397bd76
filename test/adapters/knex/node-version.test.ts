import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { LOWEST_NODE, nodeFault } from '../../../adapters/knex/node-version.js'
import { ROOT } from '../../architecture/tree.js'

describe('The lowest Node.js', () => {
  it('is the one that package.json asks for', () => {
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly engines: { readonly node: string } }
    assert.equal(engines.node, `>=${LOWEST_NODE}`)
  })

  for (const version of ['0.12.18', '18.20.8', '20.20.2', '22.9.0', '22.18.9', '21.99.0']) {
    it(`is higher than ${version}, which one sentence says`, () => {
      assert.equal(nodeFault(version), `this is Node.js ${version}, and Postern needs 22.19 or later`)
    })
  }

  for (const version of ['22.19.0', '22.19.0-rc.1', '22.20.1', '23.0.0', '24', '24.0.0', '24.21.0', '26', '26.10.0', '100.1.0']) {
    it(`is at most ${version}`, () => {
      assert.isUndefined(nodeFault(version))
    })
  }
})
