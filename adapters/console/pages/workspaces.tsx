import * as E from 'fp-ts/lib/Either.js'
import { isAllowed } from '../../../core/access.js'
import type { Authenticated } from '../../../core/use-cases/member-commands.js'
import type { Workspace } from '../../../core/workspace.js'
import type { HtmlAnswer } from '../answer.js'
import { failurePage } from '../failure-page.js'
import { actorOf, whenSignedIn, type Page, type PageDeps } from '../page.js'
import { Table } from '../parts.js'

/** The workspaces of a member, with what she may open of each. */
export const workspacesPages = ({ members, listWorkspaces }: PageDeps): ReadonlyArray<Page> => [{
  path: '/console',
  get: whenSignedIn({ members }, async (request, signedIn) => {
    const workspaces = await listWorkspaces({ by: actorOf(signedIn, request) })()
    return E.isRight(workspaces) ? workspacesPage(signedIn, workspaces.right) : failurePage(workspaces.left, signedIn)
  }),
}]

const workspacesPage = (signedIn: Authenticated, workspaces: ReadonlyArray<Workspace>): HtmlAnswer => ({
  _tag: 'Html',
  title: 'Workspaces',
  signedIn,
  content: workspaces.length === 0 ? <p>There is no workspace that you may see.</p> : (
    <Table label="Workspaces" columns={['Name', 'Id', 'Currency', 'Your role', 'Open']}>
      {workspaces.map(({ id, name, currency }) => (
        <tr key={id}>
          <td data-label="Name"><strong>{name}</strong></td>
          <td data-label="Id">{id}</td>
          <td data-label="Currency">{currency}</td>
          <td data-label="Your role">{signedIn.principal.roles.get(id) ?? 'operator'}</td>
          <td>
            {isAllowed(signedIn.principal, 'member.view', id) && <a href={`/console/members?workspace=${id}`} aria-label={`Members of ${name}`}>Members</a>}
            {' '}
            {isAllowed(signedIn.principal, 'audit.view', id) && <a href={`/console/audit?workspace=${id}`} aria-label={`Audit log of ${name}`}>Audit log</a>}
          </td>
        </tr>
      ))}
    </Table>
  ),
})
