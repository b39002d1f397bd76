import { InvalidArgumentError, type Command } from 'commander'
import type { MessageState } from '../../core/delivery.js'
import type { PhoneNumber } from '../../core/message.js'
import { messageView } from '../../adapters/koa/views.js'
import { customer, jsonOption, limitOption } from './arguments.js'
import { amount, iso, print, table } from './output.js'
import { everyItem } from './pages.js'
import { withStorage, workspaceNamed } from './setting.js'

type ListOptions = {
  readonly to?: PhoneNumber
  readonly state?: MessageState
  readonly limit?: number
  readonly json?: boolean
}

const STATES: ReadonlyArray<MessageState> = [
  'pending', 'accepted', 'sent', 'delivered', 'read', 'failed', 'refused', 'unconfirmed', 'released',
]

/** `postern message …`: what was sent and what became of it. */
export const addMessageCommands = (program: Command): void => {
  const message = program.command('message').description('what was sent and what became of it')

  message.command('list')
    .description('show the messages of a workspace, newest first')
    .argument('<workspace>', "the workspace's id")
    .option('--to <number>', "only those to this customer's number", customer)
    .option('--state <state>', `only those in this state: ${STATES.join(', ')}`, state)
    .addOption(limitOption())
    .addOption(jsonOption())
    .action((workspace: string, options: ListOptions) => list(workspace, options))
}

const list = (workspace: string, { to, state: of, limit, ...options }: ListOptions): Promise<void> =>
  withStorage(async (storage) => {
    const { id } = await workspaceNamed(storage, workspace)
    const filter = { ...(to !== undefined && { to }), ...(of !== undefined && { state: of }) }
    const messages = await everyItem((query) => storage.messageLog.list(id, { ...query, ...filter }), limit)
    print(options, messages.map(messageView), () =>
      messages.length === 0
        ? ['There is no such message.']
        : table(
            ['ID', 'AT', 'STATE', 'TO', 'KIND', 'PRICE'],
            messages.map((one) => [
              one.id, iso(one.createdAt), one.state, one.to, one.templateName ?? one.kind, amount(one.price.micros, one.price.currency),
            ]),
          ),
    )
  })

const state = (text: string): MessageState => {
  const known = STATES.find((one) => one === text)
  if (known === undefined) throw new InvalidArgumentError(`a state is one of ${STATES.join(', ')}.`)
  return known
}
