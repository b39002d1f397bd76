import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { BalanceOutOfRange, Forbidden, InvalidAmount, InvalidNote, InvalidReference, PortFailure, ReferenceReused, UnknownWorkspace } from '../errors.js'
import { checkCorrection, formatMicros, type Balance } from '../money.js'
import { parseNote } from '../name.js'
import type { Along, Ledger } from '../ports/ledger.js'
import type { Actor } from '../principal.js'
import { parseReference } from '../reference.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps } from './acting.js'

/** Corrects a wallet by an amount of either sign, once for each reference. Right: the balance afterwards. */
export type AdjustWallet = (command: AdjustWalletCommand) => TE.TaskEither<AdjustWalletError, Balance>

/** `note` says why, and is kept in the statement; a correction without a reference is always made. */
export type AdjustWalletCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  readonly micros: bigint
  readonly note: string
  readonly reference?: string
}

/** How correcting a wallet can fail. */
export type AdjustWalletError =
  | InvalidAmount | InvalidNote | InvalidReference | UnknownWorkspace | ReferenceReused | BalanceOutOfRange | Forbidden | PortFailure

/** What correcting a wallet needs. */
export type AdjustWalletDeps = ActDeps & {
  readonly ledger: Pick<Ledger, 'adjust'>
  /** A reference that no other correction has. */
  readonly newReference: () => string
  readonly now: Clock
}

/** Makes the use case of what it needs. */
export const makeAdjustWallet =
  ({ ledger, newReference, now, ...deps }: AdjustWalletDeps): AdjustWallet =>
  ({ by, workspace, ...command }) =>
  async () => {
    const adjustment = parseAdjustment({ workspace, ...command, reference: command.reference ?? newReference() })
    const acting = { by, act: 'wallet.adjust', workspace, subject: workspace, ...(E.isRight(adjustment) && { details: detailsOf(adjustment.right) }) } as const
    return perform(deps, acting, {}, async (along: Along<Balance>): Promise<E.Either<Exclude<AdjustWalletError, Forbidden>, Balance>> =>
      (E.isLeft(adjustment) ? adjustment : ledger.adjust({ ...adjustment.right, at: now() }, along)()))
  }

type Given = { readonly workspace: WorkspaceId; readonly micros: bigint; readonly note: string; readonly reference: string }

const parseAdjustment = (given: Given): E.Either<InvalidAmount | InvalidNote | InvalidReference, Given> => {
  const micros = checkCorrection(given.micros)
  if (E.isLeft(micros)) return micros
  const note = parseNote(given.note)
  if (E.isLeft(note)) return note
  const reference = parseReference(given.reference)
  return E.isLeft(reference) ? reference : E.right({ ...given, micros: micros.right, note: note.right, reference: reference.right })
}

const detailsOf = ({ micros, reference, note }: Given) => ({ amount: formatMicros(micros), reference, note })
