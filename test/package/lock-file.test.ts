import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'

type LockFile = { readonly packages: Readonly<Record<string, { readonly gypfile?: boolean; readonly resolved?: string }>> }

const lockFile = async (): Promise<LockFile> =>
  JSON.parse(await readFile(fileURLToPath(new URL('../../package-lock.json', import.meta.url)), 'utf8')) as LockFile

describe('The lock file', () => {
  it('says that better-sqlite3 is not compiled', async () => {
    const { packages } = await lockFile()
    // The package says so itself, but npm 10 builds what the lock file knows, with Python and a compiler. npm leaves the line out when it writes the file: put it back.
    assert.isFalse(packages['node_modules/better-sqlite3']?.gypfile, '"gypfile": false is missing in the entry of better-sqlite3')
  })

  it('names no registry', async () => {
    const { packages } = await lockFile()
    assert.deepEqual(Object.values(packages).filter(({ resolved }) => resolved?.startsWith('http') === true), [])
  })
})
