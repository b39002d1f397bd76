import type { VNode } from 'preact'
import { LANGUAGES } from '../../core/kernel/language.js'
import { currentLanguage, LANGUAGE_NAMES } from './language.js'
import { TEXTS } from './texts.js'

const { language: texts } = TEXTS

/** The address to which the choice is submitted. */
export const LANGUAGE_PATH = '/console/language'

/** A button for each language, in that language, and a button that restores the browser's language. `back` is the address to which the choice redirects; by default the account. */
export const LanguageChoice = ({ back }: { readonly back?: string | undefined }): VNode => (
  <form method="post" action={LANGUAGE_PATH} class="languages" aria-label={texts.title}>
    {back !== undefined && <input type="hidden" name="back" value={back} />}
    {LANGUAGES.map((language) => (
      <button
        class="plain" key={language} name="language" value={language} lang={language}
        {...(language === currentLanguage() && { 'aria-current': 'true' })}
      >{LANGUAGE_NAMES[language]}</button>
    ))}
    <button class="plain" name="language" value="browser">{texts.browser}</button>
  </form>
)
