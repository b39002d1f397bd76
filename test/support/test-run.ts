import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Names the run of the tests, in the environment of everything that it starts. */
export const RUN_VARIABLE = 'TEST_RUN_MARK'

/** The name for a process that runs test files by itself. */
const OWN_RUN = randomBytes(4).toString('hex')

/** Whether this process is one of a run's, which removes what they share when it ends. */
export const isOfRun = (): boolean => process.env[RUN_VARIABLE] !== undefined

/** The random name of the run that this process belongs to, or of its own. It is in the names of databases and temporary folders, so that what is left of a run can be found. */
export const testRun = (): string => process.env[RUN_VARIABLE] ?? OWN_RUN

/** How the path of every temporary folder of a run begins. */
export const scratchPrefix = (run: string): string => join(tmpdir(), `postern-test-${run}-`)

/** The folder that all processes of a run share. */
export const sharedFolder = (run: string): string => `${scratchPrefix(run)}shared`
