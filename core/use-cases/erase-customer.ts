import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { CustomerId } from '../customer.js'
import type { Forbidden, MessagesUnderWay, PortFailure } from '../errors.js'
import { findCustomer } from '../find-customer.js'
import type { Customers } from '../ports/customers.js'
import type { Erased, PersonalData } from '../ports/personal-data.js'
import type { Actor } from '../principal.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps, type Described } from './acting.js'

/**
 * Erases one person from a workspace, under every id that is known of the person; money stays in the books. Repeating it is harmless.
 *
 * The audit entry names the person by the digest alone.
 */
export type EraseCustomer = (command: EraseCustomerCommand) => TE.TaskEither<EraseCustomerError, Erased>

/** Whom to erase, by a number or a user id, and who does it. */
export type EraseCustomerCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly customer: CustomerId }

/** How erasing a customer fails. `MessagesUnderWay`: once these messages have an outcome, it can be repeated. */
export type EraseCustomerError = Forbidden | MessagesUnderWay | PortFailure

/** What erasing a customer needs. */
export type EraseCustomerDeps = ActDeps & {
  readonly personalData: Pick<PersonalData, 'digestOf' | 'erase'>
  readonly customers?: Pick<Customers, 'find'>
}

/** Makes the use case of what it needs. */
export const makeEraseCustomer =
  (deps: EraseCustomerDeps): EraseCustomer =>
  ({ by, workspace, customer }) =>
  async () => {
    const subject = await deps.personalData.digestOf(workspace, customer)()
    if (E.isLeft(subject)) return subject
    return perform(
      deps, { by, act: 'customer.erase', workspace, subject: subject.right }, { describe: describeErased, describeAnswer: describeErased },
      async (along): Promise<E.Either<EraseCustomerError, Erased>> => {
        const found = await findCustomer(deps.customers, workspace, customer)()
        return E.isLeft(found) ? found : deps.personalData.erase(workspace, found.right, along)()
      },
    )
  }

const describeErased = (erased: Erased): Described => ({ details: { ...erased } })
