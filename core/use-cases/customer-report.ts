import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { recordKeyOf, type CustomerId, type CustomerIds } from '../customer.js'
import type { PortFailure } from '../errors.js'
import type { PhoneNumber } from '../phone-number.js'
import type { Customers } from '../ports/customers.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Instant } from '../time.js'
import type { UserId } from '../user-id.js'
import { lastInboundOf } from '../window.js'
import type { WorkspaceId } from '../workspace.js'
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
export type CustomerReportDeps = {
  readonly windowClock: Pick<WindowClock, 'lastInbound' | 'recordInbound'>
  readonly customers?: Pick<Customers, 'find' | 'learn'>
}

/** Keeps what a report says of a customer. Without `customers` nothing is kept. */
export const receiveCustomerReport = (
  deps: CustomerReportDeps, workspace: WorkspaceId, report: CustomerReport,
): TE.TaskEither<PortFailure, void> => {
  switch (report._tag) {
    case 'NumberShared': return learnCustomer(deps.customers, workspace, { ...report, isShared: true })
    case 'IdsChanged': return changeIds(deps, workspace, report)
    case 'MarketingPreference': return choose(deps, workspace, report)
  }
}

/**
 * The window follows the person to the new ids, then the old ids end.
 *
 * Only what was recorded up to the change follows: a number that was given to another person since may have messages of that person.
 */
const changeIds = (deps: CustomerReportDeps, workspace: WorkspaceId, { before, after, at }: IdsChanged): TE.TaskEither<PortFailure, void> =>
  async () => {
    const { customers } = deps
    if (customers === undefined) return E.right(undefined)
    for (const id of idsOf(before)) {
      const lastInbound = await lastInboundOf(deps, workspace, id)()
      if (E.isLeft(lastInbound)) return lastInbound
      if (O.isNone(lastInbound.right) || lastInbound.right.value > at) continue
      const recorded = await deps.windowClock.recordInbound(workspace, after, lastInbound.right.value)()
      if (E.isLeft(recorded)) return recorded
    }
    const learned = await learnCustomer(customers, workspace, { ...after, at })()
    if (E.isLeft(learned)) return learned
    const kept = idsOf(after).map(recordKeyOf)
    const old = idsOf(before).filter((id) => !kept.includes(recordKeyOf(id)))
    const ended = await Promise.all(old.map((id) => customers.learn(workspace, id, { _tag: 'Ended', at })()))
    return ended.find(E.isLeft) ?? E.right(undefined)
  }

const choose = ({ customers }: CustomerReportDeps, workspace: WorkspaceId, { customer, stopped, at }: MarketingPreference): TE.TaskEither<PortFailure, void> =>
  async () => {
    const fact = { _tag: stopped ? 'MarketingStopped' : 'MarketingResumed', at } as const
    if (customers === undefined) return E.right(undefined)
    const learned = await Promise.all(idsOf(customer).map((id) => customers.learn(workspace, id, fact)()))
    return learned.find(E.isLeft) ?? E.right(undefined)
  }

const idsOf = ({ phoneNumber, userId }: CustomerIds): ReadonlyArray<CustomerId> => [phoneNumber, userId].filter((id) => id !== undefined)
