import type { VNode } from 'preact'
import { redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { currentLanguage, LANGUAGE_NAMES, LANGUAGES, parseLanguage } from '../../language.js'
import { type Page, publicRoute } from '../../page.js'
import { TEXTS } from '../../texts.js'

const { language: texts } = TEXTS
const PATH = '/console/language'

/** Chooses the language of the console, for this browser. Nothing is stored of it here, so also someone who is not signed in may choose. */
export const languagePages: ReadonlyArray<Page> = [{
  path: PATH,
  post: publicRoute(async ({ form: { language: chosen = '' }, token }) => {
    const language = chosen === 'browser' ? chosen : parseLanguage(chosen)
    return language === undefined ? failurePage({ _tag: 'Malformed' }) : { ...redirect(token === undefined ? '/console/sign-in' : '/console/account'), language }
  }),
}]

/** The languages, each a button in its own words, and the way back to what the browser asks for. */
export const LanguageChoice = (): VNode => (
  <form method="post" action={PATH} class="languages" aria-label={texts.title}>
    {LANGUAGES.map((language) => (
      <button class="plain" key={language} name="language" value={language} lang={language} {...(language === currentLanguage() && { 'aria-current': 'true' })}>{LANGUAGE_NAMES[language]}</button>
    ))}
    <button class="plain" name="language" value="browser">{texts.browser}</button>
  </form>
)
