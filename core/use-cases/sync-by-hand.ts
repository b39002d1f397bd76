import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden } from '../errors.js'
import type { Actor } from '../principal.js'
import { perform, type ActDeps } from './acting.js'
import type { SyncedTemplates, SyncTemplates, SyncTemplatesCommand, SyncTemplatesError } from './sync-templates.js'

/** Reads the platform's list of templates for a member or a command; the gateway's own job is no act. */
export type SyncByHand = (command: SyncTemplatesCommand & { readonly by: Actor }) => TE.TaskEither<SyncTemplatesError | Forbidden, SyncedTemplates>

/** What it needs. */
export type SyncByHandDeps = ActDeps & { readonly syncTemplates: SyncTemplates }

/** Makes the use case of what it needs. The list belongs to the platform and may change at any time, so the entry comes after the reading. */
export const makeSyncByHand =
  ({ syncTemplates, ...deps }: SyncByHandDeps): SyncByHand =>
  ({ by, ...command }) =>
  () =>
    perform(deps, { by, act: 'template.sync', workspace: command.workspace }, {}, () => syncTemplates(command)())
