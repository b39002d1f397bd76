import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { bannedIn, commentsOf, proseOf, textsOf } from './english.js'
import { ROOT } from './tree.js'

/** The banned words in files whose paths match a pattern of git. */
const bannedInFiles = async (patterns: ReadonlyArray<string>, prose: (text: string) => string): Promise<ReadonlyArray<string>> => {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z', ...patterns], { cwd: ROOT, maxBuffer: 2 ** 24 })
  const paths = stdout.split('\0').filter((path) => path !== '')
  const found = await Promise.all(
    paths.map(async (path) => bannedIn(prose(await readFile(join(ROOT, path), 'utf8'))).map((word) => `${path}:${word}`)),
  )
  return found.flat()
}

describe('The English', () => {
  it('of the pages uses no word for which there is a plainer one', async () => {
    assert.deepEqual(await bannedInFiles(['*.md'], proseOf), [])
  })

  it('of the comments uses none either', async () => {
    assert.deepEqual(await bannedInFiles(['*.ts', '*.tsx', ':!test/architecture/english*'], commentsOf), [])
  })

  it('of the texts uses none either: of the console, of errors, of commands and of the examples', async () => {
    assert.deepEqual(await bannedInFiles([
      'core/*.ts', 'adapters/*.ts', 'adapters/*.tsx', 'apps/*.ts', 'apps/*.tsx', 'docs/examples/*.ts',
      ...['de', 'es', 'pt-BR'].map((other) => `:!adapters/console/texts/${other}/`),
    ], textsOf), [])
  })

  it('is checked outside of code only', () => {
    assert.lengthOf(bannedIn(proseOf('A message goes twice.\nIt is kept for ever, once more.')), 3)
    assert.lengthOf(bannedIn(commentsOf('/** Kept for ever. */\nconst a = 1 // once more\n  // thrice\n')), 3)
    assert.lengthOf(bannedIn(textsOf("const a = 'kept for ever'\nconst b = `${a} goes twice`\nconst c = <p>shown once more</p>")), 3)
    assert.deepEqual(bannedIn(textsOf("import { mend } from 'anew'\nconst mends = mend('thrice')\n// for good\n")), [])
    assert.deepEqual(bannedIn(commentsOf("it('goes twice')\n/** As `anew` does. */\n")), [])
    assert.deepEqual(bannedIn(proseOf('`for ever`\n```sh\necho anew\n```\nThe law "kept for ever" is new.\n')), [])
  })
})
