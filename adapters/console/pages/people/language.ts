import * as E from 'fp-ts/lib/Either.js'
import { redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { LANGUAGE_PATH } from '../../language-choice.js'
import { parseLanguage } from '../../../../core/kernel/language.js'
import { makeIsShown, type Page, type PageDeps, publicRoute } from '../../page.js'

/**
 * Sets the language of the console for this browser, and of e-mails to the person if they are signed in. People can also choose without signing in. The choice
 * redirects back to the page on which it was made, if that is one of `pages`.
 */
export const languagePages = ({ members }: Pick<PageDeps, 'members'>, pages: ReadonlyArray<Page>): ReadonlyArray<Page> => {
  const isShown = makeIsShown(pages)
  return [{
    path: LANGUAGE_PATH,
    post: publicRoute(async ({ form: { language: chosen = '', back = '' }, token, browserLanguage }) => {
      const language = chosen === 'browser' ? chosen : parseLanguage(chosen)
      if (language === undefined) return failurePage({ _tag: 'Malformed' })
      if (token === undefined) return { ...redirect('/console/sign-in'), language }
      const signedIn = await members.authenticate({ token })
      if (E.isRight(signedIn)) {
        const stored = await members.chooseLanguage({
          signedIn: signedIn.right, language: language === 'browser' ? browserLanguage : language,
        })
        if (E.isLeft(stored)) return failurePage(stored.left, signedIn.right)
      }
      return { ...redirect(isShown(back) ? back : '/console/account'), language }
    }),
  }]
}
