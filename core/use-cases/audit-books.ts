import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import { firstMessageIdAt } from '../message.js'
import type { Audit, Ledger } from '../ports/ledger.js'
import type { MessageLog } from '../ports/message-log.js'
import type { MessageMoney, MoneyMismatch } from '../ports/message-money.js'
import type { Wallet } from '../ports/wallet.js'
import type { WindowClock } from '../ports/window-clock.js'

/** Checks the books of every workspace: its wallet against its entries and holds, and each hold against the state of its message. */
export type AuditBooks = () => TE.TaskEither<PortFailure, Audit>

/** What checking them needs. */
export type AuditBooksDeps = {
  readonly ledger: Pick<Ledger, 'audit'>
  readonly messageMoney: Pick<MessageMoney, 'mismatches'>
  readonly messageLog: Pick<MessageLog, 'find'>
  readonly wallet: Pick<Wallet, 'holdOf'>
  readonly windowClock: Pick<WindowClock, 'now'>
  /** How old a message must be, in milliseconds, for reconciliation to settle a price that is still held. */
  readonly unconfirmedAfterMs: number
}

/** How many holds are looked at in one query. */
const LOOK = 2_000

/** Makes the use case of what it needs. */
export const makeAuditBooks =
  (deps: AuditBooksDeps): AuditBooks =>
  () =>
  async () => {
    const audit = await deps.ledger.audit()()
    if (E.isLeft(audit)) return audit
    const mismatches = await standing(deps)
    return E.map((found: ReadonlyArray<MoneyMismatch>): Audit => ({
      ...audit.right, broken: [...audit.right.broken, ...found.map((mismatch) => ({ workspace: mismatch.workspace, fault: faultOf(mismatch) }))],
    }))(mismatches)
  }

/** The mismatches that are more than a message on its way: its state and its money are written one after the other. */
const standing = async (deps: AuditBooksDeps): Promise<E.Either<PortFailure, ReadonlyArray<MoneyMismatch>>> => {
  const heldSince = firstMessageIdAt(deps.windowClock.now() - deps.unconfirmedAfterMs)
  const found: MoneyMismatch[] = []
  let cursor: string | undefined
  do {
    const page = await deps.messageMoney.mismatches({ limit: LOOK, ...(cursor !== undefined && { cursor }) })()
    if (E.isLeft(page)) return page
    found.push(...page.right.items.filter(({ hold, message }) => hold !== 'held' || message < heldSince))
    cursor = page.right.next
  } while (cursor !== undefined)
  const still: MoneyMismatch[] = []
  for (const mismatch of found) {
    const stands = await isUnchanged(deps, mismatch)
    if (E.isLeft(stands)) return stands
    if (stands.right) still.push(mismatch)
  }
  return E.right(still)
}

const isUnchanged = async ({ messageLog, wallet }: AuditBooksDeps, { workspace, message, hold, state }: MoneyMismatch): Promise<E.Either<PortFailure, boolean>> => {
  const found = await messageLog.find(workspace, { id: message })()
  if (E.isLeft(found)) return found
  return E.map((now: typeof hold | undefined) => now === hold && O.toUndefined(found.right)?.state === state)(await wallet.holdOf({ workspace, message })())
}

const faultOf = ({ message, hold, state }: MoneyMismatch): string =>
  `the price of ${message} is ${hold}, but ${state === undefined ? 'there is no such message' : `the message is ${state}`}`
