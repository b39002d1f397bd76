import { redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { LANGUAGE_PATH } from '../../language-choice.js'
import { parseLanguage } from '../../language.js'
import { makeIsShown, type Page, publicRoute } from '../../page.js'

/**
 * Sets the language of the console for this browser. The server stores nothing, so people can also choose without signing in. The choice redirects back to the
 * page on which it was made, if that is one of `pages`.
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
