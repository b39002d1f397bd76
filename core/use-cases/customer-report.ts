import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { countedIdOf, customerOf, isUserId, recordKeyOf, type CustomerId, type CustomerIds, type KnownId } from '../customer.js'
import type { PortFailure } from '../errors.js'
import type { PhoneNumber } from '../phone-number.js'
import type { Customers } from '../ports/customers.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Instant } from '../time.js'
import type { UserId } from '../user-id.js'
import { lastUnder } from '../window.js'
import type { WorkspaceId } from '../workspace.js'
import { customerChanged } from '../event-data.js'
import { alongFor, type EventDeps } from './event-deps.js'
import { learnCustomer } from './learn-customer.js'

/** A report about a customer who wrote nothing that counts for the window. */
export type CustomerReport = NumberShared | IdsChanged | MarketingPreference

/** A customer answered a request for the phone number. */
export type NumberShared = {
  readonly _tag: 'NumberShared'
  readonly phoneNumberId: string
  readonly userId: UserId
  readonly phoneNumber: PhoneNumber
  readonly at: Instant
}

/** A customer has another phone number, another user id, or both; the ids before and after name one person. */
export type IdsChanged = {
  readonly _tag: 'IdsChanged'
  readonly phoneNumberId: string
  readonly before: CustomerIds
  readonly after: CustomerIds
  readonly at: Instant
}

/** A customer stopped marketing messages, or takes them again. */
export type MarketingPreference = {
  readonly _tag: 'MarketingPreference'
  readonly phoneNumberId: string
  readonly customer: CustomerIds
  readonly stopped: boolean
  readonly at: Instant
}

/** What taking in such a report needs. */
export type CustomerReportDeps = EventDeps & {
  readonly windowClock: Pick<WindowClock, 'lastInbound' | 'recordInbound'>
  readonly customers?: Pick<Customers, 'find' | 'learn'>
}

/** Keeps what a report says of a customer. Without `customers` nothing is kept. */
export const receiveCustomerReport = (
  deps: CustomerReportDeps, workspace: WorkspaceId, report: CustomerReport,
): TE.TaskEither<PortFailure, void> => {
  switch (report._tag) {
    case 'NumberShared': return learnCustomer(deps, workspace, { ...report, isShared: true })
    case 'IdsChanged': return changeIds(deps, workspace, report)
    case 'MarketingPreference': return choose(deps, workspace, report)
  }
}

/**
 * The window follows the person to the new ids, then the old ids end.
 *
 * A pair is in two records. The event of its change comes from that of the user id, and only where no user id is named from that of the number.
 *
 * Only what this person wrote up to the change follows: a number may have messages of those who had it before, and of those who have it since.
 */
const changeIds = (deps: CustomerReportDeps, workspace: WorkspaceId, { before, after, at }: IdsChanged): TE.TaskEither<PortFailure, void> =>
  async () => {
    const { customers, windowClock } = deps
    const id = countedIdOf(before)
    if (customers === undefined || id === undefined) return E.right(undefined)
    const known = await customers.find(workspace, id)()
    if (E.isLeft(known)) return known
    for (const old of idsOfPerson(before, known.right, at)) {
      const lastInbound = await lastUnder(windowClock, workspace, old.id)()
      if (E.isLeft(lastInbound)) return lastInbound
      if (O.isNone(lastInbound.right) || lastInbound.right.value < old.from || lastInbound.right.value > at) continue
      const recorded = await windowClock.recordInbound(workspace, after, lastInbound.right.value)()
      if (E.isLeft(recorded)) return recorded
    }
    const learned = await learnCustomer(deps, workspace, { ...after, at })()
    if (E.isLeft(learned)) return learned
    const kept = idsOf(after).map(recordKeyOf)
    const old = idsOf(before).filter((id) => !kept.includes(recordKeyOf(id)))
    const namesUserId = before.userId !== undefined || after.userId !== undefined
    const ended = await Promise.all(old.map(async (id) => {
      const along = namesUserId && !isUserId(id) ? undefined : await alongFor(deps.events, workspace, customerChanged(workspace, id))
      return customers.learn(workspace, id, { _tag: 'Ended', at }, along)()
    }))
    return ended.find(E.isLeft) ?? E.right(undefined)
  }

/** The ids of the person before a change, each with the moment from which a message under it is surely of this person. */
const idsOfPerson = (before: CustomerIds, known: KnownId, at: Instant): ReadonlyArray<{ readonly id: CustomerId; readonly from: Instant }> => {
  const { own, other } = known
  const id = countedIdOf(before)
  if (id === undefined) return []
  const { phoneNumber, userId, numberSince = -1 } = customerOf(id, known)
  const pairedAt = Math.max(own.pairedAt ?? 0, other.pairedAt ?? 0)
  const isPair = phoneNumber !== undefined && userId !== undefined && pairedAt <= at
  const isSame = before.phoneNumber === undefined || (phoneNumber !== undefined && recordKeyOf(before.phoneNumber) === recordKeyOf(phoneNumber))
  if (isPair && isSame) return [{ id: userId, from: 0 }, { id: phoneNumber, from: Math.max(pairedAt, numberSince + 1) }]
  return isUserId(id) || own.other === undefined ? [{ id, from: isUserId(id) ? 0 : numberSince + 1 }] : []
}

const choose = ({ customers }: CustomerReportDeps, workspace: WorkspaceId, { customer, stopped, at }: MarketingPreference): TE.TaskEither<PortFailure, void> =>
  async () => {
    const fact = { _tag: stopped ? 'MarketingStopped' : 'MarketingResumed', at } as const
    if (customers === undefined) return E.right(undefined)
    const learned = await Promise.all(idsOf(customer).map((id) => customers.learn(workspace, id, fact)()))
    return learned.find(E.isLeft) ?? E.right(undefined)
  }

const idsOf = ({ phoneNumber, userId }: CustomerIds): ReadonlyArray<CustomerId> => [phoneNumber, userId].filter((id) => id !== undefined)
