import type { WorkspaceKey } from '../../core/access/keys.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { RecordedFact } from '../../core/customers/learn.js'
import type { RecordedInbound } from '../../core/customers/window.js'
import { eventIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import type { Balance, Currency } from '../../core/kernel/money.js'
import type { MakeOutboxEntries, Event, StoredEvent } from '../../core/kernel/outbox.js'
import type { MovedMessage } from '../../core/messages/message-log.js'
import type { MessageId, StateChange } from '../../core/messages/message.js'
import type { EventPorts, StoragePorts } from '../../core/ports.js'
import { done } from './expect.js'
import { newMessageId, newName, newPhoneNumber } from './ids.js'

/** The ports whose writes store events, and the outbox in which they are stored. */
export type EntriesPorts =

    & Pick<StoragePorts, 'messageLog' | 'windowClock' | 'customers' | 'ledger' | 'keyStore' | 'senders' | 'templateCatalogue'>
    & Pick<EventPorts, 'eventOutbox'>

/** Those ports over one storage, and the control over the environment that their laws need. */
export type EntriesFixture = EntriesPorts & {
  /** The same storage as another node sees it, if there are several nodes. */
  readonly elsewhere?: EntriesPorts
  /** Opens a workspace without messages, keys and events, whose wallet is empty. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId; readonly currency: Currency }>
}

/** The time of the laws' writes; with milliseconds that a coarser column would lose. */
export const NOON = Date.UTC(2026, 2, 1, 12, 0, 0, 1)

/** An event with the result of its write; `more` replaces parts of it. */
export const newEvent = (workspace: WorkspaceId, data: Event['data'], more: Partial<Event> = {}): Event => ({
  id: eventIdOf(newName()), type: 'endpoint.test', workspace, at: NOON, subject: workspace, data, ...more,
})

/** Stores a single event of a write, made from the result of the write. */
export const telling = <Outcome>(workspace: WorkspaceId, dataOf: (outcome: Outcome) => Event['data']): MakeOutboxEntries<Outcome> =>
  (outcome) => [newEvent(workspace, dataOf(outcome))]

/** The data of an event about a changed message. */
export const movedData = ({ from, message: { id, state, platformId } }: MovedMessage): Event['data'] =>
  ({ id, from, state, platform_id: platformId ?? null })

/** The data of an event about an inbound message. */
export const inboundData = ({ before, lastInbound }: RecordedInbound): Event['data'] =>
  ({ before: before ?? null, last_inbound: lastInbound })

/** The data of an event about a changed record. */
export const learnedData = ({ before, after }: RecordedFact): Event['data'] =>
  ({ before: before.other ?? null, after: after.other ?? null, name: after.name ?? null })

/** The data of an event about a balance. */
export const balanceData = ({ available, held, currency }: Balance): Event['data'] =>
  ({ available: String(available), held: String(held), currency })

/** The data of an event about a key. */
export const keyData = ({ workspace, id, name }: WorkspaceKey): Event['data'] => ({ workspace, id, name })

/** The events of a workspace after a position. */
export const eventsOf = (
  { eventOutbox }: Pick<EntriesPorts, 'eventOutbox'>, workspace: WorkspaceId, after = 0, limit = 10_000,
): Promise<ReadonlyArray<StoredEvent>> =>
  done('the events of a workspace are read', eventOutbox.after(workspace, after, limit))

/** The data of the events of a workspace, in order. */
export const storedData = async (fixture: EntriesFixture, workspace: WorkspaceId): Promise<ReadonlyArray<Event['data']>> =>
  (await eventsOf(fixture, workspace)).map(({ data }) => data)

/** The nodes alternately, so that half of the calls come from another one. */
export const nodeOf = (fixture: EntriesFixture, index: number): EntriesPorts => (index % 2 === 0 ? fixture : fixture.elsewhere ?? fixture)

/** Opens a new message. */
export const opened = async ({ messageLog }: EntriesPorts, workspace: WorkspaceId, currency: Currency): Promise<MessageId> => {
  const id = newMessageId(NOON)
  await done('a message is opened', messageLog.open({
    id, workspace, message: { _tag: 'Text', to: newPhoneNumber(), text: 'Hello' }, price: { micros: 1n, currency, category: 'service' },
    at: NOON,
  }))
  return id
}

/** Applies a change to a message; by default its event describes the change. */
export const apply = (
  { messageLog }: EntriesPorts, workspace: WorkspaceId, id: MessageId, change: StateChange, outboxEntries?: MakeOutboxEntries<MovedMessage>,
): Promise<unknown> =>
  done('a change is applied', messageLog.apply(workspace, id, change, outboxEntries ?? telling(workspace, movedData)))

/** Records an inbound message; by default its event contains the timestamps. */
export const record = (
  { windowClock }: EntriesPorts, workspace: WorkspaceId, phoneNumber: PhoneNumber, at: number,
  outboxEntries?: MakeOutboxEntries<RecordedInbound>,
): Promise<void> =>
  done(
    'an inbound message is recorded',
    windowClock.recordInbound(workspace, { phoneNumber }, at, undefined, outboxEntries ?? telling(workspace, inboundData)),
  )

/** For events that each contain a state before and a state after: whether each starts with the state in which the previous one ended. */
export const isChain = (moves: ReadonlyArray<Event['data']>, before: string, after: string): boolean =>
  moves.every((move, index) => index === 0 || move[before] === moves[index - 1]?.[after])
