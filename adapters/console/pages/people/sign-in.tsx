import * as E from 'fp-ts/lib/Either.js'
import { type ConsolePath, redirect, type HtmlAnswer } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { makeIsShown, publicRoute, whenSignedIn, type Page, type PageDeps } from '../../page.js'
import { Field, Problem } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { LanguageChoice } from '../../language-choice.js'

const { signIn: texts } = TEXTS

/** The address of the sign-in page. */
export const SIGN_IN_PATH = '/console/sign-in'

/** Signing in, which redirects to the page of `pages` that was requested, and signing out. */
export const signInPages = ({ members, identityPath }: PageDeps, pages: ReadonlyArray<Page>): ReadonlyArray<Page> => {
  const backTo = makeBackTo(makeIsShown(pages))
  return [
    {
      path: SIGN_IN_PATH,
      get: publicRoute(async ({ query }) => signInPage(identityPath, { back: backTo(query.get('back') ?? '') })),
      post: publicRoute(async ({ form: { email = '', password = '', back = '' }, place, device }) => {
        const signedIn = await members.signIn({ email, password, device, ...place })
        if (E.isRight(signedIn)) {
          return {
            ...redirect(backTo(back) ?? '/console', signedIn.right.token),
            ...(signedIn.right.device !== undefined && { device: signedIn.right.device }),
          }
        }
        return signedIn.left._tag === 'SignInRefused'
          ? signInPage(identityPath, { problem: texts.refused, email, back: backTo(back) })
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
}

/** The maximum number of addresses to try, from the address of a form up to the address of its page. */
const MAX_STEPS = 4

/** The page to which the sign-in redirects: the page at the address, or the nearest existing page above it. */
export const makeBackTo = (isShown: ReturnType<typeof makeIsShown>) => (address: string): ConsolePath | undefined => {
  let path = address
  for (let step = 0; step < MAX_STEPS; step += 1) {
    if (isShown(path)) return path === '/console' ? undefined : path
    path = path.slice(0, Math.max(path.lastIndexOf('?'), path.lastIndexOf('/'), 0))
  }
  return undefined
}

/** The sign-in page; `problem` is a sentence on why it failed, and `back` the page to redirect to. */
export const signInPage = (
  identityPath: string | undefined,
  { problem, email, back }: { readonly problem?: string; readonly email?: string; readonly back?: ConsolePath | undefined } = {},
): HtmlAnswer => ({
  _tag: 'Html',
  status: problem === undefined ? 200 : 403,
  title: texts.title,
  content: (
    <>
      <Problem sentence={problem} />
      {back !== undefined && problem === undefined && <p class="soft">{texts.leadsBack}</p>}
      <form method="post" action={SIGN_IN_PATH}>
        {back !== undefined && <input type="hidden" name="back" value={back} />}
        <Field id="email" label={texts.email} type="email" autocomplete="username" value={email} />
        <Field id="password" label={texts.password} type="password" autocomplete="current-password" />
        <button>{texts.doSignIn}</button>
      </form>
      {identityPath !== undefined && <p><a class="button plain" href={identityLink(identityPath, back)}>{texts.withCompany}</a></p>}
      <p class="soft">{texts.noPassword}</p>
      <LanguageChoice />
    </>
  ),
})

const identityLink = (path: string, back: ConsolePath | undefined): string => (back === undefined ? path : `${path}?back=${encodeURIComponent(back)}`)
