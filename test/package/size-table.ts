import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import { ROOT } from '../architecture/tree.js'
import { installed } from './installed.js'
import { measure, PAGE, readTable } from './sizes.js'

/** How much the page may differ before `npm run sizes` must be run. */
const TOLERANCE = 0.15

describe('the table of sizes', () => {
  it('says what importing each entry costs', async () => {
    const sizes = await measure(await installed())
    const table = readTable(await readFile(join(ROOT, PAGE), 'utf8'))
    assert.deepEqual(table.map(({ entry }) => entry), sizes.map(({ entry }) => entry))
    for (const [index, { entry, own, all }] of sizes.entries()) {
      assert.approximately(table[index]?.own ?? 0, own, own * TOLERANCE, `${entry}: \`npm run sizes\` writes the table again`)
      assert.approximately(table[index]?.all ?? 0, all, all * TOLERANCE, `${entry}: \`npm run sizes\` writes the table again`)
    }
  })
})
