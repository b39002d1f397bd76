import type { JsonObject } from './json.js'
import type { Message, MessageId, PlatformId } from './message.js'
import type { CustomerId } from './customer.js'
import { FORGOTTEN_PLATFORM_ID, forgottenError, type CustomerDigest } from './forgotten.js'
import { entersHistory, merge, MESSAGE_STATES, type MessageState, type StateChange } from './message-state.js'
import type { Price } from './rate-card.js'
import type { Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/** The kinds of messages. */
export const MESSAGE_KINDS = ['text', 'template'] as const

/** What a message is: free text or a template. */
export type MessageKind = (typeof MESSAGE_KINDS)[number]

/** A message as it is remembered. Its text and a template's variables are not part of it. */
export type MessageRecord = MessageProgress & {
  readonly id: MessageId
  readonly workspace: WorkspaceId
  readonly kind: MessageKind
  /** As the caller named the customer; a digest once the person is forgotten. */
  readonly to: CustomerId | CustomerDigest
  readonly price: Price
  readonly templateName: string | undefined
  readonly language: string | undefined
  readonly createdAt: Instant
}

/** The part of a record that changes after the message was opened. */
export type MessageProgress = {
  readonly platformId: PlatformId | undefined
  readonly state: MessageState
  readonly error: JsonObject | undefined
  /** What the platform reported on billing, as it said it. */
  readonly pricing: JsonObject | undefined
  /**
   * The states the message was reported in and when, each before those that it leads to; each appears once, `pending` at `createdAt` among them.
   *
   * `entersHistory` says which are kept, so one that came too late to move the state may be among them. The moments need not be in order: the platform's are
   * whole seconds of its own clock, so a message may be `sent` in the second in which it was `accepted`, and before it.
   */
  readonly history: ReadonlyArray<HistoryEntry>
}

/** A state and the moment at which the message came into it. */
export type HistoryEntry = { readonly state: MessageState; readonly at: Instant }

/** The code of the platform's error, a whole number; none where the error has no such code. */
export const errorCodeOf = (error: JsonObject | undefined): number | undefined => {
  const code = error?.['code']
  return (typeof code === 'number' || (typeof code === 'string' && /^\d{1,9}$/.test(code))) && Number.isSafeInteger(Number(code)) ? Number(code) : undefined
}

/** What a record is opened from. */
export type NewMessage = {
  readonly id: MessageId
  readonly workspace: WorkspaceId
  readonly message: Message
  readonly price: Price
  readonly at: Instant
}

/** The record of a message that is opened: `pending`, and without what the message says. */
export const openRecord = ({ id, workspace, message, price, at }: NewMessage): MessageRecord => ({
  id, workspace, price, ...contentOf(message), to: message.to, createdAt: at, ...openProgress(at),
})

/** A message without its person; its price, its state and its history stay. */
export const forgetMessage = (message: MessageRecord, to: CustomerDigest): MessageRecord => ({
  ...message, to, platformId: FORGOTTEN_PLATFORM_ID, error: forgottenError(message.error),
})

/** The progress of a message that is opened at a moment. */
export const openProgress = (at: Instant): MessageProgress => ({
  platformId: undefined, state: 'pending', error: undefined, pricing: undefined, history: [{ state: 'pending', at }],
})

/** What a message is after a change: its state, and the platform's id that it is known by. */
export type AppliedChange = Pick<MessageProgress, 'state' | 'platformId'>

/** What is answered of a message after a change. */
export const appliedChange = ({ state, platformId }: MessageProgress): AppliedChange => ({ state, platformId })

/**
 * Whether a change names another message of the platform than the one recorded, so that it is not about this message.
 *
 * Of a forgotten message the platform's id is not known any more, so whatever names it by our id is about it.
 */
export const namesAnother = ({ platformId }: Pick<MessageProgress, 'platformId'>, change: Pick<StateChange, 'platformId'>): boolean =>
  platformId !== undefined && platformId !== FORGOTTEN_PLATFORM_ID && change.platformId !== undefined && change.platformId !== platformId

/**
 * A message after a change. A change that names another platform id than the recorded one changes nothing.
 *
 * An error belongs to the state it explains, and goes when the message leaves that state. The platform's id and its report
 * on billing are kept from the first change that brings them, even one that comes too late to move the state. A forgotten message stays forgotten.
 */
export const applyChange = <Progress extends MessageProgress>(before: Progress, change: StateChange): Progress => {
  if (namesAnother(before, change)) return before
  const state = merge(before.state, change.state)
  return {
    ...before,
    state,
    platformId: before.platformId ?? change.platformId,
    error: state === before.state ? before.error : before.platformId === FORGOTTEN_PLATFORM_ID ? forgottenError(change.error) : change.error,
    pricing: before.pricing ?? change.pricing,
    history: historyAfter(before, change),
  }
}

const contentOf = (message: Message): Pick<MessageRecord, 'kind' | 'templateName' | 'language'> => {
  switch (message._tag) {
    case 'Text': return { kind: 'text', templateName: undefined, language: undefined }
    case 'Template': return { kind: 'template', templateName: message.name, language: message.language }
  }
}

const historyAfter = ({ state, history }: MessageProgress, change: StateChange): MessageProgress['history'] =>
  !entersHistory(state, change.state) || history.some((entry) => entry.state === change.state)
    ? history
    : [...history, { state: change.state, at: change.at }].sort(byState)

const byState = (a: HistoryEntry, b: HistoryEntry): number => MESSAGE_STATES.indexOf(a.state) - MESSAGE_STATES.indexOf(b.state)
