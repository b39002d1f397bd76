import type { Command } from 'commander'
import * as O from 'fp-ts/lib/Option.js'
import type { CustomerId } from '../../core/customers/customer.js'
import { closesAt, isOpen, windowView } from '../../core/customers/window.js'
import type { Instant } from '../../core/kernel/time.js'
import { makeRecordInbound } from '../../core/reports/receive.js'
import { commandLine } from './actor.js'
import { CUSTOMER, customer, jsonOption, moment, WORKSPACE } from './arguments.js'
import { withWorkspace } from './cli-config.js'
import { unwrap } from './error-messages.js'
import { iso, type JsonFlag, print } from './output.js'
import type { Shell } from './shell.js'

type RecordOptions = JsonFlag & { readonly at?: Instant }

/** `postern window …`: the customer service windows. */
export const addWindowCommands = (program: Command, shell: Shell): void => {
  const window = program.command('window').description('the customer service windows')

  window.command('record')
    .description('note that a customer wrote, learnt some other way than from the platform')
    .argument('<workspace>', WORKSPACE)
    .argument('<customer>', CUSTOMER, customer)
    .option('--at <iso>', 'when the customer wrote; now where it is not given', moment)
    .addOption(jsonOption())
    .action((workspace: string, to: CustomerId, options: RecordOptions) => record(shell, workspace, to, options))
}

const record = (shell: Shell, idOrName: string, to: CustomerId, { at, ...options }: RecordOptions): Promise<void> =>
  withWorkspace(shell, idOrName, async (storage, { id: workspace }) => {
    const lastInbound = await unwrap(makeRecordInbound(storage)({ by: commandLine(), workspace, customer: to, ...(at !== undefined && { at }) }))
    const now = storage.windowClock.now()
    print(shell, options, windowView(now, lastInbound), () => [
      O.isSome(lastInbound) ? `The window ${windowWords(now, lastInbound)}.` : 'The customer has never written.',
    ])
  })

/** A window of a customer who wrote, in words: `is open until …` or `closed at …`. */
export const windowWords = (now: Instant, lastInbound: O.Some<Instant>): string =>
  `${isOpen(now, lastInbound) ? 'is open until' : 'closed at'} ${iso(closesAt(lastInbound.value))}`
