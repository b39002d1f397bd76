#!/usr/bin/env node
import { CommanderError } from 'commander'
import { causeOf } from '../server/cause.js'
import { makeProgram } from './program.js'

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

const run = async (): Promise<number | undefined> => {
  try {
    await makeProgram().parseAsync()
    return undefined
  } catch (error) {
    // Commander has said what is wrong already; only its help ends with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE
    process.stderr.write(`postern: ${causeOf(error).message.replaceAll('\n', '\npostern: ')}\n`)
    return FAILED
  }
}

// Whoever reads the output may have enough of it, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? DONE : FAILED))
const status = await run()
// A command sets a status of its own where it ran to its end and found a fault.
if (status !== undefined) process.exitCode = status
