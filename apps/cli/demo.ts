import type { Command } from 'commander'
import { ownProcess, type Shell } from './shell.js'

/** `postern demo`: runs a gateway and the simulator on an empty database in a temporary folder, until a signal ends it. */
export const addDemoCommand = (program: Command, shell: Shell): void => {
  program.command('demo')
    .description('show in ten steps what the gateway does, on an empty database; needs the package better-sqlite3, but no platform account')
    .option('--once', 'exit after the last step; listen on free ports', false)
    .option('--free-ports', 'listen on free ports instead of 3000, 3001 and 4010', false)
    .action(async ({ once, freePorts }: { readonly once: boolean; readonly freePorts: boolean }) => {
      const { exit } = ownProcess(shell)
      const { env, stdout } = shell
      const { runDemo } = await import('../demo/demo.js')
      await runDemo({
        write: (text) => void stdout.write(text),
        colours: stdout.isTTY === true && env['NO_COLOR'] === undefined,
        once,
        usesKnownPorts: !once && !freePorts,
        exit,
      })
    })
}
