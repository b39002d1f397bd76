import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Names the run of the tests, in the environment of everything that it starts. */
export const RUN_VARIABLE = 'POSTERN_TEST_RUN'

/** The random name of this run; empty where a file is run without mocha's configuration. */
export const runName = (): string => process.env[RUN_VARIABLE] ?? ''

/** Where every temporary folder of a run begins, so that what is left of it can be found. */
export const scratchPrefix = (run: string): string => join(tmpdir(), `postern-test-${run}-`)
