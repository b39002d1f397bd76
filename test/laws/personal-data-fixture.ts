import * as O from 'fp-ts/lib/Option.js'
import type { CustomerDigest, CustomerFact, CustomerId, CustomerIds, IdRecord, PhoneNumber } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Message, MessageId, MessageRecord, StateChange } from '../../core/messages/message.js'
import type { StoragePorts } from '../../core/ports.js'
import type { ForgetStep, Forgotten, PersonalData } from '../../core/privacy.js'
import type { EventEndpointsFixture } from './event-fixture.js'
import { done } from './expect.js'
import { newDigits, newPlatformId } from './ids.js'
import { type MessageLogFixture, openMessageWorkspace, TRACE } from './message-fixture.js'

/** The stored data of people, and the ports that store it, over the same storage. */
export type PersonalDataFixture = MessageLogFixture & EventEndpointsFixture & Pick<StoragePorts, 'customers' | 'windowClock'> & {
  readonly personalData: PersonalData
}

/** A day, in milliseconds. */
export const DAY = 24 * 3_600_000

/** Two variants of one new number. */
export const newVariants = (): readonly [PhoneNumber, PhoneNumber] => {
  const digits = newDigits(10)
  return [`52${digits}` as PhoneNumber, `521${digits}` as PhoneNumber]
}

/** A text to a customer that the application named. */
export const text = (to: CustomerId): Message => ({ _tag: 'Text', to, text: 'Good morning', metadata: { name: 'Ana' } })

/** The digest of an id. */
export const digestOf = (
  { personalData }: Pick<PersonalDataFixture, 'personalData'>, workspace: WorkspaceId, id: CustomerId,
): Promise<CustomerDigest> =>
  done('a digest is made', personalData.digestOf(workspace, id))

/** Forgets all data before a given time, step by step, and returns the steps. */
export const forgetAll = async (
  { personalData }: Pick<PersonalDataFixture, 'personalData'>, before: Instant, limit = 1_000,
): Promise<ReadonlyArray<ForgetStep>> => {
  const steps: Array<ForgetStep> = []
  let cursor: string | undefined
  do {
    const step = await done('a step forgets', personalData.forgetBefore({ before, limit, ...(cursor !== undefined && { cursor }) }))
    steps.push(step)
    cursor = step.next
  } while (cursor !== undefined)
  return steps
}

/** How many records of a kind the given steps have forgotten. */
export const sum = (steps: ReadonlyArray<ForgetStep>, kind: keyof Forgotten): number =>
  steps.reduce((total, { forgotten }) => total + forgotten[kind], 0)

/** A workspace in which messages are sent to a customer; `sent` opens one and applies the changes to it. */
export const openPeople = async (fixture: PersonalDataFixture) => {
  const messages = await openMessageWorkspace(fixture)
  const { workspace } = messages
  return {
    ...messages,
    sent: async (to: CustomerId, at: Instant, ...changes: ReadonlyArray<StateChange>): Promise<MessageId> => {
      const { id } = await messages.opened({ at, message: text(to), trace: TRACE })
      for (const change of changes) await messages.apply(id, change)
      return id
    },
    wrote: (ids: CustomerIds, at: Instant) =>
      done('a message of a customer is recorded', fixture.windowClock.recordInbound(workspace, ids, at)),
    lastInbound: async (id: CustomerId): Promise<Instant | undefined> =>
      O.toUndefined(await done('a window is read', fixture.windowClock.lastInbound(workspace, id))),
    learn: async (id: CustomerId, ...facts: ReadonlyArray<CustomerFact>): Promise<void> => {
      for (const fact of facts) await done('a fact is learned', fixture.customers.learn(workspace, id, fact))
    },
    record: async (id: CustomerId): Promise<IdRecord> => (await done('a record is read', fixture.customers.find(workspace, id))).own,
    erase: (ids: CustomerIds) => done('a person is erased', fixture.personalData.erase(workspace, [ids])),
  }
}

/** The platform accepted a message. */
export const accepted = (at: Instant): StateChange => ({ state: 'accepted', at, platformId: newPlatformId() })
/** The platform reports that a message failed, with a sentence that quotes its recipient. */
export const failed = (at: Instant, number: string): StateChange =>
  ({ state: 'failed', at, error: { code: 131_026, title: 'Undeliverable', error_data: { details: `${number} is not reachable` } } })

/** The remaining data of a forgotten message. */
export const staying = ({ to: _to, platformId: _id, error: _error, metadata: _metadata, trace: _trace, ...rest }: MessageRecord) => rest

/** Whether a record contains any data. */
export const isKnown = (record: IdRecord): boolean => Object.values(record).some((value) => value !== undefined)
