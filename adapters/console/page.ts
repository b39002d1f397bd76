import * as E from 'fp-ts/lib/Either.js'
import type { Actor } from '../../core/principal.js'
import type { ListAudit } from '../../core/use-cases/list-audit.js'
import type { ListWorkspaces } from '../../core/use-cases/list-workspaces.js'
import type { Authenticated } from '../../core/use-cases/member-commands.js'
import type { MemberUseCases } from '../../core/use-cases/member-use-cases.js'
import { redirect, type Answer } from './answer.js'
import { failurePage } from './failure-page.js'
import type { PageRequest } from './request.js'

/** The use cases that the pages show and do. */
export type PageDeps = {
  readonly members: MemberUseCases
  readonly listAudit: ListAudit
  readonly listWorkspaces: ListWorkspaces
  /** Where a sign-in with an identity provider begins, if there is one. */
  readonly identityPath?: string
}

/** Answers a request. */
export type Handler = (request: PageRequest) => Promise<Answer>

/** An address of the console; any other method is answered 405. */
export type Page = { readonly path: string; readonly get?: Handler; readonly post?: Handler }

/** Answers a request of somebody who is signed in; everybody else is sent to sign in. */
export const whenSignedIn =
  ({ members }: Pick<PageDeps, 'members'>, handle: (request: PageRequest, signedIn: Authenticated) => Promise<Answer>): Handler =>
  async (request) => {
    if (request.token === undefined) return redirect('/console/sign-in')
    const found = await members.authenticate({ token: request.token })()
    if (E.isRight(found)) return handle(request, found.right)
    return found.left._tag === 'NotSignedIn' ? redirect('/console/sign-in', 'ended') : failurePage(found.left)
  }

/** Who acts, and from where. */
export const actorOf = ({ principal }: Authenticated, { place: { address } }: PageRequest): Actor => ({ principal, ...(address !== undefined && { address }) })

