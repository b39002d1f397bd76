import * as E from 'fp-ts/lib/Either.js'
import type { Forbidden } from '../../core/access/access.js'
import type { Authenticated } from '../../core/access/sign-in.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import { isWorkspaceId, type WorkspaceId } from '../../core/kernel/ids.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import { actorOf, type PageDeps } from './page.js'
import type { PageRequest } from './request.js'

/** The workspace in an address or a form: none if it is empty, which means all workspaces. */
export const namedWorkspace = (named: string): E.Either<{ readonly _tag: 'NotFound' }, WorkspaceId | undefined> => {
  if (named === '') return E.right(undefined)
  return isWorkspaceId(named) ? E.right(named) : E.left({ _tag: 'NotFound' })
}

/** A workspace that the member may see. */
export const findWorkspace = async (
  { workspaces }: Pick<PageDeps, 'workspaces'>, request: PageRequest, signedIn: Authenticated, id: WorkspaceId,
): Promise<E.Either<{ readonly _tag: 'NotFound' } | Forbidden | PortFailure, Workspace>> => {
  const listed = await workspaces.listWorkspaces({ by: actorOf(signedIn, request) })
  return E.isLeft(listed) ? listed : E.fromNullable({ _tag: 'NotFound' as const })(listed.right.find((workspace) => workspace.id === id))
}
