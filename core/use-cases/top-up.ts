import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { BalanceOutOfRange, Forbidden, InvalidAmount, InvalidReference, PortFailure, ReferenceReused, UnknownWorkspace } from '../errors.js'
import { walletToppedUp } from '../event-data.js'
import { checkCredit, formatMicros, type Balance } from '../money.js'
import type { Along, Ledger } from '../ports/ledger.js'
import type { Actor } from '../principal.js'
import { parseReference } from '../reference.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps } from './acting.js'

/** Adds money to a wallet, once for each reference. Right: the balance afterwards. */
export type TopUp = (command: TopUpCommand) => TE.TaskEither<TopUpError, Balance>

/** `reference` names the payment, such as an invoice; a top-up without one is always added. */
export type TopUpCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly micros: bigint; readonly reference?: string }

/** How adding money can fail. */
export type TopUpError = InvalidAmount | InvalidReference | UnknownWorkspace | ReferenceReused | BalanceOutOfRange | Forbidden | PortFailure

/** What adding money needs. */
export type TopUpDeps = ActDeps & {
  readonly ledger: Pick<Ledger, 'topUp'>
  /** A reference that no other top-up has. */
  readonly newReference: () => string
  readonly now: Clock
}

/** Makes the use case of what it needs. */
export const makeTopUp =
  ({ ledger, newReference, now, ...deps }: TopUpDeps): TopUp =>
  ({ by, workspace, ...command }) =>
  async () => {
    const credit = parseCredit({ workspace, micros: command.micros, reference: command.reference ?? newReference() })
    const acting = { by, act: 'wallet.top_up', workspace, subject: workspace, ...(E.isRight(credit) && { details: detailsOf(credit.right) }) } as const
    return perform(
      deps, acting, E.isRight(credit) ? { events: walletToppedUp(credit.right) } : {},
      async (along: Along<Balance>): Promise<E.Either<Exclude<TopUpError, Forbidden>, Balance>> =>
        (E.isLeft(credit) ? credit : ledger.topUp({ ...credit.right, at: now() }, along)()),
    )
  }

type Credit = { readonly workspace: WorkspaceId; readonly micros: bigint; readonly reference: string }

const parseCredit = (given: Credit): E.Either<InvalidAmount | InvalidReference, Credit> => {
  const micros = checkCredit(given.micros)
  if (E.isLeft(micros)) return micros
  const reference = parseReference(given.reference)
  return E.isLeft(reference) ? reference : E.right({ ...given, micros: micros.right, reference: reference.right })
}

const detailsOf = ({ micros, reference }: Credit) => ({ amount: formatMicros(micros), reference })
