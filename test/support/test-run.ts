import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The variable with the name of the test run, in the environment of every process that the run starts. */
export const RUN_VARIABLE = 'TEST_RUN_MARK'

/** The name for a process that runs test files by itself. */
const OWN_RUN = randomBytes(4).toString('hex')

/** Whether this process belongs to a run, which removes the shared files when it ends. */
export const isOfRun = (): boolean => process.env[RUN_VARIABLE] !== undefined

/** The random name of the run that this process belongs to, or its own. It is part of the names of databases and temporary folders, so that leftovers of a run can be found. */
export const testRun = (): string => process.env[RUN_VARIABLE] ?? OWN_RUN

/** The prefix of the path of every temporary folder of a run. */
export const scratchPrefix = (run: string): string => join(tmpdir(), `postern-test-${run}-`)

/** The folder that all processes of a run share. */
export const sharedFolder = (run: string): string => `${scratchPrefix(run)}shared`
