import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { bannedIn, proseOf } from './english.js'
import { ROOT } from './tree.js'

const pages = async (): Promise<ReadonlyArray<string>> => {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z', '*.md'], { cwd: ROOT })
  return stdout.split('\0').filter((path) => path !== '')
}

describe('The English of the pages', () => {
  it('uses no word for which there is a plainer one', async () => {
    const found = await Promise.all((await pages()).map(async (path) => bannedIn(proseOf(await readFile(join(ROOT, path), 'utf8'))).map((word) => `${path}:${word}`)))
    assert.deepEqual(found.flat(), [])
  })

  it('is checked outside of code only', () => {
    assert.lengthOf(bannedIn(proseOf('A message goes twice.\nIt is kept for ever, once more.')), 3)
    assert.deepEqual(bannedIn(proseOf('`for ever`\n```sh\necho anew\n```\nThe law "kept for ever" is new.\n')), [])
  })
})
