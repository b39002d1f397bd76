import * as E from 'fp-ts/lib/Either.js'
import { redirect, type HtmlAnswer } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { publicRoute, whenSignedIn, type Page, type PageDeps } from '../../page.js'
import { Field, Problem } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { LanguageChoice } from '../../language-choice.js'

const { signIn: texts } = TEXTS

/** Where people sign in. */
export const SIGN_IN_PATH = '/console/sign-in'

/** Signing in and out. */
export const signInPages = ({ members, identityPath }: PageDeps): ReadonlyArray<Page> => [
  {
    path: SIGN_IN_PATH,
    get: publicRoute(async () => signInPage(identityPath)),
    post: publicRoute(async ({ form: { email = '', password = '' }, place, device }) => {
      const signedIn = await members.signIn({ email, password, device, ...place })
      if (E.isRight(signedIn)) return { ...redirect('/console', signedIn.right.token), ...(signedIn.right.device !== undefined && { device: signedIn.right.device }) }
      return signedIn.left._tag === 'SignInRefused'
        ? signInPage(identityPath, texts.refused, email)
        : failurePage(signedIn.left)
    }),
  },
  {
    path: '/console/sign-out',
    post: whenSignedIn({ members }, async ({ place: { address } }, signedIn) => {
      const ended = await members.endSessions({ signedIn, which: { id: signedIn.session.id }, address })
      return E.isRight(ended) ? redirect('/console/sign-in', 'ended') : failurePage(ended.left, signedIn)
    }),
  },
]

/** The page on which people sign in; `problem` is a sentence on why it did not work. */
export const signInPage = (identityPath: string | undefined, problem?: string, email?: string): HtmlAnswer => ({
  _tag: 'Html',
  status: problem === undefined ? 200 : 403,
  title: texts.title,
  content: (
    <>
      <Problem sentence={problem} />
      <form method="post" action={SIGN_IN_PATH}>
        <Field id="email" label={texts.email} type="email" autocomplete="username" value={email} />
        <Field id="password" label={texts.password} type="password" autocomplete="current-password" />
        <button>{texts.doSignIn}</button>
      </form>
      {identityPath !== undefined && <p><a class="button plain" href={identityPath}>{texts.withCompany}</a></p>}
      <p class="soft">{texts.noPassword}</p>
      <LanguageChoice />
    </>
  ),
})
