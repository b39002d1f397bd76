import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { MessageId, MessageRecord } from '../../core/messages/message.js'
import type { AllStoragePorts } from '../../core/ports.js'
import type { LostSettlement, LostStatus, SettledLost } from '../../core/reports/status.js'
import type { SimulatedPlatform } from './platform.js'
import type { World } from './world.js'

/** The known data of a message that matters for its loss. */
type Remembered = Pick<MessageRecord, 'id' | 'state' | 'workspace'> & { readonly isForgotten?: true }

/** The promises about messages that a restored storage does not contain. */
export type LostPromises<Message extends Remembered> = {
  /** Messages that a restored backup did not contain. */
  readonly forgotten: Map<MessageId, Message>
  /** Lost messages that were settled, and the charged amounts. */
  readonly settled: Map<MessageId, bigint>
  /** A gateway stores a status of a message that the storage does not contain. */
  readonly onNote: (status: LostStatus) => void
  /** An operator has settled a message. */
  readonly onSettled: (settlement: LostSettlement, settled: SettledLost) => void
  readonly atTheEnd: (taken: SimulatedPlatform['taken'], workspaces: Iterable<WorkspaceId>) => Promise<void>
}

/** The values that the promises are checked against. */
export type LostParts<Message extends Remembered> = {
  readonly world: World
  readonly storage: AllStoragePorts
  readonly known: ReadonlyMap<MessageId, Message>
  readonly check: (isKept: boolean, promise: string, seen: () => string) => void
}

/** Makes the checker for lost messages. */
export const makeLostPromises = <Message extends Remembered>({
  world, storage, known, check,
}: LostParts<Message>): LostPromises<Message> => {
  const forgotten = new Map<MessageId, Message>()
  const settled = new Map<MessageId, bigint>()

  const onNote: LostPromises<Message>['onNote'] = ({ message, state }) => {
    check(!known.has(message), 'nothing counts as lost that the books have', () => `${message} is ${known.get(message)?.state}, and noted as lost`)
    world.reach(`a report of a forgotten message: ${state}`)
  }

  const onSettled: LostPromises<Message>['onSettled'] = ({ micros }, { message: { message } }) => {
    check(!settled.has(message), 'a lost message is settled once', () => message)
    settled.set(message, micros)
    world.reach(micros > 0n ? 'a lost message is charged' : 'a lost message is waived')
  }

  /** A message that the platform reported and the restored storage does not contain is listed until it is settled, and is charged once. */
  const atTheEnd: LostPromises<Message>['atTheEnd'] = async (taken, workspaces) => {
    const listed = await storage.lostMessages.list({ limit: 10_000 })
    if (E.isLeft(listed)) return
    const ids = new Set(listed.right.items.map(({ message }) => message))
    for (const id of ids) check(forgotten.has(id) && !settled.has(id), 'nothing is listed as lost that is not', () => id)
    for (const { id, workspace, isForgotten } of forgotten.values()) {
      const all = taken.get(id) ?? []
      // A failed message costs nothing, and a person's data is deleted in the end.
      const isDue = all.some(({ confirmed, truth }) => confirmed.size > 0 && !truth.includes('failed')) && isForgotten === undefined
      if (isDue) {
        check(ids.has(id) || settled.has(id), 'what the platform reported and the storage has lost is listed', () =>
          `${id} of ${workspace}`)
      }
    }
    for (const workspace of workspaces) {
      const statement = await storage.ledger.statement(workspace, { limit: 100_000 })
      if (E.isLeft(statement)) continue
      const charged = statement.right.items.flatMap(({ kind, reference, micros }) =>
        kind === 'adjustment' && reference?.startsWith('lost ') === true ? [{ reference, micros }] : [])
      for (const { reference, micros } of charged) {
        check(
          settled.get(reference.slice('lost '.length) as MessageId) === -micros, 'a lost message is charged what an operator said',
          () => reference,
        )
      }
      check(new Set(charged.map(({ reference }) => reference)).size === charged.length, 'a lost message is charged once', () => workspace)
    }
  }

  return { forgotten, settled, onNote, onSettled, atTheEnd }
}
