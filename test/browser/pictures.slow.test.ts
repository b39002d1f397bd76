// Slow: runs the whole demonstration, and takes pictures in a real browser.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import { ROOT } from '../architecture/tree.js'
import { describeInBrowser } from './chromium.js'
import { FOLDER, MADE_OF, takePictures } from './pictures.js'

describeInBrowser('The pictures of the README', () => {
  it('show the pages as they are; after a change, `npm run pictures` takes them again', async () => {
    const pictures = await takePictures()
    const stored = JSON.parse(await readFile(join(ROOT, MADE_OF), 'utf8')) as unknown
    assert.deepEqual(stored, Object.fromEntries([...pictures].map(([name, { madeOf }]) => [name, madeOf])))
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    for (const [name, { png }] of pictures) {
      const kept = await readFile(join(ROOT, FOLDER, `${name}.png`))
      // The width and the height of a PNG are in its first chunk.
      assert.deepEqual(kept.subarray(16, 24), png.subarray(16, 24))
      assert.include(readme, `${FOLDER}/${name}.png`)
    }
  })
})
