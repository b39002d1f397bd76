import * as E from 'fp-ts/lib/Either.js'
import { redirect, type HtmlAnswer } from '../answer.js'
import { failurePage } from '../failure-page.js'
import { everybody, whenSignedIn, type Page, type PageDeps } from '../page.js'
import { Field, Problem } from '../parts.js'

/** Signing in and out. */
export const signInPages = ({ members, identityPath }: PageDeps): ReadonlyArray<Page> => [
  {
    path: '/console/sign-in',
    get: everybody(async () => signInPage(identityPath)),
    post: everybody(async ({ form: { email = '', password = '' }, place }) => {
      const signedIn = await members.signIn({ email, password, ...place })()
      if (E.isRight(signedIn)) return redirect('/console', signedIn.right.token)
      return signedIn.left._tag === 'SignInRefused'
        ? signInPage(identityPath, 'The email and the password do not belong together.', email)
        : failurePage(signedIn.left)
    }),
  },
  {
    path: '/console/sign-out',
    post: whenSignedIn({ members }, async ({ place: { address } }, signedIn) => {
      const ended = await members.endSessions({ signedIn, which: { id: signedIn.session.id }, address })()
      return E.isRight(ended) ? redirect('/console/sign-in', 'ended') : failurePage(ended.left, signedIn)
    }),
  },
]

/** The page on which people sign in; `problem` is a sentence on why it did not work. */
export const signInPage = (identityPath: string | undefined, problem?: string, email?: string): HtmlAnswer => ({
  _tag: 'Html',
  status: problem === undefined ? 200 : 403,
  title: 'Sign in',
  content: (
    <>
      <Problem sentence={problem} />
      <form method="post" action="/console/sign-in">
        <Field id="email" label="Email" type="email" autocomplete="username" value={email} />
        <Field id="password" label="Password" type="password" autocomplete="current-password" />
        <button>Sign in</button>
      </form>
      {identityPath !== undefined && <p><a class="button plain" href={identityPath}>Sign in with your company's account</a></p>}
      <p class="soft">You have no password yet, or have forgotten it? Ask an owner of your workspace or an operator to invite you again.</p>
    </>
  ),
})
