import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import { ROOT } from '../architecture/tree.js'

// The files of the folder `ports` implement each port with every type written out; the test is that they compile.

describe('the file of each port', () => {
  it('is implemented here', async () => {
    assert.sameMembers(await readdir(join(ROOT, 'test/package/ports')), await readdir(join(ROOT, 'core/ports')))
  })

  it('exports all that an implementer of it names', async () => {
    for (const name of await readdir(join(ROOT, 'test/package/ports'))) {
      const text = await readFile(join(ROOT, 'test/package/ports', name), 'utf8')
      const others = Array.from(text.matchAll(/ from '([^']+)'/g), ([, from]) => from ?? '').filter((from) => !from.startsWith('fp-ts/'))
      assert.deepEqual(others, [`../../../core/ports/${name.replace('.ts', '.js')}`])
    }
  })

  it('exports no type that is not named there, so that none is left out of the test', async () => {
    for (const name of await readdir(join(ROOT, 'core/ports'))) {
      const port = await readFile(join(ROOT, 'core/ports', name), 'utf8')
      const own = Array.from(port.matchAll(/^export (?:type|interface) (\w+)/gm), ([, type]) => type ?? '')
      const again = Array.from(port.matchAll(/^export (?:type )?\{([^}]+)\}/gm), ([, names]) => (names ?? '').split(',')).flat()
      const text = await readFile(join(ROOT, 'test/package/ports', name), 'utf8')
      const all = [...own, ...again.map((one) => one.trim().replace(/^type /, ''))].filter((one) => one !== '')
      assert.deepEqual(all.filter((type) => !new RegExp(`\\b${type}\\b`).test(text)), [], name)
    }
  })
})
