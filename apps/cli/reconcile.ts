import type { Command } from 'commander'
import { makeReconcile } from '../../core/reconcile.js'
import { jsonOption } from './arguments.js'
import { print } from './output.js'
import { done } from './refusal.js'
import { withStorage } from './setting.js'

/** `postern reconcile`: one pass over what a crash or a lost answer left behind. */
export const addReconcileCommand = (program: Command): void => {
  program.command('reconcile')
    .description('one pass over what a crash or a lost answer left behind')
    .addOption(jsonOption())
    .action((options: { readonly json?: boolean }) => reconcile(options))
}

const reconcile = (options: { readonly json?: boolean }): Promise<void> =>
  withStorage(async ({ windowClock, messageLog, wallet }, { limits }) => {
    const { unconfirmed, released, captured, refunded } = await done(makeReconcile({ windowClock, messageLog, wallet, ...limits })())
    print(options, { unconfirmed, released, captured, refunded }, () => [
      `${unconfirmed} became unconfirmed; the price of ${released} was released, of ${captured} captured, of ${refunded} refunded.`,
    ])
  })
