import { platformErrorNameOf } from '../../core/explanations/platform-errors.js'
import { TEXTS } from './texts.js'

/** A word of the core or of the platform in the language of the request: of a state, a role, a category. One that is not in the catalogue is shown as it came. */
export const wordFor = (of: keyof typeof TEXTS.words, name: string): string => {
  const words: Readonly<Record<string, string>> = TEXTS.words[of]
  return (Object.hasOwn(words, name) ? words[name] : undefined) ?? name.replaceAll('_', ' ')
}

/** What an error of the platform means and what to do, in the language of the request; none where the error has no code, or one that is not known. */
export const meaningOf = (code: number | undefined): { readonly means: string; readonly cure: string } | undefined => {
  const name = code === undefined ? undefined : platformErrorNameOf(code)
  return name === undefined ? undefined : TEXTS.platformErrors[name]
}
