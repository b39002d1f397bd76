import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { catalogueFault } from '../catalogue-fault.js'
import type { BusinessAccountNotConfigured, PortFailure, SenderNotConfigured } from '../errors.js'
import type { Senders } from '../ports/senders.js'
import type { TemplateCatalogue } from '../ports/template-catalogue.js'
import type { ListReading, TemplateSource, TemplateSourceError } from '../ports/template-source.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { WorkspaceId } from '../workspace.js'
import { alongTemplates, type TemplateEventsDeps } from './template-events.js'

/**
 * Reads the platform's list of templates into the catalogue, for the business account of a workspace's sender.
 *
 * If the list cannot be read, the catalogue stays as it is, with a note of the fault. If the reading is stopped, it stays as it is.
 */
export type SyncTemplates = (command: SyncTemplatesCommand) => TE.TaskEither<SyncTemplatesError, SyncedTemplates>

/** The workspace whose sender reads the list. Others may send through the same account. */
export type SyncTemplatesCommand = { readonly workspace: WorkspaceId; readonly reading?: ListReading }

/** The account whose list was read, and how many templates it has. */
export type SyncedTemplates = { readonly accountId: string; readonly templates: number }

/** The caller stopped the reading before the list was stored. */
export type SyncStopped = { readonly _tag: 'SyncStopped' }

/** How reading the list can fail. */
export type SyncTemplatesError = SyncStopped | SenderNotConfigured | BusinessAccountNotConfigured | TemplateSourceError | PortFailure

/** What reading the list needs. */
export type SyncTemplatesDeps = TemplateEventsDeps & {
  readonly senders: Pick<Senders, 'senderOf'>
  readonly templateSource: TemplateSource
  readonly templateCatalogue: Pick<TemplateCatalogue, 'replaceAll' | 'noteFault'>
  readonly windowClock: Pick<WindowClock, 'now'>
}

/** Makes the use case of what it needs. */
export const makeSyncTemplates =
  (deps: SyncTemplatesDeps): SyncTemplates =>
  ({ workspace, reading }) =>
  async () => {
    const { senders, templateSource, templateCatalogue, windowClock } = deps
    const sender = await senders.senderOf(workspace)()
    if (E.isLeft(sender)) return sender
    if (O.isNone(sender.right)) return E.left({ _tag: 'SenderNotConfigured' })
    const { businessAccountId: accountId, accessToken } = sender.right.value
    if (accountId === undefined) return E.left({ _tag: 'BusinessAccountNotConfigured' })
    // The moment at which the reading begins: what the platform reports meanwhile is later than the list.
    const at = windowClock.now()
    const listed = await templateSource.list({ businessAccountId: accountId, accessToken }, undefined, reading)()
    if (reading?.isStopped() === true) return E.left({ _tag: 'SyncStopped' })
    if (E.isLeft(listed)) {
      await templateCatalogue.noteFault(accountId, catalogueFault(listed.left), at)()
      return listed
    }
    const along = await alongTemplates(deps, accountId)
    if (E.isLeft(along)) return along
    const kept = await templateCatalogue.replaceAll(accountId, listed.right, at, along.right)()
    return E.isLeft(kept) ? kept : E.right({ accountId, templates: listed.right.length })
  }
