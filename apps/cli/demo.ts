import type { Command } from 'commander'
import { ownProcess, type Shell } from './shell.js'

/** `postern demo`: runs a gateway and the simulator on an empty database in a temporary folder, until a signal ends it. */
export const addDemoCommand = (program: Command, shell: Shell): void => {
  program.command('demo')
    .description('show in ten steps what the gateway does, on an empty database; needs no account, but the package better-sqlite3')
    .option('--once', 'end after the last step, and listen on free ports', false)
    .action(async ({ once }: { readonly once: boolean }) => {
      const { exit } = ownProcess(shell)
      const { env, stdout } = shell
      const { runDemo } = await import('../demo/demo.js')
      await runDemo({ write: (text) => void stdout.write(text), colours: stdout.isTTY === true && env['NO_COLOR'] === undefined, once, exit })
    })
}
