import type { Command } from 'commander'
import * as O from 'fp-ts/lib/Option.js'
import type { PhoneNumber } from '../../core/message.js'
import type { Instant } from '../../core/time.js'
import { closesAt, isOpen } from '../../core/window.js'
import { windowView } from '../../adapters/koa/views.js'
import { customer, jsonOption, moment } from './arguments.js'
import { iso, print } from './output.js'
import { done, refuse } from './refusal.js'
import { lastInboundOf } from '../../core/spelling.js'
import { withStorage, workspaceNamed } from './setting.js'

type RecordOptions = { readonly at?: Instant; readonly json?: boolean }

/** `postern window …`: the customer service windows. */
export const addWindowCommands = (program: Command): void => {
  const window = program.command('window').description('the customer service windows')

  window.command('record')
    .description('note that a customer wrote, which was learnt some other way than from the platform')
    .argument('<workspace>', "the workspace's id")
    .argument('<customer>', "the customer's number with its country code", customer)
    .option('--at <iso>', 'when the customer wrote; now where it is not given', moment)
    .addOption(jsonOption())
    .action((workspace: string, to: PhoneNumber, options: RecordOptions) => record(workspace, to, options))
}

const record = (workspace: string, to: PhoneNumber, options: RecordOptions): Promise<void> =>
  withStorage(async (storage) => {
    const { id } = await workspaceNamed(storage, workspace)
    const now = Date.now()
    const at = options.at ?? now
    if (at > now) refuse('A customer cannot have written in the future.')
    await done(storage.windowClock.recordInbound(id, to, at))
    const lastInbound = await done(lastInboundOf(storage.windowClock, id, to))
    print(options, windowView(now, lastInbound), () => [
      `The window ${isOpen(now, lastInbound) ? 'is open until' : 'closed at'} ${iso(closesAt(O.getOrElse(() => at)(lastInbound)))}.`,
    ])
  })
