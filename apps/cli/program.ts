import { Command, CommanderError } from 'commander'
import { causeOf, version } from '../server/package.js'
import { FaultFound, UsageError } from './output.js'
import type { Shell } from './shell.js'

/** Adds a command, or a group of commands, to the program. */
type AddCommands = (program: Command, shell: Shell) => void

/** Every command and group of commands, in the order of the help. Each is loaded on demand, so that a command does not wait for the code of other commands. */
const COMMANDS: ReadonlyMap<string, () => Promise<AddCommands>> = new Map([
  ['serve', async () => (await import('./serve.js')).addServeCommand],
  ['simulator', async () => (await import('./simulator.js')).addSimulatorCommand],
  ['demo', async () => (await import('./demo.js')).addDemoCommand],
  ['migrate', async () => (await import('./maintenance.js')).addMigrateCommand],
  ['workspace', async () => (await import('./workspace.js')).addWorkspaceCommands],
  ['key', async () => (await import('./key.js')).addKeyCommands],
  ['wallet', async () => (await import('./wallet.js')).addWalletCommands],
  ['sender', async () => (await import('./sender.js')).addSenderCommands],
  ['app', async () => (await import('./app.js')).addAppCommands],
  ['window', async () => (await import('./customer.js')).addWindowCommands],
  ['customer', async () => (await import('./customer.js')).addCustomerCommands],
  ['message', async () => (await import('./message.js')).addMessageCommands],
  ['consent', async () => (await import('./consent.js')).addConsentCommands],
  ['queue', async () => (await import('./queue.js')).addQueueCommands],
  ['batch', async () => (await import('./batch.js')).addBatchCommands],
  ['template', async () => (await import('./template.js')).addTemplateCommands],
  ['endpoint', async () => (await import('./endpoint.js')).addEndpointCommands],
  ['member', async () => (await import('./member.js')).addMemberCommands],
  ['audit', async () => (await import('./audit.js')).addAuditCommands],
  ['explain', async () => (await import('./explain.js')).addExplainCommand],
  ['mcp', async () => (await import('./mcp.js')).addMcpCommand],
  ['rates', async () => (await import('./rates.js')).addRatesCommand],
  ['usage', async () => (await import('./usage.js')).addUsageCommand],
  ['reconcile', async () => (await import('./maintenance.js')).addReconcileCommand],
  ['doctor', async () => (await import('./maintenance.js')).addDoctorCommand],
])

const VERSION = '--version'

/** The program for these words: with the commands that the first word names, or with all commands if it names none. */
export const makeProgram = async (words: ReadonlyArray<string>, shell: Shell): Promise<Command> => {
  const { stdout, stderr } = shell
  const program = new Command('postern')
    .version(words.includes(VERSION) ? await versionAndSchema() : version(), VERSION, 'print the version, and the schema version it needs')
    .description('A self-hosted messaging gateway. The environment configures it; `postern doctor` checks it.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(`postern: ${inOneLine(text)}`),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      // Output has no colours.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  const needed = await Promise.all(loadersFor(words).map((load) => load()))
  for (const add of needed) add(program, shell)
  refuseRepeats(program)
  return program
}

/** Commander uses the last value of a repeated option and ignores the others, so a list would silently omit values that the caller gave. */
const refuseRepeats = (command: Command): void => {
  for (const option of command.options.filter(({ required, variadic }) => required && !variadic)) {
    let isGiven = false
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' can be given only once`)
      isGiven = true
    })
  }
  command.commands.forEach(refuseRepeats)
}

/** The version and the newest step of the schema, which distinguishes builds between two releases. */
const versionAndSchema = async (): Promise<string> => {
  const { STEPS } = await import('../../adapters/knex/schema/steps.js')
  return `${version()} (schema ${STEPS.length})`
}

/** The loaders to run; `help` names a command in its second word. */
const loadersFor = ([first = '', second = '']: ReadonlyArray<string>): ReadonlyArray<() => Promise<AddCommands>> => {
  if (first === VERSION) return []
  const named = COMMANDS.get(first === 'help' ? second : first)
  return named === undefined ? [...COMMANDS.values()] : [named]
}

const DEFAULT_WIDTH = 80

const widthOf = ({ isTTY, columns }: Shell['stdout']): number => (isTTY === true ? columns : undefined) ?? DEFAULT_WIDTH

/** The usage error, on one line. Surplus words are omitted, because one of them may be a token that belongs on standard input. */
const inOneLine = (text: string): string => text.replace(/^error: /, '').replace(/( but got \d+): .*/s, '$1.\n').replace(/\n(?=.)/g, ' ')

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

/**
 * Runs one command line and resolves with its exit status; it never rejects.
 *
 * It reads and writes only through the given shell and leaves nothing open, so one process can run many commands, including concurrent ones.
 */
export const run = async (words: ReadonlyArray<string>, shell: Shell): Promise<number> => {
  try {
    const program = await makeProgram(words, shell)
    await program.parseAsync(words, { from: 'user' })
    return DONE
  } catch (error) {
    // Commander has already printed the error; only its help ends with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE
    if (error instanceof FaultFound) return FAILED
    shell.stderr.write(`postern: ${causeOf(error).message.replaceAll('\n', '\npostern: ')}\n`)
    return error instanceof UsageError ? WRONG_USAGE : FAILED
  }
}
