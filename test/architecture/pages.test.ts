import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import { ROOT } from './tree.js'

const PAGES = ['docs/architecture.md', 'docs/contributing.md']

/** The parts of a page that belong together: a paragraph, an item of a list, a row of a table. Code blocks are omitted. */
const blocksOf = (page: string): ReadonlyArray<string> =>
  page.replace(/^```[\s\S]*?^```/gm, '').split(/\n\n|\n(?=\d+\. |- |\| )/)

/** The code in a block. */
const codeIn = (block: string): ReadonlyArray<string> => Array.from(block.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code)

/** The paths of this repository in a block; a path with `…` stands for its folder. */
const pathsIn = (block: string): ReadonlyArray<string> =>
  codeIn(block).filter((code) => /^(core|adapters|apps|test|docs|deploy)\/\S*$/.test(code))
    .map((path) => path.replace(/[^/]*(…|\{).*$/, ''))

/** The names in a block: identifiers, and names of files and folders. */
const namesIn = (block: string): ReadonlyArray<string> => codeIn(block).filter((code) => /^[A-Za-z_][\w-]*$/.test(code))

/** The words of a file, or the names in a folder. */
const wordsAt = async (path: string): Promise<ReadonlyArray<string>> =>
  (await stat(join(ROOT, path))).isDirectory() ? await readdir(join(ROOT, path)) : (await readFile(join(ROOT, path), 'utf8')).split(/\W+/)

describe('the pages on how Postern is built', () => {
  for (const name of PAGES) {
    it(`name only paths and names that exist: ${name}`, async () => {
      const page = await readFile(join(ROOT, name), 'utf8')
      assert.deepEqual(pathsIn(page).filter((path) => !existsSync(join(ROOT, path))), [])
      const wrong: Array<string> = []
      for (const block of blocksOf(page)) {
        const paths = pathsIn(block)
        const words = new Set((await Promise.all(paths.map(wordsAt))).flat())
        if (paths.length > 0) {
          wrong.push(...namesIn(block).filter((word) => !words.has(word)).map((word) => `${word} in ${paths.join(', ')}`))
        }
      }
      assert.deepEqual(wrong, [])
    })
  }

  it('name every folder of core and of the adapters', async () => {
    const blocks = blocksOf(await readFile(join(ROOT, 'docs/architecture.md'), 'utf8'))
    for (const folder of ['core', 'adapters']) {
      const named = namesIn(blocks.find((block) => block.startsWith(`| \`${folder}/\` |`)) ?? '')
      const entries = await readdir(join(ROOT, folder), { withFileTypes: true })
      const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
      assert.deepEqual(folders.filter((name) => !named.includes(name)), [], folder)
    }
  })
})
