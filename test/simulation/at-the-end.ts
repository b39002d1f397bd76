import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { AllStoragePorts } from '../../core/ports.js'

/** A requested top-up, perhaps repeated under one reference. */
export type TopUp = { readonly workspace: WorkspaceId; readonly micros: bigint; readonly reference: string; isDone: boolean }

/** The reference of the opening balance of each workspace. */
export const OPENING = 'opening'

/** The storage that is checked once nothing is in progress. */
export type EndParts = {
  readonly storage: Pick<AllStoragePorts, 'ledger' | 'eventEndpoints' | 'eventOutbox'>
  readonly check: (isKept: boolean, promise: string, seen: () => string) => void
}

/** Each top-up is credited once. */
export const checkTopUps = async ({ storage, check }: EndParts, topUps: ReadonlyArray<TopUp>): Promise<void> => {
  for (const workspace of new Set(topUps.map((one) => one.workspace))) {
    const statement = await storage.ledger.statement(workspace, { limit: 100_000 })
    const credited = E.isRight(statement)
      ? statement.right.items.flatMap(({ kind, micros, reference }) => (kind === 'top_up' && reference !== OPENING ? [micros] : []))
      : []
    for (const { micros } of topUps.filter((one) => one.workspace === workspace)) {
      const asked = topUps.filter((one) => one.workspace === workspace && one.micros === micros)
      const times = credited.filter((one) => one === micros).length
      check(times <= asked.length, 'a reference is credited once', () => `${micros} is credited ${times} times, and was asked for ${asked.length} times`)
      check(times >= asked.filter(({ isDone }) => isDone).length, 'what was answered as credited is in the books', () =>
        `${micros} is credited ${times} times`)
    }
  }
}

/** Each event was delivered, unless its endpoint is disabled. */
export const checkDeliveries = async (
  { storage, check }: EndParts, workspaces: Iterable<WorkspaceId>, received: ReadonlyMap<string, unknown>,
): Promise<void> => {
  for (const workspace of workspaces) {
    const endpoints = await storage.eventEndpoints.list(workspace)
    if (E.isLeft(endpoints) || endpoints.right.some(({ status }) => status === 'disabled')) continue
    const events = await storage.eventOutbox.after(workspace, 0, 100_000)
    if (E.isRight(events)) {
      for (const { id, type } of events.right) {
        check(received.has(id), 'every event is delivered', () => `${id}, ${type}, of ${workspace}`)
      }
    }
  }
}
