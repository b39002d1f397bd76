import { CommanderError } from 'commander'
import { causeOf } from '../server/deps.js'
import { FaultFound, UsageError } from './error-messages.js'
import { makeProgram } from './program.js'
import type { Shell } from './shell.js'

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

/**
 * Runs one command line and resolves with its exit status; it never rejects.
 *
 * It reads and writes only what the shell gives it, and leaves nothing open, so that one process can run many, also several at once.
 */
export const run = async (words: ReadonlyArray<string>, shell: Shell): Promise<number> => {
  try {
    const program = await makeProgram(words, shell)
    await program.parseAsync(words, { from: 'user' })
    return DONE
  } catch (error) {
    // Commander has printed what is wrong already; only its help ends with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE
    if (error instanceof FaultFound) return FAILED
    shell.stderr.write(`postern: ${causeOf(error).message.replaceAll('\n', '\npostern: ')}\n`)
    return error instanceof UsageError ? WRONG_USAGE : FAILED
  }
}
