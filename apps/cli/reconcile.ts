import type { Command } from 'commander'
import { makeReconcile, makeReconcileByHand } from '../../core/sending/reconcile.js'
import { commandLine } from './actor.js'
import { jsonOption } from './arguments.js'
import { withStorage } from './cli-config.js'
import { unwrap } from './error-messages.js'
import { type JsonFlag, print } from './output.js'
import type { Shell } from './shell.js'

/** `postern reconcile`: settles what a crash or a lost answer left open, once. */
export const addReconcileCommand = (program: Command, shell: Shell): void => {
  program.command('reconcile')
    .description('settle what a crash or a lost answer left open, once')
    .addOption(jsonOption())
    .action((options: JsonFlag) => reconcile(shell, options))
}

const reconcile = (shell: Shell, options: JsonFlag): Promise<void> =>
  withStorage(shell, async (storage, { limits }) => {
    const { unconfirmed, refused, released, captured, refunded } = await unwrap(makeReconcileByHand({ ...storage, reconcile: makeReconcile({ ...storage, ...limits }) })({ by: commandLine() }))
    print(shell, options, { unconfirmed, refused, released, captured, refunded }, () => [
      `${unconfirmed} became unconfirmed, ${refused} had never been sent; the price of ${released} was released, of ${captured} captured, of ${refunded} refunded.`,
    ])
  })
