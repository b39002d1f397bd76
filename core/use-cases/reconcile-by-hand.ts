import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, PortFailure } from '../errors.js'
import type { Actor } from '../principal.js'
import { perform, type ActDeps } from './acting.js'
import type { Reconcile, Reconciled } from './reconcile.js'

/** Settles what a crash or a lost answer left open for a member or a command; the gateway's own job is no act. */
export type ReconcileByHand = (command: { readonly by: Actor }) => TE.TaskEither<Forbidden | PortFailure, Reconciled>

/** What it needs. */
export type ReconcileByHandDeps = ActDeps & { readonly reconcile: Reconcile }

/** Makes the use case of what it needs. A pass writes message by message, so the entry, which has what was settled, comes after it. */
export const makeReconcileByHand =
  ({ reconcile, ...deps }: ReconcileByHandDeps): ReconcileByHand =>
  ({ by }) =>
  () =>
    perform(deps, { by, act: 'message.reconcile', workspace: undefined }, { describeAnswer: (details: Reconciled) => ({ details }) }, () => reconcile('all')())
