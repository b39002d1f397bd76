import { redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { LANGUAGE_PATH } from '../../language-choice.js'
import { parseLanguage } from '../../language.js'
import { makeIsShown, type Page, publicRoute } from '../../page.js'

/**
 * Chooses the language of the console, for this browser. Nothing is stored of it here, so also someone who is not signed in may choose. The choice leads back to the
 * page that it was made on, if that is one of `pages`.
 */
export const languagePages = (pages: ReadonlyArray<Page>): ReadonlyArray<Page> => {
  const isShown = makeIsShown(pages)
  return [{
    path: LANGUAGE_PATH,
    post: publicRoute(async ({ form: { language: chosen = '', back = '' }, token }) => {
      const language = chosen === 'browser' ? chosen : parseLanguage(chosen)
      if (language === undefined) return failurePage({ _tag: 'Malformed' })
      if (token === undefined) return { ...redirect('/console/sign-in'), language }
      return { ...redirect(isShown(back) ? back : '/console/account'), language }
    }),
  }]
}
