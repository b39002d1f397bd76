import type { Command } from 'commander'

/** `postern serve`: runs the gateway until it is told to stop. */
export const addServeCommand = (program: Command): void => {
  program.command('serve')
    .description('run the gateway; the environment configures it')
    .action(async () => {
      // The server's entry runs when it is loaded.
      await import('../server/main.js')
    })
}
