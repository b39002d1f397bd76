import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { BalanceOutOfRange, Forbidden, InvalidAmount, InvalidNote, InvalidReference, PortFailure, ReferenceReused, UnknownWorkspace } from '../errors.js'
import { checkCorrection, formatMicros, type Balance } from '../money.js'
import { parseNote } from '../name.js'
import type { Ledger } from '../ports/ledger.js'
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
    const micros = checkCorrection(command.micros)
    if (E.isLeft(micros)) return micros
    const note = parseNote(command.note)
    if (E.isLeft(note)) return note
    const reference = parseReference(command.reference ?? newReference())
    if (E.isLeft(reference)) return reference
    const adjustment = { workspace, micros: micros.right, note: note.right, reference: reference.right }
    const details = { amount: formatMicros(adjustment.micros), reference: adjustment.reference, note: adjustment.note }
    return perform(deps, { by, act: 'wallet.adjust', workspace, subject: workspace, details }, {}, (along) =>
      ledger.adjust({ ...adjustment, at: now() }, along)())
  }
