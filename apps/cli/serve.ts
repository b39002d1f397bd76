import type { Command } from 'commander'

/** `postern serve`: runs the gateway until a signal stops it. */
export const addServeCommand = (program: Command): void => {
  program.command('serve')
    .description('run the gateway; the environment configures it')
    .action(async () => {
      // A command ends when its output has no reader. A gateway goes on without a log.
      process.stdout.removeAllListeners('error')
      const { run } = await import('../server/run.js')
      await run(process.env)
    })
}
