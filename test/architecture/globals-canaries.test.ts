import { join } from 'node:path'
import { assert } from 'chai'
import ts from 'typescript'
import { copied, inTree } from './tree.js'

const PURE = 'export const half = (n: bigint): bigint => n / 2n\n'
const GLOBALS = ['process', 'console', 'Buffer', 'setTimeout', 'fetch', 'performance', 'crypto', 'URL', 'AbortController', 'describe']

/** The compiler's errors for each file of a core that contains only these files, with the settings of the real core. */
const compileErrors = async (files: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, ReadonlyArray<string>>> =>
  inTree({ ...await copied('package.json', 'tsconfig.json', 'core/tsconfig.json'), ...files }, async (root) => {
    const config = ts.getParsedCommandLineOfConfigFile(join(root, 'core/tsconfig.json'), {}, {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (diagnostic) => assert.fail(ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')),
    })
    assert.isDefined(config)
    const program = ts.createProgram(config.fileNames, config.options)
    const sentences = (diagnostics: ReadonlyArray<ts.Diagnostic>): ReadonlyArray<string> =>
      diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
    assert.deepEqual(
      sentences([...program.getConfigFileParsingDiagnostics(), ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()]), [],
    )
    return new Map(Object.keys(files).map((path) => {
      const file = program.getSourceFile(join(root, path)) ?? assert.fail(`${path} is not compiled`)
      return [
        path,
        sentences([
          ...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file), ...program.getDeclarationDiagnostics(file),
        ]),
      ]
    }))
  })

describe('the globals of core', () => {
  let errors: ReadonlyMap<string, ReadonlyArray<string>>

  // All files are in one program, because most of the time is spent on reading the language's own types.
  before(async () => {
    const planted = GLOBALS.map((global) => [`core/planted-${global}.ts`, `export const planted: unknown = ${global}\n`] as const)
    errors = await compileErrors({ 'core/pure.ts': PURE, ...Object.fromEntries(planted) })
  })

  it('are those of the language, so that a pure file compiles', () => {
    assert.deepEqual(errors.get('core/pure.ts'), [])
  })

  for (const global of GLOBALS) {
    it(`do not include ${global}`, () => {
      const [first, ...others] = errors.get(`core/planted-${global}.ts`) ?? []
      assert.match(first ?? '', new RegExp(`^Cannot find name '${global}'`))
      assert.isEmpty(others)
    })
  }
})
