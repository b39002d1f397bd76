import * as E from 'fp-ts/lib/Either.js'
import { isSessionId, type Session } from '../../../core/session.js'
import type { Authenticated, EndSessionsCommand } from '../../../core/use-cases/member-commands.js'
import { redirect, type HtmlAnswer } from '../answer.js'
import { failurePage } from '../failure-page.js'
import { whenSignedIn, type Page, type PageDeps } from '../page.js'
import { Moment, Table } from '../parts.js'

/** One's own sessions. */
export const accountPages = ({ members }: PageDeps): ReadonlyArray<Page> => [
  {
    path: '/console/account',
    get: whenSignedIn({ members }, async (_request, signedIn) => {
      const sessions = await members.listSessions({ signedIn })()
      return E.isRight(sessions) ? accountPage(signedIn, sessions.right) : failurePage(sessions.left, signedIn)
    }),
  },
  {
    path: '/console/account/sessions',
    post: whenSignedIn({ members }, async ({ form: { end = '' }, place: { address } }, signedIn) => {
      const which = whichOf(end)
      if (which === undefined) return failurePage({ _tag: 'Malformed' }, signedIn)
      const ended = await members.endSessions({ signedIn, which, address })()
      if (E.isLeft(ended)) return failurePage(ended.left, signedIn)
      return end === 'all' || end === signedIn.session.id ? redirect('/console/sign-in', 'ended') : redirect('/console/account')
    }),
  },
]

const whichOf = (end: string): EndSessionsCommand['which'] | undefined => {
  if (end === 'others' || end === 'all') return end
  return isSessionId(end) ? { id: end } : undefined
}

const accountPage = (signedIn: Authenticated, sessions: ReadonlyArray<Session>): HtmlAnswer => ({
  _tag: 'Html',
  title: 'Your account',
  signedIn,
  content: (
    <>
      <p>You are signed in as <strong>{signedIn.principal.email}</strong>{signedIn.principal.isOperator && ', an operator'}.</p>
      <p><a href="/console/password">{signedIn.hasPassword ? 'Change the password' : 'Set a password'}</a></p>
      <h2>Sessions</h2>
      <Table label="Sessions" columns={['Browser', 'Address', 'Signed in', 'Last seen', 'End']}>
        {sessions.map((session) => (
          <tr key={session.id}>
            <td data-label="Browser">{session.userAgent ?? 'unknown'}{session.id === signedIn.session.id && <strong> (this one)</strong>}</td>
            <td data-label="Address">{session.address ?? 'unknown'}</td>
            <td data-label="Signed in"><Moment at={session.createdAt} /></td>
            <td data-label="Last seen"><Moment at={session.lastSeenAt} /></td>
            <td>
              <form method="post" action="/console/account/sessions">
                <button class="danger" name="end" value={session.id} aria-label={`End the session last seen ${new Date(session.lastSeenAt).toISOString()}`}>End</button>
              </form>
            </td>
          </tr>
        ))}
      </Table>
      <form method="post" action="/console/account/sessions">
        <button class="plain" name="end" value="others">End all others</button>
        <button class="danger" name="end" value="all">End all, also this one</button>
      </form>
    </>
  ),
})
