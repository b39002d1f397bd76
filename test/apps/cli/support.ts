import { assert } from 'chai'
import { type Simulator, startSimulator } from '../../../apps/simulator/simulator.js'
import { migratedSqliteFile } from '../../support/databases.js'
import { type Ended, type Env, postern, posternJson } from '../../support/postern.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'

/** The access token of the tests' sender. */
export const TOKEN = 'EAAtoken0of0tests'

/** A migrated database, a simulator, and the ways in which tests run commands on them. */
export type CommandLine = AsyncDisposable & {
  readonly env: Env
  readonly scratch: Scratch
  readonly simulator: Simulator
  /** Runs a command that has to succeed, with `--json`. */
  readonly json: <Shape>(...args: ReadonlyArray<string>) => Promise<Shape>
  /** Runs a command that has to succeed, and gives the lines that people see. */
  readonly lines: (...args: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  /** Runs a command that has to end with a status and one sentence on standard error. */
  readonly fails: (args: ReadonlyArray<string>, expected: 1 | 2, sentence: RegExp) => Promise<void>
}

/** Opens a command line of its own. */
export const openCommandLine = async (): Promise<CommandLine> => {
  const scratch = await makeScratch()
  const simulator = await startSimulator({ accessToken: TOKEN })
  const env = {
    DATABASE_URL: `sqlite:${scratch.path('postern.db')}`, POSTERN_SECRET: 'a-secret-of-tests-that-is-long-enough',
    PLATFORM_URL: simulator.url, PLATFORM_VERIFY_TOKEN: 'verify-me', PLATFORM_APP_SECRET: 'app-secret', PLATFORM_TIMEOUT_MS: '2000',
  }
  await migratedSqliteFile(scratch.path('postern.db'))
  return {
    env, scratch, simulator,
    json: <Shape>(...args: ReadonlyArray<string>) => posternJson(args, env) as Promise<Shape>,
    lines: async (...args) => {
      const { status, stdout, stderr } = await postern(args, env)
      assert.deepEqual([status, stderr], [0, ''])
      return stdout.trimEnd().split('\n')
    },
    fails: async (args, expected, sentence) => assertFailed(await postern(args, env), expected, sentence),
    [Symbol.asyncDispose]: async () => {
      await simulator.close()
      await scratch.remove()
    },
  }
}

/** One sentence on standard error, no stack, nothing on standard output. */
export const assertFailed = ({ status, stdout, stderr }: Ended, expected: 1 | 2, sentence: RegExp): void => {
  assert.equal(status, expected, stderr)
  assert.equal(stdout, '')
  assert.match(stderr, sentence)
  assert.match(stderr, /^postern: .+\n$/)
  assert.notMatch(stderr, /\n\s+at /)
}
