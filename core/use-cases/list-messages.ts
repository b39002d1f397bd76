import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { isUserId, type CustomerId } from '../customer.js'
import type { PortFailure } from '../errors.js'
import { findCustomer } from '../find-customer.js'
import type { MessageState } from '../message-state.js'
import type { Page, PageQuery } from '../page.js'
import { variantsOf } from '../phone-number.js'
import type { Customers } from '../ports/customers.js'
import type { MessageLog, MessageQuery, MessageRecord, MessagesTo } from '../ports/message-log.js'
import type { WorkspaceId } from '../workspace.js'

/** Lists messages of a workspace, newest first; those to a customer are found under every id of the customer. */
export type ListMessages = (workspace: WorkspaceId, query: ListMessagesQuery) => TE.TaskEither<PortFailure, Page<MessageRecord>>

/** Which messages to list: all of a workspace, or those that match every filter, of which `to` names the one customer. */
export type ListMessagesQuery = PageQuery & { readonly to?: CustomerId | undefined; readonly state?: MessageState | undefined } &
  Pick<MessageQuery, 'from' | 'before' | 'template' | 'errorCode' | 'look'>

/** What listing messages needs. */
export type ListMessagesDeps = { readonly messageLog: Pick<MessageLog, 'list'>; readonly customers?: Pick<Customers, 'find'> | undefined }

/** Makes the use case of what it needs. */
export const makeListMessages =
  (deps: ListMessagesDeps): ListMessages =>
  (workspace, { to: id, state, ...page }) =>
  async () => {
    const filter = state === undefined ? page : { ...page, state }
    if (id === undefined) return deps.messageLog.list(workspace, filter)()
    const to = await allIdsOf(deps, workspace, id)()
    return E.isLeft(to) ? to : deps.messageLog.list(workspace, { ...filter, to: to.right })()
  }

/** Under a user id, messages to the number count from the moment since which the number is this customer's. */
const allIdsOf = (
  { customers }: ListMessagesDeps, workspace: WorkspaceId, id: CustomerId,
): TE.TaskEither<PortFailure, ReadonlyArray<MessagesTo>> =>
  async () => {
    const customer = await findCustomer(customers, workspace, id)()
    if (E.isLeft(customer)) return customer
    const { phoneNumber, userId, numberSince } = customer.right
    const after = isUserId(id) ? numberSince : undefined
    return E.right([
      ...(userId === undefined ? [] : [{ id: userId }]),
      ...(phoneNumber === undefined ? [] : variantsOf(phoneNumber).map((number) => ({ id: number, after }))),
    ])
  }
