import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import ts from 'typescript'
import { inTree, ROOT } from './tree.js'

/** The compiler's errors for a core that has only this file, with the settings of the real core. */
const compileErrors = async (text: string): Promise<ReadonlyArray<string>> => {
  const settings = ['package.json', 'tsconfig.json', 'core/tsconfig.json']
  const copies = await Promise.all(settings.map(async (path) => [path, await readFile(join(ROOT, path), 'utf8')] as const))
  return inTree({ ...Object.fromEntries(copies), 'core/planted.ts': text }, async (root) => {
    const config = ts.getParsedCommandLineOfConfigFile(join(root, 'core/tsconfig.json'), {}, {
      ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => assert.fail(ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')),
    })
    assert.isDefined(config)
    const program = ts.createProgram(config.fileNames, config.options)
    return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  })
}

describe('the globals of core', () => {
  it('are those of the language, so that a pure file compiles', async () => {
    assert.deepEqual(await compileErrors('export const half = (n: bigint): bigint => n / 2n\n'), [])
  })

  for (const global of ['process', 'console', 'Buffer', 'setTimeout', 'fetch', 'performance', 'crypto', 'URL', 'AbortController', 'describe']) {
    it(`do not include ${global}`, async () => {
      const [first, ...others] = await compileErrors(`export const planted: unknown = ${global}\n`)
      assert.match(first ?? '', new RegExp(`^Cannot find name '${global}'`))
      assert.isEmpty(others)
    })
  }
})
