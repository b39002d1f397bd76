#!/usr/bin/env node
import { CommanderError } from 'commander'
import { causeOf } from '../server/cause.js'
import { UsageError } from './error-messages.js'
import { makeProgram } from './program.js'

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

const run = async (): Promise<number | undefined> => {
  try {
    await makeProgram().parseAsync()
    return undefined
  } catch (error) {
    // Commander has printed what is wrong already; only its help ends with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE
    process.stderr.write(`postern: ${causeOf(error).message.replaceAll('\n', '\npostern: ')}\n`)
    return error instanceof UsageError ? WRONG_USAGE : FAILED
  }
}

// A program that reads the output may close it before the end, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? DONE : FAILED))
const status = await run()
// A command that ran to its end and found a fault has set a status of its own.
if (status !== undefined) process.exitCode = status
