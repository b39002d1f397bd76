import type { VNode } from 'preact'
import { currentLanguage, LANGUAGE_NAMES, LANGUAGES } from './language.js'
import { TEXTS } from './texts.js'

const { language: texts } = TEXTS

/** Where the choice is sent. */
export const LANGUAGE_PATH = '/console/language'

/** The languages, each a button in its own words, and the way back to what the browser asks for. `back` is the address to which the choice leads; without it, the account. */
export const LanguageChoice = ({ back }: { readonly back?: string | undefined }): VNode => (
  <form method="post" action={LANGUAGE_PATH} class="languages" aria-label={texts.title}>
    {back !== undefined && <input type="hidden" name="back" value={back} />}
    {LANGUAGES.map((language) => (
      <button class="plain" key={language} name="language" value={language} lang={language} {...(language === currentLanguage() && { 'aria-current': 'true' })}>{LANGUAGE_NAMES[language]}</button>
    ))}
    <button class="plain" name="language" value="browser">{texts.browser}</button>
  </form>
)
