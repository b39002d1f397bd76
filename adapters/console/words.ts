import { platformErrorNameOf } from '../../core/explanations/platform-errors.js'
import { isOwnErrorCode, type OwnErrorCode } from '../../core/messages/own-errors.js'
import { TEXTS } from './texts.js'

/** A word of the core or of the platform in the language of the request: a state, a role, a category. A word that is not in the catalogue is shown unchanged. */
export const wordFor = (of: keyof typeof TEXTS.words, name: string): string => {
  const words: Readonly<Record<string, string>> = TEXTS.words[of]
  return (Object.hasOwn(words, name) ? words[name] : undefined) ?? name.replaceAll('_', ' ')
}

/** The meaning of a message's error and how to fix it, in the language of the request; none if the error has no code, or an unknown one. */
export const meaningOf = (code: number | OwnErrorCode | undefined): { readonly means: string; readonly fix: string } | undefined => {
  if (isOwnErrorCode(code)) return TEXTS.messages.ownErrors[code]
  const name = code === undefined ? undefined : platformErrorNameOf(code)
  return name === undefined ? undefined : TEXTS.platformErrors[name]
}
