import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { ROOT } from '../architecture/tree.js'

/** What the loader of Linux prints where a library is missing; it ends with this status. */
const loader = (library: string): string =>
  `#!/bin/sh\necho "node: error while loading shared libraries: ${library}: cannot open shared object file: No such file or directory" >&2\nexit 127\n`

const STARTS = '#!/bin/sh\necho v26.0.0\n'

type Ending = { readonly status: number | null; readonly said: string; readonly bin: string | undefined }

/** Installs a Node.js of this text as the package `node` does, below a machine's Node.js of a version. Without a text npm fetches nothing. */
const install = async (folder: string, text: string | undefined, machine = process.versions.node): Promise<Ending> => {
  const [setup, home, npm] = [join(folder, 'setup'), join(folder, 'node'), join(folder, 'npm.cjs')]
  await cp(join(ROOT, 'deploy/node'), setup, { recursive: true })
  await mkdir(home, { recursive: true })
  const binary = join('node_modules', `node-linux-${process.arch}`, 'bin')
  await writeFile(npm, text === undefined ? 'process.exit(1)\n' : [
    `require('fs').mkdirSync(${JSON.stringify(binary)}, { recursive: true })`,
    `require('fs').writeFileSync(${JSON.stringify(join(binary, 'node'))}, ${JSON.stringify(text)}, { mode: 0o755 })`, '',
  ].join('\n'))
  await chmod(npm, 0o755)
  const program = `Object.defineProperty(process.versions, 'node', { value: ${JSON.stringify(machine)} }); require(${JSON.stringify(setup)})()`
  const { status, stdout, stderr } = spawnSync(
    process.execPath, ['-e', program], { cwd: home, encoding: 'utf8', env: { ...process.env, npm_execpath: npm } },
  )
  const bin = join(home, 'bin/node')
  return {
    status, said: stdout + stderr, bin: existsSync(bin) ? spawnSync(bin, ['--version'], { encoding: 'utf8' }).stdout.trim() : undefined,
  }
}

describe('The Node.js of a checkout', () => {
  let folder: string

  beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'postern-node-')) })

  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('is the release in the checkout, if it starts', async () => {
    assert.deepEqual(await install(folder, STARTS, '20.9.0'), { status: 0, said: '', bin: 'v26.0.0' })
  })

  it("is the machine's own if the release lacks a library, and the machine's is new enough", async () => {
    const { status, said, bin } = await install(folder, loader('libatomic.so.1'), '22.19.0')
    assert.deepEqual({ status, bin }, { status: 0, bin: process.version })
    assert.include(said, 'it needs libatomic.so.1 (on Debian and Ubuntu: apt-get install libatomic1)')
  })

  it("is the machine's own if npm has no release for it", async () => {
    const { status, bin } = await install(folder, undefined)
    assert.deepEqual({ status, bin }, { status: 0, bin: process.version })
    const old = await install(folder, undefined, '20.9.0')
    assert.deepEqual(old, {
      status: 1, bin: undefined,
      said: 'Node.js 26 cannot be used here, since npm could not fetch it. Install Node.js 22.19 or later (this is 20.9.0), and run npm ci again.\n',
    })
  })

  for (const [library, needs] of [
    ['libatomic.so.1', 'libatomic.so.1 (on Debian and Ubuntu: apt-get install libatomic1)'],
    ['libstdc++.so.6', 'libstdc++.so.6'],
  ] as const) {
    it(`is refused in one sentence if ${library} is missing and the machine's own is too old`, async () => {
      const { status, said, bin } = await install(folder, loader(library), '22.18.0')
      assert.deepEqual({ status, bin }, { status: 1, bin: undefined })
      assert.equal(said, `Node.js 26 cannot be used here, since it needs ${needs}. Install that, or Node.js 22.19 or later (this is 22.18.0), and run npm ci again.\n`)
    })
  }
})
