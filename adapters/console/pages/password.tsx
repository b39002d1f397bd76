import * as E from 'fp-ts/lib/Either.js'
import type { Authenticated } from '../../../core/use-cases/member-commands.js'
import { redirect, type HtmlAnswer } from '../answer.js'
import { failurePage } from '../failure-page.js'
import { whenSignedIn, type Page, type PageDeps } from '../page.js'
import { Field, Problem } from '../parts.js'

/** Setting one's own password. */
export const passwordPages = ({ members }: PageDeps): ReadonlyArray<Page> => [{
  path: '/console/password',
  get: whenSignedIn({ members }, async (_request, signedIn) => passwordPage(signedIn)),
  post: whenSignedIn({ members }, async ({ form: { current, password = '', again = '' }, place }, signedIn) => {
    if (password !== again) return passwordPage(signedIn, 'The two new passwords differ.')
    const set = await members.setPassword({ signedIn, current, password, ...place })()
    if (E.isRight(set)) return redirect('/console/account')
    switch (set.left._tag) {
      case 'InvalidPassword': return passwordPage(signedIn, set.left.reason)
      case 'SignInRefused': return passwordPage(signedIn, 'The current password is another one.')
      case 'MemberNotFound': return redirect('/console/sign-in', 'ended')
      case 'TooManyAttempts': case 'PortFailure': return failurePage(set.left, signedIn)
    }
  }),
}]

const passwordPage = (signedIn: Authenticated, problem?: string): HtmlAnswer => {
  const byLink = signedIn.session.openedBy === 'link'
  return {
    _tag: 'Html',
    status: problem === undefined ? 200 : 422,
    title: signedIn.hasPassword ? 'Change the password' : 'Set a password',
    signedIn,
    content: (
      <>
        <Problem sentence={problem} />
        <p>All your other sessions end.</p>
        <form method="post" action="/console/password">
          <input type="email" name="username" value={signedIn.principal.email} autocomplete="username" aria-label="Email" readonly hidden />
          {signedIn.hasPassword && (
            <Field
              id="current" label="Current password" type="password" autocomplete="current-password" required={!byLink}
              {...(byLink && { hint: 'Not needed within 15 minutes of signing in by a link.' })}
            />
          )}
          <Field id="password" label="New password" type="password" autocomplete="new-password" />
          <Field id="again" label="New password, again" type="password" autocomplete="new-password" />
          <button>{signedIn.hasPassword ? 'Change the password' : 'Set the password'}</button>
        </form>
      </>
    ),
  }
}
