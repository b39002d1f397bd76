import * as E from 'fp-ts/lib/Either.js'
import type { Authenticated } from '../../../../core/access/sign-in.js'
import { type HtmlAnswer, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { type Page, type PageDeps, whenSignedIn } from '../../page.js'
import { Field, Problem } from '../../parts.js'
import { TEXTS } from '../../texts.js'

const { password: texts } = TEXTS

/** Setting the person's own password. */
export const passwordPages = ({ members }: PageDeps): ReadonlyArray<Page> => [{
  path: '/console/password',
  get: whenSignedIn({ members }, async (_request, signedIn) => passwordPage(signedIn)),
  post: whenSignedIn({ members }, async ({ form: { current, password = '', again = '' }, place }, signedIn) => {
    if (password !== again) return passwordPage(signedIn, texts.differ)
    const set = await members.setPassword({ signedIn, current, password, ...place })
    if (E.isRight(set)) return redirect('/console/account')
    switch (set.left._tag) {
      case 'InvalidPassword': return passwordPage(signedIn, TEXTS.parts.reason(set.left.reason))
      case 'SignInRefused': return passwordPage(signedIn, texts.wrongCurrent)
      case 'MemberNotFound': return redirect('/console/sign-in', 'ended')
      case 'TooManyAttempts': case 'TooManyRequests': case 'PortFailure': return failurePage(set.left, signedIn)
    }
  }),
}]

const passwordPage = (signedIn: Authenticated, problem?: string): HtmlAnswer => {
  const byLink = signedIn.session.openedBy === 'link'
  return {
    _tag: 'Html',
    status: problem === undefined ? 200 : 422,
    title: signedIn.hasPassword ? texts.change : texts.set,
    path: '/console/account',
    signedIn,
    content: (
      <>
        <Problem sentence={problem} />
        <p>{texts.othersEnd}</p>
        <form method="post" action="/console/password">
          <input
            type="email" name="username" value={signedIn.principal.email} autocomplete="username" aria-label={texts.email} readonly hidden
          />
          {signedIn.hasPassword && (
            <Field
              id="current" label={texts.current} type="password" autocomplete="current-password" required={!byLink}
              {...(byLink && { hint: texts.currentHint })}
            />
          )}
          <Field id="password" label={texts.next} type="password" autocomplete="new-password" />
          <Field id="again" label={texts.again} type="password" autocomplete="new-password" />
          <button>{signedIn.hasPassword ? texts.change : texts.doSet}</button>
        </form>
      </>
    ),
  }
}
