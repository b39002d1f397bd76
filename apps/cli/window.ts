import type { Command } from 'commander'
import * as O from 'fp-ts/lib/Option.js'
import type { PhoneNumber } from '../../core/phone-number.js'
import type { Instant } from '../../core/time.js'
import { makeRecordInbound } from '../../core/use-cases/record-inbound.js'
import { closesAt, isOpen } from '../../core/window.js'
import { windowView } from '../../core/views.js'
import { customer, jsonOption, moment, WORKSPACE } from './arguments.js'
import { withWorkspace } from './cli-config.js'
import { unwrap } from './error-messages.js'
import { iso, print, type JsonFlag } from './output.js'

type RecordOptions = JsonFlag & { readonly at?: Instant }

/** `postern window …`: the customer service windows. */
export const addWindowCommands = (program: Command): void => {
  const window = program.command('window').description('the customer service windows')

  window.command('record')
    .description('note that a customer wrote, learnt some other way than from the platform')
    .argument('<workspace>', WORKSPACE)
    .argument('<customer>', "the customer's number with its country code", customer)
    .option('--at <iso>', 'when the customer wrote; now where it is not given', moment)
    .addOption(jsonOption())
    .action((workspace: string, to: PhoneNumber, options: RecordOptions) => record(workspace, to, options))
}

const record = (idOrName: string, to: PhoneNumber, { at, ...options }: RecordOptions): Promise<void> =>
  withWorkspace(idOrName, async ({ windowClock }, { id: workspace }) => {
    const lastInbound = await unwrap(makeRecordInbound({ windowClock })({ workspace, customer: to, ...(at !== undefined && { at }) }))
    const now = windowClock.now()
    print(options, windowView(now, lastInbound), () => [
      O.isSome(lastInbound)
        ? `The window ${isOpen(now, lastInbound) ? 'is open until' : 'closed at'} ${iso(closesAt(lastInbound.value))}.`
        : 'The customer has never written.',
    ])
  })
