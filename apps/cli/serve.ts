import type { Command } from 'commander'
import { ownProcess, type Shell } from './shell.js'

/** `postern serve`: runs the gateway until a signal stops it. */
export const addServeCommand = (program: Command, shell: Shell): void => {
  program.command('serve')
    .description('run the gateway; the environment configures it')
    .action(async () => {
      // A command ends when the reader of its output closes it. A gateway continues without a log.
      ownProcess(shell).ignoreClosedOutput()
      const { run } = await import('../server/run.js')
      await run(shell.env)
    })
}
