import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { TraceContext } from '../../core/kernel/tracing.js'
import type { Draft, MessageLog, Opening } from '../../core/messages/message-log.js'
import type { IdempotencyKey, Message, MessageId, MessageRecord, MessageState, StateChange } from '../../core/messages/message.js'
import { categoryOf } from '../../core/money/rate-card.js'
import { done, same } from './expect.js'
import { newMessageId, newName, newPhoneNumber } from './ids.js'

/** A message log, and the control over the environment that its laws need. */
export type MessageLogFixture = {
  readonly messageLog: MessageLog
  /** Opens a workspace without messages. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId; readonly currency: Currency }>
}

/** A workspace of a message log's fixture and the repeated actions of its laws. */
export type MessageWorkspace = {
  readonly workspace: WorkspaceId
  /** A new message to open, by default a text to a new customer at `NOON`. */
  readonly draft: (more?: Partial<Draft>) => Draft
  /** Opens a new message, which must not be claimed. */
  readonly opened: (more?: Partial<Draft>) => Promise<Draft>
  /** Opens a message. Returns whether it was opened or claimed. */
  readonly open: (draft: Draft) => Promise<Opening>
  /** Applies a change. Returns the new state. */
  readonly apply: (id: MessageId, change: StateChange) => Promise<MessageState | undefined>
  /** The record of a message, by our id. */
  readonly found: (id: MessageId) => Promise<MessageRecord | undefined>
}

/** A recorded span. */
export const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' as TraceContext

/** The time at which the messages of the laws are opened; with milliseconds that a coarser column would lose. */
export const NOON = Date.UTC(2026, 2, 1, 12, 0, 0, 1)

/** Opens a workspace without messages. */
export const openMessageWorkspace = async ({ messageLog, openWorkspace }: MessageLogFixture): Promise<MessageWorkspace> => {
  const { workspace, currency } = await openWorkspace()
  const draft: MessageWorkspace['draft'] = ({ at = NOON, message = newText(), ...more } = {}) => ({
    id: newMessageId(at), workspace, message, at,
    price: { micros: 62_500n, currency, category: categoryOf(message, 'marketing') },
    ...more,
  })
  const open: MessageWorkspace['open'] = (one) => done('a message is opened', messageLog.open(one))
  return {
    workspace,
    draft,
    open,
    opened: async (more) => {
      const one = draft(more)
      same('a message whose key is free is opened', await open(one), { _tag: 'Opened' })
      return one
    },
    apply: async (id, change) => O.toUndefined(await done('a change is applied', messageLog.apply(workspace, id, change)))?.state,
    found: async (id) => O.toUndefined(await done('a message is looked for', messageLog.find(workspace, { id }))),
  }
}

/** A text to a new customer. */
export const newText = (): Message => ({ _tag: 'Text', to: newPhoneNumber(), text: 'Good morning' })

/** A new idempotency key. */
export const newKey = (): IdempotencyKey => `key ${newName()}` as IdempotencyKey
