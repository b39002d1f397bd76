import { type Command } from 'commander'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { QueueHold } from '../../core/messages/queue-holds.js'
import type { Administration } from '../../core/postern.js'
import type { QueueView, WaitingSender } from '../../core/sending/show-queue.js'
import { commandLine, jsonOption, WORKSPACE } from './arguments.js'
import { type Opened, withStorage } from './cli-config.js'
import { fail, iso, type JsonFlag, print, table, unwrap } from './output.js'
import type { Shell } from './shell.js'

type Control = NonNullable<Administration['queue']>

const EVERY = `${WORKSPACE}; every workspace if omitted`

/** `postern queue …`: the messages that wait for their time. */
export const addQueueCommands = (program: Command, shell: Shell): void => {
  const queue = program.command('queue').description('the messages that wait for their time')

  queue.command('show')
    .description('show what waits, by sender, and what holds it')
    .argument('[workspace]', EVERY)
    .addOption(jsonOption())
    .action((workspace: string | undefined, options: JsonFlag) => show(shell, workspace, options))

  queue.command('hold')
    .description('send no queued message until the queue is resumed; requests that send immediately are not held')
    .argument('[workspace]', EVERY)
    .requiredOption('--note <text>', 'the reason, for operators')
    .addOption(jsonOption())
    .action((workspace: string | undefined, { note, ...options }: JsonFlag & { readonly note: string }) =>
      hold(shell, workspace, note, options))

  queue.command('resume')
    .description('send what waits, also after a held start; without a workspace, the holds of single workspaces stay')
    .argument('[workspace]', EVERY)
    .addOption(jsonOption())
    .action((workspace: string | undefined, options: JsonFlag) => resume(shell, workspace, options))
}

const show = (shell: Shell, idOrName: string | undefined, options: JsonFlag): Promise<void> =>
  withQueue(shell, idOrName, (queue, workspace) => printQueue(shell, queue, workspace, options))

const hold = (shell: Shell, idOrName: string | undefined, note: string, options: JsonFlag): Promise<void> =>
  withQueue(shell, idOrName, async (queue, workspace) => {
    await unwrap(queue.holdQueue({ by: commandLine(), workspace, note }))
    await printQueue(shell, queue, workspace, options)
  })

const resume = (shell: Shell, idOrName: string | undefined, options: JsonFlag): Promise<void> =>
  withQueue(shell, idOrName, async (queue, workspace) => {
    const removed = await unwrap(queue.resumeQueue({ by: commandLine(), workspace }))
    await printQueue(shell, queue, workspace, options, O.isNone(removed) ? ['There was no such hold.'] : [])
  })

const withQueue = <A>(
  shell: Shell, idOrName: string | undefined, use: (queue: Control, workspace: WorkspaceId | undefined, opened: Opened) => Promise<A>,
): Promise<A> =>
  withStorage(shell, async (opened) => {
    const { postern: { queue, workspaces } } = opened
    const workspace = idOrName === undefined ? undefined : await unwrap(workspaces.findWorkspace(idOrName))
    return use(queue ?? fail('This storage has no queue.'), workspace?.id, opened)
  })

const printQueue = async (
  shell: Shell, queue: Control, workspace: WorkspaceId | undefined, options: JsonFlag, before: ReadonlyArray<string> = [],
): Promise<void> => {
  const view = await unwrap(queue.showQueue({ by: commandLine(), workspace }))
  print(shell, options, queueView(view), () => [...before, ...holdLines(view.holds), ...waitingLines(view.senders)])
}

/** The queue as `--json` prints it. */
export const queueView = ({ holds, senders }: QueueView) => ({
  waiting: senders.reduce((sum, { waiting }) => sum + waiting, 0),
  scheduled: senders.reduce((sum, { scheduled }) => sum + scheduled, 0),
  oldest_at: iso(senders[0]?.oldestDueAt),
  holds: holds.map(({ workspace = null, since, why, by, note = null }) => ({ workspace, since: iso(since), why, by, note })),
  senders: senders.map(({ workspace, sender, waiting, scheduled, oldestDueAt, rate, emptyAt }: WaitingSender) => ({
    workspace, phone_number_id: sender === '' ? null : sender, waiting, scheduled, oldest_at: iso(oldestDueAt), rate: rate ?? null,
    empty_at: iso(emptyAt),
  })),
})

/** Why a hold is in force, as a clause. */
export const reasonOfHold = ({ why, note }: Pick<QueueHold, 'why' | 'note'>): string => {
  switch (why) {
    case 'operator': return `an operator holds it: ${note ?? ''}`
    case 'asleep': return 'no gateway had sent it for longer than HELD_START_HOURS'
    case 'other_installation': return 'another installation had sent it, so this database may be a copy or a restored backup'
  }
}

const holdLines = (holds: ReadonlyArray<QueueHold>): ReadonlyArray<string> => holds.flatMap((one) => [
  `The queue of ${one.workspace ?? 'every workspace'} is held since ${iso(one.since)}: ${reasonOfHold(one)}.`,
  `Send it with \`postern queue resume${one.workspace === undefined ? '' : ` ${one.workspace}`}\`.`,
])

const waitingLines = (senders: ReadonlyArray<WaitingSender>): ReadonlyArray<string> => (senders.length === 0
  ? ['No message waits.']
  : table(
    ['WORKSPACE', 'SENDER', 'WAITING', 'OLDEST', 'SCHEDULED', 'A SECOND', 'EMPTY AT'],
    senders.map(({ workspace, sender, waiting, oldestDueAt, scheduled, rate, emptyAt }) => [
      workspace, sender, String(waiting), iso(oldestDueAt) ?? '', String(scheduled), rate === undefined ? '' : String(rate),
      iso(emptyAt) ?? '',
    ]),
  ))
