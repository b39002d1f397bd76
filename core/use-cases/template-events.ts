import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../errors.js'
import type { Along } from '../event.js'
import type { Senders } from '../ports/senders.js'
import { templatesChanged } from '../template-event.js'
import type { TemplateDiff } from '../template.js'
import type { WorkspaceId } from '../workspace.js'
import { alongAnyway, isHeard, type EventDeps } from './event-deps.js'

/** What making the events of templates needs; where `sharing` is absent, none are made. */
export type TemplateEventsDeps = EventDeps & { readonly senders?: Partial<Pick<Senders, 'sharing'>> }

/**
 * What makes the events of an account's templates, for each workspace that sends through the account and to which something listens; `undefined` where
 * there is no such workspace.
 */
export const alongTemplates = async (
  { events, senders }: TemplateEventsDeps, accountId: string,
): Promise<E.Either<PortFailure, Along<ReadonlyArray<TemplateDiff>> | undefined>> => {
  if (events === undefined || senders?.sharing === undefined) return E.right(undefined)
  const sharing = await senders.sharing(accountId)()
  if (E.isLeft(sharing)) return sharing
  const heard = await Promise.all(sharing.right.map(async (workspace) => ((await isHeard(events, workspace)) ? [workspace] : [])))
  const workspaces: ReadonlyArray<WorkspaceId> = heard.flat()
  return E.right(workspaces.length === 0 ? undefined : alongAnyway(events, templatesChanged(workspaces, accountId)))
}
