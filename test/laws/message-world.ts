import * as O from 'fp-ts/lib/Option.js'
import type { Currency } from '../../core/money.js'
import type {
  Change, Draft, IdempotencyKey, Message, MessageId, MessageLog, MessageRecord, MessageState, Opening, WorkspaceId,
} from '../../core/ports/message-log.js'
import { done, same } from './expect.js'
import { newMessageId, newName, newPhoneNumber } from './ids.js'

/** A message log, and the powers over the outside that its laws need. */
export type MessageLogWorld = {
  readonly messageLog: MessageLog
  /** Opens a workspace that has no messages. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId; readonly currency: Currency }>
}

/** A workspace of a message log's world and what its laws do there over and over. */
export type Desk = {
  readonly workspace: WorkspaceId
  /** A new message about to be opened, a text to a new customer at `NOON` where nothing else is said. */
  readonly draft: (more?: Partial<Draft>) => Draft
  /** Opens a new message, which must not be claimed. */
  readonly opened: (more?: Partial<Draft>) => Promise<Draft>
  /** Opens a message and tells whether it was opened or claimed. */
  readonly open: (draft: Draft) => Promise<Opening>
  /** Notes a change and tells the state afterwards. */
  readonly settle: (id: MessageId, change: Change) => Promise<MessageState | undefined>
  /** The record of a message, by our id. */
  readonly found: (id: MessageId) => Promise<MessageRecord | undefined>
}

/** When the messages of the laws are opened; with milliseconds that no coarser column keeps. */
export const NOON = Date.UTC(2026, 2, 1, 12, 0, 0, 1)

/** Opens a workspace without messages. */
export const openDesk = async ({ messageLog, openWorkspace }: MessageLogWorld): Promise<Desk> => {
  const { workspace, currency } = await openWorkspace()
  const draft: Desk['draft'] = ({ at = NOON, message = newText(), ...more } = {}) => ({
    id: newMessageId(at), workspace, message, at,
    price: { micros: 62_500n, currency, category: message._tag === 'Text' ? 'service' : 'marketing' },
    ...more,
  })
  const open: Desk['open'] = (one) => done('a message is opened', messageLog.open(one))
  return {
    workspace,
    draft,
    open,
    opened: async (more) => {
      const one = draft(more)
      same('a message whose key nobody claimed is opened', await open(one), { _tag: 'Opened' })
      return one
    },
    settle: async (id, change) => O.toUndefined(await done('a change is noted', messageLog.settle(workspace, id, change))),
    found: async (id) => O.toUndefined(await done('a message is looked for', messageLog.find(workspace, { id }))),
  }
}

/** A text to a customer nobody wrote to before. */
export const newText = (): Message => ({ _tag: 'Text', to: newPhoneNumber(), text: 'Good morning' })

/** An idempotency key nobody used before. */
export const newKey = (): IdempotencyKey => `key ${newName()}` as IdempotencyKey

/** The record of a message that was opened and not settled yet. */
export const recordOf = ({ id, workspace, message, price, at }: Draft): MessageRecord => ({
  id,
  workspace,
  platformId: undefined,
  kind: message._tag === 'Text' ? 'text' : 'template',
  to: message.to,
  state: 'pending',
  price,
  templateName: message._tag === 'Template' ? message.name : undefined,
  language: message._tag === 'Template' ? message.language : undefined,
  error: undefined,
  pricing: undefined,
  createdAt: at,
  history: [{ state: 'pending', at }],
})
